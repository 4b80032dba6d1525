//! The example sessions that ship in the program: they open without any model.

use std::path::Path;

use super::error::OpenError;
use stepwright_episode::log;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    pub name: &'static str,
    pub title: &'static str,
    pub text: &'static str,
}

/// Examples by name and title; the log is the session of that name.
macro_rules! examples {
    ($($name:literal: $title:literal),+ $(,)?) => {
        &[$(Example { name: $name, title: $title, text: include_str!(concat!("../sessions/", $name, ".jsonl")) }),+]
    };
}

pub const EXAMPLES: &[Example] = examples! {
    "solved": "The built-in proposer heats a tomato and puts it in the fridge",
    "by-hand": "A person rejects, edits, goes back and branches",
    "algorithm-1": "Algorithm 1 turns a greedy completion down and samples on (scripted completions)",
    "dialogue": "A dialogue predicted act by act; a person corrects the proposer",
    "kitchen": "Coffee by blocking conditions: what blocks is resolved; a person goes back across it",
    "table": "Requests at a table: a wrong belief answers wrongly; a person goes back and corrects it",
    "reprompt": "A plan meets an error: a correction that leads nowhere; back at it, an edited prompt and another correction (scripted completions)",
    "reprompt-mixed": "Re-prompting in the household: an assertion vetoes a step, the world refuses another, a blocking tree grows from each (scripted)",
    "gate": "An agent behind the gate: a person rejects, edits, words a request otherwise, goes back and branches (the demonstration's model)",
};

pub fn load(name: &str) -> Result<log::Loaded, OpenError> {
    let known = || EXAMPLES.iter().map(|e| e.name).collect::<Vec<_>>().join(", ");
    let example = EXAMPLES.iter().find(|e| e.name == name).ok_or_else(|| OpenError::Unknown {
        what: "example",
        name: name.to_owned(),
        known: known(),
    })?;
    Ok(log::read(example.text.as_bytes(), Path::new(example.name))?)
}
