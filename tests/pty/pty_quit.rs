//! Leaving by `q` whatever is under way: the process ends within a second, and within the patience of a busy machine here, while what it
//! was doing would have taken far longer.

use std::fmt::Write;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::program::PROGRAM;
use crate::support::pty::Pty;
use crate::support::server::{Server, Step, delta, good, send, stream_head};

const SIZE: (u16, u16) = (120, 40);
/// A second is promised; the rest is for a machine that runs other tests meanwhile.
const SOON: Duration = Duration::from_secs(3);

/// Presses a key: the program ends soon and gives the terminal back.
fn leaves(pty: &mut Pty, key: &str) {
    let pressed = Instant::now();
    pty.send(key);
    assert_eq!(pty.wait(), 0);
    let took = pressed.elapsed();
    assert!(took < SOON, "it took {took:?}");
    assert!(pty.is_restored());
}

/// Leaves while something is under way, which is asked about once.
fn leaves_work(pty: &mut Pty) {
    // What is under way may be drawn all the time: the question is not waited for until nothing is written.
    pty.send("q");
    pty.wait_for("Leave?");
    leaves(pty, "\r");
}

#[test]
fn q_does_not_wait_for_a_slow_answer() {
    let server = Server::start(vec![vec![stream_head(), send(&delta("agent")), Step::Hold]]);
    let home = tempfile::tempdir().unwrap();
    let env = server.variables();
    let mut pty = Pty::start(PROGRAM, &[], home.path(), &env, SIZE);
    pty.wait_for("/ searches").send("/");
    pty.wait_for("Search:").send("heat some tomato");
    pty.wait_for("▶ heat some tomato").send("\r");
    pty.settle().send("\r");
    pty.wait_for("step 0 ·").wait_for("agent").settle().send("q");
    // What an answer has cost so far is not thrown away unasked.
    pty.wait_for("Leave?").settle();
    leaves(&mut pty, "\r");
}

#[test]
fn q_does_not_wait_for_a_large_file() {
    let home = tempfile::tempdir().unwrap();
    let mut text: String =
        include_str!("../../sessions/solved.jsonl").lines().take(2).map(|l| format!("{l}\n")).collect();
    for id in 2..500_000 {
        let _ = writeln!(
            text,
            r#"{{"id":{id},"ts":0,"node":0,"event":"noted","text":"a remark of some length, number {id}"}}"#
        );
    }
    let file = home.path().join("large.jsonl");
    std::fs::write(&file, text).unwrap();
    let mut pty = Pty::start(PROGRAM, &["open", &file.display().to_string()], home.path(), &[], SIZE);
    pty.settle();
    assert!(!pty.text().contains("step 0 ·"), "it was opened before `q` could be pressed:\n{}", pty.text());
    leaves(&mut pty, "q");
}

#[test]
fn q_does_not_wait_for_candidates_of_a_slow_server() {
    let server = Server::answering(|_| vec![Step::Hold]);
    let home = tempfile::tempdir().unwrap();
    let mut pty = Pty::start(PROGRAM, &[], home.path(), &server.variables(), SIZE);
    pty.wait_for("/ searches").settle().send("\r");
    pty.wait_for("step 0 ·").settle().send("\x1bOR");
    pty.wait_for("┏ Preconditions").send("v");
    pty.settle().send("I");
    pty.wait_for("candidates by fake");
    leaves_work(&mut pty);
}

#[test]
fn q_does_not_wait_for_the_search_for_a_plan() {
    let home = tempfile::tempdir().unwrap();
    let first = include_str!("../../worlds/household/tasks.jsonl").lines().next().unwrap();
    let mut task: Value = serde_json::from_str(first).unwrap();
    let place = |name: String, kind: &str, at: usize| json!({ "name": name, "type": kind, "loc": format!("loc {at}"), "openable": kind == "drawer", "opened": false });
    let mut places: Vec<Value> = (1..1500).map(|n| place(format!("drawer {n}"), "drawer", n)).collect();
    places.push(place("coffeetable 1".into(), "coffeetable", 1500));
    let thing = |n: usize| json!({ "name": format!("box {n}"), "type": "box", "in": [format!("drawer {n}")], "at": [format!("loc {n}")], "props": ["pickupable"] });
    task["id"] = "large/place-box-1".into();
    task["start"] = "loc 0".into();
    (task["receptacles"], task["objects"]) = (places.into(), (1..20).map(thing).collect());
    let file = home.path().join("large.jsonl");
    std::fs::write(&file, format!("{task}\n")).unwrap();
    let args = ["--data", file.to_str().unwrap(), "--method", "ff-replan", "--model", "symbolic"];
    let mut pty = Pty::start(PROGRAM, &args, home.path(), &[], SIZE);
    pty.wait_for("/ searches").send("/");
    pty.wait_for("Search:").send("large/place-box-1");
    pty.settle().send("\r");
    pty.settle().send("\r");
    pty.wait_for("step 0 ·").wait_for("asking planner: a plan");
    leaves_work(&mut pty);
}

#[test]
fn q_does_not_wait_for_the_vectors_of_a_slow_server() {
    let server = Server::answering(|request| {
        if request.path().ends_with("/embeddings") { vec![Step::Hold] } else { good("Walk to the fridge") }
    });
    let home = tempfile::tempdir().unwrap();
    let env = [server.variables().as_slice(), &[("STEPWRIGHT_EMBEDDER", "slow")]].concat();
    let args = ["--method", "reprompt", "--completions", "1"];
    let mut pty = Pty::start(PROGRAM, &args, home.path(), &env, SIZE);
    // The world whose steps are chosen by how near their words are.
    pty.wait_for("/ searches").settle().send("\t\t");
    pty.settle().send("\x1b[B\x1b[B\x1b[B\x1b[B\x1b[B\x1b[B");
    pty.wait_for("▶ graph").settle().send("\r");
    pty.wait_for("step 0 ·");
    let end = Instant::now() + Duration::from_secs(60);
    while !server.requests().iter().any(|request| request.path().ends_with("/embeddings")) {
        assert!(Instant::now() < end, "no vectors were asked for:\n{}", pty.text());
        let _ = pty.receive(Duration::from_millis(50));
    }
    leaves_work(&mut pty);
}

#[test]
fn q_does_not_wait_for_an_adapter_that_does_not_answer() {
    let home = tempfile::tempdir().unwrap();
    let script = home.path().join("stalled.sh");
    std::fs::write(&script, "#!/bin/sh\ntrap '' TERM\nsleep 600 &\nexec sleep 600\n").unwrap();
    let command = format!("sh {}", script.display());
    let mut pty = Pty::start(PROGRAM, &["--command", &command], home.path(), &[], SIZE);
    pty.wait_for("/ searches").send("/");
    pty.wait_for("Search:").send("cli");
    pty.settle().send("\r");
    pty.settle().send("\r");
    pty.wait_for("beginning cli");
    leaves(&mut pty, "q");
}

#[test]
fn q_after_the_file_is_gone_keeps_the_session_beside_it_and_says_so() {
    for (became, lose) in stepwright_files::losses::LOSSES {
        let home = tempfile::tempdir().unwrap();
        let mut pty = Pty::start(PROGRAM, &[], home.path(), &[], SIZE);
        pty.wait_for("/ searches").send("\r");
        pty.wait_for("step 0 ·").settle().send("a");
        pty.wait_for("step 1 ·").settle();
        let folder = home.path().join("state/stepwright/sessions");
        // Names of files say what is worked on (L10).
        #[cfg(unix)]
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&folder.metadata().unwrap().permissions()) & 0o77, 0);
        let file = &std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
        lose(file).unwrap();
        pty.send("q");
        assert_eq!(pty.wait(), 1, "{became}: {}", pty.text());
        // Wherever the lines are broken.
        let plain = |text: &str| text.split_whitespace().collect::<String>();
        let said = plain(&pty.text());
        let beside = file.with_file_name(format!("{}-2.jsonl", file.file_stem().unwrap().to_str().unwrap()));
        assert!(said.contains(&plain(became)) && said.contains(&plain("The session is kept.")), "{said}");
        let shown = std::process::Command::new(PROGRAM).arg("show").arg(&beside).output().unwrap();
        assert!(shown.status.success() && String::from_utf8_lossy(&shown.stdout).contains("after 1 step"), "{shown:?}");
    }
}
