//! Tests of the library and the command without a screen: worlds, methods, the driver, studies, providers, and the comparison with recordings.
//!
//! One binary for all of them, because each binary links the whole library. `cargo test --test it driver_` runs one family.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail by panicking, as tests do"
)]

#[path = "../support/mod.rs"]
mod support;

#[cfg(unix)]
mod agent_gate;
mod at_hand;
#[cfg(unix)]
mod belief_form;
mod blocking_derived;
mod blocking_figures;
mod blocking_household;
mod blocking_tree;
mod cli;
mod code_policy;
#[cfg(unix)]
mod commands;
mod conform;
mod conform_dialogues;
#[cfg(unix)]
mod debug_log;
mod docs;
mod docs_claims;
mod docs_session;
mod driver_corrections;
#[cfg(unix)]
mod driver_external_method;
mod driver_methods;
mod driver_opening;
mod driver_services;
mod driver_session;
mod duel;
mod engine_golden;
mod example_sessions;
mod exchanges;
#[cfg(unix)]
mod external_world;
mod fetch_weights;
mod fuzz_targets;
mod graph_own_layout;
mod imitation_figures;
mod imports;
#[cfg(feature = "local")]
mod local_model;
mod logs_of_before;
mod own_services;
mod own_world;
mod precondition_figures;
mod prompt_structure;
mod provider_clients;
mod provider_score;
mod provider_sessions;
mod published_answers;
mod published_skills;
mod python_package;
mod react;
mod registry;
mod reliability_bounds;
mod reliability_data;
#[cfg(unix)]
mod reliability_templates;
mod reliability_terminal;
#[cfg(unix)]
mod roles;
mod sandbox;
mod schedules;
mod schemas;
mod sessions;
mod skills_success;
mod speed_of_trees;
mod statler_recorded;
mod study_statler;
mod symbolic_success;
