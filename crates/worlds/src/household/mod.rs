//! Household world: ALFWorld's text games, exactly, in both text editions.
//!
//! Games come from the tasks that ship with the program, from compact JSON, or from the original `game.tw-pddl` files; all end as
//! the same [`Definition`]. `game` resolves it once, `state` is what changes, `rules` says which commands are admissible and
//! what they do, `text` what the player reads, `program` how it reads as program calls, `goal` when it is won, `belief`
//! and `facts` what the agent knows from its observations. `source` finds tasks in files and folders. The engine has no step
//! limit; evaluation loops have (`driver`).

pub mod agent;
mod belief;
mod bits;
mod compatibility;
mod definition;
mod facts;
mod game;
pub mod generate;
mod goal;
mod load_compact;
mod load_official;
mod normal;
mod pddl;
mod picture;
pub mod planning;
mod program;
#[cfg(test)]
mod property_tests;
mod rules;
pub mod shipped;
mod source;
mod state;
#[cfg(test)]
mod tests;
mod text;
mod transcript;
mod truth;
mod world;

pub use compatibility::embedded as embedded_compatibility;
pub use definition::{Condition, Definition, GoalDefinition, ObjectDefinition, Property, ReceptacleDefinition};
pub use load_official::from_problem as definition_of_problem;
pub use source::Source;
pub use world::HouseholdWorld;

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString};

use crate::shipped_file::shipped;
use stepwright_world::{Ability, DataSpec, Generator, Sight, WorldKind};

stepwright_world::option_specs! {
    pub(crate) EDITION: "edition", "Edition", "wording of the household's games; an official file's own if absent, else put", [
        "put" = "releases up to 0.3, the papers'", "move" = "releases from 0.4"
    ];
}

pub static KIND: WorldKind = WorldKind {
    sight: Sight::Places,
    options: &[EDITION],
    data: Some(DataSpec {
        about: "an ALFWorld data folder, a game.tw-pddl, or compact .jsonl",
        env: "STEPWRIGHT_HOUSEHOLD",
        lies_at: Source::lies_at,
        demonstrations: true,
    }),
    abilities: &[
        Ability::Admissible,
        Ability::Preview,
        Ability::Facts,
        Ability::Planning,
        Ability::Plans,
        Ability::Blocking,
        Ability::Belief,
        Ability::Requests,
        Ability::Picture,
        Ability::SkillCode,
    ],
    files: &[
        shipped!("household", "agent.py"),
        shipped!("household", "domain.toml"),
        shipped!("household", "likely.txt"),
        shipped!("household", "plans.txt"),
        shipped!("household", "primitives.py"),
        shipped!("household", "react.txt"),
        shipped!("household", "skills.py"),
        shipped!("household", "skills.toml"),
        shipped!("household", "solutions.py"),
        shipped!("household", "stages.txt"),
        shipped!("household", "state_form.toml"),
    ],
    generate: Some(Generator {
        types: "place, light, clean, heat, cool, two (or ALFWorld's long names)",
        make: generate::new_task,
    }),
    agent: Some(agent::learn),
    transcript: Some(&transcript::TRANSCRIPT),
    ..WorldKind::new(
        "household",
        "ALFWorld's text games: find, carry, clean, heat, cool and put things about a house",
        |origin| origin.read(Source::shipped, Source::open),
    )
};

/// The two wordings of the same games. They differ in `put O in/on R` / `move O to R`, in what arriving says, and in `help`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, Display, EnumString)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Edition {
    /// Releases up to 0.3: `put O in/on R`; what the research papers use.
    #[default]
    Put,
    /// Releases from 0.4: `move O to R`, and `help`.
    Move,
}
