//! Trajectories: what was thought, done and observed, step by step ([`Step`]), and whole episodes of it as logs hold them ([`Trajectory`]),
//! one JSON object a line, as the recordings of O3D. [`mod@log`] reads ReAct's texts, [`react`] writes transcripts, [`program`] writes
//! programs. Nothing here knows a world or a method.

pub mod log;
pub mod program;
pub mod react;

use serde::{Deserialize, Serialize};
use stepwright_program::Call;

/// A step of an episode: what was thought, done and observed. The reset is a step without an action.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Step {
    /// The thought before the action; `None` where that is not known.
    #[serde(default, alias = "think")]
    pub thought: Option<String>,
    /// The action's text; empty where calls alone are known.
    #[serde(default, alias = "command")]
    pub action: String,
    /// The action as a call; `None` for the reset and for actions without one.
    #[serde(default, alias = "action_call", skip_serializing_if = "Option::is_none")]
    pub call: Option<Call>,
    /// The text observed; `None` where that is not known.
    #[serde(default)]
    pub observation: Option<String>,
    /// The observation as calls, in program order.
    #[serde(default, alias = "observation_calls", skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Call>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
}

impl Step {
    /// The text observed; empty where that is not known.
    pub fn observed(&self) -> &str {
        self.observation.as_deref().unwrap_or_default()
    }

    /// Whether the world refused the action: it is known, or what was observed says so in the recorded environments' words.
    pub fn is_refused(&self) -> bool {
        let observed = self.observed().trim();
        self.refused || observed == "Nothing happens." || observed.starts_with("Invalid action")
    }

    /// All its calls in program order, that of the action first.
    pub fn all_calls(&self) -> impl Iterator<Item = &Call> {
        self.call.iter().chain(&self.calls)
    }
}

/// A recorded episode: its task, its outcome and its steps, as logs of other programs and sessions give it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Trajectory {
    pub id: String,
    /// The success and the failure on one task share it.
    #[serde(default)]
    pub pair_id: Option<String>,
    /// The environment (`alfworld`, `webshop`).
    #[serde(default)]
    pub env: String,
    #[serde(default)]
    pub task_id: Option<serde_json::Value>,
    #[serde(default)]
    pub task: String,
    #[serde(default)]
    pub task_type: Option<String>,
    #[serde(default)]
    pub model: Option<String>,
    #[serde(default)]
    pub source: Option<String>,
    /// The observation before the first action.
    #[serde(default)]
    pub initial_observation: Option<String>,
    pub steps: Vec<Step>,
    #[serde(default)]
    pub success: bool,
    /// The score, from 0 to 1.
    #[serde(default)]
    pub score: f64,
    /// How it ended (`purchase`, `repeat`, `limit`, `stopped`).
    #[serde(default)]
    pub terminated: Option<String>,
    #[serde(flatten)]
    pub rest: serde_json::Map<String, serde_json::Value>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct LogError {
    /// The line, counted from 1.
    pub line: usize,
    pub message: String,
}

/// Faults of a file that are told one by one.
const MOST_TOLD: usize = 20;

/// Reads a log of trajectories. Each line is read by itself: what is wrong in one takes nothing from the others.
pub fn read(text: &str) -> Vec<Result<Trajectory, LogError>> {
    each(text).collect()
}

fn each(text: &str) -> impl Iterator<Item = Result<Trajectory, LogError>> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(i, line)| read_line(line).map_err(|message| LogError { line: i + 1, message }))
}

fn read_line(line: &str) -> Result<Trajectory, String> {
    let mut values = serde_json::Deserializer::from_str(line).into_iter::<serde_json::Value>();
    let first = values.next().ok_or("the line is empty")?;
    let first = first.map_err(|e| format!("no JSON: {e}"))?;
    if values.next().is_some() {
        return Err("something follows the trajectory on its line; write one trajectory a line".to_owned());
    }
    let first = actions_alone(first);
    let mut trajectory: Trajectory = serde_json::from_value(first)
        .map_err(|e| format!("no trajectory: {e}; `id` and `steps` with `action` are expected"))?;
    if trajectory.steps.is_empty() {
        return Err(format!("trajectory {:?} has no steps", trajectory.id));
    }
    // Nothing observed is no observation.
    for step in &mut trajectory.steps {
        step.thought = step.thought.take().filter(|thought| !thought.is_empty());
    }
    Ok(trajectory)
}

/// A published session that lists its actions and no observations, as steps.
fn actions_alone(mut value: serde_json::Value) -> serde_json::Value {
    let Some(line) = value.as_object_mut().filter(|line| !line.contains_key("steps")) else { return value };
    if let Some(serde_json::Value::Array(actions)) = line.get("actions").cloned() {
        let steps = actions.into_iter().map(|action| serde_json::json!({ "action": action })).collect();
        line.insert("steps".to_owned(), serde_json::Value::Array(steps));
        line.remove("actions");
        if let Some(reward) = line.get("reward").and_then(serde_json::Value::as_f64) {
            line.entry("score").or_insert(reward.into());
            line.entry("success").or_insert((reward >= 1.0).into());
        }
    }
    value
}

/// The logs of a file in any of the layouts that are read: a trajectory a line in JSON, or texts of ReAct; with what is wrong in it.
/// Ids that come twice are told apart by a number. Of many faults the first are told, and how many more there are.
pub fn read_any(text: &str, name: &str) -> (Vec<Trajectory>, Vec<LogError>) {
    let is_json = text.trim_start().starts_with('{');
    let read: Box<dyn Iterator<Item = _>> =
        if is_json { Box::new(each(text)) } else { Box::new(log::read_all(text, name).into_iter()) };
    let (mut untold, mut last) = (0usize, 0);
    let (mut logs, mut wrong): (Vec<Trajectory>, Vec<LogError>) = (Vec::new(), Vec::new());
    let mut seen: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
    for line in read {
        match line {
            Err(error) if wrong.len() < MOST_TOLD => wrong.push(error),
            Err(error) => (untold, last) = (untold + 1, error.line),
            Ok(mut log) => {
                let times = seen.entry(log.id.clone()).or_default();
                *times += 1;
                if *times > 1 {
                    log.id = format!("{} ({times})", log.id);
                }
                logs.push(log);
            }
        }
    }
    if untold > 0 {
        wrong.push(LogError { line: last, message: format!("the last of {untold} more that cannot be read") });
    }
    if logs.is_empty() && wrong.is_empty() {
        wrong.push(LogError { line: 1, message: "the file is empty; a trajectory a line is expected".to_owned() });
    }
    (logs, wrong)
}

impl Trajectory {
    /// Its beginning as a step: what was observed before the first action.
    pub fn reset(&self) -> Step {
        Step { observation: self.initial_observation.clone(), ..Step::default() }
    }

    /// Steps whose observation the log does not have.
    pub fn unobserved(&self) -> usize {
        self.steps.iter().filter(|step| step.observation.is_none()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_line_is_named_and_takes_nothing_from_the_others() {
        let good = r#"{"id":"a","steps":[{"action":"look"}],"note":"n"}"#;
        let read = read(&format!("{good}\n{good}{good}\n{{\"id\":1}}\n\n{{\"id\":\"b\",\"steps\":[]}}\n{{"));
        let errors: Vec<String> = read.iter().filter_map(|line| line.as_ref().err()).map(ToString::to_string).collect();
        assert_eq!(read.iter().filter(|line| line.is_ok()).count(), 1);
        assert!(errors[0].starts_with("line 2: something follows"), "{errors:?}");
        assert!(
            errors[1].starts_with("line 3: ") && errors[2].starts_with("line 5: ") && errors[3].starts_with("line 6: ")
        );
        let first = read[0].as_ref().unwrap();
        assert_eq!(first.unobserved(), 1);
        assert_eq!(first.rest["note"], "n");
    }

    #[test]
    fn files_of_any_layout_are_read() {
        let actions = r#"{"id":"a","actions":["search[x]","click[Buy Now]"],"reward":1.0,"pages":[]}"#;
        let (logs, wrong) = read_any(&format!("{actions}\n{actions}\nnothing\n"), "f");
        assert_eq!((logs.len(), wrong.len(), logs[0].unobserved(), logs[0].success), (2, 1, 2, true));
        assert_eq!((logs[1].id.as_str(), wrong[0].line), ("a (2)", 3));
        let (logs, wrong) = read_any("You are in a room.\n> look\nA room.\n", "f");
        assert_eq!((logs[0].id.as_str(), wrong.len()), ("f", 0));
        assert_eq!(read_any("", "f").1[0].line, 1);
    }
}
