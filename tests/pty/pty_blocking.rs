//! Blocking tree by keys, in a pseudo-terminal: coffee is made in a shipped kitchen; a selection blocks, is undone and done
//! again, and the goal is reached.

use stepwright::episode::Event;

use crate::scripts::{play, session};

#[test]
fn coffee_is_made_across_blocks_and_undone_ones() {
    let home = tempfile::tempdir().unwrap();
    play(include_str!("scripts/blocking.script"), home.path(), &[]);
    let (_, loaded) = session(home.path());
    let moved = loaded.records.iter().filter(|r| matches!(r.event, Event::Moved { .. })).count();
    let path = loaded.session.path(loaded.session.cursor());
    let blocked = path.iter().filter(|n| n.outcome.blocked.is_some()).count();
    assert!(moved == 2 && blocked > 2, "{moved} moves, {blocked} blocked");
    assert!(path.last().unwrap().outcome.won);
}
