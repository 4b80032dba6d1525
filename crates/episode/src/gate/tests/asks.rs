//! Asks that failed or were cancelled: what is kept of them, what they cost, and what goes on without them.

use crate::Exchange;
use stepwright_wire::Usage;

use super::*;

fn no_server(ask: AskId) -> Report {
    Report::AskFailed { ask, error: "no server".into(), usage: None, partial: String::new() }
}

#[test]
fn an_answer_that_arrives_while_an_effect_is_out_waits_its_turn() {
    let mut sim = Sim::new();
    let (ask, _) = sim.asks.remove(0);
    let mut gate = sim.into_gate();
    gate.request(Request::Manual { text: "go".into() }, 5);
    assert_eq!(gate.report(no_server(ask), 6), vec![], "the text is still read");
    let effects = gate.report(Report::Read(Err("it is no action".into())), 7);
    let ended =
        |effect: &Effect| matches!(effect, Effect::Persist(record) if matches!(record.event, Event::AskFailed { .. }));
    let refused = |effect: &Effect| matches!(effect, Effect::Ended { answer: Answer::Refused(_), .. });
    assert!(effects.iter().position(ended) > effects.iter().position(refused), "{effects:?}");
    assert!(effects.iter().any(refused) && !gate.is_asking());
}

#[test]
fn an_answer_that_waits_is_dropped_with_its_ask() {
    let mut sim = Sim::new();
    let (ask, _) = sim.asks.remove(0);
    let mut gate = sim.into_gate();
    gate.request(Request::Manual { text: "go".into() }, 5);
    gate.report(no_server(ask), 6);
    let (_, effects) = gate.request(Request::Cancel, 7);
    let ended = |effect: &&Effect| matches!(effect, Effect::Ended { .. });
    assert_eq!(effects.iter().filter(ended).count(), 0, "the text is still read: {effects:?}");
    let effects = gate.report(Report::Read(Err("it is no action".into())), 8);
    assert!(!effects.iter().any(|e| matches!(e, Effect::Say(_, text) if text.contains("no server"))), "{effects:?}");
    let failed = |event: &&Event| matches!(event, Event::AskFailed { .. });
    assert_eq!(persisted(&effects).iter().filter(|e| failed(e)).count(), 0, "cancelled once, and not failed besides");
}

#[test]
fn an_aside_whose_prompt_is_too_long_failed_and_is_not_asked_again() {
    let mut gate = Sim::new().into_gate();
    let (Answer::Done { ask: Some(aside) }, _) = gate.request(Request::AskInBackground(background_ask()), 5) else {
        panic!("it is asked")
    };
    let effects = gate.report(Report::AskTooLong { ask: aside, error: "too long".into(), usage: None }, 6);
    assert!(matches!(persisted(&effects)[..], [Event::AskFailed { ask, cancelled: false, .. }] if *ask == aside));
    assert!(!effects.iter().any(|e| matches!(e, Effect::Consult { .. } | Effect::AskModel { .. })), "{effects:?}");
}

#[test]
fn an_aside_that_failed_leaves_the_ask_of_the_step_under_way() {
    let mut sim = Sim::new();
    let Answer::Done { ask: Some(aside) } = sim.ask(Request::AskInBackground(background_ask())) else {
        panic!("it is asked")
    };
    sim.report(no_server(aside));
    assert!(sim.gate.is_asking());
    sim.asks.retain(|(ask, _)| *ask != aside);
    sim.answer(0, &["go"]);
    assert_eq!(sim.gate.session().current().unwrap().turn.proposals.len(), 1);
}

#[test]
fn an_ask_whose_prompt_is_too_long_is_asked_again() {
    let mut sim = Sim::new();
    let (ask, _) = sim.asks.remove(0);
    let mut gate = sim.into_gate();
    let effects = gate.report(Report::AskTooLong { ask, error: "too long".into(), usage: None }, 6);
    assert!(matches!(persisted(&effects)[..], [Event::AskFailed { .. }]), "{effects:?}");
    assert!(matches!(effects.last(), Some(Effect::Consult { samples: None, .. })), "{effects:?}");
}

/// What was paid for without an answer is spent, in the episode and beside it, and no limit of tokens is passed by it.
#[test]
fn tokens_of_asks_that_failed_are_counted_and_limited() {
    let mut gate = Sim::new().into_gate();
    gate.request(Request::SetPolicy(Policy { token_budget: Some(3000), ..Policy::default() }), 4);
    let spent = |gate: &Gate| (gate.session().spent.prompt, gate.session().spent.completion);
    let aside = |gate: &mut Gate, failed: fn(AskId) -> Report| {
        let (Answer::Done { ask: Some(ask) }, _) = gate.request(Request::AskInBackground(background_ask()), 5) else {
            panic!("it is asked")
        };
        gate.report(failed(ask), 6)
    };
    let usage = Some(Usage::new(1000, 500));
    let effects = aside(&mut gate, |ask| {
        let (error, usage) = ("cut".into(), Some(Usage::new(1000, 500)));
        Report::AskFailed { ask, error, usage, partial: "half an answer".into() }
    });
    let [event @ Event::AskFailed { .. }] = persisted(&effects)[..] else { panic!("{effects:?}") };
    let line = json!(event);
    assert_eq!((&line["usage"], &line["partial"]), (&json!(usage), &json!("half an answer")));
    assert_eq!(serde_json::from_value::<Event>(line).unwrap(), *event);
    assert_eq!(spent(&gate), (1000, 500));
    aside(&mut gate, |ask| Report::AskTooLong { ask, error: "long".into(), usage: None });
    aside(&mut gate, |ask| Report::AskTooLong { ask, error: "long".into(), usage: Some(Usage::new(1500, 0)) });
    assert_eq!(spent(&gate), (2500, 500));
    assert!(gate.session().spent_by_role().values().any(|s| (s.prompt, s.completion) == (2500, 500)));
    let (answer, _) = gate.request(Request::AskInBackground(background_ask()), 7);
    assert!(matches!(&answer, Answer::Refused(why) if why.contains("3000 spent")), "{answer:?}");
    let silent = json!(Event::cancelled(1, "no"));
    assert!(silent.get("usage").is_none() && silent.get("partial").is_none(), "older lines stay as they are");
}

#[test]
fn what_had_come_of_a_cancelled_ask_is_kept_whatever_it_cost() {
    let mut gate = Sim::new().into_gate();
    let ask = gate.asking().unwrap();
    gate.request(Request::Cancel, 4);
    let late =
        |partial: &str| Report::AskFailed { ask, error: "cancelled".into(), usage: None, partial: partial.into() };
    assert!(persisted(&gate.report(late(""), 5)).is_empty());
    assert_eq!(persisted(&gate.report(late("half"), 6)).len(), 1);
    let partial = |gate: &Gate| gate.session().current()?.turn.ask(ask)?.partial().map(str::to_owned);
    assert_eq!(partial(&gate).as_deref(), Some("half"));
    assert!(persisted(&gate.report(late("half"), 7)).is_empty(), "once");
}

/// A person need not wait until it is known what was spent, and need not have it spent in secret.
#[test]
fn what_a_cancelled_ask_cost_counts_once_it_is_known() {
    let usage = Some(Usage::new(1000, 10));
    let failed = |ask| Report::AskFailed { ask, error: "cancelled".into(), usage, partial: "half".into() };
    let exchanged = |ask, cost| Report::Exchanged { ask, exchange: Exchange { cost, ..Exchange::default() }.into() };
    for aside in [false, true] {
        let mut gate = Sim::new().into_gate();
        let request = if aside { Request::AskInBackground(background_ask()) } else { Request::Propose };
        let (answer, _) = gate.request(request, 4);
        if !aside {
            gate.report(Report::Advised(Advice::Ask(background_ask())), 4);
        }
        let ask = match answer {
            Answer::Done { ask: Some(ask) } => ask,
            _ => gate.asking().unwrap(),
        };
        gate.request(Request::Cancel, 5);
        assert_eq!(gate.session().spent, Usage::default());
        assert!(persisted(&gate.report(exchanged(ask, None), 6)).is_empty(), "nothing was spent by it");
        assert_eq!(persisted(&gate.report(exchanged(ask, Some(0.5)), 6)).len(), 1);
        let effects = gate.report(failed(ask), 6);
        let [Event::AskFailed { error, cancelled: true, usage: told, partial, .. }] = persisted(&effects)[..] else {
            panic!("{effects:?}")
        };
        assert_eq!((error.as_str(), *told, partial.as_str()), ("cancelled by a person", usage, "half"));
        assert_eq!((gate.session().spent, gate.session().cost), (Usage::new(1000, 10), Some(0.5)));
        for again in [failed(ask), exchanged(ask, Some(0.5))] {
            assert!(gate.report(again, 7).is_empty(), "once");
        }
        assert!(gate.is_at_rest() && !gate.is_asking());
    }
}
