//! Places: where each session was last looked at, kept beside the sessions, in the folder of state. Looking writes nothing into a session.
//!
//! A place counts as long as nothing was written to the session since: otherwise the session is opened where that left it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use stepwright_episode::NodeId;

/// The places, in a file of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places(PathBuf);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Place {
    node: NodeId,
    /// The session's length by then.
    bytes: u64,
}

impl Places {
    pub fn new(file: PathBuf) -> Self {
        Places(file)
    }

    /// Where a session was last looked at, if nothing was written to it since.
    pub fn of(&self, session: &Path) -> Option<NodeId> {
        let place = *self.read().get(&key(session)?)?;
        (length(session)? == place.bytes).then_some(place.node)
    }

    /// Keeps where a session is looked at. Sessions that are gone are forgotten.
    pub fn keep(&self, session: &Path, node: NodeId) -> Result<(), String> {
        let (Some(key), Some(bytes)) = (key(session), length(session)) else { return Ok(()) };
        let mut all = self.read();
        let place = Place { node, bytes };
        if all.get(&key) == Some(&place) {
            return Ok(());
        }
        all.retain(|session, _| Path::new(session).is_file());
        all.insert(key, place);
        let text = toml::to_string(&all).map_err(|e| e.to_string())?;
        let folder = self.0.parent().map_or(Ok(()), stepwright_files::folder);
        let written = folder.and_then(|()| stepwright_files::replace(&self.0, text.as_bytes()));
        written.map_err(|e| format!("where the session was left could not be kept: {}: {e}", self.0.display()))
    }

    /// None where the file is not there, or cannot be read as what it should be.
    fn read(&self) -> BTreeMap<String, Place> {
        let text = stepwright_files::read_text(&self.0, LARGEST).unwrap_or_default();
        toml::from_str(&text).unwrap_or_default()
    }
}

/// The largest file of places.
const LARGEST: u64 = 16 << 20;

/// A session by its whole path; `None` of what is no file.
fn key(session: &Path) -> Option<String> {
    Some(session.canonicalize().ok()?.to_str()?.to_owned())
}

fn length(session: &Path) -> Option<u64> {
    Some(std::fs::metadata(session).ok()?.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_counts_until_something_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let session = folder.path().join("a.jsonl");
        std::fs::write(&session, "records").unwrap();
        let places = Places::new(folder.path().join("state/places.toml"));
        assert_eq!(places.of(&session), None);
        places.keep(&session, 3).unwrap();
        assert_eq!(places.of(&session), Some(3));
        assert_eq!(std::fs::read_to_string(&session).unwrap(), "records", "the session itself is as it was");
        std::fs::write(&session, "records and more").unwrap();
        assert_eq!(places.of(&session), None);
        // What is gone is forgotten, what is no file is not kept.
        std::fs::remove_file(&session).unwrap();
        let other = folder.path().join("b.jsonl");
        std::fs::write(&other, "").unwrap();
        places.keep(&other, 0).unwrap();
        places.keep(Path::new("example:solved"), 1).unwrap();
        let text = std::fs::read_to_string(folder.path().join("state/places.toml")).unwrap();
        assert!(text.contains("b.jsonl") && !text.contains("a.jsonl") && !text.contains("example"), "{text}");
    }

    #[test]
    fn a_file_that_holds_something_else_keeps_no_one_from_opening() {
        let folder = tempfile::tempdir().unwrap();
        let (session, file) = (folder.path().join("a.jsonl"), folder.path().join("places.toml"));
        std::fs::write(&session, "").unwrap();
        std::fs::write(&file, "\u{0}not toml").unwrap();
        let places = Places::new(file);
        assert_eq!(places.of(&session), None);
        places.keep(&session, 2).unwrap();
        assert_eq!(places.of(&session), Some(2));
    }
}
