//! The program that runs, as a path it can be started by.

use std::path::PathBuf;

/// By this name it is the very program that runs, even where another version was put in its place since.
pub(super) fn itself() -> std::io::Result<PathBuf> {
    let itself = PathBuf::from("/proc/self/exe");
    if itself.exists() { Ok(itself) } else { std::env::current_exe() }
}
