//! Planning task: a problem with its domain, what a world makes of what is known, solved, and read back as the world's actions.

use std::collections::BTreeSet;

use super::names::Names;
use super::solve::{Limits, NoPlan, solve, solve_counting};
use super::validate::Step;

/// Knowledge of things that were not seen yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unseen {
    /// That they are in the room: looking around finds them.
    #[default]
    InRoom,
    /// Nothing (the limited condition).
    Nothing,
    /// Everything: the facts are of all things, and say what is in sight (`VISIBLE x`).
    Everything,
}

/// Reads a plan's steps as the world's actions, a text or a call each, as far as they can be taken.
pub type ReadActions = fn(&Names, &[Step]) -> Vec<String>;

#[derive(Debug, Clone)]
pub struct PlanningTask {
    pub domain: &'static str,
    pub problem: String,
    /// The world's names behind the problem's.
    pub names: Names,
    pub read: ReadActions,
}

impl PlanningTask {
    /// A problem of a domain, from what holds at its start (a predicate and the things it is about) and the goal in PDDL.
    pub fn new(
        (name, domain): (&str, &'static str),
        title: &str,
        names: Names,
        start: &BTreeSet<Vec<String>>,
        goal: &str,
        read: ReadActions,
    ) -> Self {
        let objects = names.all().collect::<Vec<_>>().join(" ");
        let mut problem =
            format!("(define (problem {})\n  (:domain {name})\n  (:objects {objects})\n  (:init\n", Names::word(title));
        for claim in start {
            let spelt = |(i, word): (usize, &String)| {
                if i == 0 { word.clone() } else { names.name(word).unwrap_or(word).to_owned() }
            };
            let words: Vec<String> = claim.iter().enumerate().map(spelt).collect();
            problem.push_str(&format!("    ({})\n", words.join(" ")));
        }
        problem.push_str(&format!("  )\n  (:goal {goal}))\n"));
        PlanningTask { domain, problem, names, read }
    }

    pub fn plan(&self, limits: &Limits) -> Result<Vec<Step>, NoPlan> {
        solve(self.domain, &self.problem, limits)
    }

    /// As [`PlanningTask::plan`]; `considered` becomes the number of ground actions that the planner chose among.
    pub fn plan_counting(&self, limits: &Limits, considered: &mut usize) -> Result<Vec<Step>, NoPlan> {
        solve_counting(self.domain, &self.problem, limits, considered)
    }

    /// A plan's steps as the world's actions, a text or a call a line, as far as they can be taken.
    pub fn actions(&self, plan: &[Step]) -> Vec<String> {
        (self.read)(&self.names, plan)
    }
}
