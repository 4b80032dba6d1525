//! Games of cups: the cups after every swap, and that the answer a game expects is what is recorded.

use std::path::Path;

use serde::Deserialize;

use super::{NAME, difference, row, unreadable};
use crate::study::conform::Row;
use crate::study::conform::files::{files_with_end, name_of};
use crate::world::table::{Scene, game, is_right};

#[derive(Debug, Deserialize)]
struct File {
    demonstrations: Vec<Game>,
    #[serde(alias = "games")]
    episodes: Vec<Game>,
}

#[derive(Debug, Deserialize)]
struct Game {
    initial: Vec<bool>,
    swaps: Vec<(usize, usize)>,
    states: Vec<Vec<bool>>,
}

/// Compares every file of cups in a folder.
pub fn compare(folder: &Path) -> Vec<Row> {
    let mut files = files_with_end(folder, ".json");
    files.retain(|file| name_of(file).starts_with("three_cups"));
    if files.is_empty() {
        return vec![Row::missing(NAME, "three_cups*.json", "swaps", "not in this folder")];
    }
    files.iter().map(|file| of_file(file)).collect()
}

fn of_file(file: &Path) -> Row {
    let mut row = row(file, "swaps");
    let text = std::fs::read_to_string(file).map_err(|e| e.to_string());
    match text.and_then(|text| serde_json::from_str::<File>(&text).map_err(|e| e.to_string())) {
        Err(e) => row.differs(unreadable(name_of(file), &e)),
        Ok(File { demonstrations, episodes }) => {
            for (list, all) in [("demonstrations", demonstrations), ("episodes", episodes)] {
                for (i, recorded) in all.iter().enumerate() {
                    replay(recorded, &format!("{}, {list}[{i}]", name_of(file)), &mut row);
                }
            }
        }
    }
    row
}

fn replay(recorded: &Game, at: &str, row: &mut Row) {
    let episode = match game("cups", &recorded.initial, &recorded.swaps) {
        Ok(episode) => episode,
        Err(e) => return row.differs(unreadable(at.to_owned(), &e)),
    };
    let mut scene = episode.start.clone();
    for (n, asked) in episode.requests.iter().enumerate() {
        scene.hear(&asked.query, &asked.kind);
        let recorded = recorded.states.get(n).cloned().unwrap_or_default();
        let got = match &scene {
            Scene::Cups(cups) => cups.clone(),
            Scene::Table(_) => Vec::new(),
        };
        // The answer as a person would write the recorded cups down.
        let answer = format!("{recorded:?}");
        let right = is_right(&[], &[answer], &asked.expected, &scene.names());
        let same = recorded == got && right;
        row.count((!same).then(|| {
            difference(
                format!("{at}, swap {}", n + 1),
                format!("{recorded:?}"),
                format!("{got:?}, answer right: {right}"),
            )
        }));
    }
}
