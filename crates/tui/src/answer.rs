//! The world's answer: a strip of three rows with the last action and what the world said to it, on every screen that does not show
//! Observations.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::panes::observations::USER;
use super::sanitize;
use super::theme::{Role, Theme};
use super::view::View;
use super::widgets::{words, wrap};
use stepwright_episode::{Node, Session};

/// Rows of the strip: the action, and two of the answer.
pub(crate) const ROWS: u16 = 3;

/// Whether there is an answer to show.
pub(crate) fn is_there(view: &View) -> bool {
    view.session.as_ref().is_some_and(|session| session.is_started())
}

/// The answer in at most `rows` rows: its lines as they are where they fit, else run together; a sign where it is cut.
fn rows_of(node: &Node, width: usize, rows: usize, ellipsis: &str) -> Vec<String> {
    let mut said = node.outcome.observation.trim().to_owned();
    if node.outcome.done {
        let how = words::ended(&node.outcome);
        said = format!("{said}\nThe episode is over: {how}.");
    }
    let clean: Vec<String> = said.lines().map(|line| sanitize::line(line.trim()).into_owned()).collect();
    let lines: Vec<&str> = clean.iter().map(String::as_str).filter(|line| !line.is_empty()).collect();
    if lines.len() <= rows && lines.iter().all(|line| line.width() <= width) {
        return lines.into_iter().map(str::to_owned).collect();
    }
    let mut wrapped = wrap::wrapped(&lines.join(" "), width);
    if wrapped.len() > rows {
        wrapped.truncate(rows);
        if let Some(last) = wrapped.last_mut() {
            *last = sanitize::fit(&format!("{last} {ellipsis}"), width, ellipsis).into_owned();
        }
    }
    wrapped
}

/// How far back what a user said last is looked for.
const BACK: usize = 40;

/// What a user said last, where the answer to the last action holds no words of theirs.
fn of_user(session: &Session, node: &Node) -> Option<String> {
    let is_theirs = |line: &&str| line.starts_with(USER);
    let mut at = Some(node);
    for _ in 0..BACK {
        let here = at?;
        if let Some(line) = here.outcome.observation.lines().rfind(is_theirs) {
            return Some(sanitize::line(line.trim()).into_owned()).filter(|_| here.id != node.id);
        }
        at = here.parent.and_then(|parent| session.node(parent));
    }
    None
}

/// Draws the strip.
pub(crate) fn render(view: &View, theme: &Theme, area: Rect, frame: &mut Frame<'_>) {
    let Some(node) = view.node().filter(|_| area.height > 0) else { return };
    let width = usize::from(area.width.saturating_sub(1));
    let ellipsis = theme.glyphs.ellipsis;
    let action = match &node.action {
        Some(action) => format!("> {}", words::one_line(&action.text)),
        None => "> begin".to_owned(),
    };
    let refused = node.outcome.error.is_some();
    let note = if refused { "  refused" } else { "" };
    let action = sanitize::line(&action);
    let action = sanitize::fit(&action, width.saturating_sub(note.len()), ellipsis).into_owned();
    let first = Line::from(vec![
        Span::styled(format!(" {action}"), theme.style(Role::Accent)),
        Span::styled(note, theme.style(Role::Bad)),
    ]);
    let role = match (refused, node.outcome.done.then(|| node.outcome.reached()).flatten()) {
        (true, _) | (_, Some(false)) => Role::Bad,
        (_, Some(true)) => Role::Good,
        _ => Role::Text,
    };
    let rows = usize::from(area.height.saturating_sub(1));
    let mut said = rows_of(node, width, rows, ellipsis);
    if said.len() < rows
        && let Some(words) = view.session.as_ref().and_then(|session| of_user(session, node))
    {
        said.push(sanitize::fit(&words, width, ellipsis).into_owned());
    }
    let said = said.into_iter().map(|text| Line::styled(format!(" {text}"), theme.style(role)));
    for (y, line) in (area.y..area.bottom()).zip(std::iter::once(first).chain(said)) {
        frame.render_widget(line, Rect { y, height: 1, ..area });
    }
}
