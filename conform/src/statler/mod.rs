//! Recordings of the Statler paper: the table's rules, gold traces, model outputs and their scores, written states, three cups.
//!
//! Files are found by the layout's names, so that recordings this program never saw are compared like those it did.

mod cups;
mod parsing;
mod primitives;
mod scoring;
mod traces;

use std::path::Path;

use serde::de::DeserializeOwned;

use super::{Row, difference, field, unreadable};
use stepwright_study::recordings::{document, json_files, jsonl_files, name_of};

/// Compares everything found in a folder.
pub(super) fn compare(folder: &Path) -> Vec<Row> {
    let mut rows = each(folder, "primitive_cases", "moves", primitives::compare);
    rows.extend(traces::compare(folder));
    let what = ("three_cups*.json", "swaps", "not in this folder");
    rows.extend(Row::of_files(&json_files(folder, "three_cups"), what, |file| [cups::compare(file)]));
    rows.extend(each(folder, "state_parse_cases", "states", parsing::compare));
    rows.extend(scoring::compare(folder));
    rows
}

/// The paths of what is looked at here, or is there for people or for other programs.
pub(super) const LOOKED_AT: &[&str] = &[
    "primitive_cases*.jsonl", "gold_traces*.jsonl", "generated_*.jsonl", "episodes_*.json", "episodes_*.json.gz",
    "three_cups*.json", "three_cups*.json.gz", "state_parse_cases*.jsonl", "recorded_runs*.jsonl",
    "scoring_expected*.json", "scoring_expected*.json.gz", "gold_issues.json", "paper_tables.json",
];

/// Compares each file of JSON lines whose name begins so; says so where there is none.
fn each(folder: &Path, prefix: &str, unit: &'static str, compare: impl Fn(&Path) -> Row) -> Vec<Row> {
    let what = format!("{prefix}*.jsonl");
    Row::of_files(&jsonl_files(folder, prefix), (&what, unit, "not in this folder"), |file| [compare(file)])
}

/// Reads a document of JSON; one that cannot be read is a difference of the row.
fn read<T: DeserializeOwned>(file: &Path, row: &mut Row) -> Option<T> {
    document(file).map_err(|e| row.differs(unreadable(name_of(file), e))).ok()
}

/// A row named after a file.
fn row(file: &Path, unit: &'static str) -> Row {
    Row::new(name_of(file), unit)
}
