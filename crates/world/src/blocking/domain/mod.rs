//! Blocking domains: what the actions of a world need, what blocks them, and what may unblock them.
//!
//! A domain is data. It is read from a file ([`Domain::load`], `worlds/*/domain.toml`; the form is described in
//! docs/reference/domains.md) or built in code from the public fields; [`Domain::faults`] checks either. This file holds its parts and
//! the questions asked of it; the tree that grows from the answers is [`super::Forest`].

mod check;
mod file;
mod pattern;
#[cfg(test)]
mod tests;
mod wording;

pub use check::Fault;
pub use pattern::{Bindings, Formula, Literal, Pattern};

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Knowledge;
pub use crate::literal::Truth;
use crate::literal::{Atom, Change};
use crate::planner::LocationPrior;

/// The predicate that holds of exactly the things that are in sight now. No world needs to list it.
pub(crate) const VISIBLE: &str = "VISIBLE";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Predicate {
    /// `IN x r`.
    pub form: Pattern,
    pub about: String,
}

/// An obstacle of an action: a condition, given something about the action's things.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// The condition, over the action's parameters and what `given` binds (`active d`).
    pub condition: Pattern,
    /// The formula without which the condition does not matter (`IN x d`).
    pub given: Formula,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    /// Its name and parameters: `put x r`.
    pub form: Pattern,
    pub about: String,
    /// Whether it is no action of the world's, but stands for a choice among those that resolve its conditions.
    pub choice: bool,
    /// How the world writes it, parameters in braces (`take {x} from {r}`); as its form if `None`.
    pub text: Option<String>,
    /// Its obstacles, in the order they are tested.
    pub blocked_by: Vec<Obstacle>,
    /// Its effects. An argument `*` stands for anything.
    pub effects: Vec<(Pattern, Truth)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Raise {
    When(Formula),
    /// An error of the world raises it, and it is remembered until one of its resolution actions succeeds. Its resolution
    /// literal holds exactly while it is not remembered.
    Remembered,
    /// An error of the world raises it, and any resolution action that succeeds ends it.
    Passing,
}

/// An action offered to resolve a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The action, over the condition's parameters and the loop's variable.
    pub action: Pattern,
    pub when: Formula,
    pub maybe: bool,
}

/// A line of a resolution: for everything that fits, the first candidate that is offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The loop's variable; without one the line stands for itself.
    pub each: Option<String>,
    /// The formula that the loop goes over, in code-point order of its variable.
    pub given: Formula,
    /// The candidates; the first whose `when` holds is offered.
    pub choose: Vec<Candidate>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// `not_visible x`.
    pub form: Pattern,
    pub about: String,
    pub raise: Raise,
    /// The literal that holds once it is resolved.
    pub resolution: Pattern,
    /// Its resolutions, in order.
    pub actions: Vec<Offer>,
}

/// A root of a goal: an action that reaches it, or a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    pub action: Pattern,
    /// It is not planted when this holds; judged as goals are, by the world.
    pub unless: Option<Pattern>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Goal {
    /// `INSIDE a b`.
    pub form: Pattern,
    pub about: String,
    /// The actions planted for it, in order.
    pub roots: Vec<Root>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorRule {
    /// A part of the world's message; every message has the empty one.
    pub message: String,
    /// The name of the one action it is about; any if `None`.
    pub of: Option<String>,
    /// The condition, over the failed action's parameters.
    pub raises: Pattern,
}

/// How actions are written where a world's option has a certain value (`edition` is `move`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wording {
    pub option: String,
    pub is: String,
    pub texts: Vec<(Pattern, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Selections of an episode, blocked ones included.
    pub selections: u32,
    /// Answers a language model may give for one selection.
    pub answers: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { selections: 100, answers: 5 }
    }
}

/// A blocking domain as its file states it (docs/reference/domains.md).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Domain {
    /// Where it comes from, for display: a file, `derived from assertions`.
    pub source: String,
    pub about: String,
    /// The character of a thing's name that stands for a space in the world's texts (`_` in `mug_1`).
    pub space: Option<char>,
    pub predicates: Vec<Predicate>,
    pub actions: Vec<Action>,
    pub conditions: Vec<Condition>,
    pub goals: Vec<Goal>,
    pub errors: Vec<ErrorRule>,
    /// The condition any other error raises where it cannot be passed over; its argument is the failed action.
    pub otherwise: Option<Pattern>,
    pub limits: Limits,
    /// Whether all that grew is checked again after every action executed, instead of only its ancestors.
    pub refresh: bool,
    /// Whether it is made of assertions, effects and what the agent would do, and not written.
    pub is_derived: bool,
    /// The wording of literals that are not shown as they are, by the literal's text.
    pub words: BTreeMap<String, String>,
    /// What does not hold of an action and yet does not block it, in words, by the action; of derived domains only.
    pub waived: BTreeMap<String, String>,
    /// Why an action is offered for a condition, in words, by the names of both; of derived domains only.
    pub offered: BTreeMap<(String, String), &'static str>,
    /// Why a goal has no action below it, in words; empty where nothing more than that is known.
    pub rootless: &'static str,
    pub wordings: Vec<Wording>,
    /// Where things of a kind tend to be, for the built-in selector.
    pub likely: Option<Arc<LocationPrior>>,
    pub planning: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolving {
    pub action: Atom,
    pub maybe: bool,
}

impl Domain {
    /// The domain with its actions written as a world with these options writes them.
    pub fn worded(mut self, options: &BTreeMap<String, String>) -> Self {
        let chosen = self.wordings.iter().filter(|w| options.get(&w.option) == Some(&w.is));
        for (form, text) in chosen.flat_map(|w| &w.texts) {
            if let Some(action) = self.actions.iter_mut().find(|a| a.form == *form) {
                action.text = Some(text.clone());
            }
        }
        self
    }

    pub fn action(&self, name: &str) -> Option<&Action> {
        self.actions.iter().find(|a| a.form.name == name)
    }

    pub fn condition(&self, name: &str) -> Option<&Condition> {
        self.conditions.iter().find(|c| c.form.name == name)
    }

    pub fn goal(&self, literal: &Atom) -> Option<&Goal> {
        self.goals.iter().find(|g| g.form.name == literal.predicate && g.form.args.len() == literal.args.len())
    }

    /// The effects of an action, given as the world's text; `None` if the domain knows no such action.
    pub fn changes(&self, text: &str) -> Option<Vec<Change>> {
        let action = self.read_text(text)?;
        let schema = self.action(&action.predicate)?;
        let bindings = Bindings::of(&schema.form.args, &action.args);
        Some(schema.effects.iter().map(|(pattern, truth)| (pattern.ground(&bindings), *truth)).collect())
    }

    /// The first condition that blocks an action now; `None` if nothing does, or the domain does not know the action.
    pub fn blocked(&self, action: &Atom, known: &Knowledge<'_>) -> Option<Atom> {
        let schema = self.action(&action.predicate).filter(|a| a.form.args.len() == action.args.len())?;
        let bindings = Bindings::of(&schema.form.args, &action.args);
        schema.blocked_by.iter().find_map(|obstacle| {
            let condition = self.condition(&obstacle.condition.name)?;
            let test = self.test(condition, obstacle)?;
            let found = test.solutions(&bindings, known).into_iter().next()?;
            Some(obstacle.condition.ground(&found))
        })
    }

    /// The test of whether an obstacle blocks, in the action's own variables; `None` if only an error can show it.
    fn test(&self, condition: &Condition, obstacle: &Obstacle) -> Option<Formula> {
        let to = Bindings::of(&condition.form.args, &obstacle.condition.args);
        let own = match &condition.raise {
            Raise::When(formula) => formula.renamed(&to).0,
            Raise::Remembered => vec![Literal { negated: true, pattern: condition.resolution.renamed(&to) }],
            Raise::Passing => return None,
        };
        Some(Formula(obstacle.given.0.iter().cloned().chain(own).collect()))
    }

    pub fn resolution(&self, condition: &Atom) -> Option<Atom> {
        let schema = self.condition(&condition.predicate)?;
        Some(schema.resolution.ground(&Bindings::of(&schema.form.args, &condition.args)))
    }

    pub fn resolving(&self, condition: &Atom, known: &Knowledge<'_>) -> Vec<Resolving> {
        let Some(schema) = self.condition(&condition.predicate) else { return Vec::new() };
        let bindings = Bindings::of(&schema.form.args, &condition.args);
        let mut all = Vec::new();
        for offer in &schema.actions {
            let mut found = offer.given.solutions(&bindings, known);
            if let Some(variable) = &offer.each {
                found.sort_by(|a, b| a.get(variable).cmp(&b.get(variable)));
                found.dedup_by(|a, b| a.get(variable) == b.get(variable));
            } else {
                found.truncate(1);
            }
            for bindings in found {
                let fits = |c: &&Candidate| c.when.holds(&bindings, known);
                if let Some(candidate) = offer.choose.iter().find(fits) {
                    all.push(Resolving { action: candidate.action.ground(&bindings), maybe: candidate.maybe });
                }
            }
        }
        all
    }

    /// The actions to be planted for a goal, given what is judged to hold.
    pub fn roots(&self, goal: &Atom, judge: &dyn Fn(&Atom) -> bool) -> Vec<Atom> {
        let Some(schema) = self.goal(goal) else { return Vec::new() };
        let bindings = Bindings::of(&schema.form.args, &goal.args);
        let open = |r: &&Root| !r.unless.as_ref().is_some_and(|part| judge(&part.ground(&bindings)));
        schema.roots.iter().filter(open).map(|r| r.action.ground(&bindings)).collect()
    }

    pub fn raised(&self, action: &Atom, message: &str) -> Option<Atom> {
        let schema = self.action(&action.predicate).filter(|a| a.form.args.len() == action.args.len())?;
        let bindings = Bindings::of(&schema.form.args, &action.args);
        let rule = self.errors.iter().find(|rule| {
            let about = rule.of.as_ref().is_none_or(|name| *name == action.predicate);
            about && message.contains(&rule.message) && rule.raises.args.iter().all(|arg| bindings.get(arg).is_some())
        })?;
        Some(rule.raises.ground(&bindings))
    }

    pub fn failed(&self, action: &Atom) -> Option<Atom> {
        let name = &self.otherwise.as_ref()?.name;
        let words = std::iter::once(&action.predicate).chain(&action.args).cloned();
        Some(Atom::new(name.clone(), words))
    }

    pub(crate) fn is_remembered(&self, condition: &Atom) -> bool {
        self.condition(&condition.predicate).is_some_and(|c| c.raise == Raise::Remembered)
    }
}
