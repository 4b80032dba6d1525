//! Validation of a plan, step by step by the meaning of its domain: whether every step may be taken, and whether the goal holds at last.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::pddl::{Condition, Domain, Effect, Fact, OBJECT, Problem};

/// A step of a plan: an action over things.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The action's name, in lower case.
    pub action: String,
    /// Its things, in lower case.
    pub args: Vec<String>,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.action)?;
        self.args.iter().try_for_each(|arg| write!(f, " {arg}"))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    #[error("step {number}, `{step}`: {why}")]
    Step {
        /// Which, from 1.
        number: usize,
        step: String,
        why: String,
    },
    #[error("the goal does not hold after the last step")]
    Goal,
}

/// Carries a plan out.
/// Errors: the first step that may not be taken, or that the goal is not reached.
pub fn validate(domain: &Domain, problem: &Problem, plan: &[Step]) -> Result<(), Invalid> {
    let mut state = Place::new(domain, problem);
    for (i, step) in plan.iter().enumerate() {
        state.take(step).map_err(|why| Invalid::Step { number: i + 1, step: step.to_string(), why })?;
    }
    let reached = state.holds(&problem.goal, &mut Bound::new());
    if reached { Ok(()) } else { Err(Invalid::Goal) }
}

type Bound = BTreeMap<String, String>;

/// The things, and what holds of them now.
struct Place<'a> {
    domain: &'a Domain,
    objects: Vec<&'a (String, String)>,
    facts: BTreeSet<Fact>,
}

impl<'a> Place<'a> {
    fn new(domain: &'a Domain, problem: &'a Problem) -> Self {
        let objects = domain.constants.iter().chain(&problem.objects).collect();
        Place { domain, objects, facts: problem.start.clone() }
    }

    fn take(&mut self, step: &Step) -> Result<(), String> {
        let action = self.domain.actions.iter().find(|a| a.name == step.action).ok_or("there is no such action")?;
        if action.parameters.len() != step.args.len() {
            return Err(format!("it takes {} things", action.parameters.len()));
        }
        let mut bound = Bound::new();
        for ((variable, kind), arg) in action.parameters.iter().zip(&step.args) {
            if !self.objects.iter().any(|(name, of)| name == arg && self.is_a(of, kind)) {
                return Err(format!("`{arg}` is no {kind} of this problem"));
            }
            bound.insert(variable.clone(), arg.clone());
        }
        if !self.holds(&action.precondition, &mut bound) {
            return Err("its precondition does not hold".to_owned());
        }
        let (mut gone, mut come) = (BTreeSet::new(), BTreeSet::new());
        self.collect(&action.effect, &mut bound, &mut gone, &mut come);
        self.facts.retain(|fact| !gone.contains(fact));
        self.facts.extend(come);
        Ok(())
    }

    fn is_a(&self, kind: &str, wanted: &str) -> bool {
        let kinds = std::iter::successors(Some(kind), |k| self.domain.types.get(*k).map(String::as_str));
        wanted == OBJECT || kinds.take(self.domain.types.len() + 1).any(|k| k == wanted)
    }

    fn of_kind(&self, wanted: &str) -> Vec<String> {
        self.objects.iter().filter(|(_, kind)| self.is_a(kind, wanted)).map(|(name, _)| name.clone()).collect()
    }

    fn holds(&self, condition: &Condition, bound: &mut Bound) -> bool {
        match condition {
            Condition::And(all) => all.iter().all(|c| self.holds(c, bound)),
            Condition::Or(some) => some.iter().any(|c| self.holds(c, bound)),
            Condition::Not(inner) => !self.holds(inner, bound),
            Condition::Same(one, other) => term(one, bound) == term(other, bound),
            Condition::Atom(atom) => self.facts.contains(&ground(atom, bound)),
            Condition::Quantified { all, over, inner } => {
                let mut as_quantified = true;
                self.each(over, bound, &mut |bound| {
                    as_quantified &= self.holds(inner, bound) == *all;
                });
                as_quantified == *all
            }
        }
    }

    fn collect(&self, effect: &Effect, bound: &mut Bound, gone: &mut BTreeSet<Fact>, come: &mut BTreeSet<Fact>) {
        match effect {
            Effect::And(all) => all.iter().for_each(|e| self.collect(e, bound, gone, come)),
            Effect::Set(atom, true) => drop(come.insert(ground(atom, bound))),
            Effect::Set(atom, false) => drop(gone.insert(ground(atom, bound))),
            Effect::When(condition, inner) => {
                if self.holds(condition, bound) {
                    self.collect(inner, bound, gone, come);
                }
            }
            Effect::All(over, inner) => {
                self.each(over, bound, &mut |bound| self.collect(inner, bound, gone, come));
            }
        }
    }

    /// Does something for all things in place of variables.
    fn each(&self, over: &[(String, String)], bound: &mut Bound, then: &mut dyn FnMut(&mut Bound)) {
        let Some(((variable, kind), rest)) = over.split_first() else { return then(bound) };
        let shadowed = bound.get(variable).cloned();
        for thing in self.of_kind(kind) {
            bound.insert(variable.clone(), thing);
            self.each(rest, bound, then);
        }
        match shadowed {
            Some(thing) => bound.insert(variable.clone(), thing),
            None => bound.remove(variable),
        };
    }
}

fn term<'b>(term: &'b str, bound: &'b Bound) -> &'b str {
    bound.get(term).map_or(term, String::as_str)
}

fn ground(atom: &[String], bound: &Bound) -> Fact {
    atom.iter().map(|word| term(word, bound).to_owned()).collect()
}
