//! A whole episode by keys, in a pseudo-terminal: reject, approve, edit, undo, branch, quit, resume, to the goal.
#![cfg(unix)]
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic)]

mod support;

use std::path::{Path, PathBuf};
use std::time::Instant;

use stepwright::episode::{Choice, log};
use support::pty::{PATIENCE, Pty};

const PROGRAM: &str = env!("CARGO_BIN_EXE_stepwright");
const SIZE: (u16, u16) = (120, 40);

fn only_session(home: &Path) -> PathBuf {
    let folder = home.join("state/stepwright/sessions");
    let files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    let [file] = files.as_slice() else { panic!("one session is kept: {files:?}") };
    file.clone()
}

/// Waits until one of the texts is on the screen; which.
fn wait_for_any(pty: &mut Pty, texts: &[&str]) -> usize {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(which) = texts.iter().position(|t| pty.text().contains(t)) {
            return which;
        }
        assert!(Instant::now() < end, "none of {texts:?} on\n{}", pty.text());
        let _ = pty.receive(std::time::Duration::from_millis(50));
    }
}

#[test]
fn an_episode_is_stepped_left_and_finished() {
    let home = tempfile::tempdir().unwrap();
    let mut pty = Pty::start(PROGRAM, &[], home.path(), &[], SIZE);
    pty.wait_for("/ searches").send("/");
    pty.wait_for("Search:").send("heat some tomato");
    pty.settle().send("\r");
    pty.settle().send("\r");
    pty.wait_for("step 0 ·").wait_for("★ recommended").settle();

    pty.send("x");
    pty.wait_for("Reject the proposal").send("not now\r");
    pty.wait_for("rejected: not now").settle();
    pty.wait_for("★ recommended").send("a");
    pty.wait_for("step 1 ·").wait_for("★ recommended").settle();

    pty.send("e");
    pty.wait_for("Edit the action").send("\x15inventory");
    pty.wait_for("✓ world").send("\r");
    pty.wait_for("step 2 ·").settle();
    pty.send("u");
    pty.wait_for("step 1 ·").settle();
    pty.send("2");
    pty.settle().send("a");
    pty.wait_for("step 2 ·").settle();
    pty.send("t");
    pty.wait_for("2 branches").send("\x1b");
    pty.settle().send("q");
    assert_eq!(pty.wait(), 0);
    assert!(pty.is_restored());

    let file = only_session(home.path());
    let mut pty = Pty::start(PROGRAM, &["open", &file.display().to_string()], home.path(), &[], SIZE);
    pty.wait_for("step 2 ·");
    let over = "The episode is over";
    for step in 2..50 {
        let here = wait_for_any(&mut pty, &[over, "★ recommended"]);
        if here == 0 {
            break;
        }
        pty.settle().send("a");
        wait_for_any(&mut pty, &[over, &format!("step {} ·", step + 1)]);
        pty.settle();
    }
    assert!(pty.text().contains("the goal is reached"), "{}", pty.text());
    pty.send("q");
    assert_eq!(pty.wait(), 0);

    let session = log::load(&only_session(home.path())).unwrap().session;
    assert!(session.current().unwrap().outcome.won);
    let decisions = || session.nodes().iter().flat_map(|n| &n.turn.decisions);
    assert!(decisions().any(|d| matches!(&d.choice, Choice::Reject { reason, .. } if reason == "not now")));
    assert!(decisions().any(|d| matches!(d.choice, Choice::Edit { .. })));
    assert!(session.nodes().iter().any(|n| n.children.len() == 2), "the first branch is kept");
}
