//! Studies: headless runs, the papers' tables and metrics.
//!
//! [`runner`] carries out any study; `run`, `precondition`, `policy`, `blocking`, `decisions`, `statler` and `o3d` are studies, listed in [`kinds`].

pub mod blocking;
mod columns;
pub mod curve;
pub mod decisions;
pub mod in_force;
mod interval;
pub mod kinds;
pub mod matrix;
pub mod o3d;
pub mod paper;
pub mod policy;
pub mod precondition;
pub mod recordings;
pub mod report;
pub mod reprompt;
pub mod run;
pub mod runner;
pub mod sample;
pub mod statler;
mod table;
pub mod tools;
