//! Statler by keys, in a pseudo-terminal, without a language model: an episode at a table, the reference programs played, a belief
//! made wrong by hand, undo across that, the belief put right as a whole, leaving and coming back.

use stepwright::episode::{Actor, ArtifactId, Event};

use crate::scripts::{play, session};

#[test]
fn reference_programs_are_played_and_a_belief_is_edited_by_hand() {
    let home = tempfile::tempdir().unwrap();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pty/scripts/statler.jsonl");
    play(include_str!("scripts/statler.script"), home.path(), &[("STEPWRIGHT_TABLE", data)]);
    let (_, loaded) = session(home.path());
    let by_hand = |e: &Event| matches!(e, Event::ArtifactSettled { artifact, offer: None, by: Actor::Person, .. } if *artifact == ArtifactId::BELIEF);
    assert_eq!(loaded.records.iter().filter(|r| by_hand(&r.event)).count(), 2);
    let executed = |id: &u64| loaded.session.node(*id).unwrap().action.as_ref().unwrap().text.clone();
    let branches: Vec<String> = loaded.session.node(3).unwrap().children.iter().map(executed).collect();
    let both = ["red block", "blue block"].map(|block| format!("put_first_on_second(\"{block}\", \"disinfector\")"));
    assert!(branches.iter().all(|branch| both.iter().all(|call| branch.contains(call))), "{branches:?}");
}
