//! Log file: a header line, then one record a line, in JSON.
//!
//! Appending only. A record is handed to the operating system before it is shown (`write` of the whole line), so a crash or a
//! kill of the program loses nothing that was shown; [`Writer::sync`] also asks for the disk, which is done for decisions. One
//! writer at a time, by an advisory lock. A line torn by a crash is set aside beside the file before anything is appended.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

mod older;

use super::event::Record;
use super::session::{FORMAT_VERSION, Header, Session};

/// Longest line that is read, in bytes; a longer one is no record of ours.
const MAX_LINE: u64 = 64 << 20;

/// Why a log cannot be read or written: what, where, what to do.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The file system refused.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Its words.
        source: std::io::Error,
    },
    /// The first line is no header of a session.
    #[error("{path}:1: this is no stepwright session: {why}")]
    NoSession {
        /// The file.
        path: PathBuf,
        /// What was found.
        why: String,
    },
    /// A newer program wrote it.
    #[error(
        "{path}:1: the session has format version {found}; this program reads up to {FORMAT_VERSION}. Open it with a newer stepwright"
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u64,
    },
    /// A line holds no fitting record.
    #[error("{path}:{line}: {why}. The file was left as it is; to open what is before, copy its first {} lines to a new file", line - 1)]
    Line {
        /// The file.
        path: PathBuf,
        /// Its line, from 1.
        line: usize,
        /// What is wrong.
        why: String,
    },
    /// Another program writes it.
    #[error("{path}: another stepwright has this session open; close it there first")]
    Locked {
        /// The file.
        path: PathBuf,
    },
}

/// A session read from a log.
#[derive(Debug)]
pub struct Loaded {
    /// The session at its last record.
    pub session: Session,
    /// The records.
    pub records: Vec<Record>,
    /// A torn last line, as found; it is no part of the session.
    pub torn: Option<String>,
    /// Bytes of the file up to and including the last whole line.
    whole: u64,
    /// Whether the last whole line lacks its line break.
    unterminated: bool,
}

/// Reads a whole log. `name` stands for it in errors.
///
/// # Errors
/// [`LogError`], naming the line. A torn last line is no error.
pub fn read(source: impl Read, name: &Path) -> Result<Loaded, LogError> {
    let io = |source| LogError::Io { path: name.to_owned(), source };
    let mut lines = BufReader::with_capacity(1 << 16, source);
    let mut buffer = Vec::new();
    let mut whole = next_line(&mut lines, &mut buffer).map_err(io)?;
    let header = header(&buffer, name)?;
    let version = header.version;
    let mut unterminated = !buffer.ends_with(b"\n");
    let mut session = Session::new(header);
    let mut records = Vec::new();
    let mut torn = None;
    let mut number = 1;
    loop {
        let length = next_line(&mut lines, &mut buffer).map_err(io)?;
        if length == 0 {
            break;
        }
        number += 1;
        let ended = buffer.ends_with(b"\n");
        let wrong = |why: String| LogError::Line { path: name.to_owned(), line: number, why };
        if length >= MAX_LINE {
            return Err(wrong("the line is too long for a record".into()));
        }
        if ended && buffer.trim_ascii().is_empty() {
            whole += length;
            continue;
        }
        let parsed = if version < 2 { older::record(&buffer) } else { serde_json::from_slice(&buffer) };
        let record: Record = match parsed {
            Ok(record) => record,
            // Only the last line can lack its end: it was being written when the program died.
            Err(_) if !ended => {
                torn = Some(String::from_utf8_lossy(&buffer).into_owned());
                break;
            }
            Err(error) => return Err(wrong(format!("no record of a session: {error}"))),
        };
        session.apply(&record).map_err(|misfit| wrong(misfit.to_string()))?;
        records.push(record);
        whole += length;
        unterminated = !ended;
    }
    Ok(Loaded { session, records, torn, whole, unterminated })
}

fn next_line(lines: &mut impl BufRead, buffer: &mut Vec<u8>) -> std::io::Result<u64> {
    buffer.clear();
    lines.take(MAX_LINE).read_until(b'\n', buffer).map(|n| n as u64)
}

/// Reads the header line. The version is judged before anything else, so that a newer header may look different.
fn header(line: &[u8], name: &Path) -> Result<Header, LogError> {
    let no = |why: String| LogError::NoSession { path: name.to_owned(), why };
    if line.is_empty() {
        return Err(no("the file is empty".into()));
    }
    let value: serde_json::Value =
        serde_json::from_slice(line).map_err(|e| no(format!("the first line is no JSON ({e})")))?;
    if value.get("stepwright").and_then(|v| v.as_str()) != Some("session") {
        return Err(no("its first line does not say `\"stepwright\":\"session\"`".into()));
    }
    let found =
        value.get("version").and_then(serde_json::Value::as_u64).ok_or_else(|| no("it states no version".into()))?;
    if found > u64::from(FORMAT_VERSION) {
        return Err(LogError::Version { path: name.to_owned(), found });
    }
    serde_json::from_value(value).map_err(|e| no(e.to_string()))
}

/// Reads a log file.
///
/// # Errors
/// As [`read`].
pub fn load(path: &Path) -> Result<Loaded, LogError> {
    let file = File::open(path).map_err(|source| LogError::Io { path: path.to_owned(), source })?;
    read(file, path)
}

/// Appends records to a log file.
#[derive(Debug)]
pub struct Writer {
    file: File,
    path: PathBuf,
    /// Bytes up to the last whole line; what a failed write left behind it is cut off before the next.
    end: u64,
    /// Whether something may follow `end`.
    dirty: bool,
    /// A torn last line that is still in the file: it is set aside before anything is appended.
    torn: Option<String>,
    /// Whether the last whole line lacks its line break.
    unterminated: bool,
}

impl Writer {
    /// Creates a log, readable by its owner only. The file must not exist.
    ///
    /// # Errors
    /// [`LogError::Io`] or [`LogError::Locked`].
    pub fn create(path: &Path, header: &Header) -> Result<Self, LogError> {
        let io = |source| LogError::Io { path: path.to_owned(), source };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(io)?;
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).map_err(io)?;
        let mut writer = Writer::over(file, path);
        writer.lock()?;
        let line = serde_json::to_vec(header).map_err(|e| io(e.into()))?;
        writer.line(line)?;
        Ok(writer)
    }

    fn over(file: File, path: &Path) -> Self {
        Writer { file, path: path.to_owned(), end: 0, dirty: false, torn: None, unterminated: false }
    }

    /// Opens a log to continue it: reads it under the lock. A torn line is set aside (`FILE.torn`) once something is appended; until
    /// then the file stays as it is.
    ///
    /// # Errors
    /// As [`read`], or [`LogError::Locked`].
    pub fn resume(path: &Path) -> Result<(Self, Loaded), LogError> {
        let io = |source| LogError::Io { path: path.to_owned(), source };
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(io)?;
        let mut writer = Writer::over(file, path);
        writer.lock()?;
        let loaded = read(&writer.file, path)?;
        writer.end = loaded.whole;
        writer.file.seek(SeekFrom::Start(writer.end)).map_err(io)?;
        writer.torn.clone_from(&loaded.torn);
        writer.unterminated = loaded.unterminated;
        Ok((writer, loaded))
    }

    /// Sets a torn line aside and ends the last whole one.
    fn repair(&mut self) -> std::io::Result<()> {
        if let Some(torn) = &self.torn {
            let mut aside = self.path.as_os_str().to_owned();
            aside.push(".torn");
            let mut options = OpenOptions::new();
            options.append(true).create(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let mut aside = options.open(PathBuf::from(aside))?;
            aside.write_all(torn.as_bytes()).and_then(|()| aside.write_all(b"\n"))?;
            self.torn = None;
            Self::cut(&mut self.file, self.end)?;
        }
        if self.unterminated {
            self.file.write_all(b"\n")?;
            self.end += 1;
            self.unterminated = false;
        }
        Ok(())
    }

    /// Where it writes.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends a record; on return the operating system has it. After an error the same record may be offered again.
    ///
    /// # Errors
    /// [`LogError::Io`]; nothing half-written stays.
    pub fn append(&mut self, record: &Record) -> Result<(), LogError> {
        let line =
            serde_json::to_vec(record).map_err(|e| LogError::Io { path: self.path.clone(), source: e.into() })?;
        self.line(line)
    }

    /// Waits until the disk has everything appended so far.
    ///
    /// # Errors
    /// [`LogError::Io`].
    pub fn sync(&self) -> Result<(), LogError> {
        self.file.sync_data().map_err(|source| LogError::Io { path: self.path.clone(), source })
    }

    fn line(&mut self, mut line: Vec<u8>) -> Result<(), LogError> {
        line.push(b'\n');
        let path = self.path.clone();
        let io = |source| LogError::Io { path: path.clone(), source };
        self.repair().map_err(io)?;
        if self.dirty {
            Self::cut(&mut self.file, self.end).map_err(io)?;
            self.dirty = false;
        }
        if let Err(source) = self.file.write_all(&line) {
            // A part may have been written: it is cut off now or, if that fails too, before the next line.
            self.dirty = Self::cut(&mut self.file, self.end).is_err();
            return Err(io(source));
        }
        self.end += line.len() as u64;
        Ok(())
    }

    /// Cuts the file after its last whole line; writing continues from there.
    fn cut(file: &mut File, end: u64) -> std::io::Result<()> {
        file.set_len(end)?;
        file.seek(SeekFrom::Start(end)).map(|_| ())
    }

    fn lock(&self) -> Result<(), LogError> {
        match self.file.try_lock() {
            Ok(()) => Ok(()),
            Err(TryLockError::WouldBlock) => Err(LogError::Locked { path: self.path.clone() }),
            // A file system without locks must not keep anyone from working.
            Err(TryLockError::Error(_)) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
