//! Where tasks come from: the tasks that ship with the program, a file of games, or a user's ALFWorld data folder.
//!
//! Finds and labels tasks, and reads a game when it is asked for. Understands compact JSON (one game a line, `.jsonl` or
//! `.jsonl.gz`, or one game in a `.json`) and the original `game.tw-pddl` files, alone or in folders.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::definition::Definition;
use super::game::Game;
use super::load_compact::{self, Label};
use super::{EDITION, Edition, HouseholdWorld, load_official, shipped};
use crate::options::Values;
use crate::world::demonstration::Demonstration;
use crate::world::files::{self, children, data, is_json_lines, name_of, read_text};
use crate::world::{OpenedWorld, Origin, TaskInfo, TaskSet, WorldError};

/// The tasks that ship with the program, written for it.
const SHIPPED: &str = include_str!("../../../worlds/household/tasks.jsonl");

/// The deepest folder looked into below the one given.
const DEEPEST: usize = 8;
/// The most game files taken from a folder; ALFWorld's whole release has 4,027.
const MOST_FILES: usize = 50_000;

/// Where one game's text is.
#[derive(Debug, Clone)]
enum Place {
    /// A line of compact JSON, held in memory, with where it stands (`games.jsonl:12`).
    Line { json: String, at: String },
    /// An original game file.
    Official(PathBuf),
}

#[derive(Debug, Clone)]
struct Entry {
    info: TaskInfo,
    place: Place,
}

/// The tasks of a source.
#[derive(Debug, Clone, Default)]
pub struct Source {
    entries: Vec<Entry>,
}

impl Source {
    /// The tasks that ship with the program.
    ///
    /// # Errors
    /// Never, unless the program's own file is damaged.
    pub fn shipped() -> Result<Source, WorldError> {
        Source::from_lines(SHIPPED, "shipped")
    }

    /// Reads a file or a folder.
    ///
    /// # Errors
    /// [`WorldError::Data`] naming the file (and line) that cannot be read, or saying that no game is there.
    pub fn open(path: &Path) -> Result<Source, WorldError> {
        if !path.is_dir() {
            return Source::open_file(path);
        }
        let mut source = Source::default();
        let mut files: Vec<PathBuf> = children(path)?.into_iter().filter(|p| is_json_lines(p)).collect();
        files.sort();
        for file in files {
            // Other JSON lines can lie beside the games (plans, splits): a file is taken by its name or its first line.
            let text = read_text(&file)?;
            if name_of(&file).starts_with("games")
                || text.lines().find(|l| !l.trim().is_empty()).is_some_and(|l| load_compact::definition(l).is_ok())
            {
                source.entries.extend(Source::from_lines(&text, &file.display().to_string())?.entries);
            }
        }
        if source.entries.is_empty() {
            let mut games = Vec::new();
            find_official(path, 0, &mut games)?;
            games.sort();
            source.entries = games.into_iter().map(official_entry).collect();
        }
        // The first of several files of one game counts, so that ids stay unique.
        let mut seen = FxHashSet::default();
        source.entries.retain(|e| seen.insert(e.info.id.clone()));
        if source.entries.is_empty() {
            return Err(data(path, "no games here: neither compact .jsonl files nor folders with game.tw-pddl"));
        }
        Ok(source)
    }

    /// Whether games lie at a path: a file of them, or a folder that holds one, as far as names and first lines tell.
    pub fn lies_at(path: &Path) -> bool {
        let begins = |file: &Path| {
            let text = if is_json_lines(file) { read_text(file).ok() } else { None };
            text.and_then(|t| Some(load_compact::definition(t.lines().find(|l| !l.trim().is_empty())?).is_ok()))
        };
        if !path.is_dir() {
            return path.extension().is_some_and(|e| e == "tw-pddl")
                || begins(path).unwrap_or_else(|| read_text(path).is_ok_and(|t| load_compact::definition(&t).is_ok()));
        }
        let mut games = Vec::new();
        children(path).is_ok_and(|files| files.iter().any(|file| begins(file) == Some(true)))
            || (find_official(path, 0, &mut games).is_ok() && !games.is_empty())
    }

    fn open_file(path: &Path) -> Result<Source, WorldError> {
        if path.extension().is_some_and(|e| e == "tw-pddl") {
            if !path.exists() {
                return Err(data(path, "no such file"));
            }
            return Ok(Source { entries: vec![official_entry(path.to_owned())] });
        }
        let text = read_text(path)?;
        let origin = path.display().to_string();
        // One game over many lines is as good as one game a line.
        if let Ok(definition) = load_compact::definition(&text) {
            let one = serde_json::to_string(&definition).map_err(|e| data(path, &e.to_string()))?;
            return Source::from_lines(&one, &origin);
        }
        let source = Source::from_lines(&text, &origin)?;
        if source.entries.is_empty() {
            return Err(data(path, "the file is empty; one game definition a line is expected"));
        }
        Ok(source)
    }

    /// Reads compact JSON, one game a line.
    ///
    /// # Errors
    /// [`WorldError::Data`] naming the line that is no game.
    pub fn from_lines(text: &str, origin: &str) -> Result<Source, WorldError> {
        let mut entries = Vec::new();
        for (i, line) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
            let at = format!("{origin}:{}", i + 1);
            let label: Label = serde_json::from_str(line)
                .map_err(|e| WorldError::Data { path: at.clone(), message: load_compact::describe(&e) })?;
            let info =
                TaskInfo { id: label.id, kind: label.task_type, sentence: label.task, source: origin.to_owned() };
            entries.push(Entry { info, place: Place::Line { json: line.to_owned(), at } });
        }
        Ok(Source { entries })
    }

    /// The tasks, in the order of the files. Reads every official game's sentence from its file; [`Source::ids`] does not.
    pub fn tasks(&self) -> Vec<TaskInfo> {
        let told = |entry: &Entry| {
            let mut info = entry.info.clone();
            if let Place::Official(path) = &entry.place
                && let Some(sentence) = read_text(path).ok().as_deref().and_then(load_official::sentence_in_file)
            {
                info.sentence = sentence;
            }
            info
        };
        self.entries.iter().map(told).collect()
    }

    /// The ids of the tasks, in the order of the files.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|e| e.info.id.as_str())
    }

    /// Number of tasks.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no tasks.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The full id that a person's abbreviation stands for: the id itself, or the only one that begins, ends or contains it.
    ///
    /// # Errors
    /// [`WorldError::NoSuchTask`] with the ids that come nearest, or [`WorldError::AmbiguousTask`] with those that match.
    pub fn resolve(&self, wanted: &str) -> Result<&str, WorldError> {
        files::resolve(|| self.ids(), wanted)
    }

    /// The definition of a task.
    ///
    /// # Errors
    /// [`WorldError::NoSuchTask`], or [`WorldError::Data`] if the file cannot be read or holds no game.
    pub fn definition(&self, id: &str) -> Result<Definition, WorldError> {
        let entry = self.entry(id)?;
        match &entry.place {
            Place::Line { json, at } => {
                load_compact::definition(json).map_err(|message| WorldError::Data { path: at.clone(), message })
            }
            Place::Official(path) => {
                let beside = path.with_file_name("traj_data.json");
                let trajectory = if beside.exists() { Some(read_text(&beside)?) } else { None };
                load_official::definition(&read_text(path)?, id, trajectory.as_deref()).map_err(|e| data(path, &e))
            }
        }
    }

    /// Makes a task ready to play.
    ///
    /// # Errors
    /// As [`Source::definition`], or [`WorldError::Data`] if the game contradicts itself.
    pub fn game(&self, id: &str) -> Result<Game, WorldError> {
        let definition = self.definition(id)?;
        let at = match &self.entry(id)?.place {
            Place::Line { at, .. } => at.clone(),
            Place::Official(path) => path.display().to_string(),
        };
        Game::build(&definition).map_err(|message| WorldError::Data { path: at, message })
    }

    /// The wording an official game was made for; `None` for compact JSON, which serves both.
    ///
    /// # Errors
    /// As [`Source::definition`].
    pub fn edition(&self, id: &str) -> Result<Option<Edition>, WorldError> {
        match &self.entry(id)?.place {
            Place::Line { .. } => Ok(None),
            Place::Official(path) => load_official::edition(&read_text(path)?).map_err(|e| data(path, &e)),
        }
    }

    fn entry(&self, id: &str) -> Result<&Entry, WorldError> {
        self.entries.iter().find(|e| e.info.id == id).ok_or_else(|| files::no_such_task(self.ids(), id))
    }
}

/// Reads the games of a file or folder, or the shipped ones.
///
/// # Errors
/// As [`Source::open`].
pub(super) fn read(origin: &Origin<'_>) -> Result<Arc<dyn TaskSet>, WorldError> {
    Ok(Arc::new(origin.path.map_or_else(Source::shipped, Source::open)?))
}

/// The wording that the options name.
fn edition_of(options: &Values) -> Result<Option<Edition>, WorldError> {
    match options.text(&EDITION) {
        "" => Ok(None),
        word => word.parse().map(Some).map_err(WorldError::Failed),
    }
}

impl TaskSet for Source {
    fn tasks(&self) -> Vec<TaskInfo> {
        Source::tasks(self)
    }

    fn resolve(&self, part: &str) -> Result<String, WorldError> {
        files::resolve_or_first(|| self.ids(), part)
    }

    fn open(self: Arc<Self>, task: &str, options: &Values) -> Result<OpenedWorld, WorldError> {
        // Not from the list of tasks: an official game tells its sentence only when it is read.
        let sentence = self.definition(task)?.task;
        let edition = match edition_of(options)? {
            Some(edition) => edition,
            None => self.edition(task)?.unwrap_or_default(),
        };
        let options = BTreeMap::from([(EDITION.key.to_owned(), edition.to_string())]);
        Ok(OpenedWorld {
            world: Box::new(HouseholdWorld::new(self, edition)),
            task: task.to_owned(),
            sentence,
            options,
        })
    }

    fn demonstrations(&self, _task: &str, options: &Values, _seed: u64) -> Result<Vec<Demonstration>, WorldError> {
        shipped::demonstrations(edition_of(options)?.unwrap_or_default())
    }
}

fn official_entry(path: PathBuf) -> Entry {
    let path = std::path::absolute(&path).unwrap_or(path);
    let parts: Vec<String> = path.iter().map(|p| p.to_string_lossy().into_owned()).collect();
    // …/split/task folder/trial/game.tw-pddl
    let end = parts.len().saturating_sub(1);
    let id = parts.get(end.saturating_sub(3)..end).unwrap_or_default().join("/");
    let folder = parts.get(end.saturating_sub(2)).cloned().unwrap_or_default();
    let kind = folder.split('-').next().unwrap_or_default().to_owned();
    let info = TaskInfo { id, kind, sentence: folder, source: path.display().to_string() };
    Entry { info, place: Place::Official(path) }
}

/// Finds `game.tw-pddl` files; folders of movable receptacles and sliced objects are left out, as ALFWorld leaves them out.
fn find_official(folder: &Path, depth: usize, games: &mut Vec<PathBuf>) -> Result<(), WorldError> {
    for child in children(folder)? {
        let name = name_of(&child);
        if child.is_dir() {
            if depth < DEEPEST && !name.contains("movable") && !name.contains("Sliced") {
                find_official(&child, depth + 1, games)?;
            }
        } else if name == "game.tw-pddl" {
            if games.len() == MOST_FILES {
                return Err(data(folder, &format!("more than {MOST_FILES} games; name a folder further down")));
            }
            games.push(child);
        }
    }
    Ok(())
}
