//! Plan that a method follows, with the status of its lines: done, refused, next. Empty for methods that follow none.

use crate::episode::Session;
use crate::method::{self, Fate, Section};
use crate::tui::panes::draw::{Row, run};
use crate::tui::panes::words;
use crate::tui::theme::{Role, Theme};
use crate::tui::view::View;

/// Lines shown before the next one.
const BEFORE: usize = 2;
/// Lines shown in all.
const MOST: usize = 8;

/// The method's sections at the cursor, each around its next line.
pub fn rows(view: &View, theme: &Theme, width: usize) -> Vec<Row> {
    let Some(session) = &view.session else { return Vec::new() };
    let sections = method::named(&session.method).map(|m| m.rows(session)).unwrap_or_default();
    sections.iter().flat_map(|section| of(section, session, theme, width)).collect()
}

fn of(section: &Section, session: &Session, theme: &Theme, width: usize) -> Vec<Row> {
    let (lines, title) = (&section.lines, &section.title);
    let made = session.node(section.made_at).map_or(0, |n| n.depth);
    let done = words::count(section.done, "line");
    let mut rows = vec![vec![run(Role::Title, format!("{title:<8} made at step {made}, {done} done"))]];
    let first = section.at.saturating_sub(BEFORE).min(lines.len().saturating_sub(MOST));
    if first > 0 {
        rows.push(vec![run(Role::Dim, format!("  {} {} above", theme.glyphs.ellipsis, words::count(first, "line")))]);
    }
    for line in lines.iter().skip(first).take(MOST) {
        let (glyph, role) = match line.mark {
            Fate::Next => (theme.glyphs.here, Role::Accent),
            Fate::Done => (theme.glyphs.yes, Role::Good),
            Fate::Refused => (theme.glyphs.no, Role::Bad),
            Fate::Corrected => (theme.glyphs.arrow, Role::Warn),
            Fate::Dropped => (theme.glyphs.dot, Role::Dim),
            Fate::Open => (" ", Role::Dim),
        };
        let text = line.text.replace('\t', "    ");
        let text = crate::tui::sanitize::line(&text).into_owned();
        let text = crate::tui::sanitize::fit(&text, width.saturating_sub(4), theme.glyphs.ellipsis).into_owned();
        let strong = if line.mark == Fate::Next { Role::Accent } else { Role::Text };
        rows.push(vec![run(role, format!("  {glyph} ")), run(strong, text)]);
    }
    let below = lines.len().saturating_sub(first + MOST);
    if below > 0 {
        rows.push(vec![run(Role::Dim, format!("  {} {} below", theme.glyphs.ellipsis, words::count(below, "line")))]);
    }
    rows
}
