//! Adapters that are configured, as a set of tasks: which adapter a task's id means, and the world behind it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::ExternalWorld;
use stepwright_episode::Header;
use stepwright_world::adapter::{Adapter, Adapters};
use stepwright_world::demonstration::Demonstration;
use stepwright_world::options::Values;
use stepwright_world::{OpenedWorld, Origin, TaskInfo, TaskSet, WorldError};

/// The adapter of a command line given as a flag.
pub const COMMAND_LINE: &str = "cli";

/// The tasks of all configured adapters; one for an adapter without any.
struct AdapterSet(Adapters);

/// The tasks of the configured adapters; never an error, because nothing is read.
pub(super) fn read(origin: &Origin<'_>) -> Result<Arc<dyn TaskSet>, WorldError> {
    Ok(Arc::new(AdapterSet(origin.adapters.clone())))
}

impl AdapterSet {
    /// The adapters whose tasks are listed, and all of them meant where none is named: a command line's alone where there is one.
    fn meant(&self) -> Vec<&Arc<Adapter>> {
        self.0.get(COMMAND_LINE).map_or_else(|| self.0.values().collect(), |only| vec![only])
    }

    /// The adapter an id names (`NAME/TASK`, `NAME`), and the id. Without a name it is the adapter of the command line, or the
    /// only one; of an only one that is configured, a name before a `/` is no task unless it is configured as one.
    fn find(&self, id: &str) -> Result<(Arc<Adapter>, String), WorldError> {
        let adapters = &self.0;
        let name = id.split_once('/').map_or(id, |(name, _)| name);
        let found = adapters.get(name).map(|a| (a, a.task_of(id)));
        let is_its = |only: &&Arc<Adapter>| !id.contains('/') || only.tasks.iter().any(|task| task.contains(id));
        let lone = || adapters.values().next().filter(|_| adapters.len() == 1).filter(is_its);
        let only = || adapters.get(COMMAND_LINE).or_else(lone);
        let Some((adapter, task)) = found.or_else(|| Some((only()?, id))) else {
            return Err(match adapters.is_empty() {
                true => WorldError::Failed(
                    "no command is given for the external world; add one (--command 'python3 adapter.py'), or write \
                     [external.NAME] with a command into config.toml"
                        .to_owned(),
                ),
                false if name.is_empty() => WorldError::Failed(format!(
                    "several worlds are behind commands; name one with --task NAME or NAME/TASK: {}",
                    adapters.keys().cloned().collect::<Vec<_>>().join(", ")
                )),
                false => WorldError::Unknown {
                    what: "adapter",
                    name: name.to_owned(),
                    known: adapters.keys().cloned().collect::<Vec<_>>().join(", "),
                },
            });
        };
        // A part of a configured task's name that only one has means that task; anything else is passed on as it is.
        let task = match (task, adapter.tasks.as_slice()) {
            ("", [first, ..]) => first.clone(),
            (task, tasks) if tasks.iter().any(|t| t == task) => task.to_owned(),
            (task, tasks) => match tasks.iter().filter(|t| t.contains(task)).collect::<Vec<_>>().as_slice() {
                [one] => (*one).clone(),
                _ => task.to_owned(),
            },
        };
        Ok((Arc::clone(adapter), adapter.id_of(&task)))
    }
}

impl TaskSet for AdapterSet {
    fn tasks(&self) -> Vec<TaskInfo> {
        self.meant().into_iter().flat_map(|adapter| adapter.task_infos()).collect()
    }

    fn told(&self) -> Vec<TaskInfo> {
        self.meant().into_iter().flat_map(ExternalWorld::listed).collect()
    }

    fn resolve(&self, part: &str) -> Result<String, WorldError> {
        Ok(self.find(part)?.1)
    }

    /// The world behind a task's adapter. Nothing is started yet.
    fn open(self: Arc<Self>, task: &str, _options: &Values) -> Result<OpenedWorld, WorldError> {
        let (adapter, task) = self.find(task)?;
        let options = BTreeMap::from([("command".to_owned(), adapter.command_line())]);
        let world = Box::new(ExternalWorld::new(adapter, None)?);
        // The reset gives the sentence.
        Ok(OpenedWorld { world, task, sentence: String::new(), options })
    }

    /// A command is run only if it is configured here, never because a file names it; without one the session can be read, and
    /// stepping says what is missing.
    fn reopen(self: Arc<Self>, header: &Header, _options: &Values) -> Result<OpenedWorld, WorldError> {
        let adapter = self.find(&header.task).map(|(adapter, _)| adapter).unwrap_or_else(|_| {
            let name = header.task.split_once('/').map_or(header.task.as_str(), |(name, _)| name);
            Arc::new(Adapter::new(name, Vec::new()))
        });
        let world = Box::new(ExternalWorld::new(adapter, Some(&header.specification))?);
        let Header { task, sentence, options, .. } = header.clone();
        Ok(OpenedWorld { world, task, sentence, options })
    }

    fn demonstrations(&self, _task: &str, _options: &Values, _seed: u64) -> Result<Vec<Demonstration>, WorldError> {
        Ok(Vec::new())
    }

    fn demonstrations_file(&self, task: &str) -> Option<PathBuf> {
        self.find(task).ok()?.0.demonstrations.clone()
    }
}
