//! Blocking tree by keys, in a pseudo-terminal: coffee is made in a shipped kitchen; a selection blocks, is undone and done
//! again, and the goal is reached.

use crate::support::pty::Pty;
use stepwright::episode::{Event, log};

const PROGRAM: &str = env!("CARGO_BIN_EXE_stepwright");

#[test]
fn coffee_is_made_across_blocks_and_undone_ones() {
    let home = tempfile::tempdir().unwrap();
    let mut pty = Pty::start(PROGRAM, &["--method", "blocking"], home.path(), &[], (200, 60));
    // The third world of the list, then its first task.
    pty.wait_for("/ searches").wait_for("▶ symbolic").settle().send("\t\t");
    pty.settle().send("\x1b[B\x1b[B");
    pty.wait_for("▶ kitchen").settle().send("\r");
    pty.wait_for("step 0 ·").settle();
    pty.wait_for("Blocking, 2 candidates");
    // Blocked: nothing is executed, the tree grows.
    pty.send("a");
    pty.wait_for("step 1 ·").wait_for("is blocked (not_visible").settle();
    assert!(!pty.text().contains("Blocking, 2 candidates"), "{}", pty.text());
    pty.send("u");
    pty.wait_for("step 0 ·").wait_for("Blocking, 2 candidates").settle().send("U");
    pty.wait_for("step 1 ·").settle().send("P");
    for step in 2..60 {
        pty.settle().send("a");
        pty.wait_for(&format!("step {step} ·")).settle();
        if pty.text().contains("the goal is reached") {
            break;
        }
    }
    pty.wait_for("the goal is reached").send("q");
    assert_eq!(pty.wait(), 0);

    let folder = home.path().join("state/stepwright/sessions");
    let session = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let loaded = log::load(&session).unwrap();
    let moved = loaded.records.iter().filter(|r| matches!(r.event, Event::Moved { .. })).count();
    let path = loaded.session.path(loaded.session.cursor());
    let blocked = path.iter().filter(|n| n.outcome.blocked.is_some()).count();
    assert!(moved == 2 && blocked > 2, "{moved} moves, {blocked} blocked");
    assert!(path.last().unwrap().outcome.won);
}
