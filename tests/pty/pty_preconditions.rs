//! Preconditions by keys, in a pseudo-terminal: inferred from demonstrations, edited, adopted, and then a dialogue is stepped with
//! them in force.

use stepwright::episode::Event;

use crate::scripts::{play, session};

#[test]
fn a_dialogue_is_stepped_with_what_was_inferred_edited_and_adopted() {
    let home = tempfile::tempdir().unwrap();
    play(include_str!("scripts/preconditions.script"), home.path(), &[]);
    let file = std::fs::read_to_string(home.path().join("dialogue-ToolLibrary_1.preconditions.py")).unwrap();
    assert!(file.contains("    assert self.user is not None\n"), "{file}");
    let (_, loaded) = session(home.path());
    let at = |is: &dyn Fn(&Event) -> bool| loaded.records.iter().position(|r| is(&r.event));
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
    play(include_str!("scripts/held_back.script"), home.path(), &[]);
    let (_, loaded) = session(home.path());
    // The session begins with the specification's own.
    let adopted = loaded.records.iter().rev().find_map(|r| r.event.adopted()).expect("something was adopted");
    assert_eq!((adopted.action.as_str(), adopted.origin.as_str()), ("take", "inferred, chosen by a person"));
    assert!(adopted.assertions.iter().any(|a| a == "self.inventory is None"), "{adopted:?}");
}

#[test]
fn effects_are_adopted_edited_contradicted_and_taken_back() {
    let home = tempfile::tempdir().unwrap();
    play(include_str!("scripts/effects.script"), home.path(), &[]);
    let (_, loaded) = session(home.path());
    let session = &loaded.session;
    let drifted = session.nodes().iter().filter(|node| !node.outcome.departures.is_empty()).count();
    assert_eq!(drifted, 1);
    let in_force = session.assertions();
    assert!(in_force["effects of take"].0.contains(&"self.inventory = obj".to_owned()), "{in_force:?}");
    assert!(!in_force.contains_key("effects of goto"), "{in_force:?}");
}

/// From an assertion to a decision that it would have stopped, in the session it was taken in, and back.
#[test]
fn a_decision_that_would_have_been_stopped_is_visited_in_its_session() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("state/stepwright/sessions");
    std::fs::create_dir_all(&folder).unwrap();
    let kept = folder.join("by-hand.jsonl");
    let bytes = include_bytes!("../../sessions/by-hand.jsonl");
    std::fs::write(&kept, bytes).unwrap();
    play(include_str!("scripts/visit.script"), home.path(), &[]);
    assert_eq!(std::fs::read(&kept).unwrap(), bytes, "it was only read");
}
