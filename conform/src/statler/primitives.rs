//! Random sequences of moves on a table, those that cannot be done included: the error, where every block is, what is clean, and the
//! relations in order of arrival after each.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{field, row, unreadable};
use crate::Row;
use stepwright_worlds::table::Table;

#[derive(Debug, Deserialize)]
struct Case {
    id: String,
    objects: Vec<String>,
    #[serde(default)]
    initial_clean: Map<String, Value>,
    steps: Vec<Step>,
}

#[derive(Debug, Deserialize)]
struct Step {
    #[serde(rename = "move")]
    moved: (String, String),
    error: Option<String>,
    placement: Map<String, Value>,
    clean: Map<String, Value>,
    relations: Value,
}

pub fn compare(file: &Path) -> Row {
    let mut row = row(file, "moves");
    row.each_record(file, |row, at, case: Case| match start(&case) {
        Err(e) => row.differs(unreadable(at, &e)),
        Ok(table) => replay(table, &case, &at, row),
    });
    row
}

fn start(case: &Case) -> Result<Table, String> {
    let mut table = Table::new(&case.objects)?;
    for (name, clean) in &case.initial_clean {
        if !table.set_clean(name, clean == "clean") {
            return Err(format!("initial_clean: {name:?} is no block of the case"));
        }
    }
    Ok(table)
}

fn replay(mut table: Table, case: &Case, at: &str, row: &mut Row) {
    for (i, step) in case.steps.iter().enumerate() {
        let error = table.put(&step.moved.0, &step.moved.1).err();
        let relations = table.form().get("relations").cloned().unwrap_or_default();
        let fields = [
            field("error", &step.error, &error),
            field("placement", &step.placement, &table.placement()),
            field("clean", &step.clean, &clean(&table)),
            field("relations", &step.relations, &relations),
        ];
        row.fields(|| format!("{at}, {}, move {} {:?}", case.id, i + 1, step.moved), fields);
    }
}

/// The blocks of which it is known whether they are clean.
fn clean(table: &Table) -> Map<String, Value> {
    let described = |name: &str| {
        let clean = table.is_clean(name)?;
        Some((name.to_owned(), json!(if clean { "clean" } else { "dirty" })))
    };
    table.things().iter().filter_map(|thing| described(&thing.name)).collect()
}
