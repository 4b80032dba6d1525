//! Demonstrations. Executes them once and keeps the distinct states they pass through, on which candidates are evaluated. The
//! instances of an action are in `instances`.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustc_hash::FxHashMap;

use stepwright_program::{Call, Fingerprints, Footprint, Function, Literal, Projections, Role, Specification, State};
use stepwright_world::demonstration::Demonstration;

#[derive(Debug, Clone, PartialEq)]
pub struct Demo {
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
    pub demonstration: usize,
    pub call: usize,
    /// Index of the state before it, in [`Demonstrations::states`].
    pub state: usize,
}

/// A demonstrated call with the states around it: before it, and before the next action.
#[derive(Debug, Clone)]
pub(super) struct EffectCall {
    pub(super) step: Step,
    pub(super) args: Vec<Literal>,
    pub(super) before: State,
    pub(super) after: State,
}

/// By what is touched, for each state the next one that is alike in it.
pub(super) type Alike = Mutex<FxHashMap<Footprint, Arc<Vec<usize>>>>;

/// Demonstrations, executed without assertions.
#[derive(Debug, Clone)]
pub struct Demonstrations {
    specification: Specification,
    pub all: Vec<Demo>,
    pub steps: Vec<Step>,
    /// The distinct states before the steps.
    pub states: Vec<State>,
    /// The `defaultdict`s at which the demonstrations' calls look in any other way than by an item, as marks of their places.
    observed: u64,
    /// Whether an object has the same place in all states.
    places_decide: bool,
    alike: Arc<Alike>,
    /// The states, prepared to be distinguished; where places decide.
    projections: Arc<OnceLock<Projections>>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("demonstration {number} ({id}), call {call} `{text}`: {why}; it must run on the specification {specification}")]
pub struct DemonstrationError {
    /// The demonstration, from 1.
    pub number: usize,
    pub id: String,
    /// The call, from 1.
    pub call: usize,
    pub text: String,
    pub why: String,
    pub specification: String,
}

/// For each place the next one with the same number, which is below how many there are; that where there is none.
fn next_of(numbers: &[usize]) -> Vec<usize> {
    let mut later = vec![numbers.len(); numbers.len()];
    let mut next: Vec<usize> = (0..numbers.len())
        .rev()
        .map(|at| {
            let number = numbers.get(at).and_then(|number| later.get_mut(*number));
            number.map_or(numbers.len(), |later| std::mem::replace(later, at))
        })
        .collect();
    next.reverse();
    next
}

impl Demonstrations {
    /// Executes the demonstrations without the actions' assertions. Arguments given by name are put in their places.
    pub fn new(specification: &Specification, mut demos: Vec<Demo>) -> Result<Self, DemonstrationError> {
        for call in demos.iter_mut().flat_map(|demo| &mut demo.calls) {
            let function = specification.function(&call.receiver, &call.function);
            let placed = function.and_then(|f| match f.arguments(call) {
                Ok(Cow::Owned(args)) => Some(args),
                _ => None,
            });
            if let Some(args) = placed {
                (call.args, call.named) = (args, Vec::new());
            }
        }
        let mut demos = Demonstrations {
            specification: specification.clone(),
            all: demos,
            steps: Vec::new(),
            states: Vec::new(),
            observed: 0,
            places_decide: true,
            alike: Arc::default(),
            projections: Arc::default(),
        };
        let mut known: FxHashMap<u64, usize> = FxHashMap::default();
        // A candidate is the only assertion that there is: other actions that it calls assert nothing.
        let bare = specification.unasserted().unwrap_or_else(|_| specification.clone());
        for (at, demo) in demos.all.iter().enumerate() {
            let fail = |call: usize, why: String| DemonstrationError {
                number: at + 1,
                id: demo.id.clone(),
                call: call + 1,
                text: demo.calls.get(call).map(ToString::to_string).unwrap_or_default(),
                why,
                specification: specification.name().to_owned(),
            };
            let mut state = bare.start().map_err(|fault| fail(0, fault.to_string()))?;
            // The state's index while no call has touched it since it was looked up.
            let mut found: Option<usize> = None;
            for (k, call) in demo.calls.iter().enumerate() {
                let action =
                    specification.function(&call.receiver, &call.function).is_some_and(|f| f.role == Role::Action);
                if action {
                    let index = *found.get_or_insert_with(|| {
                        *known.entry(state.fingerprint()).or_insert_with(|| {
                            demos.states.push(state.clone());
                            demos.states.len() - 1
                        })
                    });
                    demos.steps.push(Step { demonstration: at, call: k, state: index });
                }
                let before = if action { Some(state.fingerprint()) } else { None };
                demos.observed |= state.call_observing(call).map_err(|fault| fail(k, fault.to_string()))?;
                if before != Some(state.fingerprint()) {
                    found = None;
                }
            }
            demos.places_decide &= state.moves() == 0;
        }
        Ok(demos)
    }

    /// The `defaultdict`s at which the demonstrations look other than by an item, as marks of their places; all marks
    /// where places decide nothing.
    pub(super) fn observed(&self) -> u64 {
        if self.places_decide { self.observed } else { u64::MAX }
    }

    /// Whether an object has the same place in all states.
    pub(super) fn places_decide(&self) -> bool {
        self.places_decide
    }

    /// Whether these are the same demonstrations, or a copy of them.
    pub(super) fn is(&self, known: &Arc<Alike>) -> bool {
        Arc::ptr_eq(&self.alike, known)
    }

    pub(super) fn identity(&self) -> &Arc<Alike> {
        &self.alike
    }

    /// The part of a footprint that distinguishes the states: evaluations whose footprints agree in it are alike at the
    /// same states.
    pub(super) fn essence(&self, touched: Footprint) -> Footprint {
        match self.projections() {
            Some(projections) => projections.essence(touched),
            None => Footprint { whole: u64::MAX, ..touched },
        }
    }

    /// Prepares the states to be distinguished, if that was not done yet.
    pub(super) fn prepare(&self) {
        self.projections();
    }

    /// The states prepared to be distinguished; `None` where an object may have another place in each.
    fn projections(&self) -> Option<&Projections> {
        self.places_decide.then(|| self.projections.get_or_init(|| Projections::of(&self.states)))
    }

    /// For each state the next one that agrees with it in what was touched, given in its essence; the number of states where none does.
    pub(super) fn alike(&self, essence: Footprint) -> Arc<Vec<usize>> {
        let mut known = self.alike.lock().unwrap_or_else(PoisonError::into_inner);
        let next = known.entry(essence).or_insert_with(|| {
            let numbers = match self.projections() {
                Some(projections) => projections.alike(essence),
                None => {
                    let mut first: FxHashMap<u64, usize> = FxHashMap::default();
                    let mut fingerprints = Fingerprints::default();
                    let number =
                        |(at, state): (usize, &State)| *first.entry(fingerprints.of(state, essence)).or_insert(at);
                    self.states.iter().enumerate().map(number).collect()
                }
            };
            Arc::new(next_of(&numbers))
        });
        Arc::clone(next)
    }

    pub fn specification(&self) -> &Specification {
        &self.specification
    }

    /// The action of that name (`take`, or `agent.take`).
    pub fn action(&self, name: &str) -> Option<&Function> {
        self.specification.functions().iter().find(|f| f.role == Role::Action && (f.name == name || f.path() == name))
    }

    pub fn state(&self, step: &Step) -> Option<&State> {
        self.states.get(step.state)
    }

    pub fn call(&self, step: &Step) -> Option<&Call> {
        self.all.get(step.demonstration)?.calls.get(step.call)
    }
}
