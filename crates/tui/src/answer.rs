//! The world's answer: a strip of three rows with the last action and what the world said to it, on every screen where no pane shows it whole.
//! Before the first action it is a row of what the world said first. Of a longer answer more is shown where rows are left over.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::panes::observations::USER;
use super::sanitize;
use super::theme::{Role, Theme};
use super::view::View;
use super::widgets::{words, wrap};
use stepwright_episode::{Node, Session};
use stepwright_text::Columns;
use stepwright_text::sgr;

/// Rows of the strip: the action, and two of the answer.
const ROWS: u16 = 3;
/// Columns from which on a row is enough for what the world said first.
const WIDE: u16 = 100;

/// Most rows of the strip.
const MOST: usize = 8;

/// Rows that the answer takes, none before there is one; and those with which nothing of it is cut, as far as that is worth it.
pub(crate) fn rows(view: &View, columns: u16) -> (u16, u16) {
    let Some(node) = view.session.as_ref().and_then(Session::current) else { return (0, 0) };
    let rows = match node.action {
        None if columns >= WIDE => 1,
        None => ROWS - 1,
        Some(_) => ROWS,
    };
    let said = rows_of(&node.outcome.observation, usize::from(columns.saturating_sub(1)), MOST, "").len();
    (rows, rows.max(said as u16 + u16::from(node.action.is_some())))
}

/// The answer in at most `rows` rows: its lines as they are where they fit, else run together, or of a picture as many as there is room
/// for; a sign where it is cut. Of a long answer no more is looked at than can be shown.
fn rows_of(said: &str, width: usize, rows: usize, ellipsis: &str) -> Vec<String> {
    let room = (rows + 1) * width;
    let mut lines: Vec<String> = Vec::new();
    let (mut taken, mut picture) = (0, false);
    for line in said.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if taken > room {
            break;
        }
        let line: String = line.chars().take(room).collect();
        // As in Observations, what has colours is a picture.
        picture |= line.contains('\x1b');
        let line = sanitize::line(&sgr::plain(&line)).into_owned();
        taken += line.width();
        lines.push(line);
    }
    if lines.len() <= rows && lines.iter().all(|line| line.width() <= width) {
        return lines;
    }
    let mut wrapped = match picture {
        true => lines.iter().map(|line| sanitize::fit(line, width, ellipsis).into_owned()).collect(),
        false => wrap::wrapped(&lines.join(" "), width),
    };
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
/// Longest observation, in bytes, that is a turn of a dialogue: pages and files are not searched for one.
const TURN: usize = 2_000;

/// What a user said last, where the answer to the last action holds no words of theirs.
fn of_user(session: &Session, node: &Node) -> Option<String> {
    let is_theirs = |line: &&str| line.starts_with(USER);
    let mut at = Some(node);
    for _ in 0..BACK {
        let here = at?;
        let said = Some(here.outcome.observation.as_str()).filter(|said| said.len() <= TURN);
        if let Some(line) = said.and_then(|said| said.lines().rfind(is_theirs)) {
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
    let action = node.action.as_ref().map(|action| format!("> {}", words::one_line(&action.text)));
    let refused = node.outcome.error.is_some();
    let role = match (refused, node.outcome.done.then(|| node.outcome.reached()).flatten()) {
        (true, _) | (_, Some(false)) => Role::Bad,
        (_, Some(true)) => Role::Good,
        _ => Role::Text,
    };
    let note = match (refused, node.outcome.done) {
        (_, true) => format!("  over: {}", sanitize::line(&words::ended(&node.outcome))),
        (true, false) => "  refused".to_owned(),
        (false, false) => String::new(),
    };
    let first = action.map(|action| {
        let action = sanitize::line(&action);
        let action = sanitize::fit(&action, width.saturating_sub(note.width()), ellipsis).into_owned();
        let action = Span::styled(format!(" {action}"), theme.style(Role::Accent));
        Line::from(vec![action, Span::styled(note, theme.style(role))])
    });
    let rows = usize::from(area.height) - usize::from(first.is_some()).min(usize::from(area.height));
    let mut said = rows_of(&node.outcome.observation, width, rows, ellipsis);
    if said.len() < rows
        && let Some(words) = view.session.as_ref().and_then(|session| of_user(session, node))
    {
        said.push(sanitize::fit(&words, width, ellipsis).into_owned());
    }
    let said = said.into_iter().map(|text| Line::styled(format!(" {text}"), theme.style(role)));
    for (y, line) in (area.y..area.bottom()).zip(first.into_iter().chain(said)) {
        frame.render_widget(line, Rect { y, height: 1, ..area });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_answer_is_cut_with_a_sign_and_costs_what_is_shown() {
        assert_eq!(rows_of("System: a\n\n User: b \n", 40, 2, "…"), ["System: a", "User: b"]);
        let long = "word ".repeat(1_000_000);
        let rows = rows_of(&long, 20, 2, "…");
        assert_eq!(rows.len(), 2);
        assert!(rows[1].ends_with('…') && rows.iter().all(|row| row.width() <= 20), "{rows:?}");
        assert!(rows_of("", 20, 2, "…").is_empty());
        let picture = "+---+\n|\x1b[43mR\x1b[0m| |\n+---+\n";
        assert_eq!(rows_of(picture, 20, 2, "…"), ["+---+", "|R| | …"]);
        assert_eq!(rows_of(picture, 20, 3, "…"), ["+---+", "|R| |", "+---+"]);
    }
}
