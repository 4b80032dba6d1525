//! The timeline: world and program at every node of the session's tree, and what a method derives from the episode.
//!
//! Checkpoints are kept at the 48 nodes visited last and at every 16th depth, or where these would be too many at every 32nd, 64th, …, so
//! memory stays bounded; other nodes are reached by replaying the actions in between. Replaying asks no model and compares what the
//! world says with what was recorded.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde_json::Value;

use stepwright_episode::{Action, Node, NodeId, Session, StepOutcome, TreeEdit};
use stepwright_method::Follower;
use stepwright_method::program_context::{ProgramContext, ProgramState};
use stepwright_program::Call;
use stepwright_world::remote::Recorded;
use stepwright_world::{Outcome, Request, Snapshot, World, WorldError, state_form};

/// A checkpoint is kept at every node whose depth is a multiple of this, as long as they are not too many.
const EVERY: u32 = 16;
/// And at as many of the nodes visited last.
const RECENT: usize = 48;
/// Most checkpoints; where there would be more, those at every second of the depths go.
const MOST: usize = RECENT + 256;

/// World, program and derived state at one node.
pub(super) struct Timeline {
    pub(super) world: Box<dyn World>,
    pub(super) state: ProgramState,
    /// What a method derives from the episode, with the person's changes at this node.
    pub(super) follower: Option<Box<dyn Follower>>,
    at: NodeId,
    kept: BTreeMap<NodeId, Checkpoint>,
    recent: VecDeque<NodeId>,
    /// The depths at which checkpoints stay: the multiples of this.
    every: u32,
    /// The request that was open at every node that was visited.
    requests: BTreeMap<NodeId, Request>,
    /// The true state in the form of beliefs, at every node visited; empty where the world has no such form.
    truths: BTreeMap<NodeId, Arc<Value>>,
    /// Whether the truth is derived by the form that ships for the world, where the world has none of its own.
    formed: bool,
}

/// A node as it was arrived at: what is derived, without changes made there.
struct Checkpoint {
    depth: u32,
    world: Snapshot,
    state: ProgramState,
    follower: Option<Box<dyn Follower>>,
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
        return Ok((root.outcome.as_ref().clone(), recorded_calls(&root.outcome)));
    }
    let outcome = world.reset(task, seed)?;
    Ok((StepOutcome::from(&outcome), outcome.calls().cloned().collect()))
}

impl Timeline {
    /// World and program at the root, given the reset's calls.
    pub(super) fn new(
        world: Box<dyn World>,
        program: &ProgramContext,
        follower: Option<Box<dyn Follower>>,
        reset: &[Call],
    ) -> Self {
        let mut state = program.start();
        state.run(reset.iter());
        let (kept, recent, requests, truths) = (BTreeMap::new(), VecDeque::new(), BTreeMap::new(), BTreeMap::new());
        let every = EVERY;
        let mut timeline =
            Timeline { world, state, follower, at: 0, kept, recent, every, requests, truths, formed: false };
        timeline.keep(0, 0);
        timeline
    }

    /// Performs an action and keeps the new node as `child`; where the action is held, `held` is the result and the world is
    /// left alone.
    pub(super) fn act(
        &mut self,
        action: &Action,
        held: Option<StepOutcome>,
        child: NodeId,
        depth: u32,
    ) -> Result<StepOutcome, String> {
        let outcome = match held {
            Some(held) => held,
            None => self.perform(&action.text)?,
        };
        self.follow(action, &outcome);
        self.at = child;
        self.keep(child, depth);
        Ok(outcome)
    }

    /// Takes over a fork of the world that has acted, and keeps the new node as `child`.
    pub(super) fn arrive(
        &mut self,
        world: Box<dyn World>,
        action: &Action,
        outcome: &Outcome,
        child: NodeId,
        depth: u32,
    ) {
        self.world = world;
        self.state.run(outcome.calls());
        self.follow(action, &StepOutcome::from(outcome));
        self.at = child;
        self.keep(child, depth);
    }

    /// Takes over a fork of the world that knows more of the present node.
    pub(super) fn refresh(&mut self, world: Box<dyn World>, depth: u32) {
        self.world = world;
        self.keep(self.at, depth);
    }

    /// Has the world perform an action, and the program take it in.
    fn perform(&mut self, text: &str) -> Result<StepOutcome, String> {
        let outcome = self.world.act(text).map_err(|e| e.to_string())?;
        self.state.run(outcome.calls());
        Ok(StepOutcome::from(&outcome))
    }

    fn follow(&mut self, action: &Action, outcome: &StepOutcome) {
        if let Some(follower) = &mut self.follower {
            follower.follow(action, outcome, self.world.as_ref());
        }
    }

    /// Begins to keep derived state at the present node, with the person's changes there.
    pub(super) fn begin_following(&mut self, follower: Box<dyn Follower>, edits: &[TreeEdit]) {
        if let Some(point) = self.kept.get_mut(&self.at) {
            point.follower = Some(follower.copy());
        }
        self.follower = Some(follower);
        self.edit(edits);
    }

    /// Drops what depends on the assertions in force. Says whether something was dropped here.
    pub(super) fn forget_assertions(&mut self) -> bool {
        let forget = |follower: &mut Option<Box<dyn Follower>>| {
            follower.take_if(|follower| follower.depends_on_assertions()).is_some()
        };
        for point in self.kept.values_mut() {
            forget(&mut point.follower);
        }
        forget(&mut self.follower)
    }

    /// The derived state of the present node with these changes in place of those it has.
    ///
    /// # Errors
    /// Where a change makes no sense, in words.
    pub(super) fn edited(&self, edits: &[TreeEdit]) -> Result<Box<dyn Follower>, String> {
        let kept = self.kept.get(&self.at).and_then(|point| point.follower.clone());
        let mut follower = kept.ok_or("there is no blocking tree here; a world needs a blocking domain for one")?;
        edits.iter().try_for_each(|edit| follower.edit(edit, self.world.as_ref()))?;
        Ok(follower)
    }

    /// Goes to a node by the nearest checkpoint above it.
    ///
    /// # Errors
    /// Where the world answers otherwise than recorded, or breaks. World and program are then where they were before.
    pub(super) fn go(&mut self, session: &Session, to: NodeId) -> Result<(), String> {
        if to == self.at {
            return Ok(());
        }
        let path = session.path(to);
        let start = path.iter().rposition(|n| self.kept.contains_key(&n.id)).unwrap_or(0);
        let (state, follower) = (self.state.clone(), self.follower.clone());
        let before = Checkpoint { depth: 0, world: self.world.snapshot(), state, follower };
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
                (self.state, self.follower) = (before.state, before.follower);
            }
        }
        result
    }

    /// The world's truth at a node with a checkpoint; the world stays where it is.
    pub(super) fn truth_at(&self, node: NodeId) -> Option<Value> {
        let mut there = self.world.fork();
        there.restore(&self.kept.get(&node)?.world).ok()?;
        Some(there.truth())
    }

    fn replay(&mut self, path: &[&Node]) -> Result<(), String> {
        let Some((first, rest)) = path.split_first() else { return Err("there is no such point".into()) };
        let Some(point) = self.kept.get(&first.id) else { return Err("the point was not kept".into()) };
        self.world.restore(&point.world).map_err(|e| e.to_string())?;
        (self.state, self.follower) = (point.state.clone(), point.follower.clone());
        // Of those that will not be among the last visited, only the ones that stay are kept.
        let passed = rest.len().saturating_sub(RECENT);
        for (at, node) in rest.iter().enumerate() {
            let Some(action) = &node.action else { continue };
            self.edit(&node.tree_edits);
            if let Some(remote) = self.world.remote() {
                // Replaying starts no process: it is brought here when the next step is taken.
                remote.recall(Recorded::Act { text: &action.text, outcome: &node.outcome });
                self.state.run(recorded_calls(&node.outcome).iter());
            } else if node.outcome.is_executed() {
                let outcome = self.perform(&action.text)?;
                if let Some(difference) = difference(node, &outcome) {
                    return Err(difference);
                }
            }
            self.follow(action, &node.outcome);
            if at < passed && !node.depth.is_multiple_of(self.every) {
                self.note(node.id);
            } else {
                self.keep(node.id, node.depth);
            }
        }
        Ok(())
    }

    /// Makes recorded changes. One that no longer fits (another domain is in use) is passed over.
    fn edit(&mut self, edits: &[TreeEdit]) {
        if let Some(follower) = &mut self.follower {
            for edit in edits {
                let _ = follower.edit(edit, self.world.as_ref());
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

    /// Has the truth derived in the form of beliefs from here on, also where only a form that ships says how.
    pub(super) fn track_truth(&mut self) {
        self.formed = true;
        if let Some(truth) = self.truth() {
            self.truths.insert(self.at, Arc::new(truth));
        }
    }

    /// The true state, in the form of a belief.
    pub(super) fn truth(&self) -> Option<Value> {
        let formed = || self.formed.then(|| state_form::of(self.world.as_ref())).flatten();
        self.world.belief_form().or_else(formed)
    }

    /// The true state at a node, in the form of a belief.
    pub(super) fn belief_truth_at(&self, node: NodeId) -> Option<&Arc<Value>> {
        self.truths.get(&node)
    }

    /// The true state at the present node, in the form of a belief.
    pub(super) fn belief_truth(&self) -> Option<&Value> {
        self.truths.get(&self.at).map(AsRef::as_ref)
    }

    /// The requests that were open at the nodes visited.
    pub(super) fn requests(&self) -> &BTreeMap<NodeId, Request> {
        &self.requests
    }

    /// Notes what is kept of every node visited.
    fn note(&mut self, node: NodeId) {
        if let Some(request) = self.world.request() {
            self.requests.insert(node, request);
        }
        if let Some(truth) = self.truth() {
            self.truths.insert(node, Arc::new(truth));
        }
    }

    fn keep(&mut self, node: NodeId, depth: u32) {
        self.note(node);
        let (world, state, follower) = (self.world.snapshot(), self.state.clone(), self.follower.clone());
        self.kept.insert(node, Checkpoint { depth, world, state, follower });
        self.recent.push_back(node);
        if self.recent.len() > RECENT
            && let Some(old) = self.recent.pop_front()
            && old != self.at
            && !self.recent.contains(&old)
            && self.kept.get(&old).is_some_and(|point| !point.depth.is_multiple_of(self.every))
        {
            self.kept.remove(&old);
        }
        while self.kept.len() > MOST
            && let Some(every) = self.every.checked_mul(2)
        {
            self.every = every;
            let (at, recent) = (self.at, &self.recent);
            self.kept.retain(|node, point| point.depth.is_multiple_of(every) || *node == at || recent.contains(node));
        }
    }
}

#[cfg(test)]
mod tests;
