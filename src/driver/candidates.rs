//! Candidate preconditions: inference and validation beside the episode, off the driver's task.
//!
//! The pools live in one [`Workshop`], built from the demonstrations when first needed. It is lent to one job at a time; jobs
//! queue. Asking a model is `writing`'s business, whole sets `sets`'.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::sets::{Change, Known};
use super::setup::Source;
use super::task::{Driver, Message};
use super::writing::ToScore;
use super::{Level, Notice};
use crate::precondition::{AdoptedAction, AdoptedSet};
use crate::precondition::{
    Candidate, CandidateContext, CandidateOrigin, Demo, Occasion, Pool, Workshop, WorkshopError, Written,
};
use crate::program::Specification;
use crate::world::demonstration::Demonstration;

/// Candidates scored at most.
const MOST_SCORED: usize = 64;

/// What is to be done with the pools.
#[derive(Debug)]
pub(super) enum Job {
    /// Fill pools from the built-in enumerator; all of them for `None`.
    Enumerate(Option<String>),
    /// Say what a model is to be told, after so many demonstrations.
    Contexts(Option<String>, usize),
    /// Say what a model is to score, after a demonstration.
    ToScore(String),
    /// Note what a model's scores are.
    Scores { action: String, scores: Vec<(String, f64)> },
    /// Tell the pool as it stands.
    Show(String),
    /// Add what a model wrote.
    TakeIn { action: String, written: Vec<Written> },
    /// Add or replace a person's candidate.
    Put { action: String, id: Option<usize>, text: String },
    /// Look at a text as it is typed, or at a candidate.
    Try { token: u64, action: String, text: String, in_force: Vec<String> },
    /// Mark a candidate.
    Reject { action: String, id: usize, rejected: bool },
    /// Take a person's last change back.
    Undo(String),
    /// Make it again.
    Redo(String),
    /// Show a step, with what these texts come to there.
    Step { token: u64, action: String, place: Occasion, texts: Vec<String> },
    /// Show a step where two differ.
    Differ { token: u64, action: String, one: String, other: String },
    /// Set two sets side by side.
    Compare { token: u64, left: Known, right: Known },
}

/// The workshop and the jobs that wait for it.
#[derive(Default)]
pub(super) struct Bench {
    workshop: Option<Box<Workshop>>,
    working: bool,
    queue: VecDeque<Job>,
    cancel: CancellationToken,
}

/// A job's end: the workshop comes back.
#[derive(Default)]
pub(super) struct Done {
    workshop: Option<Box<Workshop>>,
    contexts: Vec<(String, CandidateContext)>,
    /// What a model is to score.
    to_score: Option<ToScore>,
    /// The action whose candidates a person wanted to change, in vain.
    unchanged: Option<String>,
}

impl Bench {
    /// Stops the job under way and forgets the others; whether there was any.
    pub(super) fn cancel(&mut self) -> bool {
        let any = self.working;
        self.cancel.cancel();
        self.cancel = CancellationToken::new();
        // What was written is taken in, and what a person changed stays changed.
        self.queue.retain(|job| !matches!(job, Job::Enumerate(_) | Job::Contexts(..) | Job::Try { .. }));
        any
    }
}

impl Driver {
    /// Queues a job. Of texts being typed only the newest matters.
    pub(super) fn bench(&mut self, job: Job) {
        if matches!(job, Job::Try { .. }) {
            self.bench.queue.retain(|j| !matches!(j, Job::Try { .. }));
        }
        if let Job::Put { action, .. } | Job::Reject { action, .. } = &job {
            // Noted in the order in which the person asked, whatever is done meanwhile.
            self.changes.add(Change::Pool(action.clone()));
        }
        self.bench.queue.push_back(job);
        self.next_job();
    }

    /// Infers candidates by the enumerator or by the model in use.
    pub(super) fn infer(&mut self, action: Option<String>, origin: CandidateOrigin) {
        match (origin, &self.source) {
            (CandidateOrigin::Model, Source::Symbolic) => {
                self.say(Level::Warning, "no language model is in use; choose one (M), or infer by the enumerator");
            }
            (CandidateOrigin::Model, Source::Language { .. }) => {
                self.bench(Job::Contexts(action, self.prompting.candidates.demonstrations));
            }
            _ => self.bench(Job::Enumerate(action)),
        }
    }

    fn next_job(&mut self) {
        if self.bench.working {
            return;
        }
        let Some(job) = self.bench.queue.pop_front() else { return };
        self.bench.working = true;
        let mut growing = self.writing.actions();
        growing.extend(self.bench.queue.iter().filter_map(|job| match job {
            Job::TakeIn { action, .. } => Some(action.clone()),
            _ => None,
        }));
        let work = Work {
            workshop: self.bench.workshop.take(),
            specification: self.mind.specification().clone(),
            demonstrations: Arc::clone(&self.demonstrations),
            notices: self.notices.clone(),
            cancel: self.bench.cancel.clone(),
            growing,
        };
        let messages = self.messages.clone();
        tokio::task::spawn_blocking(move || {
            let _ = messages.send(Message::Bench(work.run(job)));
        });
    }

    /// Takes the workshop back and goes on with the next job.
    pub(super) fn bench_done(&mut self, done: Done) {
        self.bench.working = false;
        self.bench.workshop = done.workshop;
        if let Some(action) = done.unchanged {
            self.changes.forget(&action);
        }
        if !done.contexts.is_empty() {
            self.write_candidates(done.contexts);
        }
        if let Some(to_score) = done.to_score {
            self.score_candidates(to_score);
        }
        self.next_job();
    }
}

/// A job with all it needs.
struct Work {
    workshop: Option<Box<Workshop>>,
    specification: Specification,
    demonstrations: Arc<Vec<Demonstration>>,
    notices: UnboundedSender<Notice>,
    cancel: CancellationToken,
    /// Actions that a model is writing for.
    growing: BTreeSet<String>,
}

impl Work {
    fn run(mut self, job: Job) -> Done {
        let workshop = match self.workshop.take() {
            Some(workshop) => Ok(workshop),
            None => {
                Workshop::new(&self.specification, self.demonstrations.iter().map(Demo::from).collect()).map(Box::new)
            }
        };
        let mut workshop = match workshop {
            Ok(workshop) => workshop,
            Err(error) => {
                match job {
                    // What is only looked at is answered where it is looked at.
                    Job::Try { token, .. } => {
                        let inspection = Err(error.to_string());
                        let _ = self.notices.send(Notice::CandidateChecked { token, inspection });
                    }
                    _ => self.say(Level::Error, error.to_string()),
                }
                return Done::default();
            }
        };
        let mut done = Done::default();
        if let Err(error) = self.carry_out(&mut workshop, job, &mut done) {
            let level = match error {
                WorkshopError::Cancelled | WorkshopError::NoChange(..) | WorkshopError::AlreadyThere(..) => Level::Info,
                _ => Level::Error,
            };
            self.say(level, error.to_string());
        }
        done.workshop = Some(workshop);
        done
    }

    fn carry_out(&self, workshop: &mut Workshop, job: Job, done: &mut Done) -> Result<(), WorkshopError> {
        let pool = match job {
            Job::Enumerate(action) => {
                let actions = actions(workshop, action);
                for (at, action) in actions.iter().enumerate() {
                    let what = format!("inferring preconditions of {action} ({} of {})", at + 1, actions.len());
                    let pool = workshop.enumerate(action, |done, total| self.going_on(&what, done, total));
                    let pool = pool.inspect_err(|_| self.progress_ends(&what))?;
                    self.progress_ends(&what);
                    self.tell(pool);
                }
                let what = if let [one] = actions.as_slice() { one.as_str() } else { "all actions" };
                self.say(
                    Level::Info,
                    format!("candidates for {what} are inferred; look them over and adopt what is right"),
                );
                return Ok(());
            }
            Job::Contexts(action, most) => {
                for action in actions(workshop, action) {
                    let before = done.contexts.len();
                    let shown = self.spread(&action, most).into_iter();
                    let contexts = shown.filter_map(|at| workshop.context(&action, at));
                    done.contexts.extend(contexts.map(|context| (action.clone(), context)));
                    if done.contexts.len() == before {
                        return Err(WorkshopError::NeverCalled(action));
                    }
                }
                return Ok(());
            }
            Job::Try { token, action, text, in_force } => {
                let inspection = workshop.inspect(&action, &text, &in_force).map(Arc::new).map_err(|e| e.to_string());
                let _ = self.notices.send(Notice::CandidateChecked { token, inspection });
                return Ok(());
            }
            Job::Step { token, action, place, texts } => {
                let step = Arc::new(workshop.step_view(&action, &place, &texts)?);
                let _ = self.notices.send(Notice::StepShown { token, step });
                return Ok(());
            }
            Job::Differ { token, action, one, other } => {
                match workshop.difference(&action, &one, &other)? {
                    Some(step) => {
                        let _ = self.notices.send(Notice::StepShown { token, step: Arc::new(step) });
                    }
                    None => self.say(
                        Level::Info,
                        format!("they hold at the same instances of {action}: no step of the demonstrations tells them apart"),
                    ),
                }
                return Ok(());
            }
            Job::Compare { token, left, right } => {
                let [left, right] = [left, right].map(|(name, set)| {
                    let set = set.unwrap_or_else(|| suggested(workshop));
                    (name, set)
                });
                let comparison = workshop.compare((&left.0, &left.1), (&right.0, &right.1));
                let (comparison, right) = (Arc::new(comparison), Arc::new(right.1));
                let _ = self.notices.send(Notice::SetsCompared { token, comparison, right });
                return Ok(());
            }
            Job::ToScore(action) => {
                let shown = self.spread(&action, 1).first().copied();
                let context = shown.and_then(|at| workshop.context(&action, at));
                let context = context.ok_or_else(|| WorkshopError::NeverCalled(action.clone()))?;
                let texts = worth_scoring(&workshop.pool(&action)?);
                done.to_score = Some(ToScore { action, context, texts });
                return Ok(());
            }
            Job::Scores { action, scores } => workshop.note_logprobs(&action, &scores)?,
            Job::Show(action) => workshop.pool(&action)?,
            Job::TakeIn { action, written } => workshop.take_in(&action, &written)?,
            Job::Put { action, id, text } => {
                let put = workshop.put(&action, id, &text);
                put.inspect_err(|_| done.unchanged = Some(action))?
            }
            Job::Reject { action, id, rejected } => {
                let put = workshop.reject(&action, id, rejected);
                put.inspect_err(|_| done.unchanged = Some(action))?
            }
            Job::Undo(action) => workshop.undo(&action)?,
            Job::Redo(action) => workshop.redo(&action)?,
        };
        self.tell(pool);
        Ok(())
    }

    fn tell(&self, mut pool: Pool) {
        pool.running = self.growing.contains(&pool.action);
        let _ = self.notices.send(Notice::Pool(Arc::new(pool)));
    }

    /// At most so many of the demonstrations that call an action, spread over all that do.
    fn spread(&self, action: &str, most: usize) -> Vec<usize> {
        let calls = self.demonstrations.iter().enumerate();
        let calling: Vec<usize> =
            calls.filter(|(_, d)| d.calls().any(|c| c.function == action)).map(|(at, _)| at).collect();
        let n = most.clamp(1, calling.len().max(1));
        (0..n).filter_map(|k| calling.get(k * calling.len() / n).copied()).collect()
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

/// The valid candidates of a pool that forbid something, one of each cluster: optimal ones first, then the stronger.
fn worth_scoring(pool: &Pool) -> Vec<String> {
    let says = |c: &&Candidate| c.representative && !c.rejected && c.coverage != Some(pool.instances);
    let mut found: Vec<&Candidate> = pool.candidates.iter().filter(says).collect();
    found.sort_by_key(|c| (!c.optimal, c.coverage));
    found.into_iter().take(MOST_SCORED).map(|c| c.text.clone()).collect()
}

/// What Equation (1) suggests for each action.
fn suggested(workshop: &Workshop) -> AdoptedSet {
    let actions = workshop.called_actions().map(|f| AdoptedAction {
        action: f.name.clone(),
        params: f.params.clone(),
        assertions: workshop.suggested(&f.name),
    });
    AdoptedSet { notes: Vec::new(), actions: actions.collect() }
}

/// The action, or all that the demonstrations call.
fn actions(workshop: &Workshop, action: Option<String>) -> Vec<String> {
    match action {
        Some(action) => vec![action],
        None => workshop.called_actions().map(|f| f.name.clone()).collect(),
    }
}
