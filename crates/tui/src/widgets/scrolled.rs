//! Rows without a cursor, below or beside a list: only their window moves.

use crossterm::event::{MouseEvent, MouseEventKind};
use ratatui::layout::Rect;

use super::draw::{Painter, Row};
use super::list::ListState;

#[derive(Debug, Default)]
pub(crate) struct Scrolled {
    pub list: ListState,
    pub area: Rect,
    pub len: usize,
}

impl Scrolled {
    /// Rows shown from their end, until a person scrolls up.
    pub fn following() -> Self {
        Scrolled { list: ListState::following(), ..Scrolled::default() }
    }

    pub fn draw(&mut self, painter: &mut Painter<'_>, area: Rect, rows: &[Row]) {
        let window = self.window(area, rows.len());
        let area = painter.scrollbar(area, window.start, rows.len());
        painter.rows(area, rows.get(window).unwrap_or_default());
    }

    /// The rows in sight of `len`, drawn in an area.
    pub fn window(&mut self, area: Rect, len: usize) -> std::ops::Range<usize> {
        (self.len, self.area) = (len, area);
        self.list.window(len, usize::from(area.height))
    }

    pub fn wheel(&mut self, down: bool) {
        self.list.wheel(down, self.len);
    }

    /// Scrolls where the wheel was turned over the rows; whether it was.
    pub fn mouse(&mut self, event: MouseEvent) -> bool {
        let turned = matches!(event.kind, MouseEventKind::ScrollDown | MouseEventKind::ScrollUp);
        let here = turned && self.area.contains((event.column, event.row).into());
        if here {
            self.wheel(event.kind == MouseEventKind::ScrollDown);
        }
        here
    }
}
