//! Instances (demonstration, step, binding) of an action, and the values of candidates at all of them. How candidates are taken apart
//! for that is in `combine`, how states are distinguished in `table`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::combine::{Combined, KnownParts, PartSets};
use super::demonstrations::{Alike, Demonstrations, EffectCall, Step};
use super::instance_set::InstanceSet;
use super::table::{Evaluated, Table};
use stepwright_episode::effects_of;
use stepwright_program::{Assertion, Change, CheckResult, Checker, Dissection, Function, Literal, Part, Rejection};

type Failures = FxHashMap<(usize, usize, Cow<'static, str>), Arc<str>>;

/// The instances of one action: every time step with every binding the action is ever called with; of its effects, its calls.
#[derive(Debug, Clone)]
pub struct Instances {
    pub function: Function,
    /// The distinct argument lists it is called with, sorted by code point.
    pub bindings: Vec<Vec<Literal>>,
    pub calls: Vec<Step>,
    /// The numbers of the instances that are the calls, in their order.
    called: Vec<Option<usize>>,
    /// The calls as they are written, in their order: most candidates of a pool fail at the same few.
    written: Vec<Arc<str>>,
    /// What is said of failures that have no words of their own, by demonstration, call and exception.
    failures: Arc<Mutex<Failures>>,
    steps: usize,
    known: Arc<Mutex<KnownParts>>,
    /// Distinct bindings, by the parameters named.
    groups: Arc<Mutex<FxHashMap<Vec<usize>, Arc<Groups>>>>,
    demos: Arc<Alike>,
    /// Of effects the calls with the states around them.
    pub(super) effects: Option<Arc<[EffectCall]>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Instance {
    pub step: Step,
    pub binding: Vec<Literal>,
}

/// The values of a candidate at all instances.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// The satisfied set C: where it raises nothing.
    pub set: InstanceSet,
    /// Whether an evaluation changed the state (reading a missing key of a `defaultdict` does).
    pub mutates: bool,
    /// Where it raises what; nothing of an exception that is raised nowhere.
    pub(super) raises: Vec<(&'static str, InstanceSet)>,
    /// Whether what it changes could be seen by a later evaluation or call.
    pub(super) lingers: bool,
    /// Whether it could be seen by a call of the demonstrations, and not only by a later evaluation.
    pub(super) outlasts: bool,
    /// Where it may change the state, if that could be seen and is known.
    pub(super) changed: Option<Box<InstanceSet>>,
}

impl Evaluation {
    /// That of an effect: the calls after which the state is as it says.
    pub(super) fn of_effect(set: InstanceSet) -> Self {
        Evaluation { set, mutates: false, raises: Vec::new(), lingers: false, outlasts: false, changed: None }
    }

    /// The values of this assertion's denial, where they follow: if nothing but truth decided, the one holds where the
    /// other does not.
    pub fn denied(&self) -> Option<Evaluation> {
        if self.raises.iter().any(|(exception, _)| *exception != FALSE) {
            return None;
        }
        Some(Evaluation {
            set: InstanceSet::of(self.set.len(), |at| !self.set.contains(at)),
            mutates: self.mutates,
            raises: if self.set.is_empty() { Vec::new() } else { Vec::from([(FALSE, self.set.clone())]) },
            lingers: self.lingers,
            outlasts: self.outlasts,
            changed: self.changed.clone(),
        })
    }

    /// How many instances ended how: `ok`, or the exception's type.
    pub fn outcomes(&self) -> BTreeMap<&'static str, usize> {
        let ok = (!self.set.is_empty()).then(|| ("ok", self.set.count()));
        ok.into_iter().chain(self.raises.iter().map(|(exception, set)| (*exception, set.count()))).collect()
    }

    pub(super) fn raised(&self, at: usize) -> Option<&'static str> {
        self.raises.iter().find(|(_, set)| set.contains(at)).map(|(exception, _)| *exception)
    }
}

/// So many parts of an assertion need no separate memory.
const FEW: usize = 8;

pub(super) const FALSE: &str = "AssertionError";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoVerdict {
    /// `Unsupported` or `Budget`.
    pub reason: &'static str,
    pub message: String,
}

impl NoVerdict {
    /// The verdict that a check lacks, if it lacks one.
    pub(super) fn of(result: &CheckResult) -> Option<Self> {
        match result {
            CheckResult::Holds | CheckResult::Raises { .. } => None,
            CheckResult::Unsupported(what) => {
                let message = format!("the engine does not offer {what}, so it cannot tell; write it another way");
                Some(NoVerdict { reason: "Unsupported", message })
            }
            CheckResult::Budget(what) => {
                let message = format!("its evaluation does not end within the {what} budget");
                Some(NoVerdict { reason: "Budget", message })
            }
        }
    }
}

impl Instances {
    pub fn new(demos: &Demonstrations, function: &Function) -> Self {
        let mut bindings: Vec<(Vec<String>, Vec<Literal>)> = Vec::new();
        let (mut calls, mut written) = (Vec::new(), Vec::new());
        for step in &demos.steps {
            let Some(call) = demos.call(step) else { continue };
            if call.function == function.name && call.receiver == function.receiver {
                calls.push(*step);
                written.push(call.to_string().into());
                bindings.push((call.args.iter().map(sort_key).collect(), call.args.clone()));
            }
        }
        bindings.sort_by(|a, b| a.0.cmp(&b.0));
        bindings.dedup_by(|a, b| a.1 == b.1);
        let mut bindings: Vec<Vec<Literal>> = bindings.into_iter().map(|(_, binding)| binding).collect();
        if bindings.is_empty() && function.params.is_empty() {
            // An action without arguments has its one binding even where nobody calls it.
            bindings.push(Vec::new());
        }
        let known = Arc::new(Mutex::new(KnownParts::new(demos.specification())));
        let groups = Arc::default();
        let (function, steps, ground_of) = (function.clone(), demos.steps.len(), demos.identity().clone());
        let mut instances = Instances {
            function,
            bindings,
            calls,
            called: Vec::new(),
            written,
            failures: Arc::default(),
            steps,
            known,
            groups,
            demos: ground_of,
            effects: None,
        };
        instances.called = instances
            .calls
            .iter()
            .map(|step| demos.call(step).and_then(|call| instances.number(demos, step, &call.args)))
            .collect();
        instances
    }

    /// The instances of an action's effects.
    pub(super) fn of_effects(self, calls: Arc<[EffectCall]>) -> Self {
        let steps: Vec<Step> = calls.iter().map(|call| call.step).collect();
        Instances { steps: steps.len(), calls: steps, bindings: Vec::new(), effects: Some(calls), ..self }
    }

    /// How many calls of it are demonstrated; of effects those judged may be fewer.
    pub(super) fn demonstrated(&self) -> usize {
        self.written.len()
    }

    /// The name that the pool goes by.
    pub(super) fn name(&self) -> String {
        let name = &self.function.name;
        if self.effects.is_some() { effects_of(name) } else { name.clone() }
    }

    /// The steps that call the action, with the numbers of the instances that they are.
    pub(super) fn called(&self) -> impl Iterator<Item = (&Step, Option<usize>)> {
        self.calls.iter().zip(self.called.iter().copied())
    }

    /// The call at a place of a demonstration as it is written, if it is one of the action.
    pub(super) fn written(&self, demonstration: usize, call: usize) -> Option<&Arc<str>> {
        let at =
            self.calls.binary_search_by_key(&(demonstration, call), |step| (step.demonstration, step.call)).ok()?;
        self.written.get(at)
    }

    /// What is said of a failure without words of its own: as it was said before, else as `words` say it.
    pub(super) fn failure(
        &self,
        demonstration: usize,
        call: usize,
        exception: Cow<'static, str>,
        words: impl FnOnce() -> String,
    ) -> Arc<str> {
        let mut known = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry((demonstration, call, exception)).or_insert_with(|| words().into()).clone()
    }

    pub fn len(&self) -> usize {
        if self.effects.is_some() { self.steps } else { self.steps * self.bindings.len() }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn instance(&self, demos: &Demonstrations, at: usize) -> Option<Instance> {
        if let Some(calls) = &self.effects {
            return calls.get(at).map(|call| Instance { step: call.step, binding: call.args.clone() });
        }
        let (step, binding) = (at.checked_div(self.bindings.len())?, at.checked_rem(self.bindings.len())?);
        Some(Instance { step: *demos.steps.get(step)?, binding: self.bindings.get(binding)?.clone() })
    }

    pub fn number(&self, demos: &Demonstrations, step: &Step, args: &[Literal]) -> Option<usize> {
        let key = |s: &Step| (s.demonstration, s.call);
        let at = demos.steps.binary_search_by_key(&key(step), key).ok()?;
        Some(at * self.bindings.len() + self.bindings.iter().position(|b| b == args)?)
    }

    pub fn demonstrations(&self) -> usize {
        let mut seen: Vec<usize> = self.calls.iter().map(|step| step.demonstration).collect();
        seen.dedup();
        seen.len()
    }

    /// Accepts or rejects a candidate's text, as [`Assertion::compile`] does, ready to be evaluated here.
    pub fn read(&self, text: &str) -> Result<Assertion, Rejection> {
        Assertion::dissect(text, &self.function, &mut self.known().book)
    }

    fn known(&self) -> std::sync::MutexGuard<'_, KnownParts> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Evaluates a candidate at every instance, each on its own copy of the state.
    pub fn evaluate(&self, demos: &Demonstrations, assertion: &Assertion) -> Result<Evaluation, NoVerdict> {
        let mut found = match assertion.parts() {
            Some(dissection) if demos.is(&self.demos) => self.combined(demos, dissection),
            _ => Combined::nothing(self.len()),
        };
        if !found.open.is_empty() {
            self.evaluate_open(demos, assertion, &mut found)?;
        }
        found.raises.retain(|(_, set)| !set.is_empty());
        let outlasts = found.changes && (found.changes_otherwise || found.inserted & demos.observed() != 0);
        let lingers = outlasts || found.changes && found.inserted & found.observed != 0;
        Ok(Evaluation {
            set: found.holds,
            mutates: found.changes,
            raises: found.raises,
            lingers,
            outlasts,
            changed: found.changed.filter(|_| lingers).map(Box::new),
        })
    }

    fn combined(&self, demos: &Demonstrations, dissection: &Dissection) -> Combined {
        let kept: SmallVec<[Option<Arc<PartSets>>; FEW]> = {
            let known = self.known();
            dissection.parts.iter().map(|part| known.sets(part)).collect()
        };
        let parts: SmallVec<[Arc<PartSets>; FEW]> = kept
            .into_iter()
            .zip(&dissection.parts)
            .map(|(kept, part)| kept.unwrap_or_else(|| self.part(demos, part)))
            .collect();
        Combined::new(dissection, &parts, self.len(), demos.places_decide())
    }

    fn part(&self, demos: &Demonstrations, part: &Arc<Part>) -> Arc<PartSets> {
        let groups = self.groups(part.text());
        let memory = std::mem::take(&mut self.known().memory);
        let mut checker = Checker::of_part(part, &self.function, self.firsts(&groups), memory);
        let table = Table::new(demos, &mut checker, groups.firsts.len(), |_, _| true);
        let states = demos.steps.iter().map(|step| step.state);
        let sets = Arc::new(PartSets::new(&table, states, &groups.of, self.len()));
        let mut known = self.known();
        known.keep(part, &sets);
        known.memory = checker.into_memory();
        sets
    }

    /// Evaluates a candidate where its parts do not decide.
    fn evaluate_open(
        &self,
        demos: &Demonstrations,
        assertion: &Assertion,
        found: &mut Combined,
    ) -> Result<(), NoVerdict> {
        let groups = self.groups(assertion.text());
        let width = groups.firsts.len();
        let cell = |at: usize| {
            let step = demos.steps.get(at.checked_div(self.bindings.len())?)?;
            Some((step.state, *groups.of.get(at.checked_rem(self.bindings.len())?)?))
        };
        let mut wanted = vec![false; demos.states.len() * width];
        for (state, group) in found.open.iter().filter_map(cell) {
            if let Some(place) = wanted.get_mut(state * width + group) {
                *place = true;
            }
        }
        let mut checker = Checker::new(assertion, &self.function, self.firsts(&groups));
        let is_wanted = |state: usize, group: usize| wanted.get(state * width + group).copied().unwrap_or(false);
        let table = Table::new(demos, &mut checker, width, is_wanted);
        if let Some(missing) = table.missing {
            return Err(missing);
        }
        for at in found.open.iter() {
            let ending = cell(at).and_then(|(state, group)| table.at(state, group));
            let Some(ending) = ending.and_then(|ending| table.endings.get(ending)) else { continue };
            if ending.change != Change::None {
                found.changed.get_or_insert_with(|| InstanceSet::none(self.len())).insert(at);
            }
            match ending.result {
                Evaluated::Holds => found.holds.insert(at),
                Evaluated::Fails => add(&mut found.raises, FALSE, at, self.len()),
                Evaluated::Raises(exception) => add(&mut found.raises, exception, at, self.len()),
            }
        }
        for ending in &table.endings {
            found.changes |= ending.change != Change::None;
            found.changes_otherwise |= ending.change == Change::Other;
            found.observed |= ending.observed;
            if ending.change == Change::Defaults {
                found.inserted |= ending.inserted;
            }
        }
        Ok(())
    }

    fn firsts<'a>(&'a self, groups: &'a Groups) -> impl Iterator<Item = &'a [Literal]> {
        groups.firsts.iter().filter_map(|at| self.bindings.get(*at)).map(Vec::as_slice)
    }

    /// Where all of these assertions hold, executed one after the other on the same copy of the state as in one function body
    /// (what is predicted or true of an action in Equation 2). No assertion holds everywhere.
    /// Errors: the text that is no assertion, and why; or that an instance has no verdict.
    pub fn conjunction(&self, demos: &Demonstrations, texts: &[String]) -> Result<InstanceSet, String> {
        let compiled: Result<Vec<Assertion>, String> =
            texts.iter().map(|text| self.read(text).map_err(|e| format!("`{text}`: {e}"))).collect();
        let compiled = compiled?;
        if compiled.is_empty() {
            return Ok(InstanceSet::all(self.len()));
        }
        let mut table = Vec::with_capacity(demos.states.len() * self.bindings.len());
        for state in &demos.states {
            for args in &self.bindings {
                let mut state = state.clone();
                let mut all = true;
                for assertion in &compiled {
                    let (result, _) = state.check_in_place(assertion, &self.function, args);
                    if let Some(none) = NoVerdict::of(&result) {
                        return Err(format!("`{}`: {}", assertion.text(), none.message));
                    }
                    all = result.holds();
                    if !all {
                        break;
                    }
                }
                table.push(all);
            }
        }
        let bindings = self.bindings.len().max(1);
        Ok(InstanceSet::of(self.len(), |at| {
            let state = demos.steps.get(at / bindings).map_or(0, |step| step.state);
            table.get(state * bindings + at % bindings).copied().unwrap_or(false)
        }))
    }

    /// Bindings that a text cannot tell apart because it does not name the parameters in which they differ.
    fn groups(&self, text: &str) -> Arc<Groups> {
        let named: Vec<usize> = (0..self.function.params.len())
            .filter(|k| self.function.params.get(*k).is_some_and(|p| names(text, p.trim_start_matches('*'))))
            .collect();
        let mut known = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(groups) = known.get(&named) {
            return groups.clone();
        }
        let everything = self.function.params.iter().any(|p| p.starts_with('*'));
        let mut groups = Groups { firsts: Vec::new(), of: Vec::with_capacity(self.bindings.len()) };
        for (at, binding) in self.bindings.iter().enumerate() {
            let same = |first: &usize| {
                let other = self.bindings.get(*first).map_or(&[][..], Vec::as_slice);
                other.len() == binding.len() && !everything && named.iter().all(|k| other.get(*k) == binding.get(*k))
            };
            let group = groups.firsts.iter().position(same).unwrap_or_else(|| {
                groups.firsts.push(at);
                groups.firsts.len() - 1
            });
            groups.of.push(group);
        }
        let groups = Arc::new(groups);
        known.insert(named, groups.clone());
        groups
    }
}

fn add(raises: &mut Vec<(&'static str, InstanceSet)>, exception: &'static str, at: usize, len: usize) {
    match raises.iter_mut().find(|(known, _)| *known == exception) {
        Some((_, set)) => set.insert(at),
        None => raises.push((exception, InstanceSet::of(len, |i| i == at))),
    }
}

#[derive(Debug)]
struct Groups {
    firsts: Vec<usize>,
    of: Vec<usize>,
}

fn sort_key(literal: &Literal) -> String {
    match literal {
        Literal::Str(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Whether a text holds this name as a word, in or out of string literals (an f-string may hold it).
fn names(text: &str, name: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    // A text with characters beyond ASCII may spell the name another way (Python normalises identifiers).
    !text.is_ascii()
        || text.match_indices(name).any(|(at, _)| {
            !text.get(..at).is_some_and(|before| before.ends_with(word))
                && !text.get(at + name.len()..).is_some_and(|after| after.starts_with(word))
        })
}
