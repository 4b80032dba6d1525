//! Stepwright: a terminal workbench that steps language-model agents through episodes, one decision at a time.
//!
//! The map, in the order imports run (a module imports only from those above it):
//! - [`options`]: what can be set of worlds and methods, declared once as data.
//! - [`episode`]: events, the session as their fold, the undo tree, the gate, the log file; pure.
//! - [`program`]: specifications, calls, rendering, the bounded Python engine, and the sandbox of model-written code; a crate of its
//!   own in `crates/program`.
//! - [`world`]: environments, one folder each.
//! - [`model`]: sources of completions: providers, cassettes.
//! - [`prompt`]: prompt templates, rendered to messages.
//! - [`config`]: settings, where they come from, and the models they name.
//! - [`precondition`]: candidate assertions: generate, validate, rank.
//! - [`planner`]: effects learned from demonstrations and search over them.
//! - [`belief`]: the state a model keeps in words: reading, writing, comparing.
//! - [`blocking`]: goals, blocked actions, unmet conditions and what would meet them.
//! - [`method`]: what each research method puts into the loop's slots.
//! - [`export`]: sessions as HTML, asciicast, JSONL and text.
//! - [`sanitize`]: text made safe to draw. - [`words`]: counts in words.
//! - [`driver`]: the task that runs methods against worlds and models.
//! - [`study`]: unattended runs, metrics, conformance checks.
//! - [`tui`]: the workbench. - [`cli`]: the subcommands.

pub mod belief;
pub mod blocking;
pub mod cli;
pub mod config;
pub mod driver;
pub mod episode;
pub mod export;
pub mod method;
pub mod model;
pub mod options;
pub mod planner;
pub mod precondition;
pub mod prompt;
pub mod sanitize;
pub mod study;
pub mod tui;
pub mod words;
pub mod world;

#[doc(inline)]
pub use stepwright_program as program;

#[cfg(test)]
#[path = "../tests/support/recordings.rs"]
#[allow(dead_code, reason = "shared with the integration tests, each of which uses a part of it")]
mod recordings;
