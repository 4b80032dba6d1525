//! Candidate store. Keeps the candidates of each action, validates and ranks them as they come in.
//!
//! A pool is what arrived, as a person changed it: their changes are a document of the session, which the store follows. Each candidate
//! is evaluated once. Asks no model: texts from one are handed in.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::changed::{CandidateEdit, CandidateMark};
use super::demonstrations::{Demo, DemonstrationError, Demonstrations};
use super::effect_calls::judge_effect;
use super::enumerate::enumerate;
use super::instance_set::InstanceSet;
use super::instances::{Evaluation, Instances, NoVerdict};
use super::rank::{Cluster, clusters};
use super::second::{MOST_TRIED, SecondTier};
use super::shared::SharedDemonstrations;
use super::validate::{explained, malformed, never_tried, settled, validate};
use super::{Candidate, CandidateContext, CandidateOrigin, Pool, Ranking, Validity, Written};
use stepwright_episode::{action_of_effects, effects_of};
use stepwright_program::{Assertion, Effect, Function, Role, Specification};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    #[error("`{0}` is no action of the specification; its actions are {1}")]
    NoSuchAction(String, String),
    /// The demonstrations do not call it, so nothing can be said of it.
    #[error("no demonstration calls {}; load demonstrations that do", uninferred(.0))]
    NeverCalled(String),
    #[error("{0} has no candidate {1}")]
    NoSuchCandidate(String, usize),
    /// A text without a satisfied set.
    #[error("`{0}` cannot be evaluated, so it cannot be compared")]
    NotEvaluated(String),
    #[error("demonstration {0} has no action at call {1}")]
    NoSuchStep(usize, usize),
    /// The work was cancelled; the pool is as it was.
    #[error("cancelled; the candidates are as they were")]
    Cancelled,
}

/// An action, or the action of effects, of which nothing can be inferred.
fn uninferred(name: &str) -> String {
    match action_of_effects(name) {
        Some(action) => format!("`{action}`: its effects cannot be inferred"),
        None => format!("`{name}`: its preconditions cannot be inferred"),
    }
}

/// The pools of all actions over one set of demonstrations, and of their effects where these are wanted.
#[derive(Debug, Clone)]
pub struct CandidateStore {
    demos: Arc<SharedDemonstrations>,
    by_action: BTreeMap<String, ActionCandidates>,
    /// Where candidates go that the evaluator gives no verdict on.
    second: Option<SecondTier>,
}

/// The pool of one action with what is known of its candidates.
#[derive(Debug, Clone)]
pub(super) struct ActionCandidates {
    pub(super) instances: Instances,
    /// What came from the enumerator or a model, in order.
    arrived: Vec<Entry>,
    /// What a person wrote, by its text.
    written: BTreeMap<String, Entry>,
    /// What a person changed, in order.
    edits: Vec<CandidateEdit>,
    /// The pool, where a person changed it; otherwise it is what arrived.
    edited: Option<Vec<Entry>>,
    /// The candidates that the enumerator held back when it last filled the pool.
    pub(super) withheld: Vec<Entry>,
    /// Assertions that are no candidates, evaluated when they were first inspected: those in force.
    outside: BTreeMap<String, Option<Arc<Evaluation>>>,
}

#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) candidate: Candidate,
    /// Shared by the copies of the pool.
    pub(super) evaluation: Option<Arc<Evaluation>>,
    /// Of an effect: the states that it makes of those before the calls, by their fingerprints.
    pub(super) made: Vec<Option<u64>>,
}

impl Entry {
    /// The satisfied set, if the candidate takes part in the ranking: valid and not rejected.
    pub(super) fn ranked(&self) -> Option<&InstanceSet> {
        let takes_part = self.candidate.fate == Validity::Valid && !self.candidate.rejected;
        self.evaluation.as_ref().filter(|_| takes_part).map(|e| &e.set)
    }
}

impl CandidateStore {
    /// Executes the demonstrations; all pools are empty.
    /// Errors: the first call of a demonstration that the specification cannot execute.
    pub fn new(specification: &Specification, demos: Vec<Demo>) -> Result<Self, DemonstrationError> {
        Ok(CandidateStore::over(SharedDemonstrations::new(specification, demos)?.into()))
    }

    /// Over demonstrations that others read as well.
    pub fn over(demos: Arc<SharedDemonstrations>) -> Self {
        // Here, where the demonstrations are executed, and not while a person waits for the first candidates.
        demos.prepare();
        let functions = demos.specification().functions().iter().filter(|f| f.role == Role::Action);
        let by_action = functions
            .map(|function| {
                let instances = Instances::new(&demos, function);
                (function.name.clone(), ActionCandidates::new(instances))
            })
            .collect();
        CandidateStore { demos, by_action, second: None }
    }

    /// With a pool for the effects of each action as well, under the name that they go by.
    #[must_use]
    pub fn with_effects(mut self) -> Self {
        let actions: Vec<Function> = self.actions().cloned().collect();
        for function in actions {
            let calls = self.demos.effect_calls().of_action(&function);
            let instances = Instances::new(&self.demos, &function).of_effects(calls);
            self.by_action.insert(instances.name(), ActionCandidates::new(instances));
        }
        self
    }

    /// With a second tier for what the evaluator gives no verdict on; it may take seconds a candidate.
    #[must_use]
    pub fn with_second_tier(self, second: SecondTier) -> Self {
        CandidateStore { second: Some(second), ..self }
    }

    /// The actions, in the specification's order.
    pub fn actions(&self) -> impl Iterator<Item = &Function> {
        self.demos.specification().functions().iter().filter(|f| f.role == Role::Action)
    }

    /// The actions that the demonstrations call, in the specification's order.
    pub fn called_actions(&self) -> impl Iterator<Item = &Function> {
        self.actions().filter(|f| self.by_action.get(&f.name).is_some_and(|b| !b.instances.calls.is_empty()))
    }

    /// The names of the pools of what the demonstrations call: those of the actions, then those of their effects.
    pub fn called(&self) -> Vec<String> {
        let is_called = |name: &String| self.by_action.get(name).is_some_and(|of| !of.instances.calls.is_empty());
        let actions = self.called_actions().map(|function| function.name.clone());
        let effects = self.actions().map(|function| effects_of(&function.name)).filter(is_called);
        actions.chain(effects).collect()
    }

    pub fn demonstrations(&self) -> &SharedDemonstrations {
        &self.demos
    }

    fn no_such_action(&self, action: &str) -> StoreError {
        let known: Vec<&str> = self.actions().map(|f| f.name.as_str()).collect();
        StoreError::NoSuchAction(action_of_effects(action).unwrap_or(action).to_owned(), known.join(", "))
    }

    pub(super) fn of_action(&self, action: &str) -> Result<&ActionCandidates, StoreError> {
        let of_action = self.by_action.get(action).ok_or_else(|| self.no_such_action(action))?;
        if of_action.instances.calls.is_empty() {
            Err(StoreError::NeverCalled(action.to_owned()))
        } else {
            Ok(of_action)
        }
    }

    fn of_action_mut(&mut self, action: &str) -> Result<(&SharedDemonstrations, &mut ActionCandidates), StoreError> {
        self.of_action(action)?;
        self.of_any_mut(action)
    }

    /// Of an action that may never be called: what a person writes is kept, and nothing is said of it.
    fn of_any_mut(&mut self, action: &str) -> Result<(&SharedDemonstrations, &mut ActionCandidates), StoreError> {
        let missing = self.no_such_action(action);
        let of_action = self.by_action.get_mut(action).ok_or(missing)?;
        Ok((&self.demos, of_action))
    }

    pub fn pool(&self, action: &str) -> Result<Pool, StoreError> {
        self.by_action.get(action).map(ActionCandidates::pool).ok_or_else(|| self.no_such_action(action))
    }

    /// Fills the pool from the built-in proposer (no language model); texts already there stay as they are. `report_progress` receives
    /// how much is done of how much, and cancels by answering false.
    pub fn enumerate(
        &mut self,
        action: &str,
        mut report_progress: impl FnMut(usize, usize) -> bool,
    ) -> Result<Pool, StoreError> {
        if action_of_effects(action).is_some() {
            return self.enumerate_effects(action);
        }
        let second = self.second.clone();
        let (demos, of_action) = self.of_action_mut(action)?;
        let found = enumerate(demos, &of_action.instances, |done, total| report_progress(done, total * 2))
            .ok_or(StoreError::Cancelled)?;
        let total = found.candidates.len();
        let mut fresh = Vec::new();
        for (at, proposed) in found.candidates.into_iter().enumerate() {
            if !report_progress(total + at, total * 2) {
                return Err(StoreError::Cancelled);
            }
            let text = proposed.assertion.text();
            if !of_action.has(text) {
                let judged = Some((&proposed.assertion, proposed.evaluation));
                fresh.push(entry(demos, &of_action.instances, text, CandidateOrigin::Enumerated, judged));
            }
        }
        let held = found.withheld.into_iter().map(|proposed| {
            let judged = Some((&proposed.assertion, proposed.evaluation));
            entry(demos, &of_action.instances, proposed.assertion.text(), CandidateOrigin::Enumerated, judged)
        });
        of_action.withheld = held.collect();
        tried_again(second.as_ref(), demos, &of_action.instances, &mut fresh);
        of_action.arrived.extend(fresh);
        Ok(of_action.laid())
    }

    /// Fills the pool of an action's effects; that a variable stays as it is, is held back.
    fn enumerate_effects(&mut self, name: &str) -> Result<Pool, StoreError> {
        let (demos, of_action) = self.of_action_mut(name)?;
        let function = &of_action.instances.function.name;
        let Some(found) = demos.effects().iter().find(|found| found.action == *function) else {
            return Err(StoreError::NeverCalled(name.to_owned()));
        };
        let judged = |text: &str| entry(demos, &of_action.instances, text, CandidateOrigin::Enumerated, None);
        let fresh = found.candidates.iter().filter(|found| !of_action.has(&found.text));
        let fresh: Vec<Entry> = fresh.map(|found| judged(&found.text)).collect();
        let alone = found.left_alone.iter().map(|variable| judged(&Effect::stays(variable)));
        of_action.withheld = alone.collect();
        of_action.arrived.extend(fresh);
        Ok(of_action.laid())
    }

    /// Adds candidates that come from elsewhere, in order; a text already there is not added again.
    pub fn offer(
        &mut self,
        action: &str,
        origin: CandidateOrigin,
        texts: &[String],
        mut report_progress: impl FnMut(usize, usize) -> bool,
    ) -> Result<Pool, StoreError> {
        let second = self.second.clone();
        let (demos, of_action) = self.of_action_mut(action)?;
        let mut fresh: Vec<Entry> = Vec::with_capacity(texts.len());
        let known = of_action.arrived.iter().chain(of_action.edited.iter().flatten());
        let mut known: FxHashSet<&str> = known.map(|e| e.candidate.text.as_str()).collect();
        known.reserve(texts.len());
        for (at, text) in texts.iter().enumerate() {
            if !report_progress(at, texts.len()) {
                return Err(StoreError::Cancelled);
            }
            if known.insert(text) {
                fresh.push(entry(demos, &of_action.instances, text, origin, None));
            }
        }
        tried_again(second.as_ref(), demos, &of_action.instances, &mut fresh);
        of_action.arrived.extend(fresh);
        Ok(of_action.laid())
    }

    /// Takes in what a model wrote. A text already there counts once more; what could not be read becomes a candidate that is
    /// malformed, with the reason.
    pub fn take_in(&mut self, action: &str, written: &[Written]) -> Result<Pool, StoreError> {
        let second = self.second.clone();
        let (demos, of_action) = self.of_action_mut(action)?;
        let mut tried = 0;
        for written in written {
            let (Written::Candidate(text) | Written::Unreadable { line: text, .. }) = written;
            if of_action.has(text) {
                for known in of_action.sources(text) {
                    known.candidate.times = known.candidate.times.saturating_add(1);
                }
                continue;
            }
            let mut fresh = match written {
                Written::Candidate(text) => entry(demos, &of_action.instances, text, CandidateOrigin::Model, None),
                Written::Unreadable { line, why } => {
                    let fate = Validity::Malformed { reason: "Unreadable".to_owned(), message: why.clone() };
                    unranked(line, CandidateOrigin::Model, fate)
                }
            };
            fresh.candidate.times = 1;
            let mut fresh = vec![fresh];
            if tried < MOST_TRIED {
                tried += tried_again(second.as_ref(), demos, &of_action.instances, &mut fresh);
            }
            of_action.arrived.extend(fresh);
        }
        Ok(of_action.laid())
    }

    /// Notes a model's mean log-probabilities of candidates, by text.
    pub fn note_logprobs(&mut self, action: &str, scores: &[(String, f64)]) -> Result<Pool, StoreError> {
        let (_, of_action) = self.of_action_mut(action)?;
        for (text, score) in scores {
            of_action.sources(text).for_each(|entry| entry.candidate.logprob = Some(*score));
        }
        Ok(of_action.laid())
    }

    /// Has a pool be what these changes of a person make of what arrived. Only what they wrote anew is evaluated.
    pub fn follow(&mut self, action: &str, edits: Vec<CandidateEdit>) -> Result<Pool, StoreError> {
        let second = self.second.clone();
        let (demos, of_action) = self.of_any_mut(action)?;
        for text in edits.iter().filter_map(CandidateEdit::writes) {
            if !of_action.written.contains_key(text) {
                let mut fresh = [by_person(demos, &of_action.instances, text)];
                tried_again(second.as_ref(), demos, &of_action.instances, &mut fresh);
                of_action.written.extend(fresh.map(|entry| (text.to_owned(), entry)));
            }
        }
        of_action.edits = edits;
        Ok(of_action.laid())
    }

    /// Evaluates texts that are no candidates once, so that looking at many candidates beside them is quick.
    pub(super) fn evaluate_outside(&mut self, action: &str, texts: &[String]) -> Result<(), StoreError> {
        let (demos, of_action) = self.of_action_mut(action)?;
        of_action.outside.retain(|text, _| texts.contains(text));
        for text in texts {
            if of_action.known(text).is_none() {
                let evaluation = entry(demos, &of_action.instances, text, CandidateOrigin::Person, None).evaluation;
                of_action.outside.insert(text.clone(), evaluation);
            }
        }
        Ok(())
    }

    /// A text as the pool's next candidate: fate, coverage, cluster and whether it would be optimal. Nothing is kept.
    pub fn try_text(&self, action: &str, text: &str) -> Result<Candidate, StoreError> {
        let of_action = self.of_action(action)?;
        let fresh = entry(&self.demos, &of_action.instances, text, CandidateOrigin::Person, None);
        let id = of_action.entries().len();
        let mut candidate = in_full(&self.demos, &of_action.instances, Candidate { id, ..fresh.candidate.clone() });
        let clusters = of_action.clusters(of_action.entries().iter().chain([&fresh]));
        if let Some((at, cluster)) = clusters.into_iter().enumerate().find(|(_, c)| c.members.contains(&id)) {
            candidate.cluster = Some(at);
            candidate.optimal = cluster.optimal;
            candidate.representative = cluster.representative() == Some(id);
        }
        Ok(candidate)
    }

    /// What is known of a text where no demonstration calls the action, in words: its form.
    pub fn said_of_form(&self, action: &str, text: &str) -> String {
        let Some(of_action) = self.by_action.get(action) else { return self.no_such_action(action).to_string() };
        match entry(&self.demos, &of_action.instances, text, CandidateOrigin::Person, None).candidate.fate {
            Validity::Malformed { reason, message } => format!("{reason}: {message}"),
            _ => {
                let action = action_of_effects(action).unwrap_or(action);
                format!("its form is right; no demonstration calls {action}, so that nothing tries it")
            }
        }
    }

    /// A candidate of the pool; why it fails is stated with the values found.
    pub fn look_at(&self, action: &str, id: usize) -> Result<Candidate, StoreError> {
        let of_action = self.of_action(action)?;
        let entry = of_action.entries().get(id).ok_or_else(|| StoreError::NoSuchCandidate(action.to_owned(), id))?;
        Ok(in_full(&self.demos, &of_action.instances, entry.candidate.clone()))
    }

    /// The suggestion: the representatives of the optimal clusters, in cluster order (`h_opt`). Clusters that hold
    /// everywhere say nothing and are left out.
    pub fn suggested(&self, action: &str, ranking: Ranking) -> Vec<String> {
        let Some(of_action) = self.by_action.get(action) else { return Vec::new() };
        if ranking == Ranking::EquationOne {
            return of_action.by_equation();
        }
        // An effect says what it says of every call; an assertion that holds everywhere says nothing.
        let everywhere = if of_action.instances.effects.is_some() { None } else { Some(of_action.instances.len()) };
        let chosen = of_action.entries().iter().map(|e| &e.candidate).filter(|c| c.optimal && c.representative);
        let mut chosen: Vec<&Candidate> = chosen.filter(|c| everywhere.is_none() || c.coverage != everywhere).collect();
        chosen.sort_by_key(|c| c.cluster);
        chosen.into_iter().map(|c| c.text.clone()).collect()
    }

    /// A candidate's evaluation; `None` if it could not be evaluated.
    pub fn evaluation(&self, action: &str, id: usize) -> Option<&Evaluation> {
        self.by_action.get(action)?.entries().get(id)?.evaluation.as_deref()
    }

    /// The prompt's material for a model that writes candidates for an action, after one demonstration; `None` if there is no such action or
    /// demonstration.
    pub fn context(&self, action: &str, demonstration: usize) -> Option<CandidateContext> {
        let function = self.demos.action(action_of_effects(action).unwrap_or(action))?;
        let actions: Vec<(&str, &str)> = self.actions().map(|f| (f.class.as_str(), f.name.as_str())).collect();
        let demo = self.demos.all.get(demonstration)?;
        CandidateContext::new(self.demos.specification().source(), &actions, function, demo)
    }
}

/// States why a candidate fails with the values found, which takes time and is read for few.
pub(super) fn in_full(demos: &Demonstrations, instances: &Instances, candidate: Candidate) -> Candidate {
    if !matches!(candidate.fate, Validity::Fails { .. }) {
        return candidate;
    }
    match instances.read(&candidate.text) {
        Ok(assertion) => match explained(demos, instances, &assertion) {
            // What the second tier found is all that is known.
            Validity::Unknown { .. } => candidate,
            fate => Candidate { fate, ..candidate },
        },
        Err(_) => candidate,
    }
}

/// An entry that takes no part in the ranking.
fn unranked(text: &str, origin: CandidateOrigin, fate: Validity) -> Entry {
    let candidate = Candidate::new(0, text, origin, fate);
    Entry { candidate, evaluation: None, made: Vec::new() }
}

/// A person's candidate; why it fails is stated with the values found.
pub(super) fn by_person(demos: &Demonstrations, instances: &Instances, text: &str) -> Entry {
    let mut fresh = entry(demos, instances, text, CandidateOrigin::Person, None);
    fresh.candidate = in_full(demos, instances, fresh.candidate);
    fresh
}

/// Judges one text. `judged` saves work already done.
pub(super) fn entry(
    demos: &Demonstrations,
    instances: &Instances,
    text: &str,
    origin: CandidateOrigin,
    judged: Option<(&Assertion, Result<Evaluation, NoVerdict>)>,
) -> Entry {
    let (fate, evaluation, made) = match (&instances.effects, judged) {
        (Some(calls), _) => judge_effect(demos, &instances.function, calls, text),
        (None, Some((assertion, Ok(evaluation)))) => {
            (fate(demos, instances, assertion, &evaluation), Some(evaluation), Vec::new())
        }
        (None, Some((_, Err(none)))) => (none.into(), None, Vec::new()),
        (None, None) => {
            let (fate, evaluation) = judge(demos, instances, text);
            (fate, evaluation, Vec::new())
        }
    };
    let mut entry = unranked(text, origin, fate);
    entry.candidate.coverage = evaluation.as_ref().map(|e| e.set.count());
    (entry.evaluation, entry.made) = (evaluation.map(Arc::new), made);
    entry
}

/// Tries the entries that spent a budget in the second tier, as many as may be tried at once; how many were.
fn tried_again(
    second: Option<&SecondTier>,
    demos: &Demonstrations,
    instances: &Instances,
    entries: &mut [Entry],
) -> usize {
    let Some(second) = second.filter(|_| instances.effects.is_none()) else { return 0 };
    let mut tried = 0;
    for entry in entries {
        let Validity::Unknown { reason, message } = &mut entry.candidate.fate else { continue };
        // What CPython decides by chance, or this engine does not offer, is not for another engine to decide.
        if reason != "Budget" {
            continue;
        }
        let Ok(assertion) = instances.read(&entry.candidate.text) else { continue };
        if tried == MOST_TRIED {
            message.push_str(&format!("; {MOST_TRIED} others were tried in the sandbox, no more are at once"));
            continue;
        }
        tried += 1;
        match second.judge(demos, instances, &assertion) {
            Ok((fate, evaluation)) => {
                entry.candidate.fate = fate;
                entry.candidate.coverage = Some(evaluation.set.count());
                entry.evaluation = Some(Arc::new(evaluation));
            }
            Err(why) => message.push_str(&format!("; nor does the sandbox tell: {why}")),
        }
    }
    tried
}

/// The built-in enumerator's assertions for each action that the demonstrations call.
/// Errors: the demonstrations do not run on the specification.
pub fn enumerated(
    specification: &Specification,
    demonstrations: Vec<Demo>,
) -> Result<BTreeMap<String, Vec<String>>, String> {
    let demos = SharedDemonstrations::new(specification, demonstrations).map_err(|e| e.to_string())?;
    enumerated_over(demos.into())
}

/// The same over demonstrations that others read as well.
pub fn enumerated_over(demos: Arc<SharedDemonstrations>) -> Result<BTreeMap<String, Vec<String>>, String> {
    let mut store = CandidateStore::over(demos);
    let actions: Vec<String> = store.called_actions().map(|f| f.name.clone()).collect();
    let mut adopted = BTreeMap::new();
    for action in actions {
        store.enumerate(&action, |_, _| true).map_err(|e| e.to_string())?;
        let suggested = store.suggested(&action, Ranking::Evidence);
        adopted.insert(action, suggested);
    }
    Ok(adopted)
}

/// Judges one text from scratch: its form, its execution, its satisfied set. Where nothing calls the action only its form is known.
pub fn judge(demos: &Demonstrations, instances: &Instances, text: &str) -> (Validity, Option<Evaluation>) {
    let assertion = match instances.read(text) {
        Ok(assertion) => assertion,
        Err(rejection) => return (malformed(&rejection), None),
    };
    if instances.calls.is_empty() {
        return (never_tried(&instances.function.name), None);
    }
    match instances.evaluate(demos, &assertion) {
        Ok(evaluation) => match fate(demos, instances, &assertion, &evaluation) {
            fate @ Validity::Unknown { .. } => (fate, None),
            fate => (fate, Some(evaluation)),
        },
        // It may run in the demonstrations, but not at every instance: valid it may be, ranked it cannot be.
        Err(none) => match validate(demos, instances, &assertion) {
            Validity::Valid => (none.into(), None),
            fate => (fate, None),
        },
    }
}

/// The fate of a candidate that could be evaluated everywhere.
fn fate(demos: &Demonstrations, instances: &Instances, assertion: &Assertion, evaluation: &Evaluation) -> Validity {
    settled(demos, instances, evaluation).unwrap_or_else(|| validate(demos, instances, assertion))
}

impl From<NoVerdict> for Validity {
    fn from(none: NoVerdict) -> Self {
        Validity::Unknown { reason: none.reason.to_owned(), message: none.message }
    }
}

impl ActionCandidates {
    fn new(instances: Instances) -> Self {
        let (arrived, written, edits, edited) = (Vec::new(), BTreeMap::new(), Vec::new(), None);
        let (withheld, outside) = (Vec::new(), BTreeMap::new());
        ActionCandidates { instances, arrived, written, edits, edited, withheld, outside }
    }

    /// The pool.
    pub(super) fn entries(&self) -> &[Entry] {
        self.edited.as_ref().unwrap_or(&self.arrived)
    }

    pub(super) fn find(&self, text: &str) -> Option<&Entry> {
        self.entries().iter().find(|e| e.candidate.text == text)
    }

    pub(super) fn known(&self, text: &str) -> Option<&Option<Arc<Evaluation>>> {
        self.find(text).map(|e| &e.evaluation).or_else(|| self.outside.get(text))
    }

    /// Whether a text arrived or is in the pool.
    fn has(&self, text: &str) -> bool {
        self.arrived.iter().chain(self.edited.iter().flatten()).any(|e| e.candidate.text == text)
    }

    /// Where entries of a text are kept.
    fn sources(&mut self, text: &str) -> impl Iterator<Item = &mut Entry> {
        let arrived = self.arrived.iter_mut().filter(move |e| e.candidate.text == text);
        arrived.chain(self.written.get_mut(text))
    }

    /// The pool, laid out anew: what arrived, changed as a person changed it.
    fn laid(&mut self) -> Pool {
        self.edited = (!self.edits.is_empty()).then(|| {
            let mut entries = self.arrived.clone();
            self.edits.iter().for_each(|edit| self.make(edit, &mut entries));
            entries
        });
        self.rank();
        self.pool()
    }

    /// Makes a person's change. What was edited and is not there is added, a mark waits for its candidate.
    fn make(&self, edit: &CandidateEdit, entries: &mut Vec<Entry>) {
        let place = |mark: &CandidateMark| entries.iter().position(|e| e.candidate.text == mark.text);
        let found = edit.before.as_ref().and_then(place);
        let end = found.map_or(0, |found| found + 1);
        let entry = edit.after.as_ref().and_then(|after| {
            let entry = match edit.writes() {
                Some(text) => self.written.get(text).filter(|_| place(after).is_none()),
                None => entries.get(found?),
            };
            let mut entry = entry?.clone();
            entry.candidate.rejected = after.rejected;
            Some(entry)
        });
        let at = found.unwrap_or(edit.at).min(entries.len());
        entries.splice(at..end.max(at), entry);
    }

    /// The clusters of entries with equal satisfied sets; of effects those that make the same states.
    fn clusters<'a>(&self, entries: impl Iterator<Item = &'a Entry>) -> Vec<Cluster> {
        if self.instances.effects.is_none() {
            return clusters(&entries.map(Entry::ranked).collect::<Vec<_>>());
        }
        let mut found: Vec<(Cluster, &Vec<Option<u64>>)> = Vec::new();
        let judged = entries.enumerate().filter(|(_, e)| e.evaluation.is_some() && !e.candidate.rejected);
        for (id, entry) in judged {
            match found.iter_mut().find(|(_, made)| **made == entry.made) {
                Some((cluster, _)) => cluster.members.push(id),
                None => {
                    let sat = entry.candidate.coverage.unwrap_or_default();
                    let optimal = entry.candidate.fate == Validity::Valid;
                    found.push((Cluster { members: vec![id], sat, optimal }, &entry.made));
                }
            }
        }
        found.into_iter().map(|(cluster, _)| cluster).collect()
    }

    /// Numbers the candidates and ranks them by Equation (1).
    fn rank(&mut self) {
        let clusters = self.clusters(self.entries().iter());
        let entries = self.edited.as_mut().unwrap_or(&mut self.arrived);
        for (id, Entry { candidate, .. }) in entries.iter_mut().enumerate() {
            (candidate.id, candidate.cluster) = (id, None);
            (candidate.optimal, candidate.representative) = (false, false);
        }
        for (number, cluster) in clusters.iter().enumerate() {
            for id in &cluster.members {
                if let Some(Entry { candidate, .. }) = entries.get_mut(*id) {
                    candidate.cluster = Some(number);
                    candidate.optimal = cluster.optimal;
                    candidate.representative = cluster.representative() == Some(*id);
                }
            }
        }
    }

    /// The candidates held back that are not in the pool meanwhile.
    pub(super) fn held_back(&self) -> impl Iterator<Item = &Entry> {
        self.withheld.iter().filter(|held| self.find(&held.candidate.text).is_none())
    }

    /// Every valid candidate that takes part in Equation (1) alone: those of the pool, then those held back.
    pub(super) fn all_valid(&self) -> impl Iterator<Item = (&Entry, &InstanceSet)> {
        self.entries().iter().chain(self.held_back()).filter_map(|entry| Some((entry, entry.ranked()?)))
    }

    /// The representatives of the clusters that are optimal among all valid candidates, without one that holds everywhere.
    fn by_equation(&self) -> Vec<String> {
        if self.instances.effects.is_some() {
            return Vec::new();
        }
        let (entries, sets): (Vec<&Entry>, Vec<Option<&InstanceSet>>) =
            self.all_valid().map(|(entry, set)| (entry, Some(set))).unzip();
        let says = |sat: usize| sat != self.instances.len();
        let optimal = clusters(&sets).into_iter().filter(|cluster| cluster.optimal && says(cluster.sat));
        let representative = optimal.filter_map(|cluster| entries.get(cluster.representative()?));
        representative.map(|entry| entry.candidate.text.clone()).collect()
    }

    fn pool(&self) -> Pool {
        let function = &self.instances.function;
        let held = self.held_back().zip(self.entries().len()..);
        let held_back = held.map(|(entry, id)| Candidate { id, ..entry.candidate.clone() }).collect();
        Pool {
            action: self.instances.name(),
            params: function.params.clone(),
            candidates: self.entries().iter().map(|e| e.candidate.clone()).collect(),
            held_back,
            in_force: Vec::new(),
            by_equation: self.by_equation(),
            instances: self.instances.len(),
            calls: self.instances.demonstrated(),
            running: false,
        }
    }
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
