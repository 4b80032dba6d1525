//! An open file, and every operation on it that can fail: the seam where faults are injected.

use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::faults::{self, Done, Operation};
use crate::schedule;

/// How often a lock that another has is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// How locking went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lock {
    /// This process has it.
    Held,
    /// Another process has it.
    Busy,
    /// The file system has no locks; that must not keep anyone from working.
    Unsupported,
}

/// An open file and the path it was opened by.
#[derive(Debug)]
pub struct Handle {
    file: File,
    path: PathBuf,
}

impl Handle {
    /// Opens a file to read and write; one that is made is readable by its owner only.
    pub fn open(path: &Path, create: bool) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(create).truncate(false);
        Self::with(path, &mut options)
    }

    /// Makes a file, readable by its owner only; it must not exist. The folder it is in is synced, so that a power cut does not take the
    /// file away.
    pub fn create(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        let handle = Self::with(path, &mut options)?;
        if let Err(error) = sync_folder(path) {
            // Half made is not made: the next attempt must find its way free.
            let _ = std::fs::remove_file(path);
            return Err(error);
        }
        Ok(handle)
    }

    fn with(path: &Path, options: &mut OpenOptions) -> io::Result<Self> {
        faults::pass(path, Operation::Open)?;
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
        Ok(Handle { file: options.open(path)?, path: path.to_owned() })
    }

    /// The path it was opened by.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file, to read from its present place.
    pub fn reader(&self) -> &File {
        &self.file
    }

    /// The system's data of the open file.
    pub fn metadata(&self) -> io::Result<Metadata> {
        self.file.metadata()
    }

    /// Locks the file for this process, waiting so long for who has it; the lock ends with the handle.
    pub fn lock(&self, patience: Duration) -> Lock {
        if faults::pass(&self.path, Operation::Lock).is_err() {
            return Lock::Unsupported;
        }
        let since = Instant::now();
        loop {
            match self.file.try_lock() {
                Ok(()) => return Lock::Held,
                Err(TryLockError::Error(_)) => return Lock::Unsupported,
                Err(TryLockError::WouldBlock) if since.elapsed() >= schedule::patience(patience) => return Lock::Busy,
                Err(TryLockError::WouldBlock) => std::thread::sleep(LOOK),
            }
        }
    }

    /// Writes all bytes at an offset.
    /// Errors: the system's; a part may have been written.
    pub fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(offset))?;
        if let Some((error, part)) = faults::due(&self.path, Operation::Write) {
            let part = bytes.get(..part).unwrap_or(bytes);
            self.file.write_all(part)?;
            faults::note(&self.path, || Done::Write(offset, part.to_vec()));
            return Err(error);
        }
        self.file.write_all(bytes)?;
        faults::note(&self.path, || Done::Write(offset, bytes.to_vec()));
        Ok(())
    }

    /// Waits until the disk has the file's bytes.
    pub fn sync(&self) -> io::Result<()> {
        if let Some((error, lost)) = faults::due(&self.path, Operation::Sync) {
            let length = self.file.metadata()?.len();
            let from = length.saturating_sub(lost as u64);
            (&self.file).seek(SeekFrom::Start(from))?;
            (&self.file).write_all(&vec![0; lost.min(length as usize)])?;
            return Err(error);
        }
        self.file.sync_data()?;
        faults::note(&self.path, || Done::Synced);
        Ok(())
    }

    /// Cuts the file to a length.
    pub fn cut(&self, length: u64) -> io::Result<()> {
        faults::pass(&self.path, Operation::Cut)?;
        self.file.set_len(length)?;
        faults::note(&self.path, || Done::Cut(length));
        Ok(())
    }
}

/// Waits until the disk has the entries of the folder that a file is in. What cannot sync folders is let be.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    faults::pass(path, Operation::SyncFolder)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !cfg!(unix) {
        return Ok(());
    }
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        // A folder may be written to without being readable, and not every file system can sync one.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied || cannot_sync(&error) => Ok(()),
        done => done,
    }
}

/// Whether an error of a sync says that the file system has no such thing.
pub(crate) fn cannot_sync(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_folder_that_is_not_there_is_an_error_and_the_present_one_is_synced() {
        let folder = tempfile::tempdir().unwrap();
        sync_folder(&folder.path().join("f")).unwrap();
        sync_folder(Path::new("f")).unwrap();
        let missing = sync_folder(&folder.path().join("missing/f")).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }
}
