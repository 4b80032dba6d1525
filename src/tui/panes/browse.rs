//! What most panes do alike: move in a list, search in it, click and scroll.

use crossterm::event::{KeyEvent, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Rect;

use super::find::{Find, Rows};
use super::list::ListState;
use crate::tui::pane::PaneAction;

/// A list with a search.
#[derive(Debug, Default)]
pub struct Browser {
    /// Cursor and window.
    pub list: ListState,
    /// The search.
    pub find: Find,
    /// Where the rows were last drawn.
    pub body: Rect,
}

/// What the mouse did to a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mouse {
    /// Nothing.
    Nothing,
    /// The window moved.
    Scrolled,
    /// A row was clicked.
    Clicked(usize),
}

/// The movements and the search, as every browsing pane offers them last.
pub const BROWSING: [(PaneAction, &str); 9] = [
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

impl Browser {
    /// A list that follows its end.
    pub fn following() -> Self {
        Browser { list: ListState::following(), ..Browser::default() }
    }

    /// Performs a movement or a search action; `false` if the action is neither.
    pub fn act(&mut self, action: PaneAction, rows: &Rows<'_>) -> bool {
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

    /// A key for the search line.
    pub fn key(&mut self, key: KeyEvent, rows: &Rows<'_>) {
        if let Some(row) = self.find.key(key, rows) {
            self.list.go(row, rows.len);
        }
    }

    /// Text pasted into the search line.
    pub fn paste(&mut self, text: &str, rows: &Rows<'_>) {
        if let Some(row) = self.find.paste(text, rows) {
            self.list.go(row, rows.len);
        }
    }

    /// A mouse event: a click chooses the row under it, the wheel scrolls.
    pub fn mouse(&mut self, event: MouseEvent, len: usize) -> Mouse {
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
