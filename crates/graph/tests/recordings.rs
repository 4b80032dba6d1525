//! Consequences of other things in the recordings of the original simulator. Found through STEPWRIGHT_DATA; without it nothing is compared,
//! and the tests say so.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail by panicking, as tests do"
)]

use std::path::PathBuf;

use serde_json::Value;
use stepwright_graph::files::Library;

fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("STEPWRIGHT_DATA").map(|data| PathBuf::from(data).join("virtualhome"));
    let folder = folder.filter(|folder| folder.is_dir());
    if folder.is_none() {
        eprintln!("NOT RUN: STEPWRIGHT_DATA names no folder with virtualhome");
    }
    folder
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
