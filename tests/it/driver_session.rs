//! The driver over a counting world and scripted models: gate, world, program, model and log together.

use std::time::Duration;

use crate::support::driver::{Counter, Scripted, Turn, Watched, header, setup};
use stepwright::driver::{Beginning, CandidateCommand, Command, Level, Notice, Request};
use stepwright::episode::{AskState, Choice, Configuration, Event, Mark, Origin, Policy, PromptMessage, Verdict, log};
use stepwright::model::ModelError;

#[tokio::test]
async fn an_episode_is_stepped_to_its_end() {
    let mut w = Watched::new(Scripted::lines(&["    agent.add(4)", "agent.add(4)", "agent.add(2)"]));
    for (line, observation) in
        [("agent.add(4)", "The total is 4."), ("agent.add(4)", "The total is 8."), ("agent.add(2)", "The total is 10.")]
    {
        assert_eq!(w.recommended().await, line);
        w.approve();
        assert_eq!(w.executed().await, observation);
    }
    w.said(Level::Info, "the goal is reached").await;
    assert!(w.session.is_done());
    w.quit().await;
}

#[tokio::test]
async fn a_stale_request_to_explain_is_dropped_without_a_word() {
    let mut w = Watched::new(Scripted::lines(&["agent.add(4)", "agent.add(4)"]));
    w.recommended().await;
    w.approve();
    w.executed().await;
    w.recommended().await;
    // Proposal 1 belongs to the step before; proposal 2 is offered here.
    w.send(Command::Explain { proposal: 1 });
    w.send(Command::Explain { proposal: 99 });
    w.send(Command::Explain { proposal: 2 });
    w.until("a tree", |n, _| matches!(n, Notice::Blocking { proposal: 2, .. })).await;
    let answered = |n: &Notice| matches!(n, Notice::Blocking { proposal, .. } if *proposal != 2);
    assert!(!w.notices.iter().any(answered));
    assert!(!w.notices.iter().any(|n| matches!(n, Notice::Say { level: Level::Error, .. })), "{:?}", w.notices);
    w.quit().await;
}

#[tokio::test]
async fn an_answer_that_was_cut_off_is_kept_and_marked() {
    let model = Scripted::new([Turn::Cut(vec!["agent.ad"]), Turn::Cut(vec!["agent.add(1)"])]);
    let mut w = Watched::new(model);
    assert_eq!(w.recommended().await, "agent.add(1)");
    let turn = &w.session.current().unwrap().turn;
    assert!(turn.proposals[0].problem.as_ref().unwrap().ends_with("(the answer was cut off)"));
    assert_eq!((&turn.proposals[0].action, &turn.proposals[0].rationale), (&None, &None));
    assert!(turn.proposals[1].rationale.as_ref().unwrap().starts_with("the answer was cut off: "));
    assert_eq!(turn.proposals[1].problem, None);
    w.quit().await;
}

#[tokio::test]
async fn a_greedy_completion_that_fails_is_passed_over_for_a_sample_that_verifies() {
    let model = Scripted::new([
        Turn::Say(vec!["agent.add(5)"], Duration::ZERO),
        Turn::Say(vec!["agent.add(99)", "agent.fly()", "agent.add(3)", "agent.add(2)"], Duration::ZERO),
    ]);
    let mut w = Watched::new(model.clone());
    assert_eq!(w.recommended().await, "agent.add(3)");
    let turn = &w.session.current().unwrap().turn;
    assert_eq!(
        turn.proposals.iter().map(|p| p.origin).collect::<Vec<_>>(),
        [Origin::Greedy, Origin::Sample, Origin::Sample, Origin::Sample, Origin::Sample]
    );
    assert!(turn.proposals[2].problem.as_ref().unwrap().contains("NotAnAction"));
    let failing: Vec<_> = turn.verdicts.get(&1).unwrap().failing().map(|c| c.condition.clone()).collect();
    assert_eq!(failing, ["n < 5"], "5 is admissible, but the second assertion fails");
    let asked = model.asked.lock().unwrap().clone();
    assert_eq!((asked[0].n, asked[0].temperature, asked[1].n), (1, 0.0, 4));
    assert!(asked[1].temperature > 0.0);
    w.quit().await;
}

#[tokio::test]
async fn an_edit_is_checked_and_taken_even_if_it_fails() {
    let mut w = Watched::new(Scripted::lines(&["agent.add(1)"]));
    w.recommended().await;
    w.send(Command::Gate(Request::Edit { proposal: 1, text: "add 5".into() }));
    assert_eq!(w.executed().await, "The total is 5.");
    let root = w.session.node(0).unwrap();
    assert_eq!(root.turn.decisions[0].choice, Choice::Edit { from: 1, proposal: 2 });
    assert_eq!(root.turn.proposal(2).unwrap().action.as_ref().unwrap().call.as_deref(), Some("agent.add(5)"));
    assert!(
        w.notices
            .iter()
            .any(|n| matches!(n, Notice::Say { level: Level::Warning, text } if text.contains("although it fails")))
    );
    w.quit().await;
}

#[tokio::test]
async fn a_rejection_with_its_reason_reaches_the_model() {
    let model = Scripted::lines(&["agent.add(1)", "agent.add(2)"]);
    let mut w = Watched::new(model.clone());
    w.recommended().await;
    w.send(Command::Gate(Request::Reject { proposal: 1, reason: "one is too few".into() }));
    assert_eq!(w.recommended().await, "agent.add(2)");
    let asked = model.asked.lock().unwrap().clone();
    let prompt = |i: usize| asked[i].messages.iter().map(|m| m.text.clone()).collect::<String>();
    assert!(!prompt(0).contains("one is too few"));
    assert!(prompt(1).contains("agent.add(1): one is too few") && prompt(1).contains("person"), "{}", prompt(1));
    w.quit().await;
}

#[tokio::test]
async fn a_refused_action_is_a_step_like_any_other() {
    let mut w = Watched::new(Scripted::lines(&["agent.add(1)"]));
    w.recommended().await;
    w.send(Command::Gate(Request::Manual { text: "dance".into() }));
    assert_eq!(w.executed().await, "Nothing happens.");
    assert!(w.session.current().unwrap().outcome.error.is_some());
    w.send(Command::Gate(Request::Manual { text: "agent.dance()".into() }));
    w.said(Level::Error, "no action of this world").await;
    w.quit().await;
}

#[tokio::test]
async fn undo_takes_world_and_program_back_and_branches() {
    let mut w = Watched::new(Scripted::lines(&["agent.add(1)"; 9]));
    for text in ["add 4", "add 3"] {
        w.send(Command::Gate(Request::Manual { text: text.into() }));
        w.executed().await;
    }
    w.send(Command::Gate(Request::Undo));
    let situation = w.until("the situation", |n, _| matches!(n, Notice::Situation(s) if s.node == 1)).await;
    let Notice::Situation(situation) = situation else { unreachable!() };
    assert_eq!(situation.truth["total"], 4);
    assert_eq!(situation.variables["agent"]["total"], 4, "{}", situation.variables);
    w.send(Command::Gate(Request::Manual { text: "add 2".into() }));
    assert_eq!(w.executed().await, "The total is 6.");
    assert_eq!(w.session.node(1).unwrap().children, [2, 3]);
    w.send(Command::Gate(Request::Goto(2)));
    w.until("the situation", |n, _| matches!(n, Notice::Situation(s) if s.node == 2 && s.truth["total"] == 7)).await;
    w.quit().await;
}

#[tokio::test]
async fn a_hanging_model_is_cancelled_at_once_and_streams_meanwhile() {
    let mut w =
        Watched::new(Scripted::new([Turn::Hang("agent.\u{1b}[2J"), Turn::Say(vec!["agent.add(1)"], Duration::ZERO)]));
    let notice = w.until("a stream", |n, _| matches!(n, Notice::Stream { .. })).await;
    assert_eq!(
        notice,
        Notice::Stream { ask: 1, index: 0, text: "agent.\u{1b}[2J".into() },
        "untouched: showing it safely is the watcher's duty"
    );
    let before = std::time::Instant::now();
    w.send(Command::Cancel);
    w.said(Level::Info, "cancelled").await;
    assert!(before.elapsed() < Duration::from_secs(5));
    let turn = &w.session.current().unwrap().turn;
    assert!(matches!(turn.asks[0].state, AskState::Failed { cancelled: true, .. }));
    w.send(Command::Gate(Request::Propose));
    assert_eq!(w.recommended().await, "agent.add(1)");
    w.quit().await;
}

#[tokio::test]
async fn a_stream_arrives_in_few_pieces_and_whole() {
    let text: &'static str = Box::leak("agent.add(1)  # ".to_owned().into_boxed_str());
    let long: &'static str = Box::leak(format!("{text}{}", "x".repeat(5000)).into_boxed_str());
    let mut w = Watched::new(Scripted::new([Turn::Say(vec![long], Duration::from_millis(50))]));
    w.recommended().await;
    let pieces: Vec<&str> = w
        .notices
        .iter()
        .filter_map(|n| match n {
            Notice::Stream { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(pieces.concat(), long);
    assert!(pieces.len() < 50, "{} pieces for {} characters", pieces.len(), long.len());
    w.quit().await;
}

#[tokio::test]
async fn a_failing_model_is_said_and_a_person_can_go_on() {
    let broken = ModelError::Unreachable {
        endpoint: "http://127.0.0.1:1/v1".into(),
        message: "connection refused; is the server up?".into(),
    };
    let mut w = Watched::new(Scripted::new([Turn::Fail(broken)]));
    w.said(Level::Error, "is the server up?").await;
    w.send(Command::Gate(Request::Manual { text: "add 1".into() }));
    assert_eq!(w.executed().await, "The total is 1.");
    w.quit().await;
}

#[tokio::test]
async fn an_edited_prompt_is_what_is_sent() {
    let model = Scripted::lines(&["agent.add(1)", "agent.add(2)"]);
    let mut w = Watched::new(model.clone());
    w.recommended().await;
    let messages = vec![PromptMessage { role: "user".into(), text: "my own words".into() }];
    w.send(Command::Gate(Request::Resend { ask: 1, messages: messages.clone() }));
    assert_eq!(w.recommended().await, "agent.add(2)");
    assert_eq!(model.asked.lock().unwrap()[1].messages, messages);
    w.quit().await;
}

#[tokio::test]
async fn the_policy_runs_to_the_end_and_stops_on_a_failing_assertion() {
    let mut w = Watched::new(Scripted::new([
        Turn::Say(vec!["agent.add(4)"], Duration::ZERO),
        Turn::Say(vec!["agent.add(5)"], Duration::ZERO),
        Turn::Say(vec!["agent.add(5)"; 4], Duration::ZERO),
    ]));
    w.recommended().await;
    w.send(Command::Gate(Request::SetPolicy(Policy { steps: u32::MAX, until_fails: true, ..Policy::default() })));
    assert_eq!(w.executed().await, "The total is 4.");
    w.said(Level::Info, "stopped: `add 5` fails n < 5").await;
    assert!(!w.session.policy.is_automatic());
    w.quit().await;
}

#[tokio::test]
async fn a_world_that_breaks_takes_nothing_with_it() {
    let mut w = Watched::new(Scripted::lines(&["agent.add(1)"; 3]));
    w.recommended().await;
    w.send(Command::Gate(Request::Manual { text: "add boom".into() }));
    w.said(Level::Error, "the world broke").await;
    w.send(Command::Gate(Request::Manual { text: "add 1".into() }));
    assert_eq!(w.executed().await, "The total is 1.");
    w.quit().await;
}

fn to(model: &str) -> Configuration {
    Configuration { model: model.into(), method: "few-shot".into(), ..Configuration::default() }
}

#[tokio::test]
async fn model_and_method_can_be_changed_on_the_way() {
    let mut w = Watched::new(Scripted::lines(&["agent.add(1)"; 3]));
    w.recommended().await;
    w.send(Command::Gate(Request::Configure(to("nonsense"))));
    w.said(Level::Error, "no model `nonsense`").await;
    w.send(Command::Gate(Request::Configure(to("scripted"))));
    w.recommended().await;
    assert_eq!(w.session.method, "few-shot");
    w.quit().await;
}

#[tokio::test]
async fn adopted_assertions_are_in_force_at_once() {
    let mut w = Watched::new(Scripted::lines(&["agent.add(4)", "agent.add(4)"]));
    w.recommended().await;
    assert_eq!(w.session.assertions()["add"].0, ["self.total + n <= self.env.limit", "n < 5"]);
    w.send(Command::Candidates(CandidateCommand::Adopt {
        action: "add".into(),
        assertions: vec!["n == 3".into()],
        origin: "edited".into(),
    }));
    w.until("the check", |n, s| {
        matches!(n, Notice::Recorded(_))
            && s.assertions()["add"].0.len() == 1
            && s.current().unwrap().turn.verdicts.get(&1).unwrap().failing().next().is_some()
    })
    .await;
    w.send(Command::Candidates(CandidateCommand::Adopt {
        action: "add".into(),
        assertions: vec!["n ==".into()],
        origin: "edited".into(),
    }));
    w.said(Level::Warning, "n ==").await;
    assert_eq!(w.session.assertions()["add"].0, ["n == 3"], "what does not compile is not adopted");
    w.quit().await;
}

#[tokio::test]
async fn assertions_belong_to_the_branch_they_were_adopted_on() {
    let mut w = Watched::new(Scripted::lines(&["agent.add(4)"; 4]));
    w.recommended().await;
    w.approve();
    w.recommended().await;
    w.send(Command::Gate(Request::Undo));
    w.until("the beginning", |_, s| s.cursor() == 0).await;
    w.send(Command::Candidates(CandidateCommand::Adopt {
        action: "add".into(),
        assertions: vec!["n == 3".into()],
        origin: "edited".into(),
    }));
    w.until("the adoption", |_, s| s.assertions()["add"].0 == ["n == 3"]).await;
    assert_eq!(w.session.assertions_at(1)["add"].1, "specification", "the branch taken before keeps its own");
    let checked = async |w: &mut Watched, token| {
        w.send(Command::CheckText { token, text: "add 4".into() });
        let is = |n: &Notice| matches!(n, Notice::TextChecked { token: t, .. } if *t == token);
        match w.until("the check", |n, _| is(n)).await {
            Notice::TextChecked { verdict, .. } => verdict.unwrap().preconditions(),
            _ => unreachable!(),
        }
    };
    assert_eq!(checked(&mut w, 1).await, Mark::Fails);
    w.send(Command::Gate(Request::Redo));
    w.until("the old branch", |_, s| s.cursor() == 1).await;
    assert_eq!(checked(&mut w, 2).await, Mark::Holds, "what is in force follows the cursor");
    assert_eq!(w.session.verdict_at(1).map(Verdict::mark), Some(Mark::Holds));
    w.quit().await;
}

#[tokio::test]
async fn typed_texts_and_edited_programs_are_checked_without_a_trace() {
    let mut w = Watched::new(Scripted::lines(&["agent.add(1)"]));
    w.recommended().await;
    let before = w.records.len();
    w.send(Command::CheckText { token: 7, text: "add 5".into() });
    let Notice::TextChecked { token: 7, verdict: Ok(verdict) } =
        w.until("verdict", |n, _| matches!(n, Notice::TextChecked { .. })).await
    else {
        panic!()
    };
    assert_eq!(verdict.failing().map(|c| c.condition.as_str()).collect::<Vec<_>>(), ["n < 5"]);
    assert_eq!(verdict.preview.as_deref(), Some("The total is 5."));
    w.send(Command::CheckProgram {
        token: 8,
        lines: vec!["agent.add(4)".into(), "agent.set_total(9)".into(), "agent.add(4)".into(), "agent.add(1)".into()],
    });
    let Notice::ProgramChecked { token: 8, lines } =
        w.until("lines", |n, _| matches!(n, Notice::ProgramChecked { .. })).await
    else {
        panic!()
    };
    use stepwright::driver::LineStatus::*;
    assert!(matches!(&lines[..], [Ran, Ran, Raised(why), NotReached] if why.contains("AssertionError")), "{lines:?}");
    assert_eq!(w.records.len(), before);
    w.quit().await;
}

#[tokio::test]
async fn a_session_resumes_at_its_cursor_with_nothing_run_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    let writer = log::Writer::create(&path, &header()).unwrap();
    let model = Scripted::new([Turn::Say(vec!["agent.add(4)"], Duration::ZERO), Turn::Hang("")]);
    let mut w =
        Watched::start(setup(Beginning::New(Box::new(header())), Counter::default(), model.clone(), Some(writer)));
    w.recommended().await;
    w.approve();
    w.executed().await;
    // The process dies while the model is being asked: the driver is dropped, not asked to quit.
    let records = w.records.clone();
    drop(w);
    tokio::time::sleep(Duration::from_millis(50)).await;
    let (writer, loaded) = log::Writer::resume(&path).unwrap();
    assert_eq!(&loaded.records[..records.len()], records, "all that was shown is in the log");
    let session = loaded.session;
    let beginning = Beginning::Resume { session: Box::new(session), records: loaded.records };
    let asked = model.asked.lock().unwrap().len();
    let mut w = Watched::start(setup(beginning, Counter::default(), model.clone(), Some(writer)));
    let Notice::Situation(s) = w.until("the situation", |n, _| matches!(n, Notice::Situation(_))).await else {
        unreachable!()
    };
    assert_eq!((s.node, &s.truth["total"]), (1, &4.into()));
    assert_eq!(s.truth_changes, serde_json::json!([{"op": "replace", "path": "/total", "value": 4}]), "as it was live");
    assert_eq!(model.asked.lock().unwrap().len(), asked, "no model is asked on opening");
    assert!(w.session.current().unwrap().turn.pending().is_none());
    w.send(Command::Gate(Request::Manual { text: "add 3".into() }));
    assert_eq!(w.executed().await, "The total is 7.");
    let shown = w.quit().await;
    assert_eq!(log::load(&path).unwrap().records, shown);
}

#[tokio::test]
async fn a_world_that_answers_otherwise_is_reported_and_earlier_steps_stay_open() {
    let mut w = Watched::new(Scripted::lines(&[]));
    for text in ["add 1", "add 2"] {
        w.send(Command::Gate(Request::Manual { text: text.into() }));
        w.executed().await;
    }
    let records = w.quit().await;
    let mut session = stepwright::episode::Session::new(header());
    records.iter().for_each(|r| session.apply(r).unwrap());
    let beginning = Beginning::Resume { session: Box::new(session), records };
    let mut w =
        Watched::start(setup(beginning, Counter { total: 0, skew: 1 }, Scripted::lines(&["agent.add(1)"; 3]), None));
    let said = w.said(Level::Error, "does not answer as recorded").await;
    assert!(
        said.contains("step 1 (`add 1`)") && said.contains("The total is 1.") && said.contains("The total is 2."),
        "{said}"
    );
    w.send(Command::Gate(Request::Manual { text: "add 3".into() }));
    w.said(Level::Error, "does not answer as recorded").await;
    assert_eq!(w.session.nodes().len(), 3, "nothing was executed");
    w.send(Command::Gate(Request::Goto(0)));
    w.until("the move", |n, s| matches!(n, Notice::Recorded(_)) && s.cursor() == 0).await;
    w.send(Command::Gate(Request::Manual { text: "add 3".into() }));
    assert_eq!(w.executed().await, "The total is 4.");
    w.quit().await;
}

#[tokio::test]
async fn quitting_in_the_middle_of_an_ask_marks_it() {
    let mut w = Watched::new(Scripted::new([Turn::Hang("x")]));
    w.until("a stream", |n, _| matches!(n, Notice::Stream { .. })).await;
    let records = w.quit().await;
    assert!(matches!(records.last().unwrap().event, Event::AskFailed { cancelled: true, .. }));
}

#[tokio::test]
async fn nothing_is_executed_before_its_decision_can_be_written() {
    let mut w = Watched::new(Scripted::lines(&[]));
    w.send(Command::Gate(Request::Manual { text: "add 1".into() }));
    w.executed().await;
    let records = w.quit().await;
    let mut session = stepwright::episode::Session::new(header());
    records.iter().for_each(|r| session.apply(r).unwrap());

    let folder = tempfile::tempdir().unwrap();
    let blocker = folder.path().join("sessions");
    std::fs::write(&blocker, "a file where a folder is needed").unwrap();
    let path = blocker.join("copy.jsonl");
    let beginning = Beginning::Resume { session: Box::new(session), records };
    let mut setup = setup(beginning, Counter::default(), Scripted::lines(&[]), None);
    setup.keep = stepwright::driver::Persistence::Copy(path.clone());
    let mut w = Watched::start(setup);
    w.send(Command::Gate(Request::Manual { text: "add 2".into() }));
    w.said(Level::Error, "Nothing happens until the session can be written").await;
    assert_eq!(w.session.nodes().len(), 2);
    std::fs::remove_file(&blocker).unwrap();
    // The next command makes up for what waited.
    w.send(Command::Gate(Request::Note("room was made".into())));
    assert_eq!(w.executed().await, "The total is 3.");
    w.until("the note", |n, _| matches!(n, Notice::Recorded(r) if matches!(r.event, Event::Noted { .. }))).await;
    let shown = w.quit().await;
    assert_eq!(log::load(&path).unwrap().records, shown, "the copy holds the session from its beginning");
}
