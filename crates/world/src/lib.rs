//! What worlds have in common: the interface each offers, the records it exchanges, and what several stand on (options, planning, blocking
//! conditions). Deterministic environments an agent acts in; the worlds themselves are the crate above, `worlds`.
//!
//! A world knows nothing of methods, models or terminals; it does no input or output while stepping (its loader reads files
//! beforehand), two aside whose steps another process does ([`remote`]): the external world, and that of an agent behind the gate,
//! which starts the agent and a proxy. Where something is said of all the worlds there are, their list is given.

mod ability;
pub mod adapter;
mod agent_command;
pub mod answer;
pub mod blocking;
pub mod demonstration;
mod error;
mod faults;
pub mod files;
mod kind;
mod language;
pub mod literal;
mod logs;
pub mod map;
pub mod options;
mod outcome;
pub mod planner;
pub mod program;
pub mod remote;
mod replay;
mod requests;
mod shipped_domain;
mod sources;
pub mod state_form;
mod symbols;
pub mod transcript;
mod transcripts;
pub mod weights;
mod world;

pub use ability::Ability;
pub use agent_command::AgentCommand;
pub use answer::Asked;
pub use error::WorldError;
pub use faults::FileFaults;
pub use files::nearest_ids;
pub use files::read_at_most;
pub use kind::{DataSpec, GeneratedTask, Generator, Learn, LearnFor, Lines, ShippedFile};
pub use language::{Correction, Language, Refusal, WordedPlan, Wording};
pub use literal::{Atom, Facts};
pub use logs::{problems, read_logs};
pub use map::Map;
pub use outcome::{Outcome, ProgramHeader, Snapshot, TaskInfo};
pub use requests::{
    CLOSING, CUPS, HostFunction, NOTHING, Request, Requests, TASK, UPDATING, WorkedExample, WorkedStep, closes, updates,
};
pub use shipped_domain::shipped_domain;
pub use sources::{RECORDED, Sources, named, read_demonstrations};
pub use symbols::Symbols;
pub use transcripts::transcript_of;
pub use world::{Kinds, OpenSpec, OpenedWorld, Origin, Sight, TaskSet, World, WorldKind, refusal};

/// The name by which `planner::testing`, which the tests of the crate above share, knows this crate.
#[cfg(test)]
extern crate self as stepwright_world;
#[cfg(test)]
mod testing;
