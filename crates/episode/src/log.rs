//! Log file: a header line, then one record a line, in JSON.
//!
//! Appending only. A record is handed to the operating system before it is shown (`write` of the whole line), so a crash or a
//! kill of the program loses nothing that was shown; [`Writer::sync`] also asks for the disk, which is done for decisions. One
//! writer at a time, by an advisory lock. A line torn by a crash is set aside beside the file before anything is appended. Each line
//! ends with its checksum; lines of earlier versions have none and are read all the same. How lines reach the disk is
//! [`stepwright_files`]' part.

use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use serde::Serialize;
use stepwright_files::sum::{self, Sum};
use stepwright_files::{Lines, Misread, Reader, without_mark};
use stepwright_text::words::of_types;

mod names;
mod older;

use super::event::Record;
use super::header::{FORMAT_VERSION, Header};
use super::session::Session;

/// Most bytes of a line, its break included; a longer one is neither written nor read. An ask's prompt and answer are bounded far below
/// it (`stepwright_model` bounds answers), so that whatever is taken in can be written and read again.
pub const MAX_LINE: u64 = 128 << 20;

/// Most remarks on lines of a file that are kept.
const MAX_REMARKS: usize = 20;

/// Why a log cannot be read or written: what, where, what to do.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "names and types of the fields say it")]
pub enum LogError {
    /// The file system refused.
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: std::io::Error },
    /// The first line is no header of a session.
    #[error("{path}:1: this is no stepwright session: {why}")]
    NoSession { path: PathBuf, why: String },
    /// A newer program wrote it.
    #[error(
        "{path}:1: the session has format version {found}; this program reads up to {FORMAT_VERSION}. Open it with a newer stepwright"
    )]
    Version { path: PathBuf, found: u64 },
    /// A line holds no fitting record.
    #[error("{path}:{line}: {why}. The file was left as it is{}", copied(.line, "; to open what is before,"))]
    Line {
        path: PathBuf,
        /// Its line, from 1.
        line: usize,
        why: String,
    },
    /// A line is not as it was written.
    #[error(
        "{path}:{line}: {why}. The file was left as it is. Take it from a backup{}; to read it as it is, remove `\"sum\"` with its value at the end of every line",
        copied(.line, ", or")
    )]
    Changed {
        path: PathBuf,
        /// Its line, from 1.
        line: usize,
        why: &'static str,
    },
    /// The file is not the one that was opened any more.
    #[error("{path} {became} while the session was open")]
    Lost {
        path: PathBuf,
        /// The file's fate (`was deleted`).
        became: &'static str,
    },
    /// Another program writes it.
    #[error("{path}: another stepwright has this session open; close it there first")]
    Locked { path: PathBuf },
}

/// How what stands before a line is had, if anything does.
fn copied(line: &usize, words: &str) -> String {
    match line.saturating_sub(1) {
        0 => String::new(),
        before => format!("{words} copy its first {before} lines to a new file"),
    }
}

/// A session read from a log.
#[derive(Debug)]
pub struct Loaded {
    /// The session at its last record.
    pub session: Session,
    /// The records.
    pub records: Vec<Record>,
    /// The torn line at its end, as found; it is no part of the session.
    pub torn: Option<String>,
    /// What of the file is no part of the session, by line, in words: a torn line; fields nobody knows, as the file was damaged or a newer
    /// program wrote it.
    pub remarks: Vec<String>,
    /// Bytes of the file up to and including the last whole line.
    whole: u64,
}

impl Loaded {
    /// A session that was made of something else than a log.
    pub fn of(session: Session, records: Vec<Record>) -> Self {
        Loaded { session, records, torn: None, remarks: Vec::new(), whole: 0 }
    }
}

/// Reads a whole log. `name` stands for it in errors.
/// Errors: [`LogError`], naming the line. A torn last line is no error.
pub fn read(source: impl Read, name: &Path) -> Result<Loaded, LogError> {
    let path = || name.to_owned();
    let mut lines = Reader::new(source, MAX_LINE);
    let refused = |line: usize, misread: Misread<LogError>| match misread {
        Misread::Io(source) => LogError::Io { path: path(), source },
        // A log of episodes may be one line of any length.
        Misread::Long if line == 1 => LogError::NoSession { path: path(), why: too_long() },
        Misread::Long => LogError::Line { path: path(), line, why: too_long() },
        Misread::Changed(why) => LogError::Changed { path: path(), line, why },
        Misread::Unfit(error) => error,
    };
    let header = lines.read(|line| header(line, name)).map_err(|misread| refused(1, misread))?;
    let header = header.ok_or_else(|| LogError::NoSession { path: path(), why: "the file is empty".into() })?;
    let version = header.version;
    let mut session = Session::new(header);
    let (mut records, mut remarks) = (Vec::new(), Vec::new());
    loop {
        let line = lines.number() + 1;
        let wrong = |why: String| LogError::Line { path: path(), line, why };
        let record = lines
            .read(|line| record(line, version).map_err(|e| wrong(format!("no record of a session: {}", of_line(&e)))));
        let Some(mut record) = record.map_err(|misread| refused(line, misread))? else { break };
        if version < 3 {
            record = older::tagged(record, &session);
        }
        if lines.sum() == Sum::Absent && remarks.len() < MAX_REMARKS {
            remarks.extend(names::unknown(lines.line()).iter().map(|field| names::remark(name, line, field)));
        }
        session.apply(&record).map_err(|misfit| wrong(misfit.to_string()))?;
        records.push(record);
    }
    let (whole, last) = (lines.whole(), lines.number());
    let torn = lines.torn().map_err(|source| LogError::Io { path: path(), source })?;
    let torn = (!torn.is_empty()).then(|| String::from_utf8_lossy(&torn).into_owned());
    if torn.is_some() {
        let why = "the line is torn: writing it was broken off, and it is no part of the session";
        remarks.insert(0, format!("{}:{last}: {why}", name.display()));
    }
    Ok(Loaded { session, records, torn, remarks, whole })
}

fn too_long() -> String {
    format!("the line is longer than {} MiB, and no line of a session is", MAX_LINE >> 20)
}

/// What is wrong with a line of JSON. The line's number in its file stands before that; the reader of JSON would count another.
fn of_line(error: &serde_json::Error) -> String {
    let text = of_types(&error.to_string());
    let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
    match error.line() {
        0 => text,
        1 => format!("{what} at column {}", error.column()),
        // Behind its break: the line ended too early.
        _ => what.to_owned(),
    }
}

fn record(line: &[u8], version: u32) -> serde_json::Result<Record> {
    let read = if version < 2 { older::record(line) } else { serde_json::from_slice(line) };
    read.or_else(|why| older::record(line).ok().filter(|_| version == 2).ok_or(why))
}

/// Reads the header line. The version is judged before anything else, so that a newer header may look different.
fn header(line: &[u8], name: &Path) -> Result<Header, LogError> {
    let no = |why: String| LogError::NoSession { path: name.to_owned(), why };
    let value: serde_json::Value =
        serde_json::from_slice(line).map_err(|e| no(format!("the first line is no JSON ({})", of_line(&e))))?;
    match value.get("stepwright").and_then(|v| v.as_str()) {
        Some("session") => {}
        Some("results") => {
            return Err(no("it holds results of a run or study, which `stepwright report` shows".into()));
        }
        _ => return Err(no("its first line does not say `\"stepwright\":\"session\"`".into())),
    }
    let found =
        value.get("version").and_then(serde_json::Value::as_u64).ok_or_else(|| no("it states no version".into()))?;
    if found > u64::from(FORMAT_VERSION) {
        return Err(LogError::Version { path: name.to_owned(), found });
    }
    let header = serde_json::from_value(value).map_err(|e| no(of_types(&e.to_string())))?;
    Ok(if found < 3 { older::header(header) } else { header })
}

/// Whether a file's first line is a session's header. A pipe gives what it holds once: it is taken for a session, as standard input is.
pub fn is_session(path: &Path) -> bool {
    if std::fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        return true;
    }
    let mut first = Vec::new();
    let Ok(file) = std::fs::File::open(path) else { return false };
    // A header is short; a file of one line that never ends is none.
    let read = BufReader::new(file.take(HEADER)).read_until(b'\n', &mut first);
    let header: Option<serde_json::Value> = read.ok().and_then(|_| serde_json::from_slice(without_mark(&first)).ok());
    header.is_some_and(|header| header.get("stepwright").and_then(|kind| kind.as_str()) == Some("session"))
}

/// Longest header of a file that is looked at to know what it is.
const HEADER: u64 = 1 << 20;

/// How every session and every file of results begins.
const OURS: &[u8] = b"{\"stepwright\":";

/// Whether a file begins as sessions and files of results do, which are kept nowhere else. A pipe is never opened: nothing waits for it.
pub fn is_ours(path: &Path) -> bool {
    let mut beginning = Vec::new();
    let is_file = std::fs::metadata(path).is_ok_and(|there| there.is_file());
    let read = is_file.then(|| std::fs::File::open(path)?.take(64).read_to_end(&mut beginning));
    read.is_some_and(|read| read.is_ok()) && without_mark(&beginning).starts_with(OURS)
}

/// Reads a log file.
pub fn load(path: &Path) -> Result<Loaded, LogError> {
    let file = std::fs::File::open(path).map_err(|source| LogError::Io { path: path.to_owned(), source })?;
    read(file, path)
}

/// Why a log is not had for writing.
fn unopened(path: &Path, source: std::io::Error) -> LogError {
    match source.kind() {
        std::io::ErrorKind::WouldBlock => LogError::Locked { path: path.to_owned() },
        _ => LogError::Io { path: path.to_owned(), source },
    }
}

/// A header or a record as a line of a log holds it, with its checksum, without its break.
pub fn sealed(line: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(line).map(sum::sealed)
}

/// Appends records to a log file.
#[derive(Debug)]
pub struct Writer {
    lines: Lines,
    last: u64,
}

/// Names that are tried for a copy.
const MOST_NAMES: usize = 10_000;

fn make_folder(path: &Path) -> Result<(), LogError> {
    let Some(folder) = path.parent() else { return Ok(()) };
    stepwright_files::folder(folder).map_err(|source| LogError::Io { path: folder.to_owned(), source })
}

impl Writer {
    /// Creates a log, readable by its owner only; its header is on the disk on return. The file must not exist.
    pub fn create(path: &Path, header: &Header) -> Result<Self, LogError> {
        make_folder(path)?;
        Writer::begin(path, header)
    }

    /// The same under the first name that is free: another program may have taken the one that was free before.
    pub fn create_beside(path: &Path, header: &Header) -> Result<Self, LogError> {
        make_folder(path)?;
        let taken = ErrorKind::AlreadyExists;
        let is_taken = |error: &LogError| matches!(error, LogError::Io { source, .. } if source.kind() == taken);
        let begun = stepwright_files::siblings(path).take(MOST_NAMES).map(|path| Writer::begin(&path, header));
        let none = || LogError::Io { path: path.to_owned(), source: taken.into() };
        { begun }.find(|begun| !begun.as_ref().is_err_and(is_taken)).unwrap_or_else(|| Err(none()))
    }

    fn begin(path: &Path, header: &Header) -> Result<Self, LogError> {
        let mut writer = Writer { lines: Lines::create(path).map_err(|error| unopened(path, error))?, last: 0 };
        let line = sealed(header).map_err(|e| LogError::Io { path: path.to_owned(), source: e.into() })?;
        if let Err(error) = writer.line(line).and_then(|()| writer.sync()) {
            // A file without a header is no session, and would block the next attempt.
            let _ = std::fs::remove_file(path);
            return Err(error);
        }
        Ok(writer)
    }

    /// Opens a log to continue it: reads it under the lock. A torn line is set aside (`FILE.torn`) once something is appended; until
    /// then the file stays as it is.
    pub fn resume(path: &Path) -> Result<(Self, Loaded), LogError> {
        let handle = Lines::lock(path, false).map_err(|error| unopened(path, error))?;
        let loaded = read(handle.reader(), path)?;
        Ok((Writer { lines: Lines::after(handle, loaded.whole), last: loaded.session.records() }, loaded))
    }

    /// Where it writes.
    pub fn path(&self) -> &Path {
        self.lines.path()
    }

    /// Appends a record; on return the operating system has it. A record that is in the file already is not written again, so that after
    /// an error the same one may be offered.
    /// Errors: [`LogError::Io`]; nothing half-written stays.
    pub fn append(&mut self, record: &Record) -> Result<(), LogError> {
        if record.id <= self.last {
            return Ok(());
        }
        let line = sealed(record).map_err(|e| LogError::Io { path: self.path().to_owned(), source: e.into() })?;
        self.line(line)?;
        self.last = record.id;
        Ok(())
    }

    /// Waits until the disk has everything appended so far.
    pub fn sync(&mut self) -> Result<(), LogError> {
        let Err(source) = self.lines.sync() else { return Ok(()) };
        // Its disk may have lost more than can be written again.
        self.look()?;
        Err(LogError::Io { path: self.path().to_owned(), source })
    }

    /// A name beside the file that is not taken.
    pub fn beside(&self) -> PathBuf {
        self.lines.beside()
    }

    /// Looks whether the file is still the one that is written.
    /// Errors: [`LogError::Lost`] if it was deleted, replaced or changed by someone else, [`LogError::Io`] if that
    /// cannot be told.
    pub fn look(&self) -> Result<(), LogError> {
        let io = |source| LogError::Io { path: self.path().to_owned(), source };
        let Some(became) = self.lines.presence().map_err(io)?.became() else { return Ok(()) };
        Err(LogError::Lost { path: self.path().to_owned(), became })
    }

    fn line(&mut self, line: Vec<u8>) -> Result<(), LogError> {
        let path = self.path().to_owned();
        let io = |source| LogError::Io { path: path.clone(), source };
        if line.len() as u64 + 1 >= MAX_LINE {
            return Err(io(std::io::Error::other(format!(
                "the record has {} MiB; at most {} MiB can be written",
                line.len() >> 20,
                MAX_LINE >> 20
            ))));
        }
        self.lines.append(line).map_err(io)
    }
}

#[cfg(test)]
mod tests;
