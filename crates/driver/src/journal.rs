//! The journal: where the session's records are written, and those that wait to be.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::setup::Persistence;
use stepwright_episode::log::{self, LogError};
use stepwright_episode::{Actor, Event, FORMAT_VERSION, Header, Record};

/// Whether somebody decided something, or wrote something down: what a session is kept for.
fn decides(event: &Event) -> bool {
    match event {
        Event::ArtifactSettled { by, .. } | Event::ArtifactRefused { by, .. } => *by == Actor::Person,
        Event::ArtifactReopened { .. }
        | Event::Decided { .. }
        | Event::Dueled { .. }
        | Event::Noted { .. }
        | Event::BranchEdited { .. } => true,
        _ => false,
    }
}

/// Records are written in today's format, whatever format they were read in.
fn of_today(header: &Header) -> Header {
    Header { version: FORMAT_VERSION, ..header.clone() }
}

pub(super) struct Journal {
    keep: Persistence,
    /// All records, shared with the watchers: what a new file begins with.
    records: Vec<Arc<Record>>,
    /// Whether it is a session that began here, whose file nobody needs unless something is decided in it.
    is_new: bool,
    /// Records not written yet, since nothing but looking was done since.
    held: VecDeque<Record>,
    /// Whether something was done here that is written.
    is_worked_in: bool,
    /// Whether a session is being opened that has begun before.
    pub(super) is_opening: bool,
    pub(super) is_unwritten: bool,
}

impl Journal {
    pub(super) fn new(keep: Persistence, records: Vec<Arc<Record>>, (is_opening, is_new): (bool, bool)) -> Self {
        Journal { keep, records, is_new, held: VecDeque::new(), is_worked_in: false, is_opening, is_unwritten: false }
    }

    pub(super) fn only_reads(&self) -> bool {
        matches!(self.keep, Persistence::Reading)
    }

    pub(super) fn add(&mut self, record: Arc<Record>) {
        self.records.push(record);
    }

    /// Hands a record to the operating system, decisions to the disk. What opening a session notes is held back until something is done in
    /// it, and until then so is where one goes: a session that is only read is not written. A file that is not the session's any more is
    /// not written to. `kept` is told of the copy that is begun with it.
    pub(super) fn write(&mut self, record: &Record, header: &Header, kept: impl FnOnce(&Path)) -> Result<(), LogError> {
        if self.is_opening || !self.is_worked_in && matches!(record.event, Event::Moved { .. }) {
            self.held.push_back(record.clone());
            return Ok(());
        }
        if let Persistence::Copy(path) = &self.keep {
            let log = log::Writer::create_beside(path, &of_today(header))?;
            let path = log.path().to_owned();
            self.go_on_in(log)?;
            kept(&path);
        }
        let Persistence::Log(log) = &mut self.keep else { return Ok(()) };
        log.look()?;
        while let Some(held) = self.held.front() {
            log.append(held)?;
            self.held.pop_front();
        }
        log.append(record)?;
        self.is_worked_in = true;
        if matches!(record.event, Event::Decided { .. }) { log.sync() } else { Ok(()) }
    }

    /// Writes what there is of the session to a new file and keeps it there from here on.
    pub(super) fn keep_in(&mut self, path: &Path, header: &Header) -> Result<(), LogError> {
        self.go_on_in(log::Writer::create(path, &of_today(header))?)
    }

    fn go_on_in(&mut self, mut log: log::Writer) -> Result<(), LogError> {
        if let Err(error) = self.records.iter().try_for_each(|earlier| log.append(earlier)).and_then(|()| log.sync()) {
            // Half a copy is of no use, and would block the next attempt.
            let _ = std::fs::remove_file(log.path());
            return Err(error);
        }
        self.keep = Persistence::Log(log);
        Ok(())
    }

    /// Looks at the file for the last time and has the disk have it; where nothing was decided in a session that began here, has it forget
    /// the file.
    /// Errors: it cannot be written, or is not the session's any more ([`LogError::Lost`]).
    pub(super) fn leave(&mut self) -> Result<(), LogError> {
        match &mut self.keep {
            Persistence::Log(log) if self.is_new && !self.records.iter().any(|record| decides(&record.event)) => {
                log.look()?;
                // What cannot be taken away is kept.
                let _ = std::fs::remove_file(log.path());
                Ok(())
            }
            Persistence::Log(log) => log.look().and_then(|()| log.sync()),
            Persistence::Nothing | Persistence::Reading | Persistence::Copy(_) => Ok(()),
        }
    }

    /// A name beside the session's file that is free.
    pub(super) fn beside(&self) -> Option<PathBuf> {
        if let Persistence::Log(log) = &self.keep { Some(log.beside()) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwright_files::losses;

    /// Records of a session of some length.
    const RECORDS: usize = 200;

    fn header() -> Header {
        let stepwright = "session".to_owned();
        Header { stepwright, version: FORMAT_VERSION, world: "household".into(), ..Header::default() }
    }

    fn record(n: usize) -> Record {
        let event = match n {
            0 => Event::Started { outcome: Arc::default() },
            n => Event::Noted { text: format!("note {n}") },
        };
        Record { id: n as u64 + 1, ts: 0, node: 0, event }
    }

    /// Each loss before each record is noticed, and the file that is written in its place has all of them and goes on.
    #[test]
    fn a_session_whose_file_is_lost_before_any_of_its_records_is_whole_in_another() {
        let header = header();
        let begin = |path: &Path| {
            let log = log::Writer::create(path, &header).unwrap();
            Journal::new(Persistence::Log(log), Vec::new(), (false, true))
        };
        let add = |journal: &mut Journal, n: usize| {
            let record = record(n);
            let lost = journal.write(&record, &header, |_| ()).err();
            let moved = lost.map(|lost| {
                let beside = journal.beside().unwrap();
                let written = journal.keep_in(&beside, &header).and_then(|()| journal.write(&record, &header, |_| ()));
                written.map_or_else(
                    |error| error.to_string(),
                    |()| format!("{lost}; all are in {}: go on", beside.display()),
                )
            });
            journal.add(Arc::new(record));
            moved.map_or(Ok(()), Err)
        };
        let count = |path: &Path| log::load(path).map(|loaded| loaded.records.len()).map_err(|e| e.to_string());
        losses::lost_everywhere(RECORDS, begin, add, count).unwrap();
    }

    #[test]
    fn what_is_only_looked_at_is_not_written_and_where_nothing_was_decided_the_file_goes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        let header = header();
        let at = |id: u64, event: Event| Record { id, ts: 0, node: 0, event };
        let begin = |is_opening| {
            let log = log::Writer::create(&path, &header).unwrap();
            let mut journal = Journal::new(Persistence::Log(log), Vec::new(), (is_opening, true));
            let put = |journal: &mut Journal, record: Record| {
                journal.write(&record, &header, |_| ()).unwrap();
                journal.add(Arc::new(record));
                std::fs::read_to_string(&path).unwrap().lines().count() - 1
            };
            assert_eq!(put(&mut journal, record(0)), usize::from(!is_opening));
            (journal, put)
        };
        let moved = || at(2, Event::Moved { to: 0 });
        // While it is opened all waits; where one goes waits until something was done.
        let (mut journal, put) = begin(true);
        assert_eq!(put(&mut journal, moved()), 0);
        journal.is_opening = false;
        assert_eq!(put(&mut journal, at(3, Event::Moved { to: 0 })), 0);
        assert_eq!(put(&mut journal, at(4, Event::Noted { text: "n".into() })), 4);
        assert_eq!(put(&mut journal, at(5, Event::Moved { to: 0 })), 5, "it is worked in");
        journal.leave().unwrap();
        assert!(path.exists(), "somebody wrote something down");
        std::fs::remove_file(&path).unwrap();
        let by = |by| Event::ArtifactRefused { offer: 1, by, why: String::new() };
        let branch =
            || Event::BranchEdited { branch: 0, edit: stepwright_episode::BranchEdit::Name { name: "b".into() } };
        let sides = || Event::Dueled { sides: Arc::new([]) };
        for (event, stays) in [
            (by(Actor::Person), true),
            (by(Actor::Policy), false),
            (branch(), true),
            (sides(), true),
            (Event::Moved { to: 0 }, false),
        ] {
            let (mut journal, put) = begin(false);
            put(&mut journal, at(2, event.clone()));
            journal.leave().unwrap();
            assert_eq!(path.exists(), stays, "{event:?}");
            let _ = std::fs::remove_file(&path);
        }
    }

    #[test]
    fn a_copy_that_another_program_began_first_gets_another_name() {
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("copy-1.jsonl");
        let kept = [0, 1].map(|_| {
            let mut journal = Journal::new(Persistence::Copy(copy.clone()), vec![Arc::new(record(0))], (false, false));
            let mut kept = PathBuf::new();
            journal.write(&record(1), &header(), |path| kept = path.to_owned()).unwrap();
            assert_eq!(log::load(&kept).unwrap().records.len(), 2);
            kept
        });
        assert_eq!(kept, [copy.clone(), folder.path().join("copy-1-2.jsonl")]);
        // A folder that cannot be made is no name that is taken.
        let mut journal = Journal::new(Persistence::Copy(copy.join("s.jsonl")), Vec::new(), (false, false));
        assert!(journal.write(&record(0), &header(), |_| ()).is_err());
    }

    #[test]
    fn a_copy_is_written_in_today_s_format() {
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("copy.jsonl");
        let header = Header { version: 1, ..header() };
        let mut journal = Journal::new(Persistence::Copy(copy.clone()), vec![Arc::new(record(0))], (false, false));
        let mut kept = None;
        journal.write(&record(1), &header, |path| kept = Some(path.to_owned())).unwrap();
        let loaded = log::load(&copy).unwrap();
        assert_eq!(
            (kept.as_ref(), loaded.session.header.version, loaded.records.len()),
            (Some(&copy), FORMAT_VERSION, 2)
        );
    }
}
