//! A copy of VirtualHome in its own layout, made of the recordings' compact files in a temporary folder: it is read as the compact files
//! are, and what is wrong in it is named with its line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use stepwright_graph::files::Library;

use crate::support::recordings::recordings;

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn json_of(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// A scene as `example_graphs` has it: only the states of the source, edges as objects, and what a renderer needs.
fn graph_file(scene: &Value) -> Value {
    let node = |node: &Value| {
        json!({
            "id": node["id"], "class_name": node["class_name"], "category": node["category"], "properties": node["properties"],
            "states": node["raw_states"], "prefab_name": "PRE_ANY_01",
            "bounding_box": {"center": [0.5, 1.0, -2.25], "size": [1.0, 1.0, 1.0]},
        })
    };
    let edge = |edge: &Value| json!({"from_id": edge[0], "relation_type": edge[1], "to_id": edge[2]});
    json!({
        "edges": scene["edges"].as_array().unwrap().iter().map(edge).collect::<Vec<_>>(),
        "nodes": scene["nodes"].as_array().unwrap().iter().map(node).collect::<Vec<_>>(),
    })
}

/// Writes the copy; a program a file, with title, description and steps.
fn copy(recordings: &Path, name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    for number in 1..=7 {
        let scene = json_of(&recordings.join(format!("scenes/scene{number}.json")));
        let path = folder.join(format!("example_graphs/TrimmedTestScene{number}_graph.json"));
        write(&path, &serde_json::to_string_pretty(&graph_file(&scene)).unwrap());
    }
    let names = json_of(&recordings.join("resources/names.json"));
    write(&folder.join("resources/class_name_equivalence.json"), &names["v1.0"]["equivalence"].to_string());
    for (from, to) in [("properties.json", "properties_data.json"), ("object_states.json", "object_states.json")] {
        let text = std::fs::read_to_string(recordings.join("resources").join(from)).unwrap();
        write(&folder.join("resources").join(to), &text);
    }
    let programs = std::fs::read_to_string(recordings.join("programs.jsonl")).unwrap();
    for line in programs.lines().step_by(9) {
        let program: Value = serde_json::from_str(line).unwrap();
        let steps: Vec<&str> =
            program["program"].as_array().unwrap().iter().map(|step| step.as_str().unwrap()).collect();
        let (title, about) = (program["title"].as_str().unwrap(), program["description"].as_str().unwrap());
        let text = format!("{title}\n{}\n\n\n{}\n", about.replace('\n', " "), steps.join("\n"));
        let id = program["id"].as_str().unwrap();
        let set = "dataset/programs_processed_precond_nograb_morepreconds/withoutconds";
        write(&folder.join(format!("{set}/{id}.txt")), &text);
    }
    folder
}

#[test]
fn a_copy_of_virtualhome_is_read_as_the_compact_files_are() {
    let Some(recordings) = recordings("virtualhome") else { return };
    let folder = copy(&recordings, "virtualhome_copy");
    assert!(Library::lies_at(&folder));
    let (own, compact) = (Library::open(&folder).unwrap(), Library::open(&recordings).unwrap());
    assert_eq!(own.scenes.keys().collect::<Vec<_>>(), compact.scenes.keys().collect::<Vec<_>>());
    for (number, scene) in &compact.scenes {
        assert!(own.scenes[number].graph == scene.graph, "scene {number}");
    }
    let known: BTreeMap<&str, _> = compact.programs.iter().map(|program| (program.id.as_str(), program)).collect();
    assert!(own.programs.len() > 100);
    for program in &own.programs {
        let expected = known[program.id.as_str()];
        assert_eq!((&program.title, &program.script), (&expected.title, &expected.script), "{}", program.id);
    }
    // Programs run in it from their text to their end as recorded.
    let recorded = std::fs::read_to_string(recordings.join("eval.jsonl")).unwrap();
    let of_copy = |line: &&str| serde_json::from_str::<Value>(line).unwrap()["names"] == "v1.0";
    write(&folder.join("eval.jsonl"), &recorded.lines().filter(of_copy).collect::<Vec<_>>().join("\n"));
    let report = conform::run(&folder, Some("virtualhome")).unwrap();
    let run = report.rows.iter().find(|row| row.what == "eval.jsonl").unwrap();
    assert!(run.compared > 50 && run.differences == 0, "{report}");
}

#[test]
fn what_is_wrong_in_a_copy_is_named_with_file_and_line_and_nothing_is_lost() {
    let Some(recordings) = recordings("virtualhome") else { return };
    let folder = copy(&recordings, "virtualhome_wrong");
    let scene = folder.join("example_graphs/TrimmedTestScene3_graph.json");
    let whole = std::fs::read_to_string(&scene).unwrap();
    let error = |text: &str| {
        write(&scene, text);
        Library::open(&folder).unwrap_err().to_string()
    };
    let cut = &whole[..whole.len() / 3];
    let said = error(cut);
    assert!(said.contains(&format!("TrimmedTestScene3_graph.json:{}: ", cut.lines().count())), "{said}");
    assert!(said.contains("ends too early"), "{said}");
    // An edge that leads nowhere: its own line, within an object of several.
    let at = whole.find("\"to_id\": ").unwrap() + "\"to_id\": ".len();
    let end = at + whole[at..].find(|c: char| !c.is_ascii_digit()).unwrap();
    let said = error(&format!("{}99999{}", &whole[..at], &whole[end..]));
    assert!(
        said.contains("an edge leads to the node 99999, which there is not; expected the id of one of the nodes"),
        "{said}"
    );
    let line: usize = said.split("json:").nth(1).unwrap().split(':').next().unwrap().parse().unwrap();
    let dangling = whole[..at].lines().count();
    assert!((dangling..=dangling + 1).contains(&line), "line {line} for {dangling}");
    let said = error(&whole.replacen("\"INSIDE\"", "\"WITHIN\"", 1));
    assert!(said.contains("unknown relation `WITHIN`; expected one of BETWEEN"), "{said}");
    write(&scene, &whole);
    // A program: an unknown action, a missing parenthesis, a number that is none; the steps around them stay.
    let set = folder.join("dataset/programs_processed_precond_nograb_morepreconds/withoutconds");
    let steps =
        "[WALK] <kitchen> (1)\n[FLY] <kitchen> (1)\n[GRAB] <cup> (1\n[GRAB] <cup> (one)\n[SLEPE]\n[GRAB] <cup> (1)\n";
    write(&set.join("mine/file1.txt"), &format!("Mine\nWhat I do.\n\n\n{steps}"));
    let library = Library::open(&folder).unwrap();
    let program = library.programs.iter().find(|program| program.id == "mine/file1").unwrap();
    assert_eq!(program.script.len(), 2);
    let said: Vec<String> = program.errors.iter().map(ToString::to_string).collect();
    for (said, (line, wanted)) in said.iter().zip([
        (6, "expected one of"),
        (7, "both brackets closed"),
        (8, "whole number"),
        (9, "did you mean SLEEP"),
    ]) {
        assert!(said.starts_with(&format!("line {line}, `")) && said.contains(wanted), "{said}");
    }
    assert_eq!(said.len(), 4);
}
