//! Sandbox: model-written code, run in a separate process; the second tier of the Python engine, seen from the program.
//!
//! Code is run by [`Workers`] on named values and named host functions. Each call of a host function suspends the run, so that a
//! person can look in between and the answerer may give a value back. A worker is the same program
//! again as a process without environment, files or network, bounded in time, memory, depth and calls (`docs/explanation/sandbox.md`). The
//! worker's side, with the engine, is the crate `worker`, which only the last binary links. What the calls mean is not known here.

mod call;
mod fault;
mod itself;
mod process;
mod require;
mod trial;
pub mod wire;
mod workers;

use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use call::Call;
pub use fault::{Bound, Fault, FaultKind};
pub use require::{HELD, Require, held, require};
pub use stepwright_confine::{Bounds, Held};
pub use trial::{REPORT, Trials};
pub use workers::{Run, Running, Workers, run};

/// The subcommand that makes the program a worker.
pub const WORKER: &str = "sandbox-worker";

/// Bounds of a run: time, memory, calls, depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Time the code may run in all, by the engine's clock: it stands while a call waits for its answer, and while the worker starts.
    pub wall: Duration,
    /// Bytes the code may take beyond what the worker needs itself.
    pub memory: usize,
    pub calls: usize,
    /// Functions inside one another.
    pub depth: usize,
}

/// Bytes a worker may take for itself beside what the code takes: an order with all its values, messages, the compiled code, a copy
/// to find out its line.
const OWN_MEMORY: u64 = 112 << 20;
/// Seconds of processor time that a worker may take for itself.
const OWN_SECONDS: u64 = 2;

/// How many times the code's own time a worker is waited for. To start, to get a processor on a busy machine and to pass messages is
/// no time of the code's: that is bounded by the engine's clock and by processor time. This ends a worker that does nothing at all.
const PATIENCE: u32 = 6;
/// How much longer than that, however short the time is.
const GRACE: Duration = Duration::from_millis(500);

impl Limits {
    /// How long a worker is waited for in all; time in which it waits for an answer does not count.
    fn deadline(&self) -> Duration {
        self.wall * PATIENCE + GRACE
    }

    /// The bounds that the operating system is to hold a worker to.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        Bounds {
            memory: OWN_MEMORY.saturating_add(self.memory as u64),
            seconds: self.wall.as_secs().saturating_add(OWN_SECONDS),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits { wall: Duration::from_secs(5), memory: 64 << 20, calls: 200, depth: 200 }
    }
}

/// The state of a run between two calls of host functions; what a worker says, after which it ends unless it calls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// It calls a host function and waits for the answer.
    Call {
        call: Call,
        /// The line of the code that calls, from 1; 0 where the code keeps too much in memory to find out.
        line: u32,
        /// The lines that led to the call, the one outside of all functions first; none as above.
        way: Vec<u32>,
    },
    Finished,
    Fault(Fault),
}
