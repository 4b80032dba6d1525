//! The dialogue world: recorded task-oriented dialogues, where the system's next acts are predicted.
//!
//! `acts` lists what users and systems can do, `schema` what a service offers, `record` is a recorded dialogue. `load_raw` reads the
//! Schema-Guided Dialogue dataset as it is published, `load_compact` JSON lines, `source` finds either in files and folders.
//! `specification` makes a service's program. `world` and `episode` step through a recording, `score` and `truth` say how well.
//! `wording` puts calls into words. `generate` makes dialogues of services of its own, `shipped` holds those that come with the
//! program.

mod acts;
pub mod agent;
mod episode;
pub mod generate;
mod load_compact;
mod load_raw;
mod record;
mod schema;
mod score;
pub mod shipped;
mod source;
mod specification;
#[cfg(test)]
mod tests;
mod truth;
mod wording;
mod world;
#[cfg(test)]
mod world_tests;

pub use acts::{Act, Argument, SYSTEM_ACTS, USER_ACTS};
pub use load_compact::line as compact_line;
pub use record::{Dialogue, END_TURN, Speaker, Turn};
pub use schema::{GroundTruth, Intent, Service, Slot};
pub use source::Source;
pub use world::DialogueWorld;

use stepwright_world::{Ability, DataSpec, Generator, Sight, WorldKind};

pub static KIND: WorldKind = WorldKind {
    sight: Sight::Talk,
    data: Some(DataSpec {
        about: "recorded dialogues: a copy of the Schema-Guided Dialogue dataset (or one split, or one file), or a folder or \
                file of .jsonl",
        env: "STEPWRIGHT_DIALOGUE",
        lies_at: Source::lies_at,
        demonstrations: false,
    }),
    steps: 150,
    services: true,
    abilities: &[Ability::Admissible, Ability::Preview, Ability::Requests],
    generate: Some(Generator { types: "a shipped service", make: generate::new_task }),
    agent: Some(|demonstrations| agent::learn(demonstrations, &[])),
    agent_of_session: Some(|header, given| agent::learn(given, &Source::of_other_services(header, given))),
    // Each step's is the F1 of all that was predicted so far.
    reward: |outcomes| outcomes.iter().rfind(|outcome| outcome.is_executed()).map_or(0.0, |outcome| outcome.reward),
    ..WorldKind::new(
        "dialogue",
        "recorded dialogues with a service: say what its system does next, act by act",
        |origin| origin.read(Source::shipped, Source::open),
    )
};
