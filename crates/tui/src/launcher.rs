//! Launcher: what the workbench needs from outside at the start: the choices, and running drivers.
//!
//! The workbench knows no world, method or model; its caller hands in a [`Launcher`]. Everything here may block and is
//! called off the drawing thread.

use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use stepwright_episode::{NodeId, Session};
use stepwright_method::{self as method, FORM, MethodInfo, ModelTraits};
use stepwright_protocol::Handle;
use stepwright_world::options::{Table, Values};
use stepwright_world::{Kinds, TaskInfo, WorldKind};

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Entry {
    pub name: String,
    pub about: String,
    /// Why it cannot be chosen now (a key that is not set), and what to do; `None` if it can.
    pub unavailable: Option<String>,
    /// How much has to be fetched before it can be chosen (`98 MB`), if fetching is all that is missing.
    pub fetch: Option<String>,
    pub suggests: Option<String>,
    pub method: Option<MethodInfo>,
    pub traits: ModelTraits,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct WorldEntry {
    pub name: String,
    pub about: String,
    pub tasks: Vec<TaskInfo>,
    /// The method it is made for, if there is one; it goes before what suits the model.
    pub suggests: Option<String>,
    /// Its abilities for methods; every ability, where they are not known.
    pub kind: Option<&'static WorldKind>,
    /// The worlds there are, for saying which would do.
    pub among: Kinds,
    /// Whether a process may know more of its tasks; it is asked once somebody looks at the world.
    pub asks: bool,
    /// Whether a form of states of one's own is in use, in which a belief can be kept in any world.
    pub formed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionEntry {
    pub path: PathBuf,
    pub title: String,
    /// When, how many steps, in words; may be empty.
    pub detail: String,
    /// Whether it ships with the program as an example.
    pub shipped: bool,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Catalog {
    pub worlds: Vec<WorldEntry>,
    /// Methods; the first is the default.
    pub methods: Vec<Entry>,
    /// Models; the first is the default.
    pub models: Vec<Entry>,
    /// Sessions: the person's own, newest first, then shipped examples.
    pub sessions: Vec<SessionEntry>,
    /// Of the person's own how many more there are than those listed.
    pub unlisted: usize,
    /// Files that could not be read, with the remedy, in words.
    pub problems: Vec<String>,
}

impl Entry {
    pub fn options(&self) -> Table {
        self.method.map_or(&[], |method| method.options)
    }

    /// Why it cannot be chosen: it is not there, or is a method that does not fit; `None` if it can.
    pub(crate) fn obstacle(
        &self,
        world: Option<&WorldEntry>,
        task: Option<&str>,
        model: Option<&Entry>,
    ) -> Option<String> {
        let misfit = || {
            let (method, world) = (self.method?, world?);
            let kind = world.kind?;
            let own = if world.formed { "own" } else { "" };
            let options = Values::default().with(&FORM, own);
            let traits = model.map(|m| m.traits.clone()).unwrap_or_default();
            method::fits(&method, &options, (kind, &world.among), task, &traits).err().map(|misfit| misfit.why)
        };
        self.unavailable.clone().or_else(misfit)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub world: String,
    pub source: String,
    pub task: String,
    pub method: String,
    pub model: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportForm {
    Html,
    Jsonl,
    /// A recording for terminal players.
    Cast,
    /// Harbor's trajectory.
    Atif,
}

impl ExportForm {
    pub fn ending(self) -> &'static str {
        match self {
            ExportForm::Html => ".html",
            ExportForm::Jsonl => ".export.jsonl",
            ExportForm::Cast => ".cast",
            ExportForm::Atif => ".atif.json",
        }
    }
}

/// Starts drivers and lists what there is to start.
pub trait Launcher: Send + Sync {
    fn catalog(&self) -> Catalog;

    /// The tasks of a world, those that only a process tells with them; it is started for that.
    fn told(&self, world: &str) -> Vec<TaskInfo> {
        let _ = world;
        Vec::new()
    }

    fn start(&self, choice: &Choice) -> Result<Handle, String>;

    /// Opens a recorded session where it was last looked at.
    fn open(&self, path: &Path) -> Result<Handle, String>;

    /// Opens a recorded session at a node, to be read alone; of a file of logs the episode of that id.
    fn visit(&self, path: &Path, episode: &str, node: NodeId) -> Result<Handle, String> {
        let _ = (episode, node);
        Err(format!("{}: sessions cannot be read here", path.display()))
    }

    /// Reads a recorded session, to be compared with another.
    fn load(&self, path: &Path) -> Result<Session, String> {
        Err(format!("{}: sessions cannot be read here", path.display()))
    }

    /// Fetches what a model needs before it can be chosen, reporting progress in words. Ends soon after `cancel` fires; what
    /// has come is kept.
    fn fetch(&self, model: &str, report: &(dyn Fn(String) + Sync), cancel: &CancellationToken) -> Result<(), String> {
        let _ = (report, cancel);
        Err(format!("there is nothing to fetch for {model}"))
    }

    /// Remembers where a session is looked at, beside it: the session itself stays as it is.
    fn keep_place(&self, session: &Path, node: NodeId) -> Result<(), String> {
        let _ = (session, node);
        Ok(())
    }

    /// Tells others who look on which decision the presenter shows: the node it led to, or where it is open.
    fn presented(&self, node: NodeId) {
        let _ = node;
    }

    /// Writes a session out in another form to a file, which is replaced if it is there.
    fn export(&self, session: &Path, form: ExportForm, target: &Path) -> Result<(), String>;
}
