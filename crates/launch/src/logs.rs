//! Files of logs for distilling and checking: logs of other programs, and sessions of this one.

use std::path::Path;

use stepwright_trajectory::Trajectory;

use super::error::OpenError;
use super::log_session;
use stepwright_driver::system_clock;
use stepwright_episode::log::{self, Loaded};
use stepwright_export as export;
use stepwright_world::{self as world, Sources};

/// What a file holds as sessions: the one that it is, or the episodes of a log of another program, all of them or the one of this id (or
/// a part of it).
pub fn load_sessions(
    path: &Path,
    episode: Option<&str>,
    sources: &Sources,
) -> Result<Vec<(String, Loaded)>, OpenError> {
    if log::is_session(path) {
        return Ok(vec![(String::new(), log::load(path)?)]);
    }
    let ids = match episode {
        Some(id) => vec![id.to_owned()],
        None => match world::read_logs(path) {
            Ok(read) => read.all.into_iter().map(|log| log.id).collect(),
            // What is neither is told as what a session should be.
            Err(error) => {
                let no = log::load(path).map_err(|e| e.to_string()).err().unwrap_or_default();
                return Err(OpenError::Failed(format!("{no}; and no log of episodes: {error}")));
            }
        },
    };
    let clock = system_clock();
    let load = |id: String| {
        let log_session::LogSession { session, records, .. } = log_session::open(path, &id, sources, &clock)?;
        Ok((session.header.task.clone(), Loaded::of(session, records)))
    };
    ids.into_iter().map(load).collect()
}

/// The episodes of a file, and what could not be read of it, in words.
/// Errors: if nothing of it can be read: what, where, what to do.
pub fn read_logs(path: &Path) -> Result<(Vec<Trajectory>, Vec<String>), String> {
    if log::is_session(path) {
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
