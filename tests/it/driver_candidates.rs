//! Candidate preconditions through the driver: inferred, typed, rejected, written by a model; beside a running episode.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use crate::support::driver::{Counter, Scripted, Turn, Watched, header, setup};
use stepwright::driver::{
    Beginning, CandidateCommand, Command, Level, Notice, Persistence, Request, SetSource, Source,
};
use stepwright::episode::{Configuration, Event, Policy, Session};
use stepwright::model::{
    Completion, LanguageModel, ModelError, ModelInfo, ModelKind, ModelRequest, ModelResponse, StreamEvent,
};
use stepwright::precondition::{AdoptedSet, CandidateAsks, CandidateOrigin, Pool, Validity};
use stepwright::program::{Call, Literal};
use stepwright::world::ProgramHeader;
use stepwright::world::demonstration::Demonstration;
use stepwright_trajectory::Step;

/// An episode in which these numbers were added.
pub fn demonstration(id: &str, numbers: &[i64]) -> Demonstration {
    let call = |function: &str, n: i64| Call {
        receiver: "agent".into(),
        function: function.into(),
        args: vec![Literal::Int(n)],
    };
    let mut total = 0;
    let steps = numbers.iter().map(|n| {
        total += n;
        Step { call: Some(call("add", *n)), calls: vec![call("set_total", total)], ..Default::default() }
    });
    Demonstration {
        id: id.into(),
        task_type: "count".into(),
        sentence: "reach ten.".into(),
        header: ProgramHeader { function: "reach_ten".into(), comment: "reach ten.".into(), setup: vec![] },
        steps: std::iter::once(Step::default()).chain(steps).collect(),
    }
}

fn asks(demonstrations: usize, samples: u32, at_once: usize) -> CandidateAsks {
    CandidateAsks { demonstrations, samples, at_once }
}

fn watched(model: Arc<Scripted>) -> Watched {
    asking(model, asks(1, 3, 1))
}

fn asking(model: Arc<Scripted>, asks: CandidateAsks) -> Watched {
    let mut setup = setup(Beginning::New(Box::new(header())), Counter::default(), model, None);
    setup.knowledge.demonstrations =
        Arc::new(vec![demonstration("one", &[4, 4, 2]), demonstration("two", &[3, 3, 3, 1])]);
    setup.services = stepwright::driver::service::all(asks);
    Watched::start(setup)
}

/// Waits until a model writes for no pool any more.
async fn whole(w: &mut Watched) -> Arc<Pool> {
    let last = w.notices.iter().rev().find_map(|n| if let Notice::Pool(pool) = n { Some(pool.clone()) } else { None });
    if let Some(pool) = last.filter(|p| !p.running) {
        return pool;
    }
    match w.until("a whole pool", |n, _| matches!(n, Notice::Pool(p) if !p.running)).await {
        Notice::Pool(pool) => pool,
        _ => unreachable!(),
    }
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
    let put =
        |text: &str| Command::Candidates(CandidateCommand::Put { action: "add".into(), id: None, text: text.into() });
    w.send(put("n < 5"));
    assert_eq!(pool(&mut w).await.candidates[0].fate, Validity::Valid);
    w.send(put("n == 4"));
    let second = pool(&mut w).await;
    assert!(matches!(second.candidates[1].fate, Validity::Fails { .. }), "{second:?}");
    w.send(Command::Candidates(CandidateCommand::Try { token: 3, action: "add".into(), text: "n <".into() }));
    let notice = w.until("the judgement", |n, _| matches!(n, Notice::CandidateChecked { token: 3, .. })).await;
    let Notice::CandidateChecked { inspection: Ok(seen), .. } = notice else { panic!("{notice:?}") };
    assert!(matches!(seen.candidate.fate, Validity::Malformed { .. }), "{seen:?}");
    w.send(Command::Candidates(CandidateCommand::Try { token: 4, action: "add".into(), text: "n < 5".into() }));
    let notice = w.until("the look", |n, _| matches!(n, Notice::CandidateChecked { token: 4, .. })).await;
    let Notice::CandidateChecked { inspection: Ok(seen), .. } = notice else { panic!("{notice:?}") };
    assert!(seen.excluded == 0 && seen.in_force && seen.candidate.id == 0, "{seen:?}");
    w.send(Command::Candidates(CandidateCommand::Try { token: 5, action: "fly".into(), text: "n".into() }));
    let notice = w.until("an answer", |n, _| matches!(n, Notice::CandidateChecked { token: 5, .. })).await;
    assert!(
        matches!(notice, Notice::CandidateChecked { inspection: Err(why), .. } if why.contains("`fly` is no action"))
    );
    w.send(Command::Candidates(CandidateCommand::Reject { action: "add".into(), id: 0, rejected: true }));
    assert!(pool(&mut w).await.candidates[0].rejected);
    w.send(put("n > 0"));
    assert_eq!(pool(&mut w).await.candidates.len(), 3, "what was tried is not kept");
    w.send(Command::Candidates(CandidateCommand::Put { action: "fly".into(), id: None, text: "n".into() }));
    w.said(Level::Error, "`fly` is no action").await;
    w.quit().await;
}

#[tokio::test]
async fn the_enumerator_fills_the_pools_and_reports_its_progress() {
    let mut w = watched(Scripted::lines(&["agent.add(1)"]));
    w.recommended().await;
    w.send(Command::Candidates(CandidateCommand::Infer { action: None, origin: CandidateOrigin::Enumerated }));
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
async fn a_model_writes_candidates_as_asides_of_the_session() {
    let model = Scripted::new([
        Turn::Say(vec!["agent.add(1)"], Duration::ZERO),
        Turn::Say(vec!["assert n < 5\nassert n > 0"], Duration::from_millis(20)),
        Turn::Say(vec!["n > 9", "import os", "\n"], Duration::from_millis(20)),
    ]);
    let mut w = watched(model.clone());
    w.recommended().await;
    w.send(Command::Candidates(CandidateCommand::Infer { action: Some("add".into()), origin: CandidateOrigin::Model }));
    let first = pool(&mut w).await;
    assert!(first.running && first.candidates.is_empty(), "the pool says that it will grow");
    let growing = pool(&mut w).await;
    let texts = |pool: &Pool| pool.candidates.iter().map(|c| c.text.clone()).collect::<Vec<_>>();
    assert!(growing.running, "more is to come");
    assert_eq!(texts(&growing), ["n < 5", "n > 0"], "one completion, two assertions");
    let pool = whole(&mut w).await;
    assert_eq!(texts(&pool), ["n < 5", "n > 0", "n > 9", "import os", "(empty)"]);
    assert!(pool.candidates.iter().all(|c| c.origin == CandidateOrigin::Model && c.times == 1));
    assert!(matches!(pool.candidates[3].fate, Validity::Malformed { .. }));
    let Validity::Malformed { reason, message } = &pool.candidates[4].fate else { panic!("{pool:?}") };
    assert!(reason == "Unreadable" && message.contains("empty"), "a line that cannot be read has its row and reason");
    let turn = &w.session.current().unwrap().turn;
    let asked: Vec<(String, u32, f64)> =
        turn.asks.iter().skip(1).map(|a| (a.kind.to_string(), a.n, a.temperature)).collect();
    assert_eq!(asked, [("assertions for add".to_owned(), 1, 0.0), ("assertions for add".to_owned(), 3, 0.7)]);
    assert_eq!(turn.proposals.len(), 1, "an aside proposes no action");
    let prompt = model.asked.lock().unwrap()[1].messages.iter().map(|m| m.text.clone()).collect::<String>();
    assert!(
        prompt.contains("def add(self, n)") && !prompt.contains("assert n < 5"),
        "the model is not shown the answer: {prompt}"
    );
    w.quit().await;
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
    w.send(Command::Candidates(CandidateCommand::SetAsks(asks(2, 6, 3))));
    w.send(Command::Candidates(CandidateCommand::Infer { action: Some("add".into()), origin: CandidateOrigin::Model }));
    let pool = whole(&mut w).await;
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

#[tokio::test]
async fn what_was_written_before_cancelling_is_kept() {
    let model = Scripted::new([
        Turn::Say(vec!["agent.add(1)"], Duration::ZERO),
        Turn::Say(vec!["n < 5"], Duration::ZERO),
        Turn::Hang("n >"),
        Turn::Hang("n =="),
    ]);
    let mut w = asking(model, asks(2, 1, 2));
    w.recommended().await;
    w.send(Command::Candidates(CandidateCommand::Infer { action: Some("add".into()), origin: CandidateOrigin::Model }));
    w.until("the first", |n, _| matches!(n, Notice::Pool(p) if p.running && p.candidates.len() == 1)).await;
    w.send(Command::Cancel);
    w.said(Level::Info, "stopped after 1 of 4 completions; what they gave is kept").await;
    assert_eq!(whole(&mut w).await.candidates.len(), 1);
    // It can be begun again.
    w.send(Command::Candidates(CandidateCommand::Infer { action: Some("add".into()), origin: CandidateOrigin::Model }));
    w.until("an ask", |n, _| matches!(n, Notice::Recorded(r) if matches!(r.event, Event::Asked { .. }))).await;
    w.quit().await;
}

#[tokio::test]
async fn what_a_person_made_of_the_candidates_is_in_the_log_and_there_again() {
    let put =
        |id, text: &str| Command::Candidates(CandidateCommand::Put { action: "add".into(), id, text: text.into() });
    let reject = |id, rejected| Command::Candidates(CandidateCommand::Reject { action: "add".into(), id, rejected });
    let infer = || Command::Candidates(CandidateCommand::Infer { action: None, origin: CandidateOrigin::Enumerated });
    let mut w = watched(Scripted::lines(&["agent.add(1)"]));
    w.recommended().await;
    w.send(put(None, "n < 5"));
    pool(&mut w).await;
    w.send(infer());
    let mut last = pool(&mut w).await;
    w.said(Level::Info, "are inferred").await;
    assert!(last.candidates.len() > 3, "{last:?}");
    let undo = Command::Candidates(CandidateCommand::Undo { action: "add".into() });
    for command in [put(Some(2), "n < 6"), reject(1, true), put(None, "n > -1"), reject(0, true), undo, reject(2, true)]
    {
        w.send(command);
        last = pool(&mut w).await;
    }
    let place = |w: &Watched, is: &dyn Fn(&Notice) -> bool| w.notices.iter().position(is).unwrap();
    let recorded = place(&w, &|n| matches!(n, Notice::Recorded(r) if matches!(r.event, Event::CandidateEdited { .. })));
    assert!(recorded < place(&w, &|n| matches!(n, Notice::Pool(_))), "nothing changes before its record is written");
    let records = w.quit().await;
    let mut session = Session::new(header());
    records.iter().for_each(|r| session.apply(r).unwrap());
    assert_eq!(session.candidate_edits()["add"].len(), 5, "what was taken back is left out");

    let beginning = Beginning::Resume { session: Box::new(session), records };
    let mut setup = setup(beginning, Counter::default(), Scripted::lines(&[]), None);
    setup.knowledge.demonstrations =
        Arc::new(vec![demonstration("one", &[4, 4, 2]), demonstration("two", &[3, 3, 3, 1])]);
    let mut again = Watched::start(setup);
    again.send(infer());
    let found = pool(&mut again).await;
    assert_eq!(found, last, "the same candidates, edited and rejected ones too");
    again.quit().await;
}

#[tokio::test]
async fn a_candidate_is_not_changed_where_the_session_cannot_be_written() {
    let mut w = watched(Scripted::lines(&["agent.add(1)"]));
    w.recommended().await;
    let records = w.quit().await;
    let mut session = Session::new(header());
    records.iter().for_each(|r| session.apply(r).unwrap());
    let beginning = Beginning::Resume { session: Box::new(session), records };
    let mut setup = setup(beginning, Counter::default(), Scripted::lines(&[]), None);
    setup.knowledge.demonstrations = Arc::new(vec![demonstration("one", &[4, 4, 2])]);
    // A file lies where the folder of the log would be.
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("sessions");
    std::fs::write(&place, "").unwrap();
    setup.keep = Persistence::Copy(place.join("copy.jsonl"));
    let mut w = Watched::start(setup);
    let put =
        |text: &str| Command::Candidates(CandidateCommand::Put { action: "add".into(), id: None, text: text.into() });
    w.send(put("n < 5"));
    w.said(Level::Error, "Nothing happens until the session can be written").await;
    w.send(Command::Gate(Request::Note("too early".into())));
    w.said(Level::Error, "Nothing happens until the session can be written").await;
    assert!(!w.notices.iter().any(|n| matches!(n, Notice::Pool(_))), "the candidates are as they are recorded");
    std::fs::remove_file(&place).unwrap();
    w.send(Command::Gate(Request::Note("go on".into())));
    assert_eq!(pool(&mut w).await.candidates.len(), 1, "made as soon as it is written");
    w.quit().await;
}

#[tokio::test]
async fn a_failing_ask_stops_further_ones_and_keeps_the_others() {
    let failure = ModelError::Unreachable { endpoint: "scripted".into(), message: "no route".into() };
    let model = Scripted::new([
        Turn::Say(vec!["agent.add(1)"], Duration::ZERO),
        Turn::Fail(failure),
        Turn::Say(vec!["n < 5"], Duration::from_millis(50)),
    ]);
    let mut w = asking(model.clone(), asks(2, 4, 2));
    w.recommended().await;
    w.send(Command::Candidates(CandidateCommand::Infer { action: Some("add".into()), origin: CandidateOrigin::Model }));
    w.said(Level::Error, "no route").await;
    let pool = match w.until("the other's", |n, _| matches!(n, Notice::Pool(p) if !p.candidates.is_empty())).await {
        Notice::Pool(pool) => pool,
        _ => unreachable!(),
    };
    assert_eq!(pool.candidates[0].text, "n < 5");
    assert_eq!(model.asked.lock().unwrap().len(), 3, "nothing further was asked");
    w.quit().await;
}

#[tokio::test]
async fn changes_to_candidates_and_to_what_is_in_force_are_taken_back_in_order() {
    let mut w = watched(Scripted::lines(&["agent.add(1)"]));
    w.recommended().await;
    let adopt = |texts: &[&str]| {
        Command::Candidates(CandidateCommand::Adopt {
            action: "add".into(),
            assertions: texts.iter().map(|t| (*t).to_owned()).collect(),
            origin: "edited".into(),
        })
    };
    let before = w.session.assertions().get("add").cloned().unwrap();
    w.send(Command::Candidates(CandidateCommand::Put { action: "add".into(), id: None, text: "n < 5".into() }));
    pool(&mut w).await;
    w.send(adopt(&["n < 5"]));
    w.said(Level::Info, "in force for add").await;
    w.send(Command::Candidates(CandidateCommand::Reject { action: "add".into(), id: 0, rejected: true }));
    pool(&mut w).await;
    let undo = || Command::Candidates(CandidateCommand::Undo { action: "add".into() });
    w.send(undo());
    assert!(!pool(&mut w).await.candidates[0].rejected);
    w.send(undo());
    w.until("what was in force again", |_, s| s.assertions().get("add") == Some(&before)).await;
    w.send(undo());
    assert!(pool(&mut w).await.candidates.is_empty());
    w.send(undo());
    w.said(Level::Info, "left to undo").await;
    for _ in 0..2 {
        w.send(Command::Candidates(CandidateCommand::Redo { action: "add".into() }));
    }
    let mut there = false;
    w.until("both again", |n, s| {
        there |= matches!(n, Notice::Pool(p) if p.candidates.len() == 1);
        there && s.assertions().get("add").is_some_and(|(texts, _)| texts == &["n < 5"])
    })
    .await;
    w.quit().await;
}

#[tokio::test]
async fn sets_are_saved_compared_and_put_in_force_whole_or_not_at_all() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mine.preconditions.py");
    let mut w = watched(Scripted::lines(&["agent.add(1)"]));
    w.recommended().await;
    w.send(Command::Candidates(CandidateCommand::SaveSet(path.clone())));
    w.said(Level::Info, "written to").await;
    let saved = AdoptedSet::read(&path).unwrap();
    let own = w.session.assertions().get("add").cloned().unwrap().0;
    assert_eq!(saved.of("add"), own);
    let mine = "def add(self, n):\n    assert n < 5\n";
    std::fs::write(&path, mine).unwrap();
    w.send(Command::Candidates(CandidateCommand::Compare {
        token: 9,
        left: SetSource::InForce,
        right: SetSource::File(path.clone()),
    }));
    let notice = w.until("a comparison", |n, _| matches!(n, Notice::SetsCompared { token: 9, .. })).await;
    let Notice::SetsCompared { comparison, right, .. } = notice else { unreachable!() };
    assert_eq!((comparison.left.as_str(), comparison.right.as_str()), ("in force", "mine.preconditions.py"));
    let add = comparison.actions.iter().find(|a| a.action == "add").unwrap();
    assert!(add.rows.iter().any(|r| r.right.as_deref() == Some("n < 5")), "{add:?}");
    assert_eq!(w.session.assertions().get("add").unwrap().0, own, "looking changes nothing");
    w.send(Command::Candidates(CandidateCommand::AdoptSet { origin: "mine".into(), set: (*right).clone() }));
    w.said(Level::Info, "mine is in force; the assertions of 1 action changed").await;
    assert_eq!(w.session.assertions().get("add").unwrap().0, ["n < 5"]);
    let records = w.records.len();
    for wrong in
        ["def add(self, n):\n    assert n\n\ndef fly(self):\n    assert 1\n", "def add(self, n):\n    assert n <\n"]
    {
        w.send(Command::Candidates(CandidateCommand::AdoptSet {
            origin: "wrong".into(),
            set: AdoptedSet::parse(wrong, "x").unwrap(),
        }));
        w.said(Level::Error, "nothing of wrong was put in force").await;
    }
    assert_eq!(w.records.len(), records, "all or nothing");
    w.send(Command::Candidates(CandidateCommand::Compare {
        token: 10,
        left: SetSource::InForce,
        right: SetSource::File("none.py".into()),
    }));
    w.said(Level::Error, "none.py").await;
    // What a file gets wrong is said before anything of it is compared or adopted.
    std::fs::write(&path, "def add(self, n):\n    assert n <\n").unwrap();
    w.send(Command::Candidates(CandidateCommand::Compare {
        token: 12,
        left: SetSource::InForce,
        right: SetSource::File(path.clone()),
    }));
    w.said(Level::Error, "`n <` of add is no assertion").await;
    w.send(Command::Candidates(CandidateCommand::Compare {
        token: 11,
        left: SetSource::InForce,
        right: SetSource::Truth,
    }));
    w.said(Level::Error, "gives no ground truth").await;
    w.quit().await;
}

#[tokio::test]
async fn a_token_budget_holds_for_candidates_too() {
    let mut w = watched(Scripted::lines(&["agent.add(1)"]));
    w.recommended().await;
    w.send(Command::Gate(Request::SetPolicy(Policy { token_budget: Some(50), ..Policy::default() })));
    w.send(Command::Candidates(CandidateCommand::Infer { action: Some("add".into()), origin: CandidateOrigin::Model }));
    w.said(Level::Warning, "budget of 50 tokens").await;
    let records = w.quit().await;
    assert_eq!(records.iter().filter(|r| matches!(r.event, Event::Asked { .. })).count(), 1);
}

#[tokio::test]
async fn without_a_language_model_none_is_asked() {
    let mut w = watched(Scripted::lines(&["agent.add(1)"]));
    w.recommended().await;
    w.send(Command::Gate(Request::Configure(Configuration {
        model: "symbolic".into(),
        method: "few-shot".into(),
        ..Configuration::default()
    })));
    w.recommended().await;
    w.send(Command::Candidates(CandidateCommand::Infer { action: None, origin: CandidateOrigin::Model }));
    w.said(Level::Warning, "no language model is in use").await;
    w.quit().await;
}

#[tokio::test]
async fn a_model_scores_the_valid_candidates_that_forbid_something() {
    let (strong, weak) = ("self.total + n <= 10", "self.total < 9 or n < 2");
    let model = Scripted::new([
        Turn::Say(vec!["agent.add(1)"], Duration::ZERO),
        Turn::Score(vec![(strong, -0.5), (weak, -1.25)]),
        Turn::HangScoring,
    ]);
    let mut w = watched(model.clone());
    w.recommended().await;
    let score = || Command::Candidates(CandidateCommand::Score { action: "add".into() });
    w.send(score());
    w.said(Level::Info, "infer some first").await;
    for text in [weak, "n == 4", "n < 50", strong] {
        w.send(Command::Candidates(CandidateCommand::Put { action: "add".into(), id: None, text: text.into() }));
        pool(&mut w).await;
    }
    w.send(score());
    let pool = pool(&mut w).await;
    let scores: Vec<Option<f64>> = pool.candidates.iter().map(|c| c.logprob).collect();
    assert_eq!(scores, [Some(-1.25), None, None, Some(-0.5)], "what fails or forbids nothing is not scored");
    let asked = model.asked.lock().unwrap()[1].clone();
    assert!(asked.messages[0].text.ends_with("def add(self, n):\n        assert"), "{asked:?}");
    let turn = &w.session.current().unwrap().turn;
    assert_eq!(turn.asks[1].kind.to_string(), "likelihood of 2 assertions for add");
    // It is stopped like anything else.
    w.send(score());
    w.until("an ask", |n, _| matches!(n, Notice::Recorded(r) if matches!(r.event, Event::Asked { .. }))).await;
    w.send(Command::Cancel);
    w.until(
        "its end",
        |n, _| matches!(n, Notice::Recorded(r) if matches!(r.event, Event::AskFailed { cancelled: true, .. })),
    )
    .await;
    w.quit().await;
}
