//! The recordings of the Statler paper: the table's rules, gold traces, model outputs and their scores, written states, three cups.
//!
//! Files are found by the layout's names, so that recordings this program never saw are compared like those it did.

mod cups;
mod parsing;
mod primitives;
mod scoring;
mod traces;

use std::path::Path;

use super::files::{files_with_end, jsonl_files, name_of};
use super::{Row, Topic, difference, unreadable};

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
        rows.extend(left_over(folder));
        rows
    }
}

/// The beginnings of the names of files that are compared, or that others are compared with.
const LOOKED_AT: [&str; 8] = [
    "primitive_cases",
    "gold_traces",
    "generated_",
    "episodes_",
    "three_cups",
    "state_parse_cases",
    "recorded_runs",
    "scoring_expected",
];

/// A row for each file of the folder that nothing is compared with.
fn left_over(folder: &Path) -> Vec<Row> {
    let mut files = files_with_end(folder, ".json");
    files.extend(jsonl_files(folder, ""));
    files.sort();
    let names = files.iter().map(|file| name_of(file));
    let left = names.filter(|name| !LOOKED_AT.iter().any(|start| name.starts_with(start)));
    left.map(|name| {
        let why = match name.as_str() {
            "gold_issues.json" => "remarks for people; nothing to compare with",
            "paper_tables.json" => {
                "the paper's figures, which `study statler` prints beside ours; nothing to compare with"
            }
            _ => "no file of the known layout; compared with nothing",
        };
        Row::missing(NAME, name, "records", why)
    })
    .collect()
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
