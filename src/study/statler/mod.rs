//! The study of "Statler: State-Maintaining Language Models for Embodied Reasoning": what recorded outputs did ([`outputs`]), how
//! many requests were answered in a row ([`scores`]), and how long a model follows three cups ([`cups`]).
//!
//! Whether one request counts as answered is the table world's rule ([`crate::world::table::is_right`]).

pub mod cups;
pub mod outputs;
pub mod scores;
