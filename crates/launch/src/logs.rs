//! Files of logs for distilling and checking: logs of other programs, and sessions of this one.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use stepwright_trajectory::Trajectory;

use stepwright_episode::log;
use stepwright_export as export;
use stepwright_world as world;

/// Longest first line that is looked at.
const HEADER: u64 = 1 << 20;

/// The episodes of a file, and what could not be read of it, in words.
/// Errors: if nothing of it can be read: what, where, what to do.
pub fn read_logs(path: &Path) -> Result<(Vec<Trajectory>, Vec<String>), String> {
    let is_session = || {
        let mut first = String::new();
        // A header is short; a file of one line that never ends is none.
        BufReader::new(std::fs::File::open(path).ok()?.take(HEADER)).read_line(&mut first).ok()?;
        let header: serde_json::Value = serde_json::from_str(&first).ok()?;
        (header.get("stepwright")?.as_str()? == "session").then_some(())
    };
    if is_session().is_some() {
        let loaded = log::load(path).map_err(|e| e.to_string())?;
        let log = export::trajectory(&loaded.session);
        if log.steps.is_empty() {
            return Err(format!("{}: no step was taken in this session", path.display()));
        }
        return Ok((vec![log], Vec::new()));
    }
    let read = world::read_logs(path).map_err(|e| e.to_string())?;
    let problems = world::problems(&read, path);
    Ok((read.all, problems))
}
