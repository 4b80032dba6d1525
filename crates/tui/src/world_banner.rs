//! Banner over the panes when the process of an external world has ended: what happened, its last words, what to press.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Clear;

use super::chrome;
use super::sanitize;
use super::theme::{Role, Theme};
use super::view::View;
use super::widgets::wrap;
use stepwright_protocol::ProcessStatus;

const LAST_WORDS: usize = 4;

/// Draws the banner at the lower end of an area. `hint` says which keys do what.
pub fn render(view: &View, theme: &Theme, hint: &str, area: Rect, frame: &mut Frame<'_>) {
    let Some(ProcessStatus::Dead { what, last_words }) = &view.world else { return };
    let width = usize::from(area.width.saturating_sub(4));
    if width < 10 || area.height < 4 {
        return;
    }
    let words: Vec<&String> = last_words.iter().filter(|l| !l.trim().is_empty()).collect();
    let shown = words.iter().skip(words.len().saturating_sub(LAST_WORDS));
    let mut lines: Vec<(Role, String)> = Vec::new();
    for text in wrap::wrapped(&format!("{} The world's process {what}.", theme.glyphs.no), width).into_iter().take(4) {
        lines.push((Role::Bad, text));
    }
    for word in shown {
        lines.push((Role::Dim, sanitize::fit(&sanitize::line(word), width, theme.glyphs.ellipsis).into_owned()));
    }
    lines.extend(wrap::wrapped(hint, width).into_iter().take(2).map(|text| (Role::Text, text)));
    let room = usize::from(area.height - 2);
    // What happened and what to press stay; the last words make room, the oldest first.
    while lines.len() > room {
        match lines.iter().position(|(role, _)| *role == Role::Dim) {
            Some(at) => lines.remove(at),
            None => break,
        };
    }
    lines.truncate(room);
    let height = u16::try_from(lines.len() + 2).unwrap_or(area.height).min(area.height);
    let outer = Rect { y: area.bottom() - height, height, ..area };
    frame.render_widget(Clear, outer);
    let title = Line::styled(" The world's process ended ", theme.style(Role::Bad));
    let block = chrome::frame_of(theme, true).title(title);
    let inner = block.inner(outer);
    frame.render_widget(block, outer);
    for (y, (role, text)) in (inner.y..inner.bottom()).zip(lines) {
        let rect = Rect { x: inner.x + 1, y, width: inner.width.saturating_sub(2), height: 1 };
        frame.render_widget(Line::styled(text, theme.style(role)), rect);
    }
}
