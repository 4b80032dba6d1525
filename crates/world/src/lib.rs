//! Worlds. Deterministic environments an agent acts in: their list, the interface each offers, the records it exchanges.
//!
//! A world knows nothing of methods, models or terminals; it does no input or output while stepping (its loader reads files
//! beforehand), the external world aside, whose steps another process does ([`remote`]). One folder a world; [`WORLDS`] is the
//! only place that lists them.

mod ability;
mod agent;
pub mod blocking;
mod catalog;
pub mod demonstration;
pub mod dialogue;
pub mod external;
mod files;
pub mod graph;
pub mod household;
mod kind;
pub mod kitchen;
mod language;
pub mod literal;
pub mod map;
pub mod options;
pub mod planner;
pub mod program;
mod recorded;
pub mod remote;
mod requests;
mod shipped_domain;
pub mod shop;
mod simulated;
mod sources;
pub mod state_form;
mod symbols;
pub mod table;
pub mod transcript;
pub mod weights;

use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use ability::{Ability, refusal};
pub use agent::{Learn, agent, agent_of_demonstrations};
pub use catalog::{Catalog, Entry, Identified};
pub use files::nearest_ids;
pub use files::read_at_most;
pub use kind::{DataSpec, GeneratedTask, Generator, OpenSpec, OpenedWorld, Origin, ShippedFile, TaskSet, WorldKind};
pub use language::{Correction, Language, Refusal, WordedPlan};
pub use map::Map;
pub use recorded::read as read_logs;
pub use requests::{CUPS, Request, Requests, WorkedExample, WorkedStep, closes, updates};
pub use simulated::{Episode, Simulated};
pub use sources::{Sources, read_demonstrations};
pub use symbols::Symbols;

use crate::blocking::Environment;
pub use crate::literal::{Atom, Facts};
use crate::planner::classical::{PlanningTask, Unseen};
use remote::Remote;
pub use shipped_domain::shipped_domain;
use stepwright_episode::StepOutcome;
use stepwright_program::Call;
use stepwright_trajectory::Step;

/// The worlds of the program, in the order they are listed. A new world is a folder and a line here.
pub static WORLDS: &[&WorldKind] =
    &[&household::KIND, &dialogue::KIND, &kitchen::KIND, &table::KIND, &shop::KIND, &graph::KIND, &external::KIND];

/// The world of that name. Recorded episodes are one that is not listed: nothing begins in them.
/// Errors: [`WorldError::Unknown`] if there is none.
pub fn named(kinds: &[&'static WorldKind], name: &str) -> Result<&'static WorldKind, WorldError> {
    let found = kinds.iter().copied().chain([&recorded::KIND]).find(|kind| kind.name == name);
    found.ok_or_else(|| {
        let known = kinds.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ");
        WorldError::Unknown { what: "world", name: name.to_owned(), known }
    })
}

/// A world's answer to a reset or an action: one line of the line protocol, but for the parts it can tell at any moment
/// ([`World::admissible`], [`World::truth`]).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// The text the agent sees, verbatim, line breaks included.
    pub observation: String,
    /// The action as a program call, where the accepted action is one (`agent.goto('drawer 4')`); `None` for a reset, a
    /// refused action, or an action that has no call (`look`).
    pub action_call: Option<Call>,
    /// The observation as program calls, in program order (`agent.update_visible_objects('drawer 4', 'mug 1')`).
    pub observation_calls: Vec<Call>,
    /// Why the world refused the action, in its own words where it has any; `None` when it was accepted.
    pub error: Option<String>,
    pub reward: f64,
    pub done: bool,
    pub won: bool,
}

impl Outcome {
    /// The action's call (if any) followed by the observation's calls: the `calls` of the line protocol.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.action_call.iter().chain(&self.observation_calls)
    }

    /// The step of a trajectory that an action and its outcome are; an empty action's is the reset.
    pub fn into_step(self, action: &str) -> Step {
        Step {
            action: action.to_owned(),
            call: self.action_call,
            observation: Some(self.observation),
            calls: self.observation_calls,
            refused: self.error.is_some(),
            ..Step::default()
        }
    }
}

impl From<&Outcome> for StepOutcome {
    fn from(outcome: &Outcome) -> Self {
        StepOutcome {
            observation: outcome.observation.clone(),
            calls: outcome.calls().map(ToString::to_string).collect(),
            error: outcome.error.clone(),
            reward: outcome.reward,
            done: outcome.done,
            won: outcome.won,
            ..StepOutcome::default()
        }
    }
}

/// A task a world can be reset to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskInfo {
    pub id: String,
    /// The world's own kind of task (`pick_and_place_simple`).
    pub kind: String,
    pub sentence: String,
    /// Where it comes from, for display: `shipped`, or a path.
    pub source: String,
}

/// How a trajectory of this world opens as a program: the function's name, its comment and the lines that set the objects up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramHeader {
    /// Python identifier of the enclosing function (`put_a_mug_in_desk`).
    pub function: String,
    /// The comment under the `def` line, without `# `; empty for none.
    pub comment: String,
    /// Statements that create the objects (`env = Environment()`, `agent = Agent(env)`).
    pub setup: Vec<String>,
}

impl ProgramHeader {
    /// The lines before the calls, unindented: the `def` line, the comment, the setup.
    pub fn opening(&self) -> Vec<String> {
        let mut lines = vec![format!("def {}():", self.function)];
        lines.extend((!self.comment.is_empty()).then(|| format!("# {}", self.comment.replace(['\n', '\r'], " "))));
        lines.extend(self.setup.iter().cloned());
        lines
    }
}

/// The failure of a world or its loader.
#[derive(Debug, thiserror::Error)]
pub enum WorldError {
    /// No task of that id; carries the nearest ids.
    #[error("no task `{id}`{}", nearest_hint(.nearest))]
    NoSuchTask {
        id: String,
        /// The closest known ids, best first.
        nearest: Vec<String>,
    },
    /// Several tasks fit the part of an id that was given.
    #[error("`{part}` is part of {} ids: {}{}; name more of the one you mean", matches.len(), some_of(matches), more_than(matches))]
    AmbiguousTask {
        part: String,
        /// The ids it is part of, in the world's order.
        matches: Vec<String>,
    },
    #[error(transparent)]
    Option(#[from] crate::options::OptionError),
    /// A name that stands for nothing, with those that would.
    #[error("there is no {what} `{name}`; there is {known}")]
    Unknown {
        /// The kind of name (`world`).
        what: &'static str,
        name: String,
        known: String,
    },
    /// A file could not be read or does not hold what it should: what, where, what to do.
    #[error("{path}: {message}")]
    Data {
        /// File, and line where there is one (`games.jsonl:12`).
        path: String,
        message: String,
    },
    /// A snapshot of another world or task was offered.
    #[error("the snapshot belongs to another world or task")]
    ForeignSnapshot,
    /// The world's process or connection failed (external worlds).
    #[error("{0}")]
    Failed(String),
    /// Replaying a history, the world answered otherwise than it had: at which step, and how.
    #[error("the world does not answer as it did: {0}")]
    Differs(String),
}

const LISTED: usize = 8;

fn some_of(ids: &[String]) -> String {
    ids.get(..LISTED).unwrap_or(ids).join(", ")
}

fn more_than(ids: &[String]) -> String {
    ids.len().checked_sub(LISTED).filter(|more| *more > 0).map_or_else(String::new, |more| format!(" and {more} more"))
}

fn nearest_hint(nearest: &[String]) -> String {
    if nearest.is_empty() {
        return String::new();
    }
    format!("; nearest: {}", nearest.join(", "))
}

/// A snapshot of an episode that a world can return to. Opaque, cheap to clone and to keep.
#[derive(Clone)]
pub struct Snapshot(pub Arc<dyn Any + Send + Sync>);

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Snapshot")
    }
}

/// An environment: deterministic given task and seed, cheap to clone, no I/O while stepping.
pub trait World: Send {
    fn kind(&self) -> &'static WorldKind;

    /// The world's name as on the command line (`household`).
    fn name(&self) -> &'static str {
        self.kind().name
    }

    /// Starts the task from its beginning.
    /// Errors: [`WorldError::NoSuchTask`] if the id is unknown.
    fn reset(&mut self, task: &str, seed: u64) -> Result<Outcome, WorldError>;

    /// Performs one action given as the world's text. A refused action is an outcome (with `error`), not an `Err`.
    /// Errors: only when the world itself breaks (an external process that died).
    fn act(&mut self, text: &str) -> Result<Outcome, WorldError>;

    /// All admissible actions now, sorted by code point, no duplicates; `None` where a world has no such list.
    fn admissible(&self) -> Option<Vec<String>>;

    /// The hidden state as JSON, for display. Never shown to a model or a proposer.
    fn truth(&self) -> Value;

    /// A snapshot of the present state, to come back to.
    fn snapshot(&self) -> Snapshot;

    /// Goes back to a snapshot of the same task.
    /// Errors: [`WorldError::ForeignSnapshot`] if it is not one of this world and task.
    fn restore(&mut self, snapshot: &Snapshot) -> Result<(), WorldError>;

    /// The outcome of `act(text)`, leaving the world as it is; `None` where a world cannot predict it.
    fn preview(&self, text: &str) -> Option<Outcome>;

    fn tasks(&self) -> Vec<TaskInfo>;

    /// The program call a text stands for (`go to drawer 4` to `agent.goto('drawer 4')`); `None` where it has none. Does not
    /// ask whether the action is admissible.
    fn call_of(&self, text: &str) -> Option<Call>;

    /// The text of a program call; the inverse of [`World::call_of`]. `None` if it is no action of this world.
    fn text_of(&self, call: &Call) -> Option<String>;

    /// How the present task's trajectory opens as a program.
    fn header(&self) -> ProgramHeader;

    /// The specification (`spec.py`) that programs of the present task run against. Worlds with one specification for all
    /// tasks give it before the first reset too.
    fn specification(&self) -> Cow<'static, str>;

    /// The true preconditions, by action function, where the world's data holds them separately from the specification.
    fn ground_truth(&self) -> Option<Vec<(String, Vec<String>)>> {
        None
    }

    /// The episode in literals; `None` before the reset and where the world has none.
    fn symbols(&self) -> Option<&dyn Symbols> {
        None
    }

    /// The requests of the episode; `None` before the reset and where an episode is no sequence of requests.
    fn requests(&self) -> Option<&dyn Requests> {
        None
    }

    /// The steps in words; `None` before the reset and where a world says nothing in words.
    fn language(&self) -> Option<&dyn Language> {
        None
    }

    /// The truth in the form a maintained belief has: for comparing the two, and as the belief an episode begins with. Later
    /// states are never shown to a method. `None` where the world has no such form.
    fn belief_form(&self) -> Option<Value> {
        None
    }

    /// A picture of the place, for display; `None` where the world has no such picture.
    fn picture(&self) -> Option<Map> {
        None
    }

    /// The recorded episodes that the world plays back; `None` where it is none of them.
    fn recorded(&self) -> Option<transcript::Logs> {
        None
    }

    /// The process's side of a world whose steps another process does; `None` where it does them itself, at once.
    fn remote(&mut self) -> Option<&mut dyn Remote> {
        None
    }

    fn facts(&self) -> Option<Facts> {
        Some(self.symbols()?.facts())
    }

    fn goals(&self) -> Option<Vec<Atom>> {
        Some(self.symbols()?.goals())
    }

    fn goal_holds(&self, part: &Atom) -> Option<bool> {
        self.symbols()?.goal_holds(part)
    }

    fn everything(&self) -> Option<Facts> {
        Some(self.symbols()?.everything())
    }

    fn things(&self) -> Option<Vec<String>> {
        self.symbols()?.things()
    }

    fn request(&self) -> Option<Request> {
        self.requests()?.open()
    }

    fn planning(&self, task: (&str, &str), history: &[Step], known: Unseen) -> Option<Result<PlanningTask, String>> {
        self.symbols()?.planning(task, history, known)
    }

    /// An independent copy in the same state. Forks of a remote world share its process, which goes from one's state to the
    /// other's as they act.
    fn fork(&self) -> Box<dyn World>;
}

impl<W: World + ?Sized> Environment for W {
    fn facts(&self) -> Option<Facts> {
        World::facts(self)
    }

    fn shared_facts(&self) -> Option<Arc<Facts>> {
        Some(self.symbols()?.shared_facts())
    }

    fn goals(&self) -> Option<Vec<Atom>> {
        World::goals(self)
    }

    fn goal_holds(&self, part: &Atom) -> Option<bool> {
        World::goal_holds(self, part)
    }

    fn text_of(&self, call: &Call) -> Option<String> {
        World::text_of(self, call)
    }

    fn call_of(&self, text: &str) -> Option<Call> {
        World::call_of(self, text)
    }
}

#[cfg(test)]
#[path = "../../../tests/support/recordings.rs"]
#[allow(dead_code, reason = "shared with the integration tests, each of which uses a part of it")]
mod recordings;
