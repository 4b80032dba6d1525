//! Request as what it adds to an earlier one, so that a conversation is kept once: byte for byte, and however an agent drops, moves or
//! inserts messages.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::neutral::Problem;
use crate::raw::cuts;

/// A body in runs of pieces: those of the earlier one, and new ones.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Delta(Vec<Run>);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Run {
    New(String),
    /// Bytes of the earlier body, from where and how many.
    Kept(usize, usize),
}

impl Delta {
    /// What `next` adds to `previous` (empty for the first).
    pub fn of(previous: &str, next: &str) -> Self {
        let (old, new) = (pieces(previous), pieces(next));
        let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, (_, piece)) in old.iter().enumerate() {
            places.entry(piece).or_default().push(at);
        }
        let mut runs: Vec<Run> = Vec::new();
        // Where the last run would go on.
        let mut goes_on = 0;
        for (_, piece) in &new {
            let found = places.get(piece).and_then(|at| at.iter().find(|at| **at >= goes_on).or(at.last()).copied());
            match found.and_then(|at| Some((at, old.get(at)?.0))) {
                Some((at, byte)) => {
                    goes_on = at + 1;
                    match runs.last_mut() {
                        Some(Run::Kept(from, length)) if *from + *length == byte => *length += piece.len(),
                        _ => runs.push(Run::Kept(byte, piece.len())),
                    }
                }
                None => match runs.last_mut() {
                    Some(Run::New(text)) => text.push_str(piece),
                    _ => runs.push(Run::New((*piece).to_owned())),
                },
            }
        }
        Delta(runs)
    }

    /// The body again. Errors: it is no delta to this one.
    pub fn apply(&self, previous: &str) -> Result<String, Problem> {
        let mut body = String::new();
        for run in &self.0 {
            body.push_str(match run {
                Run::New(text) => text,
                Run::Kept(from, length) => from
                    .checked_add(*length)
                    .and_then(|to| previous.get(*from..to))
                    .ok_or_else(|| Problem("it adds to another request than this".into()))?,
            });
        }
        Ok(body)
    }
}

/// A body's pieces and where each begins.
fn pieces(body: &str) -> Vec<(usize, &str)> {
    let ends = cuts(body).into_iter().chain([body.len()]);
    let mut from = 0;
    let cut = ends.filter_map(|to| {
        let piece = (from, body.get(from..to)?);
        from = to;
        Some(piece)
    });
    cut.filter(|(_, piece)| !piece.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn body(messages: std::ops::Range<usize>) -> String {
        let messages: Vec<_> =
            messages.map(|n| json!({"role": "user", "content": format!("message {n}, {}", "x".repeat(500))})).collect();
        json!({"model": "m", "messages": messages, "tools": [{"name": "a"}, {"name": "b"}], "stream": false})
            .to_string()
    }

    #[test]
    fn a_conversation_is_kept_once() {
        let (mut previous, mut size) = (String::new(), 0);
        for n in 1..200 {
            let next = body(0..n);
            let delta = Delta::of(&previous, &next);
            assert_eq!(delta.apply(&previous).unwrap(), next);
            size += serde_json::to_string(&delta).unwrap().len();
            previous = next;
        }
        assert!(size < 200 * 700, "{size} bytes of 200 messages of 500");
        // A window that slides.
        let moved = body(50..201);
        let delta = Delta::of(&previous, &moved);
        assert_eq!(delta.apply(&previous).unwrap(), moved);
        assert!(serde_json::to_string(&delta).unwrap().len() < 2200);
    }

    proptest! {
        #[test]
        fn any_body_comes_back(a in ".{0,80}", b in ".{0,80}") {
            prop_assert_eq!(Delta::of(&a, &b).apply(&a).unwrap(), b);
        }
    }
}
