//! The living pools of a session: candidates come in, are validated and ranked at once, and a person edits, rejects, adopts.
//!
//! Changing one candidate evaluates that one only; the sets of the others are kept. Asks no model: texts from one are handed in.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::bits::Bits;
use super::earlier::Earlier;
use super::enumerate::{Withheld, enumerate};
use super::ground::{Demo, Ground, GroundError};
use super::instances::{Evaluation, Instances, NoVerdict};
use super::rank::clusters;
use super::validate::{explained, malformed, settled, validate};
use super::{Candidate, CandidateContext, CandidateOrigin, Fate, Pool, Written};
use crate::episode::{CandidateEdit, CandidateMark};
use crate::program::{Assertion, Function, Role, Specification};

/// Why a workshop refuses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorkshopError {
    /// The specification has no such action.
    #[error("`{0}` is no action of the specification; its actions are {1}")]
    NoSuchAction(String, String),
    /// The demonstrations do not call it, so nothing can be said of it.
    #[error("no demonstration calls `{0}`: its preconditions cannot be inferred; load demonstrations that do")]
    NeverCalled(String),
    /// There is no candidate of that number.
    #[error("{0} has no candidate {1}")]
    NoSuchCandidate(String, usize),
    /// The text is in the pool already.
    #[error("`{0}` is already a candidate of {1}")]
    AlreadyThere(String, String),
    /// Nothing a person did to the pool is left to be undone or done again.
    #[error("no change to the candidates of {0} is left to {1}")]
    NoChange(String, &'static str),
    /// A text without a satisfied set.
    #[error("`{0}` cannot be evaluated, so it cannot be compared")]
    NotEvaluated(String),
    /// There is no such step of a demonstration.
    #[error("demonstration {0} has no action at call {1}")]
    NoSuchStep(usize, usize),
    /// The work was cancelled; the pool is as it was.
    #[error("cancelled; the candidates are as they were")]
    Cancelled,
}

/// The pools of all actions over one set of demonstrations.
#[derive(Debug, Clone)]
pub struct Workshop {
    ground: Ground,
    benches: BTreeMap<String, Bench>,
}

/// The pool of one action with what is known of its candidates.
#[derive(Debug, Clone)]
pub(super) struct Bench {
    pub(super) instances: Instances,
    pub(super) entries: Vec<Entry>,
    withheld: Vec<Withheld>,
    /// What a person changed, oldest first, and what was taken back of it, newest last.
    past: Vec<Change>,
    future: Vec<Change>,
    /// What a person changed before the session was opened again, to be made once the candidates are there.
    pub(super) earlier: Earlier,
    /// The next entry's key.
    next: u64,
    /// Assertions that are no candidates, evaluated when they were first looked at: those in force.
    outside: BTreeMap<String, Option<Evaluation>>,
}

#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// Stays with the entry while its number changes; 0 until it joins a pool.
    key: u64,
    pub(super) candidate: Candidate,
    pub(super) evaluation: Option<Evaluation>,
}

/// What a person does to the candidates of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// Add a candidate, or put it in the place of candidate `id`.
    Put {
        /// The candidate edited; `None` adds one.
        id: Option<usize>,
        /// The expression.
        text: String,
    },
    /// Mark a candidate rejected or not. A rejected one stays in the pool but out of the ranking, so that what it was stronger than
    /// can become optimal.
    Reject {
        /// The candidate.
        id: usize,
        /// Rejected or restored.
        rejected: bool,
    },
    /// Take back the last change (an addition, an edit, a rejection, a restoration).
    Undo,
    /// Make the change again that was last taken back.
    Redo,
}

/// A change that was looked over and not made yet.
#[derive(Debug, Clone)]
pub struct PlannedEdit {
    action: String,
    turn: Turn,
    change: Change,
}

/// Whether a change is a new one, taken back or made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    New,
    Back,
    Again,
}

impl PlannedEdit {
    /// The action whose candidates it changes.
    pub fn action(&self) -> &str {
        &self.action
    }

    /// Whether it makes a change again (or takes one back); `None` for a new one.
    pub fn forward(&self) -> Option<bool> {
        match self.turn {
            Turn::New => None,
            Turn::Back => Some(false),
            Turn::Again => Some(true),
        }
    }

    /// The change as a session records it.
    pub fn record(&self) -> CandidateEdit {
        let mark = |entry: &Option<Entry>| {
            entry.as_ref().map(|e| CandidateMark { text: e.candidate.text.clone(), rejected: e.candidate.rejected })
        };
        let edit =
            CandidateEdit { at: self.change.at, before: mark(&self.change.before), after: mark(&self.change.after) };
        if self.turn == Turn::Back { edit.reversed() } else { edit }
    }
}

/// A person's change to one entry: what was there before and after, and where; `None` where there was or is none.
#[derive(Debug, Clone)]
struct Change {
    key: u64,
    at: usize,
    before: Option<Entry>,
    after: Option<Entry>,
}

impl Entry {
    /// The satisfied set, if the candidate takes part in the ranking: valid and not rejected.
    pub(super) fn ranked(&self) -> Option<&Bits> {
        let takes_part = self.candidate.fate == Fate::Valid && !self.candidate.rejected;
        self.evaluation.as_ref().filter(|_| takes_part).map(|e| &e.set)
    }
}

impl Workshop {
    /// Executes the demonstrations; all pools are empty.
    ///
    /// # Errors
    /// The first call of a demonstration that the specification cannot execute.
    pub fn new(specification: &Specification, demos: Vec<Demo>) -> Result<Self, GroundError> {
        let ground = Ground::new(specification, demos)?;
        let functions = specification.functions().iter().filter(|f| f.role == Role::Action);
        let benches = functions
            .map(|function| {
                let instances = Instances::new(&ground, function);
                (function.name.clone(), Bench::new(instances))
            })
            .collect();
        Ok(Workshop { ground, benches })
    }

    /// The actions, in the specification's order.
    pub fn actions(&self) -> impl Iterator<Item = &Function> {
        self.ground.specification().functions().iter().filter(|f| f.role == Role::Action)
    }

    /// The actions that the demonstrations call, in the specification's order.
    pub fn called_actions(&self) -> impl Iterator<Item = &Function> {
        self.actions().filter(|f| self.benches.get(&f.name).is_some_and(|b| !b.instances.calls.is_empty()))
    }

    /// The demonstrations, executed.
    pub fn ground(&self) -> &Ground {
        &self.ground
    }

    fn no_such_action(&self, action: &str) -> WorkshopError {
        let known: Vec<&str> = self.actions().map(|f| f.name.as_str()).collect();
        WorkshopError::NoSuchAction(action.to_owned(), known.join(", "))
    }

    pub(super) fn bench(&self, action: &str) -> Result<&Bench, WorkshopError> {
        let bench = self.benches.get(action).ok_or_else(|| self.no_such_action(action))?;
        if bench.instances.calls.is_empty() { Err(WorkshopError::NeverCalled(action.to_owned())) } else { Ok(bench) }
    }

    fn bench_mut(&mut self, action: &str) -> Result<(&Ground, &mut Bench), WorkshopError> {
        self.bench(action)?;
        let missing = self.no_such_action(action);
        let bench = self.benches.get_mut(action).ok_or(missing)?;
        Ok((&self.ground, bench))
    }

    /// The pool of an action as it stands.
    ///
    /// # Errors
    /// If there is no such action. An action never called has an empty pool.
    pub fn pool(&self, action: &str) -> Result<Pool, WorkshopError> {
        self.benches.get(action).map(Bench::pool).ok_or_else(|| self.no_such_action(action))
    }

    /// Fills the pool from the built-in proposer (no language model); texts already there stay as they are. `going_on` is told
    /// how much is done of how much, and cancels by answering false.
    ///
    /// # Errors
    /// [`WorkshopError`]; the pool is unchanged then.
    pub fn enumerate(
        &mut self,
        action: &str,
        mut going_on: impl FnMut(usize, usize) -> bool,
    ) -> Result<Pool, WorkshopError> {
        let (ground, bench) = self.bench_mut(action)?;
        let found = enumerate(ground, &bench.instances, |done, total| going_on(done, total * 2))
            .ok_or(WorkshopError::Cancelled)?;
        let total = found.candidates.len();
        let mut fresh = Vec::new();
        for (at, proposed) in found.candidates.into_iter().enumerate() {
            if !going_on(total + at, total * 2) {
                return Err(WorkshopError::Cancelled);
            }
            let text = proposed.assertion.text();
            if bench.entries.iter().all(|e| e.candidate.text != text) {
                let judged = Some((&proposed.assertion, proposed.evaluation));
                fresh.push(entry(ground, &bench.instances, text, CandidateOrigin::Enumerated, judged));
            }
        }
        bench.withheld = found.withheld;
        bench.fill(ground, fresh);
        bench.rank();
        Ok(bench.pool())
    }

    /// Adds candidates that come from elsewhere, in order; a text already there is not added again.
    ///
    /// # Errors
    /// [`WorkshopError`]; the pool is unchanged then.
    pub fn offer(
        &mut self,
        action: &str,
        origin: CandidateOrigin,
        texts: &[String],
        mut going_on: impl FnMut(usize, usize) -> bool,
    ) -> Result<Pool, WorkshopError> {
        let (ground, bench) = self.bench_mut(action)?;
        let mut fresh: Vec<Entry> = Vec::new();
        let mut known: FxHashSet<&str> = bench.entries.iter().map(|e| e.candidate.text.as_str()).collect();
        for (at, text) in texts.iter().enumerate() {
            if !going_on(at, texts.len()) {
                return Err(WorkshopError::Cancelled);
            }
            if known.insert(text) {
                fresh.push(entry(ground, &bench.instances, text, origin, None));
            }
        }
        bench.fill(ground, fresh);
        bench.rank();
        Ok(bench.pool())
    }

    /// Takes in what a model wrote. A text already there counts once more; what could not be read becomes a candidate that is
    /// malformed, with the reason.
    ///
    /// # Errors
    /// [`WorkshopError`]; the pool is unchanged then.
    pub fn take_in(&mut self, action: &str, written: &[Written]) -> Result<Pool, WorkshopError> {
        let (ground, bench) = self.bench_mut(action)?;
        for written in written {
            let (Written::Candidate(text) | Written::Unreadable { line: text, .. }) = written;
            if let Some(known) = bench.entries.iter_mut().find(|e| e.candidate.text == *text) {
                known.candidate.times = known.candidate.times.saturating_add(1);
                continue;
            }
            let mut fresh = match written {
                Written::Candidate(text) => entry(ground, &bench.instances, text, CandidateOrigin::Model, None),
                Written::Unreadable { line, why } => {
                    let fate = Fate::Malformed { reason: "Unreadable".to_owned(), message: why.clone() };
                    unranked(line, CandidateOrigin::Model, fate)
                }
            };
            fresh.candidate.times = 1;
            bench.join(ground, vec![fresh]);
        }
        bench.fill(ground, Vec::new());
        bench.rank();
        Ok(bench.pool())
    }

    /// Notes a model's mean log-probabilities of candidates, by text.
    ///
    /// # Errors
    /// [`WorkshopError`]; the pool is unchanged then.
    pub fn note_logprobs(&mut self, action: &str, scores: &[(String, f64)]) -> Result<Pool, WorkshopError> {
        let (_, bench) = self.bench_mut(action)?;
        for entry in &mut bench.entries {
            if let Some((_, score)) = scores.iter().find(|(text, _)| *text == entry.candidate.text) {
                entry.candidate.logprob = Some(*score);
            }
        }
        Ok(bench.pool())
    }

    /// What a person's change would make of an action's candidates; nothing is changed yet, so that it can be recorded first.
    ///
    /// # Errors
    /// [`WorkshopError`], where it cannot be made.
    pub fn plan(&self, action: &str, edit: &Edit) -> Result<PlannedEdit, WorkshopError> {
        let bench = self.bench(action)?;
        let at = |id: usize| {
            bench.entries.get(id).cloned().ok_or_else(|| WorkshopError::NoSuchCandidate(action.to_owned(), id))
        };
        let (turn, change) = match edit {
            Edit::Put { id, text } => {
                if bench.entries.iter().enumerate().any(|(at, e)| Some(at) != *id && e.candidate.text == *text) {
                    return Err(WorkshopError::AlreadyThere(text.clone(), action.to_owned()));
                }
                let before = id.map(at).transpose()?;
                let mut fresh = by_person(&self.ground, &bench.instances, text);
                fresh.key = before.as_ref().map_or(bench.next, |entry| entry.key);
                let change =
                    Change { key: fresh.key, at: id.unwrap_or(bench.entries.len()), before, after: Some(fresh) };
                (Turn::New, change)
            }
            Edit::Reject { id, rejected } => {
                let before = at(*id)?;
                let mut after = before.clone();
                after.candidate.rejected = *rejected;
                (Turn::New, Change { key: before.key, at: *id, before: Some(before), after: Some(after) })
            }
            Edit::Undo => {
                let last = bench.past.last().ok_or(WorkshopError::NoChange(action.to_owned(), "undo"))?;
                (Turn::Back, last.clone())
            }
            Edit::Redo => {
                let last = bench.future.last().ok_or(WorkshopError::NoChange(action.to_owned(), "do again"))?;
                (Turn::Again, last.clone())
            }
        };
        Ok(PlannedEdit { action: action.to_owned(), turn, change })
    }

    /// Makes a planned change; the candidates are as they were when it was planned.
    ///
    /// # Errors
    /// [`WorkshopError`].
    pub fn make(&mut self, planned: PlannedEdit) -> Result<Pool, WorkshopError> {
        let PlannedEdit { action, turn, change } = planned;
        let (_, bench) = self.bench_mut(&action)?;
        let entry = if turn == Turn::Back { change.before.clone() } else { change.after.clone() };
        bench.set(change.key, change.at, entry);
        match turn {
            Turn::New => {
                bench.next = bench.next.max(change.key + 1);
                bench.future.clear();
                bench.past.push(change);
            }
            Turn::Back => bench.future.extend(bench.past.pop()),
            Turn::Again => bench.past.extend(bench.future.pop()),
        }
        bench.rank();
        Ok(bench.pool())
    }

    /// Has what a person changed before, in a session that was opened again, made anew as soon as the candidates are there.
    /// Actions that the specification has not are passed over.
    pub fn remember(&mut self, edits: &BTreeMap<String, Vec<CandidateEdit>>) {
        for (action, edits) in edits {
            if let Some(bench) = self.benches.get_mut(action) {
                bench.earlier = Earlier::new(edits.clone());
            }
        }
    }

    /// Evaluates texts that are no candidates once, so that looking at many candidates beside them is quick.
    pub(super) fn evaluate_outside(&mut self, action: &str, texts: &[String]) -> Result<(), WorkshopError> {
        let (ground, bench) = self.bench_mut(action)?;
        bench.outside.retain(|text, _| texts.contains(text));
        for text in texts {
            if bench.known(text).is_none() {
                let evaluation = judge(ground, &bench.instances, text).1;
                bench.outside.insert(text.clone(), evaluation);
            }
        }
        Ok(())
    }

    /// What a text would be as the pool's next candidate: fate, coverage, cluster and whether it would be optimal. Nothing is
    /// kept.
    ///
    /// # Errors
    /// [`WorkshopError`].
    pub fn try_text(&self, action: &str, text: &str) -> Result<Candidate, WorkshopError> {
        let bench = self.bench(action)?;
        let fresh = entry(&self.ground, &bench.instances, text, CandidateOrigin::Person, None);
        let id = bench.entries.len();
        let mut candidate = in_full(&self.ground, &bench.instances, Candidate { id, ..fresh.candidate.clone() });
        let sets: Vec<Option<&Bits>> = bench.entries.iter().map(Entry::ranked).chain([fresh.ranked()]).collect();
        if let Some((at, cluster)) = clusters(&sets).into_iter().enumerate().find(|(_, c)| c.members.contains(&id)) {
            candidate.cluster = Some(at);
            candidate.optimal = cluster.optimal;
            candidate.representative = cluster.representative() == Some(id);
        }
        Ok(candidate)
    }

    /// A candidate of the pool; why it fails is told with the values found.
    ///
    /// # Errors
    /// [`WorkshopError`].
    pub fn look_at(&self, action: &str, id: usize) -> Result<Candidate, WorkshopError> {
        let bench = self.bench(action)?;
        let entry = bench.entries.get(id).ok_or_else(|| WorkshopError::NoSuchCandidate(action.to_owned(), id))?;
        Ok(in_full(&self.ground, &bench.instances, entry.candidate.clone()))
    }

    /// What Equation (1) proposes to adopt: the representatives of the optimal clusters, in cluster order (`h_opt`). Clusters
    /// that hold everywhere say nothing and are left out.
    pub fn suggested(&self, action: &str) -> Vec<String> {
        let Some(bench) = self.benches.get(action) else { return Vec::new() };
        let everywhere = bench.instances.len();
        let chosen = bench.entries.iter().map(|e| &e.candidate).filter(|c| c.optimal && c.representative);
        let mut chosen: Vec<&Candidate> = chosen.filter(|c| c.coverage != Some(everywhere)).collect();
        chosen.sort_by_key(|c| c.cluster);
        chosen.into_iter().map(|c| c.text.clone()).collect()
    }

    /// What the built-in proposer held back as coincidence when it last filled this pool.
    pub fn withheld(&self, action: &str) -> &[Withheld] {
        self.benches.get(action).map_or(&[], |bench| &bench.withheld)
    }

    /// What evaluating a candidate gave; `None` if it could not be evaluated.
    pub fn evaluation(&self, action: &str, id: usize) -> Option<&Evaluation> {
        self.benches.get(action)?.entries.get(id)?.evaluation.as_ref()
    }

    /// What a model is told to write candidates for an action, after one demonstration; `None` if there is no such action or
    /// demonstration.
    pub fn context(&self, action: &str, demonstration: usize) -> Option<CandidateContext> {
        let function = self.ground.action(action)?;
        let actions: Vec<(&str, &str)> = self.actions().map(|f| (f.class.as_str(), f.name.as_str())).collect();
        let demo = self.ground.demos.get(demonstration)?;
        CandidateContext::new(self.ground.specification().source(), &actions, function, demo)
    }
}

/// Tells why a candidate fails with the values found: what takes time and is read of few.
pub(super) fn in_full(ground: &Ground, instances: &Instances, candidate: Candidate) -> Candidate {
    if !matches!(candidate.fate, Fate::Fails { .. }) {
        return candidate;
    }
    match instances.read(&candidate.text) {
        Ok(assertion) => Candidate { fate: explained(ground, instances, &assertion), ..candidate },
        Err(_) => candidate,
    }
}

/// An entry that takes no part in the ranking.
fn unranked(text: &str, origin: CandidateOrigin, fate: Fate) -> Entry {
    let candidate = Candidate {
        id: 0,
        text: text.to_owned(),
        origin,
        fate,
        coverage: None,
        cluster: None,
        optimal: false,
        representative: false,
        rejected: false,
        times: 0,
        logprob: None,
    };
    Entry { key: 0, candidate, evaluation: None }
}

/// A person's candidate; why it fails is told with the values found.
pub(super) fn by_person(ground: &Ground, instances: &Instances, text: &str) -> Entry {
    let mut fresh = entry(ground, instances, text, CandidateOrigin::Person, None);
    fresh.candidate = in_full(ground, instances, fresh.candidate);
    fresh
}

/// Judges one text. `judged` saves work already done.
fn entry(
    ground: &Ground,
    instances: &Instances,
    text: &str,
    origin: CandidateOrigin,
    judged: Option<(&Assertion, Result<Evaluation, NoVerdict>)>,
) -> Entry {
    let (fate, evaluation) = match judged {
        Some((assertion, Ok(evaluation))) => (fate(ground, instances, assertion, &evaluation), Some(evaluation)),
        Some((_, Err(none))) => (none.into(), None),
        None => judge(ground, instances, text),
    };
    let mut entry = unranked(text, origin, fate);
    entry.candidate.coverage = evaluation.as_ref().map(|e| e.set.count());
    entry.evaluation = evaluation;
    entry
}

/// Judges one text from scratch: its form, its execution, its satisfied set.
pub fn judge(ground: &Ground, instances: &Instances, text: &str) -> (Fate, Option<Evaluation>) {
    let assertion = match instances.read(text) {
        Ok(assertion) => assertion,
        Err(rejection) => return (malformed(&rejection), None),
    };
    match instances.evaluate(ground, &assertion) {
        Ok(evaluation) => match fate(ground, instances, &assertion, &evaluation) {
            fate @ Fate::Unknown { .. } => (fate, None),
            fate => (fate, Some(evaluation)),
        },
        // It may run in the demonstrations, but not at every instance: valid it may be, ranked it cannot be.
        Err(none) => match validate(ground, instances, &assertion) {
            Fate::Valid => (none.into(), None),
            fate => (fate, None),
        },
    }
}

/// The fate of a candidate that could be evaluated everywhere.
fn fate(ground: &Ground, instances: &Instances, assertion: &Assertion, evaluation: &Evaluation) -> Fate {
    settled(ground, instances, evaluation).unwrap_or_else(|| validate(ground, instances, assertion))
}

impl From<NoVerdict> for Fate {
    fn from(none: NoVerdict) -> Self {
        Fate::Unknown { reason: none.reason.to_owned(), message: none.message }
    }
}

impl Bench {
    fn new(instances: Instances) -> Self {
        let (entries, withheld, past, future) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (earlier, outside) = (Earlier::default(), BTreeMap::new());
        Bench { instances, entries, withheld, past, future, earlier, next: 1, outside }
    }

    /// The entry of that text.
    pub(super) fn find(&self, text: &str) -> Option<&Entry> {
        self.entries.iter().find(|e| e.candidate.text == text)
    }

    /// What evaluating a text gave, if that is known.
    pub(super) fn known(&self, text: &str) -> Option<&Option<Evaluation>> {
        self.find(text).map(|e| &e.evaluation).or_else(|| self.outside.get(text))
    }

    /// Adds entries at the end, each as a person had left it before.
    fn join(&mut self, ground: &Ground, fresh: Vec<Entry>) {
        for mut entry in fresh {
            if let Some(mark) = self.earlier.left(&entry.candidate.text) {
                if mark.text != entry.candidate.text {
                    if self.find(&mark.text).is_some() {
                        continue;
                    }
                    entry = by_person(ground, &self.instances, &mark.text);
                }
                entry.candidate.rejected = mark.rejected;
                self.insert(self.entries.len(), entry);
            }
        }
    }

    /// Adds entries, and what a person had added before.
    fn fill(&mut self, ground: &Ground, fresh: Vec<Entry>) {
        self.join(ground, fresh);
        for (at, mark) in self.earlier.added() {
            if self.find(&mark.text).is_none() {
                let mut entry = by_person(ground, &self.instances, &mark.text);
                entry.candidate.rejected = mark.rejected;
                self.insert(at.min(self.entries.len()), entry);
            }
        }
    }

    fn insert(&mut self, at: usize, mut entry: Entry) {
        entry.key = self.next;
        self.next += 1;
        self.entries.insert(at, entry);
    }

    /// Makes the entry of that key be this one; none takes it out.
    fn set(&mut self, key: u64, at: usize, entry: Option<Entry>) {
        let found = self.entries.iter().position(|e| e.key == key);
        match (found, entry) {
            (Some(found), Some(entry)) => {
                if let Some(place) = self.entries.get_mut(found) {
                    *place = entry;
                }
            }
            (Some(found), None) => {
                self.entries.remove(found);
            }
            (None, Some(entry)) => self.entries.insert(at.min(self.entries.len()), entry),
            (None, None) => {}
        }
    }

    /// Numbers the candidates and ranks them by Equation (1).
    fn rank(&mut self) {
        let clusters = clusters(&self.entries.iter().map(Entry::ranked).collect::<Vec<_>>());
        for (id, Entry { candidate, .. }) in self.entries.iter_mut().enumerate() {
            (candidate.id, candidate.cluster) = (id, None);
            (candidate.optimal, candidate.representative) = (false, false);
        }
        for (number, cluster) in clusters.iter().enumerate() {
            for id in &cluster.members {
                if let Some(Entry { candidate, .. }) = self.entries.get_mut(*id) {
                    candidate.cluster = Some(number);
                    candidate.optimal = cluster.optimal;
                    candidate.representative = cluster.representative() == Some(*id);
                }
            }
        }
    }

    fn pool(&self) -> Pool {
        let function = &self.instances.function;
        Pool {
            action: function.name.clone(),
            params: function.params.clone(),
            candidates: self.entries.iter().map(|e| e.candidate.clone()).collect(),
            instances: self.instances.len(),
            calls: self.instances.calls.len(),
            running: false,
        }
    }
}

#[cfg(test)]
#[path = "workshop_tests.rs"]
mod tests;
