//! Imitation in a world made for the test: a lamp shop whose customer names what they want.

use super::*;
use crate::demonstration;
use stepwright_episode::Check;

/// A program in which some functions are never possible.
#[derive(Debug, Clone, Default)]
struct Without(&'static [&'static str]);

impl ProgramView for Without {
    fn check(&self, _: &Call) -> Vec<Check> {
        Vec::new()
    }

    fn permits(&self, action: &Call) -> Status {
        if self.0.contains(&action.function.as_str()) { Status::Fails } else { Status::Holds }
    }

    fn apply(&mut self, _: &[Call]) {}
}

/// Ten visits: the shop asks for colour and size in this order unless given, looks in the stock, answers questions, says goodbye.
fn visits() -> Vec<Demonstration> {
    let questions = ["price", "weight", "maker"];
    let mut lines = String::new();
    for i in 0..10 {
        let question = questions[i % 3];
        let mut calls: Vec<String> = Vec::new();
        let mut say = |texts: &[&str]| calls.extend(texts.iter().map(|t| (*t).to_owned()));
        if i % 2 == 0 {
            say(&["guest.wants('lamp')", "shop.ask('colour')", "guest.says('colour')"]);
        } else {
            say(&["guest.wants('lamp')", "guest.says('colour')"]);
        }
        say(&["shop.ask('size')", "guest.says('size')", "shop.look()", "shop.found(True)", "shop.offer('lamp')"]);
        say(&[
            &format!("guest.asks('{question}')"),
            &format!("shop.tell('{question}')"),
            "guest.leaves()",
            "shop.bye()",
        ]);
        lines.push_str(&serde_json::json!({ "calls": calls }).to_string());
        lines.push('\n');
    }
    let is_action = |c: &Call| c.receiver == "shop" && c.function != "found";
    demonstration::read(&lines, "visits", &[], is_action).unwrap()
}

fn history(calls: &[&str]) -> Vec<Step> {
    let calls: Vec<Call> = calls.iter().map(|c| c.parse().unwrap()).collect();
    vec![Step { calls, ..Step::default() }]
}

fn ask(history: &[Step], program: &Without, rejected: &[&str], k: usize) -> Vec<Ranked> {
    let rejected: Vec<(Call, String)> = rejected.iter().map(|c| (c.parse().unwrap(), String::new())).collect();
    let context =
        ProposeContext { sentence: "", program, history, rejected: &rejected, observed: None, reference: None };
    Imitation::of(&visits()).unwrap().propose(&context, k)
}

fn first(calls: &[&str]) -> Ranked {
    ask(&history(calls), &Without::default(), &[], 1).remove(0)
}

#[test]
fn it_does_what_the_demonstrations_did() {
    assert_eq!(first(&["guest.wants('lamp')"]).call.to_string(), "shop.ask('colour')");
    let given = ["guest.wants('lamp')", "shop.ask('colour')", "guest.says('colour')"];
    assert_eq!(first(&given).call.to_string(), "shop.ask('size')");
    let looked = [&given[..], &["shop.ask('size')", "guest.says('size')"]].concat();
    assert_eq!(first(&looked).call.to_string(), "shop.look()");
    let found = [&looked[..], &["shop.look()", "shop.found(True)"]].concat();
    let next = first(&found);
    assert_eq!(next.call.to_string(), "shop.offer('lamp')");
    assert!(next.rationale.ends_with("the demonstrations call shop.offer('lamp') (10 of 10)"), "{}", next.rationale);
}

#[test]
fn arguments_never_seen_are_taken_up() {
    let asked = ["guest.wants('lamp')", "shop.offer('lamp')", "guest.asks('warranty')"];
    let next = first(&asked);
    assert_eq!(next.call.to_string(), "shop.tell('warranty')");
    let why = "after guest.asks the demonstrations call shop.tell with the argument of guest.asks (10 of 10)";
    assert_eq!(next.rationale, why);
}

#[test]
fn the_end_of_the_turn_is_offered_as_what_the_other_party_may_say() {
    let asked = first(&["guest.wants('lamp')", "shop.ask('colour')"]);
    assert_eq!(asked.call.to_string(), "guest.says('colour')");
    assert!(asked.rationale.contains("end the turn (15 of 15)"), "{}", asked.rationale);
    // A question that was never demonstrated: the answer takes up its argument.
    assert_eq!(first(&["guest.wants('lamp')", "shop.ask('shade')"]).call.to_string(), "guest.says('shade')");
    assert_eq!(first(&["guest.leaves()", "shop.bye()"]).call.receiver, "guest");
}

#[test]
fn what_fails_is_refused_or_was_rejected_is_not_offered() {
    let start = history(&["guest.wants('lamp')"]);
    let without = ask(&start, &Without(&["ask"]), &[], 3);
    assert!(!without.is_empty() && without.iter().all(|r| r.call.function != "ask"), "{without:?}");
    let rejected = ask(&start, &Without::default(), &["shop.ask('colour')"], 3);
    assert!(rejected.iter().all(|r| r.call.to_string() != "shop.ask('colour')"), "{rejected:?}");
    let ended = history(&["guest.wants('lamp')", "shop.ask('colour')"]);
    let others = ask(&ended, &Without::default(), &["guest.leaves()"], 9);
    assert!(others.iter().all(|r| r.call.receiver == "shop"), "a refused end of the turn: {others:?}");
    let mut refused = start;
    let action = Some("shop.ask('colour')".parse().unwrap());
    refused.push(Step { call: action, refused: true, ..Step::default() });
    let others = ask(&refused, &Without::default(), &[], 9);
    assert!(others.iter().all(|r| r.call.to_string() != "shop.ask('colour')"), "{others:?}");
}

/// The two numbers of a rationale: so many, of how many.
fn counted(rationale: &str) -> (f64, f64) {
    let (_, counts) = rationale.rsplit_once('(').unwrap();
    let mut numbers = counts.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok());
    (numbers.next().unwrap(), numbers.next().unwrap())
}

#[test]
fn the_counts_are_of_what_ranks() {
    let mut compared = 0;
    for visit in visits() {
        let calls: Vec<String> = visit.calls().map(ToString::to_string).collect();
        for end in 1..calls.len() {
            let before: Vec<&str> = calls[..end].iter().map(String::as_str).collect();
            for offered in ask(&history(&before), &Without::default(), &[], 3).into_iter().filter(|r| r.score > 0.05) {
                let (alike, all) = counted(&offered.rationale);
                let explained =
                    (alike / all - offered.score).abs() <= 0.26 || offered.rationale.contains("other likenesses");
                assert!(explained, "{} at {:.2}: {}", offered.call, offered.score, offered.rationale);
                compared += 1;
            }
            let best = ask(&history(&before), &Without::default(), &[], 1).remove(0);
            assert!(
                best.score < 0.8 || !best.rationale.contains("other likenesses"),
                "{}: {}",
                best.score,
                best.rationale
            );
        }
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn ending_the_turn_is_no_act_of_the_other_party() {
    let mut steps = history(&["guest.wants('lamp')"]);
    let act = |text: &str, calls: &[&str]| Step {
        call: Some(text.parse().unwrap()),
        calls: calls.iter().map(|c| c.parse().unwrap()).collect(),
        ..Step::default()
    };
    steps.push(act("shop.ask('colour')", &[]));
    steps.push(act("guest.leaves()", &["guest.says('colour')"]));
    let next = ask(&steps, &Without::default(), &[], 1);
    assert_eq!(next[0].call.to_string(), "shop.ask('size')");
}

#[test]
fn a_turn_without_end_is_ended() {
    let mut calls = vec!["guest.wants('lamp')"];
    calls.extend(["shop.ask('colour')"; 4]);
    let next = first(&calls);
    assert_eq!(next.call.receiver, "guest");
    assert!(next.rationale.starts_with("the turn is longer than any demonstrated one; "), "{}", next.rationale);
}

#[test]
fn it_speaks_for_the_proposer_where_there_is_no_household() {
    let alone = r#"{"calls": ["shop.look()", "shop.found(True)", "shop.bye()"]}"#;
    let alone = demonstration::read(alone, "alone", &[], |c| c.function != "found").unwrap();
    assert!(Imitation::of(&alone).is_none(), "nobody else speaks");
    assert!(Imitation::of(&[]).is_none());
    assert!(learn(&visits()).knows() && !learn(&alone).knows());
    let household = crate::household::shipped::demonstrations(crate::household::Edition::Put).unwrap();
    let by = |demonstrations: &[Demonstration]| format!("{:?}", crate::agent_of_demonstrations(demonstrations));
    assert!(by(&visits()).starts_with("DialogueAgent") && by(&household).starts_with("HouseholdAgent"));
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(32))]

    /// For any history: at most k different proposals that are permitted, probabilities that sum to no more than one.
    #[test]
    fn no_history_breaks_it(
        calls in proptest::collection::vec(proptest::sample::select(vec![
            "guest.wants('lamp')", "guest.says('colour')", "guest.asks('x')", "guest.leaves()", "shop.ask('size')",
            "shop.look()", "shop.found(False)", "shop.offer('lamp')", "shop.dance('a', 'b')", "moon.rises()",
        ]), 0..14),
        k in 0usize..6,
    ) {
        let ranked = ask(&history(&calls), &Without(&["look"]), &[], k);
        proptest::prop_assert!(ranked.len() <= k);
        let mut sum = 0.0;
        for (i, one) in ranked.iter().enumerate() {
            proptest::prop_assert!(one.call.function != "look" && !one.rationale.is_empty());
            proptest::prop_assert!(ranked[i + 1..].iter().all(|other| other.call != one.call));
            sum += one.score;
        }
        proptest::prop_assert!(sum <= 1.0 + 1e-3, "{sum}");
    }
}
