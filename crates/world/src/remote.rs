//! Worlds whose steps are done by another process: what they offer beyond [`super::World`].
//!
//! Such a world may take long, hang or die, and has no snapshots: going back costs nothing until it is acted in
//! again, because only then the process is brought there by replaying the steps. It is stepped beside the work that must
//! continue meanwhile, in a fork.

use std::sync::Arc;

use super::WorldError;
use stepwright_episode::{Action, StepOutcome};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProcessStatus {
    /// Not running; it is started when the world is acted in next.
    Resting,
    /// Under way: the work waited for, in words.
    Working(String),
    /// Running and waiting for an action.
    Ready,
    /// It failed. It is restarted, and brought to where the world is, when the world is acted in next or restarted.
    Dead {
        what: String,
        /// The last lines it wrote to its standard error, oldest first.
        last_words: Vec<String>,
    },
}

/// Is given every change of the status, on any thread; must not block.
pub(crate) type StatusCallback = Arc<dyn Fn(ProcessStatus) + Send + Sync>;

/// A recorded answer, given to a world in place of having it executed.
#[derive(Debug, Clone, Copy)]
pub enum Recorded<'a> {
    Reset { task: &'a str, seed: u64, outcome: &'a StepOutcome },
    Act { action: &'a Action, outcome: &'a StepOutcome },
}

/// A world in another process.
pub trait Remote {
    /// Goes along a recorded step without executing it. That the process answers the same is found out when it is needed.
    fn recall(&mut self, step: Recorded<'_>);

    /// Restarts the process and brings it to where the world is; what is known of this node only from its answer
    /// (admissible actions, state) is known afterwards.
    /// Errors: when it cannot be started, fails in between, or answers otherwise than it did: at which step, and how.
    fn restart(&mut self) -> Result<(), WorldError>;

    /// The function that ends the step or restart that *this* fork is doing or is about to do. The process is killed,
    /// because nobody knows its state; other forks are not concerned.
    fn stopper(&self) -> Box<dyn Fn() + Send + Sync>;

    /// Has changes of status reported, the present one at once.
    fn watch(&self, bell: StatusCallback);

    /// Kills the process for good. Steps under way end, and no step can be taken any more.
    fn close(&self);
}
