//! Candidate preconditions through the driver: inferred, typed, rejected, written by a model; beside a running episode.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic)]

mod driver_support;

use std::sync::Arc;
use std::time::Duration;

use driver_support::{Counter, Scripted, Turn, Watched, header, setup};
use stepwright::driver::{Beginning, Command, Level, Notice};
use stepwright::episode::{Configuration, Event, Policy};
use stepwright::precondition::{CandidateOrigin, Fate, Pool};
use stepwright::program::{Call, Literal};
use stepwright::world::ProgramHeader;
use stepwright::world::demonstration::{Demonstration, DemonstrationStep};

/// An episode in which these numbers were added.
fn demonstration(id: &str, numbers: &[i64]) -> Demonstration {
    let call = |function: &str, n: i64| Call {
        receiver: "agent".into(),
        function: function.into(),
        args: vec![Literal::Int(n)],
    };
    let mut total = 0;
    let steps = numbers.iter().map(|n| {
        total += n;
        DemonstrationStep {
            action_call: Some(call("add", *n)),
            observation_calls: vec![call("set_total", total)],
            ..Default::default()
        }
    });
    Demonstration {
        id: id.into(),
        task_type: "count".into(),
        sentence: "reach ten.".into(),
        header: ProgramHeader { function: "reach_ten".into(), comment: "reach ten.".into(), setup: vec![] },
        steps: std::iter::once(DemonstrationStep::default()).chain(steps).collect(),
    }
}

fn watched(model: Arc<Scripted>) -> Watched {
    let mut setup = setup(Beginning::New(Box::new(header())), Counter::default(), model, None);
    setup.demonstrations = Arc::new(vec![demonstration("one", &[4, 4, 2]), demonstration("two", &[3, 3, 3, 1])]);
    Watched::start(setup)
}

async fn pool(w: &mut Watched) -> Arc<Pool> {
    match w.until("a pool", |n, _| matches!(n, Notice::Pool(_))).await {
        Notice::Pool(pool) => pool,
        _ => unreachable!(),
    }
}

#[tokio::test]
async fn candidates_are_typed_judged_rejected_and_restored() {
    let mut w = watched(Scripted::lines(&["agent.add(1)"]));
    w.recommended().await;
    let put = |text: &str| Command::PutCandidate { action: "add".into(), id: None, text: text.into() };
    w.send(put("n < 5"));
    assert_eq!(pool(&mut w).await.candidates[0].fate, Fate::Valid);
    w.send(put("n == 4"));
    let second = pool(&mut w).await;
    assert!(matches!(second.candidates[1].fate, Fate::Fails { .. }), "{second:?}");
    w.send(Command::TryCandidate { token: 3, action: "add".into(), text: "n <".into() });
    let notice = w.until("the judgement", |n, _| matches!(n, Notice::CandidateChecked { token: 3, .. })).await;
    let Notice::CandidateChecked { candidate, .. } = notice else { unreachable!() };
    assert!(matches!(candidate.fate, Fate::Malformed { .. }), "{candidate:?}");
    w.send(Command::RejectCandidate { action: "add".into(), id: 0, rejected: true });
    assert!(pool(&mut w).await.candidates[0].rejected);
    w.send(put("n > 0"));
    assert_eq!(pool(&mut w).await.candidates.len(), 3, "what was tried is not kept");
    w.send(Command::PutCandidate { action: "fly".into(), id: None, text: "n".into() });
    w.said(Level::Error, "`fly` is no action").await;
    w.quit().await;
}

#[tokio::test]
async fn the_enumerator_fills_the_pools_and_tells_how_far_it_is() {
    let mut w = watched(Scripted::lines(&["agent.add(1)"]));
    w.recommended().await;
    w.send(Command::Infer { action: None, origin: CandidateOrigin::Enumerated });
    let pool = pool(&mut w).await;
    assert_eq!((pool.action.as_str(), pool.calls), ("add", 7));
    assert!(pool.candidates.iter().all(|c| c.origin == CandidateOrigin::Enumerated));
    w.said(Level::Info, "are inferred").await;
    let ended = w.notices.iter().rev().find_map(|n| match n {
        Notice::Progress { done, total, .. } => Some(done == total),
        _ => None,
    });
    assert_eq!(ended, Some(true), "progress comes to its end");
    w.quit().await;
}

#[tokio::test]
async fn a_model_writes_candidates_as_an_aside_of_the_session() {
    let model = Scripted::new([
        Turn::Say(vec!["agent.add(1)"], Duration::ZERO),
        Turn::Say(vec!["assert n < 5", "n > 9", "import os"], Duration::from_millis(20)),
    ]);
    let mut w = watched(model.clone());
    w.recommended().await;
    w.send(Command::Infer { action: Some("add".into()), origin: CandidateOrigin::Model });
    let pool = pool(&mut w).await;
    let texts: Vec<&str> = pool.candidates.iter().map(|c| c.text.as_str()).collect();
    assert_eq!(texts, ["n < 5", "n > 9", "import os"]);
    assert!(pool.candidates.iter().all(|c| c.origin == CandidateOrigin::Model));
    assert!(matches!(pool.candidates[2].fate, Fate::Malformed { .. }));
    let turn = &w.session.current().unwrap().turn;
    assert_eq!(turn.asks[1].purpose, "assertions for add");
    assert_eq!(turn.proposals.len(), 1, "an aside proposes no action");
    let prompt = model.asked.lock().unwrap()[1].messages.iter().map(|m| m.text.clone()).collect::<String>();
    assert!(
        prompt.contains("def add(self, n)") && !prompt.contains("assert n < 5"),
        "the model is not told the answer: {prompt}"
    );
    w.quit().await;
}

#[tokio::test]
async fn a_token_budget_holds_for_candidates_too() {
    let mut w = watched(Scripted::lines(&["agent.add(1)"]));
    w.recommended().await;
    w.send(Command::SetPolicy(Policy { token_budget: Some(50), ..Policy::default() }));
    w.send(Command::Infer { action: Some("add".into()), origin: CandidateOrigin::Model });
    w.said(Level::Warning, "budget of 50 tokens").await;
    let records = w.quit().await;
    assert_eq!(records.iter().filter(|r| matches!(r.event, Event::Asked { .. })).count(), 1);
}

#[tokio::test]
async fn without_a_language_model_none_is_asked() {
    let mut w = watched(Scripted::lines(&["agent.add(1)"]));
    w.recommended().await;
    w.send(Command::Configure(Configuration {
        model: "symbolic".into(),
        method: "few-shot".into(),
        ..Configuration::default()
    }));
    w.recommended().await;
    w.send(Command::Infer { action: None, origin: CandidateOrigin::Model });
    w.said(Level::Warning, "no language model is in use").await;
    w.quit().await;
}
