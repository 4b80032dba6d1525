//! Texts that models wrote as states, compared with what they say: objects, relations, entries, and whether the text is cut off.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{difference, field, row};
use crate::Row;
use stepwright_belief::{OBJECTS, RELATIONS, read};

#[derive(Debug, Deserialize)]
struct Case {
    id: String,
    #[serde(default)]
    method: String,
    #[serde(default)]
    step: u64,
    raw: String,
    objects: Value,
    relations: Value,
    items: Value,
    truncated: bool,
}

pub fn compare(file: &Path) -> Row {
    let mut row = row(file, "states");
    row.each_record(file, |row, at, case: Case| {
        let at = format!("{at}, {} {} {}", case.id, case.method, case.step);
        let reading = match read(&case.raw) {
            Err(e) => return row.count(Some(difference(at, "a state", e))),
            Ok(reading) => reading,
        };
        let mut items = reading.state.as_object().cloned().unwrap_or_default();
        let mut list = |name: &str| items.shift_remove(name).unwrap_or_else(|| json!([]));
        let (objects, relations) = (list(OBJECTS), list(RELATIONS));
        let fields = [
            field("objects", &case.objects, &objects),
            field("relations", &case.relations, &relations),
            field("items", &case.items, &Value::Object(items)),
            field("truncated", &case.truncated, &reading.truncated),
        ];
        row.fields(|| at, fields);
    });
    row
}
