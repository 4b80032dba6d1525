//! Where episodes come from: those that ship with the program, a file, or a folder of them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::episode::{Domain, Episode};
use super::{TableWorld, load, shipped};
use crate::options::Values;
use crate::world::demonstration::Demonstration;
use crate::world::files::{self, children, data, name_of, read_text};
use crate::world::{OpenedWorld, Origin, TaskInfo, TaskSet, WorldError};

/// The files that ship with the program, in the order their episodes are listed.
const SHIPPED: [(&str, &str); 5] = [
    ("pick_and_place.jsonl", include_str!("../../../worlds/table/pick_and_place.jsonl")),
    ("disinfection.jsonl", include_str!("../../../worlds/table/disinfection.jsonl")),
    ("weight.jsonl", include_str!("../../../worlds/table/weight.jsonl")),
    ("cover.jsonl", include_str!("../../../worlds/table/cover.jsonl")),
    ("cups.json", include_str!("../../../worlds/table/cups.json")),
];

/// The largest file of episodes, in bytes.
const LARGEST: usize = 64 << 20;
/// Files of these names hold episodes; what is wrong in one is an error and no reason to pass it over.
const NAMES: [&str; 3] = ["episodes_", "generated_", "three_cups"];

#[derive(Debug)]
struct Known {
    episode: Arc<Episode>,
    origin: String,
}

/// Episodes by id.
#[derive(Debug, Default)]
pub struct Source {
    known: Vec<Known>,
    index: FxHashMap<String, usize>,
}

impl Source {
    /// The episodes that ship with the program.
    ///
    /// # Errors
    /// Never, unless the program's own files are damaged.
    pub fn shipped() -> Result<Source, WorldError> {
        let mut source = Source::default();
        for (name, text) in SHIPPED {
            source.add(text, &Path::new("worlds/table").join(name), "shipped")?;
        }
        Ok(source)
    }

    /// Reads a file of episodes, or every one of a folder.
    ///
    /// # Errors
    /// [`WorldError::Data`] naming the file and the line that is wrong, or saying that no episodes are there.
    pub fn open(path: &Path) -> Result<Source, WorldError> {
        let mut source = Source::default();
        if !path.is_dir() {
            source.add(&episodes_text(path)?, path, &path.display().to_string())?;
            return Ok(source);
        }
        let mut files = children(path)?;
        files.retain(|file| is_json(file));
        files.sort();
        for file in files {
            let text = episodes_text(&file)?;
            if is_named(&file) || load::looks_like_episodes(&text) {
                source.add(&text, &file, &file.display().to_string())?;
            }
        }
        if source.known.is_empty() {
            let wanted = "episodes_*.json, generated_*.jsonl or three_cups.json are expected (docs/table.md)";
            return Err(data(path, &format!("no episodes of the table world here; {wanted}")));
        }
        Ok(source)
    }

    /// Episodes of a text; `path` is what complaints name.
    ///
    /// # Errors
    /// As [`Source::open`].
    pub fn from_text(text: &str, path: &Path) -> Result<Source, WorldError> {
        let mut source = Source::default();
        source.add(text, path, &path.display().to_string())?;
        Ok(source)
    }

    /// Whether episodes of the table world lie at a path: it is a file of them, or a folder that holds one by its name or as JSON lines.
    pub fn lies_at(path: &Path) -> bool {
        let holds = |file: &Path| episodes_text(file).is_ok_and(|text| load::looks_like_episodes(&text));
        if !path.is_dir() {
            return is_json(path) && holds(path);
        }
        // Folders of other worlds can hold hundreds of large files.
        let likely = |file: &Path| is_json(file) && (is_named(file) || name_of(file).ends_with(".jsonl"));
        children(path).is_ok_and(|files| files.iter().any(|file| likely(file) && holds(file)))
    }

    fn add(&mut self, text: &str, path: &Path, origin: &str) -> Result<(), WorldError> {
        let episodes = load::episodes(text).map_err(|(line, message)| WorldError::Data {
            path: line.map_or_else(|| path.display().to_string(), |line| format!("{}:{line}", path.display())),
            message,
        })?;
        if episodes.is_empty() {
            return Err(data(path, "there is no episode in this file"));
        }
        for episode in episodes {
            if let Some(other) = self.index.get(&episode.id).and_then(|index| self.known.get(*index)) {
                let message =
                    format!("episode {:?} is in {} too; give one of them another id", episode.id, other.origin);
                return Err(data(path, &message));
            }
            self.index.insert(episode.id.clone(), self.known.len());
            self.known.push(Known { episode: Arc::new(episode), origin: origin.to_owned() });
        }
        Ok(())
    }

    /// The tasks, in the order of the files.
    pub fn tasks(&self) -> Vec<TaskInfo> {
        let info = |known: &Known| TaskInfo {
            id: known.episode.id.clone(),
            kind: known.episode.domain.name().to_owned(),
            sentence: known.episode.sentence(),
            source: known.origin.clone(),
        };
        self.known.iter().map(info).collect()
    }

    /// The ids, in the order of the files.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.known.iter().map(|known| known.episode.id.as_str())
    }

    /// The episodes of a domain, in the order of the files.
    pub fn of_domain(&self, domain: Domain) -> impl Iterator<Item = &Arc<Episode>> {
        self.known.iter().map(|known| &known.episode).filter(move |episode| episode.domain == domain)
    }

    /// The full id that a person's abbreviation stands for: the id itself, or the only one that begins, ends or contains it.
    ///
    /// # Errors
    /// [`WorldError::NoSuchTask`] with the ids that come nearest, where none or several match.
    pub fn resolve(&self, wanted: &str) -> Result<&str, WorldError> {
        files::resolve(|| self.ids(), wanted)
    }

    /// The episode of an id.
    ///
    /// # Errors
    /// [`WorldError::NoSuchTask`].
    pub fn episode(&self, id: &str) -> Result<Arc<Episode>, WorldError> {
        let found = self.index.get(id).and_then(|index| self.known.get(*index));
        found.map(|known| Arc::clone(&known.episode)).ok_or_else(|| files::no_such_task(self.ids(), id))
    }
}

/// Reads the episodes of a file or folder, or the shipped ones.
///
/// # Errors
/// As [`Source::open`].
pub(super) fn read(origin: &Origin<'_>) -> Result<Arc<dyn TaskSet>, WorldError> {
    Ok(Arc::new(origin.path.map_or_else(Source::shipped, Source::open)?))
}

impl TaskSet for Source {
    fn tasks(&self) -> Vec<TaskInfo> {
        Source::tasks(self)
    }

    fn resolve(&self, part: &str) -> Result<String, WorldError> {
        files::resolve_or_first(|| self.ids(), part)
    }

    fn open(self: Arc<Self>, task: &str, _options: &Values) -> Result<OpenedWorld, WorldError> {
        let sentence = self.episode(task)?.sentence();
        let (world, options) = (Box::new(TableWorld::new(self)), BTreeMap::new());
        Ok(OpenedWorld { world, task: task.to_owned(), sentence, options })
    }

    fn demonstrations(&self, task: &str, _options: &Values, _seed: u64) -> Result<Vec<Demonstration>, WorldError> {
        shipped::demonstrations(self.episode(task)?.as_ref())
    }
}

fn is_named(path: &Path) -> bool {
    NAMES.iter().any(|start| name_of(path).starts_with(start))
}

fn is_json(path: &Path) -> bool {
    path.is_file() && path.extension().is_some_and(|end| end == "json" || end == "jsonl")
}

fn episodes_text(path: &Path) -> Result<String, WorldError> {
    let text = read_text(path)?;
    if text.len() > LARGEST {
        return Err(data(path, "the file is larger than 64 MiB; split it"));
    }
    Ok(text)
}
