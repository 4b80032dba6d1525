//! Recordings of WebShop: its text environment, the simpler site, rewards, fuzzy scores, analysis and rankings, compared by the
//! engine's own code.

use std::path::Path;

use stepwright_shop::recordings::{RECORDINGS, shop};

use super::{Row, difference, unreadable};

/// How the paths begin of what is looked at here, or is there for people or for other programs.
pub(super) const LOOKED_AT: &[&str] = &[
    "products.json",
    "goals.json",
    "constants.json",
    "human_instructions.json",
    "analyzer_golden*.jsonl",
    "search_golden*.jsonl",
    "fuzz_golden*.jsonl",
    "reward_golden*.jsonl",
    "text_env_traces*.jsonl",
    "react_site_traces*.jsonl",
];

/// Compares the shop's recordings.
pub fn compare(folder: &Path) -> Vec<Row> {
    let shop = match shop(folder) {
        Ok(Some(shop)) => shop,
        Ok(None) => {
            let note = "no products.json in this folder";
            return RECORDINGS.iter().map(|r| Row::missing(format!("{}.jsonl", r.kind), r.unit, note)).collect();
        }
        Err(error) => {
            let mut row = Row::new("products.json, goals.json", "files");
            row.differs(unreadable("products.json", error));
            return vec![row];
        }
    };
    let mut rows = Vec::new();
    for recording in &RECORDINGS {
        let files = recording.files(folder);
        if files.is_empty() {
            rows.push(Row::missing(format!("{}.jsonl", recording.kind), recording.unit, "not in this folder"));
        }
        rows.extend(files.into_iter().map(|file| {
            let mut row = Row::new(file.clone(), recording.unit);
            for record in recording.compare(&shop, folder, &file) {
                match record {
                    Ok(compared) => {
                        let found = compared.difference().map(|(field, recorded, own)| {
                            difference(format!("{}, {field}", compared.at), recorded, own)
                        });
                        row.count(found);
                    }
                    Err(error) => row.differs(unreadable(&file, error)),
                }
            }
            row
        }));
    }
    rows
}
