//! Inspection of one candidate: its relation to the others, which demonstration steps it newly excludes, why it is not
//! optimal, and what a step looks like. Reads the store's pools and changes nothing.

use std::borrow::Cow;

use super::demonstrations::Step;
use super::effect_calls::reading;
use super::instance_set::InstanceSet;
use super::instances::{Instance, Instances};
use super::relation::Relation;
use super::store::{ActionCandidates, CandidateStore, Entry, StoreError, entry, in_full};
use super::{Candidate, CandidateOrigin, Validity};
use stepwright_episode::action_of_effects;
use stepwright_program::{Assertion, CheckResult, Literal};

/// Excluded steps that are listed at most; the count is always whole.
const LISTED: usize = 200;

/// A demonstration step with arguments of the action asked about.
#[derive(Debug, Clone, PartialEq)]
pub struct Occasion {
    pub demonstration: usize,
    pub id: String,
    /// Index of the call before which the state is meant.
    pub call: usize,
    pub at: String,
    pub args: Vec<Literal>,
}

impl Occasion {
    /// The action with the arguments: `take('mug 1', 'desk 1')`.
    pub fn application(&self, action: &str) -> String {
        let args: Vec<String> = self.args.iter().map(ToString::to_string).collect();
        format!("{}({})", action_of_effects(action).unwrap_or(action), args.join(", "))
    }

    /// The same without the demonstration's id, where there is little room.
    pub fn in_few_words(&self) -> String {
        format!("demonstration {}, before call {}", self.demonstration + 1, self.call + 1)
    }

    /// For display: `demonstration 3 (id), before call 12`.
    pub fn in_words(&self) -> String {
        format!("demonstration {} ({}), before call {}", self.demonstration + 1, self.id, self.call + 1)
    }
}

/// A step at which a candidate forbids what is permitted without it.
#[derive(Debug, Clone, PartialEq)]
pub struct ExcludedStep {
    /// The step, with the first arguments excluded there; the call's own where that call is excluded.
    pub place: Occasion,
    pub more: usize,
    /// Whether the demonstration makes the excluded call there: the candidate would forbid what was done.
    pub made: bool,
}

/// How another assertion relates to the one inspected.
#[derive(Debug, Clone, PartialEq)]
pub struct Related {
    pub text: String,
    /// The one inspected … the other.
    pub relation: Relation,
    pub in_force: bool,
    /// Whether the other is optimal (Equation 1).
    pub optimal: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Inspection {
    pub action: String,
    /// The candidate, as it is in the pool or as it would be.
    pub candidate: Candidate,
    pub instances: usize,
    /// The valid candidates and assertions in force that it is equivalent to, implies or is implied by, in this order.
    pub related: Vec<Related>,
    pub in_force: bool,
    /// How many instances everything else in force permits; `None` where that cannot be decided.
    pub permitted: Option<usize>,
    pub excluded: usize,
    pub excluded_steps: usize,
    /// The first of them, in order.
    pub steps: Vec<ExcludedStep>,
    /// A valid candidate with a strictly smaller set, where there is one: why this one is not optimal. It is optimal itself.
    pub stronger: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    pub text: String,
    /// Whether it holds; `None` if the engine cannot decide.
    pub holds: Option<bool>,
    /// In words: `holds`, `is false`, `raises KeyError: …`.
    pub outcome: String,
    pub values: Vec<(String, String)>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct StepView {
    pub action: String,
    pub place: Occasion,
    pub calls: Vec<String>,
    pub readings: Vec<Reading>,
}

impl CandidateStore {
    /// Looks at a text: as the candidate it is, or as the one it would be. `in_force` are the action's assertions in force.
    pub fn inspect(&mut self, action: &str, text: &str, in_force: &[String]) -> Result<Inspection, StoreError> {
        self.evaluate_outside(action, in_force)?;
        let of_action = self.of_action(action)?;
        let mut held_back = of_action.held_back();
        let known = of_action.find(text).or_else(|| held_back.find(|entry| entry.candidate.text == text));
        let candidate = match known {
            Some(entry) => in_full(self.demonstrations(), &of_action.instances, entry.candidate.clone()),
            None => {
                let mut candidate = self.try_text(action, text)?;
                if in_force.iter().any(|t| t == text) {
                    candidate.origin = CandidateOrigin::Specification;
                }
                candidate
            }
        };
        let set = self.set(of_action, text);
        let others: Vec<String> = in_force.iter().filter(|t| *t != text).cloned().collect();
        // Effects forbid nothing: what is listed are the calls that depart from one.
        let permitted = match of_action.instances.effects.is_some() {
            true => Some(InstanceSet::all(of_action.instances.len())),
            false => self.permitted(of_action, &others),
        };
        let mut inspection = Inspection {
            action: action.to_owned(),
            instances: of_action.instances.len(),
            related: Vec::new(),
            in_force: in_force.iter().any(|t| t == text),
            permitted: permitted.as_ref().map(InstanceSet::count),
            excluded: 0,
            excluded_steps: 0,
            steps: Vec::new(),
            stronger: None,
            candidate,
        };
        let Some(set) = set else { return Ok(inspection) };
        inspection.related = match of_action.instances.effects.is_some() {
            true => self.alike(of_action, text, in_force),
            false => self.related(of_action, text, &set, in_force),
        };
        if let Some(permitted) = permitted {
            self.exclude(of_action, &set, &permitted, &mut inspection);
        }
        let is_ranked = of_action.instances.effects.is_none() && !inspection.candidate.rejected;
        if inspection.candidate.fate == Validity::Valid && is_ranked {
            inspection.stronger = stronger(of_action, &set);
        }
        Ok(inspection)
    }

    /// The values of the assertions at a step, with the demonstration around it.
    pub fn step_view(&self, action: &str, place: &Occasion, texts: &[String]) -> Result<StepView, StoreError> {
        let of_action = self.of_action(action)?;
        let demos = self.demonstrations();
        let at = |s: &&Step| s.demonstration == place.demonstration && s.call == place.call;
        let step = demos.steps.iter().find(at).copied();
        let (step, demo) = step
            .zip(demos.all.get(place.demonstration))
            .ok_or(StoreError::NoSuchStep(place.demonstration + 1, place.call + 1))?;
        let function = &of_action.instances.function;
        let calls = of_action.instances.effects.as_deref().unwrap_or_default();
        let call =
            calls.iter().find(|call| (call.step.demonstration, call.step.call) == (step.demonstration, step.call));
        let readings = texts.iter().map(|text| {
            if let Some(call) = call {
                let (holds, outcome) = reading(function, call, text);
                return Reading { text: text.clone(), holds, outcome, values: Vec::new() };
            }
            let (text, state) = (text.clone(), demos.state(&step));
            let compiled = Assertion::compile(&text).map_err(|rejection| rejection.message);
            match (compiled, state) {
                (Ok(assertion), Some(state)) => {
                    let result = state.check(&assertion, function, &place.args);
                    let (holds, outcome) = outcome(&result);
                    Reading { text, holds, outcome, values: state.explain(&assertion, function, &place.args) }
                }
                (compiled, _) => {
                    let outcome = compiled.err().unwrap_or_else(|| "the state is not known".to_owned());
                    Reading { text, holds: None, outcome, values: Vec::new() }
                }
            }
        });
        let readings = readings.collect();
        let calls = demo.calls.iter().map(ToString::to_string).collect();
        Ok(StepView { action: action.to_owned(), place: self.place(&step, place.args.clone()), calls, readings })
    }

    /// The first step where two assertions of an action differ, with the values of both there; `None` if they hold at the same
    /// instances.
    pub fn difference(&self, action: &str, one: &str, other: &str) -> Result<Option<StepView>, StoreError> {
        let of_action = self.of_action(action)?;
        if let Some(calls) = &of_action.instances.effects {
            let [a, b] = [one, other].map(|text| self.judged(of_action, text).made);
            let differs = calls.iter().zip(a.iter().zip(&b)).find(|(_, (a, b))| a != b);
            let place = differs.map(|(call, _)| self.place(&call.step, call.args.clone()));
            return place.map(|place| self.step_view(action, &place, &[one.to_owned(), other.to_owned()])).transpose();
        }
        let set = |text: &str| self.set(of_action, text).ok_or_else(|| StoreError::NotEvaluated(text.to_owned()));
        let (a, b) = (set(one)?, set(other)?);
        match self.where_they_differ(&of_action.instances, &a, &b) {
            Some((place, _)) => self.step_view(action, &place, &[one.to_owned(), other.to_owned()]).map(Some),
            None => Ok(None),
        }
    }

    /// The first instance that is in one set only, and whether it is in the first.
    pub(super) fn where_they_differ(
        &self,
        instances: &Instances,
        a: &InstanceSet,
        b: &InstanceSet,
    ) -> Option<(Occasion, bool)> {
        let (at, first) = match (a.first_outside(b), b.first_outside(a)) {
            (Some(a), Some(b)) => (a.min(b), a < b),
            (Some(a), None) => (a, true),
            (None, b) => (b?, false),
        };
        let Instance { step, binding } = instances.instance(self.demonstrations(), at)?;
        Some((self.place(&step, binding), first))
    }

    /// Where all of these hold, each on the state that the others may have changed.
    fn permitted(&self, of_action: &ActionCandidates, texts: &[String]) -> Option<InstanceSet> {
        let known = |text: &String| of_action.known(text).and_then(Option::as_ref).filter(|e| !e.mutates);
        match texts.iter().map(known).collect::<Option<Vec<_>>>() {
            // What changes nothing needs no execution in order.
            Some(known) => {
                let mut all = InstanceSet::all(of_action.instances.len());
                known.iter().for_each(|e| all.intersect(&e.set));
                Some(all)
            }
            None => of_action.instances.conjunction(self.demonstrations(), texts).ok(),
        }
    }

    /// The satisfied set of a text: the pool's, or evaluated now. `None` if it cannot be.
    fn set<'a>(&self, of_action: &'a ActionCandidates, text: &str) -> Option<Cow<'a, InstanceSet>> {
        match of_action.known(text) {
            Some(evaluation) => evaluation.as_ref().map(|e| Cow::Borrowed(&e.set)),
            None => self.judged(of_action, text).evaluation.map(|e| Cow::Owned(e.set.clone())),
        }
    }

    /// A text of a pool: as it is there, or as it would be.
    pub(super) fn judged(&self, of_action: &ActionCandidates, text: &str) -> Entry {
        let known = of_action.find(text).cloned();
        known.unwrap_or_else(|| entry(self.demonstrations(), &of_action.instances, text, CandidateOrigin::Person, None))
    }

    /// The effects, candidates and those in force, that make the same states.
    fn alike(&self, of_action: &ActionCandidates, text: &str, in_force: &[String]) -> Vec<Related> {
        let own = self.judged(of_action, text).made;
        let outside = in_force.iter().filter(|other| of_action.find(other).is_none());
        let outside = outside.map(|other| self.judged(of_action, other));
        let all = of_action.entries().iter().cloned().chain(outside);
        let same = all.filter(|e| e.made == own && e.candidate.text != text && !e.candidate.rejected);
        let related = |e: Entry| Related {
            in_force: in_force.contains(&e.candidate.text),
            text: e.candidate.text,
            relation: Relation::Equivalent,
            optimal: false,
        };
        same.map(related).collect()
    }

    fn related(
        &self,
        of_action: &ActionCandidates,
        text: &str,
        set: &InstanceSet,
        in_force: &[String],
    ) -> Vec<Related> {
        let mut related: Vec<Related> = Vec::new();
        let mut relate = |other: &str, theirs: &InstanceSet, in_force: bool, optimal: bool| {
            let relation = Relation::of(set, theirs);
            // That everything implies what always holds says nothing.
            let trivial = relation == Relation::Implies && theirs.count() == theirs.len();
            if relation != Relation::Independent && !trivial {
                related.push(Related { text: other.to_owned(), relation, in_force, optimal });
            }
        };
        for entry in of_action.entries().iter().filter(|e| e.candidate.text != text) {
            if let Some(theirs) = entry.ranked() {
                let forced = in_force.contains(&entry.candidate.text);
                relate(&entry.candidate.text, theirs, forced, entry.candidate.optimal);
            }
        }
        let outside = in_force.iter().filter(|t| *t != text && of_action.find(t).and_then(Entry::ranked).is_none());
        for other in outside {
            if let Some(theirs) = self.set(of_action, other) {
                relate(other, &theirs, true, false);
            }
        }
        let order = |relation| match relation {
            Relation::Equivalent => 0,
            Relation::ImpliedBy => 1,
            Relation::Implies | Relation::Independent => 2,
        };
        related.sort_by_key(|r| (order(r.relation), !r.in_force, !r.optimal));
        related
    }

    fn exclude(
        &self,
        of_action: &ActionCandidates,
        set: &InstanceSet,
        permitted: &InstanceSet,
        inspection: &mut Inspection,
    ) {
        let bindings = of_action.instances.bindings.len().max(1);
        let mut last = None;
        for at in permitted.iter().filter(|at| !set.contains(*at)) {
            inspection.excluded += 1;
            let same = last.replace(at / bindings) == Some(at / bindings);
            if !same {
                inspection.excluded_steps += 1;
            } else if inspection.excluded_steps > inspection.steps.len() {
                continue;
            }
            if inspection.excluded_steps > LISTED {
                continue;
            }
            let Some(Instance { step, binding }) = of_action.instances.instance(self.demonstrations(), at) else {
                continue;
            };
            let made = of_action.instances.calls.contains(&step)
                && self.demonstrations().call(&step).is_some_and(|call| call.args == binding);
            match inspection.steps.last_mut().filter(|_| same) {
                Some(excluded) => {
                    excluded.more += 1;
                    if made {
                        (excluded.made, excluded.place.args) = (true, binding);
                    }
                }
                None => {
                    let place = self.place(&step, binding);
                    inspection.steps.push(ExcludedStep { place, more: 0, made });
                }
            }
        }
        // What forbids a call that was made comes first.
        inspection.steps.sort_by_key(|s| !s.made);
    }

    pub(super) fn place(&self, step: &Step, args: Vec<Literal>) -> Occasion {
        let id = self.demonstrations().all.get(step.demonstration).map(|d| d.id.clone()).unwrap_or_default();
        let at = self.demonstrations().call(step).map(ToString::to_string).unwrap_or_default();
        Occasion { demonstration: step.demonstration, id, call: step.call, at, args }
    }
}

/// The optimal candidate whose set is the smallest proper part of this one.
fn stronger(of_action: &ActionCandidates, set: &InstanceSet) -> Option<String> {
    let parts = of_action.entries().iter().filter(|e| e.candidate.optimal && e.candidate.representative);
    let parts = parts.filter(|e| e.ranked().is_some_and(|s| s != set && s.is_subset(set)));
    parts.min_by_key(|e| e.candidate.coverage).map(|e| e.candidate.text.clone())
}

fn outcome(result: &CheckResult) -> (Option<bool>, String) {
    match result {
        CheckResult::Holds => (Some(true), "holds".to_owned()),
        CheckResult::Raises { exception, message } => {
            let words = match (exception.as_str(), message.as_str()) {
                ("AssertionError", "") => "is false".to_owned(),
                ("AssertionError", message) => format!("is false ({message})"),
                (exception, "") => format!("raises {exception}"),
                (exception, message) => format!("raises {exception}: {message}"),
            };
            (Some(false), words)
        }
        CheckResult::Unsupported(what) => (None, format!("cannot be decided: the engine does not offer {what}")),
        CheckResult::Budget(what) => (None, format!("cannot be decided within the {what} budget")),
    }
}
