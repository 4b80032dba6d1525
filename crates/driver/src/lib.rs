//! The driver: the task that runs methods against worlds and models, carries out commands and emits notices.
//!
//! It interprets and nothing else: what a session is opened with is made above it ([`Setup`]), what passes between it and its watchers
//! is the protocol's, and the workbenches beside the episode are a list of [`Service`]s. It never draws; a watcher never waits for it.
//!
//! `driver` is its state, `run` its loop, `effects` the interpreter; `commands`, `answers`, `asks`, `configure`, `fork`,
//! `remote_step`, `services` and `situation` carry out one kind of thing each. All below them (`jobs`, `timeline`, `journal`, …) knows no driver.

mod answers;
mod ask_record;
mod asks;
mod checking;
mod commands;
mod configure;
mod difference;
mod driver;
mod effects;
mod fork;
mod jobs;
mod journal;
mod messages;
mod models;
mod panic_guard;
mod remote_step;
mod run;
mod service;
mod services;
mod setup;
#[cfg(test)]
mod simulation;
mod situation;
mod source;
mod stream;
mod timeline;

pub use difference::changes;
pub use fork::Wanted as Forked;
pub use run::start;
pub use service::{Fork, RequestId, Service, SessionContext, SessionView, WorkDesk, WorkResult};
pub use setup::{Beginning, Clock, Persistence, Setup, sandbox, system_clock};
pub use source::{MethodResolver, Resolver, Roles, Source, first_asked, roles_named};
