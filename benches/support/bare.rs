//! Baseline: the least a ratatui program does. Three bordered lists over 100,000 lines, drawn only after events.

use std::io::{BufWriter, stdout};

use crossterm::event::{Event, KeyCode, KeyEventKind};
use crossterm::execute;
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::{Constraint, Layout};
use ratatui::text::Line;
use ratatui::widgets::Block;

/// Runs until `q`.
pub fn run() -> std::io::Result<()> {
    enable_raw_mode()?;
    execute!(stdout(), EnterAlternateScreen)?;
    let lines: Vec<String> = (0..100_000).map(|i| format!("line {i} of the log, as long as such lines are")).collect();
    let mut terminal = Terminal::new(CrosstermBackend::new(BufWriter::new(stdout())))?;
    let mut top = 0;
    loop {
        terminal.draw(|frame| {
            let areas: [_; 3] = Layout::horizontal([Constraint::Fill(1); 3]).areas(frame.area());
            for area in areas {
                let block = Block::bordered().title("pane");
                let inner = block.inner(area);
                frame.render_widget(block, area);
                for (row, line) in inner.rows().zip(lines.iter().skip(top)) {
                    frame.render_widget(Line::raw(line.as_str()), row);
                }
            }
        })?;
        match crossterm::event::read()? {
            Event::Key(key) if key.kind == KeyEventKind::Release => {}
            Event::Key(key) if key.code == KeyCode::Char('q') => break,
            Event::Key(key) if key.code == KeyCode::Char('k') => top = top.saturating_sub(1),
            _ => top += 1,
        }
    }
    execute!(stdout(), LeaveAlternateScreen)?;
    disable_raw_mode()
}
