//! Candidate preconditions: inference and validation beside the episode, off the driver's task.
//!
//! The pools live in one [`Workshop`], built from the demonstrations when first needed. It is lent to one job at a time; jobs
//! queue. Candidates by a model are asked for as asides of the session: recorded like any ask, but no proposals.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::setup::Source;
use super::task::{Driver, Message};
use super::{Level, Notice};
use crate::episode::AskId;
use crate::episode::gate::{AskSpec, Request};
use crate::model::Completion;
use crate::precondition::{
    CHAT_TEMPLATE, COMPLETION_TEMPLATE, CandidateContext, CandidateOrigin, Demo, Workshop, WorkshopError,
    read_completion,
};
use crate::program::Specification;
use crate::world::demonstration::Demonstration;

/// Completions asked for each action.
const SAMPLES: u32 = 8;
/// Their temperature.
const TEMPERATURE: f64 = 0.7;

/// What is to be done with the pools.
#[derive(Debug)]
pub(super) enum Job {
    /// Fill pools from the built-in enumerator; all of them for `None`.
    Enumerate(Option<String>),
    /// Say what a model is to be told.
    Contexts(Option<String>),
    /// Add what a model wrote.
    Offer { action: String, texts: Vec<String> },
    /// Add or replace a person's candidate.
    Put { action: String, id: Option<usize>, text: String },
    /// Judge a text as it is typed.
    Try { token: u64, action: String, text: String },
    /// Mark a candidate.
    Reject { action: String, id: usize, rejected: bool },
}

/// The workshop and the jobs that wait for it.
#[derive(Default)]
pub(super) struct Bench {
    workshop: Option<Box<Workshop>>,
    working: bool,
    queue: VecDeque<Job>,
    cancel: CancellationToken,
    /// Actions a model is still to be asked about.
    waiting: VecDeque<(String, CandidateContext)>,
    /// The ask under way and the action it is about.
    asked: Option<(AskId, String)>,
}

/// A job's end: the workshop comes back.
pub(super) struct Done {
    workshop: Option<Box<Workshop>>,
    contexts: Vec<(String, CandidateContext)>,
}

impl Bench {
    /// Stops the job under way and forgets the others; whether there was any.
    pub(super) fn cancel(&mut self) -> bool {
        let any = self.working || !self.waiting.is_empty();
        self.cancel.cancel();
        self.cancel = CancellationToken::new();
        self.queue.clear();
        self.waiting.clear();
        any
    }

    /// The action an ask is about, if it asks for candidates.
    pub(super) fn take_asked(&mut self, ask: AskId) -> Option<String> {
        self.asked.take_if(|(asked, _)| *asked == ask).map(|(_, action)| action)
    }
}

impl Driver {
    /// Queues a job. Of texts being typed only the newest matters.
    pub(super) fn bench(&mut self, job: Job) {
        if matches!(job, Job::Try { .. }) {
            self.bench.queue.retain(|j| !matches!(j, Job::Try { .. }));
        }
        self.bench.queue.push_back(job);
        self.next_job();
    }

    /// Infers candidates by the enumerator or by the model in use.
    pub(super) fn infer(&mut self, action: Option<String>, origin: CandidateOrigin) {
        match (origin, &self.source) {
            (CandidateOrigin::Model, Source::Symbolic) => {
                self.say(Level::Warning, "no language model is in use; choose one, or infer by enumeration");
            }
            (CandidateOrigin::Model, Source::Language { .. }) => self.bench(Job::Contexts(action)),
            _ => self.bench(Job::Enumerate(action)),
        }
    }

    fn next_job(&mut self) {
        if self.bench.working {
            return;
        }
        let Some(job) = self.bench.queue.pop_front() else { return };
        self.bench.working = true;
        let work = Work {
            workshop: self.bench.workshop.take(),
            specification: self.mind.specification().clone(),
            demonstrations: Arc::clone(&self.demonstrations),
            notices: self.notices.clone(),
            cancel: self.bench.cancel.clone(),
        };
        let messages = self.messages.clone();
        tokio::task::spawn_blocking(move || {
            let _ = messages.send(Message::Bench(work.run(job)));
        });
    }

    /// Takes the workshop back and goes on with the next job or ask.
    pub(super) fn bench_done(&mut self, done: Done) {
        self.bench.working = false;
        self.bench.workshop = done.workshop;
        self.bench.waiting.extend(done.contexts);
        self.ask_for_candidates();
        self.next_job();
    }

    /// Asks the model about the next action, one at a time.
    fn ask_for_candidates(&mut self) {
        if self.bench.asked.is_some() {
            return;
        }
        let Some((action, context)) = self.bench.waiting.pop_front() else { return };
        let name = if self.prompting.raw { COMPLETION_TEMPLATE } else { CHAT_TEMPLATE };
        let prompt = match self.prompting.render(name, &context) {
            Ok(prompt) => prompt,
            Err(why) => {
                self.bench.waiting.clear();
                return self.say(Level::Error, why);
            }
        };
        let ask = self.gate.session().next_ask();
        self.bench.asked = Some((ask, action.clone()));
        self.request(Request::AskAside(AskSpec {
            purpose: format!("assertions for {action}"),
            model: self.source.name(),
            prompt: Some(prompt),
            n: SAMPLES,
            temperature: TEMPERATURE,
        }));
        if self.gate.session().next_ask() == ask {
            // The gate refused (a budget is reached) and has said so.
            self.bench.asked = None;
            self.bench.waiting.clear();
        }
    }

    /// Takes a model's candidates for an action in.
    pub(super) fn candidates_written(&mut self, action: String, completions: &[Completion]) {
        let texts: Vec<String> = completions.iter().flat_map(|c| read_completion(&c.text)).collect();
        self.bench(Job::Offer { action, texts });
        self.ask_for_candidates();
    }
}

/// A job with all it needs.
struct Work {
    workshop: Option<Box<Workshop>>,
    specification: Specification,
    demonstrations: Arc<Vec<Demonstration>>,
    notices: UnboundedSender<Notice>,
    cancel: CancellationToken,
}

impl Work {
    fn run(mut self, job: Job) -> Done {
        let mut contexts = Vec::new();
        let workshop = match self.workshop.take() {
            Some(workshop) => Ok(workshop),
            None => {
                Workshop::new(&self.specification, self.demonstrations.iter().map(Demo::from).collect()).map(Box::new)
            }
        };
        let mut workshop = match workshop {
            Ok(workshop) => workshop,
            Err(error) => {
                self.say(Level::Error, error.to_string());
                return Done { workshop: None, contexts };
            }
        };
        if let Err(error) = self.carry_out(&mut workshop, job, &mut contexts) {
            let level = if error == WorkshopError::Cancelled { Level::Info } else { Level::Error };
            self.say(level, error.to_string());
        }
        Done { workshop: Some(workshop), contexts }
    }

    fn carry_out(
        &self,
        workshop: &mut Workshop,
        job: Job,
        contexts: &mut Vec<(String, CandidateContext)>,
    ) -> Result<(), WorkshopError> {
        let pool = match job {
            Job::Enumerate(action) => {
                let actions = actions(workshop, action);
                for (at, action) in actions.iter().enumerate() {
                    let what = format!("inferring preconditions of {action} ({} of {})", at + 1, actions.len());
                    let pool = workshop.enumerate(action, |done, total| self.going_on(&what, done, total));
                    let pool = pool.inspect_err(|_| self.progress_ends(&what))?;
                    self.progress_ends(&what);
                    let _ = self.notices.send(Notice::Pool(Arc::new(pool)));
                }
                let what = if let [one] = actions.as_slice() { one.as_str() } else { "all actions" };
                self.say(
                    Level::Info,
                    format!("candidates for {what} are inferred; look them over and adopt what is right"),
                );
                return Ok(());
            }
            Job::Contexts(action) => {
                for action in actions(workshop, action) {
                    let shown = self.demonstrations.iter().position(|d| d.calls().any(|c| c.function == action));
                    if let Some(context) = workshop.context(&action, shown.unwrap_or(0)) {
                        contexts.push((action, context));
                    }
                }
                return Ok(());
            }
            Job::Try { token, action, text } => {
                let candidate = Box::new(workshop.try_text(&action, &text)?);
                let _ = self.notices.send(Notice::CandidateChecked { token, candidate });
                return Ok(());
            }
            Job::Offer { action, texts } => {
                let what = format!("validating what the model wrote for {action}");
                let going_on = |done, total| self.going_on(&what, done, total);
                let pool = workshop.offer(&action, CandidateOrigin::Model, &texts, going_on);
                self.progress_ends(&what);
                pool?
            }
            Job::Put { action, id, text } => workshop.put(&action, id, &text)?,
            Job::Reject { action, id, rejected } => workshop.reject(&action, id, rejected)?,
        };
        let _ = self.notices.send(Notice::Pool(Arc::new(pool)));
        Ok(())
    }

    /// Tells how far it is, at most fifty times; whether nobody cancelled.
    fn going_on(&self, what: &str, done: usize, total: usize) -> bool {
        if done.is_multiple_of((total / 50).max(1)) && done < total {
            let _ = self.notices.send(Notice::Progress { what: what.to_owned(), done, total });
        }
        !self.cancel.is_cancelled()
    }

    fn progress_ends(&self, what: &str) {
        let _ = self.notices.send(Notice::Progress { what: what.to_owned(), done: 1, total: 1 });
    }

    fn say(&self, level: Level, text: impl Into<String>) {
        let _ = self.notices.send(Notice::Say { level, text: text.into() });
    }
}

/// The action, or all that the demonstrations call.
fn actions(workshop: &Workshop, action: Option<String>) -> Vec<String> {
    match action {
        Some(action) => vec![action],
        None => workshop.called_actions().map(|f| f.name.clone()).collect(),
    }
}
