//! Close look at one candidate: every other one it relates to, and every demonstration step it newly excludes.

use std::sync::Arc;

use super::detail::{self, CandidateDetail};
use crate::theme::{Role, Theme};
use crate::view::View;
use crate::widgets::draw::{Row, run};
use crate::widgets::words;
use stepwright_library::{Impact, Judged, Stopped};
use stepwright_precondition::{Inspection, Occasion, Ranking, Relation};
use stepwright_text::Columns;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Line {
    Heading(String),
    /// Another candidate, by its place among the related.
    Related(usize),
    /// A decision of the library, by its place among those stopped and those of which that cannot be told.
    Decision(usize),
    /// An excluded step, by its place among the steps.
    Step(usize),
}

#[derive(Debug)]
pub(super) struct StudyPage {
    seen: Arc<Inspection>,
    impact: Option<Arc<Impact>>,
    lines: Vec<Line>,
}

impl StudyPage {
    pub(super) fn new(seen: Arc<Inspection>, impact: Option<Arc<Impact>>) -> Self {
        let lines = lines(&seen, impact.as_deref());
        StudyPage { seen, impact, lines }
    }

    /// Takes in what the library says of the candidate.
    pub(super) fn weigh(&mut self, impact: &Arc<Impact>) {
        if impact.assertion == self.seen.candidate.text && self.impact.as_ref() != Some(impact) {
            *self = StudyPage::new(Arc::clone(&self.seen), Some(Arc::clone(impact)));
        }
    }

    /// Takes in a newer inspection of the same candidate.
    pub(super) fn renew(&mut self, seen: &Arc<Inspection>) {
        if seen.action == self.seen.action && seen.candidate.text == self.seen.candidate.text {
            *self = StudyPage::new(Arc::clone(seen), self.impact.take());
        }
    }

    pub(super) fn seen(&self) -> &Inspection {
        &self.seen
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn related_at(&self, row: usize) -> Option<&str> {
        match self.lines.get(row)? {
            Line::Related(at) => self.seen.related.get(*at).map(|r| r.text.as_str()),
            _ => None,
        }
    }

    pub(super) fn place_at(&self, row: usize) -> Option<&Occasion> {
        match self.lines.get(row)? {
            Line::Step(at) => self.seen.steps.get(*at).map(|s| &s.place),
            _ => None,
        }
    }

    pub(super) fn decision_at(&self, row: usize) -> Option<&Stopped> {
        match self.lines.get(row)? {
            Line::Decision(at) => decisions(self.impact.as_deref()?).nth(*at),
            _ => None,
        }
    }

    pub(super) fn next_place(&self, from: usize, forward: bool) -> Option<usize> {
        let is_step = |row: &usize| matches!(self.lines.get(*row), Some(Line::Step(_) | Line::Decision(_)));
        if forward { (from + 1..self.lines.len()).find(is_step) } else { (0..from).rev().find(is_step) }
    }

    pub(super) fn text(&self, row: usize) -> String {
        match self.lines.get(row) {
            Some(Line::Heading(text)) => text.clone(),
            Some(Line::Related(at)) => self.seen.related.get(*at).map(|r| r.text.clone()).unwrap_or_default(),
            Some(Line::Step(at)) => self.seen.steps.get(*at).map(|s| self.step_words(s)).unwrap_or_default(),
            Some(Line::Decision(_)) => self.decision_at(row).map(decision_words).unwrap_or_default(),
            None => String::new(),
        }
    }

    fn step_words(&self, step: &stepwright_precondition::ExcludedStep) -> String {
        format!("{}: {}", self.applied(step), step.place.in_words())
    }

    fn applied(&self, step: &stepwright_precondition::ExcludedStep) -> String {
        let applied = step.place.application(&self.seen.action);
        let more = if step.more == 0 { String::new() } else { format!(" and {} more", step.more) };
        let what = if step.made { ", which was done there" } else { "" };
        format!("{applied}{more}{what}")
    }

    pub(super) fn head(&self, view: &View, theme: &Theme, width: usize) -> Vec<Row> {
        let pool = view.pools.get(&self.seen.action).map(AsRef::as_ref);
        let (candidate, in_force) = (&self.seen.candidate, self.seen.in_force);
        let ranking = Ranking::default();
        let known = CandidateDetail {
            candidate,
            pool,
            ranking,
            in_force,
            typed: false,
            origin: None,
            seen: None,
            impact: None,
        };
        detail::rows(&known, view, &theme.glyphs, width)
    }

    pub(super) fn row(&self, row: usize, theme: &Theme, width: usize) -> Row {
        match self.lines.get(row) {
            Some(Line::Related(at)) => {
                let Some(related) = self.seen.related.get(*at) else { return Row::new() };
                let word = match related.relation {
                    Relation::Equivalent => "same as",
                    Relation::ImpliedBy => "implied by",
                    Relation::Implies => "implies",
                    Relation::Independent => "",
                };
                let mut runs = vec![run(Role::Dim, format!("  {word:<11}")), run(Role::Text, &related.text)];
                if related.in_force {
                    runs.push(run(Role::Good, "  in force"));
                } else if related.optimal {
                    // The star stands for what is suggested: one of those that hold at the same instances.
                    runs.push(run(Role::Accent, "  optimal"));
                }
                runs
            }
            Some(Line::Step(at)) => {
                let step = self.seen.steps.get(*at);
                let made = step.is_some_and(|s| s.made);
                let mut text = self.text(row);
                if let Some(step) = step.filter(|_| text.width() + 2 > width) {
                    // What tells the rows apart comes first, as their end is cut.
                    text = format!("{}: {}", step.place.in_few_words(), self.applied(step));
                }
                let text = crate::sanitize::fit(&text, width.saturating_sub(2), theme.glyphs.ellipsis);
                vec![run(if made { Role::Bad } else { Role::Text }, format!("  {text}"))]
            }
            Some(Line::Decision(_)) => {
                let right = self.decision_at(row).is_some_and(|decision| decision.judged == Judged::Right);
                let text = self.text(row);
                let text = crate::sanitize::fit(&text, width.saturating_sub(2), theme.glyphs.ellipsis);
                vec![run(if right { Role::Bad } else { Role::Text }, format!("  {text}"))]
            }
            Some(Line::Heading(text)) => vec![run(Role::Title, text)],
            None => Row::new(),
        }
    }
}

fn decisions(impact: &Impact) -> impl Iterator<Item = &Stopped> {
    impact.listed.iter().chain(&impact.not_told)
}

fn decision_words(decision: &Stopped) -> String {
    format!("{}, {}: {}", decision.action, decision.judged.in_words(), decision.place())
}

fn lines(seen: &Inspection, impact: Option<&Impact>) -> Vec<Line> {
    let mut lines = Vec::new();
    let heading = if seen.candidate.coverage.is_none() {
        "It could not be evaluated, so it relates to nothing.".to_owned()
    } else if detail::is_of_effects(seen) {
        match seen.related.len() {
            0 => "No other candidate makes the same states.".to_owned(),
            n => format!("Makes the same states as {}:", words::count(n, "other candidate")),
        }
    } else if seen.related.is_empty() {
        "It implies no other valid candidate and none implies it.".to_owned()
    } else {
        format!("Related to {}, valid or in force:", words::count(seen.related.len(), "assertion"))
    };
    lines.push(Line::Heading(heading));
    lines.extend((0..seen.related.len()).map(Line::Related));
    if let Some(impact) = impact.filter(|impact| impact.decisions > 0) {
        lines.push(Line::Heading(format!("In the library it {}", impact.in_words())));
        lines.extend((0..decisions(impact).count()).map(Line::Decision));
    }
    if let Some(permitted) = seen.permitted.filter(|_| seen.candidate.coverage.is_some()) {
        let rest = if seen.in_force { "the rest in force permits" } else { "what is in force permits" };
        let steps = words::count(seen.excluded_steps, "step");
        let heading = match seen.excluded {
            0 if detail::is_of_effects(seen) => {
                format!("The state after each of {} is as it says.", words::count(permitted, "demonstrated call"))
            }
            n if detail::is_of_effects(seen) => {
                format!("{n} of {} depart from it:", words::count(permitted, "demonstrated call"))
            }
            0 => format!("It forbids nothing that {rest} ({})", words::count(permitted, "instance")),
            n => format!("It forbids {n} of {} that {rest}, at {steps}:", words::count(permitted, "instance")),
        };
        lines.push(Line::Heading(heading));
        lines.extend((0..seen.steps.len()).map(Line::Step));
        let left = seen.excluded_steps.saturating_sub(seen.steps.len());
        if left > 0 {
            lines.push(Line::Heading(format!("and {} more", words::count(left, "step"))));
        }
    }
    lines
}
