//! Statler by keys, in a pseudo-terminal, without a language model: an episode at a table, the reference programs played, a belief
//! made wrong by hand, undo across that, the belief put right as a whole, leaving and coming back.

use crate::support::pty::Pty;
use stepwright::episode::{Actor, ArtifactId, Event, Session, log};

const PROGRAM: &str = env!("CARGO_BIN_EXE_stepwright");
const SIZE: (u16, u16) = (200, 60);

/// In the generated format.
const EPISODE: &str = r#"{"id":"own/sink","domain":"disinfection","objects":["red block","blue block","green block","tin bowl","disinfector"],"initial":{"objects":["red block","blue block","green block","tin bowl","disinfector"],"relations":[],"red block":{},"blue block":{},"green block":{},"tin bowl":{},"disinfector":{"contains":[]}},"n_steps":5,"steps":[{"step":1,"query":"the red block is dirty.","kind":"statement","temporal":false,"gold_code":"update_wm(\"the red block is dirty.\")","gold_moves":[],"gold_say":[],"gold_update":"the red block is dirty."},{"step":2,"query":"The other blocks are clean","kind":"statement","temporal":false,"gold_code":"update_wm(\"the other blocks are clean.\")","gold_moves":[],"gold_say":[],"gold_update":null},{"step":3,"query":"Put the blue block on the red block","kind":"put","temporal":false,"gold_code":"put_first_on_second(\"blue block\", \"red block\")\nupdate_wm(\"Put the blue block on the red block.\")","gold_moves":[["blue block","red block"]],"gold_say":[],"gold_update":null},{"step":4,"query":"Put all the dirty blocks in the disinfector","kind":"put_all","temporal":true,"gold_code":"put_first_on_second(\"red block\", \"disinfector\")\nput_first_on_second(\"blue block\", \"disinfector\")\nupdate_wm(\"Put the red block and the blue block in the disinfector.\")","gold_moves":[["red block","disinfector"],["blue block","disinfector"]],"gold_say":[],"gold_update":null},{"step":5,"query":"How many blocks are dirty?","kind":"question","temporal":true,"gold_code":"say(\"no block\")","gold_moves":[],"gold_say":["no block"],"gold_update":null}]}"#;

const RED: &str = "put_first_on_second(\"red block\", \"disinfector\")";
const BLUE: &str = "put_first_on_second(\"blue block\", \"disinfector\")";

/// Takes the program that is offered, then the belief after it.
fn answer(pty: &mut Pty, step: usize) {
    pty.wait_for("★ recommended").settle().send("a");
    pty.wait_for(&format!("step {step} ·")).wait_for("a new belief waits").settle().send("a");
    pty.wait_for("a person took the one written for").settle();
}

fn session(home: &std::path::Path) -> (std::path::PathBuf, Session, usize) {
    let folder = home.join("state/stepwright/sessions");
    let file = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let loaded = log::load(&file).unwrap();
    let by_hand = |e: &Event| matches!(e, Event::ArtifactSettled { artifact, offer: None, by: Actor::Person, .. } if *artifact == ArtifactId::BELIEF);
    let corrections = loaded.records.iter().filter(|r| by_hand(&r.event)).count();
    (file, loaded.session, corrections)
}

#[test]
fn reference_programs_are_played_and_a_belief_is_edited_by_hand() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("own.jsonl");
    std::fs::write(&data, EPISODE).unwrap();
    let env = [("STEPWRIGHT_TABLE", data.to_str().unwrap())];
    let mut pty = Pty::start(PROGRAM, &[], home.path(), &env, SIZE);
    // A world with the user's data is first.
    pty.wait_for("/ searches").wait_for("▶ symbolic").wait_for("▶ table").settle().send("\r");
    pty.wait_for("step 0 · request 1 of 5 · 0 ✓ 0 ✗ · the red block is dirty.");
    for step in 1..=3 {
        answer(&mut pty, step);
    }
    pty.wait_for("step 3 · request 4 of 5 · 3 ✓ 0 ✗").wait_for(RED).wait_for("State, belief: as in truth").settle();

    // The belief is made wrong, in the row of the red block: below the objects and the relation.
    pty.send("\x1bOS");
    pty.settle().send("jjje");
    pty.wait_for("Enter corrects the belief").settle().send("\x15");
    pty.send("{\"is\": [\"clean\"]}");
    pty.settle().send("\r");
    pty.wait_for("State, belief: 2 values differ").wait_for("✗ ▸ red block: {\"is\":[\"clean\"]}").settle();
    pty.wait_for("a person corrected it");
    pty.settle().send("\x1bOQ");
    pty.wait_for(BLUE).settle();
    answer(&mut pty, 4);
    pty.wait_for("request 5 of 5 · 4 ✓ 0 ✗").settle();

    // Back across it: before the correction nothing was wrong; it comes back with its step.
    pty.send("u");
    pty.wait_for("step 3 · request 4 of 5 · 3 ✓ 0 ✗").wait_for("State, belief: 2 values differ").settle().send("u");
    pty.wait_for("step 2 ·").wait_for("State, belief: as in truth").settle().send("U");
    pty.wait_for("step 3 ·").wait_for("State, belief: 2 values differ").settle();

    // Put right in the whole text, where the red block has the fourth line.
    pty.send("\x1bOS");
    pty.settle().send("E");
    pty.wait_for("Correct what is believed").wait_for("it can be read").settle().send("\x1b[B\x1b[B\x1b[B\x1b[F\x15");
    pty.settle().send("    \"red block\": {\"is\": [\"dirty\"]");
    pty.wait_for("read with").settle().send("},");
    pty.wait_for("it can be read").wait_for("\"clean\" becomes \"dirty\"").settle().send("\x13");
    pty.wait_for("State, belief: as in truth").settle().send("\x1bOQ");
    pty.wait_for(RED).settle();
    answer(&mut pty, 4);
    pty.wait_for("request 5 of 5 · 4 ✓ 0 ✗").settle().send("q");
    assert_eq!(pty.wait(), 0);

    let (file, saved, corrections) = session(home.path());
    assert_eq!(corrections, 2);
    let executed = |node: &stepwright::episode::Node| node.action.as_ref().unwrap().text.clone();
    let branches: Vec<String> =
        saved.node(3).unwrap().children.iter().map(|id| executed(saved.node(*id).unwrap())).collect();
    assert!(branches.iter().all(|branch| branch.contains(BLUE) && branch.contains(RED)), "{branches:?}");

    // Read again it is where it was left, and continues.
    let mut pty = Pty::start(PROGRAM, &["open", file.to_str().unwrap()], home.path(), &env, SIZE);
    pty.wait_for("step 4 · request 5 of 5 · 4 ✓ 0 ✗").wait_for("State, belief: as in truth");
    pty.wait_for("★ recommended").settle().send("a");
    pty.wait_for("5 requests closed, none is left · 5 ✓ 0 ✗").settle().send("q");
    assert_eq!(pty.wait(), 0);
    assert!(pty.is_restored());
}
