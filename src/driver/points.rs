//! The points of an episode: world and program at every node of the tree, to go back to.
//!
//! Snapshots are kept at some nodes only, so memory stays bounded in long sessions; the others are reached by replaying the few
//! actions in between. Replaying never asks a model, and compares what the world says with what was recorded.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;

use super::mind::{Mind, MindState};
use crate::episode::{Node, NodeId, Session, StepOutcome};
use crate::world::{Outcome, Snapshot, World};

/// A snapshot is kept at every node whose depth is a multiple of this.
const EVERY: u32 = 16;
/// And at as many of the nodes visited last.
const RECENT: usize = 48;

/// World and program, at one node.
pub(super) struct Points {
    pub(super) world: Box<dyn World>,
    pub(super) state: MindState,
    at: NodeId,
    kept: BTreeMap<NodeId, (Snapshot, MindState)>,
    recent: VecDeque<NodeId>,
}

/// The logged part of a world's outcome.
pub(super) fn logged(outcome: &Outcome) -> StepOutcome {
    StepOutcome {
        observation: outcome.observation.clone(),
        calls: outcome.calls().map(ToString::to_string).collect(),
        error: outcome.error.clone(),
        reward: outcome.reward,
        done: outcome.done,
        won: outcome.won,
    }
}

/// How the world's answer differs from the record, if it does.
fn difference(node: &Node, got: &StepOutcome) -> Option<String> {
    let expected = &node.outcome;
    let (what, was, is) = if expected.observation != got.observation {
        ("observation", format!("{:?}", expected.observation), format!("{:?}", got.observation))
    } else if expected.calls != got.calls {
        ("calls", expected.calls.join("; "), got.calls.join("; "))
    } else if (expected.done, expected.won) != (got.done, got.won) {
        let words = |o: &StepOutcome| format!("done {}, won {}", o.done, o.won);
        ("end", words(expected), words(got))
    } else if expected.error.is_some() != got.error.is_some() {
        ("error", format!("{:?}", expected.error), format!("{:?}", got.error))
    } else {
        return None;
    };
    let step = match &node.action {
        Some(action) => format!("step {} (`{}`)", node.depth, action.text),
        None => "the reset".to_owned(),
    };
    Some(format!("{step}: the {what} was {was} and is now {is}"))
}

impl Points {
    /// World and program at the root, given what the reset gave.
    pub(super) fn new(world: Box<dyn World>, mind: &Mind, reset: &Outcome) -> Self {
        let mut state = mind.start();
        state.run(reset.calls());
        let mut points = Points { world, state, at: 0, kept: BTreeMap::new(), recent: VecDeque::new() };
        points.keep(0, 0);
        points
    }

    /// Performs an action and keeps the new point as `child`.
    pub(super) fn act(&mut self, text: &str, child: NodeId, depth: u32) -> Result<Outcome, String> {
        let outcome = self.world.act(text).map_err(|e| e.to_string())?;
        self.state.run(outcome.calls());
        self.at = child;
        self.keep(child, depth);
        Ok(outcome)
    }

    /// Goes to a node by the nearest kept point above it.
    ///
    /// # Errors
    /// Where the world answers otherwise than recorded, or breaks. World and program then stand where they stood before.
    pub(super) fn go(&mut self, session: &Session, to: NodeId) -> Result<(), String> {
        if to == self.at {
            return Ok(());
        }
        let path = session.path(to);
        let start = path.iter().rposition(|n| self.kept.contains_key(&n.id)).unwrap_or(0);
        let before = (self.world.snapshot(), self.state.clone());
        let result = self.replay(path.get(start..).unwrap_or_default());
        match result {
            Ok(()) => self.at = to,
            Err(_) => {
                // Restoring a snapshot of the same world and task just taken cannot be refused.
                let _ = self.world.restore(&before.0);
                self.state = before.1;
            }
        }
        result
    }

    /// The world's truth at a node whose point is kept; the world stays where it is.
    pub(super) fn truth_at(&self, node: NodeId) -> Option<Value> {
        let (snapshot, _) = self.kept.get(&node)?;
        let mut there = self.world.fork();
        there.restore(snapshot).ok()?;
        Some(there.truth())
    }

    fn replay(&mut self, path: &[&Node]) -> Result<(), String> {
        let Some((first, rest)) = path.split_first() else { return Err("there is no such point".into()) };
        let Some((snapshot, state)) = self.kept.get(&first.id) else { return Err("the point was not kept".into()) };
        self.world.restore(snapshot).map_err(|e| e.to_string())?;
        self.state = state.clone();
        for node in rest {
            let Some(action) = &node.action else { continue };
            let outcome = self.world.act(&action.text).map_err(|e| e.to_string())?;
            self.state.run(outcome.calls());
            if let Some(difference) = difference(node, &logged(&outcome)) {
                return Err(difference);
            }
            self.keep(node.id, node.depth);
        }
        Ok(())
    }

    /// Compares the reset with its record.
    pub(super) fn compare_reset(session: &Session, reset: &Outcome) -> Result<(), String> {
        match session.node(0).and_then(|root| difference(root, &logged(reset))) {
            Some(difference) => Err(difference),
            None => Ok(()),
        }
    }

    fn keep(&mut self, node: NodeId, depth: u32) {
        self.kept.insert(node, (self.world.snapshot(), self.state.clone()));
        if !depth.is_multiple_of(EVERY) {
            self.recent.push_back(node);
            if self.recent.len() > RECENT
                && let Some(old) = self.recent.pop_front()
                && !self.recent.contains(&old)
            {
                self.kept.remove(&old);
            }
        }
    }
}
