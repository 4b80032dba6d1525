//! Catalogs. Keeps the tasks that were read from files, in their order, and finds one by its id or a part of it.

#![warn(missing_docs)]

use std::fmt::Debug;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use stepwright_world::demonstration::Demonstration;
use stepwright_world::options::Values;
use stepwright_world::{OpenedWorld, TaskInfo, TaskSet, WorldError, files};

/// Something with an id that no other of its kind has.
pub trait Identified {
    /// The id.
    fn id(&self) -> &str;
}

/// A task as it was read, whose catalog is a set of tasks.
pub trait Entry: Identified + Debug + Send + Sync + Sized + 'static {
    /// Its row in a list of tasks.
    fn info(&self) -> TaskInfo;

    /// As [`TaskSet::open`].
    fn open(catalog: Arc<Catalog<Self>>, task: &str, options: &Values) -> Result<OpenedWorld, WorldError>;

    /// As [`TaskSet::demonstrations`].
    fn demonstrations(&self, options: &Values) -> Result<Vec<Demonstration>, WorldError>;
}

/// Tasks in the order of their files, each id once.
#[derive(Debug, Clone)]
pub struct Catalog<T> {
    entries: Vec<T>,
    index: FxHashMap<String, usize>,
}

impl<T> Default for Catalog<T> {
    fn default() -> Self {
        Catalog { entries: Vec::new(), index: FxHashMap::default() }
    }
}

impl<T: Identified> Catalog<T> {
    /// Takes a task in, unless there is one of its id already, which then stays; whether it was taken in.
    pub fn add(&mut self, entry: T) -> bool {
        if self.index.contains_key(entry.id()) {
            return false;
        }
        self.index.insert(entry.id().to_owned(), self.entries.len());
        self.entries.push(entry);
        true
    }

    /// The tasks as they were read.
    pub fn entries(&self) -> &[T] {
        &self.entries
    }

    /// The ids.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(T::id)
    }

    /// Number of tasks.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no tasks.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The task of an id.
    pub fn get(&self, id: &str) -> Result<&T, WorldError> {
        let found = self.index.get(id).and_then(|at| self.entries.get(*at));
        found.ok_or_else(|| files::no_such_task(self.ids(), id))
    }

    /// The whole id that a person's abbreviation stands for: the id itself, or the only one that begins, ends or contains it;
    /// the first one if nothing is asked for.
    pub fn resolve(&self, part: &str) -> Result<&str, WorldError> {
        match self.entries.first().filter(|_| part.is_empty()) {
            Some(first) => Ok(first.id()),
            None => files::resolve(|| self.ids(), part),
        }
    }
}

impl<T: Entry> Catalog<T> {
    /// The tasks as a list for display.
    pub fn tasks(&self) -> Vec<TaskInfo> {
        self.entries.iter().map(T::info).collect()
    }
}

impl<T: Entry> TaskSet for Catalog<T> {
    fn tasks(&self) -> Vec<TaskInfo> {
        Catalog::tasks(self)
    }

    fn resolve(&self, part: &str) -> Result<String, WorldError> {
        Catalog::resolve(self, part).map(str::to_owned)
    }

    fn open(self: Arc<Self>, task: &str, options: &Values) -> Result<OpenedWorld, WorldError> {
        T::open(self, task, options)
    }

    fn demonstrations(&self, task: &str, options: &Values, _seed: u64) -> Result<Vec<Demonstration>, WorldError> {
        self.get(task)?.demonstrations(options)
    }
}
