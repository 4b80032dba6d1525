//! Compares the lists beside the games: the splits' tasks, and the table of which receptacle accepts which object.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{Games, unreadable};
use crate::Row;
use stepwright_study::recordings::document;
use stepwright_worlds::household::embedded_compatibility;

#[derive(Debug, Deserialize)]
struct Listed {
    id: String,
    task_type: String,
    task: String,
}

/// Each game a split lists must have the listed type and sentence.
pub fn compare(folder: &Path, games: &Games) -> Row {
    of_file(folder, "splits.json", " = games", "games", |row, splits: BTreeMap<String, serde_json::Value>| {
        for (name, list) in splits {
            // Counts beside the lists are no lists.
            let listed = if list.is_array() { serde_json::from_value::<Vec<Listed>>(list) } else { Ok(Vec::new()) };
            if let Err(error) = &listed {
                row.differs(unreadable(&name, error));
            }
            for listed in listed.unwrap_or_default() {
                let Some(game) = games.get(&listed.id) else {
                    row.lacks(1, || format!("first: {} of {name} is not among this folder's games", listed.id));
                    continue;
                };
                let expected = format!("{}: {}", listed.task_type, listed.task);
                row.equal(listed.id, expected, format!("{}: {}", game.task_type, game.task));
            }
        }
    })
}

/// The embedded table of compatibilities must be the recorded one, receptacle type by receptacle type.
pub fn can_contain(folder: &Path) -> Row {
    let (own, nothing) = (embedded_compatibility(), BTreeSet::new());
    let compare = |row: &mut Row, recorded: BTreeMap<String, BTreeSet<String>>| {
        let kinds: BTreeSet<&String> = recorded.keys().chain(own.keys()).collect();
        for kind in kinds {
            let [expected, got] = [&recorded, own].map(|table| format!("{:?}", table.get(kind).unwrap_or(&nothing)));
            row.equal(kind, expected, got);
        }
    };
    of_file(folder, "can_contain.json", " = own table", "receptacle types", compare)
}

fn of_file<T: DeserializeOwned>(
    folder: &Path,
    file: &str,
    compared: &str,
    unit: &'static str,
    compare: impl FnOnce(&mut Row, T),
) -> Row {
    let path = folder.join(file);
    let mut row = Row::new(format!("{file}{compared}"), unit);
    if !path.is_file() {
        return Row { note: Some(format!("no {file} in this folder")), ..row };
    }
    match document(&path) {
        Ok(recorded) => compare(&mut row, recorded),
        Err(e) => row.differs(unreadable(file, e)),
    }
    row
}
