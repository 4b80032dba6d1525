//! Texts that models wrote as states, compared with what they say: objects, relations, entries, and whether the text is cut off.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{difference, row, unreadable};
use crate::belief::{OBJECTS, RELATIONS, read};
use crate::study::conform::Row;
use crate::study::conform::files::each_line;

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

/// Compares one file of texts.
pub fn compare(file: &Path) -> Row {
    let mut row = row(file, "states");
    each_line(file, |at, line: Result<Case, String>| match line {
        Err(e) => row.differs(unreadable(at, &e)),
        Ok(case) => {
            let at = format!("{at}, {} {} {}", case.id, case.method, case.step);
            match read(&case.raw) {
                Err(e) => row.count(Some(difference(at, "a state", e))),
                Ok(reading) => {
                    let mut items = reading.state.as_object().cloned().unwrap_or_default();
                    let mut list = |name: &str| items.shift_remove(name).unwrap_or_else(|| json!([]));
                    let (objects, relations) = (list(OBJECTS), list(RELATIONS));
                    let fields = [
                        ("objects", case.objects, objects),
                        ("relations", case.relations, relations),
                        ("items", case.items, Value::Object(items)),
                        ("truncated", Value::Bool(case.truncated), Value::Bool(reading.truncated)),
                    ];
                    row.count_fields(|| at, fields);
                }
            }
        }
    });
    row
}
