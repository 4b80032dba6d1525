//! Games of cups: the cups after every swap, and that the answer a game expects is what is recorded.

use std::path::Path;

use serde::Deserialize;

use super::{field, read, row, unreadable};
use crate::Row;
use stepwright_study::recordings::name_of;
use stepwright_worlds::table::{Scene, game, is_right};

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

pub fn compare(file: &Path) -> Row {
    let mut row = row(file, "swaps");
    if let Some(File { demonstrations, episodes }) = read(file, &mut row) {
        for (list, all) in [("demonstrations", demonstrations), ("episodes", episodes)] {
            for (i, recorded) in all.iter().enumerate() {
                replay(recorded, &format!("{}, {list}[{i}]", name_of(file)), &mut row);
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
        scene.hear(&asked.query, &asked.kind, None);
        let recorded = recorded.states.get(n).cloned().unwrap_or_default();
        let got = match &scene {
            Scene::Cups(cups) => cups.clone(),
            Scene::Table(_) => Vec::new(),
        };
        // The answer as a person would write the recorded cups down.
        let answer = format!("{recorded:?}");
        let right = is_right(&[], &[answer], &asked.expected, &scene.names());
        row.fields(
            || format!("{at}, swap {}", n + 1),
            [field("cups", &recorded, &got), field("answer is right", &true, &right)],
        );
    }
}
