//! Drawing the preconditions: tabs, a line of counts, the rows, and the words on the row under the cursor or on what is
//! typed.

use std::collections::BTreeSet;

use ratatui::layout::Rect;

use super::detail::{self, CandidateDetail};
use super::rows::{self, Item};
use super::{ADDED, PreconditionsPane, Typing};
use crate::pane::{FEW, PaneAction};
use crate::theme::{Role, Theme};
use crate::view::View;
use crate::widgets::draw::{self, Painter, Row, run, split_bottom, split_left, split_top};
use crate::widgets::words;
use stepwright_episode::{action_of_effects, effects_of};
use stepwright_precondition::{Candidate, CandidateAsks, Pool, Ranking, Validity};
use stepwright_text::Columns;

const DETAIL: u16 = 10;
/// Columns before a row's expression: box, mark, status.
const LEAD: usize = 17;
/// Columns of a picked row's number.
const PICK: usize = 2;
/// Rows of candidates that stay in sight whatever is said below them, where the pane has room for both.
const LISTED: u16 = 8;
/// The least height of the words below the list, with their rule.
const LEAST: u16 = 3;

impl PreconditionsPane {
    pub(super) fn draw_all(&mut self, view: &View, painter: &mut Painter<'_>, area: Rect) {
        self.tabs.drawn.clear();
        if self.tabs.actions.is_empty() {
            let text = if view.session.is_none() {
                words::NO_SESSION.to_owned()
            } else {
                let all = view.key(PaneAction::RunAll);
                format!(
                    "No preconditions yet. {all} infers candidates from the demonstrations and checks each by execution."
                )
            };
            painter.empty(area, &text);
            return;
        }
        if let Some(over) = self.over.last_mut() {
            return over.draw(painter, area, view);
        }
        // Until somebody works here, the room is the candidates' and a list of all actions, which stands for the tabs.
        let looked = painter.focused || self.weighed.wanted || self.typing.is_some();
        let listed = self.tabs.actions.len() as u16 + 1;
        let telling = self.telling as u16;
        let rests = !looked && listed > 2 && area.height > listed + FEW.min(telling + 2);
        let (area, list) = split_bottom(area, if rests { listed } else { 0 });
        self.draw_actions(painter, list, view, true);
        let (tabs, area) = split_top(area, u16::from(!rests));
        self.draw_tabs(painter, tabs);
        let (counts, area) = split_top(area, 1);
        painter.row(counts, 0, &fitting(self.counts(view, looked), usize::from(counts.width)));
        let area = self.outline.find.draw(painter, area);
        let theme = painter.theme;
        let detail = if looked { self.detail(view, theme, usize::from(area.width)) } else { Vec::new() };
        let most = if self.typing.is_some() {
            area.height
        } else {
            let wanted = LISTED.min(self.items.len() as u16);
            (area.height / 2).min(area.height.saturating_sub(wanted).max(LEAST))
        };
        // What Enter and Esc do stays in sight while the words above it are scrolled.
        let keys = u16::from(self.typing.is_some());
        let height = if detail.is_empty() { 0 } else { (detail.len() as u16 + 1 + keys).min(DETAIL).min(most) };
        let (list, below) = split_bottom(area, height);
        let folds = !looked && self.outline.list.cursor() < self.telling && self.telling + 1 < self.items.len();
        // They are shown rather than leave many rows blank, or any where nothing is in force: then they are what one looks for.
        let few = if rests && !self.in_force(view).0.is_empty() { FEW } else { 0 };
        let blank = list.height.saturating_sub(telling + 1 + few);
        let shown = if folds { self.telling + usize::from(blank) } else { self.items.len() };
        let folds = folds && shown + 1 < self.items.len();
        let shown = if folds { shown } else { self.items.len() };
        let spare = list.height.saturating_sub(shown.max(2) as u16 + ADDED);
        let others = if spare > FEW && listed > 2 && !rests { spare } else { 0 };
        let (list, others) = split_bottom(list, others);
        self.draw_actions(painter, others, view, false);
        let (list, folded) = if folds {
            split_top(list, list.height.saturating_sub(1).min(shown as u16))
        } else {
            (list, Rect::default())
        };
        self.draw_items(painter, list, view, shown);
        let more = format!("{} {} more", theme.glyphs.closed, self.items.len() - shown);
        painter.row(folded, 0, &[run(Role::Dim, more)]);
        let mut why = std::mem::take(&mut self.outline.words);
        why.typing = self.typing.is_some();
        if below.height > 1 {
            let (words, keys) = split_bottom(below, keys.min(below.height - 2));
            let on = match &self.typing {
                Some(typing) => typing.editor.text(),
                None => self.text(self.outline.list.cursor(), view).unwrap_or_default(),
            };
            let label = if self.typing.is_some() { "as you type" } else { "why" };
            why.draw(painter, words, (label, &on), view, |width| self.detail(view, theme, width));
            let enter = match self.typing.as_ref().is_some_and(|typing| typing.fault.is_some()) {
                true => "Enter waits until it parses",
                false => "Enter makes it a candidate",
            };
            painter.row(keys, 0, &[run(Role::Dim, format!("{enter}; Esc leaves all as it was."))]);
        } else {
            why.hide();
        }
        self.outline.words = why;
    }

    /// The tabs that fit around the shown one; marks at the edges show that there are more.
    fn draw_tabs(&mut self, painter: &mut Painter<'_>, area: Rect) {
        let widths: Vec<usize> = self.tabs.actions.iter().map(|a| a.width() + 3).collect();
        // The last tab needs no gap behind it.
        let all = widths.iter().sum::<usize>().saturating_sub(1) <= usize::from(area.width);
        let count = format!(" {}/{}", self.tabs.at + 1, self.tabs.actions.len());
        let edges = if all { 0 } else { 4 + count.width() };
        let room = usize::from(area.width).saturating_sub(edges);
        let mut first = 0;
        let wide = |from: usize| widths.get(from..=self.tabs.at).map_or(0, |w| w.iter().sum::<usize>());
        while first < self.tabs.at && wide(first) > room {
            first += 1;
        }
        let mut x = area.x;
        if !all {
            let more = if first > 0 { "< " } else { "  " };
            painter.row(area, 0, &[run(Role::Key, more)]);
            x = x.saturating_add(2);
        }
        let end = x.saturating_add(room as u16).min(area.right());
        let mut last = first;
        for (i, name) in self.tabs.actions.iter().enumerate().skip(first) {
            let here = i == self.tabs.at;
            let text = if here { format!("[{name}]") } else { format!(" {name} ") };
            // Whole names only, but for the shown one.
            if x >= end || (!here && x.saturating_add(text.width() as u16) > end) {
                break;
            }
            let width = (text.width() as u16).min(end - x);
            let rect = Rect { x, width, ..area };
            painter.row(rect, 0, &[run(if here { Role::Title } else { Role::Dim }, text)]);
            self.tabs.drawn.push((rect, i));
            x = x.saturating_add(width + 1);
            last = i + 1;
        }
        if !all {
            let more = if last < self.tabs.actions.len() { " >" } else { "  " };
            let width = (edges as u16 - 2).min(area.width);
            let rect = Rect { x: area.right() - width, width, ..area };
            painter.row(rect, 0, &[run(Role::Key, more), run(Role::Dim, count)]);
        }
    }

    /// How many of the candidates are valid, and how many there are: those that the ranking in use holds back are counted apart, whether
    /// they have a row or not.
    fn listed(&self, pool: &Pool) -> (usize, usize) {
        let held = pool.held_back.iter().filter(|_| self.ranking() == Ranking::EquationOne);
        let valid =
            |(valid, all): (usize, usize), c: &Candidate| (valid + usize::from(c.fate == Validity::Valid), all + 1);
        pool.candidates.iter().chain(held).fold((0, 0), valid)
    }

    /// By what candidates are inferred, and by which key.
    pub(super) fn infers_by(&self, view: &View) -> String {
        let key = view.key(PaneAction::Run);
        match self.by_model {
            true => {
                let asks = view.candidate_asks;
                // No more demonstrations call an action than there are calls of it.
                let calls = self.pool(view).map_or(usize::MAX, |pool| pool.calls.max(1));
                let asks = CandidateAsks { demonstrations: asks.demonstrations.min(calls), ..asks };
                format!("{key} infers by the model: {}", asks.in_words())
            }
            false => format!("{key} infers by enumeration"),
        }
    }

    /// The counts, and the `keys` that are of use, in parts of which the last are left out where there is no room.
    fn counts(&self, view: &View, keys: bool) -> Vec<Row> {
        let dim = |text: String| vec![run(Role::Dim, text)];
        let force = match self.in_force(view).0.len() {
            0 => "nothing in force".to_owned(),
            n => format!("{n} in force"),
        };
        let by = format!("; {}", self.infers_by(view));
        if self.is_never_called(view) {
            return vec![dim(format!("{force}; no demonstration calls it"))];
        }
        let Some(pool) = self.pool(view) else {
            return vec![dim(format!("{force}; no candidates yet")), dim(by)];
        };
        let (valid, all) = self.listed(pool);
        let suggested = rows::suggested(pool, self.ranking()).count();
        let counts = words::count(all, "candidate");
        let running = if pool.running { "more are coming: " } else { "" };
        let mut parts = vec![vec![run(Role::Warn, running), run(Role::Dim, format!("{counts}, {valid} valid"))]];
        // Before what is less urgent: valid candidates out of sight are not to be missed.
        let held = pool.held_back.len();
        if held > 0 && self.ranking() == Ranking::EquationOne {
            parts.push(dim(format!(", {held} lacking evidence")));
        } else if held > 0 {
            let key = view.key(PaneAction::HeldBack);
            let held = format!("{held} {}", rows::held_word(self.effects));
            let key = if keys { format!("{key} ") } else { String::new() };
            parts.push(vec![run(Role::Dim, ", "), run(Role::Key, key), run(Role::Text, held)]);
        }
        let rule = if self.effects { String::new() } else { format!(" ({})", self.ranking.name()) };
        let rest = [format!(", {suggested} suggested"), rule, format!(", {force}"), by];
        parts.extend(rest.map(dim).into_iter().filter(|_| keys));
        parts
    }

    /// A row for each action, or for each but the shown one, as far as there is room: how much is in force, and how many candidates the
    /// demonstrations leave.
    fn draw_actions(&mut self, painter: &mut Painter<'_>, area: Rect, view: &View, all: bool) {
        if area.height < 2 {
            return;
        }
        let here = self.tabs.at;
        let own = |name: &String| if self.effects { effects_of(name) } else { name.clone() };
        let known = |name: &String| view.pools.get(&own(name)).is_some_and(|pool| pool.calls > 0);
        let named = self.tabs.actions.iter().enumerate().filter(|(at, _)| all || *at != here);
        let (with, without): (Vec<_>, Vec<_>) = named.partition(|(_, name)| known(name));
        // In their order where all of them fit.
        let mut rows: Vec<(usize, &String)> =
            with.into_iter().chain(without).take(usize::from(area.height) - 1).collect();
        rows.sort_unstable();
        let widest = rows.iter().map(|(_, name)| crate::sanitize::line(name).width()).max().unwrap_or(0);
        painter.rule(area, 0, "in force, valid/all");
        let (_, body) = split_top(area, 1);
        for (row, (at, name)) in rows.into_iter().enumerate() {
            let force = view.session.as_ref().and_then(|session| session.assertions().get(&own(name)));
            let force = force.map_or(0, |(texts, _)| texts.len());
            let said = match view.pools.get(&own(name)) {
                Some(pool) if pool.calls > 0 => {
                    let (valid, all) = self.listed(pool);
                    format!("{valid:>5}/{all}")
                }
                _ => String::new(),
            };
            let shown = words::here(painter.theme, at == here);
            let counts = run(Role::Dim, format!("  {force:>2}{said}"));
            painter.row(
                body,
                row,
                &[shown, run(Role::Text, crate::sanitize::pad(&crate::sanitize::line(name), widest)), counts],
            );
            self.tabs.drawn.push((Rect { y: body.y + row as u16, height: 1, ..body }, at));
        }
    }

    /// What is said where there is no row: what would make one.
    fn nothing(&self, view: &View) -> String {
        let keys = [PaneAction::Run, PaneAction::Add, PaneAction::HeldBack, PaneAction::Load].map(|a| view.key(a));
        let [infer, add, held, load] = keys;
        match self.pool(view).map_or(0, |pool| pool.held_back.len()) {
            _ if self.is_never_called(view) => {
                format!(
                    "No demonstration calls this action, so nothing is inferred of it; {add} takes your own, {load} reads a file."
                )
            }
            0 => format!("No candidates for this action. {infer} infers some; {add} takes your own."),
            left => {
                let word = rows::held_word(self.effects);
                format!("No candidates for this action but {left} {word}: {held} shows them; {add} takes your own.")
            }
        }
    }

    /// The first rows, so many of them.
    fn draw_items(&mut self, painter: &mut Painter<'_>, area: Rect, view: &View, shown: usize) {
        let mut area = area;
        if let Some(typing) = self.typing.as_mut().filter(|t| t.row.is_none()) {
            let (line, rest) = split_top(area, 1);
            painter.row(line, 0, &label(typing));
            typing.editor.draw(painter, split_left(line, 11).1);
            area = rest;
        }
        if self.items.is_empty() {
            painter.empty(area, &self.nothing(view));
            return;
        }
        let marked = self.marked(view);
        let (mut outline, mut typing) = (std::mem::take(&mut self.outline), self.typing.take());
        let active = typing.is_none();
        let edited = typing.as_mut().and_then(|t| Some((t.row?, label(t), &mut t.editor)));
        let theme = painter.theme;
        outline.draw_edited(painter, area, shown, active, edited, |row, width| {
            self.item_row(row, view, &marked, theme, width)
        });
        (self.outline, self.typing) = (outline, typing);
    }

    fn item_row(&self, row: usize, view: &View, marked: &BTreeSet<String>, theme: &Theme, width: usize) -> Row {
        let Some(text) = self.text(row, view) else { return Row::new() };
        let deleted = self.candidate(row, view).is_some_and(|candidate| candidate.rejected);
        let tick = if marked.contains(&text) && !deleted { "[x] " } else { "[ ] " };
        let picked = self.picked_here();
        let pick = match picked.iter().position(|own| *own == text) {
            _ if picked.is_empty() => String::new(),
            Some(at) => format!("{:<w$}", at + 1, w = PICK),
            None => " ".repeat(PICK),
        };
        let in_force = self.in_force(view).0;
        if matches!(self.items.get(row), Some(Item::Coming(_))) {
            let status = run(Role::Dim, format!("{} {:<11}", theme.glyphs.unchecked, "checking"));
            return vec![run(Role::Text, tick), run(Role::Accent, pick), status, run(Role::Text, text)];
        }
        let Some(candidate) = self.candidate(row, view) else {
            let known = self.known(&text, view).map(|c| rows::status(c, true, (None, self.ranking()), &theme.glyphs));
            let (glyph, word, role) = known.unwrap_or((theme.glyphs.unchecked, "in force", Role::Dim));
            let status = run(role, format!("{glyph} {word:<11}"));
            return vec![run(Role::Text, tick), run(Role::Accent, pick), status, run(Role::Text, text)];
        };
        let instances = self.pool(view).map_or((0, false), |p| (p.instances, p.is_of_effects()));
        let forced = in_force.contains(&candidate.text);
        let (glyph, word, role) = rows::status(candidate, forced, (self.pool(view), self.ranking()), &theme.glyphs);
        let facts = if width >= 64 { detail::facts(candidate, instances, width < 96) } else { String::new() };
        let room = width.saturating_sub(LEAD + pick.width() + facts.width());
        let shown = crate::sanitize::line(&text).into_owned();
        let shown = crate::sanitize::fit(&shown, room, theme.glyphs.ellipsis).into_owned();
        let pad = room.saturating_sub(shown.width());
        let body = if deleted { Role::Removed } else { Role::Text };
        vec![
            run(Role::Text, tick),
            run(Role::Accent, pick),
            run(role, format!("{glyph} {word:<11}")),
            run(body, shown),
            run(Role::Dim, " ".repeat(pad)),
            run(Role::Dim, facts),
        ]
    }

    fn detail(&self, view: &View, theme: &Theme, width: usize) -> Vec<Row> {
        if let Some(typing) = &self.typing {
            return typing_detail(typing, self, view, theme, width);
        }
        let row = self.outline.list.cursor();
        let (in_force, origin) = self.in_force(view);
        let seen = self.seen.said.as_ref();
        let known = |candidate, origin, seen| {
            let in_force = in_force.iter().any(|t| self.text(row, view).as_ref() == Some(t));
            let impact = self.text(row, view).and_then(|text| self.weighed.of(&text)).map(AsRef::as_ref);
            let (pool, ranking) = (self.pool(view), self.ranking());
            let known = CandidateDetail { candidate, pool, ranking, in_force, typed: false, origin, seen, impact };
            detail::rows(&known, view, &theme.glyphs, width)
        };
        match (self.items.get(row), seen) {
            (None, _) => Vec::new(),
            (Some(Item::Coming(text)), _) => words::labelled("", Role::Dim, &super::coming(text), width),
            (Some(Item::Candidate(_) | Item::HeldBack(_)), seen) => {
                let seen = seen.and_then(|s| s.as_ref().ok()).map(AsRef::as_ref);
                self.candidate(row, view).map(|c| known(c, None, seen)).unwrap_or_default()
            }
            (Some(Item::InForce(_)), Some(Ok(seen))) => known(&seen.candidate, Some(origin), Some(seen)),
            (Some(Item::InForce(text)), None) if self.known(text, view).is_some() => {
                self.known(text, view).map(|candidate| known(candidate, Some(origin), None)).unwrap_or_default()
            }
            (Some(Item::InForce(text)), seen) => {
                let mut rows = words::labelled("", Role::Text, text, width);
                let checked = match self.is_never_called(view) {
                    true => "no demonstration calls the action, so nothing checks it",
                    false => "not checked against the demonstrations yet",
                };
                let words = format!("in force, from: {origin}; {checked}");
                rows.extend(words::labelled("", Role::Dim, &words, width));
                if let Some(Err(why)) = seen {
                    rows.extend(words::labelled("", Role::Warn, why, width));
                }
                rows.extend(detail::weighed(self.weighed.of(text).map(AsRef::as_ref), width));
                rows
            }
        }
    }
}

/// Those parts of a row that fit as wholes, from its beginning; the first is there whatever the width.
fn fitting(parts: Vec<Row>, columns: usize) -> Row {
    let mut shown = Row::new();
    for part in parts {
        if !shown.is_empty() && draw::width(&shown) + draw::width(&part) > columns {
            break;
        }
        shown.extend(part);
    }
    shown
}

fn label(typing: &Typing) -> Row {
    let word = if typing.id.is_some() { "edit" } else { "new" };
    let what = if action_of_effects(&typing.action).is_some() { "effect" } else { "assert" };
    vec![run(Role::Key, format!("{word:<4} {what} "))]
}

fn typing_detail(typing: &Typing, pane: &PreconditionsPane, view: &View, theme: &Theme, width: usize) -> Vec<Row> {
    if let Some(fault) = &typing.fault {
        return words::labelled(&format!("{} ", theme.glyphs.no), Role::Bad, &fault.in_words(), width);
    }
    let impact = pane.weighed.of(&typing.expression()).map(AsRef::as_ref);
    match &typing.seen {
        Some(Ok(seen)) => {
            let (candidate, in_force) = (&seen.candidate, seen.in_force);
            let (pool, ranking) = (pane.pool(view), pane.ranking);
            let seen = Some(seen.as_ref());
            let known = CandidateDetail { candidate, pool, ranking, in_force, typed: true, origin: None, seen, impact };
            detail::rows(&known, view, &theme.glyphs, width)
        }
        Some(Err(why)) => {
            let mut rows = words::labelled("", Role::Warn, why, width);
            rows.extend(detail::weighed(impact, width));
            rows
        }
        None if typing.asked => vec![vec![run(Role::Dim, "checking against the demonstrations")]],
        None => vec![vec![run(Role::Dim, "Type an expression; it is checked when you pause.")]],
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::panes::Pane;
    use stepwright_episode::{Header, Session};
    use stepwright_precondition::{CandidateOrigin, Inspection, Related, Relation};

    use super::super::over::Over;

    #[test]
    fn what_is_held_back_is_counted_apart_whether_it_is_shown_or_not() {
        let candidate = |id: usize, fate| Candidate::new(id, format!("c{id}"), CandidateOrigin::Enumerated, fate);
        let unknown = Validity::Unknown { reason: String::new(), message: String::new() };
        let pool = Pool {
            action: "goto".into(),
            candidates: vec![candidate(0, Validity::Valid), candidate(1, unknown)],
            held_back: vec![candidate(2, Validity::Valid), candidate(3, Validity::Valid)],
            ..Pool::default()
        };
        let mut pane = PreconditionsPane::default();
        assert_eq!(pane.listed(&pool), (1, 2));
        pane.shows_held = true;
        assert_eq!(pane.listed(&pool), (1, 2));
        (pane.shows_held, pane.ranking) = (false, Ranking::EquationOne);
        assert_eq!(pane.listed(&pool), (3, 4), "by Equation (1) all take part");
        let pool = Pool { by_equation: vec!["c2".into()], ..pool };
        for (at, ranking, said) in [
            (0, Ranking::Evidence, "Equation (1) alone would suggest it"),
            (0, Ranking::EquationOne, "; suggested by Equation (1) alone, though so few"),
            (1, Ranking::EquationOne, "; not suggested by Equation (1) alone"),
        ] {
            let why = rows::reason(&pool.held_back[at], Some(&pool), ranking);
            assert!(why.contains(said), "{why}");
        }
        (pane.tabs.actions, pane.items) = (vec!["goto".into()], vec![Item::Candidate(0)]);
        let mut view = View::default();
        view.session = Some(Session::new(Header::default()));
        let why = pane.needed(PaneAction::HeldBack, &view);
        assert!(why.is_some_and(|why| why.starts_with("Equation (1) holds nothing back")));
    }

    #[test]
    fn who_goes_to_a_related_candidate_is_there_before_the_next_key() {
        let candidate = |id: usize| Candidate::new(id, format!("c{id}"), CandidateOrigin::Person, Validity::Valid);
        let pool = Pool { action: "goto".into(), candidates: (0..3).map(candidate).collect(), ..Pool::default() };
        let mut view = View::default();
        view.session = Some(Session::new(Header::default()));
        view.pools.insert("goto".into(), Arc::new(pool));
        let mut pane = PreconditionsPane::default();
        pane.update(&view);
        let related = Related { text: "c2".into(), relation: Relation::Implies, in_force: false, optimal: false };
        let seen = Inspection {
            action: "goto".into(),
            candidate: candidate(0),
            instances: 0,
            related: vec![related],
            in_force: false,
            permitted: None,
            excluded: 0,
            excluded_steps: 0,
            steps: Vec::new(),
            stronger: None,
        };
        pane.over.push(Over::study(&Arc::new(seen), None));
        pane.outline_mut().list.go(1, 2);
        pane.act(PaneAction::Activate, &view);
        assert!(pane.over.is_empty());
        assert_eq!(pane.text(pane.outline.list.cursor(), &view).as_deref(), Some("c2"));
    }

    #[test]
    fn of_an_action_that_nothing_calls_nothing_is_inferred() {
        let mut view = View::default();
        view.session = Some(Session::new(Header::default()));
        view.pools.insert("rest".into(), Arc::new(Pool { action: "rest".into(), ..Pool::default() }));
        let mut pane = PreconditionsPane::default();
        pane.update(&view);
        for effects in [false, true] {
            pane.effects = effects;
            assert!(pane.nothing(&view).starts_with("No demonstration calls this action"), "{}", pane.nothing(&view));
            let offered = pane.offered(&view);
            assert!(offered.iter().all(|(action, _)| *action != PaneAction::Run), "{offered:?}");
            assert!(offered.iter().any(|(action, _)| *action == PaneAction::Add), "{offered:?}");
            let why = pane.needed(PaneAction::Run, &view);
            assert!(why.is_some_and(|why| why.starts_with("no demonstration calls this action")));
        }
    }

    #[test]
    fn of_an_action_that_nothing_calls_nothing_is_said_that_was_found_of_another() {
        let mut view = View::default();
        view.session = Some(Session::new(Header::default()));
        let fate = Validity::Unknown { reason: String::new(), message: String::new() };
        let candidates = vec![Candidate::new(0, "held", CandidateOrigin::Person, fate)];
        view.pools.insert("rest".into(), Arc::new(Pool { action: "rest".into(), candidates, ..Pool::default() }));
        let mut pane = PreconditionsPane::default();
        pane.update(&view);
        pane.seen.said = Some(Err("of the action before".to_owned()));
        pane.update(&view);
        assert!(pane.seen.said.is_none());
        let said = pane.act(PaneAction::Activate, &view);
        assert!(
            matches!(said.first(), Some(crate::pane::Intent::Say(_, why)) if why.starts_with("no demonstration")),
            "{said:?}"
        );
    }

    #[test]
    fn the_first_action_is_shown_until_someone_is_led_to_another() {
        let mut view = View::default();
        view.session = Some(Session::new(Header::default()));
        let mut pane = PreconditionsPane::default();
        let mut comes = |pane: &mut PreconditionsPane, action: &str| {
            let pool = Pool { action: action.into(), ..Pool::default() };
            view.pools.insert(action.into(), Arc::new(pool));
            pane.update(&view);
            pane.action_name().map(str::to_owned)
        };
        assert_eq!(comes(&mut pane, "heat").as_deref(), Some("heat"));
        assert_eq!(comes(&mut pane, "close").as_deref(), Some("close"), "whichever pool comes first");
        pane.show(&View::default(), 1);
        assert_eq!(comes(&mut pane, "clean").as_deref(), Some("heat"), "what was picked stays shown");
    }

    #[test]
    fn the_library_is_asked_again_after_a_step_and_its_former_figure_stays_meanwhile() {
        let mut view = View::default();
        let mut weighed = super::super::Weighed::default();
        assert!(weighed.ask("goto", "", &view).is_none());
        assert!(weighed.ask("goto", "a", &view).is_some() && weighed.ask("goto", "a", &view).is_none());
        weighed.said = Some(Arc::default());
        view.session = Some(Session::new(Header::default()));
        assert!(weighed.ask("goto", "a", &view).is_some(), "the session is elsewhere");
        assert!(weighed.of("a").is_some());
        assert!(
            weighed.ask("goto", "b", &view).is_some() && weighed.of("b").is_none(),
            "of another text nothing is known"
        );
    }
}
