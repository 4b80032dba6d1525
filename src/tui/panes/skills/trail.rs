//! The view of the recorded log: its steps under the calls they are cut into, with what the assertions in force say of each.

use stepwright_skill::segment::validate;
use stepwright_skill::{Trajectory, cut};

use super::{Item, SkillsPane};
use crate::driver::Violation;
use crate::episode::Status;
use crate::tui::panes::draw::{Row, run};
use crate::tui::panes::words::one_line;
use crate::tui::theme::{Role, Theme};
use crate::world::transcript::Logs;

impl SkillsPane {
    pub(super) fn log(&self) -> Option<&Trajectory> {
        self.logs.as_ref().and_then(Logs::current)
    }

    pub(super) fn log_items(&self) -> Vec<Item> {
        let Some(log) = self.log() else { return Vec::new() };
        let how = if log.success { "a success" } else { "a failure" };
        let mut items = vec![Item::Note(format!("{}: {}, {how}", log.id, log.task))];
        for at in 0..log.steps.len() {
            let begins = self.segments.iter().position(|segment| segment.start == at);
            items.extend(begins.map(Item::Segment));
            items.push(Item::Step(at));
        }
        items
    }

    /// What is wrong with the cut.
    pub(super) fn fault(&self) -> Option<String> {
        let steps = self.log()?.steps.len();
        let is_known = |name: &str| self.known.skill(name).is_some();
        validate(&self.segments, steps, is_known).err().map(|fault| fault.to_string())
    }

    fn violated(&self, step: usize) -> Option<&Violation> {
        let all = || self.violations.iter().filter(|violation| violation.step == step);
        all().find(|violation| violation.check.status == Status::Fails).or_else(|| all().next())
    }

    pub(super) fn log_row(&self, item: &Item, theme: &Theme) -> Row {
        match item {
            Item::Segment(at) => {
                let Some(segment) = self.segments.get(*at) else { return Row::new() };
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
                let indent = if cut::at(&self.segments, *at).is_some() { "  " } else { "" };
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
        let found = self.violations.iter().filter(|violation| violation.step == at).map(|violation| {
            let check = &violation.check;
            let values = check.detail.as_ref().map(|detail| format!(" ({detail})")).unwrap_or_default();
            format!("{} {}{values}", check.condition, check.status.word())
        });
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
