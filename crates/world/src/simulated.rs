//! Simulated worlds. Implements [`World`] once for all worlds whose steps are done in this program: a set of tasks and, once
//! reset, an episode, which alone differs from world to world.

#![warn(missing_docs)]

use std::borrow::Cow;
use std::fmt::Debug;
use std::sync::Arc;

use serde_json::Value;

use super::transcript::Logs;
use super::{
    Language, Map, Outcome, ProgramHeader, Requests, Snapshot, Symbols, TaskInfo, TaskSet, World, WorldError, WorldKind,
};
use stepwright_program::Call;

/// A running episode of a simulated world: cheap to clone, deterministic, without input or output.
///
/// The functions that take the whole world serve before the first reset too, when there is no episode yet.
#[allow(missing_docs, reason = "a function without a word is that of `World`")]
pub trait Episode: Clone + Debug + Send + Sync + 'static {
    type Tasks: TaskSet + Debug;
    type Options: Copy + Debug + Send + Sync;

    /// The world's entry in the list of worlds.
    fn kind() -> &'static WorldKind;

    /// Begins a task; the episode, and what the reset answers.
    fn begin(tasks: &Self::Tasks, options: Self::Options, task: &str) -> Result<(Self, Outcome), WorldError>;

    /// Whether both are episodes of the same task.
    fn is_same_task(&self, other: &Self) -> bool;

    /// As [`World::act`]; an action that cannot be done is an outcome with `error`.
    fn act(&mut self, text: &str) -> Outcome;

    fn admissible(&self) -> Option<Vec<String>>;

    fn truth(&self) -> Value;

    fn call_of(world: &Simulated<Self>, text: &str) -> Option<Call>;

    fn text_of(world: &Simulated<Self>, call: &Call) -> Option<String>;

    fn header(world: &Simulated<Self>) -> ProgramHeader;

    fn specification(world: &Simulated<Self>) -> Cow<'static, str>;

    fn ground_truth(_world: &Simulated<Self>) -> Option<Vec<(String, Vec<String>)>> {
        None
    }

    fn symbols(&self) -> Option<&dyn Symbols> {
        None
    }

    fn requests(&self) -> Option<&dyn Requests> {
        None
    }

    fn language(&self) -> Option<&dyn Language> {
        None
    }

    fn belief_form(&self) -> Option<Value> {
        None
    }

    fn picture(&self) -> Option<Map> {
        None
    }

    fn recorded(_world: &Simulated<Self>) -> Option<Logs> {
        None
    }
}

/// A world that is simulated in this program.
#[derive(Debug)]
pub struct Simulated<E: Episode> {
    tasks: Arc<E::Tasks>,
    options: E::Options,
    episode: Option<E>,
}

/// Not derived: the set of tasks need not be cloned.
impl<E: Episode> Clone for Simulated<E> {
    fn clone(&self) -> Self {
        Simulated { tasks: Arc::clone(&self.tasks), options: self.options, episode: self.episode.clone() }
    }
}

impl<E: Episode> Simulated<E> {
    /// A world over a set of tasks, not reset yet.
    pub fn over(tasks: impl Into<Arc<E::Tasks>>, options: E::Options) -> Self {
        Simulated { tasks: tasks.into(), options, episode: None }
    }

    pub(crate) fn task_set(&self) -> &E::Tasks {
        &self.tasks
    }

    /// How it is configured.
    pub fn options(&self) -> E::Options {
        self.options
    }

    /// The running episode; `None` before the first reset.
    pub fn episode(&self) -> Option<&E> {
        self.episode.as_ref()
    }
}

impl<E: Episode> World for Simulated<E> {
    fn kind(&self) -> &'static WorldKind {
        E::kind()
    }

    fn reset(&mut self, task: &str, _seed: u64) -> Result<Outcome, WorldError> {
        let (episode, outcome) = E::begin(&self.tasks, self.options, task)?;
        self.episode = Some(episode);
        Ok(outcome)
    }

    fn act(&mut self, text: &str) -> Result<Outcome, WorldError> {
        let not_reset = || WorldError::Failed("the world was not reset to a task yet".to_owned());
        Ok(self.episode.as_mut().ok_or_else(not_reset)?.act(text))
    }

    fn admissible(&self) -> Option<Vec<String>> {
        self.episode.as_ref()?.admissible()
    }

    fn truth(&self) -> Value {
        self.episode.as_ref().map_or(Value::Null, E::truth)
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot(Arc::new(self.episode.clone()))
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<(), WorldError> {
        let then = snapshot.0.downcast_ref::<Option<E>>().ok_or(WorldError::ForeignSnapshot)?;
        if let (Some(now), Some(then)) = (&self.episode, then)
            && !now.is_same_task(then)
        {
            return Err(WorldError::ForeignSnapshot);
        }
        self.episode.clone_from(then);
        Ok(())
    }

    fn preview(&self, text: &str) -> Option<Outcome> {
        Some(self.episode.clone()?.act(text))
    }

    fn tasks(&self) -> Vec<TaskInfo> {
        self.tasks.tasks()
    }

    fn call_of(&self, text: &str) -> Option<Call> {
        E::call_of(self, text)
    }

    fn text_of(&self, call: &Call) -> Option<String> {
        E::text_of(self, call)
    }

    fn header(&self) -> ProgramHeader {
        E::header(self)
    }

    fn specification(&self) -> Cow<'static, str> {
        E::specification(self)
    }

    fn ground_truth(&self) -> Option<Vec<(String, Vec<String>)>> {
        E::ground_truth(self)
    }

    fn symbols(&self) -> Option<&dyn Symbols> {
        self.episode.as_ref()?.symbols()
    }

    fn requests(&self) -> Option<&dyn Requests> {
        self.episode.as_ref()?.requests()
    }

    fn language(&self) -> Option<&dyn Language> {
        self.episode.as_ref()?.language()
    }

    fn belief_form(&self) -> Option<Value> {
        self.episode.as_ref()?.belief_form()
    }

    fn picture(&self) -> Option<Map> {
        self.episode.as_ref()?.picture()
    }

    fn recorded(&self) -> Option<Logs> {
        E::recorded(self)
    }

    fn fork(&self) -> Box<dyn World> {
        Box::new(self.clone())
    }
}
