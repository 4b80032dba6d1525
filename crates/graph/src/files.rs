//! Files: finds scenes, tables, programs and lists in a folder: the compact layout of recordings, a copy of VirtualHome as it is
//! distributed (`example_graphs`, `resources`, ActivityPrograms `.txt`), and the language planner's lists beside either.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::metrics::AnnotatedStates;
use crate::names::{Names, PropertyTable};
use crate::scene::{Scene, Translation};
use crate::script::{self, LineError, Script};

/// The largest file read, in bytes.
const LARGEST: u64 = 256 << 20;
/// The most files of one kind, and the deepest folder below the one named.
const MOST_FILES: usize = 50_000;
const DEEPEST: usize = 6;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{}: {message}", path.display(), line.map_or_else(String::new, |line| format!(":{line}")))]
pub struct FileError {
    pub path: PathBuf,
    pub line: Option<usize>,
    pub message: String,
}

impl FileError {
    fn new(path: &Path, line: Option<usize>, message: impl ToString) -> Self {
        FileError { path: path.to_owned(), line, message: message.to_string() }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Where it comes from (`results_intentions_march-13-18/file540_2`).
    pub id: String,
    /// The task in a few words (`Read book`).
    pub title: String,
    pub description: String,
    pub script: Script,
    pub errors: Vec<LineError>,
    /// Whether it is for demonstration (`train`) or for test; empty where the data do not say.
    pub split: String,
    /// The scenes it is listed for; empty where the data do not say.
    pub scenes: Vec<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Example {
    pub title: String,
    /// `Task: …` and numbered steps, a line each.
    pub text: String,
}

/// Findings in a folder. Anything may be missing; [`Library::is_empty`] says whether all is.
#[derive(Debug, Clone, Default)]
pub struct Library {
    pub scenes: BTreeMap<i64, Scene>,
    /// The tables of names by name (`v1.0`, `lp`).
    pub names: IndexMap<String, Names>,
    pub properties: Option<PropertyTable>,
    pub annotated: Option<AnnotatedStates>,
    /// Programs, sorted by id.
    pub programs: Vec<Program>,
    pub examples: Vec<Example>,
    /// The admissible actions in words, names with underscores.
    pub actions: Vec<String>,
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, FileError> {
    let file = File::open(path).map_err(|error| FileError::new(path, None, error))?;
    let mut bytes = Vec::new();
    let read = file.take(LARGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| FileError::new(path, None, error))?;
    if bytes.len() as u64 > LARGEST {
        return Err(FileError::new(path, None, format!("larger than {} MB", LARGEST >> 20)));
    }
    // A mark that some editors begin a file with.
    if bytes.starts_with("\u{feff}".as_bytes()) {
        bytes.drain(..3);
    }
    Ok(bytes)
}

pub fn read_text(path: &Path) -> Result<String, FileError> {
    String::from_utf8(read_bytes(path)?).map_err(|error| {
        let before = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        FileError::new(path, Some(line), "this is no UTF-8; save the file as UTF-8")
    })
}

/// Reads a program of the data set, whose descriptions people wrote in whatever encoding: a letter that is no UTF-8 loses no step.
fn read_program(path: &Path) -> Result<String, FileError> {
    Ok(String::from_utf8_lossy(&read_bytes(path)?).into_owned())
}

fn json<T: DeserializeOwned>(path: &Path) -> Result<T, FileError> {
    serde_json::from_str(&read_text(path)?).map_err(|error| FileError::new(path, Some(error.line()), error))
}

fn first(folders: &[PathBuf], names: &[&str]) -> Option<PathBuf> {
    folders.iter().flat_map(|folder| names.iter().map(move |name| folder.join(name))).find(|path| path.is_file())
}

/// The files of a folder that a test accepts by name, sorted; none if there is no such folder.
fn files_in(folder: &Path, accepts: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<PathBuf> =
        paths.filter(|path| path.is_file() && accepts(&name_of(path))).take(MOST_FILES).collect();
    files.sort();
    files
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The scene's number in a file's name: the digits in it (`TrimmedTestScene3_graph.json`).
fn number_in(name: &str) -> Option<i64> {
    let digits: String = name.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// Where the parts of a copy may lie below the folder that is named.
fn roots(folder: &Path) -> Vec<PathBuf> {
    let below = ["", "virtualhome", "resources", "virtualhome/resources", "src", "scenes", "example_graphs"];
    below.iter().map(|part| folder.join(part)).collect()
}

/// The scene files at a path, which may be one itself: trimmed graphs where there are any, as the simulator uses them.
fn scene_files(folder: &Path) -> Vec<PathBuf> {
    if folder.is_file() {
        return vec![folder.to_owned()];
    }
    let graphs = |end: &'static str, start: &'static str| {
        let accepts = move |name: &str| name.ends_with(end) && name.starts_with(start);
        roots(folder).iter().map(|root| files_in(root, accepts)).find(|found| !found.is_empty())
    };
    let trimmed = || graphs("_graph.json", "Trimmed");
    graphs(".json", "scene").or_else(trimmed).or_else(|| graphs("_graph.json", "")).unwrap_or_default()
}

impl Library {
    /// Reads what a folder holds; a path to one scene file reads that scene alone.
    pub fn open(folder: &Path) -> Result<Library, FileError> {
        let mut library = Library::default();
        let roots = roots(folder);
        library.read_tables(&roots)?;
        library.read_scenes(folder)?;
        library.read_programs(folder, &roots)?;
        library.read_lists(&roots)?;
        Ok(library)
    }

    pub fn is_empty(&self) -> bool {
        self.scenes.is_empty() && self.programs.is_empty() && self.examples.is_empty() && self.actions.is_empty()
    }

    /// Whether scenes lie at a path, as far as a quick look shows.
    pub fn lies_at(path: &Path) -> bool {
        let begins_as_scene = |file: &PathBuf| {
            let mut start = [0; 4096];
            let read = File::open(file).and_then(|mut file| file.read(&mut start)).unwrap_or(0);
            let start = String::from_utf8_lossy(start.get(..read).unwrap_or_default()).into_owned();
            start.contains("\"nodes\"") && start.contains("\"class_name\"") || start.contains("\"edges\"")
        };
        scene_files(path).first().is_some_and(begins_as_scene)
    }

    fn read_tables(&mut self, roots: &[PathBuf]) -> Result<(), FileError> {
        if let Some(path) = first(roots, &["names.json", "class_name_equivalence.json"]) {
            let read = Names::read(&read_text(&path)?);
            self.names =
                read.map_err(|error| FileError::new(&path, Some(error.line()).filter(|line| *line > 0), error))?;
        }
        if let Some(path) = first(roots, &["properties.json", "properties_data.json"]) {
            self.properties = Some(json(&path)?);
        }
        if let Some(path) = first(roots, &["object_states.json"]) {
            self.annotated = Some(json(&path)?);
        }
        Ok(())
    }

    fn read_scenes(&mut self, folder: &Path) -> Result<(), FileError> {
        for path in scene_files(folder) {
            let name = name_of(&path);
            // Trimmed graphs have the names of scripts already, whole ones those of the rendered scene.
            let is_whole = name.ends_with("_graph.json") && !name.starts_with("Trimmed");
            let translation = match (self.names.values().next(), &self.properties) {
                (Some(names), Some(properties)) if is_whole => Some(Translation { names, properties }),
                _ => None,
            };
            let read = Scene::read_as(&read_text(&path)?, translation);
            let scene = read.map_err(|error| FileError::new(&path, Some(error.line), error.message))?;
            let free = self.scenes.keys().next_back().map_or(1, |last| last + 1);
            let number = scene.number.or_else(|| number_in(&name)).unwrap_or(free);
            if self.scenes.insert(number, scene).is_some() {
                return Err(FileError::new(
                    &path,
                    None,
                    format!("there is another scene {number}; give it another number"),
                ));
            }
        }
        Ok(())
    }

    fn read_programs(&mut self, folder: &Path, roots: &[PathBuf]) -> Result<(), FileError> {
        #[derive(Deserialize)]
        struct Entry {
            id: String,
            title: String,
            #[serde(default)]
            description: String,
            program: Vec<String>,
            #[serde(default)]
            split: String,
            #[serde(default)]
            scenes: Vec<i64>,
        }
        if let Some(path) = first(roots, &["programs.jsonl"]) {
            for (at, line) in read_text(&path)?.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
                let read = serde_json::from_str(line);
                let entry: Entry = read.map_err(|error| FileError::new(&path, Some(at + 1), error))?;
                let (script, errors) = script::parse_leniently(entry.program.iter().map(String::as_str));
                let Entry { id, title, description, split, scenes, .. } = entry;
                self.programs.push(Program { id, title, description, script, errors, split, scenes });
            }
        } else {
            let without = activity_programs(folder);
            for path in program_files(&without) {
                let id = path.strip_prefix(&without).unwrap_or(&path).with_extension("");
                self.programs.push(program_of_text(&id.display().to_string(), &read_program(&path)?));
            }
        }
        self.programs.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(())
    }

    fn read_lists(&mut self, roots: &[PathBuf]) -> Result<(), FileError> {
        if let Some(path) = first(roots, &["examples.jsonl"]) {
            for (at, line) in read_text(&path)?.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
                let read = serde_json::from_str(line);
                self.examples.push(read.map_err(|error| FileError::new(&path, Some(at + 1), error))?);
            }
        } else if let Some(path) = first(roots, &["available_examples.json"]) {
            let texts: Vec<String> = json(&path)?;
            self.examples = texts.into_iter().map(example_of_text).collect();
        }
        if let Some(path) = first(roots, &["available_actions.json"]) {
            self.actions = json(&path)?;
        }
        Ok(())
    }
}

/// An example plan, whose task its first line names.
fn example_of_text(text: String) -> Example {
    let first = text.lines().next().unwrap_or_default();
    let title = first.split_once(':').map_or(first, |(_, title)| title).trim().to_owned();
    Example { title, text }
}

/// The folder of the data set's programs below the one named: the folder itself if there is none.
fn activity_programs(folder: &Path) -> PathBuf {
    let set = "programs_processed_precond_nograb_morepreconds/withoutconds";
    let places = ["", "dataset/", "virtualhome/dataset/"].map(|place| folder.join(format!("{place}{set}")));
    let own = folder.join("withoutconds");
    places.into_iter().chain([own]).find(|place| place.is_dir()).unwrap_or_else(|| folder.to_owned())
}

/// The `.txt` files of a folder and below whose content begins like a program, sorted.
fn program_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = left.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            if path.is_dir() && depth < DEEPEST {
                left.push((path, depth + 1));
            } else if path.extension().is_some_and(|end| end == "txt") && path.is_file() && found.len() < MOST_FILES {
                found.push(path);
            }
        }
    }
    found.retain(|path| {
        read_program(path).is_ok_and(|text| text.lines().any(|line| line.trim_start().starts_with('[')))
    });
    found.sort();
    found
}

/// A program as the data set has it: title, description, and below them the steps.
pub(crate) fn program_of_text(id: &str, text: &str) -> Program {
    let mut heading = text.lines().map(str::trim).take_while(|line| !line.starts_with('[')).filter(|l| !l.is_empty());
    let title = heading.next().unwrap_or_default().to_owned();
    let description = heading.collect::<Vec<_>>().join(" ");
    let (script, errors) = script::parse_leniently(text.lines());
    Program { id: id.to_owned(), title, description, script, errors, split: String::new(), scenes: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_of_the_data_set_has_a_title_and_loses_no_step() {
        let text =
            "Read book\nI sit down and read.\n\n\n\n[Walk] <home_office> (1)\n[Grub] <book> (1)\n[Grab] <book> (1)\n";
        let program = program_of_text("file1_1", text);
        assert_eq!((program.title.as_str(), program.description.as_str()), ("Read book", "I sit down and read."));
        assert_eq!(program.script.len(), 2);
        assert_eq!(program.errors[0].line, 7);
        assert!(program.errors[0].to_string().contains("did you mean GRAB"));
    }

    #[test]
    fn scenes_are_numbered_by_their_files() {
        assert_eq!(number_in("TrimmedTestScene3_graph.json"), Some(3));
        assert_eq!(number_in("home.json"), None);
    }
}
