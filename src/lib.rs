//! Stepwright: a terminal workbench that steps language-model agents through episodes, one decision at a time.
//!
//! The map, in the order imports run (a module imports only from those above it):
//! - [`options`]: what can be set of worlds and methods, declared once as data.
//! - [`episode`]: events, the session as their fold, the undo tree, the gate, the log file; pure.
//! - [`literal`]: ground literals, and the set of them an agent can know at a moment.
//! - [`weights`]: weights as multiples of one another: exact fractions, expressions, what follows from several.
//! - [`sanitize`]: text made safe to draw. - [`wrap`]: the same, wrapped to a width.
//! - [`program`]: specifications, calls, rendering, the bounded Python engine, and the sandbox of model-written code; a crate of its
//!   own in `crates/program`.
//! - [`planner`]: effects learned from demonstrations, search, classical planning, and the trait of agents without a model.
//! - [`blocking`]: goals, blocked actions, unmet conditions and what would meet them.
//! - [`world`]: environments, one folder each, with their agents.
//! - [`belief`]: the state a model keeps in words: reading, writing, comparing.
//! - [`model`]: sources of completions: providers, cassettes.
//! - [`prompt`]: prompt templates, rendered to messages.
//! - [`precondition`]: candidate assertions: generate, validate, rank.
//! - [`method`]: what each research method puts into the loop's slots.
//! - [`config`]: settings, where they come from, and the models they name.
//! - [`export`]: sessions as HTML, asciicast, JSONL and text.
//! - [`words`]: counts in words. - [`debug_log`]: the debug log and reports of crashes.
//! - [`driver`]: the task that runs methods against worlds and models.
//! - [`study`]: unattended runs, metrics, conformance checks.
//! - [`tui`]: the workbench. - [`cli`]: the subcommands.

pub mod belief;
pub mod blocking;
pub mod cli;
pub mod config;
pub mod debug_log;
pub mod driver;
pub mod episode;
pub mod export;
pub mod literal;
pub mod method;
pub mod model;
pub mod options;
pub mod planner;
pub mod precondition;
pub mod program;
pub mod prompt;
pub mod sanitize;
pub mod study;
pub mod tui;
pub mod weights;
pub mod words;
pub mod world;
pub mod wrap;

#[cfg(test)]
#[path = "../tests/support/recordings.rs"]
#[allow(dead_code, reason = "shared with the integration tests, each of which uses a part of it")]
mod recordings;
