//! Drawing the preconditions: tabs, a line of counts, the rows, and the fate of the row under the cursor or of what is typed.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use super::rows::{self, Item};
use super::{PreconditionsPane, Typing};
use crate::precondition::{Candidate, Fate, Pool};
use crate::tui::panes::draw::{Painter, Row, run, split_bottom, split_left, split_top};
use crate::tui::panes::words;
use crate::tui::theme::{Glyphs, Role, Theme};
use crate::tui::view::View;

/// Lines of the detail at most.
const DETAIL: u16 = 8;
/// Columns before a row's expression: box, mark, standing.
const LEAD: u16 = 17;

impl PreconditionsPane {
    pub(super) fn draw(&mut self, view: &View, theme: &Theme, area: Rect, buf: &mut Buffer, focused: bool) {
        let mut painter = Painter { buf, theme, focused };
        self.tabs.clear();
        if self.actions.is_empty() {
            let text = if view.session.is_none() {
                "No session. Begin an episode or open a session on the start screen."
            } else {
                "No preconditions yet. `infer all` finds candidates from the demonstrations and checks each by execution."
            };
            painter.empty(area, text);
            return;
        }
        let (tabs, area) = split_top(area, 1);
        self.draw_tabs(&mut painter, tabs);
        let (counts, area) = split_top(area, 1);
        painter.row(counts, 0, &self.counts(view));
        let area = self.browser.find.draw(&mut painter, area);
        let detail = self.detail(view, theme, usize::from(area.width));
        let most = if self.typing.is_some() { area.height } else { area.height * 2 / 5 };
        let height = (detail.len() as u16 + 1).min(DETAIL).min(most);
        let (list, below) = split_bottom(area, height);
        self.draw_items(&mut painter, list, view);
        if below.height > 1 {
            let label = if self.typing.is_some() { "as you type" } else { "why" };
            painter.rule(below, 0, label);
            painter.rows(split_top(below, 1).1, &detail);
        }
    }

    fn draw_tabs(&mut self, painter: &mut Painter<'_>, area: Rect) {
        // The shown tab is kept in sight: tabs before it give way.
        let widths: Vec<usize> = self.actions.iter().map(|a| a.width() + 3).collect();
        let mut first = 0;
        while first < self.action
            && widths.get(first..=self.action).is_some_and(|w| w.iter().sum::<usize>() > usize::from(area.width))
        {
            first += 1;
        }
        let mut x = area.x;
        for (i, name) in self.actions.iter().enumerate().skip(first) {
            if x >= area.right() {
                break;
            }
            let here = i == self.action;
            let text = if here { format!("[{name}]") } else { format!(" {name} ") };
            let width = (text.width() as u16).min(area.right() - x);
            let rect = Rect { x, width, ..area };
            painter.row(rect, 0, &[run(if here { Role::Title } else { Role::Dim }, text)]);
            self.tabs.push((rect, i));
            x = x.saturating_add(width + 1);
        }
    }

    fn counts(&self, view: &View) -> Row {
        let (in_force, origin) = self.in_force(view);
        let force = if in_force.is_empty() {
            "nothing in force".to_owned()
        } else {
            format!("{} in force ({origin})", in_force.len())
        };
        let by = if self.by_model { "inference by the model" } else { "inference by the enumerator" };
        let Some(pool) = self.pool(view) else {
            return vec![run(Role::Dim, format!("{force}; no candidates yet; {by}"))];
        };
        let valid = pool.candidates.iter().filter(|c| c.fate == Fate::Valid).count();
        let optimal = pool.candidates.iter().filter(|c| c.optimal && c.representative).count();
        let counts = words::count(pool.candidates.len(), "candidate");
        let text = format!("{counts}, {valid} valid, {optimal} optimal; {force}; {by}");
        let running = if pool.running { "working: " } else { "" };
        vec![run(Role::Warn, running), run(Role::Dim, text)]
    }

    fn draw_items(&mut self, painter: &mut Painter<'_>, area: Rect, view: &View) {
        let mut area = area;
        if let Some(typing) = self.typing.as_mut().filter(|t| t.row.is_none()) {
            let (line, rest) = split_top(area, 1);
            draw_typing(painter, line, typing);
            area = rest;
        }
        if self.items.is_empty() {
            painter.empty(area, "No candidates for this action. `infer this action` finds some; `add` takes your own.");
            return;
        }
        let window = self.browser.list.window(self.items.len(), usize::from(area.height));
        let area = painter.scrollbar(area, window.start, self.items.len());
        self.browser.body = area;
        let marked = self.marked(view);
        let width = usize::from(area.width);
        for (line, row) in window.enumerate() {
            if let Some(typing) = self.typing.as_mut().filter(|t| t.row == Some(row)) {
                let (rect, _) = split_top(split_top(area, line as u16).1, 1);
                draw_typing(painter, rect, typing);
                continue;
            }
            let runs = self.item_row(row, view, &marked, painter.theme, width);
            painter.row(area, line, &runs);
            if row == self.browser.list.cursor() && self.typing.is_none() {
                painter.select(area, line);
            }
            painter.matches(area, line, self.browser.find.pattern());
        }
    }

    fn item_row(
        &self,
        row: usize,
        view: &View,
        marked: &std::collections::BTreeSet<String>,
        theme: &Theme,
        width: usize,
    ) -> Row {
        let Some(text) = self.text(row, view) else { return Row::new() };
        let tick = if marked.contains(&text) { "[x] " } else { "[ ] " };
        let in_force = self.in_force(view).0;
        let Some(candidate) = self.candidate(row, view) else {
            let lead = format!("{} {:<11}", theme.glyphs.yes, "in force");
            return vec![run(Role::Text, tick), run(Role::Good, lead), run(Role::Text, text)];
        };
        let adopted = in_force.contains(&candidate.text);
        let (glyph, word, role) = rows::standing(candidate, adopted, &theme.glyphs);
        let facts = if width >= 64 { facts(candidate, self.pool(view)) } else { String::new() };
        let room = width.saturating_sub(usize::from(LEAD) + facts.width());
        let shown = crate::tui::sanitize::line(&text).into_owned();
        let shown = crate::tui::sanitize::fit(&shown, room, theme.glyphs.ellipsis).into_owned();
        let pad = room.saturating_sub(shown.width());
        let body = if candidate.rejected { Role::Removed } else { Role::Text };
        vec![
            run(Role::Text, tick),
            run(role, format!("{glyph} {word:<11}")),
            run(body, shown),
            run(Role::Dim, " ".repeat(pad)),
            run(Role::Dim, facts),
        ]
    }

    /// The rows below the list.
    fn detail(&self, view: &View, theme: &Theme, width: usize) -> Vec<Row> {
        if let Some(typing) = &self.typing {
            return typing_detail(typing, self.pool(view), theme, width);
        }
        match self.items.get(self.browser.list.cursor()) {
            None => Vec::new(),
            Some(Item::InForce(text)) => {
                let origin = self.in_force(view).1;
                let mut rows = words::labelled("", Role::Text, text, width);
                let words = format!("in force, from: {origin}; it is no candidate of this pool");
                rows.extend(words::labelled("", Role::Dim, &words, width));
                rows
            }
            Some(Item::Candidate(_)) => {
                let candidate = self.candidate(self.browser.list.cursor(), view);
                candidate.map(|c| fate_rows(c, self.pool(view), &theme.glyphs, width)).unwrap_or_default()
            }
        }
    }
}

/// |C|, cluster and origin of a candidate.
fn facts(candidate: &Candidate, pool: Option<&Pool>) -> String {
    let mut facts = String::new();
    if let Some(coverage) = candidate.coverage {
        facts.push_str(&format!("  |C| {coverage}/{}", pool.map_or(0, |p| p.instances)));
    }
    if let Some(cluster) = candidate.cluster {
        facts.push_str(&format!("  cluster {cluster}"));
    }
    facts.push_str(&format!("  {}", rows::origin(candidate.origin)));
    facts
}

fn fate_rows(candidate: &Candidate, pool: Option<&Pool>, glyphs: &Glyphs, width: usize) -> Vec<Row> {
    let (glyph, word, role) = rows::standing(candidate, false, glyphs);
    let mut rows = words::labelled(&format!("{glyph} {word} "), role, &candidate.text, width);
    if let Fate::Fails { demonstration, call, at, exception, message, failing } = &candidate.fate {
        let place = format!("demonstration {}, call {}", demonstration + 1, call + 1);
        rows.extend(words::labelled("where   ", Role::Text, &format!("{place}: {at}"), width));
        rows.extend(words::labelled("what    ", Role::Bad, &format!("{exception}: {message}"), width));
        let all = format!("{} failing", words::count(*failing, "demonstration"));
        rows.extend(words::labelled("in all  ", Role::Dim, &all, width));
    } else {
        rows.extend(words::labelled("why     ", Role::Text, &rows::reason(candidate, pool), width));
    }
    let facts = facts(candidate, pool);
    rows.push(vec![run(Role::Dim, facts.trim_start())]);
    rows
}

fn draw_typing(painter: &mut Painter<'_>, line: Rect, typing: &mut Typing) {
    let label = if typing.id.is_some() { "edit" } else { "new" };
    painter.row(line, 0, &[run(Role::Key, format!("{label:<4} assert "))]);
    let (_, field) = split_left(line, 11);
    typing.editor.draw(painter, field);
}

fn typing_detail(typing: &Typing, pool: Option<&Pool>, theme: &Theme, width: usize) -> Vec<Row> {
    let mut rows = match &typing.fate {
        Some(candidate) => fate_rows(candidate, pool, &theme.glyphs, width),
        None if typing.asked => vec![vec![run(Role::Dim, "checking against the demonstrations")]],
        None => vec![vec![run(Role::Dim, "Type an expression; it is checked when you pause.")]],
    };
    rows.truncate(usize::from(DETAIL) - 2);
    rows.push(vec![run(Role::Dim, "Enter keeps it in the pool; Esc leaves everything as it was.")]);
    rows
}
