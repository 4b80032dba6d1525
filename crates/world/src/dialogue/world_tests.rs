//! Stepping through dialogues: what is accepted, what is reported, and what always holds.

use proptest::prelude::*;

use super::*;
use crate::{Outcome, World, WorldError};
use stepwright_program::{Call, Specification};

const LINE: &str = r#"{"id": "t/1", "service": "Boats_1", "calls": ["user.INFORM_INTENT('FindBoat')", "system.REQUEST('pier')",
    "user.INFORM('pier')", "system.FindBoat()", "system.set_query_status(True)", "system.OFFER('hour')", "system.OFFER('hour')",
    "user.SELECT()", "user.GOODBYE()", "system.GOODBYE()"], "turns": [1, 1, 1, 4, 2, 1],
    "utterances": ["A boat!", "Which pier?", "North.", "At 9 or at 10.", "Nine. Bye.", "Bye."]}"#;

fn world() -> DialogueWorld {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("boats.jsonl");
    let other = LINE.replace("t/1", "t/2").replace(", \"system.GOODBYE()\"]", "]").replace("4, 2, 1]", "4, 2]");
    let other = other.split(",\n    \"utterances\"").next().unwrap().to_owned() + "}";
    std::fs::write(&file, format!("{}\n{}\n", LINE.replace('\n', " "), other.replace('\n', " "))).unwrap();
    DialogueWorld::new(Source::open(&file).unwrap())
}

fn texts(calls: &[Call]) -> Vec<String> {
    calls.iter().map(ToString::to_string).collect()
}

fn recorded_calls() -> Vec<Call> {
    let line: serde_json::Value = serde_json::from_str(LINE).unwrap();
    serde_json::from_value(line["calls"].clone()).unwrap()
}

fn act(world: &mut DialogueWorld, text: &str) -> Outcome {
    let outcome = world.act(text).unwrap();
    assert_eq!(outcome.error, None, "{text}");
    outcome
}

#[test]
fn a_dialogue_predicted_exactly_is_won() {
    let mut world = world();
    let reset = world.reset("t/1", 0).unwrap();
    assert_eq!(reset.observation, "User: A boat!");
    assert_eq!(texts(&reset.observation_calls), ["user.INFORM_INTENT('FindBoat')"]);
    let right = act(&mut world, "system.REQUEST('pier')");
    assert_eq!((right.observation.as_str(), right.reward), ("As recorded.", 1.0));
    let turn = act(&mut world, END_TURN);
    assert_eq!(turn.observation, "System: Which pier?\nUser: North.");
    assert_eq!((turn.action_call, texts(&turn.observation_calls)), (None, vec!["user.INFORM('pier')".to_owned()]));
    let call = act(&mut world, "system.FindBoat()");
    assert_eq!(texts(&call.observation_calls), ["system.set_query_status(True)"]);
    assert!(call.observation.contains("succeeds"), "{}", call.observation);
    act(&mut world, "system.OFFER('hour')");
    // A duplicate is two acts.
    assert_eq!(act(&mut world, "system.OFFER('hour')").observation, "As recorded.");
    act(&mut world, "user.NEGATE()");
    act(&mut world, "system.GOODBYE()");
    let end = act(&mut world, END_TURN);
    assert!(end.done && end.won && end.reward == 1.0);
    assert_eq!(end.observation, "System: Bye.");
    assert_eq!(world.admissible(), Some(Vec::new()));
    assert_eq!(world.act(END_TURN).unwrap().error.as_deref(), Some("The dialogue is over."));
}

#[test]
fn wrong_acts_stay_and_missed_ones_are_supplied() {
    let mut world = world();
    world.reset("t/1", 0).unwrap();
    let wrong = act(&mut world, "system.GOODBYE()");
    assert_eq!(wrong.observation, "Not in the recording here.");
    assert_eq!((wrong.action_call.unwrap().to_string(), wrong.reward), ("system.GOODBYE()".to_owned(), 0.0));
    let turn = act(&mut world, END_TURN);
    assert!(turn.observation.contains("(not predicted: system.REQUEST('pier'))"), "{}", turn.observation);
    // The user's answer is one to what the recorded system did.
    assert_eq!(texts(&turn.observation_calls), ["system.REQUEST('pier')", "user.INFORM('pier')"]);
    act(&mut world, "system.OFFER('hour')");
    let turn = act(&mut world, END_TURN);
    assert_eq!(
        texts(&turn.observation_calls)[..3],
        ["system.FindBoat()", "system.set_query_status(True)", "system.OFFER('hour')"]
    );
    act(&mut world, "system.GOODBYE()");
    let end = act(&mut world, END_TURN);
    assert!(end.done && !end.won);
    // Right: OFFER, GOODBYE. Wrong: GOODBYE. Missed: REQUEST, FindBoat, OFFER.
    assert_eq!(world.truth()["score"], serde_json::json!({"right": 2, "wrong": 1, "missed": 3, "f1": 0.5}));
}

#[test]
fn what_cannot_be_done_is_refused_with_the_reason() {
    let mut world = world();
    assert!(world.act(END_TURN).is_err() && world.admissible().is_none());
    assert!(matches!(world.reset("t/9", 0), Err(WorldError::NoSuchTask { .. })));
    world.reset("t/1", 0).unwrap();
    let before = world.truth();
    for (text, word) in [
        ("system.FindBoat()", "no result"),
        ("system.INFORM('colour')", "schema of Boats_1"),
        ("system.INFORM()", "schema"),
        ("system.set_query_status(True)", "schema"),
        ("agent.goto('pier')", "schema"),
        ("say hello", "end turn"),
        ("", "end turn"),
    ] {
        let outcome = world.act(text).unwrap();
        assert!(outcome.error.as_ref().is_some_and(|e| e.contains(word)), "{text}: {:?}", outcome.error);
        assert_eq!(outcome.calls().count(), 0);
    }
    assert_eq!(world.truth(), before);
    act(&mut world, END_TURN);
    act(&mut world, "system.FindBoat()");
    assert!(world.act("system.FindBoat()").unwrap().error.unwrap().contains("already"));
}

#[test]
fn a_dialogue_may_end_with_the_user() {
    let mut world = world();
    world.reset("t/2", 0).unwrap();
    act(&mut world, END_TURN);
    let end = act(&mut world, END_TURN);
    assert!(end.done && !end.won);
    // Where words are not known, acts are listed.
    assert!(end.observation.ends_with("User: (takes the offer; says goodbye)"), "{}", end.observation);
}

#[test]
fn a_turn_ends_by_itself() {
    let mut world = world();
    world.reset("t/1", 0).unwrap();
    let outcomes: Vec<Outcome> = (0..24).map(|_| act(&mut world, "system.REQ_MORE()")).collect();
    assert!(outcomes[..23].iter().all(|o| o.observation_calls.is_empty()));
    assert!(outcomes[23].observation.contains("ends after 24 acts"));
    assert_eq!(outcomes[23].calls().last().unwrap().to_string(), "user.INFORM('pier')");
    assert_eq!(world.truth()["turn"], "2 of 3");
}

#[test]
fn texts_and_calls_are_inverse() {
    let mut world = world();
    let call = |text: &str| text.parse::<Call>().unwrap();
    assert_eq!(world.text_of(&call("system.GOODBYE()")).as_deref(), Some("system.GOODBYE()"));
    world.reset("t/1", 0).unwrap();
    for text in world.admissible().unwrap() {
        match world.call_of(&text) {
            Some(call) => assert_eq!(world.text_of(&call).as_ref(), Some(&text)),
            None => assert_eq!(text, END_TURN),
        }
    }
    assert_eq!(world.text_of(&call("user.INFORM('pier')")).as_deref(), Some(END_TURN));
    for text in
        ["system.set_query_status(True)", "user.FLY()", "agent.goto('a')", "system.FlyBoat()", "system.INFORM(1)"]
    {
        assert_eq!(world.text_of(&call(text)), None, "{text}");
    }
}

proptest! {
    /// For any sequence of moves: nothing panics, the counts fit, the program's state is the recording's at each user turn, and going
    /// back is going back.
    #[test]
    fn random_acts_keep_the_counts_and_the_state(picks in proptest::collection::vec((0usize..60, any::<bool>()), 0..80)) {
        let mut world = world();
        let reset = world.reset("t/1", 0).unwrap();
        let specification = Specification::load(&world.specification(), "spec.py").unwrap();
        let mut state = specification.start().unwrap();
        for call in reset.calls() {
            prop_assert!(state.call(call).is_ok());
        }
        let (mut acts, mut ends) = (0, 0);
        for (pick, odd) in picks {
            let menu = world.admissible().unwrap();
            let text = match menu.get(pick % menu.len().max(1)) {
                Some(text) if !odd => text.clone(),
                _ => END_TURN.to_owned(),
            };
            let before = (world.truth(), world.snapshot());
            let preview = world.preview(&text).unwrap();
            let outcome = world.act(&text).unwrap();
            prop_assert_eq!(&outcome, &preview);
            let mut sorted = world.admissible().unwrap();
            sorted.sort();
            sorted.dedup();
            prop_assert_eq!(Some(sorted), world.admissible());
            let after = world.snapshot();
            world.restore(&before.1).unwrap();
            prop_assert_eq!(world.truth(), before.0);
            world.restore(&after).unwrap();
            for call in outcome.calls() {
                prop_assert!(state.call(call).is_ok());
            }
            acts += usize::from(outcome.action_call.is_some());
            ends += usize::from(outcome.error.is_none() && outcome.action_call.is_none());
            let score = world.truth()["score"].clone();
            let n = |field: &str| score[field].as_u64().unwrap() as usize;
            prop_assert_eq!(n("right") + n("wrong"), acts);
            prop_assert!((0.0..=1.0).contains(&outcome.reward));
            if outcome.done {
                // Five acts are recorded, and the state is the recording's.
                prop_assert_eq!(n("right") + n("missed"), 5);
                prop_assert_eq!(outcome.won, n("wrong") + n("missed") == 0);
                let mut recorded = specification.start().unwrap();
                for call in recorded_calls() {
                    prop_assert!(recorded.call(&call).is_ok());
                }
                prop_assert_eq!(state.variables(), recorded.variables());
            }
        }
        prop_assert!(ends <= 3);
    }
}
