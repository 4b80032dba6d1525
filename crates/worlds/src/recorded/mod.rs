//! Recorded episodes as a world: what was done and observed elsewhere, stepped through as it was. Nothing is executed and no world of
//! the program is needed; an action that is not the next of the log is refused, since no log says what it would have led to.
//!
//! The texts are read as program calls where a world knows its own ([`transcript`](stepwright_world::transcript)). `source` reads files of logs.

mod playback;
mod source;

use std::sync::Arc;

use source::RecordedLogs;

use stepwright_world::{Ability, RECORDED, WorldKind};

/// The entry of recorded episodes. It is none of the listed worlds.
pub static KIND: WorldKind = WorldKind {
    steps: 0,
    abilities: &[Ability::Admissible],
    ..WorldKind::new(RECORDED, "recorded episodes, stepped through as they were", |origin| {
        Ok(Arc::new(RecordedLogs::read(origin)?))
    })
};
