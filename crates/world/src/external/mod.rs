//! External world: any command that speaks the line protocol (adapters/README.md) is the environment.
//!
//! the adapter says which command, `adapters` which tasks there are, `variables` what it gets of the environment, `process` runs it and kills all of it, `line` reads what it answers, `link` asks one thing at
//! a time and brings the process to the node that is wanted, `world` is the [`World`]
//! over them. Where the adapters are configured, and on which thread a step is waited for, is decided elsewhere.
//!
//! [`World`]: super::World

mod adapters;
mod line;
mod link;
mod process;
mod reading;
#[cfg(test)]
mod tests;
mod variables;
mod world;

pub use crate::adapter::{Adapter, Adapters, Phrase};
pub use adapters::COMMAND_LINE;
pub use line::{Answer, Restored, excerpt};
pub use process::{Process, Said};
pub use world::ExternalWorld;

use super::{Ability, WorldKind};

/// The entry of worlds behind commands in the list of worlds.
pub static KIND: WorldKind = WorldKind {
    abilities: &[Ability::Admissible, Ability::Facts, Ability::Remote],
    ..WorldKind::new(
        "external",
        "worlds of your own, behind commands that speak the line protocol (adapters/README.md)",
        adapters::read,
    )
};
