//! Skills as functions (O3D-Code, Xiao et al. 2024, Algorithm 2): their versions as a model wrote them from logs, and what a version is
//! tried on: calls as they were recorded. Who runs a trial asks [`Course`] what each action came to; nothing here runs code.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::call::{Signature, SkillCall};
use crate::code::acted;
use crate::segment::Segment;
use stepwright_trajectory::Trajectory;
use stepwright_trajectory::react::{first, seen};

/// Actions of one call in a trial, after which it gets nowhere.
const MOST: usize = 200;
/// What an action that the log does not have comes to.
const UNKNOWN: &str = "Nothing happens.";

/// A version of a skill's function.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Version {
    pub code: String,
    /// What it came from: what it was written from, rewritten for or mended for; or that a person wrote it.
    pub why: String,
    /// The recorded calls that it brought to the same end, of how many it was tried on; none where it was not tried.
    #[serde(default, skip_serializing_if = "is_none")]
    pub reproduced: usize,
    #[serde(default, skip_serializing_if = "is_none")]
    pub of: usize,
    /// Why the first of the others came to another end.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fault: String,
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

impl Version {
    pub fn works(&self) -> bool {
        self.of == 0 || self.reproduced > 0
    }

    /// What came of trying it, in words.
    pub fn tried(&self) -> String {
        match (self.of, self.fault.as_str()) {
            (0, _) => "not tried".to_owned(),
            (of, "") => format!("{} of {of} recorded calls reproduced", self.reproduced),
            (of, fault) => format!("{} of {of} recorded calls reproduced; {fault}", self.reproduced),
        }
    }
}

/// What a skill's function is called: its name with its first parameter (`heat_object`).
pub fn name(signature: &Signature) -> String {
    match signature.parameters.first() {
        Some(parameter) => format!("{}_{parameter}", signature.name),
        None => signature.name.clone(),
    }
}

/// The first line of a skill's function.
pub fn head(signature: &Signature) -> String {
    format!("def {}({}):", name(signature), signature.parameters.join(", "))
}

/// A recorded call that a function is tried on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Case {
    /// The log.
    pub of: String,
    /// The call as a line of a program.
    pub program: String,
    /// The variables of that program: the task, the first observation, what was done before.
    pub values: Value,
    before: Vec<(String, String)>,
    steps: Vec<(String, String)>,
    /// The last action of the call that had an effect.
    goal: String,
}

impl Case {
    /// A segment of a log; `None` where no action of it had an effect.
    pub fn of_segment(log: &Trajectory, segment: &Segment, signature: &Signature) -> Option<Self> {
        let pair = |step: &stepwright_trajectory::Step| (step.action.clone(), seen(&step.heard()).to_owned());
        let own = log.steps.get(segment.start..=segment.end)?;
        let before: Vec<(String, String)> = log.steps.get(..segment.start)?.iter().map(pair).collect();
        let goal = own.iter().rev().find(|step| !step.is_refused())?.action.clone();
        let opening = first(log.initial_observation.as_deref().unwrap_or_default());
        let program = format!("history.extend(before)\n{}", call_of(&segment.call(), signature));
        let values = json!({ "task": log.task, "observation": opening, "before": before });
        Some(Case { of: log.id.clone(), program, values, before, steps: own.iter().map(pair).collect(), goal })
    }

    pub fn begin(&self) -> Course<'_> {
        Course { case: self, at: 0, actions: 0, reached: false, departed: None }
    }
}

/// A call of a skill as a line of Python.
pub fn call_of(call: &SkillCall, signature: &Signature) -> String {
    let args: Vec<String> = call.args.iter().map(|arg| json!(arg).to_string()).collect();
    format!("{}({})", name(signature), args.join(", "))
}

/// A function's way through a recorded call.
#[derive(Debug)]
pub struct Course<'a> {
    case: &'a Case,
    at: usize,
    actions: usize,
    reached: bool,
    departed: Option<String>,
}

impl Course<'_> {
    /// What an action comes to: what the log has next for it, else what it came to before; an action that the log has not does nothing.
    pub fn act(&mut self, action: &str) -> Result<Value, String> {
        self.actions += 1;
        if self.actions > MOST {
            return Err(format!("{MOST} actions and no end"));
        }
        let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let same = |(known, _): &(String, String)| plain(known) == plain(action);
        self.reached |= plain(action) == plain(&self.case.goal);
        let ahead = self.case.steps.get(self.at..).unwrap_or_default();
        if let Some(next) = ahead.iter().position(same) {
            self.at += next + 1;
            return Ok(acted(&ahead[next].1, 0.0, false, false));
        }
        let earlier = self.case.steps.iter().take(self.at).rev().chain(self.case.before.iter().rev());
        let known = earlier.into_iter().find(|step| same(step)).map(|(_, seen)| seen.as_str());
        if known.is_none() {
            self.departed.get_or_insert_with(|| action.to_owned());
        }
        Ok(acted(known.unwrap_or(UNKNOWN), 0.0, false, false))
    }

    /// Whether the call came to the recorded end; `fault`: why the code ended before.
    pub fn ended(self, fault: Option<String>) -> Result<(), String> {
        let (of, goal) = (&self.case.of, &self.case.goal);
        match (fault, self.departed) {
            (Some(why), _) => Err(format!("{of}: {why}")),
            (None, _) if self.reached => Ok(()),
            (None, Some(action)) => Err(format!("{of}: it never did `{goal}`; the log has nothing on `{action}`")),
            (None, None) => Err(format!("{of}: it never did `{goal}`")),
        }
    }
}

/// A version to be tried, and the calls that it is tried on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trial {
    /// The functions that it may call.
    pub library: String,
    pub code: String,
    pub cases: Vec<Case>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwright_trajectory::Step;

    fn case() -> Case {
        let step = |action: &str, seen: &str| Step {
            action: action.to_owned(),
            observation: Some(seen.to_owned()),
            ..Step::default()
        };
        let log = Trajectory {
            id: "a".to_owned(),
            task: "heat an egg".to_owned(),
            steps: vec![
                step("go to shelf 1", "An egg 1."),
                step("take egg 1 from shelf 1", "You have it."),
                step("go to microwave 1", "It is closed."),
                step("heat egg 1 with microwave 1", "You heat it."),
                step("heat egg 1 with microwave 1", "Nothing happens."),
            ],
            ..Trajectory::default()
        };
        let segment = Segment { skill: "heat".to_owned(), args: vec!["egg".to_owned()], start: 2, end: 4 };
        Case::of_segment(&log, &segment, &"heat(object)".parse().unwrap()).unwrap()
    }

    fn seen(answer: Result<Value, String>) -> String {
        answer.unwrap()[0].as_str().unwrap().to_owned()
    }

    #[test]
    fn a_call_is_reproduced_where_its_last_action_is_done() {
        let case = case();
        assert_eq!(case.program, "history.extend(before)\nheat_object(\"egg\")");
        assert_eq!(case.values["before"][0][1], "An egg 1.");
        let mut course = case.begin();
        assert_eq!(seen(course.act("go to  microwave 1")), "It is closed.");
        assert_eq!(seen(course.act("go to shelf 1")), "An egg 1.", "what was seen before");
        assert_eq!(seen(course.act("heat egg 1 with microwave 1")), "You heat it.");
        assert_eq!(course.ended(None), Ok(()));
        let mut course = case.begin();
        assert_eq!(seen(course.act("open microwave 1")), UNKNOWN);
        assert!(course.ended(None).unwrap_err().contains("the log has nothing on `open microwave 1`"));
        assert_eq!(case.begin().ended(Some("line 2: no".to_owned())), Err("a: line 2: no".to_owned()));
        let mut course = case.begin();
        assert!((0..=MOST).map(|_| course.act("go to shelf 1")).any(|answer| answer.is_err()));
    }
}
