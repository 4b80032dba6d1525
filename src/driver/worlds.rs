//! The worlds there are, and getting from a name, data and a task to a world that can be reset to it.
//!
//! Data is read once: [`Sources`] keeps what was read for as long as whoever holds it needs it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::adapters::{self, Adapters};
use super::open::OpenError;
use crate::config::Config;
use crate::episode::Header;
use crate::program::{Call, Role, Specification};
use crate::world::demonstration::{self, Demonstration};
use crate::world::dialogue::{self, DialogueWorld};
use crate::world::household::{self, Edition, HouseholdWorld};
use crate::world::kitchen::{self, Find, KitchenWorld};
use crate::world::table::{self, TableWorld};
use crate::world::{TaskInfo, World, WorldError};

/// The household world's name.
pub const HOUSEHOLD: &str = "household";
/// The dialogue world's name.
pub const DIALOGUE: &str = "dialogue";
/// The kitchen world's name.
pub const KITCHEN: &str = "kitchen";
/// The table world's name.
pub const TABLE: &str = "table";

/// The external world's name.
pub const EXTERNAL: &str = "external";

/// The worlds there are: name, and what they are in a sentence.
pub const WORLDS: [(&str, &str); 5] = [
    (HOUSEHOLD, "ALFWorld's text games: find, carry, clean, heat, cool and put things about a house"),
    (DIALOGUE, "recorded dialogues with a service: say what its system does next, act by act"),
    (KITCHEN, "a kitchen seen through a robot's eyes: find, open, carry and switch on, to make coffee and toast"),
    (
        TABLE,
        "a table with blocks and bowls: answer one request after another, and remember what is where, dirty or heavy",
    ),
    (EXTERNAL, "worlds of your own, behind commands that speak the line protocol (adapters/README.md)"),
];

/// Which task of which world.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The world's name.
    pub world: &'a str,
    /// Where its tasks come from; the shipped ones if `None`.
    pub data: Option<&'a Path>,
    /// World options (`edition`, `find`).
    pub options: &'a BTreeMap<String, String>,
    /// The task's id or an unmistakable part of it; the first task if empty.
    pub task: &'a str,
}

/// A world with its task found, not reset to it yet.
pub struct Place {
    /// The world.
    pub world: Box<dyn World>,
    /// The task's whole id.
    pub task: String,
    /// The goal as the agent is told it.
    pub sentence: String,
    /// World options, those left open filled in.
    pub options: BTreeMap<String, String>,
}

/// A source that was read, and when its file or folder had been changed last.
#[derive(Debug)]
struct Read<S> {
    path: Option<PathBuf>,
    changed: Option<SystemTime>,
    source: Arc<S>,
}

/// Sources of tasks that were read, so that a second episode does not read them again. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Sources(Arc<Mutex<Shelf>>);

#[derive(Debug, Default)]
struct Shelf {
    adapters: Arc<Adapters>,
    household: Vec<Read<household::Source>>,
    dialogue: Vec<Read<dialogue::Source>>,
    kitchen: Vec<Read<kitchen::Source>>,
    table: Vec<Read<table::Source>>,
}

/// The source on a shelf; reads it if it is not there or its file or folder has changed since.
fn take<S>(
    shelf: &mut Vec<Read<S>>,
    path: Option<&Path>,
    read: impl FnOnce() -> Result<S, WorldError>,
) -> Result<Arc<S>, WorldError> {
    let changed = path.and_then(|p| std::fs::metadata(p).ok()?.modified().ok());
    if let Some(known) = shelf.iter().find(|r| r.path.as_deref() == path && r.changed == changed) {
        return Ok(Arc::clone(&known.source));
    }
    shelf.retain(|r| r.path.as_deref() != path);
    let source = Arc::new(read()?);
    shelf.push(Read { path: path.map(Path::to_owned), changed, source: Arc::clone(&source) });
    Ok(source)
}

impl Sources {
    /// Nothing read yet; the external world's tasks are those of these adapters.
    pub fn with_adapters(adapters: Adapters) -> Self {
        Sources(Arc::new(Mutex::new(Shelf { adapters: Arc::new(adapters), ..Shelf::default() })))
    }

    /// The adapters of the external world.
    fn adapters(&self) -> Arc<Adapters> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner).adapters)
    }

    /// The world of a recorded session, at its task.
    ///
    /// # Errors
    /// As [`Sources::place`].
    pub(super) fn again(&self, header: &Header, data: Option<&Path>) -> Result<Place, OpenError> {
        let Header { world, options, task, .. } = header;
        match world.as_str() {
            EXTERNAL => adapters::recorded(&self.adapters(), header),
            _ => self.place(&Wanted { world, data, options, task }),
        }
    }

    /// The games of a file or folder; the shipped ones if `None`.
    ///
    /// # Errors
    /// As [`household::Source::open`].
    pub fn household(&self, path: Option<&Path>) -> Result<Arc<household::Source>, WorldError> {
        let mut shelf = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        take(&mut shelf.household, path, || match path {
            Some(path) => household::Source::open(path),
            None => household::Source::shipped(),
        })
    }

    /// The dialogues of a file or folder; the shipped ones if `None`.
    ///
    /// # Errors
    /// As [`dialogue::Source::open`].
    pub fn dialogue(&self, path: Option<&Path>) -> Result<Arc<dialogue::Source>, WorldError> {
        let mut shelf = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        take(&mut shelf.dialogue, path, || match path {
            Some(path) => dialogue::Source::open(path),
            None => dialogue::Source::shipped(),
        })
    }

    /// The scenes of a file or folder; the shipped ones if `None`.
    ///
    /// # Errors
    /// As [`kitchen::Source::open`].
    pub fn kitchen(&self, path: Option<&Path>) -> Result<Arc<kitchen::Source>, WorldError> {
        let mut shelf = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        take(&mut shelf.kitchen, path, || match path {
            Some(path) => kitchen::Source::open(path),
            None => kitchen::Source::shipped(),
        })
    }

    /// The episodes of a file or folder; the shipped ones if `None`.
    ///
    /// # Errors
    /// As [`table::Source::open`].
    pub fn table(&self, path: Option<&Path>) -> Result<Arc<table::Source>, WorldError> {
        let mut shelf = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        take(&mut shelf.table, path, || match path {
            Some(path) => table::Source::open(path),
            None => table::Source::shipped(),
        })
    }

    /// The tasks of a world.
    ///
    /// # Errors
    /// If there is no such world, or its data cannot be read.
    pub fn tasks(&self, world: &str, path: Option<&Path>) -> Result<Vec<TaskInfo>, OpenError> {
        match world {
            HOUSEHOLD => Ok(self.household(path)?.tasks()),
            DIALOGUE => Ok(self.dialogue(path)?.tasks()),
            KITCHEN => Ok(self.kitchen(path)?.tasks()),
            TABLE => Ok(self.table(path)?.tasks()),
            EXTERNAL => Ok(adapters::tasks(&self.adapters())),
            _ => Err(no_such_world(world)),
        }
    }

    /// A world with a task.
    ///
    /// # Errors
    /// If there is no such world or task, or the data cannot be read.
    pub fn place(&self, wanted: &Wanted<'_>) -> Result<Place, OpenError> {
        match wanted.world {
            HOUSEHOLD => self.house(wanted),
            DIALOGUE => self.conversation(wanted),
            KITCHEN => self.kitchen_scene(wanted),
            TABLE => self.table_episode(wanted),
            EXTERNAL => adapters::place(&self.adapters(), wanted.task),
            _ => Err(no_such_world(wanted.world)),
        }
    }

    fn house(&self, wanted: &Wanted<'_>) -> Result<Place, OpenError> {
        let source = self.household(wanted.data)?;
        let task = match wanted.task {
            "" => source.ids().next().unwrap_or_default().to_owned(),
            task => source.resolve(task)?.to_owned(),
        };
        // Not from the list of tasks: an official game tells its sentence only when it is read.
        let sentence = source.definition(&task)?.task;
        let edition = match wanted.options.get("edition") {
            Some(word) => word.parse::<Edition>().map_err(OpenError::Failed)?,
            None => source.edition(&task)?.unwrap_or_default(),
        };
        let options = BTreeMap::from([("edition".to_owned(), edition.to_string())]);
        Ok(Place { world: Box::new(HouseholdWorld::new(source, edition)), task, sentence, options })
    }

    fn conversation(&self, wanted: &Wanted<'_>) -> Result<Place, OpenError> {
        let source = self.dialogue(wanted.data)?;
        let task = match wanted.task {
            "" => source.first().unwrap_or_default().to_owned(),
            task => source.resolve(task)?.to_owned(),
        };
        let sentence = source.dialogue(&task)?.opening();
        Ok(Place { world: Box::new(DialogueWorld::new(source)), task, sentence, options: BTreeMap::new() })
    }

    fn kitchen_scene(&self, wanted: &Wanted<'_>) -> Result<Place, OpenError> {
        let source = self.kitchen(wanted.data)?;
        let task = match wanted.task {
            "" => source.ids().next().unwrap_or_default().to_owned(),
            task => source.resolve(task)?.to_owned(),
        };
        let sentence = source.task(&task)?.1.text;
        let find = match wanted.options.get("find") {
            Some(word) => word.parse::<Find>().map_err(OpenError::Failed)?,
            None => Find::default(),
        };
        let options = BTreeMap::from([("find".to_owned(), find.to_string())]);
        Ok(Place { world: Box::new(KitchenWorld::new(source, find)), task, sentence, options })
    }

    fn table_episode(&self, wanted: &Wanted<'_>) -> Result<Place, OpenError> {
        let source = self.table(wanted.data)?;
        let task = match wanted.task {
            "" => source.ids().next().unwrap_or_default().to_owned(),
            task => source.resolve(task)?.to_owned(),
        };
        let sentence = source.episode(&task)?.sentence();
        Ok(Place { world: Box::new(TableWorld::new(source)), task, sentence, options: BTreeMap::new() })
    }

    /// Episodes to learn from at a place: the person's own, the shipped ones, or of a dialogue's service; never the dialogue
    /// itself.
    ///
    /// # Errors
    /// If they cannot be read.
    pub(super) fn demonstrations(
        &self,
        place: &Place,
        data: Option<&Path>,
        seed: u64,
        config: &Config,
    ) -> Result<Vec<Demonstration>, OpenError> {
        if place.world.name() == DIALOGUE {
            let source = self.dialogue(data)?;
            let service = &source.dialogue(&place.task)?.service;
            let shown = source.demonstrations(service, &place.task, seed);
            return Ok(shown.into_iter().map(Demonstration::from).collect());
        }
        if place.is_external() {
            return match adapters::demonstrations(&self.adapters(), &place.task) {
                Some(path) => read_demonstrations(&path, place.world.as_ref()),
                None => Ok(Vec::new()),
            };
        }
        if place.world.name() == KITCHEN {
            return Ok(kitchen::shipped::demonstrations(&place.task)?);
        }
        if place.world.name() == TABLE {
            let episode = self.table(data)?.episode(&place.task)?;
            return Ok(table::shipped::demonstrations(&episode)?);
        }
        match &config.data.demonstrations {
            Some(path) => read_demonstrations(path, place.world.as_ref()),
            None => {
                let edition = place.options.get("edition").and_then(|e| e.parse().ok()).unwrap_or_default();
                Ok(household::shipped::demonstrations(edition)?)
            }
        }
    }
}

fn no_such_world(name: &str) -> OpenError {
    let known = WORLDS.map(|(name, _)| name).join(", ");
    OpenError::Unknown { what: "world", name: name.to_owned(), known }
}

/// A person's own demonstrations; which calls are actions is declared by the world's specification.
fn read_demonstrations(path: &Path, world: &dyn World) -> Result<Vec<Demonstration>, OpenError> {
    let specification =
        Specification::load(&world.specification(), "spec.py").map_err(|e| OpenError::Failed(e.to_string()))?;
    let is_action =
        |call: &Call| specification.function(&call.receiver, &call.function).is_some_and(|f| f.role == Role::Action);
    Ok(demonstration::open(path, &world.header().setup, is_action)?)
}
