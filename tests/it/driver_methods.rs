//! Methods through the driver: what prompts show, thoughts, choice by likelihood, prompts that are too long.

use std::sync::Arc;
use std::time::Duration;

use crate::support::driver::{Counter, Scripted, Turn, Watched, header, setup, watched};
use stepwright::driver::{Beginning, CandidateCommand, Command, Level, Notice, Request};
use stepwright::episode::{AskKind, AskState, Configuration, Event, Origin, Policy};
use stepwright::method::prompting::Prompting;
use stepwright::model::{ModelError, ModelRequest};
use stepwright::world::ProgramHeader;
use stepwright::world::demonstration::Demonstration;
use stepwright_trajectory::Step;

fn prompt(request: &ModelRequest) -> String {
    request.messages.iter().map(|m| m.text.as_str()).collect::<Vec<_>>().join("\n")
}

fn asked(model: &Scripted) -> Vec<ModelRequest> {
    model.asked.lock().unwrap().clone()
}

fn configure(method: &str, options: &[(&str, &str)]) -> Command {
    let options = options.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    Command::Gate(Request::Configure(Configuration { model: String::new(), method: method.into(), options }))
}

#[tokio::test]
async fn prompts_show_the_assertions_in_force_or_none() {
    let model = Scripted::lines(&["agent.add(1)"; 6]);
    let mut w = watched("precondition-prompting", &[], &model);
    w.recommended().await;
    let (action, assertions) = ("add".to_owned(), vec!["n < 3".to_owned()]);
    w.send(Command::Candidates(CandidateCommand::Adopt { action, assertions, origin: "edited".into() }));
    w.recommended().await;
    w.send(Command::Gate(Request::Propose));
    w.recommended().await;
    w.send(configure("few-shot", &[]));
    w.recommended().await;
    w.send(configure("few-shot", &[("assertions", "shown")]));
    w.recommended().await;
    w.send(configure("precondition-aware", &[("assertions", "hidden")]));
    w.recommended().await;
    assert_eq!(w.session.options["assertions"], "hidden");
    let prompts: Vec<String> = asked(&model).iter().map(prompt).collect();
    assert!(prompts[0].contains("        assert ") && !prompts[0].contains("n < 3"));
    assert!(prompts[1].contains("        assert n < 3\n"), "the adopted assertion is in the next prompt");
    assert!(!prompts[2].contains("assert"), "few-shot shows none: {}", prompts[2]);
    assert!(prompts[3].contains("assert n < 3"));
    assert!(!prompts[4].contains("assert"), "hidden, though sampling is aware");
    w.quit().await;
}

#[tokio::test]
async fn what_is_written_in_place_of_an_action_is_named_with_what_may_mend_it() {
    let model = Scripted::lines(&["Sure! I would add four."; 2]);
    let mut w = watched("few-shot", &[], &model);
    let said = w.said(Level::Warning, "nothing is recommended").await;
    assert!(
        said.contains("the model wrote \"Sure! I would add four.\", which is no action line (SyntaxError"),
        "{said}"
    );
    assert!(said.contains("set `raw`"), "{said}");
    w.send(Command::Gate(Request::SetPolicy(Policy { steps: 2, ..Policy::manual() })));
    let ended = |n: &Notice| match n {
        Notice::Recorded(r) => match &r.event {
            Event::PolicySet { policy, why } if !policy.is_automatic() => Some(why.clone()),
            _ => None,
        },
        _ => None,
    };
    let notice = w.until("the policy's end", |n, _| ended(n).is_some()).await;
    let why = ended(&notice).unwrap();
    assert!(
        why.contains("there is no proposal to take: ") && why.contains("Sure!") && why.contains("set `raw`"),
        "{why}"
    );
    w.quit().await;
}

#[tokio::test]
async fn a_wrong_option_is_said_and_changes_nothing() {
    let model = Scripted::lines(&["agent.add(1)"; 2]);
    let mut w = watched("few-shot", &[], &model);
    w.recommended().await;
    w.send(configure("", &[("shots", "eleven")]));
    w.said(Level::Error, "shots = `eleven`").await;
    w.send(configure("", &[("shots", "1")]));
    w.recommended().await;
    assert_eq!((w.session.method.as_str(), w.session.options["shots"].as_str()), ("few-shot", "1"));
    w.quit().await;
}

#[tokio::test]
async fn thoughts_are_kept_and_stand_in_later_prompts_where_they_are_wanted() {
    let written = "# think: four is half of what is missing\nagent.add(4)";
    for (think, shown) in [("true", true), ("false", false)] {
        let model = Scripted::lines(&[written, "agent.add(1)"]);
        let mut w = watched("few-shot", &[("think", think)], &model);
        w.recommended().await;
        let proposal = w.session.current().unwrap().turn.proposals[0].clone();
        assert_eq!(proposal.action.as_ref().unwrap().text, "add 4");
        assert_eq!(proposal.rationale.as_deref(), Some("four is half of what is missing"));
        w.approve();
        w.recommended().await;
        let second = prompt(&asked(&model)[1]);
        let thought = "    # think: four is half of what is missing\n    agent.add(4)\n";
        assert_eq!(second.contains(thought), shown, "{second}");
        assert_eq!(second.contains("begins with `# think:`"), shown);
        w.quit().await;
    }
}

#[tokio::test]
async fn the_likeliest_admissible_action_that_verifies_is_recommended() {
    let model = Scripted::new([Turn::Score(vec![("add(4)", -0.2), ("add(2)", -0.7), ("add(3)", -1.4)])]);
    let mut w = watched("scored", &[], &model);
    let (action, assertions) = ("add".to_owned(), vec!["n < 4".to_owned()]);
    w.recommended().await;
    let request = &asked(&model)[0];
    let [text, candidates] = request.messages.as_slice() else { panic!("{:?}", request.messages) };
    assert_eq!(text.role, "text");
    assert!(text.text.ends_with("\n   "), "{:?}", text.text);
    let lines: Vec<&str> = candidates.text.lines().collect();
    assert_eq!(lines, [" agent.add(1)", " agent.add(2)", " agent.add(3)", " agent.add(4)", " agent.add(5)"]);
    let turn = w.session.current().unwrap().turn.clone();
    assert_eq!(turn.asks[0].kind, AskKind::SCORED);
    assert_eq!(
        turn.proposals.iter().map(|p| p.raw.as_str()).collect::<Vec<_>>()[..3],
        ["agent.add(4)", "agent.add(2)", "agent.add(3)"]
    );
    assert!(turn.proposals.iter().all(|p| p.origin == Origin::Scored && p.action.is_some()));
    assert_eq!(turn.proposals[1].logprob, Some(-0.7));
    let why = turn.proposals[1].rationale.as_deref();
    assert_eq!(why, Some("ranked by the mean log-probability of its 1 token: -0.700"));
    let sum: f64 = turn.proposals.iter().map(|p| p.score.unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-9, "probabilities of all that were scored");
    assert_eq!(turn.recommended.clone().unwrap().0, Some(turn.proposals[0].id));
    // With another assertion in force the likeliest no longer verifies.
    w.send(Command::Candidates(CandidateCommand::Adopt { action, assertions, origin: "edited".into() }));
    assert_eq!(w.recommended().await, "agent.add(2)");
    assert_eq!(asked(&model).len(), 1, "nothing is scored again");
    let progress =
        w.notices.iter().filter(|n| matches!(n, Notice::Progress { what, total: 5, .. } if what.contains("scoring")));
    assert!(progress.count() >= 2, "progress is reported");
    w.quit().await;
}

#[tokio::test]
async fn a_scoring_is_cancelled_and_its_failure_is_said() {
    let refused = ModelError::Configuration("scripted reports no log-probabilities".into());
    let model = Scripted::new([Turn::HangScoring, Turn::Fail(refused)]);
    let mut w = watched("scored", &[], &model);
    w.until("progress", |n, _| matches!(n, Notice::Progress { done: 1, total: 5, .. })).await;
    w.send(Command::Cancel);
    w.until("the end of the progress", |n, _| matches!(n, Notice::Progress { done: 5, total: 5, .. })).await;
    let state = w.session.current().unwrap().turn.asks[0].state.clone();
    assert!(matches!(state, AskState::Failed { cancelled: true, .. }), "{state:?}");
    w.send(Command::Gate(Request::Propose));
    w.said(Level::Error, "reports no log-probabilities").await;
    assert!(w.session.current().unwrap().turn.proposals.is_empty(), "no figure is invented");
    w.quit().await;
}

#[tokio::test]
async fn a_scored_episode_runs_to_its_end() {
    let turn = || Turn::Score(vec![("add(5)", -0.1), ("add(4)", -0.3), ("add(2)", -0.5)]);
    let model = Scripted::new([turn(), turn(), turn()]);
    let mut w = watched("scored", &[], &model);
    w.recommended().await;
    w.send(Command::Gate(Request::SetPolicy(Policy::checked(5))));
    w.until("the end", |n, s| matches!(n, Notice::Recorded(_)) && s.is_done()).await;
    assert!(w.session.current().unwrap().outcome.won);
    w.quit().await;
}

/// A prompting with one long demonstration of no other kind.
fn long_demonstration() -> Prompting {
    let step = Step { call: Some("agent.add(1)".parse().unwrap()), ..Step::default() };
    let demonstration = Demonstration {
        id: "d".into(),
        task_type: "count".into(),
        sentence: "count".into(),
        header: ProgramHeader { function: "other".into(), comment: String::new(), setup: Vec::new() },
        steps: vec![step; 400],
    };
    Prompting { demonstrations: Arc::new(vec![demonstration]), ..Prompting::default() }
}

#[tokio::test]
async fn a_prompt_that_is_too_long_is_shortened_and_that_is_said_and_recorded() {
    let too_long = |context| ModelError::TooLong {
        endpoint: "http://x/v1".into(),
        message: "too long".into(),
        context: Some(context),
    };
    let say = Turn::Say(vec!["agent.add(1)"], Duration::ZERO);
    let model = Scripted::new([Turn::Fail(too_long(1500)), say.clone(), say]);
    let mut setup = setup(Beginning::New(Box::new(header())), Counter::default(), model.clone(), None);
    setup.prompting = long_demonstration();
    let mut w = Watched::start(setup);
    w.said(Level::Info, "asking again with a shorter prompt").await;
    w.recommended().await;
    let asks = w.session.current().unwrap().turn.asks.clone();
    assert!(matches!(&asks[0].state, AskState::Failed { error, .. } if error.contains("too long")));
    let left_out = asks[1].prompt.as_ref().unwrap().left_out.clone().unwrap();
    assert!(left_out.contains("1 of 1 demonstrations") && left_out.contains("1500"), "{left_out}");
    assert!(!prompt(&asked(&model)[1]).contains("def other()"));
    w.approve();
    w.recommended().await;
    let said = w
        .notices
        .iter()
        .filter(|n| matches!(n, Notice::Say { text, .. } if text.starts_with("left out of the prompt")));
    assert_eq!(said.count(), 1, "it is said once, and recorded with each ask");
    assert!(w.session.current().unwrap().turn.asks[0].prompt.as_ref().unwrap().left_out.is_some());
    w.quit().await;
}

#[tokio::test]
async fn a_prompt_that_cannot_be_shortened_ends_in_its_error() {
    let error = ModelError::TooLong { endpoint: "http://x/v1".into(), message: "too long".into(), context: Some(300) };
    let model = Scripted::new(std::iter::repeat_n(Turn::Fail(error), 12));
    let mut w = watched("precondition-aware", &[], &model);
    w.said(Level::Error, "too long").await;
    let asks = asked(&model).len();
    assert!((2..=6).contains(&asks), "{asks}");
    let failed = w.records.iter().filter(|r| matches!(r.event, Event::AskFailed { .. })).count();
    assert_eq!(failed, asks);
    w.quit().await;
}
