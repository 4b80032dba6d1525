//! A list with a cursor, of which only the visible rows are built.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::Line;
use unicode_width::UnicodeWidthStr;

use crate::actions::ActionId;
use crate::theme::{Role, Theme};

/// Cursor and scroll of a list; the rows themselves stay with the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct List {
    cursor: usize,
    top: usize,
    /// Rows drawn last.
    rows: usize,
}

impl List {
    /// Columns of the mark before a row.
    pub const MARK: usize = 2;

    /// A list with the cursor on a row.
    pub fn at(cursor: usize) -> Self {
        List { cursor, ..List::default() }
    }

    /// The row under the cursor; may lie behind the end of a list that became shorter until [`List::clamp`].
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// Moves the cursor by `by` rows, to the nearest there is of `len`.
    pub fn step(&mut self, by: isize, len: usize) {
        self.cursor = self.cursor.saturating_add_signed(by).min(len.saturating_sub(1));
    }

    /// Moves the cursor by pages.
    pub fn page(&mut self, by: isize, len: usize) {
        let rows = isize::try_from(self.rows.max(2) - 1).unwrap_or(1);
        self.step(by.saturating_mul(rows), len);
    }

    /// Performs a movement; other actions are left to the dialog.
    pub fn act(&mut self, action: ActionId, len: usize) {
        match action {
            ActionId::ItemUp => self.step(-1, len),
            ActionId::ItemDown | ActionId::Complete => self.step(1, len),
            ActionId::ItemPageUp => self.page(-1, len),
            ActionId::ItemPageDown => self.page(1, len),
            ActionId::ItemTop => self.step(isize::MIN, len),
            ActionId::ItemBottom => self.step(isize::MAX, len),
            _ => {}
        }
    }

    /// Keeps the cursor inside a list of `len`.
    pub fn clamp(&mut self, len: usize) {
        self.cursor = self.cursor.min(len.saturating_sub(1));
    }

    /// The row under a position of the area last drawn.
    pub fn row_at(&self, area: Rect, at: Position, len: usize) -> Option<usize> {
        let row = self.top + usize::from(at.y.checked_sub(area.y)?);
        (area.contains(at) && row < len).then_some(row)
    }

    /// The wheel moves the cursor; a click marks the row under it and returns it.
    pub fn mouse(&mut self, event: MouseEvent, area: Rect, len: usize) -> Option<usize> {
        match event.kind {
            MouseEventKind::ScrollUp => self.step(-1, len),
            MouseEventKind::ScrollDown => self.step(1, len),
            MouseEventKind::Down(MouseButton::Left) => {
                let row = self.row_at(area, Position::new(event.column, event.row), len)?;
                self.cursor = row;
                return Some(row);
            }
            _ => {}
        }
        None
    }

    /// How many rows of `len` were left out above and below when it was drawn last.
    pub fn left_out(&self, len: usize) -> (usize, usize) {
        (self.top.min(len), len.saturating_sub(self.top + self.rows))
    }

    /// Draws the visible rows of `len`, each made by `row`.
    pub fn render<'a>(
        &mut self,
        theme: &Theme,
        area: Rect,
        frame: &mut Frame<'_>,
        active: bool,
        len: usize,
        mut row: impl FnMut(usize) -> Line<'a>,
    ) {
        self.rows = usize::from(area.height);
        self.clamp(len);
        if area.is_empty() {
            return;
        }
        if self.cursor < self.top {
            self.top = self.cursor;
        } else if self.cursor >= self.top + self.rows {
            self.top = self.cursor + 1 - self.rows;
        }
        self.top = self.top.min(len.saturating_sub(self.rows));
        for (y, index) in (area.y..area.bottom()).zip(self.top..len) {
            let line = Rect { y, height: 1, ..area };
            let here = index == self.cursor;
            let mark = if here { theme.glyphs.here } else { " " };
            frame.buffer_mut().set_string(line.x, y, mark, theme.style(Role::Accent));
            let inner = Rect { x: line.x + 2.min(line.width), width: line.width.saturating_sub(2), ..line };
            let text = row(index);
            // Blanks at the end are no loss.
            let shown: String = text.spans.iter().map(|span| span.content.as_ref()).collect();
            let cut = shown.trim_end().width() > usize::from(inner.width) && inner.width > 0;
            frame.render_widget(text, inner);
            if cut {
                let last = inner.right() - 1;
                frame.buffer_mut().set_stringn(last, y, theme.glyphs.ellipsis, 1, theme.style(Role::Dim));
            }
            if here && active {
                frame.buffer_mut().set_style(line, theme.style(Role::Selected));
            }
        }
        scrollbar(theme, area, frame, self.top, len);
    }
}

/// Marks at the right edge the window's place in a longer text or list.
pub fn scrollbar(theme: &Theme, area: Rect, frame: &mut Frame<'_>, top: usize, len: usize) {
    let rows = usize::from(area.height);
    if len <= rows || area.width == 0 || rows == 0 {
        return;
    }
    let size = (rows * rows / len).max(1);
    let at = top * (rows - size) / (len - rows).max(1);
    for i in at..(at + size).min(rows) {
        let style: Style = theme.style(Role::Dim);
        frame.buffer_mut().set_string(area.right() - 1, area.y + i as u16, theme.glyphs.vertical, style);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cursor_stays_inside() {
        let mut list = List::default();
        list.step(-1, 3);
        assert_eq!(list.cursor(), 0);
        list.step(9, 3);
        assert_eq!(list.cursor(), 2);
        list.clamp(1);
        assert_eq!(list.cursor(), 0);
        list.step(1, 0);
        assert_eq!(list.cursor(), 0);
    }
}
