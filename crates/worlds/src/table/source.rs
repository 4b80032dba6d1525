//! Sources of episodes: those that ship with the program, a file, or a folder of them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::episode::{Domain, Episode};
use super::load::Complaint;
use super::{TableWorld, load, shipped};
use crate::{Catalog, Entry, Identified};
use stepwright_world::demonstration::Demonstration;
use stepwright_world::files::{children, data, ends_with, files_in, name_of, read_at_most};
use stepwright_world::options::Values;
use stepwright_world::{OpenedWorld, TaskInfo, WorldError};

/// The files that ship with the program, in the order their episodes are listed.
const SHIPPED: [(&str, &str); 5] = [
    ("pick_and_place.jsonl", include_str!("../../worlds/table/pick_and_place.jsonl")),
    ("disinfection.jsonl", include_str!("../../worlds/table/disinfection.jsonl")),
    ("weight.jsonl", include_str!("../../worlds/table/weight.jsonl")),
    ("cover.jsonl", include_str!("../../worlds/table/cover.jsonl")),
    ("cups.json", include_str!("../../worlds/table/cups.json")),
];

/// The largest file of episodes, in bytes.
const LARGEST: usize = 64 << 20;
/// Files of these names hold episodes; what is wrong in one is an error and no reason to pass it over.
const NAMES: [&str; 3] = ["episodes_", "generated_", "three_cups"];

#[derive(Debug)]
pub struct EpisodeFile {
    episode: Arc<Episode>,
    origin: String,
}

pub type Source = Catalog<EpisodeFile>;

impl Source {
    pub fn shipped() -> Result<Source, WorldError> {
        let mut source = Source::default();
        for (name, text) in SHIPPED {
            source.add_text(text, &Path::new("worlds/table").join(name), "shipped")?;
        }
        Ok(source)
    }

    /// Reads a file of episodes, or every one of a folder.
    pub fn open(path: &Path) -> Result<Source, WorldError> {
        let mut source = Source::default();
        if !path.is_dir() {
            source.add_text(&read_at_most(path, LARGEST)?, path, &path.display().to_string())?;
            return Ok(source);
        }
        for file in files_in(path, is_json)? {
            let text = read_at_most(&file, LARGEST)?;
            if is_named(&file) || looks_like_episodes(&text, &file).map_err(|wrong| located(&file, wrong))? {
                source.add_text(&text, &file, &file.display().to_string())?;
            }
        }
        if source.is_empty() {
            let wanted = "episodes_*.json, generated_*.jsonl or three_cups.json are expected (docs/reference/table.md)";
            return Err(data(path, &format!("no episodes of the table world here; {wanted}")));
        }
        Ok(source)
    }

    /// Episodes of a text; `path` is what complaints name.
    pub fn from_text(text: &str, path: &Path) -> Result<Source, WorldError> {
        let mut source = Source::default();
        source.add_text(text, path, &path.display().to_string())?;
        Ok(source)
    }

    /// Whether episodes of the table world lie at a path: it is a file of them, or a folder that holds one by its name or as JSON lines.
    pub fn lies_at(path: &Path) -> bool {
        let holds =
            |file: &Path| read_at_most(file, LARGEST).is_ok_and(|text| looks_like_episodes(&text, file) == Ok(true));
        if !path.is_dir() {
            return is_json(path) && holds(path);
        }
        // Folders of other worlds can hold hundreds of large files.
        let likely = |file: &Path| is_json(file) && (is_named(file) || name_of(file).ends_with(".jsonl"));
        children(path).is_ok_and(|files| files.iter().any(|file| likely(file) && holds(file)))
    }

    fn add_text(&mut self, text: &str, path: &Path, origin: &str) -> Result<(), WorldError> {
        let episodes = load::episodes(text).map_err(|wrong| located(path, wrong))?;
        if episodes.is_empty() {
            return Err(data(path, "there is no episode in this file"));
        }
        let before = self.len();
        for (index, episode) in episodes.into_iter().enumerate() {
            let id = episode.id.clone();
            if !self.add(EpisodeFile { episode: Arc::new(episode), origin: origin.to_owned() }) {
                let first = self.place_of(&id, before, text);
                let message = format!("episode {id:?} is in {first} too; give one of them another id");
                return Err(located(path, (load::line_of(text, index), message)));
            }
        }
        Ok(())
    }

    /// Where the episode of an id is: the line of a text whose episodes stand behind those that were there `before`, or the other file.
    fn place_of(&self, id: &str, before: usize, text: &str) -> String {
        let at = self.entries().iter().position(|entry| entry.id() == id).unwrap_or_default();
        match at.checked_sub(before).and_then(|index| load::line_of(text, index)) {
            Some(line) => format!("line {line}"),
            None => self.entries().get(at).map(|entry| entry.origin.clone()).unwrap_or_default(),
        }
    }

    pub(crate) fn of_domain(&self, domain: Domain) -> impl Iterator<Item = &Arc<Episode>> {
        self.entries().iter().map(|entry| &entry.episode).filter(move |episode| episode.domain == domain)
    }

    pub fn episode(&self, id: &str) -> Result<Arc<Episode>, WorldError> {
        Ok(Arc::clone(&self.get(id)?.episode))
    }
}

impl Identified for EpisodeFile {
    fn id(&self) -> &str {
        &self.episode.id
    }
}

impl Entry for EpisodeFile {
    fn info(&self) -> TaskInfo {
        let Episode { id, domain, .. } = self.episode.as_ref();
        let (kind, sentence) = (domain.name().to_owned(), self.episode.sentence());
        TaskInfo { id: id.clone(), kind, sentence, source: self.origin.clone() }
    }

    fn open(source: Arc<Source>, task: &str, _options: &Values) -> Result<OpenedWorld, WorldError> {
        let sentence = source.episode(task)?.sentence();
        let (world, options) = (Box::new(TableWorld::new(source)), BTreeMap::new());
        Ok(OpenedWorld { world, task: task.to_owned(), sentence, options })
    }

    fn demonstrations(&self, _options: &Values) -> Result<Vec<Demonstration>, WorldError> {
        shipped::demonstrations(&self.episode)
    }
}

fn located(path: &Path, (line, message): Complaint) -> WorldError {
    let path = line.map_or_else(|| path.display().to_string(), |line| format!("{}:{line}", path.display()));
    WorldError::Data { path, message }
}

fn looks_like_episodes(text: &str, path: &Path) -> Result<bool, Complaint> {
    load::looks_like_episodes(text, name_of(path).ends_with(".jsonl"))
}

fn is_named(path: &Path) -> bool {
    NAMES.iter().any(|start| name_of(path).starts_with(start))
}

fn is_json(path: &Path) -> bool {
    ends_with(path, &["json", "jsonl"])
}
