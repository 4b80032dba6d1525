//! Simulated worlds. Implements [`World`] once for all worlds whose steps are done in this program: a set of tasks and, once
//! reset, an episode, which alone differs from world to world.
//!
//! Where an episode makes no requests of its own, its task is one request ([`Requests`] of [`Simulated`]): an action that is said to be a
//! program, calls of the specification's actions by their names alone, is carried out call by call, and `done()` closes it. A text
//! that nobody says it of is the world's, which most often refuses it: what looks like code is no action of an original system.

#![warn(missing_docs)]

use std::borrow::Cow;
use std::fmt::Debug;
use std::sync::Arc;

use serde_json::Value;

use stepwright_episode::Action;
use stepwright_program::{Call, Role, Specification};
use stepwright_world::transcript::Logs;
use stepwright_world::{
    CLOSING, HostFunction, Language, Map, NOTHING, Outcome, ProgramHeader, Request, Requests, Snapshot, Symbols, TASK,
    TaskInfo, TaskSet, UPDATING, World, WorldError, WorldKind,
};

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

    fn admissible(&self) -> Option<Vec<String>> {
        None
    }

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

    fn picture_of(&self, _belief: &Value) -> Option<Map> {
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
    running: Running<E>,
}

/// The episode, and how far the task is where it is one request.
#[derive(Debug, Clone)]
struct Running<E> {
    episode: Option<E>,
    closed: bool,
    won: bool,
}

/// A line of a program for the task.
enum Line {
    Act(String),
    Nothing,
    Close,
}

/// Not derived: the set of tasks need not be cloned.
impl<E: Episode> Clone for Simulated<E> {
    fn clone(&self) -> Self {
        Simulated { tasks: Arc::clone(&self.tasks), options: self.options, running: self.running.clone() }
    }
}

impl<E: Episode> Simulated<E> {
    /// A world over a set of tasks, not reset yet.
    pub fn over(tasks: impl Into<Arc<E::Tasks>>, options: E::Options) -> Self {
        Simulated { tasks: tasks.into(), options, running: Running { episode: None, closed: false, won: false } }
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
        self.running.episode.as_ref()
    }

    fn specified(&self) -> Option<Specification> {
        Specification::load(&E::specification(self), "spec.py").ok()
    }

    /// A call of an action by its name alone, as a program writes it.
    fn bare(&self, line: &str, specification: &Specification) -> Option<Call> {
        let name = bare_name(line)?;
        let of = specification.functions().iter().find(|f| f.role == Role::Action && f.name == name)?;
        let call: Call = format!("{}.{}", of.receiver, line.trim()).parse().ok()?;
        E::text_of(self, &call).is_some().then_some(call)
    }

    /// The lines of a text that is a program for the task; `None` for every other text.
    fn lines(&self, text: &str) -> Option<Vec<Line>> {
        let lines = || text.lines().filter(|line| !line.trim().is_empty());
        // What costs nothing is asked first.
        let is_own = lines().all(|line| bare_name(line).is_some());
        let specification = (is_own && E::call_of(self, text).is_none()).then(|| self.specified()).flatten()?;
        let line = |line: &str| match line.trim() {
            CLOSING => Some(Line::Close),
            NOTHING => Some(Line::Nothing),
            line if bare_name(line) == Some(UPDATING) => Some(Line::Nothing),
            line => Some(Line::Act(E::text_of(self, &self.bare(line, &specification)?)?)),
        };
        lines().map(line).collect::<Option<Vec<_>>>().filter(|program| !program.is_empty())
    }

    /// Carries a program out to its end, or to that of the episode. Where it is several calls, what is refused is observed and no more.
    fn carry_out(&mut self, program: Vec<Line>) -> Option<Outcome> {
        let several = program.len() > 1;
        let mut whole = Outcome { won: self.running.won, ..Outcome::default() };
        for line in program {
            match line {
                Line::Nothing => {}
                Line::Close => {
                    self.running.closed = true;
                    whole.done = true;
                }
                Line::Act(text) => {
                    let mut next = self.running.episode.as_mut()?.act(&text);
                    if several {
                        next.observation_calls.splice(0..0, next.action_call.take());
                        next.error = None;
                    }
                    let before = std::mem::take(&mut whole);
                    next.observation = joined(before.observation, next.observation);
                    next.observation_calls.splice(0..0, before.observation_calls);
                    next.reward += before.reward;
                    whole = next;
                    self.running.won = whole.won;
                }
            }
            if whole.done {
                break;
            }
        }
        Some(whole)
    }
}

/// The function of a line that calls one by its name alone.
fn bare_name(line: &str) -> Option<&str> {
    let (name, _) = line.trim().strip_suffix(')')?.split_once('(')?;
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(is_of_name)).then_some(name)
}

fn joined(before: String, after: String) -> String {
    [before, after].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

/// The task as one request.
impl<E: Episode> Requests for Simulated<E> {
    fn open(&self) -> Option<Request> {
        let open = self.running.episode.is_some() && !self.running.closed;
        let (query, kind) = (String::new(), TASK.to_owned());
        open.then_some(Request { query, number: 1, of: 1, temporal: false, kind })
    }

    fn functions(&self) -> Vec<HostFunction> {
        let specification = self.specified();
        let all = specification.iter().flat_map(|s| s.functions()).filter(|f| f.role == Role::Action);
        let own = all.map(|f| HostFunction { name: f.name.clone(), params: f.params.clone(), about: "" });
        own.chain(HostFunction::of_any_world()).collect()
    }

    fn program(&self, text: &str) -> Option<Action> {
        let call = match self.lines(text)?.as_slice() {
            [Line::Act(own)] => E::call_of(self, own).map(|call| call.to_string()),
            // In which state the later of several are made is not known yet: nothing is checked of them.
            _ => None,
        };
        Some(Action { program: true, ..Action::new(text, call) })
    }
}

impl<E: Episode> World for Simulated<E> {
    fn kind(&self) -> &'static WorldKind {
        E::kind()
    }

    fn reset(&mut self, task: &str, _seed: u64) -> Result<Outcome, WorldError> {
        let (episode, outcome) = E::begin(&self.tasks, self.options, task)?;
        self.running = Running { episode: Some(episode), closed: false, won: outcome.won };
        Ok(outcome)
    }

    fn act(&mut self, text: &str) -> Result<Outcome, WorldError> {
        let not_reset = || WorldError::Failed("the world was not reset to a task yet".to_owned());
        let outcome = self.running.episode.as_mut().ok_or_else(not_reset)?.act(text);
        self.running.won = outcome.won;
        Ok(outcome)
    }

    fn take(&mut self, action: &Action) -> Result<Outcome, WorldError> {
        let program = if action.program { self.lines(&action.text) } else { None };
        match program.and_then(|program| self.carry_out(program)) {
            Some(outcome) => Ok(outcome),
            None => self.act(&action.text),
        }
    }

    /// A person who types calls means them.
    fn read(&self, text: &str, _from: Option<&Action>) -> Option<Result<Action, String>> {
        self.requests()?.program(text).map(Ok)
    }

    fn admissible(&self) -> Option<Vec<String>> {
        self.episode()?.admissible()
    }

    fn truth(&self) -> Value {
        self.episode().map_or(Value::Null, E::truth)
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot(Arc::new(self.running.clone()))
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<(), WorldError> {
        let then = snapshot.0.downcast_ref::<Running<E>>().ok_or(WorldError::ForeignSnapshot)?;
        if let (Some(now), Some(then)) = (&self.running.episode, &then.episode)
            && !now.is_same_task(then)
        {
            return Err(WorldError::ForeignSnapshot);
        }
        self.running.clone_from(then);
        Ok(())
    }

    fn preview(&self, text: &str) -> Option<Outcome> {
        self.running.episode.as_ref()?;
        self.clone().act(text).ok()
    }

    fn preview_of(&self, action: &Action) -> Option<Outcome> {
        self.running.episode.as_ref()?;
        self.clone().take(action).ok()
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
        self.episode()?.symbols()
    }

    fn requests(&self) -> Option<&dyn Requests> {
        self.episode()?.requests().or(Some(self))
    }

    fn language(&self) -> Option<&dyn Language> {
        self.episode()?.language()
    }

    fn belief_form(&self) -> Option<Value> {
        self.episode()?.belief_form()
    }

    fn picture(&self) -> Option<Map> {
        self.episode()?.picture()
    }

    fn picture_of(&self, belief: &Value) -> Option<Map> {
        self.episode()?.picture_of(belief)
    }

    fn recorded(&self) -> Option<Logs> {
        E::recorded(self)
    }

    fn fork(&self) -> Box<dyn World> {
        Box::new(self.clone())
    }
}
