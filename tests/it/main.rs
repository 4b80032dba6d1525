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

mod blocking_derived;
mod blocking_figures;
mod blocking_household;
mod blocking_tree;
mod cli_config;
#[cfg(unix)]
mod cli_external_method;
mod cli_play;
mod cli_preconditions;
mod cli_report;
mod cli_sessions;
mod cli_study;
mod code_policy;
mod conform;
mod conform_dialogues;
#[cfg(unix)]
mod debug_log;
mod docs;
mod docs_claims;
mod docs_session;
mod driver_blocking;
mod driver_blocking_skills;
mod driver_candidates;
mod driver_corrections;
mod driver_derived;
#[cfg(unix)]
mod driver_external_method;
mod driver_methods;
mod driver_o3d;
mod driver_plans;
#[cfg(unix)]
mod driver_remote;
mod driver_reprompt;
mod driver_services;
mod driver_session;
mod driver_skills;
mod driver_statler;
mod engine_golden;
mod engine_recordings;
mod example_sessions;
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
mod precondition_figures;
mod precondition_golden;
mod provider_refusals;
mod provider_requests;
mod provider_score;
mod provider_sessions;
mod provider_stream;
mod provider_wires;
mod published_skills;
mod react;
mod registry;
mod reliability_bounds;
mod reliability_data;
#[cfg(unix)]
mod reliability_templates;
mod reliability_terminal;
#[cfg(unix)]
mod sandbox;
mod skills_success;
mod statler_recorded;
mod study_statler;
mod symbolic_success;
