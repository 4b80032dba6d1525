//! The recordings of the Statler paper: the table's rules, gold traces, model outputs and their scores, written states, three cups.
//!
//! Files are found by the layout's names, so that recordings this program never saw are compared like those it did.

mod cups;
mod parsing;
mod primitives;
mod scoring;
mod traces;

use std::path::Path;

use super::files::{jsonl_files, name_of};
use super::{Difference, Row, Topic};

/// The topic's name.
const NAME: &str = "statler";

/// The recordings of tables and cups.
pub struct Statler;

impl Topic for Statler {
    fn name(&self) -> &'static str {
        NAME
    }

    fn compare(&self, folder: &Path) -> Vec<Row> {
        let mut rows = Vec::new();
        rows.extend(each(folder, "primitive_cases", "moves", primitives::compare));
        rows.extend(traces::compare(folder));
        rows.extend(cups::compare(folder));
        rows.extend(each(folder, "state_parse_cases", "states", parsing::compare));
        rows.extend(scoring::compare(folder));
        rows
    }
}

/// Compares each file of JSON lines whose name begins so; says so where there is none.
fn each(folder: &Path, prefix: &str, unit: &'static str, compare: impl Fn(&Path) -> Row) -> Vec<Row> {
    let files = jsonl_files(folder, prefix);
    if files.is_empty() {
        return vec![Row::missing(NAME, format!("{prefix}*.jsonl"), unit, "not in this folder")];
    }
    files.iter().map(|file| compare(file)).collect()
}

/// A row named after a file.
fn row(file: &Path, unit: &'static str) -> Row {
    Row::new(NAME, name_of(file), unit)
}

fn difference(at: String, expected: impl ToString, got: impl ToString) -> impl FnOnce() -> Difference {
    let (expected, got) = (expected.to_string(), got.to_string());
    move || Difference { at, expected, got }
}

fn unreadable(at: String, error: &str) -> impl FnOnce() -> Difference + use<> {
    difference(at, "a record that can be read", format!("cannot be read: {error}"))
}
