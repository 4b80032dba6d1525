//! What scripts of sessions (`sessions`) cannot show of the driver: how a stream arrives, a process that dies, how many asks are under way
//! at once, a prompt that is too long.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use crate::support::driver::{Counter, Scripted, Turn, Watched, demonstration, header, setup};
use stepwright::driver::{Beginning, CandidateCommand, Command, Level, Notice, Request, Source};
use stepwright::episode::{AskState, log};
use stepwright::method::prompting::Prompting;
use stepwright::model::{
    Completion, LanguageModel, ModelError, ModelInfo, ModelKind, ModelRequest, ModelResponse, StreamEvent,
};
use stepwright::precondition::{CandidateAsks, CandidateOrigin};
use stepwright::world::ProgramHeader;
use stepwright::world::demonstration::Demonstration;
use stepwright_trajectory::Step;

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

/// Counts how many asks are under way at once.
#[derive(Default)]
struct Counting {
    now: AtomicUsize,
    most: AtomicUsize,
    asked: std::sync::Mutex<Vec<ModelRequest>>,
}

#[async_trait]
impl LanguageModel for Counting {
    fn info(&self) -> ModelInfo {
        ModelInfo { name: "counting".into(), kind: ModelKind::Recorded, endpoint: String::new() }
    }

    async fn complete(
        &self,
        request: &ModelRequest,
        _stream: &UnboundedSender<StreamEvent>,
        _cancel: &CancellationToken,
    ) -> Result<ModelResponse, ModelError> {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        let number = {
            let mut asked = self.asked.lock().unwrap();
            asked.push(request.clone());
            asked.len()
        };
        tokio::time::sleep(Duration::from_millis(20)).await;
        self.now.fetch_sub(1, Ordering::SeqCst);
        let completion =
            |k: u32| Completion { text: format!("n < {}", number as u32 + 4 + k), ..Completion::default() };
        Ok(ModelResponse::of((0..request.n).map(completion).collect(), None))
    }
}

#[tokio::test]
async fn several_asks_are_under_way_each_with_its_demonstration() {
    let model = Arc::new(Counting::default());
    let mut setup = setup(Beginning::New(Box::new(header())), Counter::default(), Scripted::lines(&[]), None);
    setup.knowledge.demonstrations =
        Arc::new(vec![demonstration("one", &[4, 4, 2]), demonstration("two", &[3, 3, 3, 1])]);
    setup.source = Source::Language { name: "counting".into(), model: model.clone() };
    let mut w = Watched::start(setup);
    w.recommended().await;
    w.send(Command::Candidates(CandidateCommand::SetAsks(CandidateAsks { demonstrations: 2, samples: 6, at_once: 3 })));
    w.send(Command::Candidates(CandidateCommand::Infer { action: Some("add".into()), origin: CandidateOrigin::Model }));
    let is_whole = |n: &Notice| matches!(n, Notice::Pool(p) if !p.running && !p.candidates.is_empty());
    let Notice::Pool(pool) = w.until("a whole pool", |n, _| is_whole(n)).await else { unreachable!() };
    assert!(!pool.candidates.is_empty() && pool.candidates.iter().any(|c| c.times > 1), "written twice, one row");
    assert_eq!(pool.candidates.iter().map(|c| c.times).sum::<u32>(), 14, "every completion counts");
    assert_eq!(model.most.load(Ordering::SeqCst), 3);
    let asked = model.asked.lock().unwrap().clone();
    let asked: Vec<&ModelRequest> =
        asked.iter().filter(|r| r.messages.iter().any(|m| m.text.contains("Complete the assertion"))).collect();
    let n: Vec<u32> = asked.iter().map(|r| r.n).collect();
    assert_eq!(n, [1, 4, 2, 1, 4, 2]);
    let shows = |r: &ModelRequest, call: &str| r.messages.iter().any(|m| m.text.contains(call));
    assert!(shows(asked[0], "agent.add(4)") && !shows(asked[0], "agent.add(3)"));
    assert!(shows(asked[5], "agent.add(3)") && !shows(asked[5], "agent.add(4)"));
    let progress = w.notices.iter().filter_map(|n| match n {
        Notice::Progress { what, done, total } if what.contains("counting") => Some((*done, *total)),
        _ => None,
    });
    let progress: Vec<(usize, usize)> = progress.collect();
    assert!(progress.windows(2).all(|t| t[0].0 <= t[1].0) && progress.last() == Some(&(14, 14)), "{progress:?}");
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
    assert!(model.asked.lock().unwrap()[1].messages.iter().all(|m| !m.text.contains("def other()")));
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

/// Another node is looked at: its state is told with what its own step changed, and the session stays where it is.
#[tokio::test]
async fn another_node_can_be_looked_at() {
    let mut w = Watched::new(Scripted::lines(&["agent.add(4)", "agent.add(3)", "agent.add(1)"]));
    for _ in 0..2 {
        w.recommended().await;
        w.approve();
        w.executed().await;
    }
    w.recommended().await;
    let records = w.records.len();
    for (node, total, changed) in [(1, 4, true), (0, 0, false), (2, 7, true), (1, 4, true)] {
        w.send(Command::Look { node });
        let looked = w.until("the state there", |n, _| matches!(n, Notice::Looked(_))).await;
        let Notice::Looked(there) = looked else { panic!("{looked:?}") };
        assert_eq!((there.node, &there.truth["total"]), (node, &serde_json::json!(total)));
        let changes = there.truth_changes.as_array().unwrap();
        assert_eq!(changes.len(), usize::from(changed), "{changes:?}");
        assert!(changes.iter().all(|change| change["value"] == total), "{changes:?}");
    }
    assert_eq!((w.records.len(), w.session.cursor()), (records, 2), "nothing is recorded");
    w.send(Command::Look { node: 99 });
    w.approve();
    assert!(w.executed().await.contains('8'));
    w.quit().await;
}
