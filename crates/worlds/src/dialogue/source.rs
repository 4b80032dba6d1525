//! Sources of dialogues: the dataset as published, or JSON lines, in files and folders.
//!
//! A folder of the dataset holds `schema.json` and `dialogues_*.json`, itself or in one folder a split. A compact folder holds
//! `<service>.demos.jsonl` and `<service>.test.jsonl`, itself or in `dialogues/`, with `domains.json` or `schema.json`
//! there or one folder up.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashMap;

use super::record::Dialogue;
use super::schema::{GroundTruth, Schema, Service, is_known};
use super::{DialogueWorld, load_compact, load_raw, specification};
use crate::{Catalog, Identified};
use stepwright_world::demonstration::Demonstration;
use stepwright_world::files::{
    children, data, each_line, files_in, first_value, has_form, is_json_lines, name_of, read_text, second_of_an_id,
};
use stepwright_world::options::Values;
use stepwright_world::{OpenedWorld, TaskInfo, TaskSet, WorldError};

/// Demonstrations drawn for a service whose data names none; the precondition paper uses as many.
const DEMONSTRATIONS: usize = 10;
/// The split of a folder's dialogues where none is stated.
const NO_SPLIT: &str = "all";

#[derive(Debug, Clone, Default)]
pub struct Source {
    schema: Schema,
    dialogues: Catalog<Dialogue>,
    /// Whether the dialogue of that index is there to learn from.
    demonstrations: Vec<bool>,
    origin: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct DialogueFile {
    path: PathBuf,
    split: String,
    lines: bool,
}

/// A dialogue with its place in its file, from 1: its line, or its number in the list.
type Placed = (usize, Dialogue);

impl DialogueFile {
    /// A place in it, in words.
    fn at(&self, place: usize) -> String {
        let path = self.path.display();
        if self.lines { format!("{path}:{place}") } else { format!("{path}, number {place} of its list") }
    }
}

impl Source {
    pub fn open(path: &Path) -> Result<Source, WorldError> {
        let mut source = Source { origin: path.display().to_string(), ..Source::default() };
        let found = if path.is_dir() { source.find(path)? } else { vec![source.one_file(path)?] };
        if found.is_empty() {
            return Err(data(
                path,
                "no dialogues here: neither .jsonl files of dialogues nor dialogues_*.json, here or one folder down",
            ));
        }
        let read = read_all(&found, &source.schema);
        let mut parts = Vec::new();
        for (file, dialogues) in found.iter().zip(read) {
            parts.push((file, dialogues?));
        }
        each_has_its_id(&parts)?;
        let of_file = |(file, dialogues): (&DialogueFile, Vec<Placed>)| {
            let dialogues: Vec<Dialogue> = dialogues.into_iter().map(|(_, dialogue)| dialogue).collect();
            (dialogues, name_of(&file.path).contains(".demos."))
        };
        let source = Source::of(&source.origin, source.schema, parts.into_iter().map(of_file).collect());
        if source.dialogues.is_empty() {
            return Err(data(path, "there is no dialogue of a single service; those of several are not used"));
        }
        Ok(source)
    }

    /// A source of dialogues that were read, each part with whether it is there to learn from.
    pub(super) fn of(origin: &str, schema: Schema, parts: Vec<(Vec<Dialogue>, bool)>) -> Source {
        let mut source = Source { schema, origin: origin.to_owned(), ..Source::default() };
        for (dialogues, demonstrations) in parts {
            source.add(dialogues, demonstrations);
        }
        source.gather();
        source
    }

    /// Whether a file or folder looks like dialogues, without reading them all. What is wrong beside them is said when they are opened.
    pub fn lies_at(path: &Path) -> bool {
        let begins = |text: &str| begins_with_dialogue(text, "").is_ok_and(|is| is);
        if path.is_dir() {
            let lines = |folder: &Path| {
                let files = files_in(folder, is_json_lines).unwrap_or_default();
                files.iter().any(|file| read_text(file).is_ok_and(|text| begins(&text)))
            };
            return lines(path) || lines(&path.join("dialogues")) || raw_below(path).is_ok_and(|raw| !raw.is_empty());
        }
        let name = name_of(path);
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        // One game may be a .json file too, but it is no list; episodes at a table are one, of other objects.
        let text = || read_text(path).unwrap_or_default();
        let is_list = |text: &str| text.trim_start().starts_with('[') && text.contains("\"dialogue_id\"");
        match name.rsplit_once('.') {
            Some((_, "json")) => is_list(&text()),
            Some((_, "jsonl")) => begins(&text()),
            _ => false,
        }
    }

    /// Takes dialogues in, no two of which have one id.
    fn add(&mut self, dialogues: Vec<Dialogue>, demonstrations: bool) {
        for dialogue in dialogues {
            if self.dialogues.add(dialogue) {
                self.demonstrations.push(demonstrations);
            }
        }
    }

    /// Describes the services that no schema describes by their dialogues, and adds slots that a schema leaves out.
    fn gather(&mut self) {
        let mut described: FxHashMap<String, Service> = FxHashMap::default();
        for dialogue in self.dialogues.entries() {
            let known = self.schema.services.iter().find(|s| s.name == dialogue.service);
            let service = described.entry(dialogue.service.clone()).or_insert_with(|| {
                known.cloned().unwrap_or_else(|| Service { name: dialogue.service.clone(), ..Service::default() })
            });
            service.take_in(dialogue, known.is_none());
        }
        for service in &mut self.schema.services {
            if let Some(described) = described.remove(&service.name) {
                *service = described;
            }
        }
        for dialogue in self.dialogues.entries() {
            self.schema.services.extend(described.remove(&dialogue.service));
        }
    }

    fn schemas_in(&mut self, folder: &Path) -> Result<(), WorldError> {
        for name in ["domains.json", "schema.json"] {
            let file = folder.join(name);
            if file.is_file() {
                self.schema.merge(Schema::read(&file)?);
            }
        }
        Ok(())
    }

    fn one_file(&mut self, path: &Path) -> Result<DialogueFile, WorldError> {
        if ["schema.json", "domains.json"].contains(&name_of(path).as_str()) {
            return Err(data(path, "this describes services; name its folder, or a file of dialogues"));
        }
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        let absolute = std::path::absolute(&folder).unwrap_or(folder);
        self.schemas_in(&absolute)?;
        if let Some(above) = absolute.parent() {
            self.schemas_in(above)?;
        }
        Ok(DialogueFile { path: path.to_owned(), split: split_of(&absolute), lines: is_json_lines(path) })
    }

    /// The files of dialogues in a folder; reads the schemas on the way.
    fn find(&mut self, folder: &Path) -> Result<Vec<DialogueFile>, WorldError> {
        self.schemas_in(folder)?;
        let mut found = lines_in(folder)?;
        let below = folder.join("dialogues");
        if below.is_dir() {
            found.extend(lines_in(&below)?);
        }
        let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        if self.schema.services.is_empty()
            && let Some(above) = absolute.parent()
        {
            self.schemas_in(above)?;
        }
        if !found.is_empty() {
            return Ok(found);
        }
        for (split, files) in raw_below(folder)? {
            if split != folder {
                self.schemas_in(&split)?;
            }
            found.extend(files);
        }
        Ok(found)
    }

    pub fn services(&self) -> impl Iterator<Item = &str> {
        let used = |s: &&Service| self.dialogues().iter().any(|d| d.service == s.name);
        self.schema.services.iter().filter(used).map(|s| s.name.as_str())
    }

    pub fn service(&self, name: &str) -> Option<&Service> {
        self.schema.services.iter().find(|s| s.name == name)
    }

    pub fn dialogues(&self) -> &[Dialogue] {
        self.dialogues.entries()
    }

    pub fn dialogue(&self, id: &str) -> Result<&Dialogue, WorldError> {
        self.dialogues.get(id)
    }

    /// The first dialogue among the tasks.
    pub fn first(&self) -> Option<&str> {
        let to_predict = self.demonstrations.iter().position(|demo| !demo).unwrap_or(0);
        self.dialogues().get(to_predict).map(|d| d.id.as_str())
    }

    /// The dialogues as tasks: those to be predicted, then those to learn from.
    pub fn tasks(&self) -> Vec<TaskInfo> {
        let task = |d: &Dialogue| TaskInfo {
            id: d.id.clone(),
            kind: d.service.clone(),
            sentence: d.sentence(),
            source: self.origin.clone(),
        };
        let those = |wanted: bool| {
            let marked = self.dialogues().iter().zip(&self.demonstrations);
            marked.filter(move |(_, demo)| **demo == wanted).map(|(dialogue, _)| task(dialogue))
        };
        those(false).chain(those(true)).collect()
    }

    /// The specification of a service as a program; of an unknown service, one without service calls.
    pub fn specification(&self, service: &str) -> String {
        match self.service(service) {
            Some(service) => specification::of(service),
            None => specification::of(&Service { name: service.to_owned(), ..Service::default() }),
        }
    }

    /// The true preconditions of a service's actions, where the data holds them.
    pub fn ground_truth(&self, service: &str) -> Option<GroundTruth> {
        self.schema.truths.iter().find(|(name, _)| name == service).map(|(_, truth)| truth.clone())
    }

    /// Dialogues of a service to learn from: those the data names as such; else ten drawn by the seed, of the split `train`
    /// where there is one. Never the dialogue `except`.
    pub fn demonstrations(&self, service: &str, except: &str, seed: u64) -> Vec<&Dialogue> {
        let of_service = |d: &&Dialogue| d.service == service;
        let marked = self.dialogues().iter().zip(&self.demonstrations).filter(|(_, demo)| **demo).map(|(d, _)| d);
        let mut named: Vec<&Dialogue> = marked.filter(of_service).collect();
        if named.is_empty() {
            named = self.dialogues().iter().filter(of_service).collect();
            if named.iter().any(|d| d.id.starts_with("train/")) {
                named.retain(|d| d.id.starts_with("train/"));
            }
            named.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
            named.retain(|d| d.id != except);
            named.truncate(DEMONSTRATIONS);
        }
        named.retain(|d| d.id != except);
        named
    }
}

impl Identified for Dialogue {
    fn id(&self) -> &str {
        &self.id
    }
}

impl TaskSet for Source {
    fn tasks(&self) -> Vec<TaskInfo> {
        Source::tasks(self)
    }

    fn resolve(&self, part: &str) -> Result<String, WorldError> {
        match self.first().filter(|_| part.is_empty()) {
            Some(first) => Ok(first.to_owned()),
            None => self.dialogues.resolve(part).map(str::to_owned),
        }
    }

    fn open(self: Arc<Self>, task: &str, _options: &Values) -> Result<OpenedWorld, WorldError> {
        let sentence = self.dialogue(task)?.opening();
        let (world, options) = (Box::new(DialogueWorld::new(self)), BTreeMap::new());
        Ok(OpenedWorld { world, task: task.to_owned(), sentence, options })
    }

    fn demonstrations(&self, task: &str, _options: &Values, seed: u64) -> Result<Vec<Demonstration>, WorldError> {
        let service = &self.dialogue(task)?.service;
        Ok(Source::demonstrations(self, service, task, seed).into_iter().map(Demonstration::from).collect())
    }
}

/// The place of a split's name among the usual ones.
fn usual(split: &str) -> Option<usize> {
    ["train", "dev", "test"].iter().position(|known| *known == split)
}

fn split_of(folder: &Path) -> String {
    let name = name_of(folder);
    if usual(&name).is_some() { name } else { NO_SPLIT.to_owned() }
}

/// Files of JSON lines whose first line has the form of a dialogue; others can lie beside them.
/// Errors: a first line that is no JSON.
fn lines_in(folder: &Path) -> Result<Vec<DialogueFile>, WorldError> {
    let mut found = Vec::new();
    for path in files_in(folder, is_json_lines)? {
        let text = read_text(&path)?;
        if begins_with_dialogue(&text, &path.display().to_string())? {
            let file = DialogueFile { path, split: String::new(), lines: true };
            found.push(file);
        }
    }
    Ok(found)
}

/// Whether the first line of a text has the form of a dialogue.
/// Errors: it is no JSON.
fn begins_with_dialogue(text: &str, origin: &str) -> Result<bool, WorldError> {
    Ok(first_value(text, origin)?.is_some_and(|first| has_form(&first, &load_compact::OWN)))
}

/// The folders that hold files in the dataset's own layout, with those files: the folder itself, and those in it.
fn raw_below(folder: &Path) -> Result<Vec<(PathBuf, Vec<DialogueFile>)>, WorldError> {
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let mut found = vec![(folder.to_owned(), raw_in(folder, &split_of(&absolute))?)];
    let mut splits: Vec<PathBuf> = children(folder)?.into_iter().filter(|p| p.is_dir()).collect();
    // The usual order first, so that a service's dialogues begin with those to learn from.
    splits.sort_by_key(|p| (usual(&name_of(p)).unwrap_or(usize::MAX), p.clone()));
    for split in splits {
        let files = raw_in(&split, &name_of(&split))?;
        found.push((split, files));
    }
    found.retain(|(_, files)| !files.is_empty());
    Ok(found)
}

/// Files in the dataset's own layout, by their names.
fn raw_in(folder: &Path, split: &str) -> Result<Vec<DialogueFile>, WorldError> {
    let is_raw = |path: &Path| {
        let name = name_of(path);
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        let stem = name.strip_suffix(".json");
        stem.is_some_and(|s| s.starts_with("dialogues_") || s.ends_with(".demos") || s.ends_with(".test"))
    };
    let file = |path| DialogueFile { path, split: split.to_owned(), lines: false };
    Ok(files_in(folder, is_raw)?.into_iter().map(file).collect())
}

/// Reads the files on as many threads as there are processors; the results are in the order of the files.
fn read_all(found: &[DialogueFile], schema: &Schema) -> Vec<Result<Vec<Placed>, WorldError>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let at = next.fetch_add(1, Ordering::Relaxed)
            && let Some(file) = found.get(at)
        {
            done.push((at, read_file(file, schema)));
        }
        done
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(found.len());
    let mut results: Vec<_> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut results = work();
        // A thread that was lost leaves fewer results than files; nothing in it can panic.
        results.extend(others.into_iter().filter_map(|thread| thread.join().ok()).flatten());
        results
    });
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Errors: two dialogues of one id, of which one would be lost.
fn each_has_its_id(parts: &[(&DialogueFile, Vec<Placed>)]) -> Result<(), WorldError> {
    let all = parts.iter().flat_map(|(file, dialogues)| {
        dialogues.iter().map(move |(place, dialogue)| (dialogue.id.as_str(), (*file, *place)))
    });
    let Some((id, (file, first), (again_in, again))) = second_of_an_id(all) else { return Ok(()) };
    let message = format!("dialogue {id:?} is in {} too; give one of them another id", file.at(first));
    Err(WorldError::Data { path: again_in.at(again), message })
}

fn read_file(file: &DialogueFile, schema: &Schema) -> Result<Vec<Placed>, WorldError> {
    let text = read_text(&file.path)?;
    if file.lines {
        return read_lines(&text, &file.path, schema);
    }
    let dialogues = load_raw::dialogues(&text, &file.split).map_err(|why| data(&file.path, &why))?;
    dialogues.iter().try_for_each(|(_, dialogue)| check(dialogue, schema)).map_err(|why| data(&file.path, &why))?;
    Ok(dialogues)
}

/// The dialogues of JSON lines, each with its line, from 1.
pub(super) fn read_lines(text: &str, path: &Path, schema: &Schema) -> Result<Vec<Placed>, WorldError> {
    each_line(text, &path.display().to_string(), |i, line| {
        load_compact::dialogue(line).and_then(|d| check(&d, schema).map(|()| (i + 1, d)))
    })
}

/// Whether every call is one that its service's program can make; of services without a schema there is nothing to say.
fn check(dialogue: &Dialogue, schema: &Schema) -> Result<(), String> {
    let Some(service) = schema.services.iter().find(|s| s.name == dialogue.service) else { return Ok(()) };
    for (i, turn) in dialogue.turns.iter().enumerate() {
        if let Some(call) = turn.calls.iter().find(|call| !is_known(service, call)) {
            return Err(format!(
                "dialogue {}, turn {}: {call} is neither an act nor an intent of {}; correct it, or add the intent to \
                 the schema",
                dialogue.id,
                i + 1,
                service.name
            ));
        }
    }
    Ok(())
}
