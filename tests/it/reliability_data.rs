//! Disk faults under a session: failed syncs, full disks, files that are deleted, replaced or cut. Tests are named after the defects in
//! `docs/explanation/reliability.md`.

use std::fs;
use std::path::Path;

use crate::support::driver::{Counter, Scripted, Watched, header, setup};
use crate::support::opened::configuration;
use crate::support::program::program;
use stepwright::driver::{
    Beginning, Command, Level, NewSession, Notice, OpenRequest, Persistence, Request, Unwritten, prepare,
};
use stepwright::episode::{Event, Record, log};
use stepwright::methods::METHODS;
use stepwright::study::run::RunResult;
use stepwright::study::runner::{Opening, SessionFolder};
use stepwright_files::faults::{self, EINVAL, EIO, ENOSPC, Fault, Operation};
use stepwright_files::losses::LOSSES;

const LINES: [&str; 3] = ["agent.add(4)", "agent.add(4)", "agent.add(2)"];

/// The error number of a read-only file system.
const EROFS: i32 = 30;

fn begun(path: &Path) -> Watched {
    let writer = log::Writer::create(path, &header()).unwrap();
    Watched::start(setup(Beginning::New(Box::new(header())), Counter::default(), Scripted::lines(&LINES), Some(writer)))
}

/// Waits for a decision to be kept, on the path to the next step.
async fn step(w: &mut Watched) {
    w.recommended().await;
    w.approve();
    w.executed().await;
}

fn numbers(records: &[Record]) -> Vec<u64> {
    records.iter().map(|record| record.id).collect()
}

/// The file holds every record that was shown, each once.
fn is_whole(path: &Path, shown: &[Record]) {
    let loaded = log::load(path).unwrap();
    assert_eq!(loaded.records, shown);
    assert_eq!(numbers(&loaded.records), (1..=shown.len() as u64).collect::<Vec<_>>());
    assert_eq!((loaded.torn, loaded.remarks), (None, Vec::new()));
}

#[tokio::test]
async fn d1_a_failed_sync_never_writes_a_record_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let mut w = begun(&path);
    w.recommended().await;
    let broken = faults::inject(Fault { times: 3, ..Fault::next(folder.path(), Operation::Sync, EIO) });
    w.approve();
    w.said(Level::Error, "make room and try again").await;
    for _ in 0..2 {
        w.send(Command::Write);
        w.said(Level::Error, "make room and try again").await;
    }
    assert!(!w.records.iter().any(|r| matches!(r.event, Event::Decided { .. })), "nothing is shown that is not kept");
    w.send(Command::Write);
    assert_eq!(w.executed().await, "The total is 4.");
    drop(broken);
    // Where a file system cannot sync at all, work goes on, and adds nothing.
    let _none = faults::inject(Fault { times: 99, ..Fault::next(folder.path(), Operation::Sync, EINVAL) });
    step(&mut w).await;
    step(&mut w).await;
    is_whole(&path, &w.quit().await);
}

#[tokio::test]
async fn who_leaves_while_the_disk_is_full_is_told_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let mut w = begun(&path);
    w.recommended().await;
    let _full = faults::inject(Fault { times: 99, ..Fault::next(folder.path(), Operation::Write, ENOSPC) });
    w.approve();
    w.until("the full disk", |n, _| matches!(n, Notice::Unwritten(Some(Unwritten::Failed)))).await;
    w.send(Command::Quit);
    let missing = |n: &Notice, _: &_| matches!(n, Notice::Say { level: Level::Error, text } if text == "what was decided last could not be written");
    w.until("what is missing", missing).await;
}

#[tokio::test]
async fn d20_after_a_full_disk_writing_again_goes_on_from_any_record() {
    // Wherever in the records of a step the disk is full.
    for skip in 0..6 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        let mut w = begun(&path);
        w.recommended().await;
        let full = Fault { skip, bytes: 7, ..Fault::next(folder.path(), Operation::Write, ENOSPC) };
        let _full = faults::inject(full);
        w.approve();
        w.until("the full disk", |n, _| matches!(n, Notice::Unwritten(Some(Unwritten::Failed)))).await;
        w.send(Command::Write);
        w.until("room", |n, _| matches!(n, Notice::Unwritten(None))).await;
        step_to(&mut w, 1).await;
        is_whole(&path, &w.quit().await);
    }
}

/// M3: after an error of the disk the system has the file system read-only, and no room that is made helps.
#[tokio::test]
async fn m3_where_nothing_can_be_written_any_more_another_file_is_offered() {
    const EROFS: i32 = 30;
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut w = begun(&folder.path().join("s.jsonl"));
    w.recommended().await;
    let _read_only = faults::inject(Fault { times: 99, ..Fault::next(folder.path(), Operation::Write, EROFS) });
    w.approve();
    w.until("the refusal", |n, _| matches!(n, Notice::Unwritten(Some(Unwritten::Lost)))).await;
    let offered = |n: &Notice| matches!(n, Notice::Say { level: Level::Error, text } if text.contains("name a file to write it to"));
    assert!(w.notices.iter().any(offered));
    let anew = other.path().join("anew.jsonl");
    w.send(Command::Keep(anew.clone()));
    w.until("the new file", |n, _| *n == Notice::Kept(anew.clone())).await;
    step_to(&mut w, 1).await;
    is_whole(&anew, &w.quit().await);
}

/// L1: where one goes is in the file at once; whoever only reads a session leaves it as it is.
#[tokio::test]
async fn l1_a_move_is_a_record_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let mut w = begun(&path);
    step(&mut w).await;
    let moved = |n: &Notice, _: &_| matches!(n, Notice::Recorded(r) if matches!(r.event, Event::Moved { .. }));
    w.send(Command::Gate(Request::Undo));
    w.until("the way back", moved).await;
    is_whole(&path, &w.records);
    assert_eq!(log::load(&path).unwrap().session.cursor(), 0);
    w.quit().await;
    let before = fs::read(&path).unwrap();
    let (writer, loaded) = log::Writer::resume(&path).unwrap();
    let beginning = Beginning::Resume { session: Box::new(loaded.session), records: loaded.records };
    let mut w = Watched::start(setup(beginning, Counter::default(), Scripted::lines(&[]), Some(writer)));
    w.send(Command::Gate(Request::Redo));
    w.until("the way forth", moved).await;
    assert_eq!(fs::read(&path).unwrap(), before);
    w.quit().await;
}

/// L3: a session that is open elsewhere is neither renamed nor deleted.
#[test]
fn l3_what_is_open_elsewhere_is_not_taken_away() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("open.jsonl");
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("sessions/solved.jsonl"), &file).unwrap();
    let sessions = |words: &[&std::ffi::OsStr]| {
        let output = program(folder.path()).arg("sessions").args(words).output().unwrap();
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let free = folder.path().join("free.jsonl");
    fs::copy(&file, &free).unwrap();
    let held = stepwright::episode::log::Writer::resume(&file).unwrap();
    for words in [
        ["rename".as_ref(), file.as_os_str(), "other".as_ref()],
        ["delete".as_ref(), "--yes".as_ref(), file.as_os_str()],
    ] {
        let (done, said) = sessions(&words);
        assert!(!done && said.contains("another stepwright has this session open"), "{said}");
        assert!(file.exists());
    }
    let (done, _) = sessions(&["delete".as_ref(), "--yes".as_ref(), free.as_os_str(), file.as_os_str()]);
    assert!(!done && free.exists(), "all or none");
    // One that is named twice is deleted once.
    let twice = sessions(&["delete".as_ref(), "--yes".as_ref(), free.as_os_str(), free.as_os_str()]);
    assert!(twice.0 && !free.exists(), "{}", twice.1);
    drop(held);
    assert!(sessions(&["rename".as_ref(), file.as_os_str(), "other".as_ref()]).0);
    assert!(sessions(&["delete".as_ref(), "--yes".as_ref(), folder.path().join("other.jsonl").as_os_str()]).0);
}

/// Waits until that many steps were taken.
async fn step_to(w: &mut Watched, depth: u32) {
    if w.session.current().is_none_or(|node| node.depth < depth) {
        w.until("a step", |_, s| s.current().is_some_and(|node| node.depth >= depth)).await;
    }
}

#[tokio::test]
async fn d7_a_file_that_is_gone_is_noticed_before_the_next_decision_and_written_anew() {
    for ((_, lose), steps) in LOSSES.into_iter().flat_map(|loss| (0..2).map(move |steps| (loss, steps))) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        let mut w = begun(&path);
        for _ in 0..steps {
            step(&mut w).await;
        }
        w.recommended().await;
        lose(&path).unwrap();
        let left = fs::read(&path).ok();
        let before = w.records.len();
        w.approve();
        w.until("the loss", |n, _| matches!(n, Notice::Unwritten(Some(Unwritten::Lost)))).await;
        let said = w.notices.iter().rev().find_map(|n| match n {
            Notice::Say { level: Level::Error, text } => Some(text.clone()),
            _ => None,
        });
        assert!(said.is_some_and(|text| text.contains("s.jsonl was") && text.contains("name a file")));
        assert_eq!(w.records.len(), before, "no decision is shown that is kept nowhere");
        // A name that cannot be written is refused, and the next one is not.
        w.send(Command::Keep(folder.path().join("no/\0/name")));
        w.said(Level::Error, "name another file").await;
        let anew = folder.path().join("anew.jsonl");
        w.send(Command::Keep(anew.clone()));
        w.until("the new file", |n, _| *n == Notice::Kept(anew.clone())).await;
        step_to(&mut w, steps + 1).await;
        is_whole(&anew, &w.quit().await);
        assert_eq!(fs::read(&path).ok(), left, "what is there instead is left as it is");
    }
}

#[tokio::test]
async fn d21_a_file_on_a_read_only_file_system_opens_and_is_kept_in_a_copy() {
    let folder = tempfile::tempdir().unwrap();
    let config = configuration(folder.path());
    let new = NewSession { world: "household".into(), model: "symbolic".into(), ..NewSession::default() };
    let setup = prepare(&OpenRequest::New(new), &config, &stepwright::worlds::sources()).unwrap();
    let Persistence::Log(log) = &setup.keep else { panic!("a log") };
    let path = log.path().to_owned();
    let mut w = Watched::start(setup);
    step(&mut w).await;
    w.quit().await;
    let _fault = faults::inject(Fault::next(&path, Operation::Open, EROFS));
    let again = prepare(&OpenRequest::File(path.clone()), &config, &stepwright::worlds::sources()).unwrap();
    let Persistence::Copy(copy) = again.keep else { panic!("a copy") };
    assert_ne!(copy, path);
}

#[test]
fn d23_a_new_session_is_not_begun_before_its_folder_is_on_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let _fault = faults::inject(Fault::next(folder.path(), Operation::SyncFolder, EIO));
    assert!(matches!(log::Writer::create(&path, &header()), Err(log::LogError::Io { .. })));
    assert!(!path.exists(), "half made is not made");
    log::Writer::create(&path, &header()).unwrap();
}

/// An episode of a run whose session finds no room, wherever that is, is neither won nor lost; one whose session is kept is won.
#[tokio::test]
async fn an_episode_that_is_nowhere_to_be_looked_at_is_not_counted_as_won() {
    let folder = tempfile::tempdir().unwrap();
    let config = std::sync::Arc::new(configuration(folder.path()));
    let task = stepwright::worlds::sources().told("household", None).unwrap().remove(0);
    let model = "symbolic".to_owned();
    let new = NewSession { world: "household".into(), task: task.id.clone(), model, ..NewSession::default() };
    let (mut room, mut ends) = (0, Vec::new());
    loop {
        let sessions = folder.path().join(format!("sessions-{room}"));
        let kept = SessionFolder::create(&sessions).unwrap();
        let opening = Opening { sessions: Some(kept), ..Opening::new(&config, stepwright::worlds::sources(), 50) };
        // The header is the first line.
        let full = Fault { skip: 1 + room, times: 99, ..Fault::next(&sessions, Operation::Write, ENOSPC) };
        let full = faults::inject(full);
        let episode = opening.run(&new, &tokio_util::sync::CancellationToken::new()).await.unwrap();
        drop(full);
        let result = RunResult::of(&episode, &task, &new, &METHODS);
        assert_eq!(result.broke_off(), result.error.is_some(), "{result:?}");
        ends.push((result.won, result.untold));
        if result.error.is_none() {
            break;
        }
        room += 16;
    }
    let (last, others) = ends.split_last().unwrap();
    assert_eq!(*last, (true, false));
    assert!(others.len() > 3 && others.iter().all(|end| *end == (false, true)), "{ends:?}");
}
