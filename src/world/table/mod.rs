//! The table world: blocks, bowls, a disinfector and covers on a table; a person asks one thing after another.
//!
//! `thing` says what lies there, [`Table`] (`rules`, `told`, `form`) how it is and changes;
//! `judge` says whether a request was answered.

mod form;
mod judge;
mod named;
mod rules;
mod thing;
mod told;
mod weight;

pub use judge::{Expected, Move, is_right};
pub use rules::{Table, Thing};
pub use thing::{Kind, TABLE, tidy};
pub use told::Telling;
