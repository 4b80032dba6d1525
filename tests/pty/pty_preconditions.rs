//! Preconditions by keys, in a pseudo-terminal: inferred from demonstrations, edited, adopted, and then a dialogue is stepped with
//! them in force.

use crate::support::pty::Pty;
use stepwright::episode::{Event, log};

const PROGRAM: &str = env!("CARGO_BIN_EXE_stepwright");
/// The name that is proposed for a file of what is in force.
const FILE: &str = "dialogue-ToolLibrary_1.preconditions.py";
const SIZE: (u16, u16) = (120, 40);

#[test]
fn a_dialogue_is_stepped_with_what_was_inferred_edited_and_adopted() {
    let home = tempfile::tempdir().unwrap();
    let mut pty = Pty::start(PROGRAM, &[], home.path(), &[], SIZE);
    // The second world of the list, then its first task.
    pty.wait_for("/ searches").wait_for("▶ symbolic").settle().send("\t\t");
    pty.settle().send("\x1b[B");
    pty.wait_for("▶ dialogue").settle().send("\r");
    pty.wait_for("step 0 ·").settle().send("\x1bOR");
    pty.wait_for("Preconditions").settle().send("\x01");
    pty.wait_for("are inferred").settle();
    // To an action of which something is suggested, and a candidate of one's own beside it.
    for _ in 0..30 {
        if !pty.text().contains(" 0 suggested") {
            break;
        }
        pty.send("l");
        pty.settle();
    }
    pty.send("+");
    pty.wait_for("as you type").send("self.user is not None");
    pty.wait_for("holds at every instance").send("\r");
    pty.wait_for("self.user is not None").settle().send(" ");
    pty.settle().send("A");
    pty.wait_for("in force for").settle();
    // Why the suggested one, and two sets side by side.
    pty.send("d");
    pty.wait_for("Two sets side by side").settle().send("\x1b");
    pty.settle().send("W");
    pty.wait_for("Write what is in force").wait_for(FILE).send("\r");
    pty.wait_for("written to").settle();
    // Asked again, another name is proposed.
    pty.send("W");
    pty.wait_for(&FILE.replace(".pre", "-2.pre")).send("\x1b");
    pty.settle();
    // Taken back, read from the file and put in force again: the comparison on the screen follows.
    pty.send("Z");
    pty.wait_for("none in force").settle().send("R");
    pty.wait_for("Read a file").send(&format!("{FILE}\r"));
    pty.wait_for(&format!("puts {FILE} in force")).settle().send("A");
    pty.settle();
    if pty.text().contains("It adds") {
        pty.send("\r");
    }
    pty.wait_for("R 1.00  F1 1.00").settle().send("\x1b");
    pty.settle().send("a");
    pty.wait_for("step 1 ·").settle().send("q");
    assert_eq!(pty.wait(), 0);

    let file = std::fs::read_to_string(home.path().join(FILE)).unwrap();
    assert!(file.contains("    assert self.user is not None\n"), "{file}");
    let folder = home.path().join("state/stepwright/sessions");
    let session = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let records = log::load(&session).unwrap().records;
    let at = |is: &dyn Fn(&Event) -> bool| records.iter().position(|r| is(&r.event));
    let adopted = at(&|e| {
        e.adopted().is_some_and(|set| {
            let added = set.assertions.len() > 1 && set.assertions.iter().any(|a| a == "self.user is not None");
            set.origin == "edited" && added
        })
    });
    let stepped = at(&|e| matches!(e, Event::Executed { .. }));
    assert!(adopted.is_some() && adopted < stepped, "adopted, then stepped: {adopted:?}, {stepped:?}");
}

#[test]
fn a_candidate_held_back_is_shown_and_adopted() {
    let home = tempfile::tempdir().unwrap();
    let mut pty = Pty::start(PROGRAM, &[], home.path(), &[], SIZE);
    pty.wait_for("/ searches").settle().send("\r");
    pty.wait_for("step 0 ·").settle().send("\x1bOR");
    pty.wait_for("Preconditions").settle().send("\x01");
    pty.wait_for("are inferred").settle();
    for _ in 0..12 {
        if pty.text().contains("Preconditions of take") && pty.text().contains("held back") {
            break;
        }
        pty.send("l");
        pty.settle();
    }
    // It is counted before it is listed; shown, the best of them is under the cursor; marked, it is put in force with the others.
    let shown = pty.text();
    assert!(shown.contains("H ") && shown.contains(" held back, ") && !shown.contains("✓ held back"), "{shown}");
    let rows = shown.lines().filter(|line| line.contains("[ ] ") || line.contains("[x] ")).count();
    assert!(rows >= 8, "{rows} candidates in sight:\n{shown}");
    pty.send("H");
    pty.wait_for("✓ held back").wait_for("in the list now").settle().send(" ");
    // It is valid and drops nothing, so it is put in force without a question.
    pty.settle().send("A");
    pty.wait_for("✓ in force").settle().send("q");
    assert_eq!(pty.wait(), 0);
    let folder = home.path().join("state/stepwright/sessions");
    let session = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let records = log::load(&session).unwrap().records;
    // The session begins with the specification's own.
    let adopted = records.iter().rev().find_map(|r| r.event.adopted()).expect("something was adopted");
    assert_eq!((adopted.action.as_str(), adopted.origin.as_str()), ("take", "inferred, chosen by a person"));
    assert!(adopted.assertions.iter().any(|a| a == "self.inventory is None"), "{adopted:?}");
}
