//! Worlds. Deterministic environments an agent acts in: their list, the interface each offers, the records it exchanges.
//!
//! A world knows nothing of methods, models or terminals; it does no input or output while stepping (its loader reads files
//! beforehand), two aside whose steps another process does ([`remote`]): the external world, and that of an agent behind the gate,
//! which starts the agent and a proxy. One folder a world; [`WORLDS`] is the only place that lists them (`list`).

mod ability;
mod adapter;
pub mod agent;
mod agent_command;
pub mod answer;
pub mod blocking;
mod built_in;
mod catalog;
pub mod demonstration;
pub mod dialogue;
mod error;
pub mod external;
mod files;
pub mod graph;
pub mod household;
mod kind;
pub mod kitchen;
mod language;
mod list;
pub mod literal;
pub mod map;
pub mod options;
mod outcome;
pub mod planner;
pub mod program;
mod recorded;
pub mod remote;
mod replay;
mod requests;
mod shipped_domain;
pub mod shop;
mod simulated;
mod sources;
pub mod state_form;
mod symbols;
pub mod table;
pub mod transcript;
pub mod weights;
mod world;

pub use ability::Ability;
pub use agent_command::AgentCommand;
pub use answer::Asked;
pub use built_in::{agent_of_demonstrations, agent_of_session, built_in_agent};
pub use catalog::{Catalog, Entry, Identified};
pub use error::WorldError;
pub use files::nearest_ids;
pub use files::read_at_most;
pub use kind::{DataSpec, GeneratedTask, Generator, Learn, LearnFor, Lines, ShippedFile};
pub use language::{Correction, Language, Refusal, WordedPlan, Wording};
pub use list::{WORLDS, transcript_of};
pub use literal::{Atom, Facts};
pub use map::Map;
pub use outcome::{Outcome, ProgramHeader, Snapshot, TaskInfo};
pub use recorded::{problems, read as read_logs};
pub use requests::{
    CLOSING, CUPS, HostFunction, NOTHING, Request, Requests, TASK, UPDATING, WorkedExample, WorkedStep, closes, updates,
};
pub use shipped_domain::shipped_domain;
pub use simulated::{Episode, Simulated};
pub use sources::{Sources, named, read_demonstrations};
pub use symbols::Symbols;
pub use world::{OpenSpec, OpenedWorld, Origin, Sight, TaskSet, World, WorldKind, refusal};

#[cfg(test)]
#[path = "../../../tests/support/recordings.rs"]
#[allow(dead_code, reason = "shared with the integration tests, each of which uses a part of it")]
mod recordings;
#[cfg(test)]
mod scripts;
