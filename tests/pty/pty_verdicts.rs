//! One verdict wherever it is shown: a decision keeps the one it was made with, what is open is checked with what is in force now,
//! and what was not checked says so.

use stepwright::episode::{Event, Mark, Verdict, log};

use crate::support::pty::Pty;

const PROGRAM: &str = env!("CARGO_BIN_EXE_stepwright");
/// Program, Proposals, State, Preconditions and Blocking side by side.
const SIZE: (u16, u16) = (200, 60);
const F3: &str = "\x1bOR";
const F5: &str = "\x1b[15~";

/// Begins the first household task.
fn household(home: &std::path::Path) -> Pty {
    let mut pty = Pty::start(PROGRAM, &[], home, &[], SIZE);
    pty.wait_for("/ searches").wait_for("▶ symbolic").settle().send("\r");
    pty.wait_for("step 0 ·").wait_for("5 of 5 pass").settle();
    pty
}

/// Begins the kitchen's first task with the method that selects from the blocking tree, and selects the first candidate, which is
/// blocked.
fn kitchen(home: &std::path::Path) -> Pty {
    let mut pty = Pty::start(PROGRAM, &["--method", "blocking"], home, &[], SIZE);
    pty.wait_for("/ searches").wait_for("▶ symbolic").settle().send("\t\t");
    pty.settle().send("\x1b[B\x1b[B");
    pty.wait_for("▶ kitchen").settle().send("\r");
    pty.wait_for("step 0 ·").wait_for("Blocking, 2 candidates").settle().send("a");
    pty.wait_for("step 1 ·").wait_for("is blocked (not_visible").wait_for("of 10 pass").settle();
    pty
}

/// Puts an assertion of one's own in force in place of all others of the shown action.
fn adopt(pty: &mut Pty, text: &str) {
    pty.send(F3);
    pty.settle().send("i");
    pty.wait_for("as you type").send(text);
    pty.wait_for("failing").send("\r");
    pty.settle().send("*");
    // What is marked is unmarked, then the new one is marked.
    pty.settle().send(" ");
    pty.settle().send("A");
    pty.wait_for("It adds 1").wait_for("fails in").send("\r");
    pty.wait_for("1 assertion in force for").settle();
}

/// The only session written.
fn session(home: &std::path::Path) -> std::path::PathBuf {
    let folder = home.join("state/stepwright/sessions");
    std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path()
}

/// The first row of Proposals, which is the second row of the screen.
fn first_proposal(pty: &Pty) -> String {
    pty.text().lines().nth(2).unwrap_or_default().split('┃').nth(1).unwrap_or_default().to_owned()
}

#[test]
fn what_is_adopted_later_changes_no_decision_and_no_other_branch() {
    let home = tempfile::tempdir().unwrap();
    let mut pty = household(home.path());
    pty.send("a");
    pty.wait_for("step 1 ·").wait_for("5 of 5 pass").settle().send("u");
    pty.wait_for("step 0 ·").settle();
    adopt(&mut pty, "recep == 'moon'");
    // All that is open is checked again, and the tree is derived again.
    pty.wait_for("Proposals, 0 of 5 pass").wait_for("✗ needs recep == 'moon'").wait_for("1 in force (edited)");
    // The step taken before keeps its mark, and its branch keeps its assertions.
    pty.send("U");
    pty.wait_for("step 1 ·").wait_for("goto, 1 in force  ").settle();
    assert!(pty.text().contains("✓     agent.goto("), "{}", pty.text());
    assert!(!pty.text().contains("✗     agent.goto("), "{}", pty.text());
    pty.send("u");
    pty.wait_for("step 0 ·").wait_for("1 in force (edited)").settle().send("q");
    assert_eq!(pty.wait(), 0);

    let file = session(home.path());
    let loaded = log::load(&file).unwrap();
    assert_eq!(loaded.session.verdict_at(1).map(Verdict::mark), Some(Mark::Holds));
    let taken = loaded.session.decision_at(1).unwrap().proposal();
    let checked =
        |r: &&stepwright::episode::Record| matches!(&r.event, Event::Checked { proposal, .. } if *proposal == taken);
    assert_eq!(loaded.records.iter().filter(checked).count(), 1, "what was decided is not checked again");
    // The report does not contradict itself, and says what was adopted.
    let shown = std::process::Command::new(PROGRAM).arg("show").arg(&file).output().unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("in force from here on: goto (edited): recep == 'moon'"), "{shown}");
    assert!(shown.lines().any(|l| l.contains("[taken]") && l.contains("(holds;")), "{shown}");
    assert!(!shown.lines().any(|l| l.contains("[taken]") && l.contains("(fails;")), "{shown}");

    // Opened again, nothing is ticked that was not validated since.
    let file = file.to_string_lossy().into_owned();
    let mut pty = Pty::start(PROGRAM, &["open", &file], home.path(), &[], SIZE);
    pty.wait_for("step 0 ·").wait_for("□ in force   recep == 'moon'").settle().send(F3);
    pty.settle().send("\x1b[B");
    pty.wait_for("✗ in force   recep == 'moon'").wait_for("demonstrations failing").settle();
    assert!(!pty.text().contains("✓ in force") && !pty.text().contains("all 0 calls"), "{}", pty.text());
    pty.send("q");
    assert_eq!(pty.wait(), 0);
}

#[test]
fn the_tree_shows_the_marks_of_the_proposals_and_what_is_pruned_is_last() {
    let home = tempfile::tempdir().unwrap();
    let mut pty = kitchen(home.path());
    let text = pty.text();
    // A selection that was blocked and not executed has the mark that it had when it was taken.
    assert!(
        text.contains("○     # switchon CoffeeMachine|1") || text.contains("○ # switchon CoffeeMachine|1"),
        "{text}"
    );
    // Both panes: the same marks, none that says nothing.
    for mark in ["✓ turnright character", "✗ moveforward"] {
        assert_eq!(text.matches(mark).count(), 2, "{mark} in\n{text}");
    }
    assert!(!text.contains("├    ?") && !text.contains("└    ?"), "{text}");
    // Pruned: last, grey, not to be taken.
    pty.send(F5);
    pty.settle().send("/");
    pty.settle().send("turnright\r");
    pty.settle().send("x");
    pty.wait_for("Blocking, 9 candidates").wait_for("1 pruned").wait_for("turnright character pruned").settle();
    assert!(!first_proposal(&pty).contains("turnright"), "{}", pty.text());
    assert!(pty.text().contains("of 9 pass"), "{}", pty.text());
    assert_eq!(pty.text().matches("✓ turnright character").count(), 0, "{}", pty.text());
    pty.send("\x1bOP");
    pty.settle().send("1");
    pty.settle().send("a");
    pty.wait_for("step 2 ·").settle().send("q");
    assert_eq!(pty.wait(), 0);
    let loaded = log::load(&session(home.path())).unwrap();
    let taken = loaded.session.node(2).unwrap().action.clone().unwrap();
    assert!(!taken.text.contains("turnright"), "{}", taken.text);
}
