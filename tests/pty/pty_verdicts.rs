//! One verdict wherever it is shown: a decision keeps the one it was made with, what is open is checked with what is in force now,
//! and what was not checked says so.

use stepwright::episode::{Event, Mark, Record, Verdict};

use crate::scripts::{play, session};
use crate::support::program::PROGRAM;

#[test]
fn what_is_adopted_later_changes_no_decision_and_no_other_branch() {
    let home = tempfile::tempdir().unwrap();
    play(include_str!("scripts/verdicts.script"), home.path(), &[]);
    let (file, loaded) = session(home.path());
    assert_eq!(loaded.session.verdict_at(1).map(Verdict::mark), Some(Mark::Holds));
    let taken = loaded.session.decision_at(1).unwrap().proposal();
    let checked = |r: &&Record| matches!(&r.event, Event::Checked { proposal, .. } if *proposal == taken);
    assert_eq!(loaded.records.iter().filter(checked).count(), 1, "what was decided is not checked again");
    // The report does not contradict itself, and says what was adopted.
    let shown = std::process::Command::new(PROGRAM).arg("show").arg(&file).output().unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("in force from here on: goto (edited): recep == 'moon'"), "{shown}");
    assert!(shown.lines().any(|l| l.contains("[taken]") && l.contains("(holds;")), "{shown}");
    assert!(!shown.lines().any(|l| l.contains("[taken]") && l.contains("(fails;")), "{shown}");
}

#[test]
fn the_tree_shows_the_marks_of_the_proposals_and_what_is_pruned_is_last() {
    let home = tempfile::tempdir().unwrap();
    play(include_str!("scripts/pruned.script"), home.path(), &[]);
    let taken = session(home.path()).1.session.node(2).unwrap().action.clone().unwrap();
    assert!(!taken.text.contains("turnright"), "{}", taken.text);
}
