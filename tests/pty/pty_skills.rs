//! Logs of one task by keys: opened, cut into calls, a tip distilled by contrast, edited and taken, and kept in a file.

use crate::support::pty::Pty;

const PROGRAM: &str = env!("CARGO_BIN_EXE_stepwright");

/// A success and a failure on one task, written for this test; a third line is none.
const LOGS: &str = concat!(
    r#"{"id":"good","pair_id":"p","env":"alfworld","task":"put a mug in shelf","success":true,"score":1,"initial_observation":"You are in the middle of a room. Looking quickly around you, you see a desk 1, and a shelf 1.\nYour task is to: put a mug in shelf.","steps":[{"action":"go to desk 1","observation":"On the desk 1, you see a mug 1."},{"action":"take mug 1 from desk 1","observation":"You pick up the mug 1 from the desk 1."},{"action":"go to shelf 1","observation":"On the shelf 1, you see nothing."},{"action":"put mug 1 in/on shelf 1","observation":"You put the mug 1 in/on the shelf 1."}]}"#,
    "\n",
    r#"{"id":"bad","pair_id":"p","env":"alfworld","task":"put a mug in shelf","success":false,"initial_observation":"You are in the middle of a room. Looking quickly around you, you see a desk 1, and a shelf 1.\nYour task is to: put a mug in shelf.","steps":[{"action":"go to desk 1","observation":"On the desk 1, you see a mug 1."},{"action":"take mug from desk","observation":"Nothing happens."}]}"#,
    "\n{\"id\":\"torn\"\n",
);

#[test]
fn two_logs_of_one_task_give_a_tip_that_is_edited_taken_and_kept() {
    let home = tempfile::tempdir().unwrap();
    let logs = home.path().join("logs.jsonl");
    std::fs::write(&logs, LOGS).unwrap();
    let kept = home.path().join("mine.skills.toml");
    let mut pty = Pty::start(PROGRAM, &["open", &logs.display().to_string()], home.path(), &[], (120, 40));
    // What cannot be read of the file is said with its line.
    pty.wait_for("put a mug in shelf").wait_for("line 3");
    pty.settle().send("\x1b9");
    pty.wait_for("Nothing is known of skills");
    // The skills that ship, read as a file: every change is offered by itself, and taken.
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/worlds/household/skills.toml");
    pty.send("R");
    pty.settle().send(&format!("{shipped}\r"));
    pty.wait_for("! offered:").settle();
    pty.send("A");
    pty.wait_for("find(object)").settle();
    // The log, cut into two calls; a border is moved and comes back.
    pty.send("v");
    pty.wait_for("go to shelf 1");
    pty.send("j+");
    pty.settle().send("take(mug)\r");
    pty.wait_for("steps 1 to 4");
    // The cursor stays on the first step; two below is the third.
    pty.settle().send("jj+");
    pty.settle().send("put(mug, shelf)\r");
    pty.wait_for("steps 3 to 4").settle();
    pty.send("k");
    pty.settle().send("J");
    pty.wait_for("steps 4 to 4").settle();
    pty.send("K");
    pty.wait_for("steps 3 to 4").settle();
    // Both logs side by side, and what the failure teaches.
    pty.send("v");
    pty.wait_for("Name things with their numbers");
    pty.send("I");
    pty.wait_for("! offered: a tip from good and bad").settle();
    pty.send("je");
    pty.settle().send(" Always.\r");
    pty.settle().send("A");
    pty.settle();
    pty.send("W");
    pty.settle().send(&format!("\x15{}\r", kept.display()));
    pty.wait_for("skills written to").settle();
    pty.send("q");
    assert_eq!(pty.wait(), 0);
    let known = stepwright_skill::file::read(&std::fs::read_to_string(&kept).unwrap()).unwrap();
    let tips = &known.skill("take").unwrap().tips;
    assert!(tips.iter().any(|tip| tip.ends_with("which does nothing. Always.")), "{tips:?}");
    // An episode by these skills: a call is offered, taken, and its primitives follow.
    let skills = kept.display().to_string();
    let mut pty = Pty::start(PROGRAM, &["--method", "o3d", "--skills", &skills], home.path(), &[], (120, 40));
    pty.wait_for("/ searches").wait_for("▶ symbolic").settle();
    pty.send("\r");
    pty.wait_for("call: find(").settle();
    pty.send("a");
    pty.wait_for("go to ").settle();
    pty.send("q");
    pty.settle().send("q");
}

#[test]
fn a_cut_that_is_found_is_offered_on_the_log_moved_and_taken() {
    let home = tempfile::tempdir().unwrap();
    let logs = home.path().join("logs.jsonl");
    std::fs::write(&logs, LOGS).unwrap();
    let mut pty = Pty::start(PROGRAM, &["open", &logs.display().to_string()], home.path(), &[], (120, 40));
    pty.wait_for("put a mug in shelf").settle().send("\x1b9");
    pty.wait_for("Nothing is known of skills").settle().send("v");
    pty.wait_for("log 1 of 2").settle().send("D");
    // Without a model the logs are counted through, and the offer says so.
    pty.wait_for("! offered: good cut by counting").wait_for("take cut").settle();
    pty.wait_for("put(mug, shelf)").wait_for("steps 3 to 4");
    pty.send("A");
    // What was taken is offered no more.
    let taken = (0..100).any(|_| !pty.settle().text().contains("! offered:"));
    assert!(taken && pty.text().contains("steps 3 to 4"), "{}", pty.text());
    pty.send("d");
    pty.wait_for("log 2 of 2").wait_for("take mug from desk").settle().send("q");
    pty.settle().send("q");
}

#[test]
fn a_file_that_is_no_log_is_said_to_be_none() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("notes.txt");
    std::fs::write(&file, "nothing to see\n").unwrap();
    let mut pty = Pty::start(PROGRAM, &["open", &file.display().to_string()], home.path(), &[], (120, 40));
    pty.wait_for("this is no stepwright session").settle();
    pty.send("q");
    pty.settle().send("q");
}
