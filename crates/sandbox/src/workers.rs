//! Workers, the sandbox: every run has a worker to itself, and one more is started ahead, so that a run does not wait for it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::call::Call;
use super::fault::{Bound, Fault, FaultKind};
use super::itself::itself;
use super::process::Process;
use super::require::required;
use super::wire::{Answer, Order};
use super::{Limits, Step};

/// Workers of one program. Needs a tokio runtime, the same for all its runs. Clones share the worker that is ahead.
#[derive(Clone)]
pub struct Workers {
    /// The program that is started with [`super::WORKER`], or why there is none.
    program: Result<PathBuf, String>,
    limits: Limits,
    spare: Arc<Mutex<Option<Process>>>,
}

impl Workers {
    #[must_use]
    pub fn of_this_program(limits: Limits) -> Self {
        let program = itself().map_err(|e| format!("this program does not find itself: {e}"));
        Workers { program, limits, spare: Arc::default() }
    }

    #[must_use]
    pub fn at(program: impl Into<PathBuf>, limits: Limits) -> Self {
        Workers { program: Ok(program.into()), limits, spare: Arc::default() }
    }

    /// Starts a worker ahead of the first run, if none is.
    pub fn warm(&self) {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.as_mut().is_none_or(|worker| !worker.is_alive()) {
            // Why there is none is reported by the run that needs it.
            *spare = self.worker().ok();
        }
    }

    fn worker(&self) -> Result<Process, FaultKind> {
        let program = self.program.as_ref().map_err(|why| FaultKind::Worker(why.clone()))?;
        Process::start(program, self.limits.bounds())
    }

    /// The worker that is ahead, if there is one that lives.
    fn ahead(&self) -> Option<Process> {
        let mut worker = self.spare.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        worker.is_alive().then_some(worker)
    }

    /// Begins a run. `prelude` is code of this program's own before the code, with whose lines lines are counted; `functions` are the
    /// host functions the code may call; `values` is an object whose entries the code sees under their names.
    pub fn start(&self, prelude: &str, code: &str, functions: &[&str], values: &Value) -> Running {
        let order = Order {
            prelude: prelude.to_owned(),
            code: code.to_owned(),
            functions: functions.iter().map(|&f| f.to_owned()).collect(),
            values: values.clone(),
            limits: self.limits,
            require: required(),
        };
        let state = match self.ahead() {
            Some(worker) => State::Begun(worker, Box::new(order), Some(self.clone())),
            None => match self.worker() {
                Ok(worker) => State::Begun(worker, Box::new(order), None),
                Err(kind) => State::Over(Step::Fault(Fault::new(kind))),
            },
        };
        let workers = self.clone();
        tokio::spawn(async move { workers.warm() });
        Running { state, left: self.limits.deadline() }
    }
}

/// A run that has begun. Dropping it ends it.
pub struct Running {
    state: State,
    left: Duration,
}

enum State {
    /// Nothing was sent to the worker yet. One that was started ahead may be ending, by the system's hand, without its being seen:
    /// then the third starts another.
    Begun(Process, Box<Order>, Option<Workers>),
    Waiting(Process),
    Over(Step),
}

impl Running {
    async fn ask(&mut self, worker: &mut Process, message: &impl serde::Serialize) -> Step {
        let since = Instant::now();
        let reply = tokio::time::timeout(self.left, worker.ask(message)).await;
        self.left = self.left.saturating_sub(since.elapsed());
        match reply {
            Ok(Ok(step)) => step,
            Ok(Err(kind)) => Step::Fault(Fault::new(kind)),
            Err(_) => Step::Fault(Fault::new(FaultKind::Limit(Bound::Time))),
        }
    }

    /// Continues to the next call or the end. `result` is what the call before returns; it is not looked at the first time.
    pub async fn next(&mut self, result: Value) -> Step {
        // A caller that stops waiting drops the worker here, and it is killed.
        let given_up = Step::Fault(Fault::new(FaultKind::Worker("nobody waited for it".to_owned())));
        let (worker, step) = match std::mem::replace(&mut self.state, State::Over(given_up)) {
            State::Begun(mut worker, order, ahead) => {
                let mut step = self.ask(&mut worker, &*order).await;
                if let Some(workers) = ahead
                    && matches!(&step, Step::Fault(fault) if matches!(fault.kind, FaultKind::Worker(_)))
                    && let Ok(another) = workers.worker()
                {
                    // The program did nothing outside of the worker yet, so it can begin again.
                    worker = another;
                    step = self.ask(&mut worker, &*order).await;
                }
                (worker, step)
            }
            State::Waiting(mut worker) => {
                let step = self.ask(&mut worker, &Answer { answer: result }).await;
                (worker, step)
            }
            State::Over(step) => {
                self.state = State::Over(step.clone());
                return step;
            }
        };
        self.state = match &step {
            Step::Call { .. } => State::Waiting(worker),
            end => State::Over(end.clone()),
        };
        step
    }
}

/// All calls of a run that was answered with None throughout, and the fault that ended it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Run {
    pub calls: Vec<(Call, u32)>,
    pub fault: Option<Fault>,
}

/// Runs code to its end, every call answered with None.
pub async fn run(sandbox: &Workers, code: &str, functions: &[&str], values: &Value) -> Run {
    let mut running = sandbox.start("", code, functions, values);
    let mut run = Run::default();
    loop {
        match running.next(Value::Null).await {
            Step::Call { call, line, .. } => run.calls.push((call, line)),
            Step::Finished => return run,
            Step::Fault(fault) => {
                run.fault = Some(fault);
                return run;
            }
        }
    }
}
