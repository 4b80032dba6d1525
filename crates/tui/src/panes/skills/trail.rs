//! The view of a recorded log: its steps under the calls they are cut into, as decided or as offered, with what the assertions in force
//! say of each step of the log that is played back.

use stepwright_skill::cut;
use stepwright_skill::segment::validate;
use stepwright_trajectory::Trajectory;

use super::{Item, OfferedCut, SkillsPane, say};
use crate::pane::Intent;
use crate::theme::{Role, Theme};
use crate::view::View;
use crate::widgets::draw::{Row, run};
use crate::widgets::words::one_line;
use stepwright_episode::{ArtifactId, ArtifactKind, OfferState, Status};
use stepwright_protocol::{Command, Request, Violation};

impl SkillsPane {
    pub(super) fn log(&self) -> Option<&Trajectory> {
        self.trail.logs.as_ref()?.all.get(self.trail.at)
    }

    pub(super) fn is_played(&self) -> bool {
        self.trail.logs.as_ref().is_some_and(|logs| logs.at == self.trail.at)
    }

    pub(super) fn next_log(&mut self, view: &View) {
        let all = self.trail.logs.as_ref().map_or(0, |logs| logs.all.len());
        self.trail.at = (self.trail.at + 1) % all.max(1);
        self.load_cut(view);
        self.lay();
        self.outline.list.go(0, self.items.len());
    }

    /// Takes in how the log shown is cut; a log whose cut was offered since is shown from then on.
    pub(super) fn load_cut(&mut self, view: &View) {
        let open = |offer: &&stepwright_episode::Offer| {
            offer.fate == OfferState::Pending && offer.written.artifact.kind == ArtifactKind::Segments
        };
        let newest = view.node().and_then(|node| node.offers().rfind(open));
        if let Some(new) = newest.filter(|offer| Some(offer.id) > self.trail.newest) {
            self.trail.newest = Some(new.id);
            let logs = self.trail.logs.as_ref();
            let at = logs.and_then(|logs| logs.all.iter().position(|log| log.id == new.written.artifact.key));
            self.trail.at = at.unwrap_or(self.trail.at);
        }
        let Some(id) = self.log().map(|log| ArtifactId::segments(&log.id)) else {
            (self.trail.segments, self.trail.offered) = (Vec::new(), None);
            return;
        };
        let cut = |document: &serde_json::Value| serde_json::from_value(document.clone()).ok();
        let decided = view.node().and_then(|node| cut(node.document(&id)?));
        let offer = view.node().and_then(|node| node.open_offer(&id));
        // What a person has moved of it stays.
        let kept = self.trail.offered.take().filter(|kept| offer.is_some_and(|offer| offer.id == kept.id));
        self.trail.offered = kept.or_else(|| {
            let segments = cut(offer?.written.value.as_deref()?)?;
            Some(OfferedCut { id: offer?.id, title: offer?.written.title.clone(), segments })
        });
        self.trail.segments = match &self.trail.offered {
            Some(offered) => offered.segments.clone(),
            None => decided.unwrap_or_default(),
        };
    }

    pub(super) fn offered_cut_row(&self) -> Row {
        let title = self.trail.offered.as_ref().map(|offered| offered.title.as_str()).unwrap_or_default();
        vec![run(Role::Warn, "! offered: "), run(Role::Accent, title)]
    }

    pub(super) fn take_cut(&self) -> Vec<Intent> {
        let Some(offered) = &self.trail.offered else { return say("no cut of this log is offered") };
        let text = serde_json::json!(offered.segments).to_string();
        vec![Intent::Send(Command::Gate(Request::EditOffer { offer: offered.id, text }))]
    }

    pub(super) fn log_items(&self) -> Vec<Item> {
        let Some(log) = self.log() else { return Vec::new() };
        let mut items = vec![Item::Note(format!("{}: {}, {how}", log.id, log.task, how = log.how()))];
        items.extend(self.trail.offered.is_some().then_some(Item::Offer));
        for at in 0..log.steps.len() {
            let begins = self.trail.segments.iter().position(|segment| segment.start == at);
            items.extend(begins.map(Item::Segment));
            items.push(Item::Step(at));
        }
        items
    }

    pub(super) fn fault(&self) -> Option<String> {
        let steps = self.log()?.steps.len();
        let is_known = |name: &str| self.known.skill(name).is_some();
        validate(&self.trail.segments, steps, is_known).err().map(|fault| fault.to_string())
    }

    fn violated(&self, step: usize) -> Option<&Violation> {
        let all = || self.trail.violations.iter().filter(|violation| self.is_played() && violation.step == step);
        all().find(|violation| violation.check.status == Status::Fails).or_else(|| all().next())
    }

    pub(super) fn log_row(&self, item: &Item, theme: &Theme) -> Row {
        match item {
            Item::Segment(at) => {
                let Some(segment) = self.trail.segments.get(*at) else { return Row::new() };
                let known = self.known.skill(&segment.skill).is_some();
                let steps = format!("  steps {} to {}", segment.start + 1, segment.end + 1);
                let unknown = if known { "" } else { "  no known skill" };
                vec![run(Role::Title, segment.call().to_string()), run(Role::Dim, steps), run(Role::Warn, unknown)]
            }
            Item::Step(at) => {
                let Some(step) = self.log().and_then(|log| log.steps.get(*at)) else { return Row::new() };
                let (mark, role) = match self.violated(*at).map(|violation| violation.check.status) {
                    Some(Status::Fails) => (theme.glyphs.no, Role::Bad),
                    Some(_) => (theme.glyphs.unknown, Role::Warn),
                    None => (" ", Role::Dim),
                };
                let indent = if cut::at(&self.trail.segments, *at).is_some() { "  " } else { "" };
                let seen = step.observation.as_deref().map_or_else(|| "(not recorded)".into(), one_line);
                vec![
                    run(role, format!("{mark} ")),
                    run(Role::Dim, format!("{indent}{:>3} ", at + 1)),
                    run(Role::Text, &step.action),
                    run(Role::Dim, format!("  {seen}")),
                ]
            }
            _ => Row::new(),
        }
    }

    pub(super) fn step_detail(&self, at: usize) -> Option<String> {
        let step = self.log()?.steps.get(at)?;
        let found = self.trail.violations.iter().filter(|violation| self.is_played() && violation.step == at).map(
            |violation| {
                let check = &violation.check;
                let values = check.detail.as_ref().map(|detail| format!(" ({detail})")).unwrap_or_default();
                format!("{} {}{values}", check.condition, violation.word())
            },
        );
        let found: Vec<String> = found.collect();
        if !found.is_empty() {
            return Some(format!("{}: {}", step.action, found.join("; ")));
        }
        let seen = step.observation.as_deref().unwrap_or("the log does not say what was observed");
        Some(match &step.thought {
            Some(thought) => format!("({thought}) {}: {}", step.action, one_line(seen)),
            None => format!("{}: {}", step.action, one_line(seen)),
        })
    }
}
