//! `stepwright sandbox-worker`: the process that model-written code runs in. Started by the program itself; hidden from help.

use std::process::ExitCode;

use clap::Args;

use stepwright_program::sandbox::{self, Bounds};

/// Runs code from standard input.
#[derive(Debug, Args)]
pub struct SandboxWorker {
    /// Bytes of memory beyond what it has at the start
    memory: u64,
    /// Seconds of processor time
    seconds: u64,
}

impl SandboxWorker {
    /// Does one run.
    #[must_use]
    pub fn run(self) -> ExitCode {
        let bounds = Bounds { memory: self.memory, seconds: self.seconds };
        if sandbox::work(bounds) { ExitCode::SUCCESS } else { ExitCode::from(2) }
    }
}
