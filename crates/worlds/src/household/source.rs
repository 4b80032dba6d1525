//! Sources of tasks: those that ship with the program, a file of games, or a user's ALFWorld data folder.
//!
//! Finds and labels tasks, and reads a game when it is asked for. Understands compact JSON (one game a line, `.jsonl` or
//! `.jsonl.gz`, or one game in a `.json`) and the original `game.tw-pddl` files, alone or in folders.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::definition::Definition;
use super::game::Game;
use super::load_compact::{self, Label};
use super::{EDITION, Edition, HouseholdWorld, load_official, shipped};
use crate::{Catalog, Entry, Identified};
use stepwright_world::demonstration::Demonstration;
use stepwright_world::files::{
    children, data, each_line, files_in, first_value, has_form, is_json_lines, name_of, read_text, second_of_an_id,
};
use stepwright_world::options::Values;
use stepwright_world::{OpenedWorld, TaskInfo, WorldError};

/// The tasks that ship with the program, written for it.
const SHIPPED: &str = include_str!("../../worlds/household/tasks.jsonl");

/// The deepest folder looked into below the one given.
const DEEPEST: usize = 8;
/// The most game files taken from a folder; ALFWorld's whole release has 4,027.
const MOST_FILES: usize = 50_000;

#[derive(Debug, Clone)]
enum Place {
    /// A line of compact JSON, held in memory, with its place (`games.jsonl:12`).
    Line {
        json: String,
        at: String,
    },
    Official(PathBuf),
}

#[derive(Debug, Clone)]
pub struct GameFile {
    info: TaskInfo,
    place: Place,
}

/// The games of a file, a folder, or those that ship.
pub type Source = Catalog<GameFile>;

impl Source {
    pub fn shipped() -> Result<Source, WorldError> {
        Source::from_lines(SHIPPED, "shipped")
    }

    pub fn open(path: &Path) -> Result<Source, WorldError> {
        if !path.is_dir() {
            return Source::open_file(path);
        }
        let mut source = Source::default();
        for file in files_in(path, is_json_lines)? {
            // Other JSON lines can lie beside the games (plans, splits): a file is taken by its name or its first line's form.
            let text = read_text(&file)?;
            let origin = file.display().to_string();
            if name_of(&file).starts_with("games") || begins_with_game(&text, &origin)? {
                // The first of several files of one game counts.
                lines(&text, &origin)?.into_iter().for_each(|game| _ = source.add(game));
            }
        }
        if source.is_empty() {
            let mut games = Vec::new();
            find_official(path, 0, &mut games)?;
            games.sort();
            games.into_iter().for_each(|game| _ = source.add(official(game)));
        }
        if source.is_empty() {
            return Err(data(path, "no games here: neither compact .jsonl files nor folders with game.tw-pddl"));
        }
        Ok(source)
    }

    /// Whether games lie at a path: a file of them, or a folder that holds one, judged by names and first lines.
    pub fn lies_at(path: &Path) -> bool {
        let begins = |file: &Path| {
            let text = if is_json_lines(file) { read_text(file).ok() } else { None };
            text.map(|text| begins_with_game(&text, "").is_ok_and(|is| is))
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
            let mut source = Source::default();
            source.add(official(path.to_owned()));
            return Ok(source);
        }
        let text = read_text(path)?;
        let origin = path.display().to_string();
        // One game over many lines is as good as one game a line.
        if let Ok(definition) = load_compact::definition(&text) {
            let one = serde_json::to_string(&definition).map_err(|e| data(path, &e.to_string()))?;
            return Source::from_lines(&one, &origin);
        }
        let source = Source::from_lines(&text, &origin)?;
        if source.is_empty() {
            return Err(data(path, "the file is empty; one game definition a line is expected"));
        }
        Ok(source)
    }

    /// Reads compact JSON, one game a line.
    pub fn from_lines(text: &str, origin: &str) -> Result<Source, WorldError> {
        let mut source = Source::default();
        lines(text, origin)?.into_iter().for_each(|game| _ = source.add(game));
        Ok(source)
    }

    pub fn definition(&self, id: &str) -> Result<Definition, WorldError> {
        match &self.get(id)?.place {
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
    pub fn game(&self, id: &str) -> Result<Game, WorldError> {
        let definition = self.definition(id)?;
        let at = match &self.get(id)?.place {
            Place::Line { at, .. } => at.clone(),
            Place::Official(path) => path.display().to_string(),
        };
        Game::build(&definition).map_err(|message| WorldError::Data { path: at, message })
    }

    /// The wording an official game was made for; `None` for compact JSON, which serves both.
    pub fn edition(&self, id: &str) -> Result<Option<Edition>, WorldError> {
        match &self.get(id)?.place {
            Place::Line { .. } => Ok(None),
            Place::Official(path) => load_official::edition(&read_text(path)?).map_err(|e| data(path, &e)),
        }
    }
}

fn edition_of(options: &Values) -> Result<Option<Edition>, WorldError> {
    match options.text(&EDITION) {
        "" => Ok(None),
        word => word.parse().map(Some).map_err(|e: strum::ParseError| WorldError::Failed(e.to_string())),
    }
}

impl Identified for GameFile {
    fn id(&self) -> &str {
        &self.info.id
    }
}

impl Entry for GameFile {
    fn info(&self) -> TaskInfo {
        let mut info = self.info.clone();
        if let Place::Official(path) = &self.place
            && let Some(sentence) = read_text(path).ok().as_deref().and_then(load_official::sentence_in_file)
        {
            info.sentence = sentence;
        }
        info
    }

    fn open(source: Arc<Source>, task: &str, options: &Values) -> Result<OpenedWorld, WorldError> {
        // Not from the list of tasks: an official game gives its sentence only when it is read.
        let sentence = source.definition(task)?.task;
        let edition = match edition_of(options)? {
            Some(edition) => edition,
            None => source.edition(task)?.unwrap_or_default(),
        };
        let options = BTreeMap::from([(EDITION.key.to_owned(), edition.to_string())]);
        Ok(OpenedWorld {
            world: Box::new(HouseholdWorld::new(source, edition)),
            task: task.to_owned(),
            sentence,
            options,
        })
    }

    fn demonstrations(&self, options: &Values) -> Result<Vec<Demonstration>, WorldError> {
        shipped::demonstrations(edition_of(options)?.unwrap_or_default())
    }
}

/// Whether the first line of a text has the form of a game.
/// Errors: it is no JSON.
fn begins_with_game(text: &str, origin: &str) -> Result<bool, WorldError> {
    Ok(first_value(text, origin)?.is_some_and(|first| has_form(&first, &load_compact::OWN)))
}

/// The games of compact JSON, one a line.
/// Errors: a line that is none; an id that an earlier line has.
fn lines(text: &str, origin: &str) -> Result<Vec<GameFile>, WorldError> {
    let games = each_line(text, origin, |i, line| {
        let label: Label = serde_json::from_str(line).map_err(|e| load_compact::describe(&e))?;
        let info = TaskInfo { id: label.id, kind: label.task_type, sentence: label.task, source: origin.to_owned() };
        Ok((i + 1, GameFile { info, place: Place::Line { json: line.to_owned(), at: format!("{origin}:{}", i + 1) } }))
    })?;
    if let Some((id, first, again)) = second_of_an_id(games.iter().map(|(line, game)| (game.id(), *line))) {
        let message = format!("game {id:?} is in line {first} too; give one of them another id");
        return Err(WorldError::Data { path: format!("{origin}:{again}"), message });
    }
    Ok(games.into_iter().map(|(_, game)| game).collect())
}

fn official(path: PathBuf) -> GameFile {
    let path = std::path::absolute(&path).unwrap_or(path);
    let parts: Vec<String> = path.iter().map(|p| p.to_string_lossy().into_owned()).collect();
    // …/split/task folder/trial/game.tw-pddl
    let end = parts.len().saturating_sub(1);
    let id = parts.get(end.saturating_sub(3)..end).unwrap_or_default().join("/");
    let folder = parts.get(end.saturating_sub(2)).cloned().unwrap_or_default();
    let kind = folder.split('-').next().unwrap_or_default().to_owned();
    let info = TaskInfo { id, kind, sentence: folder, source: path.display().to_string() };
    GameFile { info, place: Place::Official(path) }
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
