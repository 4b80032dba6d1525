//! Recordings. Finds the recordings of the original systems, and keeps account of the tests that needed them.
//!
//! They lie outside the repository: in `STEPWRIGHT_DATA`, or else in `../shared/data`. A test that does not find what it needs compares
//! nothing; it is named on the terminal at once and again, counted, by `tests/summary.rs` at the end of the run. With
//! `STEPWRIGHT_REQUIRE_DATA` set, absence is a failure.

use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The file or folder of this name among the recordings; noted as absent where there is none.
pub fn recordings(name: &str) -> Option<PathBuf> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    // A layer's package is two folders below the repository's.
    let root = if package.parent().is_some_and(|above| above.ends_with("crates")) { "../.." } else { "" };
    let data =
        std::env::var_os("STEPWRIGHT_DATA").map_or_else(|| package.join(root).join("../shared/data"), PathBuf::from);
    let path = data.join(name);
    if path.exists() {
        note("found", name);
        return Some(path);
    }
    let required = std::env::var_os("STEPWRIGHT_REQUIRE_DATA").is_some_and(|value| !value.is_empty() && value != "0");
    assert!(!required, "no recordings `{name}` in {}, and STEPWRIGHT_REQUIRE_DATA is set", data.display());
    absent(&format!("the recordings `{name}`, which are not in {}", data.display()));
    None
}

/// Notes that the running test checked nothing for want of something.
pub fn absent(need: &str) {
    // Written past the capture of a passing test's output, which nobody would see.
    let _ = writeln!(std::io::stderr(), "NOT RUN: {} needs {need}", test());
    note("absent", need);
}

/// The file that the tests of one run write to and the summary reads: one run has one parent process, which is cargo.
pub fn account() -> Option<PathBuf> {
    #[cfg(unix)]
    let run = std::os::unix::process::parent_id();
    #[cfg(not(unix))]
    let run = 0;
    Some(std::env::current_exe().ok()?.parent()?.join(format!("recordings-{run}.txt")))
}

fn note(what: &str, need: &str) {
    let line = format!("{what}\t{}\t{need}\n", test());
    let Some(path) = account() else { return };
    // One write of a short line, appended, is not torn by another test's.
    if let Ok(mut file) = std::fs::OpenOptions::new().create(true).append(true).open(path) {
        let _ = file.write_all(line.as_bytes());
    }
}

/// The running test: libtest names its thread after it, unless it runs one test at a time.
fn test() -> String {
    let binary = std::env::current_exe().ok().and_then(|path| Some(path.file_stem()?.to_str()?.to_owned()));
    let binary = binary.as_deref().and_then(|name| name.rsplit_once('-')).map_or("", |(name, _)| name).to_owned();
    match std::thread::current().name() {
        Some(name) if name != "main" => format!("{binary} {name}"),
        _ => format!("{binary} (a test without a thread of its own)"),
    }
}
