//! Faults for tests: what the next operations on files below a folder shall fail with.
//!
//! Nothing is injected unless a test asks for it; without faults an operation costs one atomic load more.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::schedule::{self, Asked};

/// An operation on a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Opening or making it.
    Open,
    /// Writing to it.
    Write,
    /// Asking the disk for it.
    Sync,
    /// Cutting it to a length.
    Cut,
    /// Locking it.
    Lock,
    /// Renaming a new file over it, or giving it another name.
    Rename,
    /// Taking it away.
    Remove,
    /// Asking the disk for the folder it is in.
    SyncFolder,
}

/// An operation that was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Done {
    /// Bytes written at an offset.
    Write(u64, Vec<u8>),
    /// Cut to a length.
    Cut(u64),
    /// The disk has all before it.
    Synced,
}

/// An operation that is to fail.
#[derive(Debug, Clone)]
pub struct Fault {
    /// Files below this folder, or this file.
    pub under: PathBuf,
    /// Which operation.
    pub operation: Operation,
    /// How many of them succeed before.
    pub skip: u32,
    /// How many then fail.
    pub times: u32,
    /// The system's error number (`ENOSPC` is 28, `EIO` 5).
    pub errno: i32,
    /// For writes: how many bytes reach the file all the same. For syncs: how many at its end are zeros from then on, as of a kernel that
    /// drops what it could not write.
    pub bytes: usize,
}

impl Fault {
    /// One failure of the next such operation.
    pub fn next(under: &Path, operation: Operation, errno: i32) -> Self {
        Fault { under: under.to_owned(), operation, skip: 0, times: 1, errno, bytes: 0 }
    }
}

/// No space left on the device.
pub const ENOSPC: i32 = 28;
/// Input/output error.
pub const EIO: i32 = 5;
/// Invalid argument: what `fdatasync` says where a file system cannot sync.
pub const EINVAL: i32 = 22;

static FAULTS: Mutex<Vec<(usize, Fault)>> = Mutex::new(Vec::new());
static NEXT: AtomicUsize = AtomicUsize::new(0);
/// The operations of the files that are watched.
static WATCHED: Mutex<Vec<(usize, PathBuf, Vec<Done>)>> = Mutex::new(Vec::new());

/// The operations on a file are recorded as long as this is held.
#[derive(Debug)]
pub struct Watch {
    number: usize,
    _asked: Asked,
}

/// Records the operations on a file from here on.
pub fn watch(path: &Path) -> Watch {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    WATCHED.lock().unwrap_or_else(PoisonError::into_inner).push((number, path.to_owned(), Vec::new()));
    Watch { number, _asked: Asked::begin() }
}

impl Watch {
    /// Operations done so far.
    pub fn done(&self) -> Vec<Done> {
        let watched = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
        watched.iter().find(|(number, ..)| *number == self.number).map(|(.., done)| done.clone()).unwrap_or_default()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        WATCHED.lock().unwrap_or_else(PoisonError::into_inner).retain(|(number, ..)| *number != self.number);
    }
}

/// Takes note of what was done to a file, if it is watched.
pub(crate) fn note(path: &Path, done: impl Fn() -> Done) {
    if schedule::is_asked() {
        let mut watched = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
        watched.iter_mut().filter(|(_, of, _)| of == path).for_each(|(.., all)| all.push(done()));
    }
}

/// A fault in force; it is taken back when this is dropped.
#[derive(Debug)]
pub struct Injected {
    number: usize,
    _asked: Asked,
}

/// Puts a fault in force in this process.
#[must_use = "the fault is taken back when this is dropped"]
pub fn inject(fault: Fault) -> Injected {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    FAULTS.lock().unwrap_or_else(PoisonError::into_inner).push((number, fault));
    Injected { number, _asked: Asked::begin() }
}

impl Drop for Injected {
    fn drop(&mut self) {
        FAULTS.lock().unwrap_or_else(PoisonError::into_inner).retain(|(number, _)| *number != self.number);
    }
}

/// The error that an operation on a file is to fail with, if it is, and how many bytes of a write are done before.
pub(crate) fn due(path: &Path, operation: Operation) -> Option<(io::Error, usize)> {
    if !schedule::is_asked() {
        return None;
    }
    schedule::pass();
    let mut faults = FAULTS.lock().unwrap_or_else(PoisonError::into_inner);
    let meant = |fault: &Fault| fault.operation == operation && fault.times > 0 && path.starts_with(&fault.under);
    let (_, fault) = faults.iter_mut().find(|(_, fault)| meant(fault))?;
    if fault.skip > 0 {
        fault.skip -= 1;
        return None;
    }
    fault.times -= 1;
    Some((io::Error::from_raw_os_error(fault.errno), fault.bytes))
}

pub(crate) fn pass(path: &Path, operation: Operation) -> io::Result<()> {
    due(path, operation).map_or(Ok(()), |(error, _)| Err(error))
}
