use proptest::prelude::*;
use serde_json::json;

use super::super::artifact::{ArtifactId, Assertions};
use super::super::ask::AskKind;
use super::super::branch::BranchEdit;
use super::super::breakpoint::Breakpoint;
use super::super::event::PromptMessage;
use super::super::proposal::{Check, Origin, Status};
use super::simulation::{Sim, draft, no_prompt};
use super::*;

fn approve(sim: &mut Sim) {
    let id = sim.gate.session().current().unwrap().turn.recommended.clone().unwrap().0.unwrap();
    sim.ask(Request::Approve { proposal: id });
}

fn texts(sim: &Sim) -> Vec<&str> {
    sim.performed.iter().map(|(_, t)| t.as_str()).collect()
}

fn last_said(sim: &Sim) -> &str {
    &sim.said.last().unwrap().1
}

#[test]
fn a_step_is_proposed_decided_and_executed_in_three_records() {
    let mut sim = Sim::new();
    sim.answer(0, &["go"]);
    approve(&mut sim);
    let kinds: Vec<String> = sim
        .records
        .iter()
        .map(|r| serde_json::to_value(&r.event).unwrap()["event"].as_str().unwrap().to_owned())
        .collect();
    let expected =
        ["started", "asked", "answered", "proposed", "checked", "recommended", "decided", "executed", "asked"];
    assert_eq!(kinds, expected);
}

#[test]
fn an_edit_is_a_proposal_of_its_own_checked_before_it_is_taken() {
    let mut sim = Sim::new();
    sim.answer(0, &["go"]);
    sim.ask(Request::Edit { proposal: 1, text: "bad idea".into() });
    assert_eq!(texts(&sim), ["bad idea"]);
    let turn = &sim.gate.session().node(0).unwrap().turn;
    assert_eq!(turn.proposal(2).unwrap().origin, Origin::Person);
    assert_eq!(turn.verdicts.get(&2).unwrap().preconditions(), Mark::Fails);
    assert_eq!(turn.decisions[0].choice, Choice::Edit { from: 1, proposal: 2 });
    assert!(sim.said.iter().any(|(l, t)| *l == Level::Warning && t.contains("although it fails")), "{:?}", sim.said);
}

#[test]
fn a_rejection_asks_again_in_a_new_round_and_is_never_run() {
    let mut sim = Sim::new();
    sim.answer(0, &["go"]);
    sim.ask(Request::Reject { proposal: 1, reason: "not there".into() });
    assert_eq!(sim.gate.session().current().unwrap().turn.rejection(1), Some("not there"));
    assert_eq!(sim.asks.len(), 1, "asked again");
    sim.answer(0, &["go"]);
    sim.ask(Request::Approve { proposal: 1 });
    assert!(last_said(&sim).contains("was rejected"), "{:?}", sim.said);
    assert!(texts(&sim).is_empty());
    approve(&mut sim);
    assert_eq!(texts(&sim), ["go"], "the new proposal is another one");
}

#[test]
fn a_cancelled_ask_never_proposes_later() {
    let mut sim = Sim::new();
    sim.ask(Request::Cancel);
    assert!(sim.gate.asking().is_none());
    let before = sim.records.len();
    sim.answer(0, &["late"]);
    assert_eq!(sim.records.len(), before, "the late answer changes nothing");
    sim.ask(Request::Propose);
    sim.answer(0, &["go"]);
    approve(&mut sim);
    assert_eq!(texts(&sim), ["go"]);
}

#[test]
fn undo_redo_and_a_branch_keep_the_old_branch() {
    let mut sim = Sim::new();
    for text in ["one", "two"] {
        sim.ask(Request::Manual { text: text.into() });
    }
    sim.ask(Request::Undo);
    assert_eq!(sim.gate.session().cursor(), 1);
    sim.ask(Request::Redo);
    assert_eq!(sim.gate.session().cursor(), 2);
    sim.ask(Request::Undo);
    sim.ask(Request::Manual { text: "other".into() });
    assert_eq!(sim.gate.session().node(1).unwrap().children, [2, 3]);
    sim.ask(Request::Goto(2));
    assert_eq!(sim.gate.session().cursor(), 2);
    sim.ask(Request::Goto(99));
    assert!(last_said(&sim).contains("no node 99"));
}

fn assertions(action: &str, text: &str) -> Assertions {
    Assertions { action: action.into(), assertions: vec![text.into()], origin: "edited".into() }
}

/// A change of the blocking tree; there is no node 9.
fn tree(edit: Edit) -> Request {
    Request::Change { artifact: ArtifactId::TREE, edit }
}

fn forbid(sim: &mut Sim, text: &str) {
    sim.ask(Request::adopt(&assertions("go", text)));
}

#[test]
fn a_proposal_taken_again_goes_back_on_its_branch() {
    let mut sim = Sim::new();
    sim.answer(0, &["go"]);
    approve(&mut sim);
    sim.ask(Request::Undo);
    sim.ask(Request::Approve { proposal: 1 });
    let session = sim.gate.session();
    assert_eq!((session.cursor(), session.nodes().len()), (1, 2), "no second branch");
    assert_eq!(texts(&sim), ["go"], "nothing is performed again");
    assert!(sim.said.iter().any(|(_, t)| t.contains("taken before")), "{:?}", sim.said);
    // The same action typed begins a separate branch.
    sim.ask(Request::Undo);
    sim.ask(Request::Manual { text: "go".into() });
    assert_eq!(sim.gate.session().nodes().len(), 3);
}

#[test]
fn an_automatic_run_stops_at_breakpoints_and_says_which() {
    let mut sim = Sim::new();
    sim.answer(0, &["go"]);
    sim.ask(Request::SetBreakpoints(Breakpoint::list("action st*").unwrap()));
    sim.ask(Request::SetPolicy(Policy { steps: 5, ..Policy::default() }));
    assert_eq!(texts(&sim), ["go"]);
    sim.answer(0, &["stay"]);
    assert_eq!(texts(&sim), ["go"], "stopped before it");
    assert!(sim.said.iter().any(|(_, t)| t.contains("breakpoint `action st*`: `stay` is next")), "{:?}", sim.said);
    assert!(!sim.gate.session().policy.is_automatic());
    // A person may take it all the same.
    approve(&mut sim);
    assert_eq!(texts(&sim), ["go", "stay"]);
    sim.ask(Request::SetBreakpoints(Vec::new()));
    assert!(sim.gate.session().breakpoints.is_empty());
}

#[test]
fn a_branch_is_named_hidden_and_deleted_but_not_the_one_the_session_is_on() {
    let mut sim = Sim::new();
    sim.answer(0, &["go"]);
    approve(&mut sim);
    sim.ask(Request::Undo);
    sim.ask(Request::Manual { text: "stay".into() });
    let edit = |branch, edit| Request::EditBranch { branch, edit };
    sim.ask(edit(1, BranchEdit::Name { name: "first".into() }));
    sim.ask(edit(1, BranchEdit::Delete { deleted: true }));
    let session = sim.gate.session();
    assert_eq!((session.branch_start(1), session.branch_name(1), session.is_deleted(1)), (1, "first", true));
    assert!(!session.is_deleted(2));
    sim.ask(edit(2, BranchEdit::Delete { deleted: true }));
    assert!(last_said(&sim).contains("go to another one first"), "{:?}", sim.said);
    sim.ask(edit(1, BranchEdit::Delete { deleted: false }));
    assert!(!sim.gate.session().is_deleted(1));
    sim.ask(edit(9, BranchEdit::Hide { hidden: true }));
    assert!(last_said(&sim).contains("no node 9"));
}

#[test]
fn a_decision_keeps_the_verdict_it_was_taken_with() {
    let mut sim = Sim::new();
    sim.answer(0, &["go"]);
    approve(&mut sim);
    sim.ask(Request::Undo);
    let checks =
        |sim: &Sim| sim.records.iter().filter(|r| matches!(r.event, Event::Checked { proposal: 1, .. })).count();
    let before = checks(&sim);
    forbid(&mut sim, "go");
    assert_eq!(checks(&sim), before, "what was decided about is not checked again");
    let session = sim.gate.session();
    assert_eq!(session.verdict_at(1).unwrap().mark(), Mark::Holds);
    // Taken once more, it is checked for the new decision; the old one keeps what it was taken with.
    sim.ask(Request::Approve { proposal: 1 });
    let session = sim.gate.session();
    assert_eq!(session.verdict_at(1).unwrap().mark(), Mark::Holds);
    assert_eq!(session.verdict_at(2).unwrap().mark(), Mark::Fails);
    assert!(sim.said.iter().any(|(_, t)| t.contains("although it fails")), "{:?}", sim.said);
}

#[test]
fn adopted_assertions_are_checked_against_all_that_is_open() {
    let mut sim = Sim::new();
    sim.answer(0, &["go", "stay"]);
    forbid(&mut sim, "go");
    let turn = &sim.gate.session().current().unwrap().turn;
    let marks: Vec<Mark> = turn.proposals.iter().map(|p| turn.mark(p)).collect();
    assert_eq!(marks, [Mark::Fails, Mark::Holds]);
    assert_eq!(turn.adopted().len(), 1);
}

#[test]
fn what_a_person_changed_is_taken_back_and_made_again_also_after_further_steps() {
    let mut sim = Sim::new();
    let begun = vec![assertions("go", "begun")];
    let mut other = Sim::over(Gate::new(Session::new(super::simulation::header())));
    other.ask(Request::Begin { outcome: Default::default(), assertions: begun, policy: None, belief: None });
    let go = || ArtifactId::assertions("go");
    let refused = |answer: Answer| matches!(answer, Answer::Refused(_));
    assert!(refused(other.ask(Request::turn(go(), false))), "what it began with stays");
    let forbidden = |sim: &Sim| sim.gate.session().assertions().get("go").map(|(texts, _)| texts.join(", "));
    forbid(&mut sim, "one");
    forbid(&mut sim, "two");
    assert!(refused(sim.ask(Request::adopt(&assertions("go", "two")))), "it is that already");
    sim.answer(0, &["step"]);
    approve(&mut sim);
    sim.ask(Request::turn(go(), false));
    assert_eq!(forbidden(&sim).as_deref(), Some("one"));
    sim.ask(Request::turn(go(), false));
    assert_eq!(forbidden(&sim), None);
    assert!(refused(sim.ask(Request::turn(go(), false))));
    sim.reopen();
    sim.ask(Request::turn(go(), true));
    assert_eq!(forbidden(&sim).as_deref(), Some("one"));
    sim.ask(Request::turn(go(), true));
    assert_eq!(forbidden(&sim).as_deref(), Some("two"));
    assert!(refused(sim.ask(Request::turn(go(), true))));
    sim.ask(Request::turn(go(), false));
    forbid(&mut sim, "three");
    assert!(refused(sim.ask(Request::turn(go(), true))), "after another change there is nothing to make again");
    let (here, above) = (sim.gate.session().current().unwrap(), sim.gate.session().node(0).unwrap());
    let changed = |turn: &crate::Turn| turn.changes_of(&go()).map(|c| c.why.clone()).collect::<Vec<_>>();
    assert_eq!(changed(&above.turn).len(), 2, "the step above keeps what was done there");
    assert_eq!(changed(&here.turn), ["taken back", "taken back", "", ""]);
    assert_eq!(sim.gate.session().assertions_at(0).get("go").unwrap().0, ["two"]);
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
fn the_policy_takes_exactly_its_steps() {
    let mut sim = Sim::new();
    sim.answer(0, &["one"]);
    sim.ask(Request::SetPolicy(Policy { steps: 2, ..Policy::default() }));
    assert_eq!(texts(&sim), ["one"], "the open recommendation is taken at once");
    sim.answer(0, &["two"]);
    sim.answer(0, &["three"]);
    assert_eq!(texts(&sim), ["one", "two"]);
    assert!(!sim.gate.session().policy.is_automatic());
}

#[test]
fn the_policy_stops_where_an_assertion_fails_or_cannot_be_decided() {
    for bad in ["bad step", "odd step", "blank step"] {
        let mut sim = Sim::new();
        sim.ask(Request::SetPolicy(Policy::checked(9)));
        sim.answer(0, &["one"]);
        sim.answer(0, &[bad]);
        assert_eq!(texts(&sim), ["one"]);
        assert!(!sim.gate.session().policy.is_automatic());
        // Without that condition it continues.
        sim.ask(Request::SetPolicy(Policy { steps: 1, ..Policy::default() }));
        assert_eq!(texts(&sim), ["one", bad]);
    }
}

#[test]
fn the_policy_stops_before_a_named_action() {
    for until in ["take it", "take", "a.take()"] {
        let mut sim = Sim::new();
        sim.ask(Request::SetPolicy(Policy { steps: 9, until_action: Some(until.into()), ..Policy::default() }));
        sim.answer(0, &["go there"]);
        sim.answer(0, &["take it"]);
        assert_eq!(texts(&sim), ["go there"], "{until}");
        assert!(!sim.gate.session().policy.is_automatic());
    }
}

#[test]
fn the_policy_stops_at_the_end() {
    let mut sim = Sim::new();
    sim.ask(Request::SetPolicy(Policy { steps: u32::MAX, ..Policy::default() }));
    sim.answer(0, &["go"]);
    sim.answer(0, &["end"]);
    assert!(sim.asks.is_empty(), "nothing is asked after the end");
    assert!(!sim.gate.session().policy.is_automatic());
    sim.ask(Request::Manual { text: "more".into() });
    assert_eq!(texts(&sim), ["go", "end"]);
    assert!(last_said(&sim).contains("episode is over"));
    sim.ask(Request::Undo);
    sim.ask(Request::Manual { text: "more".into() });
    assert_eq!(texts(&sim), ["go", "end", "more"]);
}

#[test]
fn at_the_budget_it_stops_and_asks_for_a_new_limit() {
    let mut sim = Sim::new();
    let policy = |budget| Policy { steps: 9, token_budget: Some(budget), ..Policy::default() };
    sim.ask(Request::SetPolicy(policy(200)));
    sim.answer(0, &["one"]);
    // The second answer reaches 200 tokens: its proposal is shown, but not taken.
    sim.answer(0, &["two"]);
    assert_eq!(texts(&sim), ["one"]);
    assert!(last_said(&sim).contains("budget of 200 tokens"), "{}", last_said(&sim));
    assert_eq!(sim.gate.session().policy, Policy { steps: 0, ..policy(200) }, "the limit stays");
    // By hand the step may be taken, but no model is asked for another.
    approve(&mut sim);
    assert_eq!((texts(&sim), sim.asks.len()), (vec!["one", "two"], 0));
    sim.ask(Request::Sample { n: 3 });
    assert!(sim.asks.is_empty() && last_said(&sim).contains("set a new limit"));
    sim.ask(Request::SetPolicy(policy(1000)));
    assert_eq!(sim.asks.len(), 1);
}

#[test]
fn the_symbolic_proposer_is_asked_whatever_the_token_budget() {
    let mut sim = Sim::new();
    sim.ask(Request::Cancel);
    sim.asks.clear();
    sim.prompted = false;
    sim.ask(Request::SetPolicy(Policy { steps: 2, token_budget: Some(1), ..Policy::default() }));
    sim.answer(0, &["one"]);
    sim.answer(0, &["two"]);
    assert_eq!(texts(&sim), ["one", "two"]);
}

#[test]
fn a_rewritten_step_replays_the_rest_in_a_new_branch_as_far_as_it_goes() {
    let mut sim = Sim::new();
    for text in ["look", "go", "gone", "go home"] {
        sim.ask(Request::Manual { text: text.into() });
    }
    sim.ask(Request::Rewrite { node: 1, text: "wait".into() });
    assert_eq!(texts(&sim)[4..], ["wait", "go", "gone", "go home"]);
    assert!(sim.said.iter().any(|(_, t)| t.contains("all 3 later steps replayed")), "{:?}", sim.said);
    assert_eq!(sim.gate.session().node(0).unwrap().children, [1, 5]);
    // In the next branch `gone` would be refused: the replay stops before it and says so.
    sim.ask(Request::Rewrite { node: 5, text: "take".into() });
    assert_eq!(texts(&sim)[8..], ["take", "go"]);
    assert!(
        sim.said.iter().any(|(_, t)| t.contains("replayed 1 of 3") && t.contains("before `gone`")),
        "{:?}",
        sim.said
    );
    sim.ask(Request::Rewrite { node: 0, text: "x".into() });
    assert!(last_said(&sim).contains("cannot be rewritten"));
}

#[test]
fn an_edited_prompt_is_sent_in_place_and_marked() {
    let mut sim = Sim::new();
    let messages = vec![PromptMessage { role: "user".into(), text: "do otherwise".into() }];
    sim.ask(Request::Resend { ask: 1, messages: messages.clone() });
    assert_eq!(sim.asks.len(), 2, "the first was cancelled, the second is under way");
    assert_eq!(sim.gate.asking(), Some(2));
    let ask = sim.gate.session().current().unwrap().turn.asks[1].clone();
    let prompt = ask.prompt.unwrap();
    assert_eq!((prompt.template.as_str(), prompt.messages.clone()), ("edited", messages));
    sim.answer(0, &["late"]);
    sim.answer(0, &["go"]);
    approve(&mut sim);
    assert_eq!(texts(&sim), ["go"]);
    sim.ask(Request::Resend { ask: 1, messages: vec![] });
    assert!(last_said(&sim).contains("not made at this point"), "{}", last_said(&sim));
}

#[test]
fn opening_again_runs_nothing_that_was_under_way() {
    let mut sim = Sim::new();
    sim.ask(Request::SetPolicy(Policy { steps: 9, ..Policy::default() }));
    let asked = sim.asks.len();
    sim.reopen();
    assert!(sim.gate.is_at_rest());
    assert!(!sim.gate.session().policy.is_automatic());
    assert_eq!(sim.asks.len(), asked, "nothing is asked");
    let turn = &sim.gate.session().current().unwrap().turn;
    assert!(
        matches!(&turn.asks[0].state, AskState::Failed { error, cancelled: false } if error.contains("interrupted"))
    );
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
    let (gate, effects) = Gate::resume(session, 10);
    assert!(
        matches!(&effects[..], [Effect::Say(Level::Warning, text)] if text.contains("`go` was decided but not carried out"))
    );
    assert!(gate.is_at_rest());
}

#[test]
fn a_policy_to_begin_with_is_recorded_with_its_reason_before_anything_is_asked() {
    for (headless, expected) in [(false, "as configured"), (true, "unattended run")] {
        let gate = Gate::new(Session::new(super::simulation::header()));
        let mut gate = if headless { gate.headless() } else { gate };
        let begin = Request::Begin {
            outcome: Default::default(),
            assertions: vec![],
            policy: Some(Policy::checked(3)),
            belief: None,
        };
        let (_, effects) = gate.request(begin, 1);
        let Effect::Persist(record) = &effects[1] else { panic!("{effects:?}") };
        assert!(matches!(&record.event, Event::PolicySet { why, .. } if why == expected), "{record:?}");
        assert!(matches!(effects[2], Effect::Consult { .. }), "{effects:?}");
    }
}

#[test]
fn a_run_nobody_watches_asks_for_nothing_after_its_last_step() {
    let gate = Gate::new(Session::new(super::simulation::header())).headless();
    let mut sim = Sim::over(gate);
    sim.ask(Request::Begin {
        outcome: Default::default(),
        assertions: vec![],
        policy: Some(Policy { steps: 1, ..Policy::default() }),
        belief: None,
    });
    sim.answer(0, &["go"]);
    assert_eq!((texts(&sim), sim.asks.len()), (vec!["go"], 0));
    assert!(!sim.gate.session().policy.is_automatic());
}

#[test]
fn a_failing_model_stops_the_automatic_run() {
    let mut sim = Sim::new();
    sim.ask(Request::SetPolicy(Policy { steps: 9, ..Policy::default() }));
    sim.fail(0);
    assert!(!sim.gate.session().policy.is_automatic());
    assert_eq!(last_said(&sim), "no server");
    let why = sim
        .records
        .iter()
        .rev()
        .find_map(|r| if let Event::PolicySet { why, .. } = &r.event { Some(why) } else { None });
    assert_eq!(why.unwrap(), "no server", "the policy was taken back for what failed, not for something like it");
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
    assert_eq!((effects, none), (vec![Effect::ReadText("go".into())], vec![]), "the second is kept for later");
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
fn requests_are_answered_done_or_refused() {
    let mut sim = Sim::new();
    let refused = |answer: Answer| if let Answer::Refused(why) = answer { why } else { panic!("{answer:?}") };
    assert!(refused(sim.ask(Request::Undo)).contains("nothing to undo"));
    assert!(refused(sim.ask(Request::Approve { proposal: 7 })).contains("belongs to another step"));
    assert!(refused(sim.ask(Request::Manual { text: "".into() })).contains("nothing was typed"));
    assert!(refused(sim.ask(tree(Edit::Undo))).contains("no change of the tree"));
    assert!(refused(sim.ask(Request::adopt(&assertions("fly", "n")))).contains("no action"));
    assert!(sim.gate.session().assertions().is_empty());
    let done = Answer::Done { ask: None };
    assert_eq!(sim.ask(Request::adopt(&assertions("go", "n"))), done);
    assert_eq!(sim.ask(Request::Manual { text: "go".into() }), done);
    assert_eq!(sim.ask(Request::Cancel), done);
    assert!(refused(sim.ask(Request::Cancel)).contains("nothing is running"));
    assert_eq!(sim.ask(Request::AskInBackground(background_ask())), Answer::Done { ask: Some(3) });
    sim.ask(Request::SetPolicy(Policy { token_budget: Some(0), ..Policy::manual() }));
    assert!(refused(sim.ask(Request::AskInBackground(background_ask()))).contains("budget of 0 tokens"));
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
fn what_a_program_comes_to_is_executed_in_its_place() {
    let mut gate = Sim::new().into_gate();
    gate.request(Request::Manual { text: "for".into() }, 5);
    gate.report(Report::Read(Ok(draft("for", Origin::Person))), 6);
    let effects = gate.report(Report::Checked { proposal: 1, verdict: Verdict::default() }, 7);
    let [.., Effect::StepWorld { decision, .. }, _] = &effects[..] else { panic!("{effects:?}") };
    let decision = *decision;
    let ran = |decision| {
        let action = Action { text: "go\ngo".into(), call: None };
        let program = serde_json::json!({ "source": "for", "calls": ["go", "go"] });
        Report::Ran { decision, program, action, remark: Some("line 3: it stopped".into()) }
    };
    assert!(gate.report(ran(decision + 1), 8).is_empty(), "of no decision that is carried out");
    let effects = gate.report(ran(decision), 8);
    let [Effect::Persist(_), Effect::Persist(note), ..] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(note.event, Event::Noted { text: "line 3: it stopped".into() });
    gate.report(Report::Stepped { decision, result: Ok((Default::default(), serde_json::json!([]))) }, 9);
    let node = gate.session().current().unwrap();
    assert_eq!(node.action.as_ref().unwrap().text, "go\ngo");
    assert_eq!(node.document(&ArtifactId::PROGRAM).unwrap()["calls"], serde_json::json!(["go", "go"]));
    let decided = gate.session().node(0).unwrap().turn.proposal(1).unwrap();
    assert_eq!(decided.action.as_ref().unwrap().text, "for", "what was decided stays on record");
}

fn background_ask() -> AskSpec {
    AskSpec {
        kind: AskKind::Candidates { action: "go".into() },
        model: "x".into(),
        prompt: Some(no_prompt()),
        n: 2,
        temperature: 0.7,
        shape: Default::default(),
    }
}

#[test]
fn an_aside_is_recorded_where_it_was_asked_and_proposes_nothing() {
    let mut sim = Sim::new();
    sim.ask(Request::AskInBackground(background_ask()));
    sim.ask(Request::Manual { text: "go".into() });
    let place = sim.asks.iter().position(|(ask, _)| *ask == 2).unwrap();
    sim.answer(place, &["not n"]);
    let root = &sim.gate.session().node(0).unwrap().turn;
    assert!(matches!(root.asks[1].state, AskState::Answered { .. }), "{root:?}");
    assert!(root.proposals.iter().all(|p| p.origin == Origin::Person));
    assert!(root.asks[1].kind.is_background() && !root.asks[0].kind.is_background(), "{root:?}");
    assert_eq!(sim.gate.asking(), Some(3), "the episode went on meanwhile");
    sim.check_invariants();
    sim.ask(Request::AskInBackground(background_ask()));
    sim.ask(Request::Cancel);
    assert!(sim.gate.is_at_rest());
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
