//! Examples that policies are shown: successful episodes cut at their calls, with what was seen first, thoughts, actions and reports. The
//! base policy is shown the calls alone, a skill's policy the first call of its own.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::history::{Entry, GOAL, Line, OK, Style, base_history, record, recorded, skill_example};
use crate::segment::Segment;
use stepwright_trajectory::Trajectory;
use stepwright_trajectory::react::{first, seen, words_of};

/// Examples of one skill that its policy is shown, as the published prompts have two.
pub const OF_SKILL: usize = 2;
/// Examples that are kept of one sequence of calls.
const OF_PLAN: usize = 2;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "Shown", into = "Shown")]
pub struct Example {
    /// The first observation, with the goal.
    pub first: String,
    pub entries: Vec<Entry>,
}

/// An example as files and documents hold it. A line alone is a thought, a call or a report; an action has its observation.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Shown {
    first: String,
    lines: Vec<Vec<String>>,
}

impl From<Example> for Shown {
    fn from(example: Example) -> Self {
        Shown { lines: example.written(), first: example.first }
    }
}

impl TryFrom<Shown> for Example {
    type Error = String;

    fn try_from(shown: Shown) -> Result<Self, String> {
        let entry = |line: Vec<String>| {
            let (line, observation) = match <[String; 2]>::try_from(line) {
                Ok([action, seen]) => (Line::Act(action), seen),
                Err(alone) => {
                    let text = alone.into_iter().next().unwrap_or_default();
                    let line = recorded(&text).ok_or_else(|| {
                        format!(
                            "the line {text:?} is no `think: …`, `call: name(…)` or `Done: …`, and has no observation"
                        )
                    })?;
                    let observation = if matches!(line, Line::Thought(_)) { OK } else { "" };
                    (line, observation.to_owned())
                }
            };
            Ok(Entry { line, observation, refused: false })
        };
        let entries = shown.lines.into_iter().map(entry).collect::<Result<_, String>>()?;
        Ok(Example { first: shown.first, entries })
    }
}

impl Example {
    /// A success that is cut into calls. Where the log has no thoughts, the one before the first call says the calls; reports say theirs.
    pub fn of_cut(log: &Trajectory, cut: &[Segment]) -> Self {
        let calls: Vec<String> = cut.iter().map(|segment| segment.call().to_string()).collect();
        let has_thoughts = log.steps.iter().any(|step| step.thought.is_some());
        let mut entries = Vec::new();
        let mut put = |line: Line, observation: &str| {
            entries.push(Entry { line, observation: observation.to_owned(), refused: false });
        };
        if !has_thoughts {
            put(Line::Thought(format!("To do the task, I need {}.", calls.join(", then "))), OK);
        }
        for segment in cut {
            let steps = log.steps.get(segment.start..=segment.end).unwrap_or_default();
            let thoughts = |step: &stepwright_trajectory::Step| step.thought.as_deref().map(|t| words_of(t).to_owned());
            // The first thought of all is about the whole task.
            let mut open = (segment.start == 0).then(|| steps.first().and_then(thoughts)).flatten();
            open.take().into_iter().for_each(|thought| put(Line::Thought(thought), OK));
            put(Line::Call(segment.call()), "");
            for (at, step) in steps.iter().enumerate() {
                let own = thoughts(step).filter(|_| segment.start + at > 0);
                own.into_iter().for_each(|thought| put(Line::Thought(thought), OK));
                put(Line::Act(step.action.clone()), seen(&step.heard()));
            }
            put(Line::Report(format!("{} is done.", segment.call())), "");
        }
        let mut opening =
            first(log.initial_observation.as_deref().unwrap_or_default()).trim_end_matches('\n').to_owned();
        if !opening.contains(log.task.trim()) {
            opening.push_str(&format!("\n{GOAL} {}.", log.task.trim().trim_end_matches('.')));
        }
        Example { first: opening, entries }
    }

    /// The goal, as its line or the instruction of a site says it.
    pub fn task(&self) -> &str {
        let mut lines = self.first.lines().map(str::trim);
        let said = self.first.lines().find_map(|line| line.trim().strip_prefix(GOAL));
        let instruction = lines.find(|line| line.starts_with("Instruction:")).and_then(|_| lines.next());
        said.or(instruction).unwrap_or(&self.first).trim()
    }

    /// The names of the skills that are called, in order.
    pub fn calls(&self) -> Vec<&str> {
        let call = |entry: &'_ Entry| matches!(&entry.line, Line::Call(_));
        let calls = self.entries.iter().filter(|entry| call(entry));
        calls.filter_map(|e| if let Line::Call(call) = &e.line { Some(call.skill.as_str()) } else { None }).collect()
    }

    /// Whether all that it calls is known, by name and number of arguments.
    pub fn fits(&self, arguments_of: impl Fn(&str) -> Option<usize>) -> bool {
        self.entries.iter().all(|entry| match &entry.line {
            Line::Call(call) => arguments_of(&call.skill) == Some(call.args.len()),
            _ => true,
        })
    }

    /// As the base policy is shown it: its thoughts before each call, the calls, and how each came back.
    pub fn of_base(&self, style: Style) -> String {
        let gap = if style == Style::Action { "\n\n" } else { "\n" };
        let ends = matches!(self.entries.last(), Some(Entry { line: Line::Report(_), .. }));
        // The last call of a site ends the episode.
        let last = usize::from(style == Style::Action && ends);
        let shown = self.entries.get(..self.entries.len().saturating_sub(last)).unwrap_or_default();
        let history = base_history(shown, style, &self.first);
        format!("{}{gap}{}", self.first.trim_end_matches('\n'), history.trim_end())
    }

    pub fn of_skill(&self, skill: &str, style: Style) -> Option<String> {
        skill_example(&self.first, &self.entries, skill, style)
    }

    /// Its lines as they are kept: each as it is recorded, with what was observed where something was.
    pub(crate) fn written(&self) -> Vec<Vec<String>> {
        let line = |entry: &Entry| match (&entry.line, entry.observation.as_str()) {
            (Line::Act(action), seen) => vec![action.clone(), seen.to_owned()],
            (line, _) => vec![record(line)],
        };
        self.entries.iter().map(line).collect()
    }
}

/// The successes that are kept as examples: of each sequence of skills the shortest, and of those skills that have fewer than two examples
/// by then, what has them.
pub fn choose<'a>(cut: impl IntoIterator<Item = (&'a Trajectory, &'a [Segment])>) -> Vec<Example> {
    let mut all: Vec<(&Trajectory, &[Segment])> =
        cut.into_iter().filter(|(log, cut)| log.succeeded() && !cut.is_empty()).collect();
    all.sort_by(|(one, _), (other, _)| one.steps.len().cmp(&other.steps.len()).then_with(|| one.id.cmp(&other.id)));
    let (mut plans, mut skills) = (BTreeMap::<Vec<&str>, usize>::new(), BTreeMap::<&str, usize>::new());
    let mut chosen = Vec::new();
    for (log, cut) in all {
        let calls: Vec<&str> = cut.iter().map(|segment| segment.skill.as_str()).collect();
        let few = calls.iter().any(|skill| skills.get(skill).is_none_or(|n| *n < OF_SKILL));
        let of_plan = plans.entry(calls.clone()).or_default();
        if *of_plan > 0 && (!few || *of_plan >= OF_PLAN) {
            continue;
        }
        *of_plan += 1;
        calls.into_iter().for_each(|skill| *skills.entry(skill).or_default() += 1);
        chosen.push(Example::of_cut(log, cut));
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwright_trajectory::Step;

    fn log() -> (Trajectory, Vec<Segment>) {
        let step = |action: &str, seen: &str| Step {
            action: action.to_owned(),
            observation: Some(seen.to_owned()),
            ..Step::default()
        };
        let log = Trajectory {
            id: "a".to_owned(),
            task: "put a mug in desk".to_owned(),
            initial_observation: Some(
                "-= Welcome =-\n\nYou are in a room.\n\nYour task is to: put a mug in desk.".to_owned(),
            ),
            steps: vec![
                step("go to shelf 1", "You arrive at loc 3. On it, a mug 1."),
                step("take mug 1 from shelf 1", "Done."),
            ],
            success: Some(true),
            ..Trajectory::default()
        };
        let part =
            |skill: &str, at| Segment { skill: skill.to_owned(), args: vec!["mug".to_owned()], start: at, end: at };
        (log, vec![part("find", 0), part("take", 1)])
    }

    #[test]
    fn each_policy_is_shown_its_own_of_one_example() {
        let (log, cut) = log();
        let example = choose([(&log, cut.as_slice())]).remove(0);
        assert_eq!((example.task(), example.calls()), ("put a mug in desk.", vec!["find", "take"]));
        assert_eq!(
            example.of_base(Style::Arrow),
            "You are in a room.\nYour task is to: put a mug in desk.\n> think: To do the task, I need find(mug), then take(mug).\nOK.\n\
             > call: find(mug)\nSubprocedure finished.\n> call: take(mug)\nSubprocedure finished."
        );
        assert_eq!(
            example.of_skill("take", Style::Arrow).unwrap(),
            "You are in a room.\nYour historical interactions:\n> go to shelf 1\nOn it, a mug 1.\nYour task is: take(mug)\n\
             > take mug 1 from shelf 1\nDone.\n> Done take(mug): take(mug) is done."
        );
        assert_eq!(example.of_skill("heat", Style::Arrow), None);
        assert!(example.fits(|_| Some(1)) && !example.fits(|_| Some(2)) && !example.fits(|_| None));
        assert_eq!(Example::try_from(Shown::from(example.clone())), Ok(example));
        let alone = Shown { first: String::new(), lines: vec![vec!["go".to_owned()]] };
        assert!(Example::try_from(alone).unwrap_err().contains("\"go\""));
    }

    #[test]
    fn two_of_a_skill_and_one_of_each_sequence_are_kept() {
        let (log, cut) = log();
        let of = |id: &str| Trajectory { id: id.to_owned(), ..log.clone() };
        let (b, c, failed) = (of("b"), of("c"), Trajectory { success: Some(false), ..of("d") });
        let all = [(&c, cut.as_slice()), (&b, &cut), (&log, &cut), (&failed, &cut)];
        assert_eq!(choose(all).len(), 2);
        let short = vec![Segment { end: 1, ..cut[0].clone() }];
        assert_eq!(choose(all.into_iter().chain([(&b, short.as_slice())])).len(), 3, "another sequence");
    }
}
