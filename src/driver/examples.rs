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

/// All of them.
pub const EXAMPLES: &[Example] = &[
    Example {
        name: "solved",
        title: "The built-in proposer heats a tomato and puts it in the fridge",
        text: include_str!("../../sessions/solved.jsonl"),
    },
    Example {
        name: "by-hand",
        title: "A person rejects, edits, goes back and branches",
        text: include_str!("../../sessions/by-hand.jsonl"),
    },
    Example {
        name: "algorithm-1",
        title: "Algorithm 1 turns a greedy completion down and samples on (scripted completions)",
        text: include_str!("../../sessions/algorithm-1.jsonl"),
    },
    Example {
        name: "dialogue",
        title: "A dialogue predicted act by act; a person corrects the proposer",
        text: include_str!("../../sessions/dialogue.jsonl"),
    },
    Example {
        name: "kitchen",
        title: "Coffee by blocking conditions: what blocks is resolved; a person goes back across it",
        text: include_str!("../../sessions/kitchen.jsonl"),
    },
    Example {
        name: "table",
        title: "Requests at a table: a wrong belief answers wrongly; a person goes back and corrects it",
        text: include_str!("../../sessions/table.jsonl"),
    },
];
