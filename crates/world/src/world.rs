//! The interface of worlds, and their kinds. Each world registers itself once with a [`WorldKind`]; everything that finds, opens,
//! configures or limits a world reads it from there. Their list is in the crate above, `worlds`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use super::adapter::Adapters;
use super::agent_command::AgentCommand;
use super::answer::Asked;
use super::demonstration::Demonstration;
use super::error::WorldError;
use super::kind::{DataSpec, GeneratedTask, Generator, Learn, LearnFor, Lines, ShippedFile};
use super::outcome::{Outcome, ProgramHeader, Snapshot, TaskInfo};
use super::remote::Remote;
use super::transcript::{Logs, Transcript};
use super::{Ability, Language, Map, Request, Requests, Symbols, TASK};
use crate::blocking::{Environment, Requested};
use crate::literal::{Atom, Facts};
use crate::options::{Table, Values};
use stepwright_episode::{Action, Check, Header, StepOutcome};
use stepwright_program::Call;
use stepwright_program::tools::Toolbox;

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

    /// Performs an action as it was decided about; the same as [`World::act`] where its text says all of it.
    fn take(&mut self, action: &Action) -> Result<Outcome, WorldError> {
        self.act(&action.text)
    }

    /// The action that a person's text stands for, `from` the one it was edited from; `None` where a text is what [`World::act`]
    /// takes, or a call.
    fn read(&self, _text: &str, _from: Option<&Action>) -> Option<Result<Action, String>> {
        None
    }

    /// All admissible actions now, sorted by code point, no duplicates; `None` where a world has no such list.
    fn admissible(&self) -> Option<Vec<String>> {
        None
    }

    /// The tools that an action may call now, where actions are calls of tools.
    fn tools(&self) -> Option<Toolbox> {
        None
    }

    /// What can be said of an action's form whatever the state: whether its calls fit their tools' schemas.
    fn form_checks(&self, _action: &Action) -> Vec<Check> {
        Vec::new()
    }

    /// The hidden state as JSON, for display; null where a world does not say. Never shown to a model or a proposer.
    fn truth(&self) -> Value {
        Value::Null
    }

    /// A snapshot of the present state, to come back to.
    fn snapshot(&self) -> Snapshot;

    /// Goes back to a snapshot of the same task.
    /// Errors: [`WorldError::ForeignSnapshot`] if it is not one of this world and task.
    fn restore(&mut self, snapshot: &Snapshot) -> Result<(), WorldError>;

    /// The outcome of `act(text)`, leaving the world as it is; `None` where a world cannot predict it.
    fn preview(&self, _text: &str) -> Option<Outcome> {
        None
    }

    /// The outcome of `take(action)`, as [`World::preview`] is that of [`World::act`].
    fn preview_of(&self, action: &Action) -> Option<Outcome> {
        self.preview(&action.text)
    }

    fn tasks(&self) -> Vec<TaskInfo>;

    /// The program call a text stands for (`go to drawer 4` to `agent.goto('drawer 4')`); `None` where it has none. Does not
    /// ask whether the action is admissible.
    fn call_of(&self, _text: &str) -> Option<Call> {
        None
    }

    /// The text of a program call; the inverse of [`World::call_of`]. `None` if it is no action of this world.
    fn text_of(&self, _call: &Call) -> Option<String> {
        None
    }

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

    /// What a world in another process calls itself, with its version; `None` where it does not say.
    fn introduced(&self) -> Option<String> {
        None
    }

    /// The same of a belief, with what is another way in truth; `None` where beliefs are not drawn, or this one makes no sense.
    fn picture_of(&self, _belief: &Value) -> Option<Map> {
        None
    }

    /// What going back does not undo, in a sentence; `None` where it undoes all.
    fn not_undone(&self) -> Option<&'static str> {
        None
    }

    /// The request of a program that waits for an answer, in worlds whose actions are answers.
    fn asked(&self) -> Option<Arc<Asked>> {
        None
    }

    /// The recorded episodes that the world plays back; `None` where it is none of them.
    fn recorded(&self) -> Option<Logs> {
        None
    }

    /// The process's side of a world whose steps another process does; `None` where it does them itself, at once.
    fn remote(&mut self) -> Option<&mut dyn Remote> {
        None
    }

    /// [`Symbols::facts`], where there are symbols.
    fn facts(&self) -> Option<Facts> {
        Some(self.symbols()?.facts())
    }

    /// [`Symbols::goals`], where there are symbols.
    fn goals(&self) -> Option<Vec<Atom>> {
        self.symbols()?.goals()
    }

    /// [`Requests::open`], where a person makes requests: none where the task as a whole is the one.
    fn request(&self) -> Option<Request> {
        self.requests()?.open().filter(|request| request.kind != TASK)
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
        self.symbols()?.goal_holds(part)
    }

    fn requested(&self) -> Option<Requested> {
        let reference = self.requests()?.reference().and_then(Result::ok).map(str::to_owned);
        let Request { number, query: words, .. } = World::request(self)?;
        Some(Requested { number, words, reference })
    }

    fn text_of(&self, call: &Call) -> Option<String> {
        World::text_of(self, call)
    }

    fn call_of(&self, text: &str) -> Option<Call> {
        World::call_of(self, text)
    }
}

/// A world's entry in the list of worlds.
#[derive(Debug, Clone, Copy)]
pub struct WorldKind {
    /// The name on the command line and in sessions (`household`).
    pub name: &'static str,
    pub about: &'static str,
    /// Its options: flags, and entries of a session's header.
    pub options: Table,
    /// A person's own tasks; `None` where tasks come from no file.
    pub data: Option<DataSpec>,
    /// Actions a headless episode may take if nothing else is said.
    pub steps: u32,
    /// What one looks at here first.
    pub sight: Sight,
    /// The id of the method the world is made for; the one that suits the model if `None`.
    pub method: Option<&'static str>,
    /// The id of the method of the world's paper, which a person is shown first; `method` if `None`.
    pub suggests: Option<&'static str>,
    /// Its abilities beyond stepping, at least in some tasks.
    pub abilities: &'static [Ability],
    /// The files that ship, those that others than the world itself read.
    pub files: &'static [ShippedFile],
    pub open: fn(&Origin<'_>) -> Result<Arc<dyn TaskSet>, WorldError>,
    /// Whether the kinds of its tasks are services, each with a specification of its own.
    pub services: bool,
    /// Makes the agent without a language model from demonstrations. Without one, the agent of another world acts in it whose kind
    /// of demonstrations it has.
    pub agent: Option<Learn>,
    /// That agent for the task of a session, where it learns from more than the demonstrations given for it.
    pub agent_of_session: Option<LearnFor>,
    pub generate: Option<Generator>,
    pub transcript: Option<&'static Transcript>,
    /// How actions of several lines are edited and typed; `None` where a line is enough.
    pub lines: Option<Lines>,
    /// The reward of an episode by its outcomes, the reset's first: the sum of the steps', where nothing else is said.
    pub reward: fn(&[&StepOutcome]) -> f64,
}

/// The worlds there are, in the order they are listed.
pub type Kinds = Arc<[&'static WorldKind]>;

/// What has the most room where nobody arranged the panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sight {
    /// The program, beside what it knows.
    #[default]
    Program,
    /// The conversation.
    Talk,
    /// The picture of the place.
    Picture,
    /// The picture of the places, beside the program and what blocks.
    Places,
    /// The plan, with its corrections and what is offered of it; then the picture.
    Plan,
}

/// Worlds are distinguished by their names.
impl PartialEq for WorldKind {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for WorldKind {}

impl WorldKind {
    /// A kind without options, files, data or abilities, for `..` in the declaration of one that has.
    pub const fn new(
        name: &'static str,
        about: &'static str,
        open: fn(&Origin<'_>) -> Result<Arc<dyn TaskSet>, WorldError>,
    ) -> Self {
        WorldKind {
            name,
            about,
            options: &[],
            data: None,
            steps: 50,
            sight: Sight::Program,
            method: None,
            suggests: None,
            abilities: &[],
            files: &[],
            open,
            services: false,
            agent: None,
            agent_of_session: None,
            generate: None,
            transcript: None,
            lines: None,
            reward: StepOutcome::total,
        }
    }

    /// The method that a person begins with where none is named; the one that suits the model if `None`.
    pub fn first_shown(&self) -> Option<&'static str> {
        self.suggests.or(self.method)
    }

    pub fn file(&self, name: &str) -> Option<&'static ShippedFile> {
        self.files.iter().find(|file| file.name == name)
    }

    pub fn has(&self, ability: Ability) -> bool {
        self.abilities.contains(&ability)
    }

    /// Generates a task.
    /// Errors: if the world has no generator, or the type is unknown: in words, with what to do.
    pub fn generate(&self, kind: &str, seed: u64) -> Result<GeneratedTask, String> {
        let Some(generator) = self.generate else {
            let instead = match self.data {
                Some(data) => format!("write some and give them with --data ({})", data.about),
                None => self.about.to_owned(),
            };
            return Err(format!("no tasks are generated for the world {}; {instead}", self.name));
        };
        (generator.make)(kind, seed)
    }
}

#[derive(Debug, Clone, Copy)]
pub struct OpenSpec<'a> {
    pub world: &'a str,
    /// Where its tasks come from; the shipped ones if `None`.
    pub data: Option<&'a Path>,
    /// World options (`edition`, `find`); others may be among them.
    pub options: &'a BTreeMap<String, String>,
    /// The task's id or an unmistakable part of it; the first task if empty.
    pub task: &'a str,
}

/// A world with its task found, not reset to it yet.
pub struct OpenedWorld {
    pub world: Box<dyn World>,
    pub task: String,
    /// The goal as stated to the agent; empty where only the reset states it.
    pub sentence: String,
    pub options: BTreeMap<String, String>,
}

/// A set of tasks that was read: a file's, a folder's, the shipped ones.
pub trait TaskSet: Send + Sync {
    /// The tasks, in the order they are listed.
    fn tasks(&self) -> Vec<TaskInfo>;

    /// The tasks, those too that only a process tells, which is started for it.
    fn told(&self) -> Vec<TaskInfo> {
        self.tasks()
    }

    /// The whole id of a task that a person abbreviated; the first one if empty.
    fn resolve(&self, part: &str) -> Result<String, WorldError>;

    /// A world for a task, by its whole id.
    fn open(self: Arc<Self>, task: &str, options: &Values) -> Result<OpenedWorld, WorldError>;

    fn reopen(self: Arc<Self>, header: &Header, options: &Values) -> Result<OpenedWorld, WorldError> {
        let task = self.resolve(&header.task)?;
        self.open(&task, options)
    }

    /// Episodes to learn from for a task, never of the task itself; none where the set has none. `seed` draws them where there
    /// is a choice.
    fn demonstrations(&self, task: &str, options: &Values, seed: u64) -> Result<Vec<Demonstration>, WorldError>;

    /// A file of demonstrations that is configured for the task's world.
    fn demonstrations_file(&self, _task: &str) -> Option<PathBuf> {
        None
    }
}

/// Where a set of tasks is read from.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    /// A person's file or folder; the shipped tasks if `None`.
    pub path: Option<&'a Path>,
    /// The configured commands of external worlds.
    pub adapters: &'a Adapters,
    /// The command of an agent behind the gate, where one is given.
    pub agent: Option<&'a Arc<AgentCommand>>,
    /// The worlds there are, as one of which a log is read.
    pub kinds: &'a Kinds,
}

impl Origin<'_> {
    /// The tasks of the person's file or folder, or else those that ship.
    pub fn read<S: TaskSet + 'static>(
        &self,
        shipped: fn() -> Result<S, WorldError>,
        open: fn(&Path) -> Result<S, WorldError>,
    ) -> Result<Arc<dyn TaskSet>, WorldError> {
        Ok(Arc::new(self.path.map_or_else(shipped, open)?))
    }
}

/// Why `who` cannot work in a world: the first ability it needs that is absent, and which of the `kinds` have it. `None` if
/// nothing is missing.
pub fn refusal(who: &str, needs: &[Ability], world: &WorldKind, kinds: &[&WorldKind]) -> Option<String> {
    let absent = needs.iter().find(|need| !world.abilities.contains(need))?;
    let having: Vec<&str> = kinds.iter().filter(|k| k.abilities.contains(absent)).map(|k| k.name).collect();
    let where_else = match having.as_slice() {
        [] => "no world here has".to_owned(),
        [one] => format!("{one} has"),
        many => format!("{} have", many.join(", ")),
    };
    Some(format!("{who} cannot work in the world {}: it has no {}; {where_else}", world.name, absent.label()))
}
