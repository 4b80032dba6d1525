//! Workbench drawn on a test terminal: panes, whole screens and keys, most of them as snapshots in `snapshots/`.
//!
//! `INSTA_UPDATE=always cargo test --test screens` writes the snapshots again; look at the difference before keeping it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail by panicking, as tests do"
)]

#[path = "../support/mod.rs"]
mod support;

mod panes_answer;
mod panes_bars;
mod panes_behaviour;
mod panes_belief;
mod panes_derived;
mod panes_map;
mod panes_plan;
mod panes_preconditions;
mod panes_properties;
mod panes_random;
mod panes_snapshots;
mod panes_table;
mod panes_words;
mod panes_worlds;
mod scripts;
mod tui_keys;
mod tui_labels;
mod tui_pointer;
mod tui_review;
mod tui_screens;
mod tui_sizes;
