//! Environment of an episode, as a live tree queries it. Worlds implement it.

use std::sync::Arc;

use crate::literal::{Atom, Facts};
use stepwright_program::Call;

/// The request that is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requested {
    /// Its place in the episode, by which it is told from others of the same words.
    pub number: usize,
    pub words: String,
    /// Its reference program, where one is written down.
    pub reference: Option<String>,
}

/// An environment at its present moment.
pub trait Environment {
    /// The facts that the agent can know now; `None` where no literals are reported.
    fn facts(&self) -> Option<Facts>;

    /// [`Environment::facts`], shared: the same ones as long as nothing changes them, where the environment keeps them.
    fn shared_facts(&self) -> Option<Arc<Facts>> {
        self.facts().map(Arc::new)
    }

    /// The goals not met yet, in order.
    fn goals(&self) -> Option<Vec<Atom>>;

    /// Whether a part of a goal holds, judged as goals are; `None` where that is not reported.
    fn goal_holds(&self, part: &Atom) -> Option<bool>;

    /// `None` where nothing is requested.
    fn requested(&self) -> Option<Requested> {
        None
    }

    /// The text of an action's call; `None` if it is no action here.
    fn text_of(&self, call: &Call) -> Option<String>;

    fn call_of(&self, text: &str) -> Option<Call>;
}
