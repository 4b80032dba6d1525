//! The records: a step of an episode, an episode as a log holds it, and what is wrong with a line of one.

use std::borrow::Cow;

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};
use stepwright_program::Call;

/// A step of an episode: what was thought, done and observed. The reset is a step without an action.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Step {
    /// The thought before the action; `None` where that is not known.
    #[serde(default, alias = "think")]
    pub thought: Option<String>,
    /// The action's text; that of the call where a line gives the call alone.
    #[serde(default, alias = "command")]
    pub action: String,
    /// The action as a call; `None` for the reset and for actions without one.
    #[serde(default, alias = "action_call", skip_serializing_if = "Option::is_none")]
    pub call: Option<Call>,
    /// The text observed; `None` where that is not known.
    pub observation: Option<String>,
    /// What was said to the agent after that by somebody else than what it acted on (a user who goes on); empty where nothing was.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub told: String,
    /// The observation as calls, in program order.
    #[serde(default, alias = "observation_calls", skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Call>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
    /// What a session of this program says of the decision: its proposals, verdicts, rejections.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided: Option<serde_json::Value>,
}

impl Step {
    /// The text observed; empty where that is not known.
    pub fn observed(&self) -> &str {
        self.observation.as_deref().unwrap_or_default()
    }

    /// The text observed, and below it what was said to the agent after it.
    pub fn heard(&self) -> Cow<'_, str> {
        joined(self.observed(), &self.told)
    }

    /// Whether the world refused the action: it is known, or what was observed says so in the recorded environments' words.
    pub fn is_refused(&self) -> bool {
        let observed = self.observed().trim();
        self.refused || observed == "Nothing happens." || observed.starts_with("Invalid action")
    }

    /// Whether the world did it, and what was observed then is written down.
    pub fn is_accepted(&self) -> bool {
        self.observation.is_some() && !self.is_refused()
    }

    /// All its calls in program order, that of the action first.
    pub fn all_calls(&self) -> impl Iterator<Item = &Call> {
        self.call.iter().chain(&self.calls)
    }
}

/// Two texts, a blank line between them; one of them where the other is empty.
pub(crate) fn joined<'t>(first: &'t str, then: &'t str) -> Cow<'t, str> {
    match (first, then) {
        (text, "") | ("", text) => Cow::Borrowed(text),
        (first, then) => Cow::Owned(format!("{first}\n\n{then}")),
    }
}

/// A recorded episode: its task, its outcome and its steps, as logs of other programs and sessions give it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Trajectory {
    /// A number is read as its text.
    #[serde(deserialize_with = "text_or_number")]
    pub id: String,
    /// The success and the failure on one task share it.
    pub pair_id: Option<String>,
    /// The environment (`alfworld`, `webshop`).
    #[serde(default)]
    pub env: String,
    pub task_id: Option<serde_json::Value>,
    #[serde(default)]
    pub task: String,
    pub task_type: Option<String>,
    pub model: Option<String>,
    pub source: Option<String>,
    /// The observation before the first action.
    pub initial_observation: Option<String>,
    pub steps: Vec<Step>,
    /// Whether it reached its goal; `None` where the log does not say.
    pub success: Option<bool>,
    /// The score, from 0 to 1; 0 where none is given.
    #[serde(default, deserialize_with = "none_is_zero")]
    pub score: f64,
    /// How it ended (`purchase`, `repeat`, `limit`, `stopped`).
    pub terminated: Option<String>,
    /// The tools that its calls are of, as models are given them; none where it is of a world.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<serde_json::Value>,
    #[serde(flatten)]
    pub rest: serde_json::Map<String, serde_json::Value>,
}

fn text_or_number<'de, D: Deserializer<'de>>(of: D) -> Result<String, D::Error> {
    match serde_json::Value::deserialize(of)? {
        serde_json::Value::String(text) => Ok(text),
        serde_json::Value::Number(number) => Ok(number.to_string()),
        _ => Err(D::Error::custom("`id` is neither a text nor a number")),
    }
}

fn none_is_zero<'de, D: Deserializer<'de>>(of: D) -> Result<f64, D::Error> {
    Option::deserialize(of).map(Option::unwrap_or_default)
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", if *line > 0 { format!("line {line}: ") } else { String::new() })]
pub struct LogError {
    /// The line, counted from 1; 0 in a file that has none.
    pub line: usize,
    pub message: String,
}

impl Trajectory {
    /// Its beginning as a step: what was observed before the first action.
    pub fn reset(&self) -> Step {
        Step { observation: self.initial_observation.clone(), ..Step::default() }
    }

    /// Whether it says that it reached its goal.
    pub fn succeeded(&self) -> bool {
        self.success == Some(true)
    }

    /// Whether it says that it did not reach its goal.
    pub fn failed(&self) -> bool {
        self.success == Some(false)
    }

    /// How it ended, in words.
    pub fn how(&self) -> &'static str {
        match self.success {
            Some(true) => "a success",
            Some(false) => "a failure",
            None => "success not said",
        }
    }

    /// Steps whose observation the log does not have.
    pub fn unobserved(&self) -> usize {
        self.steps.iter().filter(|step| step.observation.is_none()).count()
    }
}

#[cfg(test)]
mod tests {
    use crate::read;

    #[test]
    fn what_is_harmless_is_read_and_what_is_wrong_refused_in_words() {
        let line = r#"{"id": 7, "score": null, "steps": [{"action": "look", "thought": "", "reward": 1}]}"#;
        let log = read(line).remove(0).unwrap();
        assert_eq!((log.id.as_str(), log.score.to_bits()), ("7", 0));
        assert_eq!((&log.steps[0].thought, &log.steps[0].observation), (&None, &None));
        for (line, said) in [
            (r#"{"id": "a", "steps": []}"#, "trajectory \"a\" has no steps"),
            (r#"{"id": [], "steps": [{"action": "look"}]}"#, "`id` is neither a text nor a number"),
            (r#"{"steps": [{"action": "look"}]}"#, "missing field `id`"),
            (r#"{"id": "a", "score": "high", "steps": [{"action": "look"}]}"#, "no trajectory: invalid type: string"),
            (r#"{"id": "a", "steps": [{"thought": "x"}]}"#, "step 1 has no `action`"),
        ] {
            let error = read(line).remove(0).unwrap_err().to_string();
            assert!(error.contains(said), "{line}: {error}");
        }
    }
}
