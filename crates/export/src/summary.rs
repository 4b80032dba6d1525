//! A session in a line: what a list of sessions says of each. Pure; reading files is the caller's.

use serde::Serialize;

use super::compare::tips;
use super::story::outcome;
use stepwright_episode::{Header, Session, Tally};

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    pub sentence: String,
    pub world: String,
    pub task: String,
    pub method: String,
    pub model: String,
    /// Those that executed something: a blocked selection is none.
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
    let (node, path) = (session.current(), session.path(session.cursor()));
    let under = session.decided_under(path.iter().copied());
    Summary {
        sentence,
        world,
        task,
        method: under.method,
        model: under.model,
        steps: Tally::of(&path).steps,
        branches: tips(session).len(),
        won: node.map_or(Some(false), |n| n.outcome.reached()),
        done: node.is_some_and(|n| n.outcome.done),
        outcome: outcome(session, &path),
        created,
    }
}
