//! Recordings of precondition inference: pools of candidates with verdicts, satisfied sets and ranking, Equation (2), scripted
//! runs of Algorithm 1, and policy metrics.
//!
//! The household's pools are beside the dialogues' because the pipeline is one. Reads every `golden/*.json` whose layout it
//! knows, so that recordings this program never saw are compared like those it did.

mod algorithm1;
mod fields;
mod import;
mod macros;
mod policy;
mod pools;
mod recordings;
mod replay;
mod scores;

use std::path::Path;

use serde_json::Value;

pub use recordings::{Recordings, Split};

use super::{Row, difference};
use stepwright_study::recordings::{document, json_files, name_of};

/// The paths of what is looked at here, or is there for people or for other programs.
pub(super) const LOOKED_AT: &[&str] = &[
    "golden/*.json", "golden/*.json.gz", "dialogues/*.jsonl", "raw/", "domains.json", "baseline.json",
    "paper_tables.json",
];

/// Compares everything found in a folder.
pub(super) fn compare(folder: &Path) -> Vec<Row> {
    let recordings = match Recordings::open(folder) {
        Ok(recordings) => recordings,
        Err(_) if !folder.join("domains.json").exists() => {
            return vec![Row::missing("golden/*.json", "candidates", "no domains.json in this folder")];
        }
        Err(why) => return vec![unreadable("domains.json", why)],
    };
    let mut rows = import::compare(recordings.source(), folder);
    rows.push(replay::compare(recordings.source(), "all dialogues"));
    let files = json_files(&recordings.golden(), "");
    let what = ("golden/*.json", "candidates", "no pools in this folder");
    rows.extend(Row::of_files(&files, what, |path| {
        let file = name_of(path);
        let compared = document(path).and_then(|golden: Value| of_file(&recordings, &golden, &file));
        [compared.unwrap_or_else(|why| unreadable(&file, why))]
    }));
    rows
}

/// Compares one file. One of a layout that is not known is said not to be compared.
fn of_file(recordings: &Recordings, golden: &Value, file: &str) -> Result<Row, String> {
    let service = golden.get("service").and_then(Value::as_str);
    let demonstrations = |service| recordings.service(service, Split::Demonstrations);
    // A file is known by what it holds, not by its name.
    let holds = |key: &str| golden.get(key).is_some_and(Value::is_array);
    let each = |list: &str, key: &str| {
        let entries = fields::list(golden, list);
        !entries.is_empty() && entries.iter().all(|entry| entry.get(key).is_some())
    };
    match service {
        None if each("actions", "candidates") => Ok(pools::compare(&recordings.household()?, &[], golden, file)),
        None if holds("per_service") => macros::compare(recordings, golden, file),
        Some(service) if each("actions", "cases") => {
            let test = recordings.service(service, Split::Test)?;
            scores::compare(&test, &demonstrations(service)?, recordings, golden, file)
        }
        Some(service) if each("cases", "greedy") => algorithm1::compare(recordings, golden, service, file),
        Some(service) if each("dialogues", "turns") => policy::compare(recordings, golden, service, file),
        Some(service) if each("candidates", "compare") => {
            Ok(scores::compare_odd(&demonstrations(service)?, golden, file))
        }
        Some(service) if each("actions", "candidates") || holds("candidates") => {
            Ok(pools::compare(&demonstrations(service)?, &recordings.all_truth(service)?, golden, file))
        }
        _ => Ok(Row::missing(format!("golden/{file}"), "recordings", "not compared: its layout is not known")),
    }
}

/// A recording that cannot be read is a difference.
fn unreadable(file: &str, why: String) -> Row {
    let mut row = Row::new(format!("golden/{file}"), "candidates");
    row.differs(difference(file, "a readable recording", why));
    row
}
