//! The worlds of the program: one folder a world, and their list.
//!
//! What they have in common (the trait, options, planning, blocking conditions, sources of tasks) is `stepwright_world`, which knows none of
//! them; nothing above it up to the workbench does either, but by the list that the composition root hands down. So what is changed in a
//! world's rules has few readers to be compiled again.

pub mod agent;
mod built_in;
mod catalog;
#[cfg(test)]
mod derived_tests;
pub mod dialogue;
pub mod external;
pub mod graph;
pub mod household;
pub mod kitchen;
mod list;
mod recorded;
mod shipped_file;
pub mod shop;
mod simulated;
pub mod table;

pub use built_in::{agent_of_demonstrations, agent_of_session, built_in_agent};
pub use catalog::{Catalog, Entry, Identified};
pub use list::{WORLDS, named, reward_of, sources, transcript_of};
pub use simulated::{Episode, Simulated};
/// Removes the copies of workspaces that agents were given, for a process that ends without waiting for them.
pub use stepwright_proxy::remove_copies as remove_workspaces;

#[cfg(test)]
#[path = "../../world/src/planner/testing.rs"]
#[allow(dead_code, reason = "shared with the tests of planning, each of which uses a part of it")]
mod planner_testing;
#[cfg(test)]
#[path = "../../../tests/support/recordings.rs"]
#[allow(dead_code, reason = "shared with the integration tests, each of which uses a part of it")]
mod recordings;
#[cfg(test)]
mod scripts;
