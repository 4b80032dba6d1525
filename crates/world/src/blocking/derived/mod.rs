//! A blocking domain derived from assertions and demonstrations, for worlds that have none.
//!
//! An unmet assertion of an action is a blocking condition; the calls that make it true in the demonstrations are its resolution
//! actions ([`super::derive`] finds them). A refusal of the world that no assertion foresaw is one as well, and what came before
//! such actions in the demonstrations ([`Before`]) may resolve it. The roots are the actions the built-in agent wants.
//! Assertions are expressions over the program's state, so the domain is ground and rebuilt for each moment (`ground`): it says
//! of each action in the trees what blocks it, and of each blocked one what may resolve that.

mod before;
mod ground;
#[cfg(test)]
mod tests;

pub use before::Before;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::domain::Domain;
use super::forest::Forest;
use crate::literal::{Atom, Facts};
use crate::planner::{Agent, AgentContext};
use crate::program::{CheckedProgram, ProgramView};
use stepwright_program::Call;
use stepwright_trajectory::Step;

const ROOTS: usize = 5;
/// Refusals of one action that a tree answers by what came before it in demonstrations; more of them count for the agent too.
const EXCUSED: usize = 3;
/// Evaluations of assertions for all that is derived at one moment. What is not found with them counts as not known.
const EVALUATIONS: usize = 6000;

/// The grounds of derived domains, for a whole episode.
#[derive(Debug)]
pub struct Basis {
    pub sentence: String,
    /// The agent that knows the effects of actions and the task's goals.
    pub agent: Arc<dyn Agent>,
    /// The actions before others in the demonstrations.
    pub before: Before,
}

pub type TextOf<'a> = &'a dyn Fn(&Call) -> Option<String>;

/// A call that may resolve a condition, and whether it only may.
type Offered = (Call, bool);

/// The grounds of a derived domain at a moment: a function of the steps so far and of the trees; cheap to clone.
#[derive(Debug, Clone)]
pub struct Derived {
    basis: Arc<Basis>,
    program: CheckedProgram,
    /// Everything so far, the reset first.
    history: Arc<Vec<Step>>,
    won: bool,
    /// The actions that the agent without a model wants now.
    wanted: Vec<Call>,
    /// The other party's calls in the demonstrations.
    replies: Arc<Vec<Call>>,
    /// The resolutions of the conditions looked at in this moment: by action and number of the condition.
    offers: BTreeMap<(String, usize), Vec<Offered>>,
    left: Cell<usize>,
    facts: Facts,
}

impl Derived {
    /// At the beginning of an episode: the program's state after the reset with the assertions in force, and the reset.
    pub fn new(basis: Arc<Basis>, program: CheckedProgram, reset: Step) -> Self {
        let mut derived = Derived {
            replies: Arc::new(basis.agent.replies()),
            basis,
            program,
            history: Arc::new(vec![reset]),
            won: false,
            wanted: Vec::new(),
            offers: BTreeMap::new(),
            left: Cell::new(EVALUATIONS),
            facts: Facts::default(),
        };
        derived.wanted = derived.wants();
        derived
    }

    /// Takes in a step, and whether the task is done with it.
    pub fn hear(&mut self, step: Step, won: bool) {
        if !step.refused {
            self.program.apply(step.call.as_slice());
        }
        self.program.apply(&step.calls);
        Arc::make_mut(&mut self.history).push(step);
        self.won = won;
        self.offers.clear();
        self.left.set(EVALUATIONS);
        self.wanted = self.wants();
    }

    /// The facts that hold now, as literals of the domain made last.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The goal: the task as stated, as long as the world does not say that it is done.
    pub fn goals(&self) -> Vec<Atom> {
        if self.won { Vec::new() } else { vec![Atom { predicate: self.basis.sentence.clone(), args: Vec::new() }] }
    }

    /// The domain of this moment, for the present trees, and with an action that is about to be selected or added.
    pub fn domain(&mut self, forest: &Forest, next: Option<Call>, text_of: TextOf<'_>) -> Domain {
        let (domain, facts) = ground::domain(self, forest, next, text_of);
        self.facts = facts;
        domain
    }

    fn refusals(&self, call: &Call) -> usize {
        self.history.iter().filter(|step| step.refused && step.call.as_ref() == Some(call)).count()
    }

    /// The actions that the agent without a model wants. Refusals that the trees answer do not count against an action.
    fn wants(&self) -> Vec<Call> {
        if self.won {
            return Vec::new();
        }
        let mut times: BTreeMap<String, usize> = BTreeMap::new();
        let counts = |step: &&Step| match &step.call {
            Some(call) if step.refused && !self.basis.before.of(call).is_empty() => {
                let times = times.entry(call.to_string()).or_default();
                *times += 1;
                *times > EXCUSED
            }
            _ => true,
        };
        let history: Vec<Step> = self.history.iter().filter(counts).cloned().collect();
        let (sentence, program) = (&self.basis.sentence, &self.program);
        let context =
            AgentContext { sentence, program, history: &history, rejected: &[], observed: None, reference: None };
        self.basis.agent.wanted(&context, ROOTS)
    }

    /// The likely precondition of a refused action: the one that came before such actions in the demonstrations, but
    /// was not done last.
    fn missing(&self, call: &Call) -> Option<Call> {
        let last = self.history.iter().rev().find(|step| !step.refused).and_then(|step| step.call.as_ref());
        let mut before = self.basis.before.of(call).into_iter();
        before.find(|other| Some(other) != last && self.refusals(other) < EXCUSED)
    }
}
