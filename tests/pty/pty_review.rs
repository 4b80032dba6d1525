//! A review of a session: whatever is looked at and written out, not one byte of the session changes.

use std::path::{Path, PathBuf};

use stepwright::episode::log;

use crate::scripts::play;

const BY_HAND: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/sessions/by-hand.jsonl");

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

    play(include_str!("scripts/review.script"), home.path(), &[]);
    assert_eq!(kept(home.path()), before, "the file's bytes, and no file beside it");

    // It opens where it was looked at. Something is done: what was torn is set aside, and the moves before it are written with it.
    let records = log::load(&file).unwrap().records.len();
    play(include_str!("scripts/remark.script"), home.path(), &[]);
    let after = log::load(&file).unwrap();
    assert_eq!((after.records.len(), after.torn), (records + 3, None));
    assert!(file.with_extension("jsonl.torn").is_file());

    // On the start screen it is in sight, and the first: also where the examples leave no room.
    play(include_str!("scripts/one_of_yours.script"), home.path(), &[]);
}

#[test]
fn an_example_is_read_without_a_copy() {
    let home = tempfile::tempdir().unwrap();
    play(include_str!("scripts/example.script"), home.path(), &[]);
    assert_eq!(kept(home.path()), []);
}

#[test]
fn a_run_stops_at_a_change_of_the_state_and_two_branches_are_compared() {
    let home = tempfile::tempdir().unwrap();
    play(include_str!("scripts/blind.script"), home.path(), &[]);
    let [(file, _)] = kept(home.path()).try_into().unwrap();
    let session = log::load(&file).unwrap().session;
    assert!(session.blind, "it is kept in the session");
    assert_eq!(session.breakpoints.len(), 1);
}
