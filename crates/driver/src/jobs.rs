//! Jobs: asks, own work of methods, programs and steps of other processes, done beside the driver's task. Each sends one [`Message`]
//! when it ends and can be stopped; none outlives the driver.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;

use super::Notice;
use super::asking;
use super::broken::{BROKE, caught, caught_work};
use super::exchange;
use super::remote_step::Back;
use super::skills;
use super::workshop;
use stepwright_episode::{Action, AskId, AskKind, DecisionId, Exchange};
use stepwright_method::prompting::LEAD;
use stepwright_method::{Answer, Known, Program, Stop, Team};
use stepwright_model::{Completion, LanguageModel, ModelError, ModelRequest, ScoreRequest};
use stepwright_sandbox::{Fault, FaultKind, Run, Sandbox};

/// What a job sends back.
pub(super) enum Message {
    /// An ask's answer.
    Answered(Answered),
    /// What a program did.
    Ran(Ran),
    /// A world in another process has taken a step, or not.
    World(Back),
    /// The end of work on candidate preconditions.
    Workshop(Box<workshop::Done>),
    /// What was read or found of skills, to be offered.
    Found(skills::Found),
}

/// The end of an ask.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) ask: AskId,
    pub(super) result: Result<Answer, Failure>,
    /// What was sent and what came back, where a language model was asked.
    pub(super) exchange: Option<Box<Exchange>>,
    pub(super) ms: u64,
}

/// Why an ask has no answer.
#[derive(Debug)]
pub(super) enum Failure {
    /// The model's.
    Model(ModelError),
    /// The method's own work's, in words.
    Work(String),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Model(error) => error.fmt(f),
            Failure::Work(error) => f.write_str(error),
        }
    }
}

/// A program that has run.
pub(super) struct Ran {
    pub(super) decision: DecisionId,
    pub(super) code: String,
    pub(super) run: Run,
}

/// A job's number.
pub(super) type JobId = u64;

/// What is under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Job {
    /// An ask.
    Ask(AskId),
    /// A program that a decision took.
    Program,
    /// A step of another process, carrying out a decision or none.
    World {
        /// What is performed, if it is a step.
        step: Option<(DecisionId, Action)>,
    },
}

/// Ends a job.
type Cancel = Box<dyn Fn() + Send + Sync>;

/// The jobs under way, each with what ends it.
#[derive(Default)]
pub(super) struct Jobs {
    last: JobId,
    under_way: BTreeMap<JobId, (Job, Cancel)>,
}

impl Jobs {
    /// Notes a job that has begun.
    pub(super) fn begin(&mut self, job: Job, stop: impl Fn() + Send + Sync + 'static) -> JobId {
        self.last += 1;
        self.under_way.insert(self.last, (job, Box::new(stop)));
        self.last
    }

    /// Notes that a job has ended.
    pub(super) fn end(&mut self, job: JobId) -> Option<Job> {
        self.under_way.remove(&job).map(|(job, _)| job)
    }

    /// Notes that an ask has ended; stops it if `stop`.
    pub(super) fn end_ask(&mut self, ask: AskId, stop: bool) {
        let found = self.under_way.iter().find(|(_, (job, _))| *job == Job::Ask(ask)).map(|(id, _)| *id);
        if let Some((_, end)) = found.and_then(|id| self.under_way.remove(&id))
            && stop
        {
            end();
        }
    }

    /// Stops all jobs that carry out a decision; returns whether there were any.
    pub(super) fn stop_deeds(&self) -> bool {
        let deeds = self.under_way.values().filter(|(job, _)| !matches!(job, Job::Ask(_)));
        deeds.map(|(_, stop)| stop()).count() > 0
    }

    /// Whether another process is at work.
    pub(super) fn has_world(&self) -> bool {
        self.under_way.values().any(|(job, _)| matches!(job, Job::World { .. }))
    }

    /// Notes that the program under way has ended.
    pub(super) fn end_program(&mut self) {
        self.under_way.retain(|_, (job, _)| *job != Job::Program);
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        self.under_way.values().for_each(|(_, stop)| stop());
    }
}

/// Where jobs report to.
#[derive(Debug, Clone)]
pub(super) struct Outlets {
    pub(super) messages: UnboundedSender<Message>,
    pub(super) notices: UnboundedSender<Notice>,
}

fn since(started: Instant) -> u64 {
    u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// Has completions written.
pub(super) fn generate(
    model: Arc<dyn LanguageModel>,
    ask: AskId,
    request: ModelRequest,
    cancel: CancellationToken,
    outlets: Outlets,
) {
    tokio::spawn(async move {
        let started = Instant::now();
        let (asked, kept) = (Arc::clone(&model), request.clone());
        let asking = asking::ask(model, ask, request, cancel, outlets.notices);
        let result = caught(asking, || Err(ModelError::Configuration(BROKE.to_owned()))).await;
        match &result {
            Ok(response) => tracing::info!(ask, n = response.completions.len(), ms = since(started), "answered"),
            Err(error) => tracing::warn!(ask, %error, ms = since(started), "not answered"),
        }
        let exchange = Some(exchange::of_completions(asked.as_ref(), &kept, result.as_ref().ok()));
        let answer = |r: stepwright_model::ModelResponse| Answer {
            completions: r.completions,
            usage: r.usage,
            ..Answer::default()
        };
        let result = result.map(answer).map_err(Failure::Model);
        // A driver that is gone waits for nothing.
        let _ = outlets.messages.send(Message::Answered(Answered { ask, result, exchange, ms: since(started) }));
    });
}

/// Has continuations scored, reporting progress; `done == total` comes last, however it ended.
pub(super) fn score(
    model: Arc<dyn LanguageModel>,
    ask: AskId,
    kind: &AskKind,
    request: ScoreRequest,
    cancel: CancellationToken,
    outlets: Outlets,
) {
    let total = request.candidates.len();
    let what = match kind {
        AskKind::CandidateScores { .. } => format!("scoring {}:", stepwright_text::words::count(total, "candidate")),
        _ => format!("scoring {}", stepwright_text::words::count(total, "action")),
    };
    tokio::spawn(async move {
        let started = Instant::now();
        let progress = |done: usize| {
            let _ = outlets.notices.send(Notice::Progress { what: what.clone(), done, total });
        };
        let (sender, mut done) = unbounded_channel();
        progress(0);
        let result = {
            let scoring = model.score_watched(&request, &sender, &cancel);
            let scoring = caught(scoring, || Err(ModelError::Configuration(BROKE.to_owned())));
            tokio::pin!(scoring);
            loop {
                tokio::select! {
                    result = &mut scoring => break result,
                    // A model that is slow to notice must not keep the person waiting.
                    () = cancel.cancelled() => break Err(ModelError::Cancelled),
                    Some(done) = done.recv() => if done < total { progress(done) },
                }
            }
        };
        progress(total);
        let named = |(completion, text): (Completion, &String)| Completion {
            text: text.strip_prefix(LEAD).unwrap_or(text).to_owned(),
            ..completion
        };
        let exchange = Some(exchange::of_scores(model.as_ref(), result.as_deref().unwrap_or_default()));
        let result = result.map(|scored| Answer {
            usage: Some(request.usage(&scored)),
            completions: scored.into_iter().zip(&request.candidates).map(named).collect(),
            ..Answer::default()
        });
        let result = result.map_err(Failure::Model);
        let _ = outlets.messages.send(Message::Answered(Answered { ask, result, exchange, ms: since(started) }));
    });
}

/// Does a method's own work.
pub(super) fn compute(
    team: Team,
    ask: AskId,
    kind: AskKind,
    known: Known,
    work: serde_json::Value,
    stop: Stop,
    outlets: Outlets,
) {
    tokio::task::spawn_blocking(move || {
        // A person who steps fast leaves asks behind that nobody waits for.
        if stop.is_stopped() {
            return;
        }
        let started = Instant::now();
        let result = caught_work(|| team.compute(&kind, &known, &work, &stop)).map_err(Failure::Work);
        let _ = outlets.messages.send(Message::Answered(Answered { ask, result, exchange: None, ms: since(started) }));
    });
}

/// Runs a program in the sandbox.
pub(super) fn run(
    sandbox: Arc<dyn Sandbox>,
    decision: DecisionId,
    program: Program,
    cancel: CancellationToken,
    outlets: Outlets,
) {
    tokio::spawn(async move {
        let Program { code, functions, values } = program;
        let functions: Vec<&str> = functions.iter().map(String::as_str).collect();
        let broken = || {
            let kind = FaultKind::Worker(BROKE.to_owned());
            Run { calls: Vec::new(), fault: Some(Fault { line: None, kind }) }
        };
        let run = tokio::select! {
            run = caught(stepwright_sandbox::run(sandbox.as_ref(), &code, &functions, &values), broken) => run,
            () = cancel.cancelled() => {
                let kind = FaultKind::Worker("it was stopped by a person".to_owned());
                Run { calls: Vec::new(), fault: Some(Fault { line: None, kind }) }
            }
        };
        let _ = outlets.messages.send(Message::Ran(Ran { decision, code, run }));
    });
}
