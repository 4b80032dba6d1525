//! World kinds. Each world registers itself once with a [`WorldKind`]; everything that finds, opens, configures or limits a
//! world reads it from there. The list is [`WORLDS`](super::WORLDS).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::agent::Learn;
use super::demonstration::Demonstration;
use super::external::Adapters;
use super::transcript::Transcript;
use super::{Ability, TaskInfo, World, WorldError};
use crate::options::{Table, Values};
use stepwright_episode::Header;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShippedFile {
    /// Its name (`domain.toml`).
    pub name: &'static str,
    pub path: &'static str,
    pub text: &'static str,
}

/// A file of `worlds/NAME/`, as a [`ShippedFile`]; to be used in a file of `src/world/NAME/`.
macro_rules! shipped {
    ($world:literal, $name:literal) => {
        $crate::ShippedFile {
            name: $name,
            path: concat!("worlds/", $world, "/", $name),
            text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../worlds/", $world, "/", $name)),
        }
    };
}
pub(super) use shipped;

/// Tasks from a person's own files: the setting `data.NAME`, the flag `--data`.
#[derive(Debug, Clone, Copy)]
pub struct DataSpec {
    /// The files in words (`kitchen scenes: a scene file, or a folder of them`).
    pub about: &'static str,
    /// The environment variable that names them.
    pub env: &'static str,
    /// Whether such files lie at a path, as far as a quick look shows.
    pub lies_at: fn(&Path) -> bool,
    /// Whether the setting `data.demonstrations` is of this world.
    pub demonstrations: bool,
}

/// Where a set of tasks is read from.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    /// A person's file or folder; the shipped tasks if `None`.
    pub path: Option<&'a Path>,
    /// The configured commands of external worlds.
    pub adapters: &'a Adapters,
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

/// The world's maker of tasks, from a type and a seed.
#[derive(Debug, Clone, Copy)]
pub struct Generator {
    /// The types of task there are, for help (`pick_and_place, disinfection, weight, cover`).
    pub types: &'static str,
    /// A task of a type, by a seed. Fails on an unknown type, naming those there are.
    pub make: fn(&str, u64) -> Result<GeneratedTask, String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedTask {
    pub id: String,
    pub about: String,
    /// The task as a line of JSON, which the world's loader reads.
    pub line: String,
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
    /// The id of the method the world is made for; the one that suits the model if `None`.
    pub method: Option<&'static str>,
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
    pub generate: Option<Generator>,
    pub transcript: Option<Transcript>,
}

/// Worlds are distinguished by their names.
impl PartialEq for WorldKind {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

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
            method: None,
            abilities: &[],
            files: &[],
            open,
            services: false,
            agent: None,
            generate: None,
            transcript: None,
        }
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

/// The world and task that an episode is opened by.
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
    fn tasks(&self) -> Vec<TaskInfo>;

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
