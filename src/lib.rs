//! Stepwright: a terminal workbench that steps language-model agents through episodes, one decision at a time.
//!
//! One name for each layer; the layers are crates of their own (`crates/`), and ARCHITECTURE.md draws them. This crate is what the
//! binary, the integration tests and the benches link.

pub use stepwright_belief as belief;
pub use stepwright_cli::{self as cli, debug_log};
pub use stepwright_episode as episode;
pub use stepwright_export as export;
pub use stepwright_launch::config;
pub use stepwright_library as library;
pub use stepwright_method as method;
pub use stepwright_methods as methods;
pub use stepwright_model::{self as model, prompt};
pub use stepwright_precondition as precondition;
pub use stepwright_sandbox as sandbox;
pub use stepwright_study as study;
pub use stepwright_text::{sanitize, words, wrap};
pub use stepwright_tui as tui;
pub use stepwright_world::{self as world, blocking, literal, options, planner, weights};
pub use stepwright_worlds as worlds;

/// A running session: what opens it, what interprets it, and what passes between it and its watchers.
pub mod driver {
    pub use stepwright_driver::*;
    pub use stepwright_launch::*;
    pub use stepwright_protocol::*;
    pub use stepwright_service::{self as service, headless};
}

/// Programs: the engine, and a session's program with the assertions in force.
pub mod program {
    pub use stepwright_program::*;
    pub use stepwright_world::program::CheckedProgram;
}
