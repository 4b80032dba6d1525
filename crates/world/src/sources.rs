//! Sources. Opens sets of tasks by world and path and keeps what was read, so that a second episode does not read it again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::adapter::Adapters;
use super::agent_command::AgentCommand;
use super::demonstration::{self, Demonstration};
use super::{Kinds, OpenSpec, OpenedWorld, Origin, TaskInfo, TaskSet, World, WorldError, WorldKind};
use crate::options::Values;
use stepwright_episode::Header;
use stepwright_program::{Call, Role, Specification};

/// The name of the world of recorded episodes.
pub const RECORDED: &str = "recorded";

/// A set of tasks that was read, and when its file or folder had been changed last.
struct Read {
    changed: Option<SystemTime>,
    set: Arc<dyn TaskSet>,
}

/// Sets of tasks by the world's name and the path.
type Shelf = BTreeMap<(&'static str, Option<PathBuf>), Read>;

/// The worlds there are and the sets of tasks that were read. Clones share them.
#[derive(Clone)]
pub struct Sources {
    kinds: Kinds,
    recorded: Option<&'static WorldKind>,
    adapters: Arc<Adapters>,
    agent: Option<Arc<AgentCommand>>,
    shelf: Arc<Mutex<Shelf>>,
}

impl std::fmt::Debug for Sources {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sources").field("kinds", &self.kinds.iter().map(|k| k.name).collect::<Vec<_>>()).finish()
    }
}

impl Sources {
    /// Nothing read yet, of these worlds.
    pub fn with_kinds(kinds: &[&'static WorldKind]) -> Self {
        Sources { kinds: kinds.into(), recorded: None, adapters: Arc::default(), agent: None, shelf: Arc::default() }
    }

    /// The same with the world of recorded episodes, which is not listed: nothing begins in it.
    #[must_use]
    pub fn with_recorded(self, kind: &'static WorldKind) -> Self {
        Sources { recorded: Some(kind), ..self }
    }

    /// The same with the external world's tasks, those of these adapters.
    #[must_use]
    pub fn with_adapters(self, adapters: Adapters) -> Self {
        Sources { adapters: Arc::new(adapters), ..self }
    }

    /// The same with an agent's command.
    #[must_use]
    pub fn with_agent(self, agent: Option<Arc<AgentCommand>>) -> Self {
        Sources { agent, ..self }
    }

    pub fn kinds(&self) -> &Kinds {
        &self.kinds
    }

    pub fn kind(&self, name: &str) -> Result<&'static WorldKind, WorldError> {
        match self.recorded.filter(|kind| kind.name == name) {
            Some(kind) => Ok(kind),
            None => named(&self.kinds, name),
        }
    }

    /// A world's set of tasks; reads it if it was not read yet, or its file or folder has changed since.
    pub fn set(&self, world: &str, path: Option<&Path>) -> Result<Arc<dyn TaskSet>, WorldError> {
        let kind = self.kind(world)?;
        let changed = path.and_then(|p| std::fs::metadata(p).ok()?.modified().ok());
        let key = (kind.name, path.map(Path::to_owned));
        let mut shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = shelf.get(&key).filter(|read| read.changed == changed) {
            return Ok(Arc::clone(&known.set));
        }
        let (adapters, agent, kinds) = (&self.adapters, self.agent.as_ref(), &self.kinds);
        let set = (kind.open)(&Origin { path, adapters, agent, kinds })?;
        shelf.insert(key, Read { changed, set: Arc::clone(&set) });
        Ok(set)
    }

    pub fn tasks(&self, world: &str, path: Option<&Path>) -> Result<Vec<TaskInfo>, WorldError> {
        Ok(self.set(world, path)?.tasks())
    }

    /// The same with those that only a process tells.
    pub fn told(&self, world: &str, path: Option<&Path>) -> Result<Vec<TaskInfo>, WorldError> {
        Ok(self.set(world, path)?.told())
    }

    pub fn open(&self, spec: &OpenSpec<'_>) -> Result<OpenedWorld, WorldError> {
        let options = Values::read(self.kind(spec.world)?.options, spec.options)?;
        let set = self.set(spec.world, spec.data)?;
        let task = set.resolve(spec.task)?;
        set.open(&task, &options)
    }

    /// A world that plays an episode of a file of logs back; the first one where no id is given.
    pub fn open_log(&self, path: &Path, episode: &str) -> Result<OpenedWorld, WorldError> {
        let options = BTreeMap::new();
        self.open(&OpenSpec { world: RECORDED, data: Some(path), options: &options, task: episode })
    }

    /// The world of a recorded session, at its task.
    pub fn reopen(&self, header: &Header, data: Option<&Path>) -> Result<OpenedWorld, WorldError> {
        let options = Values::read(self.kind(&header.world)?.options, &header.options)?;
        self.set(&header.world, data)?.reopen(header, &options)
    }

    /// Episodes to learn from for an opened world: those of `own`, a person's file, if the world takes one; else those
    /// configured with its tasks, or those that ship.
    pub fn demonstrations(
        &self,
        opened: &OpenedWorld,
        data: Option<&Path>,
        seed: u64,
        own: Option<&Path>,
    ) -> Result<Vec<Demonstration>, WorldError> {
        let kind = opened.world.kind();
        let set = self.set(kind.name, data)?;
        let own = own.filter(|_| kind.data.is_some_and(|data| data.demonstrations)).map(Path::to_owned);
        match own.or_else(|| set.demonstrations_file(&opened.task)) {
            Some(path) => read_demonstrations(&path, opened.world.as_ref()),
            None => set.demonstrations(&opened.task, &Values::read(kind.options, &opened.options)?, seed),
        }
    }
}

/// A person's own demonstrations; which calls are actions is declared by the world's specification.
pub fn read_demonstrations(path: &Path, world: &dyn World) -> Result<Vec<Demonstration>, WorldError> {
    let specification =
        Specification::load(&world.specification(), "spec.py").map_err(|e| WorldError::Failed(e.to_string()))?;
    let is_action =
        |call: &Call| specification.function(&call.receiver, &call.function).is_some_and(|f| f.role == Role::Action);
    demonstration::open(path, &world.header().setup, is_action)
}

/// The world of that name.
/// Errors: [`WorldError::Unknown`] if there is none.
pub fn named(kinds: &[&'static WorldKind], name: &str) -> Result<&'static WorldKind, WorldError> {
    kinds.iter().copied().find(|kind| kind.name == name).ok_or_else(|| {
        let known = kinds.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ");
        WorldError::Unknown { what: "world", name: name.to_owned(), known }
    })
}
