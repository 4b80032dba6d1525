//! Requests that were answered, as prompts show them.

use serde::Serialize;
use serde_json::Value;

use super::answer::list_of;
use crate::think::one_line;
use stepwright_belief as belief;
use stepwright_world::{CUPS, NOTHING, UPDATING};

/// A request that was answered, or of a worked example an update alone.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct AnsweredRequest {
    pub query: String,
    pub code: String,
    /// The same for a method that maintains no state.
    pub plain: String,
    /// The belief after it, as prompts show it.
    pub state: String,
    /// What the history of a conversation holds of the answer.
    pub answer: String,
}

impl AnsweredRequest {
    /// A request with its decision and the belief after it.
    pub fn new(query: &str, code: &str, believed: Option<&Value>) -> Self {
        AnsweredRequest {
            query: one_line(query),
            code: code.to_owned(),
            plain: plain(code),
            state: believed.map(shown).unwrap_or_default(),
            answer: String::new(),
        }
    }
}

pub(super) fn shown(state: &Value) -> String {
    match cups(state) {
        Some(cups) => list_of(&cups),
        None => belief::write(state),
    }
}

pub fn cups(state: &Value) -> Option<Vec<bool>> {
    state.get(CUPS)?.as_array()?.iter().map(Value::as_bool).collect()
}

pub(super) fn objects(state: &Value) -> String {
    let names = state.get(belief::OBJECTS).and_then(Value::as_array);
    let names: Vec<String> = names.into_iter().flatten().map(ToString::to_string).collect();
    format!("[{}]", names.join(", "))
}

/// A program without what concerns the state.
fn plain(code: &str) -> String {
    let left: Vec<&str> =
        code.lines().filter(|l| !l.trim_start().starts_with(UPDATING) && !l.trim_start().starts_with('#')).collect();
    if left.iter().all(|l| l.trim().is_empty()) { NOTHING.to_owned() } else { left.join("\n") }
}
