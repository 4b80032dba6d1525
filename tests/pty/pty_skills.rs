//! Logs of one task by keys: opened, cut into calls, a tip distilled by contrast, edited and taken, and kept in a file.

use crate::scripts::play;

/// A home with a success and a failure on one task, written for this test; a third line is none.
fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("logs.jsonl"), include_str!("scripts/skills.jsonl")).unwrap();
    home
}

#[test]
fn two_logs_of_one_task_give_a_tip_that_is_edited_taken_and_kept() {
    let home = home();
    play(include_str!("scripts/skills.script"), home.path(), &[]);
    let kept = std::fs::read_to_string(home.path().join("mine.skills.toml")).unwrap();
    let known = stepwright_skill::file::read(&kept).unwrap();
    let tips = &known.skill("take").unwrap().tips;
    assert!(tips.iter().any(|tip| tip.ends_with("which does nothing. Always.")), "{tips:?}");
}

#[test]
fn a_cut_that_is_found_is_offered_on_the_log_moved_and_taken() {
    play(include_str!("scripts/skills_cut.script"), home().path(), &[]);
}

#[test]
fn a_file_that_is_no_log_is_said_to_be_none() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("notes.txt"), "nothing to see\n").unwrap();
    play("start 120x40 open $HOME/notes.txt\n? this is no stepwright session\nq\nq", home.path(), &[]);
}
