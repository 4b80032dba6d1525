//! Messages: what jobs send back to the driver's task.

use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;

use super::service::{ServiceId, WorkResult};
use super::setup::Clock;
use stepwright_episode::gate::Report;
use stepwright_episode::{AskId, DecisionId, Exchange, NodeId, Usage};
use stepwright_method::Answer;
use stepwright_model::ModelError;
use stepwright_protocol::Notice;
use stepwright_sandbox::Run;
use stepwright_world::{Outcome, World, WorldError};

pub(super) type JobId = u64;

pub(super) enum Message {
    Answered(Answered),
    ProgramResult(ProgramResult),
    /// A world in another process has taken a step, or not.
    World(StepResult),
    Worked {
        job: JobId,
        service: ServiceId,
        result: WorkResult,
    },
}

#[derive(Debug)]
pub(super) struct Answered {
    pub(super) ask: AskId,
    pub(super) result: Result<Answer, Failure>,
    /// The exact request and answer, where a language model was asked.
    pub(super) exchange: Option<Box<Exchange>>,
    /// Whether given texts were scored, and none written.
    pub(super) is_scored: bool,
    pub(super) ms: u64,
}

#[derive(Debug)]
pub(super) enum Failure {
    Model(ModelError),
    /// It was given up before the answer was whole.
    GivenUp {
        error: ModelError,
        partial: String,
    },
    /// Why there is no answer, of work that came to none or of an answer that cannot be kept.
    Work {
        why: String,
        /// What was spent all the same.
        usage: Option<Usage>,
    },
}

impl Failure {
    /// That a model gave no answer; `arrived`: what had come of one that was given up.
    pub(super) fn of_model(error: ModelError, arrived: String) -> Self {
        if matches!(error.cause(), ModelError::Cancelled) {
            Failure::GivenUp { error, partial: arrived }
        } else {
            Failure::Model(error)
        }
    }

    pub(super) fn work(why: String) -> Self {
        Failure::Work { why, usage: None }
    }

    /// Tokens spent without an answer.
    pub(super) fn usage(&self) -> Option<Usage> {
        match self {
            Failure::Model(error) | Failure::GivenUp { error, .. } => error.charge().usage,
            Failure::Work { usage, .. } => *usage,
        }
    }

    /// What had come of an answer that is none.
    pub(super) fn partial(&self) -> &str {
        match self {
            Failure::Model(error) => error.partial(),
            Failure::GivenUp { partial, .. } => partial,
            Failure::Work { .. } => "",
        }
    }

    /// The report that an ask ended so.
    pub(super) fn of_ask(&self, ask: AskId) -> Report {
        let (error, partial) = (self.to_string(), self.partial().to_owned());
        Report::AskFailed { ask, error, usage: self.usage(), partial }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Model(error) | Failure::GivenUp { error, .. } => error.fmt(f),
            Failure::Work { why, .. } => f.write_str(why),
        }
    }
}

pub(super) struct ProgramResult {
    pub(super) decision: DecisionId,
    pub(super) code: String,
    pub(super) run: Run,
}

/// A fork of the world that has come back.
pub(super) struct StepResult {
    pub(super) job: JobId,
    pub(super) at: NodeId,
    pub(super) world: Box<dyn World>,
    pub(super) result: Result<Outcome, WorldError>,
}

/// Has work done beside the driver's task, where it may take long and wait.
pub(super) type Beside = Arc<dyn Fn(Box<dyn FnOnce() + Send>) + Send + Sync>;

/// Threads of the present tokio runtime.
pub(super) fn threads() -> Beside {
    Arc::new(|work| drop(tokio::task::spawn_blocking(work)))
}

#[derive(Clone)]
pub(super) struct Outlets {
    pub(super) messages: UnboundedSender<Message>,
    pub(super) notices: UnboundedSender<Notice>,
    pub(super) clock: Clock,
    pub(super) beside: Beside,
}

impl Outlets {
    /// Milliseconds since then.
    pub(super) fn since(&self, started: u64) -> u64 {
        (self.clock)().saturating_sub(started)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_counted_by_the_driver_s_clock_and_never_backwards() {
        let (messages, _) = tokio::sync::mpsc::unbounded_channel();
        let (notices, _) = tokio::sync::mpsc::unbounded_channel();
        let outlets = Outlets { messages, notices, clock: Arc::new(|| 1_250), beside: Arc::new(|work| work()) };
        assert_eq!((outlets.since(1_000), outlets.since(2_000)), (250, 0));
    }
}
