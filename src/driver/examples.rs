//! The example sessions that ship in the program: they open without any model.

/// A shipped session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    /// Its name (`solved`).
    pub name: &'static str,
    /// What it shows, in a sentence.
    pub title: &'static str,
    /// The log.
    pub text: &'static str,
}

/// Examples by name and title; the log is the session of that name.
macro_rules! examples {
    ($($name:literal: $title:literal),+ $(,)?) => {
        &[$(Example { name: $name, title: $title, text: include_str!(concat!("../../sessions/", $name, ".jsonl")) }),+]
    };
}

/// All of them.
pub const EXAMPLES: &[Example] = examples! {
    "solved": "The built-in proposer heats a tomato and puts it in the fridge",
    "by-hand": "A person rejects, edits, goes back and branches",
    "algorithm-1": "Algorithm 1 turns a greedy completion down and samples on (scripted completions)",
    "dialogue": "A dialogue predicted act by act; a person corrects the proposer",
    "kitchen": "Coffee by blocking conditions: what blocks is resolved; a person goes back across it",
    "table": "Requests at a table: a wrong belief answers wrongly; a person goes back and corrects it",
};
