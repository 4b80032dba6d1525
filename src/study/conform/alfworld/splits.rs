//! Compares the lists beside the games: the splits' tasks, and the table of which receptacle accepts which object.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;

use super::{Games, NAME, difference, unreadable};
use crate::study::conform::Row;
use crate::world::household::embedded_compatibility;

#[derive(Debug, Deserialize)]
struct Listed {
    id: String,
    task_type: String,
    task: String,
}

/// Each game a split lists must have the listed type and sentence.
pub fn compare(folder: &Path, games: &Games) -> Row {
    let what = "splits.json = games";
    let Ok(text) = std::fs::read_to_string(folder.join("splits.json")) else {
        return Row::missing(NAME, what, "games", "no splits.json in this folder");
    };
    let mut row = Row::new(NAME, what, "games");
    let splits: BTreeMap<String, serde_json::Value> = match serde_json::from_str(&text) {
        Ok(splits) => splits,
        Err(e) => {
            row.differs(unreadable("splits.json", e));
            return row;
        }
    };
    for (name, list) in splits {
        // Counts beside the lists are no lists.
        for listed in serde_json::from_value::<Vec<Listed>>(list).unwrap_or_default() {
            let Some(game) = games.get(&listed.id) else {
                row.lacks(1, || format!("first: {} of {name} is not among this folder's games", listed.id));
                continue;
            };
            let expected = format!("{}: {}", listed.task_type, listed.task);
            let got = format!("{}: {}", game.task_type, game.task);
            row.count((expected != got).then(|| difference(listed.id, expected, got)));
        }
    }
    row
}

/// The embedded table of compatibilities must be the recorded one, receptacle type by receptacle type.
pub fn can_contain(folder: &Path) -> Row {
    let what = "can_contain.json = own table";
    let Ok(text) = std::fs::read_to_string(folder.join("can_contain.json")) else {
        return Row::missing(NAME, what, "receptacle types", "no can_contain.json in this folder");
    };
    let mut row = Row::new(NAME, what, "receptacle types");
    let recorded: BTreeMap<String, BTreeSet<String>> = match serde_json::from_str(&text) {
        Ok(table) => table,
        Err(e) => {
            row.differs(unreadable("can_contain.json", e));
            return row;
        }
    };
    let own = embedded_compatibility();
    let nothing = BTreeSet::new();
    let kinds: BTreeSet<&String> = recorded.keys().chain(own.keys()).collect();
    for kind in kinds {
        let (expected, got) = (recorded.get(kind).unwrap_or(&nothing), own.get(kind).unwrap_or(&nothing));
        row.count((expected != got).then(|| difference(kind, format!("{expected:?}"), format!("{got:?}"))));
    }
    row
}
