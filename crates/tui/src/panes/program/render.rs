//! Drawing the program: gutter, marks, colours, the line being edited and the results of the lines after it.

use ratatui::layout::Rect;

use super::editing::Editing;
use super::excerpt::ProgramExcerpt;
use super::rows::{self, Line};
use super::{ProgramPane, highlight};
use crate::pane::FEW;
use crate::theme::{Role, Theme};
use crate::view::View;
use crate::widgets::draw::{self, Painter, Row, Run, run, split_left, split_top};
use crate::widgets::words::Happened;
use crate::widgets::{words, wrap};
use stepwright_episode::{Node, NodeId, Session};
use stepwright_program::SyntaxFault;
use stepwright_protocol::LineStatus;
use stepwright_text::Columns;

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
        let spare = usize::from(area.height).saturating_sub(self.folded_len());
        let open = self.by_hand.unwrap_or(spare > usize::from(FEW));
        if open != self.unfolded {
            self.unfold(open);
        }
        let window = self.outline.list.window(self.lines.len(), usize::from(area.height));
        let area = painter.scrollbar(area, self.outline.list.top(), self.lines.len());
        self.outline.body = area;
        let digits = self.starts.last().copied().unwrap_or_default().to_string().len().max(2);
        let cursor_depth = session.current().map_or(0, |n| n.depth);
        // Calls between the edited line and the first row drawn; counted once, then carried along.
        let mut offset = self.editing.as_ref().and_then(|e| self.calls_after_edit(e, window.start, session));
        for (line, row) in window.enumerate() {
            let Some(what) = self.lines.get(row).copied() else { break };
            let node = what.node().and_then(|id| session.node(id));
            let later = node.is_some_and(|n| n.depth > cursor_depth);
            let action = rows::is_action(what, session);
            let edited = self.editing.as_ref().is_some_and(|e| action && what.node() == Some(e.node));
            let folded = self.folded(what, session);
            let mut checked = if edited {
                offset = Some(1);
                self.editing.as_ref().and_then(|e| e.own()).cloned()
            } else if let (Some(n), Line::Call(..)) = (offset, what) {
                offset = Some(n + 1);
                self.editing.as_ref().and_then(|e| e.after(n)).cloned()
            } else {
                None
            };
            if folded > 0 && offset.is_some() {
                let after = (0..folded).filter_map(|n| self.editing.as_ref()?.after(offset? + n));
                checked = after.chain(&checked).find(|status| **status != LineStatus::Ran).cloned().or(checked);
                offset = offset.map(|n| n + folded);
            }
            // What was done before the first action stands at the end of the opening, or at the fold that hides it.
            let of = match what {
                Line::Fold if !self.unfolded => session.node(0),
                Line::Opening(at) if at + 1 == self.opening.len() => session.node(0),
                _ => node.filter(|_| action),
            };
            let marked = of.map(|node| words::happened(session, node));
            let mut gutter = self.gutter(painter.theme, (row, digits), session, later, marked.as_ref());
            gutter.push(match &checked {
                Some(status) => line_mark(painter.theme, status),
                None if what == Line::Fold => fold_mark(painter.theme, self.unfolded),
                None if matches!(what, Line::Seen(_)) => fold_mark(painter.theme, folded == 0),
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
            let mut text = self.coloured(what, session, painter.theme);
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
            text.extend(
                marked.and_then(|marked| marked.in_words()).map(|words| run(Role::Accent, format!("  # {words}"))),
            );
            let seen =
                if action && folded > 0 { rows::seen(folded, painter.theme.glyphs.ellipsis) } else { String::new() };
            // What is said of folded lines stays in sight, whatever the action's length.
            let room = usize::from(body.width).saturating_sub(if seen.is_empty() { 0 } else { seen.width() + 2 });
            painter.row_from(Rect { width: room as u16, ..body }, line, &text, self.skip);
            if !seen.is_empty() {
                let end = draw::width(&text).saturating_sub(self.skip).min(room) as u16;
                let rest = Rect { x: body.x + end, width: body.width.saturating_sub(end), ..body };
                painter.row(rest, line, &[run(Role::Dim, format!("  {seen}"))]);
            }
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
        let calls = |line: &Line| usize::from(matches!(line, Line::Call(..))) + self.folded(*line, session);
        Some(1 + between.iter().map(calls).sum::<usize>() + self.folded(*self.lines.get(at)?, session))
    }

    /// How many lines are folded into a row.
    fn folded(&self, line: Line, session: &Session) -> usize {
        let folds =
            |id: &NodeId| (matches!(line, Line::Seen(_)) || rows::is_action(line, session)) && !self.open.contains(id);
        line.node().filter(folds).and_then(|id| session.node(id)).map_or(0, rows::foldable)
    }

    /// The line number of a row in the whole program: what is folded still counts.
    fn number(&self, line: Line, session: &Session) -> Option<usize> {
        let start = |id| self.starts.get(session.node(id)?.depth as usize);
        match line {
            Line::Fold | Line::Seen(_) => None,
            Line::Specification(i) => Some(i + 1),
            Line::Opening(i) => Some(self.specification.len() + i + 1),
            Line::Bare(id) => Some(start(id)? + 1),
            Line::Call(id, n) => {
                let node = session.node(id)?;
                Some(start(id)? + rows::count(node) - node.outcome.calls.len() + n + 1)
            }
        }
    }

    /// Where the session is, the line's number, and what a person did at its step.
    fn gutter(
        &self,
        theme: &Theme,
        (row, digits): (usize, usize),
        session: &Session,
        later: bool,
        did: Option<&Happened>,
    ) -> Row {
        let here = row == self.here;
        let number = self.lines.get(row).and_then(|line| self.number(*line, session));
        let number = number.map_or_else(|| " ".repeat(digits), |number| format!("{number:>digits$}"));
        let role = if here && !later { Role::Accent } else { Role::Dim };
        let did = did.map_or(" ", Happened::mark);
        vec![words::here(theme, here), run(role, number), run(Role::Accent, did)]
    }

    /// A line's runs, highlighted if that is ready; only what is asked for is ever highlighted.
    fn coloured(&mut self, line: Line, session: &Session, theme: &Theme) -> Row {
        match line {
            Line::Fold => self.fold_row(),
            Line::Seen(id) => {
                let lines = session.node(id).map_or(0, rows::foldable);
                let text = rows::seen(lines, theme.glyphs.ellipsis);
                vec![run(Role::Dim, format!("{}{text}", rows::margin(&self.opening)))]
            }
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

    fn fold_row(&self) -> Row {
        let count = words::count(self.before(), "line");
        vec![run(Role::Dim, format!("# {count}"))]
    }
}

fn fold_mark(theme: &Theme, open: bool) -> Run {
    run(Role::Dim, format!("{} ", if open { theme.glyphs.open } else { theme.glyphs.closed }))
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
    let (at, siblings) = session.siblings(node).filter(|(_, siblings)| siblings.len() > 1)?;
    Some(run(Role::Accent, format!("  {} branch {} of {}", theme.glyphs.branch, at + 1, siblings.len())))
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
