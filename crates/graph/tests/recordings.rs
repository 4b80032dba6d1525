//! Recordings of the original simulator, compared field by field. Found through STEPWRIGHT_DATA; without it nothing is compared,
//! and the tests say so.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail by panicking, as tests do"
)]

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;
use stepwright_graph::files::Library;
use stepwright_graph::recorded::{self, Replayed};

fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("STEPWRIGHT_DATA").map(|data| PathBuf::from(data).join("virtualhome"));
    let folder = folder.filter(|folder| folder.is_dir());
    if folder.is_none() {
        eprintln!("NOT RUN: STEPWRIGHT_DATA names no folder with virtualhome");
    }
    folder
}

/// Compares every record of a file; the first differences in full.
fn compare(file: &str, least: usize, replay: impl Fn(&Value, &Library) -> Replayed) {
    let Some(folder) = folder() else { return };
    let library = Library::open(&folder).unwrap();
    let text = std::fs::read_to_string(folder.join(file)).unwrap();
    let (mut fields, mut wrong, mut shown) = (0, BTreeMap::<String, usize>::new(), Vec::new());
    for (number, line) in text.lines().enumerate() {
        let record: Value = serde_json::from_str(line).unwrap();
        let id = record.get("id").or(record.get("trace")).unwrap().clone();
        let replayed = replay(&record, &library).unwrap_or_else(|error| panic!("{file}:{} {id}: {error}", number + 1));
        for (name, expected, got) in replayed {
            fields += 1;
            if !recorded::same(&expected, &got) {
                let kind = name.rsplit(", ").next().unwrap().to_owned();
                *wrong.entry(kind).or_default() += 1;
                shown.push(format!("{id} {name}\n  expected {expected}\n  got      {got}"));
            }
        }
    }
    shown.truncate(6);
    assert!(wrong.is_empty(), "{file}: {wrong:?} of {fields}\n{}", shown.join("\n"));
    assert!(fields >= least, "{file}: only {fields} fields");
}

#[test]
fn whole_scripts_run_as_recorded() {
    compare("traces.jsonl", 1000, recorded::trace);
}

#[test]
fn plans_step_as_recorded() {
    compare("steps.jsonl", 100, recorded::steps);
}

#[test]
fn programs_are_prepared_and_run_as_recorded() {
    compare("eval.jsonl", 100, recorded::evaluation);
}

#[test]
fn corrective_prompts_read_as_recorded() {
    let Some(folder) = folder() else { return };
    let traces = std::fs::read_to_string(folder.join("traces.jsonl")).unwrap();
    let traces: BTreeMap<String, Value> = traces
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|trace| (trace["id"].as_str().unwrap().to_owned(), trace))
        .collect();
    compare("prompts.jsonl", 1000, |record, library| {
        recorded::prompts(record, &traces[record["trace"].as_str().unwrap()], library)
    });
}

#[test]
fn words_and_scripts_translate_as_recorded() {
    compare("language.jsonl", 100, recorded::language);
}

#[test]
fn programs_are_alike_as_recorded() {
    compare("metrics.jsonl", 100, recorded::metrics);
}

#[test]
fn raters_agree_as_recorded() {
    compare("kappa.jsonl", 5, |record, _| recorded::kappa(record));
}

#[test]
fn the_tables_of_names_follow_from_their_equivalences() {
    let Some(folder) = folder() else { return };
    let text = std::fs::read_to_string(folder.join("resources/names.json")).unwrap();
    let tables: serde_json::Map<String, Value> = serde_json::from_str(&text).unwrap();
    for (name, table) in tables {
        let equivalence = serde_json::from_value(table["equivalence"].clone()).unwrap();
        let names = stepwright_graph::Names::of(&equivalence).unwrap();
        for (from, to) in table["name_map"].as_object().unwrap() {
            assert_eq!(&*names.in_scene(&from.as_str().into()), to.as_str().unwrap(), "{name}: {from}");
        }
        for (from, to) in table.get("detail_to_abstract").and_then(Value::as_object).into_iter().flatten() {
            assert_eq!(&*names.in_general(from), to.as_str().unwrap(), "{name}: {from}");
        }
    }
}

#[test]
fn default_states_follow_from_what_the_source_leaves_open() {
    let Some(folder) = folder() else { return };
    for (number, scene) in Library::open(&folder).unwrap().scenes {
        let text = std::fs::read_to_string(folder.join(format!("scenes/scene{number}.json"))).unwrap();
        let mut raw: Value = serde_json::from_str(&text).unwrap();
        for node in raw["nodes"].as_array_mut().unwrap() {
            node["states"] = node["raw_states"].take();
            node.as_object_mut().unwrap().remove("raw_states");
        }
        let edges = raw["edges"].as_array().unwrap().iter();
        raw["edges"] =
            edges.map(|e| serde_json::json!({"from_id": e[0], "relation_type": e[1], "to_id": e[2]})).collect();
        let read = stepwright_graph::Scene::read(&raw.to_string()).unwrap();
        assert!(read.graph == scene.graph, "scene {number}");
    }
}
