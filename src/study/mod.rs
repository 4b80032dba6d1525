//! Studies: unattended runs, the papers' tables, metrics, and conformance checks against recordings of the original systems.

pub mod blocking;
pub mod conform;
pub mod curve;
pub mod jobs;
pub mod paper;
pub mod policy;
pub mod precondition;
pub mod run;
pub mod statler;
mod table;
