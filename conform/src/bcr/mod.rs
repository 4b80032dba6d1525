//! Recordings of the blocking-conditions paper's kitchen: traces of the simulator and of what is built on it.
//!
//! Reads all that the folder holds by the layout's file names (scenes, `sim_traces*.jsonl`, `bcr_traces*.jsonl`, `progprompt_cases*.jsonl`), so that
//! recordings this program never saw are compared like those it did.

mod planning;
mod progprompt;
mod simulator;
mod trees;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::{Row, difference, field, unreadable};
use stepwright_study::recordings::{document, json_files, jsonl_files, name_of};
use stepwright_worlds::kitchen::{Scene, Source};

type Scenes = BTreeMap<String, Arc<Scene>>;

/// The paths of what is looked at here, or is there for people or for other programs.
pub(super) const LOOKED_AT: &[&str] = &[
    "scenes/*.json", "scenes/*.json.gz", "sim_traces*.jsonl", "bcr_traces*.jsonl", "bcr_reference_results.json",
    "progprompt_cases*.jsonl", "pddl/*.pddl", "pddl/planner_results.json", "domain.json", "object_types.json",
    "receptacle_compatibility.json", "paper_tables.json",
];

/// Compares everything found in a folder.
pub(super) fn compare(folder: &Path) -> Vec<Row> {
    let (scenes, read) = read_scenes(folder);
    let mut rows = vec![read];
    let traces = jsonl_files(folder, "sim_traces");
    let what = ("sim_traces*.jsonl", "steps", "no simulator traces in this folder");
    rows.extend(Row::of_files(&traces, what, |file| simulator::compare(file, &scenes)));
    let source = Source::open(folder).ok().map(Arc::new);
    let runs = jsonl_files(folder, "bcr_traces");
    let what = ("bcr_traces*.jsonl", "steps", "no recorded selections in this folder");
    let compare = |file: &Path| trees::compare(file, &scenes, &source.clone().unwrap_or_default());
    rows.extend(Row::of_files(&runs, what, compare));
    let plans = jsonl_files(folder, "progprompt_cases");
    let what = ("progprompt_cases*.jsonl", "plans", "no recorded plans in this folder");
    rows.extend(Row::of_files(&plans, what, |file| progprompt::compare(file, source.as_ref())));
    rows.extend(planning::compare(folder));
    rows
}

/// Reads the folder's scenes; one that cannot be read is a difference.
fn read_scenes(folder: &Path) -> (Scenes, Row) {
    let mut row = Row::new("scenes/*.json read", "scenes");
    if !folder.join("scenes").is_dir() {
        row.note = Some("no folder `scenes` here".to_owned());
        return (Scenes::new(), row);
    }
    let mut scenes = Scenes::new();
    for file in json_files(&folder.join("scenes"), "") {
        let read = Source::open(&file);
        row.count(read.as_ref().err().map(|e| unreadable(name_of(&file), e)));
        if let Ok(source) = read {
            scenes.extend(source.scenes().map(|scene| (scene.id.clone(), Arc::clone(scene))));
        }
    }
    (scenes, row)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_file_of_a_known_kind_is_found_and_any_other_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("bcr");
        std::fs::create_dir(&own).unwrap();
        for name in ["progprompt_cases.jsonl", "progprompt_cases_more.jsonl", "sim_traces.json"] {
            std::fs::write(own.join(name), "{}").unwrap();
        }
        let report = crate::run(folder.path(), Some("bcr")).unwrap();
        let row = |what: &str| report.rows.iter().find(|row| row.what == what).unwrap();
        let [one, more] = ["progprompt_cases.jsonl read", "progprompt_cases_more.jsonl read"].map(row);
        assert_eq!((one.differences, more.differences), (1, 1));
        assert!(row("sim_traces.json").note.as_ref().unwrap().contains("not compared"));
    }
}
