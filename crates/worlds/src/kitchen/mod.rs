//! Kitchen world: a partially observable kitchen with geometry, in which coffee, toast and the like are made.
//!
//! `load` reads a scene file into a [`Scene`], which never changes; `state` is what does. `geometry` and `sight` say what the robot
//! sees and reaches, `motion` how it moves, `handling` what its hand does, `goal` when a goal literal holds; [`Simulation`] puts them
//! together: an action's text in, success or the simulator's message out. Around it: `observe` says it in words, `program` as
//! program calls, `facts` as literals, `floor_plan` as a map, and `world` makes a [`KitchenWorld`] of it. `source` finds scenes in files and folders.

mod action;
pub mod agent;
#[cfg(test)]
mod expert;
mod facts;
mod floor_plan;
mod geometry;
mod goal;
mod handling;
mod load;
mod motion;
mod notes;
mod observe;
pub mod planning;
mod program;
mod receptacles;
mod scene;
pub mod shipped;
mod sight;
mod simulation;
mod source;
mod state;
#[cfg(test)]
mod tests;
mod thing;
mod truth;
mod world;

pub use goal::Goal;
pub use scene::{Scene, Task};
pub use simulation::Simulation;
pub use source::Source;
pub use state::{Liquid, Now, Robot};
pub use world::KitchenWorld;

use crate::shipped_file::shipped;
use stepwright_world::{Ability, DataSpec, Sight, WorldKind};

stepwright_world::option_specs! {
    pub FIND: "find", "Find", "whether `find` walks in the kitchen", [
        "moving" = "walks to what it looks for", "fixed" = "looks around where the robot stands"
    ] or "moving";
    pub FULL: "full", "No room", "where the robot is after a place had no room for a thing", [
        "stays" = "the robot stays", "moves" = "it is put elsewhere in the room: the program's"
    ] or "stays";
}

pub static KIND: WorldKind = WorldKind {
    sight: Sight::Picture,
    options: &[FIND, FULL],
    data: Some(DataSpec {
        about: "kitchen scenes: a scene file, or a folder of them (docs/reference/kitchen.md)",
        env: "STEPWRIGHT_KITCHEN",
        lies_at: Source::lies_at,
        demonstrations: false,
    }),
    steps: 100,
    method: Some("blocking"),
    abilities: &[
        Ability::Admissible,
        Ability::Preview,
        Ability::Facts,
        Ability::Things,
        Ability::Planning,
        Ability::Plans,
        Ability::Blocking,
        Ability::Belief,
        Ability::Requests,
        Ability::Picture,
    ],
    files: &[
        shipped!("kitchen", "domain.toml"),
        shipped!("kitchen", "plans.txt"),
        shipped!("kitchen", "state_form.toml"),
    ],
    agent: Some(agent::learn),
    ..WorldKind::new(
        "kitchen",
        "a kitchen seen through a robot's eyes: find, open, carry and switch on, to make coffee and toast",
        |origin| origin.read(Source::shipped, Source::open),
    )
};

/// The first step of `find`, before it looks around.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, strum::Display, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum Find {
    /// The robot walks to the thing, wherever it is.
    #[default]
    Moving,
    /// The robot stays where it stands.
    Fixed,
}

/// Where the robot is after a place had no room. The authors' program puts it at a random place of the room, as `walk_to_room` does,
/// where its way of making room fails, which it always does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, strum::Display, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum Full {
    #[default]
    Stays,
    Moves,
}

/// The rules in which kitchens differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rules {
    pub find: Find,
    pub full: Full,
}

impl From<Find> for Rules {
    fn from(find: Find) -> Self {
        Rules { find, ..Rules::default() }
    }
}
