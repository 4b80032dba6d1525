//! `stepwright sandbox-worker`: the process that model-written code runs in. Started by the program itself; hidden from help.

use std::process::ExitCode;

use clap::Args;

use crate::program::sandbox;

/// Runs code from standard input.
#[derive(Debug, Args)]
pub struct SandboxWorker {}

impl SandboxWorker {
    /// Does one run.
    #[must_use]
    pub fn run(self) -> ExitCode {
        if sandbox::work() { ExitCode::SUCCESS } else { ExitCode::from(2) }
    }
}
