//! The folder of sessions in every order of what several processes do in it at once: [`every_order`] gives each operation on a file its turn.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use stepwright::driver::{Beginning, Persistence};
use stepwright::episode::log::{self, Writer};
use stepwright::episode::{Event, Record};
use stepwright::study::runner::SessionFolder;
use stepwright_files::Lines;
use stepwright_files::schedule::{Job, every_order};

use crate::support::driver::{Counter, Scripted, header, setup};

fn note(id: u64) -> Record {
    let event = match id {
        1 => Event::Started { outcome: Arc::default() },
        n => Event::Noted { text: format!("note {n}") },
    };
    Record { id, ts: 0, node: 0, event }
}

/// Appends the next record and has the disk have it: it is found where the session is said to be.
fn work(writer: &mut Writer, id: u64) -> Result<(), String> {
    writer.append(&note(id)).and_then(|()| writer.sync()).and_then(|()| writer.look()).map_err(|e| e.to_string())?;
    let found = log::load(writer.path()).map(|loaded| loaded.records.len() as u64);
    assert_eq!(found.ok(), Some(id), "what is said to be kept in {}", writer.path().display());
    Ok(())
}

/// The records of every session in a folder, by name, and the folder is empty again.
fn taken(folder: &Path) -> Result<Vec<(String, usize)>, String> {
    let mut found = Vec::new();
    for file in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let is_empty = fs::metadata(&file).unwrap().len() == 0;
        let records = if is_empty { 0 } else { log::load(&file).map_err(|e| e.to_string())?.records.len() };
        found.push((file.file_name().unwrap().to_string_lossy().into_owned(), records));
        fs::remove_file(file).unwrap();
    }
    found.sort();
    Ok(found)
}

/// H1: jobs of one task that begin at the same moment keep a session each.
#[test]
fn h1_sessions_that_begin_at_once_keep_a_file_each() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = SessionFolder::create(folder.path()).unwrap();
    let begun = Mutex::new(Vec::new());
    for (jobs, preemptions) in [(2, 3), (3, 1)] {
        let job = || -> Job<'_> {
            let mut made = setup(Beginning::New(Box::new(header())), Counter::default(), Scripted::lines(&[]), None);
            let (sessions, begun) = (&sessions, &begun);
            Box::new(move || {
                let kept = sessions.keep(&mut made);
                let Persistence::Log(mut log) = made.keep else { panic!("{kept:?}") };
                let worked = kept.and_then(|file| work(&mut log, 1).map(|()| file)).map(|file| {
                    file.as_deref().map(SessionFolder::ended);
                });
                begun.lock().unwrap().push(worked);
            })
        };
        let orders = every_order(
            preemptions,
            || (0..jobs).map(|_| job()).collect(),
            || {
                begun.lock().unwrap().drain(..).collect::<Result<Vec<()>, _>>()?;
                let found = taken(folder.path())?;
                let whole = found.len() == jobs && found.iter().all(|(_, records)| *records == 1);
                if whole { Ok(()) } else { Err(format!("{found:?}")) }
            },
        );
        assert!(orders.unwrap() > 100);
    }
}

/// What is done to a session's file from outside.
#[derive(Clone, Copy)]
enum Meanwhile {
    Renamed,
    Deleted,
}

impl Meanwhile {
    /// As `stepwright sessions` does it.
    fn is_done(self, file: &Path) -> Result<(), String> {
        let _alone = Lines::lock(file, false).map_err(|e| e.to_string())?;
        let done = match self {
            Meanwhile::Renamed => stepwright_files::rename(file, &file.with_file_name("other.jsonl")),
            Meanwhile::Deleted => stepwright_files::remove(file),
        };
        done.map_err(|e| e.to_string())
    }
}

/// A session is opened, worked in and left; beginning with one that is there, or as a new one.
fn opened(file: &Path, new: bool) -> Result<(), String> {
    let (mut writer, next) = match new {
        true => (Writer::create(file, &header()).map_err(|e| e.to_string())?, 1),
        false => {
            let (writer, loaded) = Writer::resume(file).map_err(|e| e.to_string())?;
            (writer, loaded.records.len() as u64 + 1)
        }
    };
    work(&mut writer, next)
}

#[test]
fn a_session_that_is_opened_while_it_is_renamed_or_deleted_is_worked_in_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("one.jsonl");
    for (new, meanwhile) in [
        (false, Meanwhile::Renamed),
        (false, Meanwhile::Deleted),
        (true, Meanwhile::Renamed),
        (true, Meanwhile::Deleted),
    ] {
        let done = Mutex::new([None, None]);
        let said = |at: usize, what: Result<(), String>| done.lock().unwrap()[at] = Some(what);
        let (file, said) = (&file, &said);
        let jobs = || -> Vec<Job<'_>> {
            if !new {
                work(&mut Writer::create(file, &header()).unwrap(), 1).unwrap();
            }
            vec![Box::new(move || said(0, opened(file, new))), Box::new(move || said(1, meanwhile.is_done(file)))]
        };
        let orders = every_order(3, jobs, || {
            let [Some(opened), Some(outside)] = done.lock().unwrap().clone() else { return Err("unfinished".into()) };
            let found = taken(folder.path())?;
            let records = usize::from(!new) + usize::from(opened.is_ok());
            let named = |name: &str, records| vec![(name.to_owned(), records)];
            let mut expected = match (meanwhile, outside.is_ok()) {
                (Meanwhile::Renamed, true) => vec![named("other.jsonl", records)],
                (Meanwhile::Deleted, true) => vec![Vec::new()],
                (_, false) => vec![named("one.jsonl", records)],
            };
            // A file that was taken away before anything was in it is made once more.
            if new && opened.is_ok() && outside.is_ok() {
                expected.push([named("one.jsonl", 1), expected[0].clone()].concat());
                expected[1].iter_mut().skip(1).for_each(|(_, records)| *records = 0);
            }
            // Whoever is refused is told why.
            let why = format!("{opened:?}, {outside:?}");
            let refused =
                ["another stepwright has this session open", "was deleted", "No such file", "operation would block"];
            let told = [&opened, &outside].into_iter().filter_map(|done| done.as_ref().err());
            let untold: Vec<&String> = told.filter(|why| !refused.iter().any(|word| why.contains(word))).collect();
            if expected.contains(&found) && untold.is_empty() {
                Ok(())
            } else {
                Err(format!("{found:?}, and not {expected:?}: {why}"))
            }
        });
        assert!(orders.unwrap() > 10);
    }
}
