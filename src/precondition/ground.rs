//! The ground that candidates are judged on: demonstrations executed once, the distinct states they pass through, and the
//! instances (demonstration, step, binding) of an action.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use super::bits::Bits;
use crate::program::{Assertion, Call, CheckResult, Checker, Function, Literal, Outcome, Role, Specification, State};
use crate::world::demonstration::Demonstration;

/// A demonstration as validation sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Demo {
    /// What it is called; shown to people.
    pub id: String,
    /// All its calls, actions and observations, in program order.
    pub calls: Vec<Call>,
}

impl From<&Demonstration> for Demo {
    fn from(demonstration: &Demonstration) -> Self {
        Demo { id: demonstration.id.clone(), calls: demonstration.calls().cloned().collect() }
    }
}

/// A time step: a call of any action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The demonstration's index.
    pub demonstration: usize,
    /// The call's index in the demonstration.
    pub call: usize,
    /// Index of the state before it, in [`Ground::states`].
    pub state: usize,
}

/// Demonstrations, executed without assertions.
#[derive(Debug, Clone)]
pub struct Ground {
    specification: Specification,
    /// The demonstrations.
    pub demos: Vec<Demo>,
    /// The time steps, by demonstration and call.
    pub steps: Vec<Step>,
    /// The distinct states before the steps.
    pub states: Vec<State>,
    /// Which states are alike in the attributes touched: a number a state, equal for equals.
    alike: Arc<Mutex<HashMap<u64, Arc<Vec<usize>>>>>,
}

/// Why demonstrations cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("demonstration {number} ({id}), call {call} `{text}`: {why}; it must run on the specification {specification}")]
pub struct GroundError {
    /// The demonstration, from 1.
    pub number: usize,
    /// Its name.
    pub id: String,
    /// The call, from 1.
    pub call: usize,
    /// The call's text.
    pub text: String,
    /// What went wrong.
    pub why: String,
    /// The specification's name.
    pub specification: String,
}

impl Ground {
    /// Executes the demonstrations without the actions' assertions.
    ///
    /// # Errors
    /// The first call that the specification cannot execute.
    pub fn new(specification: &Specification, demos: Vec<Demo>) -> Result<Self, GroundError> {
        let mut ground = Ground {
            specification: specification.clone(),
            demos,
            steps: Vec::new(),
            states: Vec::new(),
            alike: Arc::default(),
        };
        let mut known: HashMap<u64, usize> = HashMap::new();
        for (at, demo) in ground.demos.iter().enumerate() {
            let fail = |call: usize, why: String| GroundError {
                number: at + 1,
                id: demo.id.clone(),
                call: call + 1,
                text: demo.calls.get(call).map(ToString::to_string).unwrap_or_default(),
                why,
                specification: specification.name().to_owned(),
            };
            let mut state = specification.start().map_err(|fault| fail(0, fault.to_string()))?;
            // The state's index while no call has touched it since it was looked up.
            let mut found: Option<usize> = None;
            for (k, call) in demo.calls.iter().enumerate() {
                let action =
                    specification.function(&call.receiver, &call.function).is_some_and(|f| f.role == Role::Action);
                if action {
                    let index = *found.get_or_insert_with(|| {
                        *known.entry(state.fingerprint()).or_insert_with(|| {
                            ground.states.push(state.clone());
                            ground.states.len() - 1
                        })
                    });
                    ground.steps.push(Step { demonstration: at, call: k, state: index });
                }
                let before = if action { Some(state.fingerprint()) } else { None };
                state.call_unchecked(call).map_err(|fault| fail(k, fault.to_string()))?;
                if before != Some(state.fingerprint()) {
                    found = None;
                }
            }
        }
        Ok(ground)
    }

    /// For each state a number below the number of states, the same for states that agree in what was touched.
    fn alike(&self, touched: u64) -> Arc<Vec<usize>> {
        let mut known = self.alike.lock().unwrap_or_else(PoisonError::into_inner);
        let numbers = known.entry(touched).or_insert_with(|| {
            let mut first: HashMap<u64, usize> = HashMap::new();
            let number = |(at, state): (usize, &State)| *first.entry(state.fingerprint_of(touched)).or_insert(at);
            Arc::new(self.states.iter().enumerate().map(number).collect())
        });
        Arc::clone(numbers)
    }

    /// The specification the demonstrations ran on.
    pub fn specification(&self) -> &Specification {
        &self.specification
    }

    /// The action of that name (`take`, or `agent.take`).
    pub fn action(&self, name: &str) -> Option<&Function> {
        self.specification.functions().iter().find(|f| f.role == Role::Action && (f.name == name || f.path() == name))
    }

    /// The state before a step.
    pub fn state(&self, step: &Step) -> Option<&State> {
        self.states.get(step.state)
    }

    /// The call of a step.
    pub fn call(&self, step: &Step) -> Option<&Call> {
        self.demos.get(step.demonstration)?.calls.get(step.call)
    }
}

/// The instances of one action: every time step with every binding the action is ever called with.
#[derive(Debug, Clone)]
pub struct Instances {
    /// The action.
    pub function: Function,
    /// The distinct argument lists it is called with, sorted by code point.
    pub bindings: Vec<Vec<Literal>>,
    /// The steps that call it.
    pub calls: Vec<Step>,
    /// Number of steps in all.
    steps: usize,
}

/// One instance, for people.
#[derive(Debug, Clone, PartialEq)]
pub struct Instance {
    /// The time step.
    pub step: Step,
    /// The arguments.
    pub binding: Vec<Literal>,
}

/// What evaluating a candidate at all instances gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// The satisfied set C: where it raises nothing.
    pub set: Bits,
    /// How many instances ended how: `ok`, or the exception's type.
    pub outcomes: BTreeMap<String, usize>,
    /// Whether an evaluation changed the state (reading a missing key of a `defaultdict` does).
    pub mutates: bool,
}

impl Evaluation {
    /// What the denial of this assertion gives, where that follows: if nothing but truth decided, the one holds where the other
    /// does not.
    pub fn denied(&self) -> Option<Evaluation> {
        let count = |outcome: &str| self.outcomes.get(outcome).copied().unwrap_or(0);
        let (holds, fails) = (count("ok"), count("AssertionError"));
        if holds + fails != self.set.len() {
            return None;
        }
        let outcomes = [("AssertionError", holds), ("ok", fails)].into_iter().filter(|(_, count)| *count > 0);
        Some(Evaluation {
            set: Bits::of(self.set.len(), |at| !self.set.contains(at)),
            outcomes: outcomes.map(|(outcome, count)| (outcome.to_owned(), count)).collect(),
            mutates: self.mutates,
        })
    }
}

/// Why a candidate could not be evaluated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoVerdict {
    /// `Unsupported` or `Budget`.
    pub reason: &'static str,
    /// In words.
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
    /// The instances of an action.
    pub fn new(ground: &Ground, function: &Function) -> Self {
        let mut bindings: Vec<(Vec<String>, Vec<Literal>)> = Vec::new();
        let mut calls = Vec::new();
        for step in &ground.steps {
            let Some(call) = ground.call(step) else { continue };
            if call.function == function.name && call.receiver == function.receiver {
                calls.push(*step);
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
        Instances { function: function.clone(), bindings, calls, steps: ground.steps.len() }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.steps * self.bindings.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The instance of that number.
    pub fn instance(&self, ground: &Ground, at: usize) -> Option<Instance> {
        let (step, binding) = (at.checked_div(self.bindings.len())?, at.checked_rem(self.bindings.len())?);
        Some(Instance { step: *ground.steps.get(step)?, binding: self.bindings.get(binding)?.clone() })
    }

    /// The number of the instance of a step and arguments.
    pub fn number(&self, ground: &Ground, step: &Step, args: &[Literal]) -> Option<usize> {
        let key = |s: &Step| (s.demonstration, s.call);
        let at = ground.steps.binary_search_by_key(&key(step), key).ok()?;
        Some(at * self.bindings.len() + self.bindings.iter().position(|b| b == args)?)
    }

    /// How many demonstrations call the action.
    pub fn demonstrations(&self) -> usize {
        let mut seen: Vec<usize> = self.calls.iter().map(|step| step.demonstration).collect();
        seen.dedup();
        seen.len()
    }

    /// Evaluates a candidate at every instance, each on its own copy of the state.
    ///
    /// # Errors
    /// [`NoVerdict`] as soon as one instance has none.
    pub fn evaluate(&self, ground: &Ground, assertion: &Assertion) -> Result<Evaluation, NoVerdict> {
        let groups = self.groups(assertion.text());
        let firsts = groups.firsts.iter().filter_map(|b| self.bindings.get(*b)).map(Vec::as_slice);
        let mut checker = Checker::new(assertion, &self.function, firsts);
        let width = groups.firsts.len();
        // What each distinct state and distinct relevant arguments give; `None` for holds.
        let mut table: Vec<Option<u32>> = Vec::with_capacity(ground.states.len() * width);
        let mut exceptions: Vec<&'static str> = Vec::new();
        let mut mutates = false;
        let mut missing: Option<NoVerdict> = None;
        // An evaluation gives the same wherever what it touches is the same.
        let mut touched: Vec<Touched> = Vec::new();
        let mut open = vec![false; width];
        for (at, state) in ground.states.iter().enumerate() {
            let row = table.len();
            table.resize(row + width, Some(OPEN));
            for known in &touched {
                let Some(from) = known.alike.get(at).map(|number| number * width) else { continue };
                for (place, told) in table.iter_mut().skip(row).zip(known.told.iter().skip(from)) {
                    if *place == Some(OPEN) {
                        *place = *told;
                    }
                }
            }
            for (open, place) in open.iter_mut().zip(table.iter().skip(row)) {
                *open = *place == Some(OPEN);
            }
            if !open.contains(&true) {
                continue;
            }
            let wanted = |group: usize| open.get(group).copied().unwrap_or(false);
            state.check_all(&mut checker, wanted, |group, outcome, changed, marks| {
                mutates |= changed;
                let told = match outcome {
                    Outcome::Holds => None,
                    Outcome::Raises(exception) => {
                        let known = exceptions.iter().position(|e| *e == exception);
                        Some(known.unwrap_or_else(|| {
                            exceptions.push(exception);
                            exceptions.len() - 1
                        }) as u32)
                    }
                    Outcome::None(result) => {
                        missing = NoVerdict::of(&result);
                        return false;
                    }
                };
                if let Some(place) = table.get_mut(row + group) {
                    *place = told;
                }
                let known = touched.iter().position(|known| known.marks == marks).unwrap_or_else(|| {
                    let told = vec![Some(OPEN); ground.states.len() * width];
                    touched.push(Touched { marks, alike: ground.alike(marks), told });
                    touched.len() - 1
                });
                if let Some(known) = touched.get_mut(known)
                    && let Some(number) = known.alike.get(at)
                    && let Some(place) = known.told.get_mut(number * width + group)
                {
                    *place = told;
                }
                true
            });
            if let Some(missing) = missing.take() {
                return Err(missing);
            }
        }
        let mut set = Bits::none(self.len());
        let mut raised = vec![0_usize; exceptions.len()];
        let mut at = 0;
        for step in &ground.steps {
            let row = step.state * width;
            for group in &groups.of {
                match table.get(row + group).copied().flatten() {
                    None => set.insert(at),
                    Some(exception) => {
                        if let Some(count) = raised.get_mut(exception as usize) {
                            *count += 1;
                        }
                    }
                }
                at += 1;
            }
        }
        let ok = set.count();
        let mut outcomes: BTreeMap<String, usize> = exceptions.into_iter().map(str::to_owned).zip(raised).collect();
        if ok > 0 {
            outcomes.insert("ok".to_owned(), ok);
        }
        Ok(Evaluation { set, outcomes, mutates })
    }

    /// Where all of these assertions hold, executed one after the other on the same copy of the state as in one function body
    /// (what is predicted or true of an action in Equation 2). No assertion holds everywhere.
    ///
    /// # Errors
    /// The text that is no assertion, and why; or that an instance has no verdict.
    pub fn conjunction(&self, ground: &Ground, texts: &[String]) -> Result<Bits, String> {
        let compiled: Result<Vec<Assertion>, String> =
            texts.iter().map(|text| Assertion::compile(text).map_err(|e| format!("`{text}`: {e}"))).collect();
        let compiled = compiled?;
        if compiled.is_empty() {
            return Ok(Bits::all(self.len()));
        }
        let mut table = Vec::with_capacity(ground.states.len() * self.bindings.len());
        for state in &ground.states {
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
        Ok(Bits::of(self.len(), |at| {
            let state = ground.steps.get(at / bindings).map_or(0, |step| step.state);
            table.get(state * bindings + at % bindings).copied().unwrap_or(false)
        }))
    }

    /// Bindings that a text cannot tell apart because it does not name the parameters in which they differ.
    fn groups(&self, text: &str) -> Groups {
        let named: Vec<usize> = (0..self.function.params.len())
            .filter(|k| self.function.params.get(*k).is_some_and(|p| names(text, p.trim_start_matches('*'))))
            .collect();
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
        groups
    }
}

/// What evaluations that touched the same attributes gave.
struct Touched {
    marks: u64,
    /// The states' numbers, equal where these attributes are.
    alike: Arc<Vec<usize>>,
    /// By that number and the group of bindings.
    told: Vec<Option<u32>>,
}

/// Stands in a table for what has not been evaluated yet.
const OPEN: u32 = u32::MAX;

struct Groups {
    /// The first binding of each group.
    firsts: Vec<usize>,
    /// The group of each binding.
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
