//! The driver over a world in another process: steps beside it, stopping, death, restart with replay, files that start nothing.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::support::driver::{Counter, Scripted, Turn, Watched, header, setup};
use stepwright::driver::{Beginning, CandidateCommand, Command, Level, Notice, ProcessStatus, Request, Setup};
use stepwright::episode::{Event, Header, log};
use stepwright::precondition::{CandidateAsks, CandidateOrigin};
use stepwright::world::World;
use stepwright::world::external::{Adapter, ExternalWorld};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/stand_in.sh");

fn world(folder: &Path) -> ExternalWorld {
    let asked = folder.join("asked").display().to_string();
    let adapter = Adapter {
        step_timeout: Duration::from_secs(60),
        ..Adapter::new("stand-in", vec!["/bin/sh".into(), SCRIPT.into(), asked])
    };
    ExternalWorld::new(Arc::new(adapter), None).unwrap()
}

fn header_of(world: &ExternalWorld) -> Header {
    Header {
        world: "external".into(),
        task: "stand-in".into(),
        sentence: "count to nine.".into(),
        specification: world.specification().into_owned(),
        opening: vec!["def episode():".into(), "env = Environment()".into(), "agent = Agent(env)".into()],
        model: "symbolic".into(),
        ..header()
    }
}

/// A driver over the stand-in without a model: a person types.
fn set_up(folder: &Path, beginning: Option<Beginning>, log: Option<log::Writer>) -> Setup {
    let world = world(folder);
    let beginning = beginning.unwrap_or_else(|| Beginning::New(Box::new(header_of(&world))));
    let mut setup = setup(beginning, Counter::default(), Scripted::new([]), log);
    setup.world = Box::new(world);
    setup.source = stepwright::driver::Source::Symbolic;
    setup
}

fn asked(folder: &Path) -> String {
    let text = std::fs::read_to_string(folder.join("asked")).unwrap_or_default();
    text.replace("{\"reset\":\"\"}", "reset").replace("{\"act\":\"", "").replace("\"}", "").replace('\n', " ")
}

fn started(folder: &Path) -> usize {
    std::fs::read_to_string(folder.join("asked.pids")).unwrap_or_default().lines().count()
}

async fn act(watched: &mut Watched, text: &str) -> String {
    watched.send(Command::Gate(Request::Manual { text: text.into() }));
    watched.executed().await
}

/// The end of a step that failed: the record of it.
async fn failed(watched: &mut Watched) -> String {
    let notice = watched
        .until("a failure", |n, _| matches!(n, Notice::Recorded(r) if matches!(r.event, Event::Failed { .. })))
        .await;
    match notice {
        Notice::Recorded(record) => match &record.event {
            Event::Failed { error } => error.clone(),
            _ => unreachable!(),
        },
        _ => unreachable!(),
    }
}

async fn situation(watched: &mut Watched) -> serde_json::Value {
    match watched.until("a situation", |n, _| matches!(n, Notice::Situation(_))).await {
        Notice::Situation(situation) => situation.truth.clone(),
        _ => unreachable!(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_world_that_dies_is_restarted_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let mut watched = Watched::start(set_up(folder.path(), None, None));
    assert_eq!(situation(&mut watched).await["n"], 0);
    assert_eq!(act(&mut watched, "add").await, "total 1");
    assert_eq!(act(&mut watched, "add").await, "total 2");
    watched.send(Command::Gate(Request::Manual { text: "die".into() }));
    let error = failed(&mut watched).await;
    assert!(error.contains("ended before step 3 was answered (exit status: 3); its last words: Traceback"), "{error}");
    let dead = |n: &&Notice| matches!(n, Notice::World(ProcessStatus::Dead { last_words, .. }) if last_words[0].starts_with("Traceback"));
    assert!(watched.notices.iter().any(|n| dead(&n)));
    // The session is where it was. Restarting replays the steps and says so.
    assert_eq!(watched.session.current().unwrap().depth, 2);
    watched.send(Command::RestartWorld);
    watched.said(Level::Info, "restarted; 2 steps replayed, all as recorded").await;
    assert_eq!(asked(folder.path()), "reset add add die reset add add ");
    assert_eq!(act(&mut watched, "add").await, "total 3");
    // Taking a step after a death does the same without being asked to.
    watched.send(Command::Gate(Request::Manual { text: "die".into() }));
    failed(&mut watched).await;
    assert_eq!(act(&mut watched, "add").await, "total 4");
    assert_eq!(started(folder.path()), 3);
    // Going back asks nothing; continuing from there resets the running process.
    watched.send(Command::Gate(Request::Goto(1)));
    watched.until("the move", |_, s| s.cursor() == 1).await;
    assert_eq!(situation(&mut watched).await["n"], 1);
    assert_eq!(started(folder.path()), 3);
    assert_eq!(act(&mut watched, "again").await, "total 2");
    assert!(asked(folder.path()).ends_with("add reset add again "), "{}", asked(folder.path()));
    watched.quit().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_that_takes_long_keeps_nobody_waiting_and_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let mut watched = Watched::start(set_up(folder.path(), None, None));
    act(&mut watched, "add").await;
    watched.send(Command::Gate(Request::Manual { text: "hang".into() }));
    watched.until("work", |n, _| matches!(n, Notice::World(ProcessStatus::Working(w)) if w.contains("hang"))).await;
    // The driver answers meanwhile.
    watched.send(Command::CheckText { token: 7, text: "add".into() });
    watched.until("an answer", |n, _| matches!(n, Notice::TextChecked { token: 7, .. })).await;
    watched.send(Command::Cancel);
    let error = failed(&mut watched).await;
    assert!(error.contains("step 2 was stopped before"), "{error}");
    assert_eq!(act(&mut watched, "add").await, "total 2");
    // Leaving in the middle of a step ends it too.
    watched.send(Command::Gate(Request::Manual { text: "hang".into() }));
    watched.until("work", |n, _| matches!(n, Notice::World(ProcessStatus::Working(w)) if w.contains("hang"))).await;
    let records = watched.quit().await;
    assert!(records.iter().any(|r| matches!(&r.event, Event::Decided { .. })));
}

/// A driver over the stand-in whose programs are the counter's, with demonstrations and a model for candidates.
fn with_candidates(folder: &Path, model: Arc<Scripted>) -> Watched {
    let (world, counter) = (world(folder), header());
    let own = Header { specification: counter.specification, opening: counter.opening, ..header_of(&world) };
    let mut setup = set_up(folder, Some(Beginning::New(Box::new(own))), None);
    setup.source = stepwright::driver::Source::Language { name: "scripted".into(), model };
    setup.knowledge.demonstrations = Arc::new(vec![crate::driver_candidates::demonstration("one", &[4, 4, 2])]);
    setup.services = stepwright::driver::service::all(CandidateAsks { demonstrations: 1, samples: 3, at_once: 1 });
    Watched::start(setup)
}

#[tokio::test(flavor = "multi_thread")]
async fn candidates_are_written_while_a_step_is_under_way() {
    let folder = tempfile::tempdir().unwrap();
    let model = Scripted::new([
        Turn::Hang(""),
        Turn::Say(vec!["n < 5"], Duration::ZERO),
        Turn::Say(vec!["n > 0", "n > 1", "n > 9"], Duration::ZERO),
    ]);
    let mut watched = with_candidates(folder.path(), model.clone());
    // What is recorded was not sent yet: what follows is for the asks that come next.
    watched.until("an ask", |n, _| matches!(n, Notice::Stream { .. })).await;
    watched.send(Command::Gate(Request::Manual { text: "hang".into() }));
    watched.until("work", |n, _| matches!(n, Notice::World(ProcessStatus::Working(w)) if w.contains("hang"))).await;
    let infer = CandidateCommand::Infer { action: Some("add".into()), origin: CandidateOrigin::Model };
    watched.send(Command::Candidates(infer));
    watched.said(Level::Info, "4 completions read").await;
    let whole = |n: &Notice| matches!(n, Notice::Pool(p) if !p.running && p.candidates.len() == 4);
    if !watched.notices.iter().any(whole) {
        watched.until("a whole pool", |n, _| whole(n)).await;
    }
    let asked = model.asked.lock().unwrap().clone();
    assert_eq!(asked.len(), 3, "each ask is sent and paid for once");
    assert!(asked[1..].iter().all(|r| r.max_tokens == 160), "asked as candidates are asked for: {asked:?}");
    watched.send(Command::Cancel);
    failed(&mut watched).await;
    let stopped = |n: &Notice| matches!(n, Notice::Say { text, .. } if text.contains("stopped after"));
    assert!(!watched.notices.iter().any(stopped));
    watched.quit().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_adopted_during_a_step_can_be_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut watched = with_candidates(folder.path(), Scripted::new([Turn::Hang(""), Turn::Hang(""), Turn::Hang("")]));
    let own = watched.until("the beginning", |_, s| s.assertions().contains_key("add")).await;
    drop(own);
    let before = watched.session.assertions()["add"].clone();
    watched.send(Command::Gate(Request::Manual { text: "slow".into() }));
    watched.until("work", |n, _| matches!(n, Notice::World(ProcessStatus::Working(w)) if w.contains("slow"))).await;
    let (action, assertions) = ("add".to_owned(), vec!["n < 5".to_owned()]);
    watched.send(Command::Candidates(CandidateCommand::Adopt { action, assertions, origin: "edited".into() }));
    watched.until("the adoption", |_, s| s.assertions()["add"].0 == ["n < 5"]).await;
    assert_eq!(watched.session.current().unwrap().depth, 1, "after the step");
    watched.send(Command::Candidates(CandidateCommand::Undo { action: "add".into() }));
    watched.until("what was in force before", |_, s| s.assertions()["add"] == before).await;
    watched.quit().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_read_without_starting_anything() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    let writer = log::Writer::create(&path, &header_of(&world(folder.path()))).unwrap();
    let mut watched = Watched::start(set_up(folder.path(), None, Some(writer)));
    act(&mut watched, "add").await;
    act(&mut watched, "who").await;
    watched.send(Command::Gate(Request::Undo));
    watched.until("the move", |_, s| s.cursor() == 1).await;
    act(&mut watched, "add").await;
    watched.quit().await;
    let before = started(folder.path());

    let open = || {
        // The driver before it lets go of the file a moment after it has said that it stopped.
        let end = std::time::Instant::now() + Duration::from_secs(10);
        let (writer, loaded) = loop {
            match log::Writer::resume(&path) {
                Err(log::LogError::Locked { .. }) if std::time::Instant::now() < end => {
                    std::thread::sleep(Duration::from_millis(10));
                }
                other => break other.unwrap(),
            }
        };
        let beginning = Beginning::Resume { session: Box::new(loaded.session), records: loaded.records };
        Watched::start(set_up(folder.path(), Some(beginning), Some(writer)))
    };
    let mut watched = open();
    assert_eq!(situation(&mut watched).await, serde_json::Value::Null);
    assert!(watched.notices.contains(&Notice::World(ProcessStatus::Resting)));
    watched.send(Command::Gate(Request::Goto(0)));
    watched.until("the move", |_, s| s.cursor() == 0).await;
    watched.send(Command::Gate(Request::Goto(3)));
    watched.until("the move", |_, s| s.cursor() == 3).await;
    assert_eq!(started(folder.path()), before);
    // What the record does not hold is there after a restart; stepping continues from there.
    watched.send(Command::RestartWorld);
    watched.said(Level::Info, "2 steps replayed, all as recorded").await;
    assert_eq!(situation(&mut watched).await["n"], 2);
    assert_eq!(act(&mut watched, "add").await, "total 3");
    watched.quit().await;

    // A way that the process does not go again is said at its step, and the step is not taken.
    let mut watched = open();
    watched.send(Command::Gate(Request::Goto(2)));
    watched.until("the move", |_, s| s.cursor() == 2).await;
    watched.send(Command::Gate(Request::Manual { text: "add".into() }));
    let error = failed(&mut watched).await;
    assert!(error.contains("does not answer as recorded: step 2 (`who`): the observation was \"I am "), "{error}");
    watched.send(Command::Gate(Request::Goto(1)));
    watched.until("the move", |_, s| s.cursor() == 1).await;
    assert_eq!(act(&mut watched, "add").await, "total 2");
    watched.quit().await;
}
