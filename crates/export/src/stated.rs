//! A state as an export says it: whole where that has room, else its size. What each step changed is said either way.

use serde::Serialize;
use serde_json::Value;
use stepwright_episode::{NodeId, Session};

/// Characters that the states of a session may take, in compact JSON: each step has an equal part of them.
const ALL: usize = 2_000_000;
/// What a step has at least.
const LEAST: usize = 1_000;

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stated {
    Whole(Value),
    /// Its bytes in compact JSON; it is whole where its line ends.
    Left(usize),
}

impl Default for Stated {
    fn default() -> Self {
        Stated::Whole(Value::Null)
    }
}

impl Stated {
    /// The state at a node. It is whole where the session is and where a line ends, however large.
    pub fn at(session: &Session, node: NodeId, value: &Value) -> Self {
        let ends = session.cursor() == node || session.node(node).is_none_or(|node| session.next(node).is_none());
        let most = (ALL / session.nodes().len().max(1)).max(LEAST);
        match size(value) {
            size if size > most && !ends => Stated::Left(size),
            _ => Stated::Whole(value.clone()),
        }
    }

    /// Whether there is none.
    pub(crate) fn is_none(&self) -> bool {
        matches!(self, Stated::Whole(Value::Null))
    }
}

/// Bytes of compact JSON.
fn size(value: &Value) -> usize {
    let text = |text: &str| text.len() + 2;
    match value {
        Value::Null | Value::Bool(_) => 4,
        Value::Number(number) => number.to_string().len(),
        Value::String(own) => text(own),
        Value::Array(items) => items.iter().map(|item| size(item) + 1).sum::<usize>() + 1,
        Value::Object(fields) => fields.iter().map(|(key, field)| text(key) + size(field) + 2).sum::<usize>() + 1,
    }
}
