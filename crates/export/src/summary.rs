//! A session in a line: what a list of sessions says of each. Pure; reading files is the caller's.

use serde::Serialize;

use super::compare::tips;
use super::story::outcome;
use stepwright_episode::{Header, Session};

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    pub sentence: String,
    pub world: String,
    pub task: String,
    pub method: String,
    pub model: String,
    pub steps: u32,
    /// Branches, 1 where nothing was tried twice.
    pub branches: usize,
    /// Whether the goal is reached; `None` where that is not known.
    pub won: Option<bool>,
    pub done: bool,
    pub outcome: String,
    /// When it was begun, Unix time in milliseconds.
    pub created: u64,
}

pub fn summary(session: &Session) -> Summary {
    let Header { sentence, world, task, created, .. } = session.header.clone();
    let node = session.current();
    let under = session.decided_under(session.path(session.cursor()).into_iter());
    Summary {
        sentence,
        world,
        task,
        method: under.method,
        model: under.model,
        steps: node.map_or(0, |n| n.depth),
        branches: tips(session).len(),
        won: node.map_or(Some(false), |n| n.outcome.reached()),
        done: node.is_some_and(|n| n.outcome.done),
        outcome: node.map_or_else(|| "not started".to_owned(), outcome),
        created,
    }
}
