//! Leaving by `q` whatever is under way: the process ends within a second, and within the patience of a busy machine here, while what it
//! was doing would have taken far longer.

use std::fmt::Write;
use std::time::{Duration, Instant};

use crate::support::pty::Pty;
use crate::support::server::{Server, Step, delta, send, stream_head};

const PROGRAM: &str = env!("CARGO_BIN_EXE_stepwright");
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
