//! Demonstrations: recorded episodes as program calls, from which effects and preconditions are learned.
//!
//! One type for every world. Reading files of other layouts into it happens here; learning from them happens elsewhere.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{ProgramHeader, WorldError, files};
use stepwright_program::Call;
use stepwright_text::words::of_types;
use stepwright_trajectory::Step;

/// A recorded episode; its first step is the reset, without a command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Demonstration {
    pub id: String,
    pub task_type: String,
    pub sentence: String,
    pub header: ProgramHeader,
    pub steps: Vec<Step>,
}

/// A shipped demonstration: a shipped task and what was done in it. What was seen follows from replaying.
#[derive(Debug, Serialize, Deserialize)]
pub struct Shipped {
    pub task: String,
    pub actions: Vec<String>,
}

impl Demonstration {
    /// All calls in program order.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.steps.iter().flat_map(Step::all_calls)
    }

    pub fn actions(&self) -> impl Iterator<Item = &Call> {
        self.steps.iter().filter_map(|s| s.call.as_ref())
    }
}

/// A line of a demonstrations file, in any of the layouts read.
#[derive(Debug, Deserialize)]
struct Line {
    #[serde(default, alias = "dialogue_id")]
    id: Option<String>,
    episode: Option<String>,
    #[serde(default)]
    task_type: String,
    #[serde(default, alias = "task")]
    sentence: String,
    function: Option<String>,
    header: Option<ProgramHeader>,
    /// The program's text, from which the reset's calls are taken.
    program: Option<String>,
    steps: Option<Vec<Step>>,
    /// Calls alone, in program order; beside `steps` those of the reset.
    calls: Option<Vec<Call>>,
}

/// Reads a file of demonstrations, one JSON object a line: this program's own layout, episodes with a `program` and `steps`, or
/// plain `calls`. `setup` names the objects' set-up lines where the file does not.
pub fn read(
    text: &str,
    origin: &str,
    setup: &[String],
    is_action: impl Fn(&Call) -> bool,
) -> Result<Vec<Demonstration>, WorldError> {
    files::each_line(text, origin, |i, line| {
        let line: Line =
            serde_json::from_str(line).map_err(|e| format!("no demonstration: {}", of_types(&e.to_string())))?;
        line.into_demonstration(i, setup, &is_action)
    })
}

const LARGEST: u64 = 32 << 20;

/// Reads a file of demonstrations; see [`read`].
pub fn open(
    path: &Path,
    setup: &[String],
    is_action: impl Fn(&Call) -> bool,
) -> Result<Vec<Demonstration>, WorldError> {
    let origin = path.display().to_string();
    let text = stepwright_files::read_text(path, LARGEST)
        .map_err(|e| WorldError::Data { path: origin.clone(), message: e.to_string() })?;
    read(&text, &origin, setup, is_action)
}

impl Line {
    fn into_demonstration(
        self,
        index: usize,
        setup: &[String],
        is_action: &impl Fn(&Call) -> bool,
    ) -> Result<Demonstration, String> {
        if self.steps.is_none() && self.calls.is_none() {
            return Err("no demonstration: `steps` or `calls` are expected".to_owned());
        }
        let mut steps = self.steps.unwrap_or_default();
        if steps.is_empty() {
            steps = steps_of_calls(self.calls.unwrap_or_default(), is_action);
        } else if let Some(program) = &self.program {
            steps.insert(0, reset_of_program(program, &steps)?);
        } else if let Some(calls) = self.calls.filter(|calls| !calls.is_empty()) {
            steps.insert(0, Step { calls, ..Step::default() });
        }
        let header = self.header.unwrap_or_else(|| ProgramHeader {
            function: self.function.unwrap_or_else(|| "demonstration".to_owned()),
            comment: self.sentence.clone(),
            setup: setup.to_vec(),
        });
        Ok(Demonstration {
            id: self.id.or(self.episode).unwrap_or_else(|| format!("demonstration {}", index + 1)),
            task_type: self.task_type,
            sentence: self.sentence,
            header,
            steps,
        })
    }
}

/// Splits calls into steps: each action begins one; what comes before the first is the reset.
fn steps_of_calls(calls: Vec<Call>, is_action: &impl Fn(&Call) -> bool) -> Vec<Step> {
    let mut steps = vec![Step::default()];
    for call in calls {
        if is_action(&call) {
            steps.push(Step { call: Some(call), ..Step::default() });
        } else if let Some(step) = steps.last_mut() {
            step.calls.push(call);
        }
    }
    steps
}

/// The reset's calls: those of the program's text that come before the steps' own.
fn reset_of_program(program: &str, steps: &[Step]) -> Result<Step, String> {
    let calls: Vec<Call> = program.lines().filter_map(|l| l.trim().parse().ok()).collect();
    let own: usize = steps.iter().map(|s| s.all_calls().count()).sum();
    let before = calls.len().checked_sub(own).ok_or("the steps hold more calls than the program")?;
    Ok(Step { calls: calls.into_iter().take(before).collect(), ..Step::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_layouts_give_the_same_calls() {
        let calls = ["agent.see('a')", "agent.goto('a')", "agent.see('b')", "agent.take('b', 'a')"];
        let plain = serde_json::json!({ "episode": "e", "calls": calls });
        let program = serde_json::json!({
            "episode": "e", "task": "t", "function": "t",
            "program": format!("def t():\n    # t\n    env = Environment()\n    {}\n", calls.join("\n    ")),
            "steps": [
                {"command": "go to a", "observation": "b", "action_call": calls[1], "observation_calls": [calls[2]]},
                {"command": "take b", "observation": "ok", "action_call": calls[3], "observation_calls": []},
            ],
        });
        let is_action = |c: &Call| c.function != "see";
        let parted = serde_json::json!({
            "id": "e", "calls": [calls[0]],
            "steps": [{"call": calls[1], "calls": [calls[2]]}, {"call": calls[3]}],
        });
        for layout in [plain, program, parted] {
            let read = read(&layout.to_string(), "test", &[], is_action).unwrap();
            let own = serde_json::to_string(&read[0]).unwrap();
            let again = super::read(&own, "own", &[], is_action).unwrap();
            for demonstration in [&read[0], &again[0]] {
                assert_eq!(demonstration.calls().map(ToString::to_string).collect::<Vec<_>>(), calls);
                assert_eq!(demonstration.steps.len(), 3);
                assert_eq!(demonstration.steps[0].call, None);
            }
        }
    }

    #[test]
    fn a_bad_line_is_named() {
        let error = read("{\"calls\": []}\n{\"calls\": [\"import os\"]}", "demos.jsonl", &[], |_| true).unwrap_err();
        assert!(error.to_string().starts_with("demos.jsonl:2: "), "{error}");
    }
}
