//! ALFWorld's recordings: played episodes, original game files, programs, plans, splits and the table of what fits where.
//!
//! Reads all that the folder holds by the layout's file names (`games*.jsonl`, `traces/*`, `problems*.jsonl`, `programs*.jsonl`,
//! any `game.tw-pddl` below), so that recordings this program never saw are compared like those it did.

mod audits;
mod games;
mod programs;
mod replay;
mod splits;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{Row, difference, unreadable};
use stepwright_study::recordings::{each_line, jsonl_files, name_of};
use stepwright_worlds::household::{Definition, Source, definition_of_problem};

/// The games that episodes are replayed from first.
const COMPACT: &str = "from compact JSON";

type Games = BTreeMap<String, Arc<Definition>>;

/// A line of `problems_pddl.jsonl`.
#[derive(Debug, Deserialize)]
struct ProblemLine {
    id: String,
    task: String,
    pddl_problem: String,
}

/// The paths of what is looked at here, or is there for people or for other programs.
pub(super) const LOOKED_AT: &[&str] = &[
    "games*.jsonl", "problems*.jsonl", "programs*.jsonl", "traces/*.jsonl", "**game.tw-pddl", "**traj_data.json",
    "**initial_state.pddl", "splits.json", "can_contain.json", "preconditions.json",
];

/// Compares everything found in a folder.
pub(super) fn compare(folder: &Path) -> Vec<Row> {
    let (compact, compact_read) =
        read_lines(folder, "games", "no game definitions in this folder", Ok::<Definition, _>);
    let (problems, problems_read) =
        read_lines(folder, "problems", "no PDDL problems in this folder", |line: ProblemLine| {
            definition_of_problem(&line.pddl_problem, &line.id, &line.task)
        });
    let (official, official_read) = read_official(folder);
    let mut rows = vec![compact_read, problems_read, official_read];
    let traces = jsonl_files(&folder.join("traces"), "");
    if traces.is_empty() {
        rows.push(Row::missing("traces/*.jsonl", "steps", "no recorded episodes in this folder"));
    }
    let sources = [(&compact, COMPACT), (&problems, "from PDDL problems"), (&official, "from official files")];
    for (games, from) in sources.into_iter().filter(|(games, from)| !games.is_empty() || *from == COMPACT) {
        rows.extend(traces.iter().flat_map(|file| replay::compare(file, games, from)));
    }
    rows.extend(traces.iter().map(|file| audits::compare(file, &label(file))));
    rows.push(games::compare_built("PDDL problems built = compact JSON", &problems, &compact));
    rows.push(games::compare_built("official files built = compact JSON", &official, &compact));
    rows.extend(programs::compare(folder, &compact));
    rows.push(games::plans(&compact));
    rows.push(games::sentences(&compact));
    rows.push(splits::compare(folder, &compact));
    rows.push(splits::can_contain(folder));
    rows
}

/// Reads the games of every `{prefix}*.jsonl`; a line that cannot be read is a difference.
fn read_lines<T: DeserializeOwned>(
    folder: &Path,
    prefix: &str,
    none: &str,
    definition: impl Fn(T) -> Result<Definition, String>,
) -> (Games, Row) {
    let mut games = Games::new();
    let mut row = Row::new(format!("{prefix}*.jsonl read"), "games");
    for file in jsonl_files(folder, prefix) {
        each_line(&file, |at, line: Result<T, String>| {
            let read = line.and_then(&definition);
            row.count(read.as_ref().err().map(|e| unreadable(at, e)));
            games.extend(read.ok().map(|definition| (definition.id.clone(), Arc::new(definition))));
        });
    }
    (games, row.or_absent(none))
}

/// Reads every `game.tw-pddl` below the folder. The two editions of one game must be the same game.
fn read_official(folder: &Path) -> (Games, Row) {
    let mut games = Games::new();
    let mut row = Row::new("game.tw-pddl read", "files");
    for file in find_named(folder, "game.tw-pddl") {
        let read = Source::open(&file).and_then(|s| match s.tasks().first() {
            Some(task) => s.definition(&task.id),
            None => Err(stepwright_world::WorldError::Failed("no game in the file".to_owned())),
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
    (games, row.or_absent("no game.tw-pddl below this folder"))
}

/// The name of a recording as rows give it.
fn label(file: &Path) -> String {
    let parent = file.parent().map(name_of).unwrap_or_default();
    if parent == "traces" { format!("traces/{}", name_of(file)) } else { name_of(file) }
}

/// All files of a name in a folder and below, sorted.
fn find_named(folder: &Path, name: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = left.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.filter_map(|e| e.ok().map(|e| e.path())) {
            if path.is_dir() && depth < 8 {
                left.push((path, depth + 1));
            } else if name_of(&path) == name {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
