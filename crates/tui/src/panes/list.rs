//! Windowed list: which row the cursor is on, which rows are shown, whether the end is followed.
//!
//! Knows only row numbers, so that a list of any length costs what is visible.

use std::ops::Range;

use crate::pane::PaneAction;

/// Rows the wheel moves.
const WHEEL: usize = 3;

/// Cursor and window of a list.
#[derive(Debug, Clone, Default)]
pub struct ListState {
    cursor: usize,
    top: usize,
    height: usize,
    /// Whether the cursor goes along when rows are added at the end.
    follow: bool,
}

impl ListState {
    /// A list that follows its end until a person scrolls up.
    pub fn following() -> Self {
        ListState { follow: true, ..ListState::default() }
    }

    /// The row the cursor is on; meaningful while the list has rows.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// The first row shown.
    pub fn top(&self) -> usize {
        self.top
    }

    /// Puts the cursor on a row.
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
    pub fn act(&mut self, action: PaneAction, len: usize) -> bool {
        let page = self.height.saturating_sub(1).max(1);
        let to = match action {
            PaneAction::Up => self.cursor.saturating_sub(1),
            PaneAction::Down => self.cursor.saturating_add(1),
            PaneAction::PageUp => self.cursor.saturating_sub(page),
            PaneAction::PageDown => self.cursor.saturating_add(page),
            PaneAction::Top => 0,
            PaneAction::Bottom => len,
            _ => return false,
        };
        self.go_by_hand(to, len);
        true
    }

    /// Puts the cursor on the row shown at `line` of the window; `None` if there is none.
    pub fn click(&mut self, line: usize, len: usize) -> Option<usize> {
        let row = self.top.checked_add(line).filter(|r| *r < len && line < self.height)?;
        self.go_by_hand(row, len);
        Some(row)
    }

    /// Scrolls by the wheel; the cursor stays inside the window.
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

    /// The rows to show in `height` lines, the cursor among them.
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
