//! Table world: blocks, bowls, a disinfector and covers on a table, or cups with a ball; a person asks one thing after another.
//!
//! `thing` says what lies there, [`Table`] (`rules`, `statement`, `form`) how it is and changes, [`Scene`] takes the cups in too. An
//! [`Episode`] is a scene and its requests; `load` and `source` read them from files; `judge` says whether a request was answered.
//! `generate` makes episodes. Around it: `call` reads actions, `picture` draws, `program` gives them as program calls, `agent`
//! plays the reference programs, and `world` makes a [`TableWorld`] of it.

mod agent;
mod call;
mod episode;
mod form;
pub mod generate;
mod goal;
mod judge;
mod load;
mod named;
mod picture;
mod program;
mod rules;
mod scene;
pub mod shipped;
mod source;
mod statement;
#[cfg(test)]
mod tests;
mod thing;
mod weight;
mod worked;
mod world;

pub use episode::{Asked, Domain, Episode};
pub use judge::{Expected, Move, is_right};
pub use load::game;
pub use rules::Table;
pub use scene::Scene;
pub use source::Source;
use thing::{Kind, TABLE};
pub use world::TableWorld;

use crate::shipped_file::shipped;
use stepwright_world::{Ability, DataSpec, Generator, Sight, WorldKind};

pub static KIND: WorldKind = WorldKind {
    sight: Sight::Picture,
    data: Some(DataSpec {
        about: "episodes on a table: a file, or a folder of them (docs/reference/table.md)",
        env: "STEPWRIGHT_TABLE",
        lies_at: Source::lies_at,
        demonstrations: false,
    }),
    steps: 100,
    method: Some("statler"),
    abilities: &[Ability::Preview, Ability::Belief, Ability::Requests, Ability::Reference, Ability::Picture],
    files: &[shipped!("table", "demonstrations.toml")],
    generate: Some(Generator { types: "pick_and_place, disinfection, weight, cover", make: generate::new_task }),
    agent: Some(agent::learn),
    reward: world::reward,
    ..WorldKind::new(
        "table",
        "a table with blocks and bowls: answer one request after another, and remember what is where, dirty or heavy",
        |origin| origin.read(Source::shipped, Source::open),
    )
};
