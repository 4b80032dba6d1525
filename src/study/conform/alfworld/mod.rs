//! ALFWorld's recordings: played episodes, original game files, programs, plans, splits and the table of what fits where.
//!
//! Reads whatever the folder holds by the layout's file names (`games*.jsonl`, `traces/*`, `problems*.jsonl`, `programs*.jsonl`,
//! any `game.tw-pddl` below), so that recordings this program never saw are compared like those it did.

mod games;
mod programs;
mod replay;
mod splits;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;

use super::files::{each_line, find_named, jsonl_files, name_of};
use super::{Row, Topic, difference, unreadable};
use crate::world::household::{Definition, Source, definition_of_problem};

/// The topic's name.
const NAME: &str = "alfworld";

/// The ALFWorld recordings.
pub struct Alfworld;

/// Games by id.
type Games = BTreeMap<String, Arc<Definition>>;

/// A line of `problems_pddl.jsonl`.
#[derive(Debug, Deserialize)]
struct ProblemLine {
    id: String,
    task: String,
    pddl_problem: String,
}

impl Topic for Alfworld {
    fn name(&self) -> &'static str {
        NAME
    }

    fn compare(&self, folder: &Path) -> Vec<Row> {
        let mut rows = Vec::new();
        let compact = read_compact(folder, &mut rows);
        let problems = read_problems(folder, &mut rows);
        let official = read_official(folder, &mut rows);
        let traces = jsonl_files(&folder.join("traces"), "");
        if traces.is_empty() {
            rows.push(Row::missing(NAME, "traces/*.jsonl", "steps", "no recorded episodes in this folder"));
        }
        for file in &traces {
            rows.extend(replay::compare(file, &compact, "from compact JSON"));
        }
        for file in traces.iter().filter(|_| !problems.is_empty()) {
            rows.extend(replay::compare(file, &problems, "from PDDL problems"));
        }
        for file in traces.iter().filter(|_| !official.is_empty()) {
            rows.extend(replay::compare(file, &official, "from official files"));
        }
        rows.push(games::compare_built("PDDL problems built = compact JSON", &problems, &compact));
        rows.push(games::compare_built("official files built = compact JSON", &official, &compact));
        rows.extend(programs::compare(folder, &compact));
        rows.push(games::plans(&compact));
        rows.push(games::sentences(&compact));
        rows.push(splits::compare(folder, &compact));
        rows.push(splits::can_contain(folder));
        rows
    }
}

/// Reads every `games*.jsonl`; what cannot be read becomes a row of differences.
fn read_compact(folder: &Path, rows: &mut Vec<Row>) -> Games {
    let mut games = Games::new();
    let mut row = Row::new(NAME, "games*.jsonl read", "games");
    for file in jsonl_files(folder, "games") {
        each_line(&file, |at, line: Result<Definition, String>| {
            row.count(line.as_ref().err().map(|e| unreadable(at, e)));
            if let Ok(definition) = line {
                games.insert(definition.id.clone(), Arc::new(definition));
            }
        });
    }
    rows.push(row.or_absent("no game definitions in this folder"));
    games
}

fn read_problems(folder: &Path, rows: &mut Vec<Row>) -> Games {
    let mut games = Games::new();
    let mut row = Row::new(NAME, "problems*.jsonl read", "games");
    for file in jsonl_files(folder, "problems") {
        each_line(&file, |at, line: Result<ProblemLine, String>| {
            let read = line.and_then(|l| definition_of_problem(&l.pddl_problem, &l.id, &l.task));
            row.count(read.as_ref().err().map(|e| unreadable(at, e)));
            if let Ok(definition) = read {
                games.insert(definition.id.clone(), Arc::new(definition));
            }
        });
    }
    rows.push(row.or_absent("no PDDL problems in this folder"));
    games
}

/// Reads every `game.tw-pddl` below the folder. The two editions of one game must be the same game.
fn read_official(folder: &Path, rows: &mut Vec<Row>) -> Games {
    let mut games = Games::new();
    let mut row = Row::new(NAME, "game.tw-pddl read", "files");
    for file in find_named(folder, "game.tw-pddl") {
        let read = Source::open(&file).and_then(|s| match s.tasks().first() {
            Some(task) => s.definition(&task.id),
            None => Err(crate::world::WorldError::Failed("no game in the file".to_owned())),
        });
        let at = file.strip_prefix(folder).unwrap_or(&file).display().to_string();
        match read {
            Err(e) => row.count(Some(unreadable(at, e))),
            Ok(definition) => {
                let before = games.insert(definition.id.clone(), Arc::new(definition.clone()));
                let differs = before.filter(|b| b.normal_form() != definition.normal_form());
                row.count(differs.map(|b| difference(at, b.normal_form(), definition.normal_form())));
            }
        }
    }
    rows.push(row.or_absent("no game.tw-pddl below this folder"));
    games
}

/// The name of a recording as rows give it.
fn label(file: &Path) -> String {
    let parent = file.parent().map(name_of).unwrap_or_default();
    if parent == "traces" { format!("traces/{}", name_of(file)) } else { name_of(file) }
}
