//! Screen of one pane on a test terminal.

#![allow(dead_code, reason = "each test target uses a part of it")]
#![allow(clippy::expect_used, reason = "a fixture that does not fit is a failing test")]

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use stepwright::tui::pane::{Pane, PaneId};
use stepwright::tui::panes;
use stepwright::tui::theme::{ASCII, Theme, UNICODE};
use stepwright::tui::view::View;

pub fn unicode() -> Theme {
    Theme::monochrome(UNICODE)
}

pub fn ascii() -> Theme {
    Theme::monochrome(ASCII)
}

pub fn pane(id: PaneId) -> Box<dyn Pane> {
    panes::all().into_iter().find(|p| p.id() == id).expect("every pane is there")
}

pub fn buffer(pane: &mut dyn Pane, view: &View, theme: &Theme, size: (u16, u16), focused: bool) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).expect("a test terminal");
    let area = Rect::new(0, 0, size.0, size.1);
    terminal.draw(|frame| pane.render(view, theme, area, frame, focused)).expect("drawing");
    terminal.backend().buffer().clone()
}

/// The text of a buffer, line by line, with emphasis marked: reversed by `«»`, crossed out by `[~ ~]`.
pub fn text(buffer: &Buffer) -> String {
    use ratatui::style::Modifier;
    let mut out = String::new();
    for y in 0..buffer.area.height {
        let mut line = String::new();
        let mut on = Modifier::empty();
        for x in 0..buffer.area.width {
            let Some(cell) = buffer.cell((x, y)) else { continue };
            let now = cell.modifier & (Modifier::REVERSED | Modifier::CROSSED_OUT);
            if now != on {
                line.push_str(ends(on, now));
                on = now;
            }
            line.push_str(cell.symbol());
        }
        line.push_str(ends(on, Modifier::empty()));
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

fn ends(from: ratatui::style::Modifier, to: ratatui::style::Modifier) -> &'static str {
    use ratatui::style::Modifier;
    let reversed = (from.contains(Modifier::REVERSED), to.contains(Modifier::REVERSED));
    let crossed = (from.contains(Modifier::CROSSED_OUT), to.contains(Modifier::CROSSED_OUT));
    match (reversed, crossed) {
        ((false, true), _) => "«",
        ((true, false), _) => "»",
        (_, (false, true)) => "[~",
        (_, (true, false)) => "~]",
        _ => "",
    }
}

/// A fresh pane after taking in the view, as text, with its title and actions.
pub fn shot(id: PaneId, view: &View, size: (u16, u16)) -> String {
    let mut pane = pane(id);
    let _ = pane.update(view);
    shown(pane.as_mut(), view, &unicode(), size, true)
}

/// A pane as text, with its title and the first of its actions.
pub fn shown(pane: &mut dyn Pane, view: &View, theme: &Theme, size: (u16, u16), focused: bool) -> String {
    let body = text(&buffer(pane, view, theme, size, focused));
    let actions: Vec<&str> = pane.actions(view).into_iter().map(|(_, word)| word).take(6).collect();
    format!("== {} ==\n{body}== {}\n", pane.title(view), actions.join(" | "))
}
