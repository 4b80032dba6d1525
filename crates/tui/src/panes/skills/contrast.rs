//! Contrast of a success and a failure on one task: what both did is shown once, the step that decides the failure is marked, and
//! its lesson is above.

use stepwright_skill::contrast::{Contrast, skill_of, tip};
use stepwright_skill::{Knowledge, Segment, document};
use stepwright_trajectory::{Step, Trajectory};

use super::{Item, SkillsPane};
use crate::pane::Intent;
use crate::sanitize;
use crate::theme::{Role, Theme};
use crate::view::View;
use crate::widgets::draw::{Row, run};
use crate::widgets::words::one_line;
use stepwright_episode::{ArtifactId, Written};
use stepwright_protocol::{Command, Request};

impl SkillsPane {
    pub(super) fn sides(&self) -> Option<(&Trajectory, &Trajectory)> {
        let (good, bad) = *self.beside.pairs.get(self.beside.at)?;
        let logs = &self.trail.logs.as_ref()?.all;
        Some((logs.get(good)?, logs.get(bad)?))
    }

    pub(super) fn set_beside(&mut self) {
        let contrast = self.sides().map(|(good, bad)| Contrast::of(&good.steps, &bad.steps));
        self.beside.contrast = contrast.unwrap_or_default();
    }

    fn lesson(&self) -> Option<String> {
        let (good, bad) = self.sides()?;
        tip(&self.beside.contrast, &good.steps, &bad.steps)
    }

    pub(super) fn contrast_items(&self) -> Vec<Item> {
        let Some((good, bad)) = self.sides() else { return Vec::new() };
        let teaches = self.lesson().unwrap_or_else(|| "both did the same".to_owned());
        let mut items = vec![
            Item::Note(format!("{}: the success {} beside the failure {}", good.task, good.id, bad.id)),
            Item::Note(format!("It teaches: {teaches}")),
        ];
        items.extend((0..self.beside.contrast.rows.len()).map(Item::Pair));
        items
    }

    fn step_of(&self, at: usize) -> (Option<&Step>, Option<&Step>) {
        let (Some(row), Some((good, bad))) = (self.beside.contrast.rows.get(at), self.sides()) else {
            return (None, None);
        };
        (row.success.and_then(|at| good.steps.get(at)), row.failure.and_then(|at| bad.steps.get(at)))
    }

    pub(super) fn pair_row(&self, at: usize, width: usize, theme: &Theme) -> Row {
        let (good, bad) = self.step_of(at);
        let is_marked = self.beside.contrast.marked() == Some(at);
        let mark = if is_marked { theme.glyphs.here } else { " " };
        let half = width.saturating_sub(5) / 2;
        let shared = good.is_some() && bad.is_some();
        let text = |step: Option<&Step>| {
            let action = step.map(|step| one_line(&step.action).into_owned()).unwrap_or_default();
            sanitize::pad(&sanitize::fit(&sanitize::line(&action), half, theme.glyphs.ellipsis), half)
        };
        let (left, right) = match (shared, is_marked) {
            (true, _) => (Role::Dim, Role::Dim),
            (false, true) => (Role::Good, Role::Bad),
            (false, false) => (Role::Added, Role::Removed),
        };
        vec![
            run(Role::Accent, format!("{mark} ")),
            run(left, text(good)),
            run(Role::Border, format!(" {} ", theme.glyphs.vertical)),
            run(right, text(bad)),
        ]
    }

    pub(super) fn pair_detail(&self, at: usize) -> Option<String> {
        let (good, bad) = self.step_of(at);
        let in_words = |step: &Step| {
            let seen = step.observation.as_deref().map_or_else(|| "not recorded".into(), one_line);
            format!("{}: {seen}", step.action)
        };
        Some(match (good, bad) {
            (Some(good), Some(bad)) if good.observation == bad.observation => in_words(good),
            (Some(good), Some(bad)) => format!("success: {}. Failure: {}", in_words(good), in_words(bad)),
            (Some(good), None) => format!("the success alone: {}", in_words(good)),
            (None, Some(bad)) => format!("the failure alone: {}", in_words(bad)),
            (None, None) => return None,
        })
    }

    pub(super) fn next_pair(&mut self) {
        if !self.beside.pairs.is_empty() {
            self.beside.at = (self.beside.at + 1) % self.beside.pairs.len();
        }
        self.set_beside();
        self.lay();
        let row = self.beside.contrast.marked().map_or(0, |at| at + 2);
        self.outline.list.go(row, self.items.len());
    }

    /// Offers what the pair teaches as a tip: of the skill that the pair belongs to, where the success is cut.
    pub(super) fn offer_tip(&self, view: &View) -> Option<Intent> {
        let (lesson, (good, bad)) = (self.lesson()?, self.sides()?);
        let cut = |log: &Trajectory| -> Vec<Segment> {
            let document = view.node().and_then(|node| node.document(&ArtifactId::segments(&log.id)));
            document.and_then(|cut| serde_json::from_value(cut.as_ref().clone()).ok()).unwrap_or_default()
        };
        let (own, other) = (cut(good), cut(bad));
        let skill = skill_of((&good.steps, &own), (&bad.steps, &other));
        let mut known: Knowledge = self.known.clone();
        let tips = match skill.and_then(|skill| known.skill_mut(skill)) {
            Some(skill) => &mut skill.tips,
            None => &mut known.tips,
        };
        tips.push(lesson.clone());
        let written = Written {
            artifact: ArtifactId::KNOWLEDGE,
            due: None,
            title: format!("a tip from {} and {}", good.id, bad.id),
            raw: lesson,
            repairs: Vec::new(),
            value: Some(document::write(&known).into()),
            problem: None,
        };
        Some(Intent::Send(Command::Gate(Request::OfferArtifact(Box::new(written)))))
    }
}
