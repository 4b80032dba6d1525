//! Worlds whose steps are done by another process: what they offer beyond [`super::World`].
//!
//! Such a world may take long, hang or die, and its snapshot is the way itself: going back costs nothing until it is acted in
//! again, because only then the process is brought there, by a snapshot of its own where it gave one, and by replaying the
//! steps. It is stepped beside the work that must continue meanwhile, in a fork.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Snapshot, WorldError};
use stepwright_episode::{Action, StepOutcome};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProcessStatus {
    /// Not running; it is started when the world is acted in next.
    Resting,
    /// Under way: the work waited for, in words.
    Working(String),
    /// Running and waiting for an action.
    Ready,
    /// Running, but whoever waited for the action waits no longer, in words; another status follows once that changes.
    Left(String),
    /// It failed. It is restarted, and brought to where the world is, when the world is acted in next or restarted.
    Dead {
        what: String,
        /// The last lines it wrote to its standard error, oldest first.
        last_words: Vec<String>,
    },
}

/// Is given every change of the status, on any thread; must not block.
pub type StatusCallback = Arc<dyn Fn(ProcessStatus) + Send + Sync>;

/// The status as it is now, and who hears of changes.
#[derive(Default)]
pub struct Standing(Mutex<(Option<ProcessStatus>, Option<StatusCallback>)>);

impl Standing {
    pub fn ring(&self, status: ProcessStatus) {
        let bell = {
            let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            held.0 = Some(status.clone());
            held.1.clone()
        };
        bell.into_iter().for_each(|bell| bell(status.clone()));
    }

    pub fn watch(&self, bell: StatusCallback) {
        let now = {
            let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            held.1 = Some(Arc::clone(&bell));
            held.0.clone()
        };
        bell(now.unwrap_or(ProcessStatus::Resting));
    }
}

/// Whether the step that a fork is doing is to end.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    pub fn set(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    /// Goes on: who wants it to end says so again.
    pub fn clear(&self) {
        self.0.store(false, Ordering::SeqCst);
    }
}

/// The history of an episode: task, seed, the reset and the steps after it. It is the snapshot of a world in another process.
#[derive(Debug)]
pub struct History<S> {
    pub task: String,
    pub seed: u64,
    pub steps: Arc<Vec<Arc<S>>>,
}

impl<S> Clone for History<S> {
    fn clone(&self) -> Self {
        History { task: self.task.clone(), seed: self.seed, steps: Arc::clone(&self.steps) }
    }
}

impl<S> Default for History<S> {
    fn default() -> Self {
        History { task: String::new(), seed: 0, steps: Arc::default() }
    }
}

impl<S: Send + Sync + 'static> History<S> {
    pub fn push(&mut self, step: Arc<S>) {
        Arc::make_mut(&mut self.steps).push(step);
    }

    /// Whether a process that went this way is on that one, by what makes two steps the same.
    pub fn leads_to(&self, other: &Self, same: impl Fn(&S, &S) -> bool) -> bool {
        self.task == other.task
            && self.seed == other.seed
            && self.steps.len() <= other.steps.len()
            && self.steps.iter().zip(other.steps.iter()).all(|(a, b)| Arc::ptr_eq(a, b) || same(a, b))
    }

    /// The step by which a process that went this way is beyond that one; `None` if it is not on it, or not by just one.
    pub fn beyond(&self, other: &Self, same: impl Fn(&S, &S) -> bool) -> Option<&Arc<S>> {
        let (last, way) = self.steps.split_last()?;
        let before = History { task: self.task.clone(), seed: self.seed, steps: Arc::new(way.to_vec()) };
        (way.len() == other.steps.len() && before.leads_to(other, same)).then_some(last)
    }

    pub fn snapshot(&self) -> Snapshot {
        Snapshot(Arc::new(self.clone()))
    }

    /// Errors: the snapshot is of another world or episode.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), WorldError> {
        let history = snapshot.0.downcast_ref::<Self>().ok_or(WorldError::ForeignSnapshot)?;
        if !self.steps.is_empty() && (&history.task, history.seed) != (&self.task, self.seed) {
            return Err(WorldError::ForeignSnapshot);
        }
        *self = history.clone();
        Ok(())
    }
}

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

    /// The step to which the last restart brought it by what the process had given with that step, so that only those after it were
    /// replayed; 0 where all were.
    fn restored(&self) -> usize {
        0
    }

    /// The function that ends the step or restart that *this* fork is doing or is about to do. The process is killed,
    /// because nobody knows its state; other forks are not concerned.
    fn stopper(&self) -> Box<dyn Fn() + Send + Sync>;

    /// Has changes of status reported, the present one at once.
    fn watch(&self, bell: StatusCallback);

    /// Kills the process for good. Steps under way end, and no step can be taken any more.
    fn close(&self);
}
