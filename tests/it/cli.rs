//! Commands that a transcript (`commands`) cannot show: answers as they come, generated tasks, a file that another process holds, a
//! recording of the screen, a dataset in its own layout.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::support::recordings::recordings;

fn stepwright(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepwright"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn output(args: &[&str], input: &str) -> Output {
    let mut child = stepwright(args).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn lines(output: &Output) -> Vec<Value> {
    String::from_utf8(output.stdout.clone()).unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

/// Generates a task of a type into a file; its plan.
fn new_task(file: &Path, kind: &str) -> Vec<String> {
    let out = file.display().to_string();
    let made = output(&["new-task", "household", "--type", kind, "--seed", "5", "--out", &out], "");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let line = std::fs::read_to_string(file).unwrap();
    let task: Value = serde_json::from_str(&line).unwrap();
    task["plan"].as_array().unwrap().iter().map(|c| c.as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_generated_task_is_won_over_the_line_protocol() {
    let folder = tempfile::tempdir().unwrap();
    for kind in ["place", "light", "clean", "heat", "cool", "two"] {
        let file = folder.path().join(format!("{kind}.jsonl"));
        let plan = new_task(&file, kind);
        let data = file.display().to_string();
        let args = ["play", "household", "--data", &data, "--edition", "move", "--jsonl"];
        let played = output(&args, &format!("dance\n{}\n", plan.join("\n")));
        assert!(played.status.success());
        let lines = lines(&played);
        assert_eq!(lines.len(), plan.len() + 2);
        let keys: Vec<&String> = lines[0].as_object().unwrap().keys().collect();
        assert_eq!(keys, ["step", "observation", "admissible", "calls", "error", "reward", "done", "won"]);
        assert_eq!(lines[1]["error"], "Nothing happens.");
        assert_eq!(lines[1]["calls"], serde_json::json!([]));
        for (i, line) in lines.iter().enumerate() {
            assert_eq!(line["step"], i);
            assert_eq!(line["won"], i + 1 == lines.len());
            assert_eq!(line["reward"], if line["won"] == true { 1.0 } else { 0.0 });
            assert!(i == 1 || line["error"].is_null(), "{line}");
        }
    }
}

#[test]
fn each_answer_is_flushed_before_the_next_action_is_read() {
    let mut child = stepwright(&["play", "household", "--jsonl", "--state"]).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let reset: Value = serde_json::from_str(&line).unwrap();
    assert!(reset["state"]["receptacles"].is_object());
    let action = reset["admissible"][0].as_str().unwrap();
    writeln!(input, "{action}").unwrap();
    line.clear();
    reader.read_line(&mut line).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&line).unwrap()["step"], 1);
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[cfg(unix)]
#[test]
fn a_second_writer_of_results_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("r.jsonl");
    let held = std::fs::OpenOptions::new().append(true).create(true).open(&file).unwrap();
    held.lock().unwrap();
    let second = output(&["run", "--tasks", "first=1", "--out", file.to_str().unwrap()], "");
    let said = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(second.status.code() == Some(2) && said.contains("another process is writing it"), "{said}");
}

const BY_HAND: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/sessions/by-hand.jsonl");

#[test]
fn a_cast_shows_the_workbench_and_marks_every_decision() {
    let before = std::fs::read(BY_HAND).unwrap();
    let cast = output(&["export", BY_HAND, "--cast", "-"], "");
    assert!(cast.status.success());
    let written = text(&cast);
    let mut lines = written.lines().map(|l| serde_json::from_str::<Value>(l).unwrap());
    let head = lines.next().unwrap();
    let size = |key: &str| head["term"][key].as_u64().unwrap() as usize;
    let mut terminal = avt::Terminal::new(size("cols"), size("rows")).unwrap();
    let (mut markers, mut states) = (Vec::new(), 0);
    for event in lines {
        match event[1].as_str().unwrap() {
            "o" => terminal.feed(event[2].as_str().unwrap()),
            _ => markers.push(event[2].as_str().unwrap().to_owned()),
        }
        let screen = terminal.screen().text().join("\n");
        // The world was stepped too: the panes of state and tree are not empty.
        states += usize::from(screen.contains("visible_objects") && screen.contains("Blocking"));
    }
    assert!(markers.len() == 8 && markers[0].starts_with("1: "), "{markers:?}");
    assert!(states > markers.len(), "{states}");
    let screen = terminal.screen().text().join("\n");
    for pane in ["Program", "Proposals", "Preconditions", "State", "Blocking"] {
        assert!(screen.contains(pane), "{pane}: {screen}");
    }
    assert_eq!(std::fs::read(BY_HAND).unwrap(), before);
    let shown = text(&output(&["show", BY_HAND], ""));
    assert!(shown.contains("    state: {") && shown.contains("blocking tree:"), "{shown}");
    // A row of the tree has the word of the mark that the workbench shows: a candidate its verdict, a goal that was met holds.
    let kitchen = concat!(env!("CARGO_MANIFEST_DIR"), "/sessions/kitchen.jsonl");
    let shown = text(&output(&["show", kitchen], ""));
    let (start, later) = shown.split_once("\n[1] ").unwrap();
    assert!(
        start.contains("        blocked: switchon CoffeeMachine|1\n") && !start.contains("holds: switchon"),
        "{start}"
    );
    assert!(later.contains("      holds: ON CoffeeMachine|1\n"), "{later}");
    assert!(!later.contains("unknown: ON CoffeeMachine|1\n"), "{later}");
}

/// A copy of VirtualHome in its own layout, made of the recordings: one scene and two programs.
fn virtualhome(folder: &Path) -> Option<()> {
    let data = recordings("virtualhome")?;
    let read = |name: &str| serde_json::from_str::<Value>(&std::fs::read_to_string(data.join(name)).ok()?).ok();
    let scene = read("scenes/scene1.json")?;
    let node = |node: &Value| {
        serde_json::json!({
            "id": node["id"], "class_name": node["class_name"], "category": node["category"], "properties": node["properties"],
            "states": node["raw_states"], "prefab_name": "any", "bounding_box": null,
        })
    };
    let edge = |e: &Value| serde_json::json!({"from_id": e[0], "relation_type": e[1], "to_id": e[2]});
    let graph = serde_json::json!({
        "nodes": scene["nodes"].as_array()?.iter().map(node).collect::<Vec<_>>(),
        "edges": scene["edges"].as_array()?.iter().map(edge).collect::<Vec<_>>(),
    });
    let set = folder.join("dataset/programs_processed_precond_nograb_morepreconds/withoutconds/mine");
    for below in [folder.join("example_graphs"), folder.join("resources"), set.clone()] {
        std::fs::create_dir_all(below).unwrap();
    }
    let write = |name: &str, text: String| std::fs::write(folder.join(name), text).unwrap();
    write("example_graphs/TrimmedTestScene1_graph.json", graph.to_string());
    write("resources/class_name_equivalence.json", read("resources/names.json")?["v1.0"]["equivalence"].to_string());
    write("resources/properties_data.json", read("resources/properties.json")?.to_string());
    let program = "Read book\nI sit and read.\n\n\n[WALK] <home_office> (1)\n[WALK] <novel> (1)\n[FIND] <novel> (1)\n[GRAB] <novel> (1)\n[READ] <novel> (1)\n";
    std::fs::write(set.join("file1.txt"), program).unwrap();
    let program =
        "Turn on light\nI switch it on.\n\n\n[WALK] <home_office> (1)\n[WALK] <light> (1)\n[SWITCHON] <light> (1)\n";
    std::fs::write(set.join("file2.txt"), program).unwrap();
    Some(())
}

#[test]
fn a_copy_of_virtualhome_is_played_from_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    if virtualhome(folder.path()).is_none() {
        return;
    }
    let data = folder.path().display().to_string();
    let listed = output(&["play", "graph", "--data", &data, "--list"], "");
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(listed.contains("scene1/read_book") && listed.contains("scene1/turn_on_light"), "{listed}");
    let args = ["play", "graph", "--data", &data, "--task", "scene1/read_book", "--run", "prepared", "--jsonl"];
    let steps =
        "[WALK] <home_office> (1)\n[WALK] <novel> (1)\n[GRAB] <novel> (1)\n[GRAB] <novel> (1\n[READ] <novel> (1)\n";
    let played = lines(&output(&args, steps));
    let errors: Vec<bool> = played.iter().map(|line| line["error"].is_null()).collect();
    assert_eq!(errors, [true, true, true, true, false, true], "{played:?}");
    // A file that is wrong is named with its line.
    let scene = folder.path().join("example_graphs/TrimmedTestScene1_graph.json");
    let text = std::fs::read_to_string(&scene).unwrap();
    std::fs::write(&scene, &text[..text.len() / 2]).unwrap();
    let refused = output(&["play", "graph", "--data", &data, "--list"], "");
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        !refused.status.success() && told.contains("TrimmedTestScene1_graph.json:1") && told.contains("ends too early"),
        "{told}"
    );
}
