//! External world: any command that speaks the line protocol (adapters/README.md) is the environment.
//!
//! the adapter says which command, `adapters` which tasks there are, [`Process`] runs it and kills all of it, `line` reads what it answers, `link` asks one thing at
//! a time and brings the process to the node that is wanted, `world` is the [`World`]
//! over them. Where the adapters are configured, and on which thread a step is waited for, is decided elsewhere.
//!
//! [`World`]: stepwright_world::World

mod adapters;
mod line;
mod link;
mod reading;
#[cfg(test)]
mod tests;
mod world;

pub use adapters::COMMAND_LINE;
pub use line::{Answer, Restored};
pub use stepwright_world::adapter::{Adapter, Adapters, Phrase};
pub use stepwright_world::adapter::{Process, Said};
pub use world::ExternalWorld;

use stepwright_world::{Ability, WorldKind};

/// The entry of worlds behind commands in the list of worlds.
pub static KIND: WorldKind = WorldKind {
    abilities: &[Ability::Admissible, Ability::Facts, Ability::Remote],
    ..WorldKind::new(
        "external",
        "worlds of your own, behind commands that speak the line protocol (adapters/README.md)",
        adapters::read,
    )
};
