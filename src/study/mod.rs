//! Studies: unattended runs, metrics, and conformance checks against recordings of the original systems.

pub mod conform;
pub mod policy;
pub mod run;
