//! Jobs: asks, own work of methods and services, programs and steps of other processes, done beside the driver's task. Each sends one
//! [`Message`] when it ends and can be stopped; none outlives the driver.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::mpsc::unbounded_channel;
use tokio_util::sync::CancellationToken;

use super::messages::{Answered, Failure, JobId, Message, Outlets, ProgramResult};
use super::panic_guard::{BROKE, catch_panic, catch_panic_in};
use super::service::{ServiceId, Work, WorkDesk};
use super::{ask_record, stream};
use stepwright_episode::{Action, AskId, AskKind, DecisionId, Exchange};
use stepwright_method::prompting::LEAD;
use stepwright_method::{Answer, MethodStack, Program, Stop, WorkInput};
use stepwright_model::{Completion, LanguageModel, ModelError, ModelRequest, ScoreRequest};
use stepwright_protocol::{Level, Notice};
use stepwright_sandbox::{Fault, FaultKind, Run, Workers};
use stepwright_text::words::count;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Job {
    Ask(AskId),
    Program,
    Service,
    /// A step of another process, carrying out a decision or none.
    World {
        step: Option<(DecisionId, Action)>,
    },
}

type Cancel = Box<dyn Fn() + Send + Sync>;

#[derive(Default)]
pub(super) struct Jobs {
    last: JobId,
    under_way: BTreeMap<JobId, (Job, Cancel)>,
}

impl Jobs {
    pub(super) fn begin(&mut self, job: Job, stop: impl Fn() + Send + Sync + 'static) -> JobId {
        self.last += 1;
        self.under_way.insert(self.last, (job, Box::new(stop)));
        self.last
    }

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
        self.stop(|job| !matches!(job, Job::Ask(_) | Job::Service))
    }

    /// Stops the work of all services; returns whether there was any.
    pub(super) fn stop_services(&self) -> bool {
        self.stop(|job| *job == Job::Service)
    }

    pub(super) fn stop_all(&self) {
        self.stop(|_| true);
    }

    fn stop(&self, which: impl Fn(&Job) -> bool) -> bool {
        let stopped = self.under_way.values().filter(|(job, _)| which(job));
        stopped.map(|(_, stop)| stop()).count() > 0
    }

    /// Whether another process is at work.
    pub(super) fn has_world(&self) -> bool {
        self.under_way.values().any(|(job, _)| matches!(job, Job::World { .. }))
    }

    pub(super) fn end_program(&mut self) {
        self.under_way.retain(|_, (job, _)| *job != Job::Program);
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        self.stop_all();
    }
}

/// Has completions made. `failed` stands in for an answer that the service did not give, which is said.
pub(super) fn generate(
    model: Arc<dyn LanguageModel>,
    ask: AskId,
    request: ModelRequest,
    failed: Option<String>,
    cancel: CancellationToken,
    outlets: Outlets,
) {
    tokio::spawn(async move {
        let started = (outlets.clock)();
        let (asked, kept, notices) = (Arc::clone(&model), request.clone(), outlets.notices.clone());
        let asking = stream::ask(model, ask, request, cancel, outlets.notices.clone());
        let broke = || (Err(ModelError::Configuration(BROKE.to_owned())), String::new());
        let (result, arrived) = catch_panic(asking, broke).await;
        match &result {
            Ok(response) => {
                tracing::info!(ask, n = response.completions.len(), ms = outlets.since(started), "answered")
            }
            Err(error) => tracing::warn!(ask, %error, ms = outlets.since(started), "not answered"),
        }
        let exchange = Some(ask_record::of_completions(asked.as_ref(), &kept, &result));
        let answer = |r: stepwright_model::ModelResponse| Answer {
            completions: r.completions,
            usage: r.usage,
            ..Answer::default()
        };
        let result = match (result, failed) {
            (Err(error), Some(text)) if error.is_of_service() => {
                let said = format!("{error}; as published, `{text}` counts as the answer");
                let _ = notices.send(Notice::Say { level: Level::Warning, text: said });
                Ok(Answer { usage: error.charge().usage, ..Answer::texts([text]) })
            }
            (result, _) => result.map(answer).map_err(|error| Failure::of_model(error, arrived)),
        };
        // A driver that is gone waits for nothing.
        let _ = outlets.messages.send(Message::Answered(Answered {
            ask,
            result,
            exchange,
            is_scored: false,
            ms: outlets.since(started),
        }));
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
    let what = match kind.is_background() {
        true => format!("scoring {}:", count(total, "candidate")),
        false => format!("scoring {}", count(total, "action")),
    };
    tokio::spawn(async move {
        let started = (outlets.clock)();
        let progress = |done: usize| {
            let _ = outlets.notices.send(Notice::Progress { what: what.clone(), done, total });
        };
        let (sender, mut done) = unbounded_channel();
        progress(0);
        let result = {
            let scoring = model.score_watched(&request, &sender, &cancel);
            let scoring = catch_panic(scoring, || Err(ModelError::Configuration(BROKE.to_owned())));
            tokio::pin!(scoring);
            loop {
                tokio::select! {
                    biased;
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
        let exchange = Some(ask_record::of_scores(model.as_ref(), result.as_deref().unwrap_or_default()));
        let result = result.map(|scored| Answer {
            usage: Some(request.usage(&scored)),
            completions: scored.into_iter().zip(&request.candidates).map(named).collect(),
            ..Answer::default()
        });
        let result = result.map_err(Failure::Model);
        let _ = outlets.messages.send(Message::Answered(Answered {
            ask,
            result,
            exchange,
            is_scored: true,
            ms: outlets.since(started),
        }));
    });
}

pub(super) fn compute(
    stack: MethodStack,
    ask: AskId,
    kind: AskKind,
    known: WorkInput,
    work: serde_json::Value,
    stop: Stop,
    outlets: Outlets,
) {
    let beside = Arc::clone(&outlets.beside);
    beside(Box::new(move || {
        // A person who steps fast leaves asks behind that nobody waits for.
        if stop.is_stopped() {
            return;
        }
        let started = (outlets.clock)();
        let result = catch_panic_in(|| stack.compute(&kind, &known, &work, &stop)).map_err(Failure::work);
        let cost = result.as_ref().ok().and_then(|answer| answer.cost);
        let exchange = cost.map(|cost| Box::new(Exchange { cost: Some(cost), ..Exchange::default() }));
        let answered = Answered { ask, result, exchange, is_scored: false, ms: outlets.since(started) };
        let _ = outlets.messages.send(Message::Answered(answered));
    }));
}

pub(super) fn run(
    sandbox: Workers,
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
            biased;
            run = catch_panic(stepwright_sandbox::run(&sandbox, &code, &functions, &values), broken) => run,
            () = cancel.cancelled() => {
                let kind = FaultKind::Worker("it was stopped by a person".to_owned());
                Run { calls: Vec::new(), fault: Some(Fault { line: None, kind }) }
            }
        };
        let _ = outlets.messages.send(Message::ProgramResult(ProgramResult { decision, code, run }));
    });
}

pub(super) fn serve(service: ServiceId, job: JobId, work: Work, desk: WorkDesk, outlets: &Outlets) {
    let messages = outlets.messages.clone();
    (outlets.beside)(Box::new(move || {
        let result = catch_panic_in(|| Ok(work(&desk)));
        let _ = messages.send(Message::Worked { job, service, result });
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Jobs of each kind, and which of them were stopped.
    fn begun() -> (Jobs, Vec<(JobId, Arc<AtomicBool>)>) {
        let mut jobs = Jobs::default();
        let all = [Job::Ask(1), Job::Ask(2), Job::Program, Job::Service, Job::World { step: None }];
        let begin = |job| {
            let stopped = Arc::new(AtomicBool::new(false));
            let stop = Arc::clone(&stopped);
            (jobs.begin(job, move || stop.store(true, Ordering::SeqCst)), stopped)
        };
        let begun = all.into_iter().map(begin).collect();
        (jobs, begun)
    }

    fn stopped(begun: &[(JobId, Arc<AtomicBool>)]) -> String {
        begun.iter().map(|(_, stopped)| if stopped.load(Ordering::SeqCst) { 'x' } else { '.' }).collect()
    }

    #[test]
    fn each_kind_of_job_is_stopped_alone_and_all_with_the_driver() {
        let (jobs, all) = begun();
        assert!(jobs.stop_services());
        assert_eq!(stopped(&all), "...x.");
        assert!(jobs.stop_deeds());
        assert_eq!(stopped(&all), "..xxx");
        drop(jobs);
        assert_eq!(stopped(&all), "xxxxx");
        assert!(!Jobs::default().stop_services() && !Jobs::default().stop_deeds());
    }

    #[test]
    fn what_has_ended_is_stopped_no_more() {
        let (mut jobs, all) = begun();
        assert!(jobs.has_world());
        assert_eq!(jobs.end(all[4].0), Some(Job::World { step: None }));
        assert_eq!((jobs.has_world(), jobs.end(all[4].0)), (false, None));
        jobs.end_ask(1, false);
        jobs.end_ask(2, true);
        jobs.end_ask(3, true);
        assert_eq!(stopped(&all), ".x...");
        jobs.end_program();
        assert!(!jobs.stop_deeds());
        jobs.stop_all();
        assert_eq!(stopped(&all), ".x.x.");
    }
}
