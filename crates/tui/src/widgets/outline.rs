//! Outline: the rows of a pane with a cursor, a search, and a box of words on the row under the cursor. One widget, one set of keys and one
//! mouse for all panes; what the rows are stays with the pane.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Rect;

use super::draw::{Painter, Row, split_left, split_top, width};
use super::edit::Editor;
use super::find::{Find, Rows};
use super::list::ListState;
use super::why::Why;
use crate::actions::PaneAction;
use crate::event::Input;

/// Rows with a cursor, a search and words.
#[derive(Debug, Default)]
pub struct Outline {
    pub list: ListState,
    pub find: Find,
    pub words: Why,
    pub body: Rect,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mouse {
    Nothing,
    Scrolled,
    Clicked(usize),
}

/// The movements and the search, as every browsing pane offers them last.
pub(crate) const BROWSING: [(PaneAction, &str); 9] = [
    (PaneAction::Search, "search"),
    (PaneAction::Up, "up"),
    (PaneAction::Down, "down"),
    (PaneAction::PageUp, "page up"),
    (PaneAction::PageDown, "page down"),
    (PaneAction::Top, "top"),
    (PaneAction::Bottom, "bottom"),
    (PaneAction::NextMatch, "next match"),
    (PaneAction::PreviousMatch, "previous match"),
];

impl Outline {
    pub fn following() -> Self {
        Outline { list: ListState::following(), ..Outline::default() }
    }

    /// The actions that it answers now, as every pane offers them last.
    pub fn actions(&self) -> impl Iterator<Item = (PaneAction, &'static str)> + use<> {
        self.words.actions().chain(BROWSING)
    }

    /// Performs a movement, a search or a scrolling of the words; `false` if the action is none of them.
    pub fn act(&mut self, action: PaneAction, rows: &Rows<'_>) -> bool {
        if self.words.act(action) {
            return true;
        }
        let from = self.list.cursor();
        let found = match action {
            PaneAction::Search => {
                self.find.open(from);
                return true;
            }
            PaneAction::NextMatch => self.find.next(from, true, rows),
            PaneAction::PreviousMatch => self.find.next(from, false, rows),
            _ => return self.list.act(action, rows.len),
        };
        if let Some(row) = found {
            self.list.go(row, rows.len);
        }
        true
    }

    /// Takes text typed into the search line.
    pub fn input(&mut self, input: Input<'_>, rows: &Rows<'_>) {
        if let Some(row) = self.find.input(input, rows) {
            self.list.go(row, rows.len);
        }
    }

    /// Whether the row under the cursor is to be opened or closed, where one wants the one or the other (`None`: the other of what it is). Closing
    /// what is closed already, or has nothing below, goes up. `row`: how deep a row is, and whether it is open, if something is below it.
    pub(crate) fn fold(
        &mut self,
        open: Option<bool>,
        len: usize,
        row: impl Fn(usize) -> (usize, Option<bool>),
    ) -> Option<bool> {
        let at = self.list.cursor();
        let (depth, is_open) = row(at);
        if let Some(is_open) = is_open.filter(|is_open| open != Some(*is_open)) {
            return Some(!is_open);
        }
        if open == Some(false)
            && let Some(above) = (0..at).rfind(|above| row(*above).0 < depth)
        {
            self.list.go(above, len);
        }
        None
    }

    /// Draws the rows in sight, each made by `row` for a width in columns, with the cursor, what the search found and the scroll
    /// indicator.
    pub fn draw(&mut self, painter: &mut Painter<'_>, area: Rect, len: usize, row: impl FnMut(usize, usize) -> Row) {
        let window = self.list.window(len, usize::from(area.height));
        let area = painter.scrollbar(area, window.start, len);
        self.draw_rows(painter, area, window, true, row);
    }

    /// As [`Outline::draw`], with the cursor if `active`; one row may be edited in place: its number, what is before the field, the field.
    pub(crate) fn draw_edited(
        &mut self,
        painter: &mut Painter<'_>,
        area: Rect,
        len: usize,
        active: bool,
        edited: Option<(usize, Row, &mut Editor)>,
        mut row: impl FnMut(usize, usize) -> Row,
    ) {
        let window = self.list.window(len, usize::from(area.height));
        let area = painter.scrollbar(area, window.start, len);
        let Some((at, label, editor)) = edited else { return self.draw_rows(painter, area, window, active, row) };
        let line = window.clone().position(|row| row == at);
        self.draw_rows(painter, area, window, false, |r, width| if r == at { label.clone() } else { row(r, width) });
        if let Some(line) = line {
            let (line, _) = split_top(split_top(area, line as u16).1, 1);
            editor.draw(painter, split_left(line, (width(&label) as u16).saturating_sub(1)).1);
        }
    }

    /// Draws the rows of a window; the cursor is marked if `active`.
    pub(crate) fn draw_rows(
        &mut self,
        painter: &mut Painter<'_>,
        area: Rect,
        window: std::ops::Range<usize>,
        active: bool,
        mut row: impl FnMut(usize, usize) -> Row,
    ) {
        self.body = area;
        for (line, at) in window.enumerate() {
            painter.row(area, line, &row(at, usize::from(area.width)));
            if active && at == self.list.cursor() {
                painter.select(area, line);
            }
            painter.matches(area, line, self.find.pattern());
        }
    }

    /// A mouse event: a click chooses the row under it, the wheel scrolls the rows or the words.
    pub fn mouse(&mut self, event: MouseEvent, len: usize) -> Mouse {
        if self.words.mouse(event) {
            return Mouse::Nothing;
        }
        let inside = self.body.contains((event.column, event.row).into());
        match event.kind {
            MouseEventKind::Down(MouseButton::Left) if inside => {
                let line = usize::from(event.row.saturating_sub(self.body.y));
                self.list.click(line, len).map_or(Mouse::Nothing, Mouse::Clicked)
            }
            MouseEventKind::ScrollUp | MouseEventKind::ScrollDown => {
                self.list.wheel(event.kind == MouseEventKind::ScrollDown, len);
                Mouse::Scrolled
            }
            _ => Mouse::Nothing,
        }
    }
}
