//! Recordings of precondition inference: pools of candidates with verdicts, satisfied sets and ranking, and Equation (2).
//!
//! The household's pools stand beside the dialogues' because the pipeline is one. Reads every `golden/*.json` whose layout it
//! knows, so that recordings this program never saw are compared like those it did.

mod import;
mod pools;
mod recordings;
mod scores;

use std::path::Path;

use serde_json::Value;

pub use recordings::{Recordings, Split};

use super::files::name_of;
use super::{Difference, Row, Topic};

/// The topic's name.
const NAME: &str = "sgd";

/// The recordings of precondition inference.
pub struct Sgd;

impl Topic for Sgd {
    fn name(&self) -> &'static str {
        NAME
    }

    fn compare(&self, folder: &Path) -> Vec<Row> {
        let recordings = match Recordings::open(folder) {
            Ok(recordings) => recordings,
            Err(_) if !folder.join("domains.json").exists() => {
                return vec![Row::missing(NAME, "golden/*.json", "candidates", "no domains.json in this folder")];
            }
            Err(why) => return vec![unreadable("domains.json", why)],
        };
        let mut files: Vec<_> = std::fs::read_dir(recordings.golden())
            .map(|entries| entries.filter_map(|e| e.ok().map(|e| e.path())).collect())
            .unwrap_or_default();
        files.sort();
        let mut rows = Vec::new();
        let first = import::compare(recordings.source(), folder);
        for path in files.iter().filter(|p| p.extension().is_some_and(|e| e == "json")) {
            let file = name_of(path);
            let compared = recordings::read_json(path).and_then(|golden: Value| compare(&recordings, &golden, &file));
            rows.extend(compared.unwrap_or_else(|why| Some(unreadable(&file, why))));
        }
        if rows.is_empty() {
            rows.push(Row::missing(NAME, "golden/*.json", "candidates", "no pools in this folder"));
        }
        rows.insert(0, first);
        rows
    }
}

/// Compares one file; `None` if it is of a layout that is not of this topic.
fn compare(recordings: &Recordings, golden: &Value, file: &str) -> Result<Option<Row>, String> {
    let service = golden.get("service").and_then(Value::as_str);
    let demonstrations = |service| recordings.service(service, Split::Demonstrations);
    let is_pool = |value: &Value| value.get("candidates").is_some();
    let pools = golden.get("actions").and_then(Value::as_array).is_some_and(|a| a.iter().all(is_pool));
    Ok(match service {
        None if pools => Some(pools::compare(&recordings.household()?, golden, file)),
        Some(service) if file.starts_with("eq2_") => {
            Some(scores::compare(&recordings.service(service, Split::Test)?, golden, file))
        }
        Some(service) if file.starts_with("robustness") => {
            Some(scores::compare_odd(&demonstrations(service)?, golden, file))
        }
        Some(service) if pools || is_pool(golden) => Some(pools::compare(&demonstrations(service)?, golden, file)),
        _ => None,
    })
}

/// A recording that cannot be read is a difference.
fn unreadable(file: &str, why: String) -> Row {
    let mut row = Row::new(NAME, format!("golden/{file}"), "candidates");
    row.differs(|| Difference { at: file.to_owned(), expected: "a readable recording".to_owned(), got: why });
    row
}
