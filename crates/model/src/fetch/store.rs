//! Folder of models: the file in the making, its check, and its becoming the file.
//!
//! A file in the making is `FILE.part`, locked while it is written. What is in it should be a prefix of the file;
//! only the check at its end says whether that was true.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use super::error::FetchError;
use super::manifest::Weights;

/// Bytes read at once while hashing and copying.
const BLOCK: usize = 1 << 18;

/// Room to leave free on the disk.
const SPARE: u64 = 128 << 20;

pub fn path(folder: &Path, weights: &Weights) -> PathBuf {
    folder.join(&weights.file)
}

/// Whether the whole file is there, by its size; its hash was checked when it got its name.
pub fn is_present(folder: &Path, weights: &Weights) -> bool {
    std::fs::metadata(path(folder, weights)).is_ok_and(|m| m.is_file() && m.len() == weights.size)
}

#[derive(Debug)]
pub(super) struct Part {
    file: File,
    pub(super) path: PathBuf,
}

impl Drop for Part {
    /// Removes a file that holds nothing.
    fn drop(&mut self) {
        if self.len().is_ok_and(|length| length == 0) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

impl Part {
    /// Opens or makes it, for this process alone.
    pub(super) fn open(folder: &Path, weights: &Weights) -> Result<Part, FetchError> {
        std::fs::create_dir_all(folder).map_err(|e| FetchError::file(folder, &e))?;
        let path = folder.join(format!("{}.part", weights.file));
        let wrong = |e: std::io::Error| FetchError::file(&path, &e);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        loop {
            let file = options.open(&path).map_err(wrong)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(FetchError::Busy(path)),
                // A file system without locks: two fetches at once spoil each other, which the check finds.
                Err(TryLockError::Error(_)) => {}
            }
            // Another fetch that brought nothing may have removed it in between.
            if file.metadata().map_err(wrong)?.nlink() == 0 {
                continue;
            }
            let part = Part { file, path };
            if part.len()? > weights.size {
                part.cut(0)?;
            }
            return Ok(part);
        }
    }

    pub(super) fn len(&self) -> Result<u64, FetchError> {
        self.file.metadata().map(|m| m.len()).map_err(|e| self.wrong(&e))
    }

    /// Keeps the first bytes alone; writing continues after them.
    pub(super) fn cut(&self, length: u64) -> Result<(), FetchError> {
        self.file.set_len(length).map_err(|e| self.wrong(&e))?;
        (&self.file).seek(SeekFrom::Start(length)).map_err(|e| self.wrong(&e))?;
        Ok(())
    }

    /// Adds bytes at the end.
    pub(super) fn write(&self, bytes: &[u8]) -> Result<(), FetchError> {
        (&self.file).write_all(bytes).map_err(|e| self.wrong(&e))
    }

    /// Refuses what will not fit, before anything is written.
    pub(super) fn room(&self, weights: &Weights) -> Result<(), FetchError> {
        let needed = weights.size.saturating_sub(self.len()?).saturating_add(SPARE);
        let folder = self.path.parent().unwrap_or(Path::new("."));
        // Where the system does not report it, the writing itself will show it.
        let Ok(stat) = rustix::fs::statvfs(folder) else { return Ok(()) };
        let free = stat.f_bavail.saturating_mul(stat.f_frsize);
        if free >= needed {
            return Ok(());
        }
        Err(FetchError::Space { place: folder.to_owned(), needed: needed.div_ceil(1 << 20), free: free >> 20 })
    }

    /// Whether it is the whole file, byte for byte.
    pub(super) fn check(&self, weights: &Weights, cancel: &CancellationToken) -> Result<bool, FetchError> {
        if self.len()? != weights.size {
            return Ok(false);
        }
        (&self.file).seek(SeekFrom::Start(0)).map_err(|e| self.wrong(&e))?;
        let (mut hasher, mut block) = (Sha256::new(), vec![0; BLOCK]);
        loop {
            if cancel.is_cancelled() {
                return Err(FetchError::Cancelled);
            }
            let n = (&self.file).read(&mut block).map_err(|e| self.wrong(&e))?;
            let Some(read) = block.get(..n).filter(|r| !r.is_empty()) else { break };
            hasher.update(read);
        }
        Ok(crate::prompt::hex(&hasher.finalize()) == weights.sha256)
    }

    /// Gives it its name. From now on the file is there whole, or as it was.
    pub(super) fn finish(self, target: &Path) -> Result<(), FetchError> {
        self.file.sync_all().map_err(|e| self.wrong(&e))?;
        std::fs::rename(&self.path, target).map_err(|e| FetchError::file(target, &e))
    }

    fn wrong(&self, error: &std::io::Error) -> FetchError {
        FetchError::file(&self.path, error)
    }
}
