//! A file of lines that is only appended to.
//!
//! A line is in the file whole or not at all; what a failed write left is cut off before the next. A failed sync is repeated with the
//! bytes written once more from memory, because a kernel may drop what it could not write and read back what it did not keep; what the disk
//! had confirmed before is then compared. A file that was deleted, replaced or cut by someone else, or whose disk lost what it had
//! confirmed, is noticed ([`Lines::presence`]).

use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::free::siblings;
use crate::handle::{Handle, Lock, cannot_sync};
use crate::sum;

/// Bytes that are in doubt at most before the disk is waited for unasked.
const IN_DOUBT: usize = 4 << 20;
/// How often a file is opened anew at most because its name leads elsewhere; there are names of which that can never be told.
const TRIES: u32 = 100;
/// How long a lock outlives a process that was killed while it started another: until that runs its own program.
const LINGERS: Duration = Duration::from_millis(300);

/// The fate of an open file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// It is there, as it was written.
    Same,
    /// Its path leads nowhere.
    Deleted,
    /// Its path leads to another file.
    Replaced,
    /// It is shorter than what was written.
    Cut,
    /// Someone else wrote to it.
    Grown,
    /// What the disk had confirmed is not in it.
    Lost,
}

impl Presence {
    /// What became of the file, if it is not as it was written: `was deleted`.
    pub fn became(self) -> Option<&'static str> {
        match self {
            Presence::Same => None,
            Presence::Deleted => Some("was deleted"),
            Presence::Replaced => Some("was replaced by another file"),
            Presence::Cut => Some("was cut"),
            Presence::Grown => Some("was written to by another program"),
            Presence::Lost => Some("lost on its disk what the disk had confirmed"),
        }
    }
}

/// Where what was torn off a file of lines is set aside: `FILE.torn`.
pub fn torn_file(path: &Path) -> PathBuf {
    let mut aside = path.as_os_str().to_owned();
    aside.push(".torn");
    aside.into()
}

/// A file of lines, open to append.
#[derive(Debug)]
pub struct Lines {
    handle: Handle,
    /// Bytes of whole lines; what a failed write left behind them is cut off before the next.
    end: u64,
    /// Bytes appended since the disk had everything for certain: the last bytes before `end`.
    doubtful: Vec<u8>,
    /// Whether something may follow `end`.
    dirty: bool,
    /// Whether that was there when the file was opened.
    found: bool,
    /// Whether the last whole line lacks its break, which the next line brings.
    unended: bool,
    unsynced: bool,
    /// What this process wrote that the disk confirmed: where it begins, and its checksum.
    confirmed: (u64, crc32fast::Hasher),
    lost: bool,
    /// Whether path and open file can be told to be the same one here.
    comparable: bool,
}

impl Lines {
    /// Makes a file for this process alone; it must not exist.
    /// Errors: the system's; `ErrorKind::WouldBlock` if another process has it locked.
    pub fn create(path: &Path) -> io::Result<Self> {
        alone(|| Handle::create(path)).map(|handle| Self::after(handle, 0))
    }

    /// Appends to an open file after its first `end` bytes, which are whole lines, the last one perhaps without its break; what follows them
    /// is set aside (`FILE.torn`) before the first line is written.
    pub fn after(handle: Handle, end: u64) -> Self {
        let longer = handle.metadata().is_ok_and(|there| there.len() > end);
        // Where that cannot be read, a break too many does no harm: blank lines are passed over.
        let unended = end > 0 && !byte_before(&handle, end).is_ok_and(|byte| byte == b'\n');
        let (doubtful, confirmed) = (Vec::new(), (end, crc32fast::Hasher::new()));
        let mut lines = Lines {
            handle,
            end,
            doubtful,
            dirty: longer,
            found: longer,
            unended,
            unsynced: false,
            confirmed,
            lost: false,
            comparable: false,
        };
        lines.comparable = matches!(place(&lines.handle), Ok(Presence::Same));
        lines
    }

    /// Opens a file for this process alone, to read it before it is appended to.
    /// Errors: the system's; `ErrorKind::WouldBlock` if another process has it locked.
    pub fn lock(path: &Path, create: bool) -> io::Result<Handle> {
        alone(|| Handle::open(path, create))
    }

    /// Where it writes.
    pub fn path(&self) -> &Path {
        self.handle.path()
    }

    /// Bytes of whole lines.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Cuts off what follows the whole lines, if something does; what was found there is kept beside the file.
    pub fn trim(&mut self) -> io::Result<()> {
        if self.dirty {
            if self.found {
                let mut torn = Vec::new();
                self.handle.reader().seek(SeekFrom::Start(self.end))?;
                self.handle.reader().read_to_end(&mut torn)?;
                torn.push(b'\n');
                let mut aside = Handle::open(&torn_file(self.path()), true)?;
                let end = aside.metadata()?.len();
                aside.write_at(end, &torn)?;
                self.found = false;
            }
            self.handle.cut(self.end)?;
            self.dirty = false;
        }
        Ok(())
    }

    /// Appends a line, or several with breaks between them; the break at the end is added. On return the operating system has it.
    /// Errors: the system's; nothing half-written stays, and the same line may be offered again.
    pub fn append(&mut self, mut line: Vec<u8>) -> io::Result<()> {
        if !line.ends_with(b"\n") {
            line.push(b'\n');
        }
        self.trim()?;
        if self.unended {
            line.insert(0, b'\n');
        }
        if let Err(error) = self.handle.write_at(self.end, &line) {
            // A part may have been written: it is cut off now or, if that fails too, before the next line.
            self.dirty = self.handle.cut(self.end).is_err();
            return Err(error);
        }
        self.unended = false;
        self.end += line.len() as u64;
        self.doubtful.append(&mut line);
        if self.doubtful.len() > IN_DOUBT {
            // The line is written, and a later sync says what this one met.
            let _ = self.sync();
        }
        Ok(())
    }

    /// Appends a line, or several, each with its checksum, that are found by the file's path and are on the disk on return.
    /// Errors: the system's; `ErrorKind::NotFound` if the file is not what was written any more, in words.
    pub fn keep(&mut self, line: Vec<u8>) -> io::Result<()> {
        if let Some(became) = self.presence()?.became() {
            return Err(io::Error::new(io::ErrorKind::NotFound, format!("the file {became} while it was in use")));
        }
        self.append(sum::sealed_lines(&line))?;
        self.sync()
    }

    /// The same of a file that goes on beside the one it was: where that is not what was written any more, `all` that belongs before the line is
    /// written to a new file with it, and so is what comes later. The words then say what happened, and where `what` is.
    /// Errors: the system's; the line is nowhere.
    pub fn keep_or_move(
        &mut self,
        line: Vec<u8>,
        what: &str,
        all: impl FnOnce() -> Vec<u8>,
    ) -> io::Result<Option<String>> {
        let Err(error) = self.keep(line.clone()) else { return Ok(None) };
        if self.presence()? == Presence::Same {
            return Err(error);
        }
        let path = self.beside();
        let moved = Lines::create(&path).and_then(|mut to| to.keep([all(), line].concat()).map(|()| to));
        let name = path.display();
        *self = moved
            .map_err(|why| io::Error::new(why.kind(), format!("{error}; nor could {what} be kept in {name}: {why}")))?;
        Ok(Some(format!("{error}; {what} are in {name}: go on with that file")))
    }

    /// A name beside the file that is not taken; its own counts as taken, also where it was deleted: what it was is not what is written now.
    pub fn beside(&self) -> PathBuf {
        siblings(self.path()).skip(1).find(|path| !path.exists()).unwrap_or_default()
    }

    /// Waits until the disk has everything appended so far. Where a file system cannot sync, that is all there is to have.
    /// Errors: the system's; a later call writes what is in doubt once more. After a failure what was confirmed earlier is compared, and
    /// is an error if it is not there any more.
    pub fn sync(&mut self) -> io::Result<()> {
        if self.unsynced {
            let certain = self.end.saturating_sub(self.doubtful.len() as u64);
            self.lost |= !self.has_confirmed(certain)?;
            self.handle.write_at(certain, &self.doubtful)?;
        }
        match self.handle.sync() {
            Err(error) if !cannot_sync(&error) => {
                self.unsynced = true;
                Err(error)
            }
            _ => {
                self.unsynced = false;
                self.confirmed.1.update(&std::mem::take(&mut self.doubtful));
                if self.lost { Err(io::Error::other("the disk lost what it had confirmed")) } else { Ok(()) }
            }
        }
    }

    /// Whether the file still has what this process wrote up to there.
    fn has_confirmed(&self, end: u64) -> io::Result<bool> {
        let (begin, sum) = &self.confirmed;
        let mut reader = self.handle.reader();
        reader.seek(SeekFrom::Start(*begin))?;
        let mut found = crc32fast::Hasher::new();
        let mut rest = reader.take(end.saturating_sub(*begin));
        let mut bytes = vec![0; 1 << 16];
        loop {
            match rest.read(&mut bytes)? {
                0 => break,
                read => found.update(bytes.get(..read).unwrap_or_default()),
            }
        }
        Ok(rest.limit() == 0 && found.finalize() == sum.clone().finalize())
    }

    /// The file's fate since it was opened: whether appended lines can still be found by its path.
    /// Errors: the system's, if neither can be told.
    pub fn presence(&self) -> io::Result<Presence> {
        if self.comparable {
            let place = place(&self.handle)?;
            if place != Presence::Same {
                return Ok(place);
            }
        }
        if self.lost {
            return Ok(Presence::Lost);
        }
        let length = self.handle.metadata()?.len();
        Ok(match length.cmp(&self.end) {
            std::cmp::Ordering::Less => Presence::Cut,
            std::cmp::Ordering::Greater if !self.dirty => Presence::Grown,
            _ => Presence::Same,
        })
    }
}

/// Opens a file and locks it. Whoever had the lock before may have renamed or deleted it meanwhile: then what its name leads to now is opened.
fn alone(open: impl Fn() -> io::Result<Handle>) -> io::Result<Handle> {
    let mut tries = 0;
    loop {
        let handle = open()?;
        tries += 1;
        let comparable = matches!(place(&handle), Ok(Presence::Same));
        if handle.lock(LINGERS) == Lock::Busy {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let gone = match place(&handle) {
            Ok(Presence::Deleted) => true,
            Ok(Presence::Replaced) => comparable,
            _ => false,
        };
        if !gone || tries == TRIES {
            return Ok(handle);
        }
    }
}

fn byte_before(handle: &Handle, end: u64) -> io::Result<u8> {
    let mut byte = [0];
    handle.reader().seek(SeekFrom::Start(end.saturating_sub(1)))?;
    handle.reader().read_exact(&mut byte)?;
    Ok(byte[0])
}

/// Whether the path of an open file leads to it.
fn place(handle: &Handle) -> io::Result<Presence> {
    let there = match std::fs::metadata(handle.path()) {
        Ok(there) => there,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(Presence::Deleted);
        }
        Err(error) => return Err(error),
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let own = handle.metadata()?;
        if (there.dev(), there.ino()) != (own.dev(), own.ino()) {
            return Ok(Presence::Replaced);
        }
    }
    #[cfg(not(unix))]
    let _ = there;
    Ok(Presence::Same)
}

#[cfg(test)]
mod tests;
