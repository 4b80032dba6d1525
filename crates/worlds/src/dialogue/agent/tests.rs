//! Imitation in a world made for the test: a lamp shop whose customer names what they want.

use super::*;
use std::collections::BTreeSet;
use std::sync::Arc;
use stepwright_program::{Assertion, Specification};
use stepwright_world::demonstration;

/// What of the shop can be impossible.
const SHOP: &str = "
SETUP = ['shop = Shop()']
ACTIONS = ['shop.ask', 'shop.look']
OBSERVATIONS = ['shop.found']

class Shop:
    def ask(self, what):
        pass

    def look(self):
        pass

    def found(self, there):
        pass
";

/// A program in which some functions are never possible.
fn without(functions: &[&str]) -> CheckedProgram {
    let never = |function: &&str| ((*function).to_owned(), vec![Assertion::compile("False").unwrap()]);
    let rules = functions.iter().map(never).collect();
    CheckedProgram::new(Specification::load(SHOP, "shop.py").unwrap().start().unwrap(), Arc::new(rules))
}

/// Ten visits: the shop asks for colour and size in this order unless given, looks in the stock, answers questions, says goodbye.
fn visits() -> Vec<Demonstration> {
    let is_action = |c: &Call| c.receiver == "shop" && c.function != "found";
    demonstration::read(include_str!("tests/visits.jsonl"), "visits", &[], is_action).unwrap()
}

fn history(calls: &[&str]) -> Vec<Step> {
    let calls: Vec<Call> = calls.iter().map(|c| c.parse().unwrap()).collect();
    vec![Step { calls, ..Step::default() }]
}

fn ask(history: &[Step], program: &CheckedProgram, rejected: &[&str], k: usize) -> Vec<Ranked> {
    let rejected: Vec<(Call, String)> = rejected.iter().map(|c| (c.parse().unwrap(), String::new())).collect();
    let context = AgentContext { sentence: "", program, history, rejected: &rejected, observed: None, reference: None };
    Imitation::of(&visits()).unwrap().propose(&context, k)
}

/// Each script: what was said and done, and what is offered next (`? HOW MANY`), best first.
#[test]
fn scripts_offer_what_they_offered() {
    let mut out = String::new();
    let (mut steps, mut program, mut rejected) = (Vec::new(), without(&[]), Vec::new());
    for line in include_str!("tests/agent.script").lines().filter(|line| !line.is_empty()) {
        out += &format!("{line}\n");
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let calls = |text: &str| -> Vec<Call> {
            text.split("; ").filter(|call| !call.is_empty()).map(|call| call.parse().unwrap()).collect()
        };
        match word {
            "#" => (steps, program, rejected) = (Vec::new(), without(&[]), Vec::new()),
            "said" => steps.push(Step { calls: calls(rest), ..Step::default() }),
            "done" | "refused" => {
                let (action, observed) = rest.split_once(" -> ").unwrap_or((rest, ""));
                let call = Some(action.parse().unwrap());
                steps.push(Step { call, calls: calls(observed), refused: word == "refused", ..Step::default() });
            }
            "without" => program = without(&rest.split_whitespace().collect::<Vec<_>>()),
            "rejected" => rejected = rest.split("; ").filter(|call| !call.is_empty()).collect(),
            _ => {
                for offered in ask(&steps, &program, &rejected, rest.parse().unwrap()) {
                    out += &format!("    {} {:.2}: {}\n", offered.call, offered.score, offered.rationale);
                }
            }
        }
    }
    insta::assert_snapshot!(out);
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
            for offered in ask(&history(&before), &without(&[]), &[], 3).into_iter().filter(|r| r.score > 0.05) {
                let (alike, all) = counted(&offered.rationale);
                let explained =
                    (alike / all - offered.score).abs() <= 0.26 || offered.rationale.contains("other likenesses");
                assert!(explained, "{} at {:.2}: {}", offered.call, offered.score, offered.rationale);
                compared += 1;
            }
            let best = ask(&history(&before), &without(&[]), &[], 1).remove(0);
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
fn it_speaks_for_the_proposer_where_there_is_no_household() {
    let alone = r#"{"calls": ["shop.look()", "shop.found(True)", "shop.bye()"]}"#;
    let alone = demonstration::read(alone, "alone", &[], |c| c.function != "found").unwrap();
    assert!(Imitation::of(&alone).is_none(), "nobody else speaks");
    assert!(Imitation::of(&[]).is_none());
    assert!(learn(&visits(), &[]).knows() && !learn(&alone, &[]).knows());
    assert!(learn(&visits(), &[]).lacks().is_none());
    assert!(learn(&[], &[]).lacks().is_some_and(|why| why.starts_with("no other dialogue")), "why is said");
    let household = crate::household::shipped::demonstrations(crate::household::Edition::Put).unwrap();
    let by = |demonstrations: &[Demonstration]| format!("{:?}", crate::agent_of_demonstrations(demonstrations));
    assert!(by(&visits()).starts_with("DialogueAgent") && by(&household).starts_with("HouseholdAgent"));
}

#[test]
fn what_asks_for_a_word_of_the_other_party_is_told_from_what_it_was_answered() {
    let imitation = Imitation::of(&visits()).unwrap();
    let asks = |said: &[&str], reply: &str| -> Vec<String> {
        let (moment, _) = imitation.now(&history(said));
        imitation.asks_for(&moment, &reply.parse().unwrap()).iter().map(ToString::to_string).collect()
    };
    assert_eq!(asks(&["guest.wants('lamp')"], "guest.says('size')"), ["shop.ask('size')"]);
    // One that no visit asked for, and one that was asked for in this turn.
    assert_eq!(asks(&["guest.wants('lamp')"], "guest.says('shade')"), ["shop.ask('shade')"]);
    assert!(asks(&["guest.wants('lamp')", "shop.ask('size')"], "guest.says('size')").is_empty());
    // The guest leaves after an answer, but not because of it: what it asked about was asked before.
    assert!(asks(&["guest.wants('lamp')"], "guest.wants('lamp')").is_empty());
}

#[test]
fn an_answer_that_is_due_comes_before_the_end_of_the_turn() {
    let imitation = Imitation::of(&visits()).unwrap();
    let due = |said: &[&str]| -> Vec<String> {
        let (moment, _) = imitation.now(&history(said));
        imitation.exchanges.due(&moment, &imitation.known).iter().map(ToString::to_string).collect()
    };
    let asked = ["shop.offer('lamp')", "guest.asks('price')", "guest.asks('warranty')"];
    assert_eq!(due(&asked), ["shop.tell('price')", "shop.tell('warranty')"]);
    assert_eq!(due(&[&asked[..], &["shop.tell('price')"]].concat()), ["shop.tell('warranty')"]);
    assert!(due(&["guest.says('size')"]).is_empty(), "what is said is no question");
}

/// Two visits in which the shop says goodbye after thanks, and three of another shop's in which it asks what else is wanted.
#[test]
fn what_is_likely_is_learned_from_others_too_and_what_can_be_done_is_not() {
    let read = |name: &str, line: &str, n: usize| {
        let is_action = |c: &Call| c.receiver == "shop";
        demonstration::read(&format!("{line}\n").repeat(n), name, &[], is_action).unwrap()
    };
    let own = read("own", r#"{"calls": ["guest.thanks()", "shop.bye()", "guest.thanks()", "shop.more()"]}"#, 1);
    let line = r#"{"calls": ["guest.wants('boat')", "shop.ask('length')", "guest.thanks()", "shop.more()"]}"#;
    let others = read("others", line, 3);
    let strangers = read("strangers", r#"{"calls": ["guest.thanks()", "moon.rises()"]}"#, 3);
    let history = history(&["guest.wants('lamp')", "shop.bye()", "guest.thanks()"]);
    let program = without(&[]);
    let ranked = |imitation: &Imitation| {
        let context = AgentContext {
            sentence: "",
            program: &program,
            history: &history,
            rejected: &[],
            observed: None,
            reference: None,
        };
        imitation.propose(&context, 9)
    };
    let score = |ranked: &[Ranked], call: &str| ranked.iter().find(|r| r.call.to_string() == call).unwrap().score;
    let (alone, beside) = (Imitation::of(&own).unwrap(), Imitation::of(&own).unwrap().beside(&[&others, &strangers]));
    assert_eq!(beside.others.len(), 1, "who does other things teaches nothing");
    let (alone, beside) = (ranked(&alone), ranked(&beside));
    assert!(score(&beside, "shop.more()") > score(&alone, "shop.more()"), "{alone:?} {beside:?}");
    let offered = |ranked: &[Ranked]| ranked.iter().map(|r| r.call.to_string()).collect::<BTreeSet<_>>();
    assert_eq!(offered(&alone), offered(&beside), "nothing is offered that the own demonstrations do not show");
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
        let ranked = ask(&history(&calls), &without(&["look"]), &[], k);
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
