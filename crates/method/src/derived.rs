//! Derived state: what a method makes of the episode, step by step. The timeline keeps a copy at every checkpoint beside world and program,
//! so that going back costs nothing and no step reads the whole path again.
//!
//! [`DerivedState`] is what the timeline keeps of either kind: the blocking tree, which looks at the world, and every [`History`], a fold
//! of the path that looks at the records alone. Where no driver runs, for panes and studies, [`folded`] makes a history anew.

use std::any::Any;

use stepwright_episode::{Action, Node, NodeId, Session, StepOutcome, TreeEdit};
use stepwright_world::World;

/// State that a method derives from the episode. It reads worlds, but never changes one.
pub trait DerivedState: Send {
    /// A copy; cheap.
    fn copy(&self) -> Box<dyn DerivedState>;

    /// Itself, for the method that made it.
    fn as_any(&self) -> &dyn Any;

    /// Takes in a step as it is taken; `world` is as it is after it.
    fn follow(&mut self, _action: &Action, _outcome: &StepOutcome, _world: &dyn World) {}

    /// Comes to the session's cursor. Says whether it could; else it is begun anew.
    fn come(&mut self, _session: &Session) -> bool {
        true
    }

    /// Takes in a person's change at the present node; `None` where changes are none of its business. One that makes no sense changes
    /// nothing, and says why.
    fn edit(&mut self, _edit: &TreeEdit, _world: &dyn World) -> Option<Result<(), String>> {
        None
    }

    fn grounds(&self) -> Grounds;
}

/// The grounds of derived state beside steps: when they change the state is void.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grounds {
    Steps,
    Assertions,
    /// The records at the nodes passed, as the method in use reads them.
    Turns,
}

impl Clone for Box<dyn DerivedState> {
    fn clone(&self) -> Self {
        self.copy()
    }
}

/// A method's history: a fold of the path.
pub trait History: Clone + Send + 'static {
    fn step(&mut self, from: &Node, to: &Node);

    /// Takes in what happened at the last node of the path.
    fn stay(&mut self, _here: &Node) {}
}

/// The history of a path; `begun` is the empty one.
pub fn folded<H: History>(begun: H, path: &[&Node]) -> H {
    let mut history = steps(begun, path);
    if let Some(here) = path.last() {
        history.stay(here);
    }
    history
}

/// The history of the steps of a path, without what happened at its last node.
pub(super) fn steps<H: History>(mut history: H, path: &[&Node]) -> H {
    for (from, to) in path.iter().zip(path.iter().skip(1)) {
        history.step(from, to);
    }
    history
}

/// A history as the timeline keeps it: of the steps to a node.
#[derive(Clone)]
pub(super) struct Kept<H> {
    pub(super) history: H,
    pub(super) at: NodeId,
}

impl<H: History> DerivedState for Kept<H> {
    fn copy(&self) -> Box<dyn DerivedState> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn come(&mut self, session: &Session) -> bool {
        if self.at == session.cursor() {
            return true;
        }
        let path = session.path(session.cursor());
        let Some(since) = path.iter().rposition(|node| node.id == self.at).and_then(|at| path.get(at..)) else {
            return false;
        };
        for (from, to) in since.iter().zip(since.iter().skip(1)) {
            self.history.step(from, to);
        }
        self.at = session.cursor();
        true
    }

    fn grounds(&self) -> Grounds {
        Grounds::Turns
    }
}
