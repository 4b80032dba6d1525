//! A review of a session: whatever is looked at and written out, not one byte of the session changes.

use std::path::{Path, PathBuf};

use stepwright::episode::log;

use crate::support::pty::Pty;

const PROGRAM: &str = env!("CARGO_BIN_EXE_stepwright");
const BY_HAND: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/sessions/by-hand.jsonl");
const SIZE: (u16, u16) = (120, 40);

fn sessions(home: &Path) -> PathBuf {
    home.join("state/stepwright/sessions")
}

/// Everything in the folder of sessions: names and bytes.
fn kept(home: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let Ok(folder) = std::fs::read_dir(sessions(home)) else { return Vec::new() };
    let mut all: Vec<_> = folder.map(|e| e.unwrap().path()).map(|p| (p.clone(), std::fs::read(p).unwrap())).collect();
    all.sort();
    all
}

#[test]
fn a_review_writes_nothing_into_the_session() {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(sessions(home.path())).unwrap();
    let file = sessions(home.path()).join("reviewed.jsonl");
    // The last line is torn, as by a crash: also that is left alone until something is done.
    let mut bytes = std::fs::read(BY_HAND).unwrap();
    bytes.extend(b"{\"id\":9999,\"ts\":1,\"no");
    std::fs::write(&file, &bytes).unwrap();
    let before = kept(home.path());

    let mut pty = Pty::start(PROGRAM, &["open", "--last", "--step", "1"], home.path(), &[], SIZE);
    pty.wait_for("step 1 ·").settle().send("u");
    pty.wait_for("step 0 ·").wait_for("at step 0").settle().send("U");
    pty.wait_for("step 1 ·").settle().send("t");
    pty.wait_for("Steps and branches").send("G\r");
    pty.settle().send("V");
    pty.wait_for("Presenter's view").wait_for("Decision ").settle().send("g");
    pty.wait_for("The beginning").send("+++ ");
    // It goes on by itself, to the end.
    pty.wait_for("playing, 1 s each").wait_for("Decision 1 of").wait_for("Decision 2 of").send(" ");
    pty.settle().send("\x1b");
    pty.settle().send("C");
    pty.wait_for("side by side").wait_for("First difference: step").send("nq");
    pty.settle().send("\x05");
    pty.wait_for("terminal players").settle().send("\r");
    pty.settle().send("\r");
    pty.wait_for("Written to").settle().send("q");
    assert_eq!(pty.wait(), 0);
    assert_eq!(kept(home.path()), before, "the file's bytes, and no file beside it");

    // It opens where it was looked at. Something is done: what was torn is set aside, and the moves before it are written with it.
    let records = log::load(&file).unwrap().records.len();
    let mut pty = Pty::start(PROGRAM, &["open", "--last"], home.path(), &[], SIZE);
    pty.wait_for("step 3 ·").settle().send("u");
    pty.wait_for("at step 2").settle().send("c");
    pty.wait_for("A remark").send("seen\r");
    pty.settle().send("q");
    assert_eq!(pty.wait(), 0);
    let after = log::load(&file).unwrap();
    assert_eq!((after.records.len(), after.torn), (records + 3, None));
    assert!(file.with_extension("jsonl.torn").is_file());

    // On the start screen it is in sight, and the first: also where the examples leave no room.
    let mut pty = Pty::start(PROGRAM, &[], home.path(), &[], (80, 24));
    pty.wait_for("Sessions: 1 of yours, 8 examples")
        .wait_for("heat some apple and put it in fridge")
        .settle()
        .send("\t\r");
    pty.wait_for("step 2 ·").settle().send("q");
    assert_eq!(pty.wait(), 0);
}

#[test]
fn an_example_is_read_without_a_copy() {
    let home = tempfile::tempdir().unwrap();
    let mut pty = Pty::start(PROGRAM, &[], home.path(), &[], SIZE);
    pty.wait_for("/ searches").wait_for("2 by-hand").settle().send("2");
    pty.wait_for("step ").settle().send("u");
    pty.wait_for("at step").settle().send("u");
    pty.settle().send("U");
    pty.settle().send("q");
    assert_eq!(pty.wait(), 0);
    assert_eq!(kept(home.path()), []);
}

#[test]
fn a_run_stops_at_a_change_of_the_state_and_two_branches_are_compared() {
    let home = tempfile::tempdir().unwrap();
    let mut pty = Pty::start(PROGRAM, &["--blind"], home.path(), &[], SIZE);
    pty.wait_for("/ searches").wait_for("▶ symbolic").settle().send("\r");
    pty.wait_for("blind · step 0 ·").wait_for("what is recommended: hidden until you decide").settle();
    assert!(!pty.text().contains('★'), "{}", pty.text());
    assert!(!pty.text().contains("preview") && !pty.text().contains("the world accepts it"), "{}", pty.text());
    pty.send("B");
    pty.wait_for("Automatic steps stop at").send("state agent.inventory\r");
    pty.wait_for("1 breakpoint in this session").settle().send("p");
    pty.wait_for("Policy").send("\x15end\r");
    pty.wait_for("breakpoint `state agent.inventory`").settle();
    // Back, and another way: two branches.
    pty.send("u");
    pty.wait_for("decided  the policy approved take").settle();
    // Decided: what the world said is shown.
    pty.send("\x1b[6~\x1b[6~\x1b[6~\x1b[6~");
    pty.wait_for("the world accepts it").settle().send("2");
    pty.settle().send("a");
    pty.wait_for("what is recommended: hidden").settle().send("C");
    pty.wait_for("branch 2").wait_for("First difference: step").send("n");
    pty.wait_for("=>").settle().send("\x1b");
    pty.settle().send("q");
    assert_eq!(pty.wait(), 0);
    let [(file, _)] = kept(home.path()).try_into().unwrap();
    let session = log::load(&file).unwrap().session;
    assert!(session.blind, "it is kept in the session");
    assert_eq!(session.breakpoints.len(), 1);
}
