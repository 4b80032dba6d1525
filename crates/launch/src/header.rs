//! A new session's header, and the name of its file.

use std::path::{Path, PathBuf};

use stepwright_driver::Clock;
use stepwright_episode::{FORMAT_VERSION, Header};
use stepwright_world::World;

/// The part of a new session's header that the program and a world, already at its task, provide.
pub fn new_header(world: &dyn World, clock: &Clock) -> Header {
    Header {
        stepwright: "session".to_owned(),
        version: FORMAT_VERSION,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        created: clock(),
        world: world.name().to_owned(),
        world_version: world.introduced().unwrap_or_default(),
        specification: world.specification().into_owned(),
        opening: world.header().opening(),
        ..Header::default()
    }
}

/// Where a new session is kept: time, task, and a number where that is taken.
pub(super) fn session_path(folder: &Path, header: &Header) -> PathBuf {
    let clean = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
    let task: String = header.task.rsplit('/').next().unwrap_or_default().chars().take(60).map(clean).collect();
    let stem = format!("{}-{}-{task}", stamp(header.created), header.world);
    stepwright_files::free(&folder.join(format!("{stem}.jsonl")), ".jsonl")
}

/// `20261121-071500` in UTC, from Unix milliseconds.
fn stamp(ms: u64) -> String {
    let time = i64::try_from(ms).ok().and_then(chrono::DateTime::from_timestamp_millis).unwrap_or_default();
    time.format("%Y%m%d-%H%M%S").to_string()
}

#[cfg(test)]
mod tests {
    use super::stamp;

    #[test]
    fn stamps_are_calendar_times() {
        assert_eq!(stamp(0), "19700101-000000");
        assert_eq!(stamp(951_782_400_000), "20000229-000000");
        assert_eq!(stamp(1_795_245_300_123), "20261121-071500");
    }
}
