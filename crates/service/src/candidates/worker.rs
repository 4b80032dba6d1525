//! The worker of the candidate store. Jobs queue, and one at a time has the store, on a thread of its own.
//!
//! The store is built from the demonstrations when first needed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use super::writing::ToScore;
use stepwright_driver::{SessionView, WorkDesk, WorkResult};
use stepwright_episode::{ArtifactKind, action_of_effects};
use stepwright_method::Knowledge;
use stepwright_precondition::{AdoptedAction, AdoptedSet};
use stepwright_precondition::{
    Candidate, CandidateContext, CandidateEdit, CandidateStore, DemonstrationError, Occasion, Pool, Ranking,
    SecondTier, StoreError, Written, changes,
};
use stepwright_program::Specification;
use stepwright_protocol::{Level, Notice};
use stepwright_sandbox::Trials;
use stepwright_world::demonstration::Demonstration;

const MOST_SCORED: usize = 64;

/// A set as a comparison needs it, with its name.
pub(super) type NamedSet = (String, Contents);

#[derive(Debug)]
pub(super) enum Contents {
    Set(AdoptedSet),
    Suggested(Ranking),
}

#[derive(Debug)]
pub(super) enum Job {
    /// Fill pools from the built-in enumerator; all of them for `None`.
    Enumerate(Option<String>),
    /// Find out what the demonstrations show, for the trees.
    Learn,
    /// Find the actions whose pools are filled when a session opens.
    Called,
    /// Fill a pool that nobody asked for: after all that somebody did.
    Infer(String),
    /// Validate what is in force for an action now.
    Renew(String),
    /// Make the prompt's material for a model, after so many demonstrations.
    Contexts(Option<String>, usize),
    /// Say what a model is to score, after a demonstration.
    ToScore(String),
    Scores {
        action: String,
        scores: Vec<(String, f64)>,
    },
    Show(String),
    TakeIn {
        action: String,
        written: Vec<Written>,
    },
    Follow {
        action: String,
        edits: Vec<CandidateEdit>,
    },
    Try {
        token: u64,
        action: String,
        text: String,
        in_force: Vec<String>,
    },
    /// Show a step, with the values of these texts there.
    Step {
        token: u64,
        action: String,
        place: Occasion,
        texts: Vec<String>,
    },
    Differ {
        token: u64,
        action: String,
        one: String,
        other: String,
    },
    /// Set two sets side by side.
    Compare {
        token: u64,
        left: NamedSet,
        right: NamedSet,
    },
}

/// The candidate store and the jobs that wait for it: one works on it at a time.
#[derive(Default)]
pub(super) struct CandidateWorker {
    store: Arc<Mutex<Option<CandidateStore>>>,
    is_working: bool,
    queue: VecDeque<Job>,
}

/// A job's results that the service is to go on with.
#[derive(Default)]
pub(super) struct Done {
    pub(super) contexts: Vec<(String, CandidateContext)>,
    pub(super) to_score: Option<ToScore>,
    pub(super) called: Vec<String>,
    /// Whether what the demonstrations show is known now.
    pub(super) learned: bool,
}

impl CandidateWorker {
    /// Forgets the jobs that a person does not want any more. What was written is taken in, and what a person changed stays changed.
    pub(super) fn forget(&mut self) {
        self.queue
            .retain(|job| !matches!(job, Job::Enumerate(_) | Job::Infer(_) | Job::Contexts(..) | Job::Try { .. }));
    }

    /// Queues a job. Of texts being typed, and of a person's changes, only the newest matters. `growing`: the actions that a model is
    /// writing for.
    pub(super) fn add(&mut self, job: Job, growing: BTreeSet<String>, view: &mut SessionView<'_>) {
        match &job {
            Job::Try { .. } => self.queue.retain(|j| !matches!(j, Job::Try { .. })),
            Job::Follow { action: of, .. } => {
                self.queue.retain(|j| !matches!(j, Job::Follow { action, .. } if action == of));
            }
            _ => {}
        }
        let unasked = |job: &Job| matches!(job, Job::Infer(_));
        let at = self.queue.iter().position(unasked).filter(|_| !unasked(&job)).unwrap_or(self.queue.len());
        self.queue.insert(at, job);
        if !self.is_working {
            self.next(growing, view);
        }
    }

    /// Takes the end of a job; [`CandidateWorker::proceed`] begins the next one.
    pub(super) fn ended(&mut self, result: WorkResult, view: &SessionView<'_>) -> Done {
        match result {
            Ok(done) => done.downcast::<Done>().map(|done| *done).unwrap_or_default(),
            Err(broke) => {
                view.say(Level::Error, broke);
                Done::default()
            }
        }
    }

    /// Goes on with the next job in the queue.
    pub(super) fn proceed(&mut self, growing: BTreeSet<String>, view: &mut SessionView<'_>) {
        self.is_working = false;
        self.next(growing, view);
    }

    fn next(&mut self, mut growing: BTreeSet<String>, view: &mut SessionView<'_>) {
        let Some(job) = self.queue.pop_front() else { return };
        self.is_working = true;
        growing.extend(self.queue.iter().filter_map(|job| match job {
            Job::TakeIn { action, .. } => Some(action.clone()),
            _ => None,
        }));
        let store = Arc::clone(&self.store);
        // What was changed in this sitting, the store knows.
        let is_built = store.try_lock().is_ok_and(|store| store.is_some());
        let documents =
            view.session.documents().iter().filter(|(id, _)| id.kind == ArtifactKind::Candidates && !is_built);
        let earlier = documents.map(|(id, edits)| (id.key.clone(), changes(Some(edits)))).collect();
        let specification = view.program.specification().clone();
        let demonstrations = Arc::clone(&view.knowledge.demonstrations);
        let in_force =
            view.session.assertions().iter().map(|(action, (texts, _))| (action.clone(), texts.clone())).collect();
        let knowledge = view.knowledge.clone();
        view.work(move |desk| {
            if matches!(job, Job::Learn) {
                knowledge.infer(&specification);
                return Done { learned: true, ..Done::default() };
            }
            // Where the program broke in an earlier job, that took the store with it.
            let mut kept = store.lock().unwrap_or_else(PoisonError::into_inner);
            let work = Work { demonstrations: &demonstrations, desk, growing, in_force };
            let built = kept.take().map_or_else(|| built(&knowledge, &specification, earlier), Ok);
            let (store, done) = work.run(built, job);
            *kept = store;
            done
        });
    }
}

/// The store, with what a person changed before this sitting.
fn built(
    knowledge: &Knowledge,
    specification: &Specification,
    earlier: Vec<(String, Vec<CandidateEdit>)>,
) -> Result<CandidateStore, DemonstrationError> {
    let store = CandidateStore::over(knowledge.demonstrated(specification)?);
    let mut store = store.with_effects().with_second_tier(SecondTier::in_workers(Trials::of_this_program()));
    for (action, edits) in earlier {
        // Of actions that the specification has not, or nobody calls, nothing is there to be changed.
        let _ = store.follow(&action, edits);
    }
    Ok(store)
}

/// A job with all it needs beside the store.
struct Work<'a> {
    demonstrations: &'a [Demonstration],
    desk: &'a WorkDesk,
    /// Actions that a model is writing for.
    growing: BTreeSet<String>,
    in_force: BTreeMap<String, Vec<String>>,
}

impl Work<'_> {
    fn run(&self, store: Result<CandidateStore, DemonstrationError>, job: Job) -> (Option<CandidateStore>, Done) {
        let mut done = Done::default();
        let (mut store, job) = match (store, job) {
            (Ok(store), job) => (store, job),
            // An inspection is answered to the one who asked.
            (Err(error), Job::Try { token, .. }) => {
                self.desk.tell(Notice::CandidateChecked { token, inspection: Err(error.to_string()) });
                return (None, done);
            }
            // Who infers is told why that cannot be done; what nobody asked for stays unsaid.
            (Err(_), Job::Learn | Job::Called | Job::Infer(_) | Job::Renew(_)) => return (None, done),
            (Err(error), _) => {
                self.desk.say(Level::Error, error.to_string());
                return (None, done);
            }
        };
        let unasked = matches!(job, Job::Called | Job::Infer(_) | Job::Renew(_));
        if let Err(error) = self.carry_out(&mut store, job, &mut done)
            && !unasked
        {
            let level = if error == StoreError::Cancelled { Level::Info } else { Level::Error };
            self.desk.say(level, error.to_string());
        }
        (Some(store), done)
    }

    fn carry_out(&self, store: &mut CandidateStore, job: Job, done: &mut Done) -> Result<(), StoreError> {
        let pool = match job {
            Job::Enumerate(action) => {
                let actions = actions(store, action);
                let mut found = 0;
                for (at, action) in actions.iter().enumerate() {
                    let of = if action_of_effects(action).is_some() { "" } else { "preconditions of " };
                    let what = format!("inferring {of}{action} ({} of {})", at + 1, actions.len());
                    let pool = store.enumerate(action, |done, total| self.report_progress(&what, done, total));
                    let pool = pool.inspect_err(|_| self.progress_ends(&what))?;
                    self.progress_ends(&what);
                    found += pool.candidates.len();
                    self.tell(store, pool);
                }
                let what = if let [one] = actions.as_slice() { one.as_str() } else { "all actions" };
                let said = match found {
                    0 => format!("no candidate was found for {what}"),
                    _ => format!("candidates for {what} are inferred; look them over and adopt what is right"),
                };
                self.desk.say(Level::Info, said);
                return Ok(());
            }
            // Done before there is a store.
            Job::Learn => return Ok(()),
            Job::Called => {
                done.called = store.called();
                let never = |action: &&String| !done.called.contains(action);
                for pool in self.in_force.keys().filter(never).filter_map(|action| store.pool(action).ok()) {
                    self.tell(store, pool);
                }
                return Ok(());
            }
            Job::Infer(action) => store.enumerate(&action, |_, _| self.desk.keep_running())?,
            // Of an action that is never called there is nothing to say.
            Job::Renew(action) if !store.called().contains(&action) => return Ok(()),
            Job::Renew(action) => store.pool(&action)?,
            Job::Contexts(action, most) => {
                for action in actions(store, action) {
                    let before = done.contexts.len();
                    let shown = self.spread(&action, most).into_iter();
                    let contexts = shown.filter_map(|at| store.context(&action, at));
                    done.contexts.extend(contexts.map(|context| (action.clone(), context)));
                    if done.contexts.len() == before {
                        return Err(StoreError::NeverCalled(action));
                    }
                }
                return Ok(());
            }
            Job::Try { token, action, text, in_force } => {
                let inspection = store.inspect(&action, &text, &in_force).map(Arc::new).map_err(|error| match error {
                    StoreError::NeverCalled(_) => store.said_of_form(&action, &text),
                    error => error.to_string(),
                });
                self.desk.tell(Notice::CandidateChecked { token, inspection });
                return Ok(());
            }
            Job::Step { token, action, place, texts } => {
                let step = Arc::new(store.step_view(&action, &place, &texts)?);
                self.desk.tell(Notice::StepShown { token, step });
                return Ok(());
            }
            Job::Differ { token, action, one, other } => {
                match store.difference(&action, &one, &other)? {
                    Some(step) => {
                        self.desk.tell(Notice::StepShown { token, step: Arc::new(step) });
                    }
                    None => self.desk.say(
                        Level::Info,
                        format!("they hold at the same instances of {action}: no step of the demonstrations tells them apart"),
                    ),
                }
                return Ok(());
            }
            Job::Compare { token, left, right } => {
                let inferred = [&left, &right].iter().any(|known| matches!(known.1, Contents::Suggested(_)));
                let [left, right] = [left, right].map(|(name, contents)| match contents {
                    Contents::Set(set) => (name, set),
                    Contents::Suggested(ranking) => (name, suggested(store, ranking)),
                });
                let mut comparison = store.compare((&left.0, &left.1), (&right.0, &right.1));
                if inferred {
                    comparison.leave_out("not inferred yet", |action| {
                        store.pool(action).is_ok_and(|pool| pool.candidates.is_empty())
                    });
                }
                let (comparison, right) = (Arc::new(comparison), Arc::new(right.1));
                self.desk.tell(Notice::SetsCompared { token, comparison, right });
                return Ok(());
            }
            Job::ToScore(action) => {
                let shown = self.spread(&action, 1).first().copied();
                let context = shown.and_then(|at| store.context(&action, at));
                let context = context.ok_or_else(|| StoreError::NeverCalled(action.clone()))?;
                let texts = worth_scoring(&store.pool(&action)?);
                done.to_score = Some(ToScore { action, context, texts });
                return Ok(());
            }
            Job::Scores { action, scores } => store.note_logprobs(&action, &scores)?,
            Job::Show(action) => store.pool(&action)?,
            Job::TakeIn { action, written } => store.take_in(&action, &written)?,
            Job::Follow { action, edits } => store.follow(&action, edits)?,
        };
        self.tell(store, pool);
        Ok(())
    }

    fn tell(&self, store: &CandidateStore, mut pool: Pool) {
        let known = |text: &&String| pool.candidates.iter().chain(&pool.held_back).any(|c| c.text == **text);
        let outside = self.in_force.get(&pool.action).into_iter().flatten().filter(|text| !known(text));
        pool.in_force = outside.filter_map(|text| store.try_text(&pool.action, text).ok()).collect();
        pool.running = self.growing.contains(&pool.action);
        self.desk.tell(Notice::Pool(Arc::new(pool)));
    }

    /// At most so many of the demonstrations that call an action, spread over all that do.
    fn spread(&self, action: &str, most: usize) -> Vec<usize> {
        let of = action_of_effects(action).unwrap_or(action);
        let calls = self.demonstrations.iter().enumerate();
        let calling: Vec<usize> =
            calls.filter(|(_, d)| d.calls().any(|c| c.function == of)).map(|(at, _)| at).collect();
        let n = most.clamp(1, calling.len().max(1));
        (0..n).filter_map(|k| calling.get(k * calling.len() / n).copied()).collect()
    }

    /// Reports progress, at most fifty times; returns whether it was not cancelled.
    fn report_progress(&self, what: &str, done: usize, total: usize) -> bool {
        if done.is_multiple_of((total / 50).max(1)) && done < total {
            self.desk.tell(Notice::Progress { what: what.to_owned(), done, total });
        }
        self.desk.keep_running()
    }

    fn progress_ends(&self, what: &str) {
        self.desk.tell(Notice::Progress { what: what.to_owned(), done: 1, total: 1 });
    }
}

/// The valid candidates of a pool that forbid something, one of each cluster: optimal ones first, then the stronger.
fn worth_scoring(pool: &Pool) -> Vec<String> {
    let says = |c: &&Candidate| c.representative && !c.rejected && c.coverage != Some(pool.instances);
    let mut found: Vec<&Candidate> = pool.candidates.iter().filter(says).collect();
    found.sort_by_key(|c| (!c.optimal, c.coverage));
    found.into_iter().take(MOST_SCORED).map(|c| c.text.clone()).collect()
}

fn suggested(store: &CandidateStore, ranking: Ranking) -> AdoptedSet {
    let of = |name: String| {
        let params = store.pool(&name).map(|pool| pool.params).unwrap_or_default();
        AdoptedAction { assertions: store.suggested(&name, ranking), action: name, params }
    };
    let says = |of: &AdoptedAction| action_of_effects(&of.action).is_none() || !of.assertions.is_empty();
    AdoptedSet { actions: store.called().into_iter().map(of).filter(says).collect(), ..AdoptedSet::default() }
}

fn actions(store: &CandidateStore, action: Option<String>) -> Vec<String> {
    match action {
        Some(action) => vec![action],
        None => store.called_actions().map(|f| f.name.clone()).collect(),
    }
}
