//! The table world: blocks, bowls, a disinfector and covers on a table, or cups with a ball; a person asks one thing after another.
//!
//! `thing` says what lies there, [`Table`] (`rules`, `told`, `form`) how it is and changes, [`Scene`] takes the cups in too. An
//! [`Episode`] is a scene and its requests; `load` and `source` read them from files; `judge` says whether a request was answered.
//! `generate` makes episodes. Around it: `call` reads actions, `picture` draws, `program` tells of them as program calls, and `world` makes a [`TableWorld`] of it.

mod call;
mod episode;
mod form;
pub mod generate;
mod judge;
mod load;
mod named;
mod picture;
mod program;
mod rules;
mod scene;
pub mod shipped;
mod source;
#[cfg(test)]
mod tests;
mod thing;
mod told;
mod weight;
mod world;

pub use episode::{Asked, Domain, Episode};
pub use judge::{Expected, Move, is_right};
pub use load::game;
pub use rules::{Table, Thing};
pub use scene::Scene;
pub use source::Source;
pub use thing::{Kind, TABLE, tidy};
pub use told::Telling;
pub use world::TableWorld;
