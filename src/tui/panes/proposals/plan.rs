//! The plan that a method follows, with what became of its lines: done, refused, next. Nothing for methods without plans.

use crate::episode::AskKind;
use crate::method::following::{in_force, line_of};
use crate::tui::panes::draw::{Row, run};
use crate::tui::panes::words;
use crate::tui::theme::{Role, Theme};
use crate::tui::view::View;

/// Lines shown before the next one.
const BEFORE: usize = 2;
/// Lines shown in all.
const MOST: usize = 8;

/// The plan in force at the cursor, around its next line.
pub fn rows(view: &View, theme: &Theme, width: usize) -> Vec<Row> {
    let Some(session) = &view.session else { return Vec::new() };
    let follows = crate::method::named(&session.method).is_some_and(|m| m.planning().is_some());
    let path = session.path(session.cursor());
    let Some(plan) = in_force(&path).filter(|_| follows) else { return Vec::new() };
    let turn = view.turn();
    let of_plan = |ask: Option<u64>| {
        turn.and_then(|t| t.asks.iter().find(|a| Some(a.id) == ask)).is_some_and(|a| a.kind == AskKind::PLAN_LINE)
    };
    let next = turn.and_then(|t| t.proposals.iter().rev().find(|p| of_plan(p.ask))).and_then(line_of);
    let lines: Vec<&str> = plan.text.lines().collect();
    let made = path.iter().find(|n| n.id == plan.made_at).map_or(0, |n| n.depth);
    let done = plan.executed.len();
    let mut rows =
        vec![vec![run(Role::Title, format!("plan     made at step {made}, {} done", words::count(done, "line")))]];
    let at = next.or(plan.last).unwrap_or(1).saturating_sub(1);
    let first = at.saturating_sub(BEFORE).min(lines.len().saturating_sub(MOST));
    if first > 0 {
        rows.push(vec![run(Role::Dim, format!("  {} {} above", theme.glyphs.ellipsis, words::count(first, "line")))]);
    }
    for (i, line) in lines.iter().enumerate().skip(first).take(MOST) {
        let number = i + 1;
        let fate = plan.executed.iter().rev().find(|(done, _)| *done == number).map(|(_, accepted)| *accepted);
        let (glyph, role) = match fate {
            _ if next == Some(number) => (theme.glyphs.here, Role::Accent),
            Some(true) => (theme.glyphs.yes, Role::Good),
            Some(false) => (theme.glyphs.no, Role::Bad),
            None => (" ", Role::Dim),
        };
        let text = line.replace('\t', "    ");
        let text = crate::tui::sanitize::line(&text).into_owned();
        let text = crate::tui::sanitize::fit(&text, width.saturating_sub(4), theme.glyphs.ellipsis).into_owned();
        let strong = if next == Some(number) { Role::Accent } else { Role::Text };
        rows.push(vec![run(role, format!("  {glyph} ")), run(strong, text)]);
    }
    let below = lines.len().saturating_sub(first + MOST);
    if below > 0 {
        rows.push(vec![run(Role::Dim, format!("  {} {} below", theme.glyphs.ellipsis, words::count(below, "line")))]);
    }
    rows
}
