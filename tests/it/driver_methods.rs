//! What the driver makes of what methods say: steps without work, prompts without bounds, answers that stand in for others, scores of nothing.

use std::sync::Arc;
use std::time::Duration;

use crate::support::driver::{Counter, Scripted, Turn, Watched, header, setup};
use stepwright::driver::{Beginning, Command, Level, Notice, Request};
use stepwright::episode::gate::AskSpec;
use stepwright::episode::{Ask, AskKind, AskState, Generation, PromptMessage, PromptRecord, Shape};
use stepwright::method::{Answer, Context, Method, MethodInfo, Reading, Step};
use stepwright::model::ModelError;

/// A method that says these things once, and then rests.
#[derive(Debug)]
struct Says {
    step: fn(&Context<'_>) -> Step,
    shape: fn() -> Shape,
}

impl Method for Says {
    fn info(&self) -> MethodInfo {
        MethodInfo { id: "says", label: "Says", description: "What a test says.", ..MethodInfo::BARE }
    }

    fn step(&self, cx: &Context<'_>) -> Step {
        match cx.round() {
            Some(round) if round.has_asked(&AskKind::GREEDY) => Step::Recommend { proposal: None, why: "asked".into() },
            _ => (self.step)(cx),
        }
    }

    fn read(&self, _cx: &Context<'_>, _ask: &Ask, answer: &Answer) -> Reading {
        let heard = answer.completions.iter().map(|c| c.text.as_str()).collect::<Vec<_>>().join(", ");
        Reading::Drafts { drafts: Vec::new(), note: Some(format!("heard: {heard}")) }
    }

    fn shape(&self, _cx: &Context<'_>, _kind: &AskKind, _raw: bool) -> Shape {
        (self.shape)()
    }
}

fn prompt(text: impl Into<String>) -> PromptRecord {
    let messages = vec![PromptMessage { role: "user".into(), text: text.into() }];
    PromptRecord { template: "test".into(), template_hash: String::new(), messages, left_out: None, candidates: None }
}

fn asks(cx: &Context<'_>) -> Step {
    Step::ask(cx.ask(AskKind::GREEDY, prompt("what next?"), 1, 0.0))
}

fn start(step: fn(&Context<'_>) -> Step, shape: fn() -> Shape, turns: Vec<Turn>) -> (Watched, Arc<Scripted>) {
    let model = Scripted::new(turns);
    let mut setup = setup(Beginning::New(Box::new(header())), Counter::default(), Arc::clone(&model), None);
    setup.method = Arc::new(Says { step, shape });
    (Watched::start(setup), model)
}

fn generation() -> Generation {
    Generation { max_tokens: 5, ..Generation::default() }
}

/// Why the only ask failed, as the session says it.
async fn failed(w: &mut Watched) -> String {
    let is = |notice: &Notice, session: &stepwright::episode::Session| {
        let asks = session.current().into_iter().flat_map(|node| &node.turn.asks);
        matches!(notice, Notice::Recorded(_))
            && asks.into_iter().any(|ask| matches!(ask.state, AskState::Failed { .. }))
    };
    w.until("an ask that failed", is).await;
    let asks = &w.session.current().unwrap().turn.asks;
    asks.iter()
        .find_map(|ask| if let AskState::Failed { error, .. } = &ask.state { Some(error.clone()) } else { None })
        .unwrap()
}

#[tokio::test]
async fn a_method_that_has_nothing_to_do_is_said_to_be_stuck() {
    let (mut w, model) = start(|_| Step::Pass, || Shape::Usual, vec![]);
    w.said(Level::Error, "the method has nothing to do here; choose another (M)").await;
    assert!(model.asked.lock().unwrap().is_empty());
    w.quit().await;
}

#[tokio::test]
async fn a_prompt_that_no_session_can_keep_is_not_asked() {
    let long = |cx: &Context<'_>| Step::ask(cx.ask(AskKind::GREEDY, prompt("x".repeat(40 << 20)), 1, 0.0));
    let (mut w, model) = start(long, || Shape::Usual, vec![]);
    w.said(Level::Error, "the prompt has 40 MiB, more than any model reads and a session keeps").await;
    assert!(model.asked.lock().unwrap().is_empty());
    assert!(w.session.current().unwrap().turn.asks.is_empty(), "nothing was asked, so no ask is on record");
    w.quit().await;
}

#[tokio::test]
async fn what_a_method_notes_on_its_offer_and_on_an_answer_is_said() {
    let offers = |cx: &Context<'_>| Step::Offer {
        ask: cx.own(AskKind::GREEDY, "says", 0, serde_json::Value::Null),
        drafts: Vec::new(),
        note: Some("I know nothing".into()),
    };
    let (mut w, _) = start(offers, || Shape::Usual, vec![]);
    w.said(Level::Info, "I know nothing").await;
    w.quit().await;
    let turns = vec![Turn::Say(vec!["add 1"], Duration::ZERO)];
    let (mut w, _) = start(asks, || Shape::Generate(generation()), turns);
    w.said(Level::Info, "heard: add 1").await;
    w.quit().await;
}

#[tokio::test]
async fn work_that_nobody_names_and_scores_of_nothing_fail_in_words() {
    let nobody = |cx: &Context<'_>| {
        let spec = AskSpec { prompt: None, ..cx.ask(AskKind::GREEDY, prompt(""), 1, 0.0) };
        Step::ask(AskSpec { shape: Shape::Usual, ..spec })
    };
    let works = || Shape::Compute { work: serde_json::Value::Null };
    let nothing = || Shape::Score { continuations: Vec::new() };
    let says = |step, shape| Says { step, shape };
    let table = [
        (says(nobody, || Shape::Usual), "no language model is asked, and the method names no work of its own"),
        (says(asks, works), "the method asks a language model for what is its own work"),
        (says(asks, nothing), "there is nothing to score here any more; ask again"),
    ];
    for (Says { step, shape }, why) in table {
        let (mut w, model) = start(step, shape, vec![]);
        assert_eq!(failed(&mut w).await, why);
        assert!(model.asked.lock().unwrap().is_empty());
        w.quit().await;
    }
}

#[tokio::test]
async fn one_text_is_scored_with_its_progress_told_twice() {
    let one = || Shape::Score { continuations: vec!["add 1".into()] };
    let (mut w, _) = start(asks, one, vec![Turn::Score(vec![("add 1", -0.5)])]);
    w.said(Level::Info, "heard: add 1").await;
    let told = |n: &&Notice| matches!(n, Notice::Progress { what, .. } if what == "scoring 1 action");
    let done = |n: &Notice| if let Notice::Progress { done, total, .. } = n { (*done, *total) } else { unreachable!() };
    assert_eq!(w.notices.iter().filter(told).map(done).collect::<Vec<_>>(), [(0, 1), (1, 1)]);
    w.quit().await;
}

/// A publication has a text of its own count where the service gave none; what no service said is no such answer.
#[tokio::test]
async fn a_text_stands_in_for_an_answer_that_the_service_did_not_give() {
    let stands_in = || Shape::Generate(Generation { failed: Some("add 2".into()), ..generation() });
    let unreachable = ModelError::Unreachable { endpoint: "scripted".into(), message: "gone".into() };
    let (mut w, _) = start(asks, stands_in, vec![Turn::Fail(unreachable)]);
    w.said(Level::Warning, "as published, `add 2` counts as the answer").await;
    w.said(Level::Info, "heard: add 2").await;
    w.quit().await;
    let (mut w, _) = start(asks, stands_in, vec![Turn::Fail(ModelError::Configuration("no key".into()))]);
    assert!(failed(&mut w).await.contains("no key"));
    w.quit().await;
}

#[tokio::test]
async fn a_world_of_this_program_is_not_restarted_and_an_empty_text_is_no_action() {
    let (mut w, _) = start(|_| Step::Pass, || Shape::Usual, vec![]);
    w.send(Command::RestartWorld);
    w.said(Level::Info, "this world runs in the program itself; there is nothing to restart").await;
    w.send(Command::CheckText { token: 7, text: "  ".into(), over: None });
    let checked = w.until("a verdict", |n, _| matches!(n, Notice::TextChecked { token: 7, .. })).await;
    assert!(matches!(checked, Notice::TextChecked { verdict: Err(why), .. } if why == "nothing was typed"));
    w.send(Command::Gate(Request::Manual { text: " ".into() }));
    w.said(Level::Error, "no action: nothing was typed").await;
    w.quit().await;
}
