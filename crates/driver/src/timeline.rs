//! The timeline: world and program at every node of the session's tree, and what a method derives from the episode.
//!
//! Checkpoints are kept at the 48 nodes visited last and at every 16th depth, or where these would be too many at every 32nd, 64th, …, so
//! memory stays bounded; other nodes are reached by replaying the actions in between. Replaying asks no model and compares what the
//! world says with what was recorded.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde_json::Value;

use stepwright_belief::form::text_of;
use stepwright_episode::{Action, ArtifactId, Node, NodeId, Session, StepOutcome, TreeEdit};
use stepwright_method::program_context::{ProgramContext, ProgramState};
use stepwright_method::{DerivedState, Grounds};
use stepwright_program::Call;
use stepwright_world::remote::Recorded;
use stepwright_world::state_form::{StateForm, literals};
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
    /// The methods' derived states, with the person's changes at this node.
    pub(super) derived: Vec<Box<dyn DerivedState>>,
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
    forms: Forms,
}

/// The form of states of a person's own at the present node: the program's state in it is what a belief is compared with.
#[derive(Clone, Default)]
struct Forms {
    /// The one an episode was begun with by logs that do not hold its text.
    given: Option<Arc<StateForm>>,
    /// The one that is a document there, and the document.
    adopted: Option<(Arc<Value>, Arc<StateForm>)>,
}

impl Forms {
    /// Takes the document of a node. One that cannot be read was never taken, so that none is in force then.
    fn take(&mut self, node: &Node) {
        let document = node.document(&ArtifactId::FORM);
        let is_known = self.adopted.as_ref().map(|(of, _)| of).zip(document).is_some_and(|(a, b)| Arc::ptr_eq(a, b));
        if !is_known {
            let read = |of: &Arc<Value>| Some((Arc::clone(of), StateForm::load(text_of(of), "").ok()?.into()));
            self.adopted = document.and_then(read);
        }
    }

    fn in_force(&self) -> Option<&Arc<StateForm>> {
        self.adopted.as_ref().map(|(_, form)| form).or(self.given.as_ref())
    }
}

/// A node as it was arrived at: what is derived, without changes made there.
struct Checkpoint {
    depth: u32,
    world: Snapshot,
    state: ProgramState,
    derived: Vec<Box<dyn DerivedState>>,
}

/// How the world's answer differs from the record, if it does.
fn difference(node: &Node, got: &StepOutcome) -> Option<String> {
    let difference = node.outcome.difference(got)?;
    let step = match &node.action {
        Some(action) => format!("step {} (`{}`)", node.steps, action.text),
        None => "the reset".to_owned(),
    };
    Some(format!("{step}: {difference}"))
}

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
        derived: Vec<Box<dyn DerivedState>>,
        reset: &[Call],
        given: Option<Arc<StateForm>>,
    ) -> Self {
        let mut state = program.start();
        state.run(reset.iter());
        let (kept, recent, requests, truths) = (BTreeMap::new(), VecDeque::new(), BTreeMap::new(), BTreeMap::new());
        let (every, forms) = (EVERY, Forms { given, adopted: None });
        let mut timeline =
            Timeline { world, state, derived, at: 0, kept, recent, every, requests, truths, formed: false, forms };
        timeline.keep(0, 0);
        timeline
    }

    /// A copy that is at the same node and knows no other.
    pub(super) fn fork(&self) -> Self {
        let point = self.kept.get(&self.at).map(|point| Checkpoint {
            depth: point.depth,
            world: self.world.snapshot(),
            state: point.state.clone(),
            derived: point.derived.clone(),
        });
        Timeline {
            world: self.world.fork(),
            state: self.state.clone(),
            derived: self.derived.clone(),
            at: self.at,
            kept: point.map(|point| (self.at, point)).into_iter().collect(),
            recent: VecDeque::new(),
            every: self.every,
            requests: self.requests.clone(),
            truths: self.truths.clone(),
            formed: self.formed,
            forms: self.forms.clone(),
        }
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
            None => self.perform(action)?,
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
    fn perform(&mut self, action: &Action) -> Result<StepOutcome, String> {
        let outcome = self.world.take(action).map_err(|e| e.to_string())?;
        self.state.run(outcome.calls());
        Ok(StepOutcome::from(&outcome))
    }

    fn follow(&mut self, action: &Action, outcome: &StepOutcome) {
        for derived in &mut self.derived {
            derived.follow(action, outcome, self.world.as_ref());
        }
    }

    /// Brings what is derived to the session's cursor, where world and program are already; what cannot come is dropped.
    pub(super) fn catch_up(&mut self, session: &Session) {
        self.derived.retain_mut(|derived| derived.come(session));
        if let Some(point) = self.kept.get_mut(&self.at) {
            point.derived.retain_mut(|derived| derived.come(session));
        }
    }

    /// Begins to keep derived state at the present node, with the person's changes there.
    pub(super) fn begin_deriving(&mut self, begun: Vec<Box<dyn DerivedState>>, edits: &[TreeEdit]) {
        for mut derived in begun {
            if let Some(point) = self.kept.get_mut(&self.at) {
                point.derived.push(derived.copy());
            }
            for edit in edits {
                // One that no longer fits is passed over.
                let _ = derived.edit(edit, self.world.as_ref());
            }
            self.derived.push(derived);
        }
    }

    /// Drops what is not made of steps alone: other assertions or another method are in use. Says whether something was dropped here.
    pub(super) fn forget(&mut self) -> bool {
        let before = self.derived.len();
        let all = self.kept.values_mut().map(|point| &mut point.derived).chain([&mut self.derived]);
        all.for_each(|derived| derived.retain(|derived| derived.grounds() == Grounds::Steps));
        self.derived.len() < before
    }

    /// Drops what was made elsewhere of what is recorded at nodes: one of them has more to tell now.
    pub(super) fn forget_elsewhere(&mut self) {
        let here = self.at;
        for (_, point) in self.kept.iter_mut().filter(|(node, _)| **node != here) {
            point.derived.retain(|derived| derived.grounds() != Grounds::Turns);
        }
    }

    /// The derived state of the present node as it was arrived at.
    pub(super) fn arrived(&self) -> &[Box<dyn DerivedState>] {
        self.kept.get(&self.at).map_or(&[], |point| &point.derived)
    }

    /// Has the derived state of the present node follow the person's changes there.
    pub(super) fn amend(&mut self, node: &Node) {
        self.derived = self.arrived().to_vec();
        self.edit(&node.tree_edits_here());
    }

    /// Goes to a node by the nearest checkpoint above it.
    /// Errors: where the world answers otherwise than recorded, or breaks. World and program are then where they were
    /// before.
    pub(super) fn go(&mut self, session: &Session, to: NodeId) -> Result<(), String> {
        if to == self.at {
            return Ok(());
        }
        let path = session.path(to);
        let start = path.iter().rposition(|n| self.kept.contains_key(&n.id)).unwrap_or(0);
        let (state, derived) = (self.state.clone(), self.derived.clone());
        let before = Checkpoint { depth: 0, world: self.world.snapshot(), state, derived };
        let forms = self.forms.clone();
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
                (self.state, self.derived, self.forms) = (before.state, before.derived, forms);
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
        (self.state, self.derived) = (point.state.clone(), point.derived.clone());
        self.forms.take(first);
        // Of those that will not be among the last visited, only the ones that stay are kept.
        let passed = rest.len().saturating_sub(RECENT);
        for (at, node) in rest.iter().enumerate() {
            let Some(action) = &node.action else { continue };
            self.edit(&node.tree_edits);
            if let Some(remote) = self.world.remote() {
                // Replaying starts no process: it is brought here when the next step is taken.
                remote.recall(Recorded::Act { action, outcome: &node.outcome });
                self.state.run(recorded_calls(&node.outcome).iter());
            } else if node.outcome.is_executed() {
                let outcome = self.perform(action)?;
                if let Some(difference) = difference(node, &outcome) {
                    return Err(difference);
                }
            }
            self.follow(action, &node.outcome);
            self.forms.take(node);
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
        for derived in &mut self.derived {
            for edit in edits {
                let _ = derived.edit(edit, self.world.as_ref());
            }
        }
    }

    pub(super) fn compare_reset(session: &Session, reset: &StepOutcome) -> Result<(), String> {
        match session.node(0).and_then(|root| difference(root, reset)) {
            Some(difference) => Err(difference),
            None => Ok(()),
        }
    }

    /// Has the truth derived in the form of beliefs from here on, also where only a form that ships, or one of a person's own, says how.
    pub(super) fn track_truth(&mut self, here: Option<&Node>) {
        self.formed = true;
        self.take_form(here);
    }

    /// Takes the form of states that is in force at the present node into use.
    pub(super) fn take_form(&mut self, here: Option<&Node>) {
        if let Some(node) = here {
            self.forms.take(node);
        }
        match self.truth() {
            Some(truth) => drop(self.truths.insert(self.at, Arc::new(truth))),
            None => drop(self.truths.remove(&self.at)),
        }
    }

    /// Whether the truth is told in a form of a person's own.
    pub(super) fn is_own_form(&self) -> bool {
        self.forms.in_force().is_some()
    }

    /// The true state, in the form of a belief.
    pub(super) fn truth(&self) -> Option<Value> {
        if let Some(form) = self.forms.in_force().filter(|_| self.formed) {
            return Some(form.state(&literals(&self.state.variables())));
        }
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
        let (world, state, derived) = (self.world.snapshot(), self.state.clone(), self.derived.clone());
        self.kept.insert(node, Checkpoint { depth, world, state, derived });
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
