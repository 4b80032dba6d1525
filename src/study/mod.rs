//! Studies: unattended runs, the papers' tables, metrics, and conformance checks against recordings of the original systems.
//!
//! [`runner`] carries out any study; `run`, `precondition`, `policy`, `blocking` and `statler` are studies.

pub mod blocking;
pub mod conform;
pub mod curve;
pub mod in_force;
pub mod matrix;
pub mod paper;
pub mod policy;
pub mod precondition;
pub mod run;
pub mod runner;
pub mod statler;
mod table;
