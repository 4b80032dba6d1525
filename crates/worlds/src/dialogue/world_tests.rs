//! Stepping through dialogues: what is accepted, what is reported, and what always holds.

use proptest::prelude::*;

use super::*;
use stepwright_program::{Call, Specification};
use stepwright_world::{Outcome, World};

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

/// The calls of `t/1`.
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
fn dialogues_go_as_they_went() {
    insta::assert_snapshot!(crate::scripts::play(&mut world(), include_str!("world_tests/boats.script")));
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
