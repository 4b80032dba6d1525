//! Test of a shipped dialogue stepped to its end: by keys in a pseudo-terminal, and over the line protocol.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::scripts::play;
use crate::support::program::PROGRAM;
use serde_json::Value;
use stepwright::world::demonstration::Demonstration;
use stepwright::worlds::built_in_agent;
use stepwright::worlds::dialogue::{END_TURN, Source, Speaker};

const TASK: &str = "shipped/toollibrary-02";

/// The recorded system's acts, turn by turn.
fn acts(task: &str) -> Vec<String> {
    let source = Source::shipped().unwrap();
    let turns = source.dialogue(task).unwrap().turns.iter().filter(|t| t.speaker == Speaker::System);
    let acts = turns.flat_map(|t| {
        let acts = t.calls.iter().filter(|c| c.function != "set_query_status").map(ToString::to_string);
        acts.chain([END_TURN.to_owned()]).collect::<Vec<_>>()
    });
    acts.collect()
}

/// The lines of `stepwright play dialogue --jsonl` for these actions.
fn played(args: &[&str], input: &str) -> Vec<Value> {
    let mut command = Command::new(PROGRAM);
    command.args(["play", "dialogue", "--jsonl"]).args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

#[test]
fn the_line_protocol_plays_a_dialogue_to_its_end() {
    let lines = played(&["--task", TASK, "--state"], &(acts(TASK).join("\n") + "\n"));
    let last = lines.last().unwrap();
    assert_eq!((&last["done"], &last["won"], &last["reward"]), (&true.into(), &true.into(), &1.0.into()));
    assert_eq!(last["state"]["score"]["missed"], 0);
    let calls: Vec<&Value> = lines.iter().flat_map(|l| l["calls"].as_array().unwrap()).collect();
    let source = Source::shipped().unwrap();
    let recorded: Vec<Value> = source.dialogue(TASK).unwrap().calls().map(|c| Value::String(c.to_string())).collect();
    assert!(calls.into_iter().eq(&recorded), "the program is the recorded one");
    // A generated dialogue in a separate file plays as well.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.jsonl").display().to_string();
    for seed in ["1", "2"] {
        let made = Command::new(PROGRAM)
            .args(["new-task", "dialogue", "--type", "Repairs_1", "--seed", seed, "--out", &file])
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    }
    let lines = played(&["--data", &file, "--task", "Repairs_1-2"], "system.GOODBYE()\nfly\n");
    assert!(lines[0]["observation"].as_str().unwrap().starts_with("User: "));
    assert!(lines[1]["error"].is_null() && lines[2]["error"].is_string());
}

#[test]
fn what_a_user_says_is_no_goal() {
    let source = Source::shipped().unwrap();
    let shown = source.demonstrations("ToolLibrary_1", TASK, 0);
    let shown: Vec<Demonstration> = shown.into_iter().map(Demonstration::from).collect();
    // In a household this would be a place and a thing to put there.
    assert_eq!(built_in_agent(&stepwright::worlds::dialogue::KIND, &shown).goal_parts("put a saw in mill.", &[]), []);
}

#[test]
fn a_dialogue_is_stepped_to_its_end_by_keys() {
    let home = tempfile::tempdir().unwrap();
    play(include_str!("scripts/dialogue.script"), home.path(), &[]);
}
