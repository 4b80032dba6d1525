//! Recordings of VirtualHome's evolving graph: whole scripts, plans in stepping mode, programs prepared and run, corrective prompts,
//! language, metrics and agreement.
//!
//! Files are found by the layout's names, so that recordings this program never saw are compared like those it did. [`replay`] replays
//! a record; here is counted what differs.

mod replay;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use stepwright_graph::files::Library;

use replay::{Replayed, same};
use stepwright_study::recordings::{each_line, jsonl_files, name_of};

use super::{Row, difference, unreadable};

/// A kind of recording: how its files' names begin, what is counted, and how a record is replayed.
struct Recording {
    prefix: &'static str,
    unit: &'static str,
    replay: fn(&Value, &Library, &Traces) -> Replayed,
}

/// The records of traces by id, which prompts refer to.
type Traces = BTreeMap<String, Value>;

const RECORDINGS: [Recording; 7] = [
    Recording { prefix: "traces", unit: "scripts", replay: |record, library, _| replay::trace(record, library) },
    Recording { prefix: "steps", unit: "plans", replay: |record, library, _| replay::steps(record, library) },
    Recording { prefix: "eval", unit: "programs", replay: |record, library, _| replay::evaluation(record, library) },
    Recording { prefix: "prompts", unit: "prompts", replay: prompts },
    Recording { prefix: "language", unit: "records", replay: |record, library, _| replay::language(record, library) },
    Recording { prefix: "metrics", unit: "programs", replay: |record, library, _| replay::metrics(record, library) },
    Recording { prefix: "kappa", unit: "tables", replay: |record, _, _| replay::kappa(record) },
];

fn prompts(record: &Value, library: &Library, traces: &Traces) -> Replayed {
    let id = record["trace"].as_str().ok_or("the record names no trace")?;
    let trace = traces.get(id).ok_or_else(|| format!("there is no trace {id}"))?;
    replay::prompts(record, trace, library)
}

/// The paths of what is looked at here, or is there for people or for other programs.
pub(super) const LOOKED_AT: &[&str] = &[
    "scenes/*.json", "resources/*.json", "traces*.jsonl", "steps*.jsonl", "eval*.jsonl", "prompts*.jsonl",
    "language*.jsonl", "metrics*.jsonl", "kappa*.jsonl", "programs.jsonl", "examples.jsonl", "available_actions.json",
    "corrections.jsonl",
];

/// Compares the recordings of the evolving graph.
pub fn compare(folder: &Path) -> Vec<Row> {
    let mut read = Row::new("scenes/*.json read", "scenes");
    let library = match Library::open(folder) {
        Ok(library) => {
            library.scenes.iter().for_each(|_| read.count(None));
            library
        }
        Err(error) => {
            read.differs(unreadable(name_of(&error.path), &error));
            Library::default()
        }
    };
    let traces = traces(folder);
    let mut rows = vec![read.or_absent("no scenes in this folder")];
    for recording in &RECORDINGS {
        let files = jsonl_files(folder, recording.prefix);
        if files.is_empty() {
            let what = format!("{}*.jsonl", recording.prefix);
            rows.push(Row::missing(what, recording.unit, "not in this folder"));
        }
        rows.extend(files.iter().map(|file| compared(file, recording, &library, &traces)));
    }
    rows
}

fn traces(folder: &Path) -> Traces {
    let mut traces = Traces::new();
    for file in jsonl_files(folder, "traces") {
        each_line(&file, |_, read: Result<Value, String>| {
            if let Ok(record) = read
                && let Some(id) = record["id"].as_str()
            {
                traces.insert(id.to_owned(), record);
            }
        });
    }
    traces
}

fn compared(file: &Path, recording: &Recording, library: &Library, traces: &Traces) -> Row {
    let mut row = Row::new(name_of(file), recording.unit);
    each_line(file, |at, read: Result<Value, String>| {
        let replayed = read.and_then(|record| (recording.replay)(&record, library, traces));
        match replayed {
            Ok(fields) => {
                let wrong = fields.into_iter().find(|(_, expected, got)| !same(expected, got));
                row.count(wrong.map(|(field, expected, got)| difference(format!("{at}, {field}"), expected, got)));
            }
            Err(error) => row.differs(unreadable(at, error)),
        }
    });
    row
}
