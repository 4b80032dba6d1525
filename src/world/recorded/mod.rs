//! Recorded episodes as a world: what was done and observed elsewhere, stepped through as it was. Nothing is executed and no world of
//! the program is needed; an action that is not the next of the log is refused, since no log says what it would have led to.
//!
//! The texts are read as program calls where a world knows its own ([`transcript`](super::transcript)). `source` reads files of logs.

mod playback;
mod source;

pub use source::{RecordedLogs, read};

use std::sync::Arc;

use stepwright_skill::Trajectory;

use super::{Ability, WorldKind};

/// The logs of a file, and which of them is played back.
#[derive(Debug, Clone, PartialEq)]
pub struct Logs {
    /// All of them.
    pub all: Arc<Vec<Trajectory>>,
    /// The place of the one that is played back.
    pub at: usize,
    /// What could not be read of the file, with lines.
    pub problems: Arc<Vec<String>>,
}

impl Logs {
    /// The log that is played back.
    pub fn current(&self) -> Option<&Trajectory> {
        self.all.get(self.at)
    }
}

/// What recorded episodes register about themselves. It is none of the listed worlds.
pub static KIND: WorldKind = WorldKind {
    steps: 0,
    abilities: &[Ability::Admissible],
    ..WorldKind::new("recorded", "recorded episodes, stepped through as they were", |origin| {
        origin.read(RecordedLogs::none, RecordedLogs::open)
    })
};
