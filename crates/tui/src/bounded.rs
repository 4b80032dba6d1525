//! The terminal's size within reason: what a terminal claims (65535 by 65535) is memory for every cell.

use ratatui::backend::{Backend, ClearType, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};

/// The most columns and rows that are drawn; the rest of a larger terminal stays blank.
const MOST: Size = Size { width: 1000, height: 400 };

/// A backend that says no larger size than [`MOST`], and is its inner one for all else.
pub(crate) struct Bounded<B>(pub(crate) B);

impl<B: Backend> Backend for Bounded<B> {
    type Error = B::Error;

    fn size(&self) -> Result<Size, B::Error> {
        let Size { width, height } = self.0.size()?;
        Ok(Size { width: width.min(MOST.width), height: height.min(MOST.height) })
    }

    fn draw<'a, I: Iterator<Item = (u16, u16, &'a Cell)>>(&mut self, content: I) -> Result<(), B::Error> {
        self.0.draw(content)
    }

    fn hide_cursor(&mut self) -> Result<(), B::Error> {
        self.0.hide_cursor()
    }

    fn show_cursor(&mut self) -> Result<(), B::Error> {
        self.0.show_cursor()
    }

    fn get_cursor_position(&mut self) -> Result<Position, B::Error> {
        self.0.get_cursor_position()
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> Result<(), B::Error> {
        self.0.set_cursor_position(position)
    }

    fn clear(&mut self) -> Result<(), B::Error> {
        self.0.clear()
    }

    fn clear_region(&mut self, region: ClearType) -> Result<(), B::Error> {
        self.0.clear_region(region)
    }

    fn window_size(&mut self) -> Result<WindowSize, B::Error> {
        self.0.window_size()
    }

    fn flush(&mut self) -> Result<(), B::Error> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::*;

    #[test]
    fn a_terminal_that_claims_a_huge_size_is_drawn_within_bounds() {
        let mut terminal = Terminal::new(Bounded(TestBackend::new(3000, 500))).unwrap();
        let frame = terminal.draw(|frame| assert_eq!(frame.area().as_size(), MOST)).unwrap();
        let cells = frame.buffer.content.len() * std::mem::size_of::<Cell>();
        // Two buffers are kept.
        assert!(2 * cells < 64 << 20, "{cells}");
        let mut terminal = Terminal::new(Bounded(TestBackend::new(80, 24))).unwrap();
        terminal.draw(|frame| assert_eq!((frame.area().width, frame.area().height), (80, 24))).unwrap();
    }
}
