mod asks;

use crate::CheckKind;
use proptest::prelude::*;
use serde_json::json;

use super::super::artifact::{ArtifactId, Assertions, Written};
use super::super::event::{PromptMessage, StepOutcome};
use super::super::proposal::{Check, Origin, Status};
use super::scripts::background_ask;
use super::simulation::{Sim, draft};
use super::*;

fn approve(sim: &mut Sim) {
    let id = sim.gate.session().current().unwrap().turn.recommended.clone().unwrap().0.unwrap();
    sim.ask(Request::Approve { proposal: id });
}

fn assertions(action: &str, text: &str) -> Assertions {
    Assertions { action: action.into(), assertions: vec![text.into()], origin: "edited".into() }
}

/// A change of the blocking tree; there is no node 9.
fn tree(edit: Edit) -> Request {
    Request::Change { artifact: ArtifactId::TREE, edit }
}

#[test]
fn a_log_that_checked_a_decided_proposal_again_reads_the_same() {
    let mut sim = Sim::new();
    sim.answer(0, &["go"]);
    approve(&mut sim);
    let mut session = sim.gate.session().clone();
    let failing = Check { kind: CheckKind::Precondition, condition: "c".into(), status: Status::Fails, detail: None };
    let verdict = Verdict { checks: vec![failing], ..Verdict::default() };
    let event = Event::Checked { proposal: 1, verdict: verdict.into() };
    session.apply(&Record { id: session.records() + 1, ts: 0, node: 0, event }).unwrap();
    let turn = &session.node(0).unwrap().turn;
    assert_eq!(turn.mark(&turn.proposals[0]), Mark::Holds);
    assert_eq!(session.verdict_at(1).unwrap().mark(), Mark::Holds);
}

#[test]
fn a_decision_that_was_not_carried_out_is_pointed_out_not_repeated() {
    let mut sim = Sim::new();
    sim.answer(0, &["go"]);
    let records = sim.records.clone();
    let (answer, mut effects) = sim.into_gate().request(Request::Approve { proposal: 1 }, 9);
    assert_eq!(answer, Answer::Done { ask: None });
    // The program dies after the decision was written.
    let Effect::Persist(decided) = effects.remove(0) else { panic!() };
    let mut session = Session::new(super::simulation::header());
    for record in records.iter().chain([&decided]) {
        session.apply(record).unwrap();
    }
    let (gate, effects) = Gate::resume(session.clone(), 10, false);
    let undone = "`go` was decided but not carried out before the program ended";
    assert_eq!(effects, [Effect::Say(Level::Warning, format!("{undone}; approve it again to do it"))]);
    let read = Gate::resume(session.clone(), 10, true).1;
    assert_eq!(read, [Effect::Say(Level::Warning, undone.to_owned())], "what is only read is not approved");
    assert!(gate.is_at_rest());
    // Where the world failed at it, that is on record, and it stays so whatever is noted later.
    for event in
        [Event::Failed { error: "step 1 was stopped".into(), stuck: false }, Event::Noted { text: "so be it".into() }]
    {
        session.apply(&Record { id: session.records() + 1, ts: 0, node: 0, event }).unwrap();
        assert_eq!(Gate::resume(session.clone(), 10, false).1, []);
    }
}

#[test]
fn a_document_is_as_it_was_written_before_a_person_changed_it() {
    let mut session = Sim::new().into_gate().session().clone();
    let plan = |text: &str| json!({ "text": text });
    let mut record = |event| {
        session.apply(&Record { id: session.records() + 1, ts: 0, node: 0, event }).unwrap();
        session.as_written(&ArtifactId::PLAN).cloned()
    };
    let settled = |offer, text, by| {
        let patch = crate::replacing(&plan(text)).into();
        Event::ArtifactSettled { artifact: ArtifactId::PLAN, offer, patch, by, edited: false, why: String::new() }
    };
    let offered = |offer, text| {
        let (artifact, title, raw) = (ArtifactId::PLAN, String::new(), String::new());
        let value = Some(plan(text).into());
        let written = Written { artifact, due: None, title, raw, repairs: vec![], value, problem: None };
        Event::ArtifactOffered { offer, ask: None, written: written.into(), beside: false }
    };
    let is = |text| Some(std::sync::Arc::new(plan(text)));
    assert_eq!(record(settled(None, "typed", Actor::Person)), None, "a person began it");
    record(offered(1, "a"));
    assert_eq!(record(settled(Some(1), "a", Actor::Policy)), is("a"));
    assert_eq!(record(settled(None, "b", Actor::Person)), is("a"));
    assert_eq!(record(settled(None, "c", Actor::Person)), is("a"));
    assert_eq!(record(Event::ArtifactUndone { artifact: ArtifactId::PLAN }), is("a"));
    record(offered(2, "d"));
    assert_eq!(record(settled(Some(2), "d", Actor::Policy)), is("d"));
}

#[test]
fn reports_nobody_waits_for_change_nothing() {
    let mut sim = Sim::new();
    let before = sim.records.len();
    sim.report(Report::Read(Ok(draft("go", Origin::Person))));
    sim.report(Report::Stepped { decision: 1, result: Err("x".into()) });
    sim.report(Report::Checked { proposal: 1, verdict: Verdict::default() });
    sim.report(Report::Moved { to: 0, result: Ok(()) });
    sim.report(Report::Advised(Advice::Stuck("x".into())));
    assert_eq!(sim.records.len(), before);
}

#[test]
fn what_arrives_while_an_effect_is_out_waits_its_turn() {
    let mut gate = Sim::new().into_gate();
    let (typed, effects) = gate.request(Request::Manual { text: "go".into() }, 5);
    let (undo, none) = gate.request(Request::Undo, 6);
    let (Answer::Queued(typed), Answer::Queued(undo)) = (typed, undo) else { panic!("both wait") };
    assert_eq!(
        (effects, none),
        (vec![Effect::ReadText { text: "go".into(), from: None }], vec![]),
        "the second is kept for later"
    );
    let done = |ticket| Effect::Ended { ticket, answer: Answer::Done { ask: None } };
    let effects = gate.report(Report::Read(Ok(draft("go", Origin::Person))), 7);
    assert!(effects.iter().any(|e| matches!(e, Effect::CheckProposal(_))));
    let effects = gate.report(Report::Checked { proposal: 1, verdict: Verdict::default() }, 8);
    let [.., Effect::StepWorld { decision, .. }, end] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(*end, done(typed), "decided is done");
    let result = Ok((Default::default(), serde_json::json!([])));
    let effects = gate.report(Report::Stepped { decision: *decision, result }, 9);
    assert!(matches!(effects.last(), Some(Effect::Consult { .. })), "{effects:?}");
    let effects = gate.report(Report::Advised(Advice::Recommend { proposal: None, why: String::new() }), 10);
    assert!(matches!(effects.last(), Some(Effect::MoveWorld { to: 0 })), "{effects:?}");
    let effects = gate.report(Report::Moved { to: 0, result: Ok(()) }, 11);
    assert_eq!(effects.last(), Some(&done(undo)));
}

#[test]
fn what_cannot_be_is_refused_in_words() {
    let refused = |sim: &mut Sim, request: Request| match sim.ask(request) {
        Answer::Refused(why) => why,
        other => panic!("{other:?}"),
    };
    let begin = || Request::Begin {
        outcome: StepOutcome::default(),
        assertions: vec![],
        policy: None,
        form: None,
        belief: None,
    };
    let resend = |ask, text: &str| Request::Resend {
        ask,
        messages: vec![PromptMessage { role: "user".into(), text: text.into() }],
    };
    let mut sim = Sim::over(Gate::new(Session::new(super::simulation::header())));
    assert!(refused(&mut sim, Request::Undo).contains("has not begun"));
    sim.prompted = false;
    sim.ask(begin());
    assert!(refused(&mut sim, begin()).contains("has begun already"));
    let (first, _) = sim.asks[0].clone();
    sim.answer(0, &["go"]);
    assert!(refused(&mut sim, resend(first, "more")).contains("no prompt to edit"));
    sim.prompted = true;
    sim.ask(Request::Propose);
    let (second, _) = sim.asks[0].clone();
    assert!(refused(&mut sim, resend(second, " ")).contains("prompt is empty"));
    assert!(refused(&mut sim, resend(99, "more")).contains("was not made at this point"));
    assert!(refused(&mut sim, Request::Duel { node: 9, sides: vec![] }).contains("moved on"));
    let note = |text: &str| Request::EditNote { node: 0, note: 0, text: text.into() };
    assert!(refused(&mut sim, note("other")).contains("gone"));
    sim.ask(Request::Note("one".into()));
    assert_eq!(sim.ask(note("other")), Answer::Done { ask: None });
    assert_eq!(sim.gate.session().current().unwrap().turn.asks.len(), 2);
    let records = sim.records.len();
    sim.ask(Request::SetBlind(false));
    assert_eq!(sim.records.len(), records, "it is so already");
    sim.ask(Request::SetBlind(true));
    assert!(sim.records.len() > records && sim.gate.session().blind);
    let ruled = super::policy::rule(&Policy::checked(1), 1, 0, Err("nothing came"), None);
    assert!(matches!(ruled, PolicyOutcome::Stop(why) if !why.contains("nothing came")), "its steps are used up first");
}

#[test]
fn what_the_gate_says_of_its_asks_is_so() {
    let mut sim = Sim::new();
    for _ in 0..2 {
        let newest = sim.asks.last().map(|(ask, _)| *ask);
        assert!(sim.gate.is_asking());
        assert_eq!((sim.gate.asking(), Some(sim.gate.round())), (newest, newest));
        sim.answer(sim.asks.len() - 1, &["go"]);
        assert_eq!((sim.gate.asking(), Some(sim.gate.round())), (None, newest), "the round is the last one's");
        assert!(!sim.gate.is_asking());
        let ticket = sim.gate.ticket();
        approve(&mut sim);
        assert_eq!(sim.gate.ticket(), ticket + 1);
    }
}

#[test]
fn what_is_cancelled_in_the_queue_is_refused() {
    let mut gate = Sim::new().into_gate();
    gate.request(Request::Manual { text: "go".into() }, 5);
    gate.report(Report::Read(Ok(draft("go", Origin::Person))), 6);
    let (Answer::Queued(undo), _) = gate.request(Request::Undo, 7) else { panic!("it waits") };
    let (cancelled, effects) = gate.request(Request::Cancel, 8);
    assert_eq!(cancelled, Answer::Done { ask: None });
    let refused: Vec<Ticket> = effects
        .iter()
        .filter_map(|e| if let Effect::Ended { ticket, answer: Answer::Refused(_) } = e { Some(*ticket) } else { None })
        .collect();
    assert_eq!(refused, [undo - 1, undo], "neither the step being checked nor what waited for it is taken");
    let effects = gate.report(Report::Checked { proposal: 1, verdict: Verdict::default() }, 9);
    assert!(!effects.iter().any(|e| matches!(e, Effect::StepWorld { .. })), "{effects:?}");
}

#[test]
fn an_aside_waits_for_no_step() {
    let mut gate = Sim::new().into_gate();
    gate.request(Request::Manual { text: "go".into() }, 5);
    gate.report(Report::Read(Ok(draft("go", Origin::Person))), 6);
    gate.report(Report::Checked { proposal: 1, verdict: Verdict::default() }, 7);
    let (answer, effects) = gate.request(Request::AskInBackground(background_ask()), 8);
    assert_eq!(answer, Answer::Done { ask: Some(2) });
    assert!(matches!(effects[..], [Effect::Persist(_), Effect::AskModel { ask: 2, .. }]), "{effects:?}");
    let texts = vec!["n".to_owned()];
    let effects = gate.report(Report::Answered { ask: 2, texts, usage: None, ms: 1, drafts: vec![] }, 9);
    assert!(matches!(&effects[..], [Effect::Persist(r)] if matches!(r.event, Event::Answered { ask: 2, .. })));
    let result = Ok((Default::default(), serde_json::json!([])));
    gate.report(Report::Stepped { decision: 1, result }, 10);
    assert_eq!(gate.session().cursor(), 1, "the step came to its end");
}

/// The gate after a typed step that the world is doing, and its decision.
fn stepping(mut gate: Gate, text: &str) -> (Gate, DecisionId) {
    gate.request(Request::Manual { text: text.into() }, 5);
    let effects = gate.report(Report::Read(Ok(draft(text, Origin::Person))), 6);
    let proposal =
        effects.iter().find_map(|e| if let Effect::CheckProposal(p) = e { Some(p.id) } else { None }).unwrap();
    let effects = gate.report(Report::Checked { proposal, verdict: Verdict::default() }, 7);
    let decision =
        effects.iter().find_map(|e| if let Effect::StepWorld { decision, .. } = e { Some(*decision) } else { None });
    (gate, decision.unwrap())
}

fn persisted(effects: &[Effect]) -> Vec<&Event> {
    effects.iter().filter_map(|e| if let Effect::Persist(record) = e { Some(&record.event) } else { None }).collect()
}

#[test]
fn a_report_of_something_else_is_not_taken_for_what_is_waited_for() {
    let done = || Ok((StepOutcome::default(), json!([])));
    let (mut gate, decision) = stepping(Sim::new().into_gate(), "go");
    assert_eq!(gate.report(Report::Stepped { decision: decision + 1, result: done() }, 8), []);
    assert_eq!(gate.session().cursor(), 0, "another decision's outcome is no outcome of this one");
    gate.report(Report::Stepped { decision, result: done() }, 8);
    gate.report(Report::Advised(Advice::Rest), 9);
    gate.request(Request::Undo, 10);
    assert_eq!(gate.report(Report::Moved { to: 1, result: Ok(()) }, 11), []);
    assert_eq!(gate.session().cursor(), 1, "the world is elsewhere than asked");
    gate.report(Report::Moved { to: 0, result: Ok(()) }, 12);
    assert_eq!(gate.session().cursor(), 0);
    gate.request(Request::Manual { text: "go".into() }, 13);
    gate.report(Report::Read(Ok(draft("go", Origin::Person))), 14);
    assert_eq!(
        gate.report(Report::Checked { proposal: 1, verdict: Verdict::default() }, 15),
        [],
        "proposal 2 is checked"
    );
    assert!(!gate.report(Report::Checked { proposal: 2, verdict: Verdict::default() }, 16).is_empty());
    let program = json!({ "source": "for", "calls": [] });
    let mut still = Sim::new().into_gate();
    let ran = Report::Ran { decision: 1, program, action: Action::new("go", None), remark: None };
    assert_eq!(still.report(ran, 17), [], "nothing is carried out");
}

#[test]
fn a_point_that_cannot_be_reached_is_said_and_not_gone_to() {
    let (mut gate, decision) = stepping(Sim::new().into_gate(), "go");
    gate.report(Report::Stepped { decision, result: Ok((StepOutcome::default(), json!([]))) }, 8);
    gate.report(Report::Advised(Advice::Rest), 9);
    let failed = |gate: &mut Gate, request: Request| {
        let (answer, _) = gate.request(request, 10);
        assert!(matches!(answer, Answer::Queued(_)));
        gate.report(Report::Moved { to: 0, result: Err("the world was left".into()) }, 11)
    };
    let refused = |effects: &[Effect]| {
        effects
            .iter()
            .any(|e| matches!(e, Effect::Ended { answer: Answer::Refused(why), .. } if why == "the world was left"))
    };
    let effects = failed(&mut gate, Request::Undo);
    assert!(refused(&effects) && persisted(&effects).is_empty(), "looking leaves no trace: {effects:?}");
    for request in [Request::Rewrite { node: 1, text: "stay".into() }, Request::Again(1)] {
        let effects = failed(&mut gate, request);
        assert!(refused(&effects), "{effects:?}");
        assert_eq!(persisted(&effects), [&Event::Failed { error: "the world was left".into(), stuck: false }]);
    }
    assert_eq!(gate.session().cursor(), 1);
    assert!(gate.is_at_rest());
}

#[test]
fn a_text_that_is_no_action_is_refused_with_what_is_wrong() {
    let mut gate = Sim::new().into_gate();
    let (Answer::Queued(ticket), _) = gate.request(Request::Manual { text: "fly".into() }, 5) else {
        panic!("it waits")
    };
    let draft = Draft { action: None, problem: Some("nobody flies".into()), ..draft("fly", Origin::Person) };
    let effects = gate.report(Report::Read(Ok(draft)), 6);
    let answer = Answer::Refused("no action: nobody flies".into());
    assert!(effects.contains(&Effect::Ended { ticket, answer }), "{effects:?}");
    assert!(persisted(&effects).is_empty());
}

#[test]
fn a_replay_can_be_stopped_on_its_way() {
    let mut sim = Sim::new();
    for text in ["one", "two"] {
        sim.ask(Request::Manual { text: text.into() });
    }
    sim.ask(Request::Cancel);
    let mut gate = sim.into_gate();
    gate.request(Request::Rewrite { node: 1, text: "other".into() }, 5);
    let (answer, effects) = gate.request(Request::Cancel, 6);
    assert_eq!(answer, Answer::Done { ask: None });
    assert!(effects.contains(&Effect::Say(Level::Info, "replay stopped".into())), "{effects:?}");
    gate.report(Report::Moved { to: 0, result: Ok(()) }, 7);
    gate.report(Report::Read(Ok(draft("other", Origin::Person))), 8);
    gate.report(Report::Checked { proposal: 3, verdict: Verdict::default() }, 9);
    let decision = gate.session().next_decision() - 1;
    let effects = gate.report(Report::Stepped { decision, result: Ok((StepOutcome::default(), json!([]))) }, 10);
    assert!(!effects.iter().any(|e| matches!(e, Effect::CheckProposal(_))), "`two` is not taken again: {effects:?}");
}

#[test]
fn the_automatic_run_ends_as_the_episode_did_where_the_budget_forbids_the_last_report() {
    let mut sim = Sim::new();
    let (ask, _) = sim.asks.remove(0);
    let policy = Policy { steps: 5, until_fails: false, token_budget: Some(150), ..Policy::default() };
    let mut gate = sim.into_gate();
    gate.request(Request::SetPolicy(policy), 5);
    let (Answer::Done { ask: Some(aside) }, _) = gate.request(Request::AskInBackground(background_ask()), 6) else {
        panic!("it is asked")
    };
    let usage = Some(stepwright_wire::Usage::new(90, 10));
    let answered = |ask, drafts| Report::Answered { ask, texts: vec!["end".into()], usage, ms: 1, drafts };
    gate.report(answered(ask, vec![draft("end", Origin::Greedy)]), 7);
    gate.report(Report::Checked { proposal: 1, verdict: Verdict::default() }, 8);
    let effects = gate.report(Report::Advised(Advice::Recommend { proposal: Some(1), why: String::new() }), 9);
    assert!(matches!(effects.last(), Some(Effect::StepWorld { .. })), "{effects:?}");
    gate.report(answered(aside, vec![]), 10);
    let over = StepOutcome { done: true, won: true, ..StepOutcome::default() };
    gate.report(Report::Stepped { decision: 1, result: Ok((over, json!([]))) }, 11);
    let spec = AskSpec { kind: crate::AskKind::BELIEF, ..background_ask() };
    let effects = gate.report(Report::Advised(Advice::Ask(spec)), 12);
    let told = effects
        .iter()
        .any(|e| matches!(e, Effect::Say(Level::Info, text) if text.contains("is not asked for: the budget")));
    assert!(told && !gate.is_asking() && !gate.session().policy.is_automatic(), "{effects:?}");
    assert!(matches!(persisted(&effects)[..], [Event::PolicySet { why, .. }] if why == "the goal is reached"));
}

#[test]
fn an_automatic_run_that_died_at_rest_is_taken_back_and_said_so() {
    let mut sim = Sim::new();
    sim.ask(Request::Cancel);
    let mut records = sim.records.clone();
    let id = records.len() as u64 + 1;
    let event = Event::PolicySet { policy: Policy { steps: 3, ..Policy::default() }, why: "set by a person".into() };
    records.push(Record { id, ts: 9, node: 0, event });
    let mut session = Session::new(super::simulation::header());
    for record in &records {
        session.apply(record).unwrap();
    }
    let (gate, effects) = Gate::resume(session, 10, false);
    assert!(
        matches!(&effects[..], [Effect::Persist(_), Effect::Say(Level::Info, text)] if text.contains("taken back"))
    );
    assert!(!gate.session().policy.is_automatic());
}

#[test]
fn what_is_recommended_without_an_action_is_never_taken_by_a_policy() {
    let proposal = Draft { action: None, ..draft("go", Origin::Greedy) }.numbered(1, None);
    let ruled = super::policy::rule(&Policy::checked(2), 0, 0, Ok(&proposal), None);
    assert_eq!(ruled, PolicyOutcome::Stop("the recommended proposal is no action".into()));
}

#[test]
fn a_method_that_asks_without_end_is_stopped() {
    let own = || Advice::Answered { spec: AskSpec { prompt: None, ..background_ask() }, drafts: vec![] };
    for of_model in [true, false] {
        let mut sim = Sim::new();
        let (mut ask, _) = sim.asks.remove(0);
        let mut gate = sim.into_gate();
        gate.request(Request::SetPolicy(Policy::checked(3)), 5);
        let nothing = |ask| Report::Answered { ask, texts: vec![], usage: None, ms: 1, drafts: vec![] };
        gate.report(nothing(ask), 6);
        for _ in 1..MAX_ASKS {
            let advice = if of_model { Advice::Ask(background_ask()) } else { own() };
            let effects = gate.report(Report::Advised(advice), 7);
            let next =
                effects.iter().find_map(|e| if let Effect::AskModel { ask, .. } = e { Some(*ask) } else { None });
            if let Some(next) = next {
                ask = next;
                gate.report(nothing(ask), 8);
            }
        }
        assert!(gate.session().policy.is_automatic(), "as often as it may");
        let effects = gate.report(Report::Advised(if of_model { Advice::Ask(background_ask()) } else { own() }), 9);
        let told =
            format!("the method asked {MAX_ASKS} times without a proposal to recommend; choose one, or type an action");
        assert!(effects.contains(&Effect::Say(Level::Warning, told)), "{effects:?}");
        assert!(gate.is_at_rest() && !gate.session().policy.is_automatic());
    }
}

/// A kind of document that does not wait keeps nothing from being done while it is written, and is taken or refused by the rule at once.
#[test]
fn a_document_that_does_not_wait_is_settled_by_the_rule() {
    let asking = || {
        let mut sim = Sim::new();
        sim.ask(Request::Cancel);
        let mut gate = sim.into_gate().treating([("belief", Conduct { waits: false, ..Conduct::USUAL })].into());
        gate.request(Request::Propose, 5);
        let spec = AskSpec { kind: crate::AskKind::BELIEF, ..background_ask() };
        let effects = gate.report(Report::Advised(Advice::Ask(spec)), 6);
        let asked = effects.iter().find_map(|e| if let Effect::AskModel { ask, .. } = e { Some(*ask) } else { None });
        (gate, asked.unwrap())
    };
    let (mut gate, _) = asking();
    let (answer, effects) = gate.request(Request::Manual { text: "go".into() }, 7);
    assert!(matches!(answer, Answer::Queued(_)), "{effects:?}");
    for (value, taken) in [(Some(json!({ "seen": [] })), true), (None, false)] {
        let (mut gate, ask) = asking();
        let written = Box::new(Written {
            artifact: ArtifactId::BELIEF,
            due: None,
            title: "told".into(),
            raw: "seen".into(),
            repairs: vec![],
            problem: value.is_none().then(|| "it is bad".to_owned()),
            value: value.map(Into::into),
        });
        let texts = vec!["seen".to_owned()];
        let effects = gate.report(Report::Written { ask, texts, usage: None, ms: 1, written }, 7);
        let settled = persisted(&effects).into_iter().any(|event| match event {
            Event::ArtifactSettled { by: Actor::Policy, offer: Some(1), .. } => taken,
            Event::ArtifactRefused { by: Actor::Policy, offer: 1, why } => !taken && why == "it is bad",
            _ => false,
        });
        assert!(settled && matches!(effects.last(), Some(Effect::Consult { .. })), "{effects:?}");
        let fate = &gate.session().current().unwrap().offer(1).unwrap().fate;
        assert_eq!(matches!(fate, crate::OfferState::Taken { unasked: true, .. }), taken, "{fate:?}");
    }
}

/// What came in one answer with something else is not written again alone, and nobody is told to have it written again.
#[test]
fn what_cannot_be_read_nor_written_again_is_edited_or_refused() {
    let mut sim = Sim::new();
    sim.ask(Request::Cancel);
    let mut gate = sim.into_gate();
    gate.request(Request::Propose, 5);
    let (title, raw, problem) = ("told".into(), "seen".into(), Some("it is bad".to_owned()));
    let written =
        Written { artifact: ArtifactId::BELIEF, due: None, title, raw, repairs: vec![], value: None, problem };
    let effects = gate.report(Report::Advised(Advice::Offer(Box::new(written))), 6);
    let said = "the new belief cannot be read: it is bad; edit it or refuse it";
    assert!(effects.contains(&Effect::Say(Level::Warning, said.to_owned())), "{effects:?}");
}

#[test]
fn a_document_nobody_waits_for_changes_nothing() {
    let mut sim = Sim::new();
    let before = sim.records.len();
    sim.report(Report::ChangeChecked(Ok(json!({}))));
    assert_eq!(sim.records.len(), before);
    let (_, effects) = sim.gate.request(Request::correct(ArtifactId::BELIEF, "x".into()), 9);
    let to = Unchecked::Text("x".into());
    assert_eq!(effects, [Effect::CheckChange { artifact: ArtifactId::BELIEF, to }]);
    assert!(sim.gate.report(Report::Read(Ok(draft("go", Origin::Person))), 10).is_empty());
}

#[test]
fn a_document_is_changed_once_that_is_written() {
    let mut gate = Sim::new().into_gate();
    let (answer, effects) = gate.request(tree(Edit::Append(json!("prune"))), 5);
    let Answer::Queued(ticket) = answer else { panic!("{answer:?}") };
    let to = Unchecked::Value(json!(["prune"]));
    assert_eq!(effects, [Effect::CheckChange { artifact: ArtifactId::TREE, to }]);
    assert!(gate.session().document(&ArtifactId::TREE).is_none(), "nothing is recorded before it is checked");
    let effects = gate.report(Report::ChangeChecked(Ok(json!(["prune"]))), 6);
    let place = |is: fn(&Effect) -> bool| effects.iter().position(is).unwrap();
    let written = place(|e| matches!(e, Effect::Persist(r) if matches!(r.event, Event::ArtifactSettled { .. })));
    assert!(written < place(|e| matches!(e, Effect::ApplyChange(_))), "{effects:?}");
    assert!(effects.contains(&Effect::Ended { ticket, answer: Answer::Done { ask: None } }));
}

#[test]
fn what_is_appended_is_recorded_as_that() {
    let mut sim = Sim::new();
    for _ in 0..2 {
        sim.ask(tree(Edit::Append(json!("prune"))));
        let patch = sim.records.iter().rev().find_map(|record| match &record.event {
            Event::ArtifactSettled { patch, .. } => Some(patch.as_ref()),
            _ => None,
        });
        assert_eq!(patch, Some(&artifact::appending(&json!("prune"))));
    }
    assert_eq!(sim.gate.session().document(&ArtifactId::TREE).unwrap().as_ref(), &json!(["prune", "prune"]));
}

#[test]
fn no_document_is_typed_while_another_waits() {
    let mut sim = Sim::new();
    sim.answer(0, &["tell x"]);
    approve(&mut sim);
    sim.answer(0, &["seen"]);
    let Answer::Refused(why) = sim.ask(tree(Edit::Text("mine".into()))) else { panic!("it is refused") };
    assert!(why.contains("belief waits"), "{why}");
}

#[test]
fn a_blocked_selection_is_taken_by_a_policy_that_stops_at_what_fails() {
    let blocking = Check { kind: CheckKind::Blocking, condition: "c".into(), status: Status::Fails, detail: None };
    let world = Check { kind: CheckKind::World, condition: "c".into(), status: Status::Holds, detail: None };
    let proposal = Proposal { action: Some(Action::new("take", None)), ..Proposal::new(1, "take", Origin::Greedy) };
    let verdict = Verdict { checks: vec![world, blocking], ..Verdict::default() };
    let ruled = policy::rule(&Policy::checked(3), 1, 0, Ok(&proposal), Some(&verdict));
    let taken = |why: &str| policy::PolicyOutcome::Take(why.into());
    assert_eq!(ruled, taken("blocked, so that nothing is executed"), "it counts as no step");
    for (steps, before, why) in
        [(2, 1, "automatic step 2 of 2"), (2, 0, "automatic step 1 of 2"), (u32::MAX, 7, "running to the end")]
    {
        let policy = Policy { steps, ..Policy::manual() };
        assert_eq!(policy::rule(&policy, before, 0, Ok(&proposal), None), taken(why));
        let unnumbered = if why.starts_with("automatic") { "" } else { why };
        assert_eq!(policy::without_number(why), unnumbered);
    }
    let earlier = "every check holds, 50 of 50 automatic steps left";
    assert_eq!(policy::without_number(earlier), earlier);
}

/// Four bytes are a token, for each of the answers that are asked for.
#[test]
fn a_request_of_another_program_is_not_sent_where_it_would_pass_the_budget() {
    let api = stepwright_wire::Api::Chat;
    let relayed = |bytes: usize| crate::shape::Relayed { api, body: "x".repeat(bytes).into(), sender: 0 };
    let spec = |bytes, n| AskSpec { n, shape: crate::shape::Shape::Relay(relayed(bytes)), ..background_ask() };
    let policy = Policy { token_budget: Some(100), ..Policy::default() };
    for (bytes, n, spent, passes) in [
        (400, 1, 0, false),
        (404, 1, 0, true),
        (200, 2, 0, false),
        (204, 2, 0, true),
        (200, 1, 50, false),
        (0, 3, 99, false),
        (0, 3, 100, true),
    ] {
        let why = policy::would_pass(&policy, spent, &spec(bytes, n));
        assert_eq!(why.is_some(), passes, "{bytes} bytes {n} times after {spent}: {why:?}");
    }
    let usual = AskSpec { n: 9, ..background_ask() };
    assert_eq!(policy::would_pass(&policy, 99, &usual), None, "the length of a prompt of ours is not known here");
    assert!(policy::would_pass(&policy, 0, &spec(1000, 2)).unwrap().contains("about 500 tokens"));
}

#[test]
fn what_a_program_comes_to_is_executed_in_its_place() {
    let mut gate = Sim::new().into_gate();
    gate.request(Request::Manual { text: "for".into() }, 5);
    gate.report(Report::Read(Ok(draft("for", Origin::Person))), 6);
    let effects = gate.report(Report::Checked { proposal: 1, verdict: Verdict::default() }, 7);
    let [.., Effect::StepWorld { decision, .. }, _] = &effects[..] else { panic!("{effects:?}") };
    let decision = *decision;
    let ran = |decision| {
        let action = Action::new("go\ngo", None);
        let program = serde_json::json!({ "source": "for", "calls": ["go", "go"] });
        Report::Ran { decision, program, action, remark: Some("line 3: it stopped".into()) }
    };
    assert!(gate.report(ran(decision + 1), 8).is_empty(), "of no decision that is carried out");
    let effects = gate.report(ran(decision), 8);
    let [Effect::Persist(program), Effect::Persist(note), ..] = &effects[..] else { panic!("{effects:?}") };
    assert!(matches!(program.event, Event::ArtifactSettled { by: Actor::Person, .. }), "{program:?}");
    assert_eq!(note.event, Event::Noted { text: "line 3: it stopped".into() });
    gate.report(Report::Stepped { decision, result: Ok((Default::default(), serde_json::json!([]))) }, 9);
    let node = gate.session().current().unwrap();
    assert_eq!(node.action.as_ref().unwrap().text, "go\ngo");
    assert_eq!(node.document(&ArtifactId::PROGRAM).unwrap()["calls"], serde_json::json!(["go", "go"]));
    let decided = gate.session().node(0).unwrap().turn.proposal(1).unwrap();
    assert_eq!(decided.action.as_ref().unwrap().text, "for", "what was decided stays on record");
}

#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant)] // A few of them live at a time.
enum Op {
    Ask(Request),
    Answer(usize, Vec<&'static str>),
    Fail(usize),
    Reopen,
}

fn op() -> impl Strategy<Value = Op> {
    let text = || prop::sample::select(vec!["go", "take", "gone", "bad x", "odd x", "end", ""]);
    let offer = prop::sample::select(vec!["go", "take", "gone", "bad x", "odd x", "go on", "tell y", "say z"]);
    let policy = (0u32..4, any::<bool>(), prop::option::of(Just("take".to_owned())), prop::option::of(0u64..500));
    let policy = policy.prop_map(|(steps, until_fails, until_action, token_budget)| Policy {
        steps,
        until_fails,
        until_action,
        token_budget,
        ..Policy::default()
    });
    prop_oneof![
        4 => (0usize..3, prop::collection::vec(offer, 0..4)).prop_map(|(i, t)| Op::Answer(i, t)),
        1 => (0usize..3).prop_map(Op::Fail),
        1 => Just(Op::Reopen),
        3 => (1u64..12).prop_map(|proposal| Op::Ask(Request::Approve { proposal })),
        2 => text().prop_map(|t| Op::Ask(Request::Manual { text: t.into() })),
        1 => (1u64..12, text()).prop_map(|(proposal, t)| Op::Ask(Request::Edit { proposal, text: t.into() })),
        1 => (1u64..12).prop_map(|proposal| Op::Ask(Request::Reject { proposal, reason: "no".into() })),
        1 => policy.prop_map(|p| Op::Ask(Request::SetPolicy(p))),
        2 => Just(Op::Ask(Request::Undo)),
        1 => Just(Op::Ask(Request::Redo)),
        1 => (0u64..8).prop_map(|n| Op::Ask(Request::Goto(n))),
        1 => (0u64..8, text()).prop_map(|(node, t)| Op::Ask(Request::Rewrite { node, text: t.into() })),
        1 => (0u64..8).prop_map(|node| Op::Ask(Request::Again(node))),
        1 => Just(Op::Ask(Request::Cancel)),
        1 => Just(Op::Ask(Request::Propose)),
        1 => (0u32..3).prop_map(|n| Op::Ask(Request::Sample { n })),
        1 => text().prop_map(|t| Op::Ask(Request::adopt(&assertions("go", t)))),
        1 => (8u32..10).prop_map(|node| Op::Ask(tree(Edit::Append(json!(node))))),
        2 => (any::<bool>(), 0usize..3).prop_map(|(forward, of)| {
            let artifact = [ArtifactId::TREE, ArtifactId::BELIEF, ArtifactId::assertions("go")][of].clone();
            Op::Ask(Request::turn(artifact, forward))
        }),
        1 => Just(Op::Ask(Request::Configure(Configuration {
            model: "y".into(),
            method: "n".into(),
            options: [("shots".to_owned(), "1".to_owned())].into(),
        }))),
        2 => (1u64..6).prop_map(|offer| Op::Ask(Request::ApproveOffer(offer))),
        1 => (1u64..6).prop_map(|offer| Op::Ask(Request::RefuseOffer { offer, reason: "no".into() })),
        1 => (1u64..6).prop_map(|offer| Op::Ask(Request::RewriteOffer(offer))),
        1 => (1u64..6, text()).prop_map(|(offer, t)| Op::Ask(Request::EditOffer { offer, text: t.into() })),
        1 => text().prop_map(|t| Op::Ask(Request::correct(ArtifactId::BELIEF, t.into()))),
        1 => Just(Op::Ask(Request::AskInBackground(background_ask()))),
        1 => (1u64..6).prop_map(|ask| Op::Ask(Request::Resend { ask, messages: vec![PromptMessage { role: "user".into(), text: "t".into() }] })),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// For any requests and answers in any order, the invariants hold after every move.
    #[test]
    fn whatever_happens_the_invariants_hold(ops in prop::collection::vec(op(), 1..60)) {
        let mut sim = Sim::new();
        for op in ops {
            match op {
                Op::Ask(request) => {
                    sim.ask(request);
                }
                Op::Answer(i, texts) => sim.answer(i, &texts),
                Op::Fail(i) => sim.fail(i),
                Op::Reopen => sim.reopen(),
            }
            sim.check_invariants();
        }
    }
}
