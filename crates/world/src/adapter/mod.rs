//! Configuration of an adapter: the command, its patience, and what the world offers beyond it.

pub mod phrases;
mod process;
mod variables;

pub use phrases::Phrase;
pub use process::{LONGEST, Process, Said, excerpt};

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::{TaskInfo, WorldError};

/// The specification of worlds that bring none.
const GENERIC: &str = include_str!("../../worlds/external/spec.py");
/// The largest file of a specification.
const LARGEST: u64 = 16 << 20;

/// The configured adapters, by their names.
pub type Adapters = BTreeMap<String, Arc<Adapter>>;

/// A command that speaks the line protocol, and what is known of the world behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adapter {
    /// The name it is configured under; the first part of its tasks' ids.
    pub name: String,
    /// The section of config.toml that holds it (`external`, of a method `methods`), for messages.
    pub section: &'static str,
    pub command: Vec<String>,
    /// Where it is started; where Stepwright was started if `None`.
    pub folder: Option<PathBuf>,
    /// Variables set for it, beside those it inherits.
    pub env: Vec<(String, String)>,
    /// Variables it inherits, `NAME` or `BEGINNING*`; those that programs need to run if `None`.
    pub inherited: Option<Vec<String>>,
    /// Variables it does not inherit: those that hold keys of model providers.
    pub withheld: Vec<String>,
    /// How long the start and each reset may take.
    pub start_timeout: Duration,
    pub step_timeout: Duration,
    /// The file of its specification; the generic one if `None`.
    pub specification: Option<PathBuf>,
    /// How action texts read as calls of the specification.
    pub phrases: Vec<Phrase>,
    /// The tasks it can be reset to, as it calls them. Others may be asked for; none means that it begins as it likes.
    pub tasks: Vec<String>,
    /// Episodes to learn from, a JSON object a line.
    pub demonstrations: Option<PathBuf>,
}

impl Adapter {
    /// An adapter that nothing is known of but its command.
    pub fn new(name: &str, command: Vec<String>) -> Self {
        Adapter {
            name: name.to_owned(),
            section: "external",
            command,
            folder: None,
            env: Vec::new(),
            inherited: None,
            withheld: Vec::new(),
            start_timeout: Duration::from_secs(60),
            step_timeout: Duration::from_secs(30),
            specification: None,
            phrases: Vec::new(),
            tasks: Vec::new(),
            demonstrations: None,
        }
    }

    /// The command as a person would type it, without what may be secret in it: it is shown and kept.
    pub fn command_line(&self) -> String {
        shown(&self.command)
    }

    pub fn specification(&self) -> Result<Arc<str>, WorldError> {
        let Some(path) = &self.specification else { return Ok(GENERIC.into()) };
        let text = stepwright_files::read_text(path, LARGEST).map_err(|e| WorldError::Data {
            path: path.display().to_string(),
            message: format!("the specification of the adapter `{}` cannot be read: {e}", self.name),
        })?;
        Ok(text.into())
    }

    /// The tasks under ids that name the adapter: `NAME/TASK`, or `NAME` alone where none is configured.
    pub fn task_infos(&self) -> Vec<TaskInfo> {
        let info = |id: String, sentence: String| TaskInfo {
            id,
            kind: self.name.clone(),
            sentence,
            source: self.command_line(),
        };
        if self.tasks.is_empty() {
            return vec![info(self.name.clone(), format!("the task that {} begins with by itself", self.name))];
        }
        self.tasks.iter().map(|task| info(self.id_of(task), format!("{task} ({})", self.name))).collect()
    }

    pub fn id_of(&self, task: &str) -> String {
        if task.is_empty() { self.name.clone() } else { format!("{}/{task}", self.name) }
    }

    pub fn task_of<'a>(&self, id: &'a str) -> &'a str {
        match id.strip_prefix(self.name.as_str()) {
            Some("") => "",
            Some(rest) => rest.strip_prefix('/').unwrap_or(id),
            None => id,
        }
    }
}
/// A command as a person would type it, without what may be secret in it.
pub fn shown(command: &[String]) -> String {
    let shown = stepwright_secret::shown_words(command);
    shlex::try_join(shown.iter().map(String::as_str)).unwrap_or_else(|_| shown.join(" "))
}
