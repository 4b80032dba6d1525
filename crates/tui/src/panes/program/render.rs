//! Drawing the program: gutter, marks, colours, the line being edited and the results of the lines after it.

use ratatui::layout::Rect;

use super::editing::Editing;
use super::excerpt::ProgramExcerpt;
use super::rows::{self, Line};
use super::{ProgramPane, highlight};
use crate::theme::{Role, Theme};
use crate::view::View;
use crate::widgets::draw::{Painter, Row, Run, run, split_left, split_top};
use crate::widgets::{words, wrap};
use stepwright_episode::{Node, Session};
use stepwright_program::SyntaxFault;
use stepwright_protocol::LineStatus;

/// Highlighted calls kept; beyond it the cache is emptied.
const KEPT: usize = 4_096;
const NOTE: u16 = 4;

impl ProgramPane {
    pub(super) fn draw_all(&mut self, view: &View, painter: &mut Painter<'_>, area: Rect) {
        let Some(session) = view.session.as_ref().filter(|s| s.is_started()) else {
            let text = if view.session.is_some() {
                "The world is being reset; the program begins with what it says."
            } else {
                words::NO_SESSION
            };
            painter.empty(area, text);
            return;
        };
        let mut area = self.outline.find.draw(painter, area);
        if let Some(editing) = &self.editing {
            let note = note(editing, painter.theme, usize::from(area.width));
            let height = (note.len() as u16).min(NOTE).min(area.height / 2);
            let (rest, bottom) = split_top(area, area.height - height);
            painter.rows(bottom, &note);
            area = rest;
        }
        if let Some(excerpt) =
            ProgramExcerpt::of(view, self.line().and_then(Line::node)).filter(|_| self.editing.is_none())
        {
            area = excerpt.draw(painter, area);
        }
        self.draw_lines(painter, area, session);
    }

    fn draw_lines(&mut self, painter: &mut Painter<'_>, area: Rect, session: &Session) {
        let window = self.outline.list.window(self.lines.len(), usize::from(area.height));
        let area = painter.scrollbar(area, self.outline.list.top(), self.lines.len());
        self.outline.body = area;
        let digits = self.number(self.lines.len().saturating_sub(1)).to_string().len().max(2);
        let cursor_depth = session.current().map_or(0, |n| n.depth);
        // Calls between the edited line and the first row drawn; counted once, then carried along.
        let mut offset = self.editing.as_ref().and_then(|e| self.calls_after_edit(e, window.start, session));
        for (line, row) in window.enumerate() {
            let Some(what) = self.lines.get(row).copied() else { break };
            let node = what.node().and_then(|id| session.node(id));
            let later = node.is_some_and(|n| n.depth > cursor_depth);
            let action = rows::is_action(what, session);
            let edited = self.editing.as_ref().is_some_and(|e| action && what.node() == Some(e.node));
            let checked = if edited {
                offset = Some(1);
                self.editing.as_ref().and_then(|e| e.own()).cloned()
            } else if let (Some(n), Line::Call(..)) = (offset, what) {
                offset = Some(n + 1);
                self.editing.as_ref().and_then(|e| e.after(n)).cloned()
            } else {
                None
            };
            let mut gutter = self.gutter(painter.theme, row, digits, later);
            gutter.push(match &checked {
                Some(status) => line_mark(painter.theme, status),
                None if what == Line::Fold => self.fold_mark(painter.theme),
                None => node
                    .filter(|_| action)
                    .map_or_else(|| run(Role::Text, "  "), |n| verdict(painter.theme, session, n)),
            });
            let (left, body) = gutter_split(area, &gutter);
            painter.row(left, line, &gutter);
            if edited {
                self.draw_editor(painter, body, line);
                continue;
            }
            let mut text = self.coloured(what, session);
            if later {
                text.iter_mut().for_each(|r| r.role = Role::Dim);
            }
            if let Some(LineStatus::Raised(why) | LineStatus::Unreadable(why)) = &checked {
                text.push(run(Role::Bad, format!("  # {why}")));
            }
            if action && let Some(node) = node {
                text.extend(branches(painter.theme, session, node));
                text.extend(node.turn.notes.first().map(|note| run(Role::Accent, format!("  # note: {note}"))));
            }
            painter.row_from(body, line, &text, self.skip);
            if row == self.outline.list.cursor() && self.editing.is_none() {
                painter.select(area, line);
            }
            painter.matches(body, line, self.outline.find.pattern());
        }
    }

    fn draw_editor(&mut self, painter: &mut Painter<'_>, body: Rect, line: usize) {
        let (_, below) = split_top(body, line as u16);
        let (row, _) = split_top(below, 1);
        let (_, field) = split_left(row, (rows::margin(&self.opening).len() as u16).saturating_sub(1));
        if let Some(editing) = &mut self.editing {
            editing.editor.draw(painter, field);
        }
    }

    /// How many calls are between the edited line and a row; `None` if the row is not after it.
    fn calls_after_edit(&self, editing: &Editing, row: usize, session: &Session) -> Option<usize> {
        let at = self.lines.iter().position(|l| l.node() == Some(editing.node) && rows::is_action(*l, session))?;
        let between = self.lines.get(at + 1..row)?;
        Some(1 + between.iter().filter(|l| matches!(l, Line::Call(..))).count())
    }

    /// The line number of a row in the whole program: a folded specification still counts.
    fn number(&self, row: usize) -> usize {
        match self.lines.get(row) {
            Some(Line::Fold) => 0,
            Some(Line::Specification(i)) => i + 1,
            _ => {
                let shown = if self.unfolded { self.specification.len() } else { 0 };
                row.saturating_sub(shown + 1) + self.specification.len() + 1
            }
        }
    }

    fn gutter(&self, theme: &Theme, row: usize, digits: usize, later: bool) -> Row {
        let here = row == self.here;
        let number = match self.lines.get(row) {
            Some(Line::Fold) => " ".repeat(digits),
            _ => format!("{:>digits$}", self.number(row)),
        };
        let role = if here && !later { Role::Accent } else { Role::Dim };
        vec![words::here(theme, here), run(role, number), run(Role::Text, " ")]
    }

    /// A line's runs, highlighted if that is ready; only what is asked for is ever highlighted.
    fn coloured(&mut self, line: Line, session: &Session) -> Row {
        match line {
            Line::Fold => self.fold_row(),
            Line::Specification(i) => self.coloured_specification(i),
            _ => {
                if let Some(row) = self.coloured.get(&line) {
                    return row.clone();
                }
                let text = rows::text(line, session, &self.specification, &self.opening).unwrap_or_default();
                // A call is a whole statement, so each is highlighted by itself.
                let Some(mut pass) = highlight::Lines::start() else { return rows::plain(&text) };
                let row = pass.next(&text);
                if self.coloured.len() >= KEPT {
                    self.coloured.clear();
                }
                self.coloured.insert(line, row.clone());
                row
            }
        }
    }

    fn coloured_specification(&mut self, at: usize) -> Row {
        if self.coloured_specification.len() <= at {
            let pass = self.specification_pass.take().or_else(highlight::Lines::start);
            let Some(mut pass) = pass else {
                return self.specification.get(at).map(|t| rows::plain(t)).unwrap_or_default();
            };
            for text in self.specification.iter().take(at + 1).skip(self.coloured_specification.len()) {
                let row = pass.next(text);
                self.coloured_specification.push(row);
            }
            self.specification_pass = Some(pass);
        }
        self.coloured_specification.get(at).cloned().unwrap_or_default()
    }

    fn fold_mark(&self, theme: &Theme) -> Run {
        let glyph = if self.unfolded { theme.glyphs.open } else { theme.glyphs.closed };
        run(Role::Dim, format!("{glyph} "))
    }

    fn fold_row(&self) -> Row {
        let count = words::count(self.specification.len(), "line");
        let state = if self.unfolded { "open" } else { "folded" };
        vec![run(Role::Dim, format!("# specification: {count}, {state}"))]
    }
}

fn gutter_split(area: Rect, gutter: &[Run]) -> (Rect, Rect) {
    let width = crate::widgets::draw::width(gutter) as u16;
    let width = width.min(area.width);
    (Rect { width, ..area }, Rect { x: area.x + width, width: area.width - width, ..area })
}

fn verdict(theme: &Theme, session: &Session, node: &Node) -> Run {
    let (glyph, role) = words::mark(&theme.glyphs, session.mark_at(node));
    run(role, format!("{glyph} "))
}

fn line_mark(theme: &Theme, status: &LineStatus) -> Run {
    match status {
        LineStatus::Ran => run(Role::Good, format!("{} ", theme.glyphs.yes)),
        LineStatus::Raised(_) | LineStatus::Unreadable(_) => run(Role::Bad, format!("{} ", theme.glyphs.no)),
        LineStatus::NotReached => run(Role::Dim, format!("{} ", theme.glyphs.dot)),
    }
}

fn branches(theme: &Theme, session: &Session, node: &Node) -> Option<Run> {
    let siblings = &session.node(node.parent?)?.children;
    if siblings.len() < 2 {
        return None;
    }
    let at = siblings.iter().position(|id| *id == node.id)? + 1;
    Some(run(Role::Accent, format!("  {} branch {at} of {}", theme.glyphs.branch, siblings.len())))
}

fn note(editing: &Editing, theme: &Theme, width: usize) -> Vec<Row> {
    let keys = "Enter takes it and replays the rest in a new branch; Esc leaves it as it was.";
    let fault = editing.fault.as_ref().map(SyntaxFault::in_words);
    let (role, text) = match (editing.is_fresh(), editing.first_error()) {
        // Said at once: nothing need be run.
        _ if fault.is_some() => (Role::Bad, format!("{} this line {}", theme.glyphs.no, fault.unwrap_or_default())),
        (false, None) if editing.own().is_none() => {
            (Role::Dim, "Type; the program is checked when you pause.".to_owned())
        }
        (false, _) => (Role::Dim, "checking…".to_owned()),
        (true, None) => (Role::Good, format!("{} every line from here on runs", theme.glyphs.yes)),
        (true, Some((0, why))) => (Role::Bad, format!("{} this line: {why}", theme.glyphs.no)),
        (true, Some((n, why))) => {
            (Role::Bad, format!("{} {} further on: {why}", theme.glyphs.no, words::count(n, "call")))
        }
    };
    let text = if theme.glyphs.ellipsis.is_ascii() { text.replace('…', "...") } else { text };
    let mut rows: Vec<Row> = wrap::wrapped(&text, width).iter().take(2).map(|l| vec![run(role, l)]).collect();
    rows.extend(words::labelled("", Role::Dim, keys, width));
    rows
}
