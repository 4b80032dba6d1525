//! The points of an episode: world and program at every node of the tree, to go back to.
//!
//! Snapshots are kept at some nodes only, so memory stays bounded in long sessions; the others are reached by replaying the few
//! actions in between. Replaying never asks a model, and compares what the world says with what was recorded. The blocking tree
//! goes with the world: a step that was blocked is replayed in the tree alone.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde_json::Value;

use super::mind::{Mind, MindState};
use super::proposing::{lived, observed};
use crate::blocking::{Growth, Selection};
use crate::episode::{Node, NodeId, Session, StepOutcome, TreeEdit};
use crate::program::Call;
use crate::world::remote::Recorded;
use crate::world::{Outcome, Request, Snapshot, World, WorldError, state_form};

/// A snapshot is kept at every node whose depth is a multiple of this.
const EVERY: u32 = 16;
/// And at as many of the nodes visited last.
const RECENT: usize = 48;

/// World, program and blocking tree, at one node.
pub(super) struct Points {
    pub(super) world: Box<dyn World>,
    pub(super) state: MindState,
    /// The blocking tree, where the world has a domain or one was derived; with the person's changes at this node.
    pub(super) growth: Option<Growth>,
    at: NodeId,
    kept: BTreeMap<NodeId, Point>,
    recent: VecDeque<NodeId>,
    /// The request that was open at every node that was visited.
    requests: BTreeMap<NodeId, Request>,
    /// The truth as beliefs tell it, at every node that was visited; empty where the world does not tell it so.
    truths: BTreeMap<NodeId, Arc<Value>>,
    /// Whether the truth is told by the form that ships for the world, where the world has none of its own.
    formed: bool,
}

/// A point as it was arrived at: the blocking tree without changes made there.
struct Point {
    world: Snapshot,
    state: MindState,
    growth: Option<Growth>,
}

/// How the world's answer differs from the record, if it does.
fn difference(node: &Node, got: &StepOutcome) -> Option<String> {
    let difference = node.outcome.difference(got)?;
    let step = match &node.action {
        Some(action) => format!("step {} (`{}`)", node.depth, action.text),
        None => "the reset".to_owned(),
    };
    Some(format!("{step}: {difference}"))
}

/// The calls of a recorded outcome.
fn recorded_calls(outcome: &StepOutcome) -> Vec<Call> {
    outcome.calls.iter().filter_map(|c| c.parse().ok()).collect()
}

/// Resets a world to a session's task: what that gave, and its calls. A world in another process takes the record of a session
/// that has begun for it, so that reading one starts nothing.
pub(super) fn reset(world: &mut dyn World, session: &Session) -> Result<(StepOutcome, Vec<Call>), WorldError> {
    let (task, seed) = (session.header.task.as_str(), session.header.seed);
    if let (Some(remote), Some(root)) = (world.remote(), session.node(0)) {
        remote.recall(Recorded::Reset { task, seed, outcome: &root.outcome });
        return Ok((root.outcome.clone(), recorded_calls(&root.outcome)));
    }
    let outcome = world.reset(task, seed)?;
    Ok((StepOutcome::from(&outcome), outcome.calls().cloned().collect()))
}

impl Points {
    /// World and program at the root, given the reset's calls.
    pub(super) fn new(world: Box<dyn World>, mind: &Mind, growth: Option<Growth>, reset: &[Call]) -> Self {
        let mut state = mind.start();
        state.run(reset.iter());
        let (kept, recent, requests, truths) = (BTreeMap::new(), VecDeque::new(), BTreeMap::new(), BTreeMap::new());
        let mut points = Points { world, state, growth, at: 0, kept, recent, requests, truths, formed: false };
        points.keep(0, 0);
        points
    }

    /// Performs an action and keeps the new point as `child`. Where it is a selection from the blocking tree, a blocked one only
    /// grows the tree, and the tree's limit ends the episode.
    pub(super) fn act(
        &mut self,
        text: &str,
        selecting: bool,
        child: NodeId,
        depth: u32,
    ) -> Result<StepOutcome, String> {
        let mut outcome = match selecting.then(|| self.select(text)).flatten() {
            Some(blocked) => blocked,
            None => StepOutcome::from(&self.perform(text)?),
        };
        if selecting && !outcome.done {
            outcome.ended = self.growth.as_ref().and_then(Growth::spent);
            outcome.done = outcome.ended.is_some();
        }
        self.at = child;
        self.keep(child, depth);
        Ok(outcome)
    }

    /// Takes over a fork of the world that has acted, and keeps the new point as `child`.
    pub(super) fn arrive(&mut self, world: Box<dyn World>, outcome: &Outcome, child: NodeId, depth: u32) {
        self.world = world;
        self.state.run(outcome.calls());
        self.at = child;
        self.keep(child, depth);
    }

    /// Takes over a fork of the world that knows more of the present point.
    pub(super) fn refresh(&mut self, world: Box<dyn World>, depth: u32) {
        self.world = world;
        self.keep(self.at, depth);
    }

    /// Selects a leaf of the tree; what it gives where it is blocked.
    fn select(&mut self, text: &str) -> Option<StepOutcome> {
        let growth = self.growth.as_mut()?;
        let facts = growth.facts(self.world.as_ref())?;
        match growth.select(text, &facts, self.world.as_ref()) {
            Selection::Blocked(blocked) => {
                let domain = growth.domain();
                let (condition, resolution) =
                    (domain.recorded(&blocked.condition), domain.recorded(&blocked.resolution));
                let observation = format!("Not executed: {condition}. What makes `{resolution}` true may help.");
                Some(StepOutcome { observation, blocked: Some(condition), ..StepOutcome::default() })
            }
            Selection::Execute | Selection::NotALeaf => None,
        }
    }

    /// Has the world perform an action, and program and tree take it in.
    fn perform(&mut self, text: &str) -> Result<Outcome, String> {
        let before = self.growth.as_ref().and_then(|growth| growth.told(self.world.as_ref()));
        let outcome = self.world.act(text).map_err(|e| e.to_string())?;
        self.state.run(outcome.calls());
        if let (Some(growth), Some(before)) = (&mut self.growth, before) {
            let world = self.world.as_ref();
            if growth.is_derived() {
                growth.hear(lived(world.call_of(text), &StepOutcome::from(&outcome)), outcome.won, world);
            }
            growth.executed(text, outcome.error.as_deref(), &before, world);
        }
        Ok(outcome)
    }

    /// The tree at the present node with these changes in place of those it has.
    ///
    /// # Errors
    /// Where a change makes no sense, in words; the tree is then as it was.
    pub(super) fn changed_tree(&self, edits: &[TreeEdit]) -> Result<Growth, String> {
        let kept = self.kept.get(&self.at).and_then(|point| point.growth.clone());
        let mut growth = kept.ok_or("there is no blocking tree here; a world needs a blocking domain for one")?;
        edits.iter().try_for_each(|edit| growth.edit(edit, self.world.as_ref()))?;
        Ok(growth)
    }

    /// The program's state after the reset.
    pub(super) fn root_state(&self) -> Option<&MindState> {
        self.kept.get(&0).map(|point| &point.state)
    }

    /// Has a derived tree take in a recorded step. The world is only asked how it words things.
    pub(super) fn follow(&self, growth: &mut Growth, node: &Node) {
        let world = self.world.as_ref();
        let (Some(action), Some(told)) = (&node.action, growth.told(world)) else { return };
        for edit in &node.tree_edits {
            // One that no longer fits, because other assertions are in force, is passed over.
            let _ = growth.edit(edit, world);
        }
        if node.outcome.blocked.is_some() {
            growth.select(&action.text, &told.facts, world);
        } else {
            growth.hear(observed(node), node.outcome.won, world);
            growth.executed(&action.text, node.outcome.error.as_deref(), &told, world);
        }
    }

    /// Begins a tree at the present node, with the person's changes there.
    pub(super) fn begin_tree(&mut self, growth: Growth, edits: &[TreeEdit]) {
        if let Some(point) = self.kept.get_mut(&self.at) {
            point.growth = Some(growth.clone());
        }
        self.growth = Some(growth);
        self.edit(edits);
    }

    /// Drops all derived trees. Says whether one was shown here.
    pub(super) fn forget_derived(&mut self) -> bool {
        let forget = |growth: &mut Option<Growth>| growth.take_if(|growth| growth.is_derived()).is_some();
        for point in self.kept.values_mut() {
            forget(&mut point.growth);
        }
        forget(&mut self.growth)
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
        let before = Point { world: self.world.snapshot(), state: self.state.clone(), growth: self.growth.clone() };
        let result = self.replay(path.get(start..).unwrap_or_default());
        match result {
            Ok(()) => {
                self.at = to;
                if let Some(node) = path.last() {
                    self.edit(&node.tree_edits_here());
                }
            }
            Err(_) => {
                // Restoring a snapshot of the same world and task just taken cannot be refused.
                let _ = self.world.restore(&before.world);
                (self.state, self.growth) = (before.state, before.growth);
            }
        }
        result
    }

    /// The world's truth at a node whose point is kept; the world stays where it is.
    pub(super) fn truth_at(&self, node: NodeId) -> Option<Value> {
        let mut there = self.world.fork();
        there.restore(&self.kept.get(&node)?.world).ok()?;
        Some(there.truth())
    }

    fn replay(&mut self, path: &[&Node]) -> Result<(), String> {
        let Some((first, rest)) = path.split_first() else { return Err("there is no such point".into()) };
        let Some(point) = self.kept.get(&first.id) else { return Err("the point was not kept".into()) };
        self.world.restore(&point.world).map_err(|e| e.to_string())?;
        (self.state, self.growth) = (point.state.clone(), point.growth.clone());
        for node in rest {
            let Some(action) = &node.action else { continue };
            self.edit(&node.tree_edits);
            if let Some(remote) = self.world.remote() {
                // Replaying starts no process: it is brought here when the next step is taken.
                remote.recall(Recorded::Act { text: &action.text, outcome: &node.outcome });
                self.state.run(recorded_calls(&node.outcome).iter());
            } else {
                let derived = self.growth.as_ref().is_some_and(Growth::is_derived);
                let outcome = match node.outcome.blocked.is_some().then(|| self.select(&action.text)).flatten() {
                    // What blocks a derived action depends on the assertions in force, which may be others now.
                    Some(_) if derived => node.outcome.clone(),
                    Some(blocked) => blocked,
                    // A tree of another domain would have it executed: the world is left alone all the same.
                    None if node.outcome.blocked.is_some() => node.outcome.clone(),
                    None => StepOutcome::from(&self.perform(&action.text)?),
                };
                if let Some(difference) = difference(node, &outcome) {
                    return Err(difference);
                }
            }
            self.keep(node.id, node.depth);
        }
        Ok(())
    }

    /// Makes recorded changes of the tree. One that no longer fits (another domain is in use) is passed over.
    fn edit(&mut self, edits: &[TreeEdit]) {
        if let Some(growth) = &mut self.growth {
            for edit in edits {
                let _ = growth.edit(edit, self.world.as_ref());
            }
        }
    }

    /// Compares the reset with its record.
    pub(super) fn compare_reset(session: &Session, reset: &StepOutcome) -> Result<(), String> {
        match session.node(0).and_then(|root| difference(root, reset)) {
            Some(difference) => Err(difference),
            None => Ok(()),
        }
    }

    /// Has the truth told as beliefs tell it from here on, also where only a form that ships says how.
    pub(super) fn tell_truth(&mut self) {
        self.formed = true;
        if let Some(truth) = self.truth() {
            self.truths.insert(self.at, Arc::new(truth));
        }
    }

    /// The truth as a belief would tell it.
    pub(super) fn truth(&self) -> Option<Value> {
        let formed = || self.formed.then(|| state_form::of(self.world.as_ref())).flatten();
        self.world.belief_form().or_else(formed)
    }

    /// The truth at a node as a belief would tell it.
    pub(super) fn told_at(&self, node: NodeId) -> Option<&Arc<Value>> {
        self.truths.get(&node)
    }

    /// The request that was open at a node.
    pub(super) fn request_at(&self, node: NodeId) -> Option<&Request> {
        self.requests.get(&node)
    }

    fn keep(&mut self, node: NodeId, depth: u32) {
        if let Some(request) = self.world.request() {
            self.requests.insert(node, request);
        }
        if let Some(truth) = self.truth() {
            self.truths.insert(node, Arc::new(truth));
        }
        let (world, state, growth) = (self.world.snapshot(), self.state.clone(), self.growth.clone());
        self.kept.insert(node, Point { world, state, growth });
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
