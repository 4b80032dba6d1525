//! Study of "Statler: State-Maintaining Language Models for Embodied Reasoning": what recorded outputs did ([`outputs`],
//! [`recorded`]) and what methods do when they are run ([`live`]), how many requests were answered in a row ([`scores`]), and how long a
//! model follows three cups ([`cups`]); the tables of it beside the paper's ([`report`]), the curves ([`curves`]).
//!
//! Whether one request counts as answered is the table world's rule ([`stepwright_worlds::table::is_right`]).

pub mod cups;
pub mod curves;
pub mod groups;
pub mod live;
pub mod outputs;
pub mod paper;
pub mod recorded;
pub mod report;
pub mod scores;
