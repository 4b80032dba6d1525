use serde_json::{Value, json};

use super::super::simulation::{Sim, draft, header};
use super::super::{Effect, Gate, Report, Request, Unchecked};
use crate::{Actor, ArtifactId, Event, OfferState, Origin, Policy, Session};

fn approve(sim: &mut Sim) {
    let id = sim.gate.session().current().unwrap().turn.recommended.clone().unwrap().0.unwrap();
    sim.ask(Request::Approve { proposal: id });
}

fn correct(text: &str) -> Request {
    Request::correct(ArtifactId::BELIEF, text.into())
}

fn believed(sim: &Sim) -> Option<Value> {
    sim.gate.session().belief().map(|b| b.as_ref().clone())
}

fn said(sim: &Sim, words: &str) -> bool {
    sim.said.last().is_some_and(|(_, text)| text.contains(words))
}

/// A session whose first step reported something: the writer is asked.
fn reported() -> Sim {
    let mut sim = Sim::new();
    sim.answer(0, &["tell x"]);
    approve(&mut sim);
    assert_eq!(sim.asks.len(), 1, "the writer is asked before anything else");
    sim
}

#[test]
fn while_a_belief_waits_nothing_is_proposed_and_then_it_goes_on() {
    let mut sim = reported();
    sim.ask(Request::Manual { text: "go".into() });
    assert!(said(&sim, "is being written"), "{:?}", sim.said);
    sim.answer(0, &["s1"]);
    assert_eq!((sim.asks.len(), believed(&sim)), (0, None), "nobody is asked, nothing is believed yet");
    for request in [Request::Propose, Request::Sample { n: 2 }, Request::Manual { text: "go".into() }] {
        sim.ask(request);
        assert!(said(&sim, "a new belief waits") && sim.asks.is_empty(), "{:?}", sim.said);
    }
    sim.ask(Request::ApproveOffer(7));
    assert!(said(&sim, "no offer 7"), "{:?}", sim.said);
    sim.ask(Request::ApproveOffer(1));
    assert_eq!(believed(&sim), Some(json!({ "written": "s1" })));
    assert_eq!(sim.asks.len(), 1, "now the next action is proposed");
    let turn = &sim.gate.session().current().unwrap().turn;
    assert_eq!(turn.offers[0].fate, OfferState::Taken { by: Actor::Person, edited: false });
}

#[test]
fn an_edited_belief_is_taken_as_the_persons_and_a_wrong_text_changes_nothing() {
    let mut sim = reported();
    sim.answer(0, &["s1"]);
    sim.ask(Request::EditOffer { offer: 1, text: String::new() });
    assert!(said(&sim, "line 1") && said(&sim, "nothing was changed"), "{:?}", sim.said);
    assert!(sim.gate.session().pending_offer().is_some(), "the offer still waits");
    sim.ask(Request::EditOffer { offer: 1, text: "mine".into() });
    assert_eq!(believed(&sim), Some(json!({ "typed": "mine" })));
    let turn = &sim.gate.session().current().unwrap().turn;
    assert_eq!(turn.offers[0].fate, OfferState::Taken { by: Actor::Person, edited: true });
    assert_eq!(
        *turn.offers[0].written.value.clone().unwrap(),
        json!({ "written": "s1" }),
        "what was offered stays on record"
    );
}

#[test]
fn what_cannot_be_read_is_not_taken_and_refusing_it_keeps_the_belief() {
    let mut sim = reported();
    sim.ask(Request::Cancel);
    sim.ask(correct("known"));
    sim.asks.clear();
    sim.ask(Request::Propose);
    sim.ask(Request::Cancel);
    sim.ask(Request::Propose);
    let last = sim.asks.len() - 1;
    sim.answer(last, &["bad"]);
    sim.ask(Request::ApproveOffer(1));
    assert!(said(&sim, "line 1: it is bad"), "{:?}", sim.said);
    sim.ask(Request::RefuseOffer { offer: 1, reason: "it is cut off".into() });
    assert_eq!(believed(&sim), Some(json!({ "typed": "known" })));
}

#[test]
fn the_policy_takes_what_was_read_and_stops_at_what_was_not() {
    let mut sim = Sim::new();
    sim.ask(Request::SetPolicy(Policy { steps: 9, ..Policy::default() }));
    sim.answer(0, &["tell x"]);
    sim.answer(0, &["s1"]);
    assert_eq!(believed(&sim), Some(json!({ "written": "s1" })));
    sim.answer(0, &["tell y"]);
    sim.answer(0, &["bad"]);
    assert!(!sim.gate.session().policy.is_automatic() && said(&sim, "cannot be read"), "{:?}", sim.said);
    assert_eq!(believed(&sim), Some(json!({ "written": "s1" })), "the belief stays");
    // The policy set again rules on what waits.
    sim.ask(Request::RewriteOffer(1));
    assert!(said(&sim, "no offer 1"), "{:?}", sim.said);
    sim.ask(Request::RewriteOffer(2));
    sim.ask(Request::SetPolicy(Policy { steps: 9, ..Policy::default() }));
    sim.answer(0, &["s2"]);
    assert_eq!(believed(&sim), Some(json!({ "written": "s2" })));
    assert_eq!(sim.gate.session().node(2).unwrap().turn.offers[0].fate, OfferState::Replaced);
}

#[test]
fn a_run_nobody_watches_keeps_its_belief_where_a_new_one_cannot_be_read() {
    let mut sim = Sim::over(Gate::new(Session::new(header())).headless());
    let policy = Some(Policy { steps: 9, ..Policy::default() });
    let belief = Some(json!({ "start": true }));
    sim.ask(Request::Begin { outcome: Default::default(), assertions: vec![], policy, belief });
    assert_eq!(believed(&sim), Some(json!({ "start": true })));
    sim.answer(0, &["tell x"]);
    sim.answer(0, &["bad"]);
    let turn = &sim.gate.session().current().unwrap().turn;
    assert!(
        matches!(&turn.offers[0].fate, OfferState::Refused { by: Actor::Policy, why } if why.contains("it is bad"))
    );
    assert_eq!(believed(&sim), Some(json!({ "start": true })));
    assert_eq!(sim.asks.len(), 1, "the run goes on");
}

#[test]
fn going_back_restores_the_belief_and_a_branch_has_its_own() {
    let mut sim = reported();
    sim.answer(0, &["s1"]);
    sim.ask(Request::ApproveOffer(1));
    sim.ask(Request::Manual { text: "tell y".into() });
    sim.ask(Request::Cancel);
    sim.ask(correct("by hand"));
    assert_eq!(believed(&sim), Some(json!({ "typed": "by hand" })));
    sim.ask(Request::Undo);
    assert_eq!(believed(&sim), Some(json!({ "written": "s1" })));
    sim.ask(Request::Manual { text: "other".into() });
    assert_eq!(believed(&sim), Some(json!({ "written": "s1" })), "a branch inherits from where it starts");
    sim.ask(Request::Goto(0));
    assert_eq!(believed(&sim), None);
    sim.ask(Request::Goto(2));
    assert_eq!(believed(&sim), Some(json!({ "typed": "by hand" })));
    sim.reopen();
    assert_eq!(believed(&sim), Some(json!({ "typed": "by hand" })));
}

#[test]
fn an_update_that_was_passed_over_is_written_later() {
    let mut sim = reported();
    sim.ask(Request::Cancel);
    sim.asks.clear();
    sim.ask(Request::Manual { text: "go".into() });
    assert_eq!(sim.asks.len(), 1);
    sim.answer(0, &["s1"]);
    let offer = sim.gate.session().pending_offer().cloned().unwrap();
    assert_eq!((offer.written.due.unwrap().step, sim.gate.session().cursor()), (1, 2));
}

#[test]
fn a_belief_written_with_the_code_is_offered_without_an_ask() {
    let mut sim = Sim::new();
    sim.answer(0, &["say z"]);
    approve(&mut sim);
    assert!(sim.asks.is_empty());
    assert_eq!(sim.gate.session().pending_offer().unwrap().ask, None);
    sim.ask(Request::ApproveOffer(1));
    assert_eq!((believed(&sim), sim.asks.len()), (Some(json!({ "written": "said" })), 1));
}

#[test]
fn a_correction_drops_what_was_proposed_of_the_old_belief() {
    let mut sim = Sim::new();
    assert_eq!(sim.asks.len(), 1);
    sim.ask(correct("known"));
    assert_eq!(sim.gate.asking(), Some(2), "asked anew");
    sim.answer(0, &["late"]);
    assert!(sim.gate.session().current().unwrap().turn.proposals.is_empty());
    sim.ask(correct("known"));
    assert!(said(&sim, "the belief already"), "{:?}", sim.said);
    let by = sim.records.iter().find_map(|r| match &r.event {
        Event::ArtifactSettled { offer: None, by, why, .. } => Some((*by, why.clone())),
        _ => None,
    });
    assert_eq!(by, Some((Actor::Person, "corrected by a person".to_owned())));
}

#[test]
fn an_edited_prompt_of_the_writer_is_answered_by_a_belief() {
    let mut sim = reported();
    let prompt = |text: &str| vec![crate::PromptMessage { role: "text".into(), text: text.into() }];
    let ask = sim.gate.asking().unwrap();
    sim.ask(Request::Resend { ask, messages: prompt("other") });
    sim.asks.remove(0);
    sim.ask(Request::Manual { text: "go".into() });
    assert!(said(&sim, "is being written"), "{:?}", sim.said);
    sim.answer(0, &["s1"]);
    sim.ask(Request::Resend { ask: 1, messages: prompt("other") });
    assert!(said(&sim, "not made at this point"), "{:?}", sim.said);
    sim.ask(Request::Resend { ask: ask + 1, messages: prompt("again") });
    sim.answer(0, &["s2"]);
    sim.ask(Request::ApproveOffer(2));
    assert_eq!(believed(&sim), Some(json!({ "written": "s2" })));
}

#[test]
fn a_belief_nobody_waits_for_changes_nothing() {
    let mut sim = Sim::new();
    let before = sim.records.len();
    sim.report(Report::ChangeChecked(Ok(json!({}))));
    assert_eq!(sim.records.len(), before);
    let (_, effects) = sim.gate.request(correct("x"), 9);
    let to = Unchecked::Text("x".into());
    assert_eq!(effects, [Effect::CheckChange { artifact: ArtifactId::BELIEF, to }]);
    assert!(sim.gate.report(Report::Read(Ok(draft("go", Origin::Person))), 10).is_empty());
}

#[test]
fn knowledge_is_offered_beside_the_episode_and_nothing_waits_for_it() {
    let mut sim = Sim::new();
    sim.ask(Request::OfferArtifact(tips("look")));
    sim.ask(Request::OfferArtifact(tips("leap")));
    assert!(sim.gate.session().pending_offer().is_none(), "it keeps nothing from going on");
    assert_eq!(sim.gate.session().current().unwrap().turn.offers[0].fate, OfferState::Replaced);
    let open = open(&sim).unwrap();
    sim.ask(Request::ApproveOffer(open));
    assert_eq!(known(&sim), Some(json!({ "tips": ["leap"] })));
    sim.ask(Request::turn(ArtifactId::KNOWLEDGE, false));
    assert_eq!(known(&sim), None);
}

/// Tips that were found beside the episode.
fn tips(tip: &str) -> Box<crate::Written> {
    Box::new(crate::Written {
        artifact: ArtifactId::KNOWLEDGE,
        due: None,
        title: "tips of two logs".into(),
        raw: tip.into(),
        repairs: Vec::new(),
        value: Some(json!({ "tips": [tip] }).into()),
        problem: None,
    })
}

fn known(sim: &Sim) -> Option<Value> {
    sim.gate.session().current().unwrap().document(&ArtifactId::KNOWLEDGE).map(|known| known.as_ref().clone())
}

/// The offer of knowledge that is open at the cursor.
fn open(sim: &Sim) -> Option<u64> {
    sim.gate.session().current().unwrap().open_offer(&ArtifactId::KNOWLEDGE).map(|offer| offer.id)
}

#[test]
fn an_offer_beside_the_episode_comes_along_and_is_decided_about_on_each_branch() {
    let mut sim = Sim::new();
    sim.ask(Request::OfferArtifact(tips("look")));
    for _ in 0..2 {
        sim.answer(0, &["go"]);
        approve(&mut sim);
    }
    assert_eq!((sim.gate.session().cursor(), open(&sim)), (2, Some(1)), "two steps later it is still there");
    sim.reopen();
    assert_eq!(open(&sim), Some(1), "and after the session was closed");
    sim.ask(Request::ApproveOffer(1));
    assert_eq!((open(&sim), known(&sim)), (None, Some(json!({ "tips": ["look"] }))));
    // Where it was made and on another branch it is not known, and can still be taken or refused.
    sim.ask(Request::Goto(1));
    assert_eq!((open(&sim), known(&sim)), (Some(1), None));
    sim.ask(Request::Manual { text: "go".into() });
    assert_eq!((sim.gate.session().cursor(), open(&sim)), (3, Some(1)));
    sim.ask(Request::RefuseOffer { offer: 1, reason: "not here".into() });
    assert_eq!((open(&sim), known(&sim)), (None, None));
    sim.ask(Request::Manual { text: "go".into() });
    assert_eq!((sim.gate.session().cursor(), open(&sim)), (4, None), "what is settled is not offered again");
    // Taking it back offers it again, and a newer offer takes its place.
    sim.ask(Request::Goto(2));
    sim.ask(Request::turn(ArtifactId::KNOWLEDGE, false));
    assert_eq!((open(&sim), known(&sim)), (Some(1), None));
    sim.ask(Request::OfferArtifact(tips("leap")));
    assert_eq!(open(&sim), Some(2));
    sim.ask(Request::ApproveOffer(1));
    assert!(said(&sim, "no offer 1 waits"), "{:?}", sim.said);
    sim.reopen();
    assert_eq!((open(&sim), known(&sim)), (Some(2), None));
}

/// An automatic run whose only step ends the episode and tells something.
fn told_at_the_end(policy: Policy) -> Sim {
    let mut sim = Sim::new();
    sim.ask(Request::SetPolicy(policy));
    sim.answer(0, &["tell end"]);
    assert!(sim.gate.session().is_done());
    sim
}

#[test]
fn what_the_last_step_told_is_settled_before_the_automatic_run_ends() {
    // The allowance is used up by the step itself.
    let mut sim = told_at_the_end(Policy { steps: 1, ..Policy::manual() });
    assert!(sim.gate.session().policy.is_automatic());
    sim.answer(0, &["s1"]);
    assert_eq!(believed(&sim), Some(json!({ "written": "s1" })));
    let ended = sim.records.iter().rev().find_map(|r| match &r.event {
        Event::PolicySet { policy, why } => Some((policy.is_automatic(), why.as_str())),
        _ => None,
    });
    assert_eq!(ended, Some((false, "the goal is reached")));
    assert!(sim.asks.is_empty(), "nothing is proposed: {:?}", sim.asks);
    // A person may take it back and correct it; nothing is proposed then either.
    sim.ask(correct("known"));
    assert_eq!((believed(&sim), sim.asks.len()), (Some(json!({ "typed": "known" })), 0));
}

#[test]
fn nothing_is_asked_after_the_end_over_the_budget_and_a_failure_there_is_no_reason_of_the_end() {
    // The step's own ask spent 100 tokens.
    let sim = told_at_the_end(Policy { steps: 1, token_budget: Some(101), ..Policy::manual() });
    assert_eq!(sim.asks.len(), 1);
    let ends = |sim: &Sim| match &sim.records.last().unwrap().event {
        Event::PolicySet { why, .. } => why.clone(),
        other => panic!("{other:?}"),
    };
    let mut sim = told_at_the_end(Policy { steps: 1, token_budget: Some(101), ..Policy::manual() });
    sim.fail(0);
    assert_eq!((ends(&sim), believed(&sim)), ("the goal is reached".to_owned(), None));
}
