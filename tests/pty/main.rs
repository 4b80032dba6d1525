//! Tests of the whole program in a pseudo-terminal: keys in, screen out.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail by panicking, as tests do"
)]

#[path = "../support/mod.rs"]
mod support;

mod dialogue_world;
mod pty_blocking;
mod pty_episode;
mod pty_external;
mod pty_gate;
mod pty_model;
mod pty_preconditions;
mod pty_quit;
mod pty_rate;
mod pty_reprompt;
mod pty_review;
mod pty_shop;
mod pty_skills;
mod pty_statler;
mod pty_terminal;
mod pty_verdicts;
mod scripts;
