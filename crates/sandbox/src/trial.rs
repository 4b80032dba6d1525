//! Trials: code of this program's own around one piece of model-written code, run in a worker to its only call, which reports. For what
//! the bounded evaluator gives no verdict on. What is tried and what the report means is for others to say.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::fault::{Bound, Fault, FaultKind};
use super::process::Process;
use super::require::required;
use super::wire::Order;
use super::{Call, Limits, Step};

/// The host function by which a trial reports: called once, with one value.
pub const REPORT: &str = "trial_report";

/// Runs trials, each in a worker of its own.
#[derive(Debug, Clone)]
pub struct Trials {
    program: PathBuf,
    limits: Limits,
}

impl Trials {
    #[must_use]
    pub fn of_this_program() -> Self {
        Trials::at("/proc/self/exe").or_current()
    }

    #[must_use]
    pub fn at(program: impl Into<PathBuf>) -> Self {
        Trials { program: program.into(), limits: Limits { calls: 1, ..Limits::default() } }
    }

    /// Where the system does not name the program that runs by a link, its path.
    fn or_current(self) -> Self {
        if self.program.exists() { self } else { std::env::current_exe().map_or(self, Trials::at) }
    }

    /// A trial's report. Waits for it, at most as long as a worker may take; to be called where waiting is allowed.
    pub fn run(&self, prelude: &str, code: &str) -> Result<Value, String> {
        let order = order(prelude, code, self.limits);
        let program = self.program.clone();
        let late = self.limits.deadline();
        // A runtime of its own on a thread of its own: the caller may stand in a runtime that must not be blocked on.
        let waited = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.map_err(|error| error.to_string())?;
            // Its line is one of the whole that was composed, which nobody has.
            runtime.block_on(async { within(&program, &order, late).await }).map_err(|fault| fault.kind.to_string())
        });
        waited.join().unwrap_or_else(|_| Err("the trial's thread failed".to_owned()))
    }
}

fn order(prelude: &str, code: &str, limits: Limits) -> Order {
    Order {
        prelude: prelude.to_owned(),
        code: code.to_owned(),
        functions: vec![REPORT.to_owned()],
        values: Value::Null,
        limits,
        require: required(),
    }
}

async fn within(program: &Path, order: &Order, late: Duration) -> Result<Value, Fault> {
    let mut worker = Process::start(program, order.limits.bounds()).map_err(Fault::new)?;
    match tokio::time::timeout(late, worker.ask(order)).await {
        Ok(Ok(reply)) => reported(reply),
        Ok(Err(kind)) => Err(Fault::new(kind)),
        Err(_) => Err(Fault::new(FaultKind::Limit(Bound::Time))),
    }
}

fn reported(reply: Step) -> Result<Value, Fault> {
    let silent = || Fault::new(FaultKind::Worker("the trial ended without a report".to_owned()));
    match reply {
        Step::Call { call: Call { mut args, .. }, .. } => args.pop().ok_or_else(silent),
        Step::Finished => Err(silent()),
        Step::Fault(fault) => Err(fault),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_that_ends_without_a_report_says_so() {
        assert!(reported(Step::Finished).unwrap_err().to_string().contains("without a report"));
    }
}
