//! List of worlds. A new one is its folder and its line here.

use crate::{agent, dialogue, external, graph, household, kitchen, recorded, shop, table};
use stepwright_episode::StepOutcome;
use stepwright_trajectory::Trajectory;
use stepwright_world::transcript::Transcript;
use stepwright_world::{Sources, WorldError, WorldKind};

/// The worlds of the program, in the order they are listed.
pub static WORLDS: &[&WorldKind] = &[
    &household::KIND,
    &dialogue::KIND,
    &kitchen::KIND,
    &table::KIND,
    &shop::KIND,
    &graph::KIND,
    &external::KIND,
    &agent::KIND,
];

/// Sources of the program's worlds, none of them behind a command.
pub fn sources() -> Sources {
    Sources::with_kinds(WORLDS).with_recorded(&recorded::KIND)
}

/// The world of that name, that of recorded episodes too.
/// Errors: [`WorldError::Unknown`] if there is none.
pub fn named(name: &str) -> Result<&'static WorldKind, WorldError> {
    sources().kind(name)
}

/// How a world rewards an episode, by its outcomes, the reset's first; a world of another process as it is usual.
pub fn reward_of(world: &str) -> fn(&[&StepOutcome]) -> f64 {
    WORLDS.iter().find(|kind| kind.name == world).map_or(external::KIND.reward, |kind| kind.reward)
}

/// How to read a trajectory, by the program's worlds.
pub fn transcript_of(trajectory: &Trajectory) -> Transcript {
    stepwright_world::transcript_of(trajectory, WORLDS)
}
