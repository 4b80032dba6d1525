//! Kitchen agent without a language model: resolves what blocks the goals, over what the robot has seen.
//!
//! It lives the episode again from its calls (`seen` makes the literals of each moment), growing the blocking trees of the world's own
//! domain, and offers the leaves that the built-in selector ranks best and that nothing blocks. It knows the literals that the world
//! reports, the goals left, and what kinds of things are good for; never the hidden state.

mod seen;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError};

use self::seen::{Kinds, Seen};
use super::program;
use stepwright_episode::Status;
use stepwright_trajectory::Step;
use stepwright_world::blocking::selector::RankedLeaf;
use stepwright_world::blocking::{Domain, Growth, Observation, Selection};
use stepwright_world::demonstration::Demonstration;
use stepwright_world::literal::{Atom, Facts};
use stepwright_world::planner::{Agent, AgentContext, EffectModel, Ranked, Wanted};
use stepwright_world::shipped_domain;

/// Selections of blocked leaves at one decision, at most.
const MOST_BLOCKED: usize = 40;

#[derive(Debug)]
pub(crate) struct KitchenAgent {
    effects: EffectModel,
    kinds: Kinds,
    /// The shipped blocking domain; none if it does not load, which a test rules out.
    domain: Option<Arc<Domain>>,
    /// The episode as it was replayed last, to continue from. A shortcut only: it changes no answer.
    last: Mutex<Option<Lived>>,
}

#[derive(Debug, Clone)]
struct Lived {
    steps: Vec<Step>,
    start: Seen,
    seen: Seen,
    trees: Growth,
}

pub fn learn(demonstrations: &[Demonstration]) -> Arc<dyn Agent> {
    let steps = demonstrations.iter().flat_map(|d| &d.steps);
    Arc::new(KitchenAgent {
        effects: EffectModel::learn(steps),
        kinds: Kinds::shipped(),
        domain: shipped_domain(&super::KIND).and_then(Result::ok),
        last: Mutex::new(None),
    })
}

impl KitchenAgent {
    /// Lives an episode again: every step as it was, with the selections that the trees grew by before it.
    fn relive(&self, facts: &Facts, goals: &[Atom], history: &[Step]) -> Option<Lived> {
        let start = Seen::new(&self.kinds, facts, goals);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let known = last.take().filter(|lived| lived.start == start && history.starts_with(&lived.steps));
        let mut lived = match known {
            Some(lived) => lived,
            None => {
                let (reset, mut seen) = (history.first()?, start.clone());
                reset.calls.iter().for_each(|call| seen.hear(call));
                let trees = Growth::begin(Arc::clone(self.domain.as_ref()?), &seen)?;
                Lived { steps: vec![reset.clone()], start, seen, trees }
            }
        };
        for step in history.iter().skip(lived.steps.len()) {
            lived.take(step);
        }
        *last = Some(lived.clone());
        Some(lived)
    }
}

impl Lived {
    fn take(&mut self, step: &Step) {
        // What blocks the best leaves was seen before anything was done.
        self.free(&[]);
        let Some(before) = Observation::of(&self.seen) else { return };
        step.calls.iter().for_each(|call| self.seen.hear(call));
        if let Some(text) = step.call.as_ref().and_then(program::text_of) {
            let error = step.refused.then_some(step.observed());
            self.trees.executed(&text, error, &before, &self.seen);
        }
        self.steps.push(step.clone());
    }

    /// The best leaf that nothing blocks, with its worth and why, but for skipped ones; blocked ones before it grow.
    fn free(&mut self, skipped: &[String]) -> Option<RankedLeaf> {
        let facts = self.seen.facts();
        for _ in 0..MOST_BLOCKED {
            let best = self.trees.rank(&facts, 0).into_iter().find(|leaf| !skipped.contains(&leaf.text))?;
            match self.trees.select(&best.text, &facts, &self.seen) {
                Selection::Blocked(_) => {}
                Selection::Execute => return Some(best),
                Selection::NotALeaf => return None,
            }
        }
        None
    }
}

impl Agent for KitchenAgent {
    fn propose(&self, context: &AgentContext<'_>, most: usize) -> Vec<Ranked> {
        let Some((facts, goals)) = context.observed else { return Vec::new() };
        let Some(mut lived) = self.relive(facts, goals, context.history) else { return Vec::new() };
        let mut skipped: Vec<String> = context.rejected.iter().filter_map(|(call, _)| program::text_of(call)).collect();
        let mut offered: Vec<Ranked> = Vec::new();
        while offered.len() < most {
            let Some(leaf) = lived.free(&skipped) else { break };
            if let Some(call) = program::call_of(&leaf.text)
                && context.program.permits(&call) != Status::Fails
            {
                let score = offered.last().map_or(leaf.value, |before| leaf.value.min(before.score));
                offered.push(Ranked { call, score, rationale: leaf.why });
            }
            skipped.push(leaf.text);
        }
        offered
    }

    /// The roots of the kitchen's own trees.
    fn wanted(&self, context: &AgentContext<'_>, most: usize) -> Vec<Wanted> {
        let Some((facts, goals)) = context.observed else { return Vec::new() };
        let Some(lived) = self.relive(facts, goals, context.history) else { return Vec::new() };
        let roots = lived.trees.forest().trees().iter();
        let wanted =
            roots.filter_map(|tree| Some(Wanted { call: program::call_of(&tree.text)?, goal: tree.goal.clone() }));
        wanted.take(most).collect()
    }

    fn effects(&self) -> &EffectModel {
        &self.effects
    }
}
