//! Tests of the agent where something happens that its knowledge does not foresee.

use super::*;
use crate::file;

const KNOWN: &str = include_str!("tests/known.toml");

const FIRST: &str = "Looking around, you see a desk 1, and a shelf 1.";

fn act(action: &str, observation: &str) -> Past {
    Past::Act { action: action.into(), observation: observation.into(), refused: false }
}

fn call(text: &str) -> Past {
    Past::Call(text.parse().unwrap())
}

fn after(past: &[Past]) -> Next {
    next(&file::read(KNOWN).unwrap(), "take two mug", FIRST, past)
}

fn action(next: Next) -> String {
    match next {
        Next::Act { action, .. } => action,
        other => panic!("no action: {other:?}"),
    }
}

#[test]
fn the_likeliest_place_is_looked_at_first_and_a_second_thing_is_another() {
    assert!(matches!(after(&[]), Next::Call { call, .. } if call.to_string() == "find(mug1)"));
    let mut past = vec![call("find(mug1)")];
    assert_eq!(action(after(&past)), "go to shelf 1");
    past.push(act("go to shelf 1", "On the shelf 1, you see a mug 3, and a mug 4."));
    assert!(matches!(after(&past), Next::Done { reached: true, .. }));
    past.extend([Past::Done, call("take(mug1)")]);
    assert_eq!(action(after(&past)), "take mug 3 from shelf 1");
    past.push(act("take mug 3 from shelf 1", "You pick up the mug 3 from the shelf 1."));
    assert!(matches!(after(&past), Next::Done { reached: true, .. }));
    past.extend([Past::Done, call("find(mug2)"), Past::Done, call("take(mug2)")]);
    assert_eq!(action(after(&past)), "take mug 4 from shelf 1");
}

#[test]
fn what_is_refused_is_not_tried_again_and_what_cannot_be_done_is_reported() {
    let seen = act("go to shelf 1", "On the shelf 1, you see a mug 3, and a mug 4.");
    let mut past = vec![call("take(mug)"), seen, act("take mug 3 from shelf 1", "Nothing happens.")];
    assert_eq!(action(after(&past)), "take mug 4 from shelf 1");
    past.push(act("take mug 4 from shelf 1", "Nothing happens."));
    assert!(matches!(after(&past), Next::Done { reached: false, message } if message.contains("refused")));
    let nowhere = [
        call("find(mug)"),
        act("go to shelf 1", "On the shelf 1, you see nothing."),
        act("go to desk 1", "On the desk 1, you see nothing."),
    ];
    assert!(matches!(after(&nowhere), Next::Done { reached: false, message } if message.contains("no mug")));
}

#[test]
fn what_was_refused_is_tried_once_more_when_something_else_was_done() {
    let mut past = vec![call("find(mug)"), act("go to shelf 1", "Nothing happens.")];
    assert_eq!(action(after(&past)), "go to desk 1");
    past.push(act("go to desk 1", "On the desk 1, you see nothing."));
    assert_eq!(action(after(&past)), "go to shelf 1");
    past.push(act("go to shelf 1", "Nothing happens."));
    assert!(matches!(after(&past), Next::Done { reached: false, .. }));
}

#[test]
fn a_call_of_a_persons_own_is_carried_out_and_the_plan_goes_on() {
    let past = [call("find(lamp)"), Past::Done];
    assert!(matches!(after(&past), Next::Call { call, .. } if call.to_string() == "find(mug1)"));
    let done =
        ["find(mug1)", "take(mug1)", "find(mug2)", "take(mug2)"].into_iter().flat_map(|text| [call(text), Past::Done]);
    assert!(matches!(after(&done.collect::<Vec<_>>()), Next::Stuck(why) if why.contains("every call")));
}

#[test]
fn published_skills_without_rules_say_what_is_missing() {
    let mut known = file::read(KNOWN).unwrap();
    known.rules = crate::Rules::default();
    assert!(matches!(next(&known, "take two mug", FIRST, &[]), Next::Stuck(why) if why.contains("rules")));
    assert!(matches!(next(&Knowledge::default(), "t", FIRST, &[]), Next::Stuck(why) if why.contains("no skill")));
}
