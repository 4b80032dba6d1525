//! Which world a log is read by.

use crate::WorldKind;
use crate::transcript::{PLAIN, Transcript};
use stepwright_trajectory::Trajectory;

/// How to read a trajectory: as the world that its environment's name is of, else as the one that knows the most of its actions (at
/// least half), else as texts that no world is known for.
pub fn transcript_of(trajectory: &Trajectory, kinds: &[&'static WorldKind]) -> Transcript {
    let all = || kinds.iter().filter_map(|kind| kind.transcript);
    if let Some(named) = all().find(|transcript| transcript.environments.contains(&trajectory.env.as_str())) {
        return named.clone();
    }
    if !trajectory.tools.is_empty() {
        return Transcript::of_tools(&trajectory.tools);
    }
    let known = |transcript: &Transcript| {
        trajectory.steps.iter().filter(|step| transcript.call_of(&step.action).is_some()).count()
    };
    let best = all().map(|transcript| (known(transcript), transcript)).max_by_key(|(known, _)| *known);
    best.filter(|(known, _)| *known > 0 && known * 2 >= trajectory.steps.len())
        .map_or(PLAIN, |(_, transcript)| transcript.clone())
}
