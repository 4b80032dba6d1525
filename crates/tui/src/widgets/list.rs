//! Windowed list: which row the cursor is on, which rows are shown, whether the end is followed; of panes, dialogs and the start screen.
//!
//! Knows only row numbers, so that a list of any length costs what is visible.

use std::ops::Range;

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

use super::draw::{Painter, Row, Run, split_left, width};
use super::words;
use crate::actions::{ActionId, Move};
use crate::theme::Role;

const WHEEL: usize = 3;

/// The words at the end of a row, where it has no room for them beside its mark: they are said whole below the list.
pub(crate) fn words_cut(row: &[Run], columns: usize) -> Vec<Row> {
    let cut = row.last().filter(|_| width(row) + ListState::MARK > columns);
    cut.into_iter().flat_map(|words| words::labelled("", Role::Dim, &words.text, columns)).collect()
}

#[derive(Debug, Clone, Default)]
pub struct ListState {
    cursor: usize,
    top: usize,
    height: usize,
    /// Whether the cursor goes along when rows are added at the end.
    follow: bool,
}

impl ListState {
    /// Columns of the mark before a row.
    pub const MARK: usize = 2;

    pub fn following() -> Self {
        ListState { follow: true, ..ListState::default() }
    }

    pub fn at(cursor: usize) -> Self {
        ListState { cursor, ..ListState::default() }
    }

    pub fn cursor(&self) -> usize {
        self.cursor
    }

    pub fn top(&self) -> usize {
        self.top
    }

    pub fn go(&mut self, row: usize, len: usize) {
        self.cursor = row.min(len.saturating_sub(1));
    }

    /// Puts the cursor on a row and follows the end from there on if it is the last.
    fn go_by_hand(&mut self, row: usize, len: usize) {
        self.go(row, len);
        self.follow = self.cursor + 1 >= len;
    }

    /// Takes in a new length: follows the end, or stays.
    pub fn grown(&mut self, len: usize) {
        if self.follow {
            self.cursor = len.saturating_sub(1);
        }
        self.cursor = self.cursor.min(len.saturating_sub(1));
    }

    /// Performs a movement; `false` if the action is none.
    pub fn act(&mut self, action: impl Into<ActionId>, len: usize) -> bool {
        let page = self.height.saturating_sub(1).max(1);
        let to = match action.into().movement() {
            Some(Move::Up) => self.cursor.saturating_sub(1),
            Some(Move::Down) => self.cursor.saturating_add(1),
            Some(Move::PageUp) => self.cursor.saturating_sub(page),
            Some(Move::PageDown) => self.cursor.saturating_add(page),
            Some(Move::Top) => 0,
            Some(Move::Bottom) => len,
            None => return false,
        };
        self.go_by_hand(to, len);
        true
    }

    /// The row under a position of the area last drawn.
    pub(crate) fn row_at(&self, area: Rect, at: Position, len: usize) -> Option<usize> {
        let row = self.top + usize::from(at.y.checked_sub(area.y)?);
        (area.contains(at) && row < len).then_some(row)
    }

    /// The wheel moves the cursor; a click marks the row under it and returns it.
    pub fn mouse(&mut self, event: MouseEvent, area: Rect, len: usize) -> Option<usize> {
        match event.kind {
            MouseEventKind::ScrollUp => self.go(self.cursor.saturating_sub(1), len),
            MouseEventKind::ScrollDown => self.go(self.cursor + 1, len),
            MouseEventKind::Down(MouseButton::Left) => {
                let row = self.row_at(area, Position::new(event.column, event.row), len)?;
                self.go(row, len);
                return Some(row);
            }
            _ => {}
        }
        None
    }

    /// How many rows of `len` were left out above and below when it was drawn last.
    pub fn left_out(&self, len: usize) -> (usize, usize) {
        (self.top.min(len), len.saturating_sub(self.top + self.height))
    }

    /// Draws the rows in sight, each made by `row` for a width, with a mark before the one under the cursor, which is shown as chosen if
    /// the list is `active`.
    pub fn draw(
        &mut self,
        painter: &mut Painter<'_>,
        area: Rect,
        active: bool,
        len: usize,
        mut row: impl FnMut(usize, usize) -> Row,
    ) {
        let window = self.window(len, usize::from(area.height));
        let area = painter.scrollbar(area, window.start, len);
        let (_, rows) = split_left(area, 1);
        for (line, at) in window.enumerate() {
            let here = at == self.cursor;
            painter.row(area, line, &[words::here(painter.theme, here)]);
            painter.row(rows, line, &row(at, usize::from(rows.width)));
            if here && active {
                painter.select(area, line);
            }
        }
    }

    /// Puts the cursor on the row shown at `line` of the window; `None` if there is none.
    pub fn click(&mut self, line: usize, len: usize) -> Option<usize> {
        let row = self.top.checked_add(line).filter(|r| *r < len && line < self.height)?;
        self.go_by_hand(row, len);
        Some(row)
    }

    pub fn wheel(&mut self, down: bool, len: usize) {
        let last_top = len.saturating_sub(self.height);
        // In a small window no row is left out.
        let by = WHEEL.min(self.height.max(1));
        self.top = if down { (self.top + by).min(last_top) } else { self.top.saturating_sub(by) };
        let bottom = (self.top + self.height).min(len).saturating_sub(1);
        let to = self.cursor.clamp(self.top.min(bottom), bottom);
        // At either end the wheel moves the cursor itself, so that the end can be followed again.
        let to = if down && self.top == last_top { len.saturating_sub(1) } else { to };
        self.go_by_hand(to, len);
    }

    pub fn window(&mut self, len: usize, height: usize) -> Range<usize> {
        self.height = height;
        self.cursor = self.cursor.min(len.saturating_sub(1));
        if height == 0 {
            return 0..0;
        }
        self.top = self.top.min(len.saturating_sub(height));
        if self.cursor < self.top {
            self.top = self.cursor;
        } else if self.cursor >= self.top + height {
            self.top = self.cursor + 1 - height;
        }
        self.top..len.min(self.top + height)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::actions::PaneAction;

    #[test]
    fn follows_the_end_until_scrolled_up() {
        let mut list = ListState::following();
        list.grown(10);
        assert_eq!(list.window(10, 4), 6..10);
        list.act(PaneAction::Up, 10);
        list.grown(20);
        assert_eq!((list.cursor(), list.window(20, 4)), (8, 6..10), "no jump while reading");
        list.act(PaneAction::Bottom, 20);
        list.grown(30);
        assert_eq!(list.window(30, 4), 26..30);
    }

    #[test]
    fn a_click_outside_the_rows_does_nothing() {
        let mut list = ListState::default();
        let _ = list.window(2, 5);
        assert_eq!(list.click(4, 2), None);
        assert_eq!(list.click(1, 2), Some(1));
    }

    proptest! {
        #[test]
        fn the_cursor_is_always_shown(steps in prop::collection::vec((0u8..9, 0usize..40, 0usize..12), 0..40)) {
            let mut list = ListState::following();
            for (what, len, height) in steps {
                list.grown(len);
                match what {
                    0 => { list.act(PaneAction::Up, len); }
                    1 => { list.act(PaneAction::Down, len); }
                    2 => { list.act(PaneAction::PageDown, len); }
                    3 => { list.act(PaneAction::PageUp, len); }
                    4 => list.wheel(true, len),
                    5 => list.wheel(false, len),
                    6 => { list.click(height, len); }
                    7 => { list.act(PaneAction::Top, len); }
                    _ => { list.act(PaneAction::Bottom, len); }
                }
                let window = list.window(len, height);
                prop_assert!(window.end <= len && window.len() <= height);
                if len > 0 && height > 0 {
                    prop_assert!(window.contains(&list.cursor()));
                }
            }
        }
    }
}
