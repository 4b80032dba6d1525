//! Agents without a language model: what they are given at a decision, and what they offer.
//!
//! One implementation a world (`world/*/agent/`), registered with it. An agent reads what the agent of the episode was given and saw,
//! never a world's hidden state and never its list of admissible actions.

use std::fmt::Debug;

use super::effects::EffectModel;
use crate::literal::{Atom, Facts};
use crate::program::CheckedProgram;
use stepwright_program::Call;
use stepwright_trajectory::Step;

/// The grounds of a decision: only what the agent was given and saw.
#[derive(Debug, Clone, Copy)]
pub struct AgentContext<'a> {
    pub sentence: &'a str,
    /// The program state with the assertions in force.
    pub program: &'a CheckedProgram,
    /// Everything so far as the agent lived it, the reset first; refused actions keep their call.
    pub history: &'a [Step],
    /// Calls a person refused at this decision, with the reasons given.
    pub rejected: &'a [(Call, String)],
    /// The literals that the world reports to the agent now, and the goals still to be met, where it reports any.
    pub observed: Option<(&'a Facts, &'a [Atom])>,
    /// The reference program of the open request, where episodes are requests and one is written down.
    pub reference: Option<&'a str>,
}

/// An action that an agent proposes, with its rank and its reason.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    pub call: Call,
    /// Higher is better. Of a plan: minus the expected number of steps to the goal, lower still where no plan leads there.
    /// Of imitation: a probability, which is above 0.
    pub score: f64,
    pub rationale: String,
}

/// An action that the task wants for itself, whatever it needs first.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    pub call: Call,
    /// The goal it reaches, where the world reports goals; `None` for the task as a whole.
    pub goal: Option<Atom>,
}

impl From<Call> for Wanted {
    fn from(call: Call) -> Self {
        Wanted { call, goal: None }
    }
}

/// A part of the task as the agent understands it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoalPart {
    /// The condition (`a mug is in the hand`).
    pub text: String,
    pub holds: bool,
    pub why: String,
}

/// Chooses actions without a language model. Deterministic; made once from the demonstrations of a task.
pub trait Agent: Debug + Send + Sync {
    /// Up to `most` different actions, best first. Empty only when it can think of nothing.
    fn propose(&self, context: &AgentContext<'_>, most: usize) -> Vec<Ranked>;

    /// The actions the task wants, with the assertions ignored, at most `most`: the roots of a blocking tree.
    fn wanted(&self, context: &AgentContext<'_>, most: usize) -> Vec<Wanted> {
        self.propose(context, most).into_iter().map(|ranked| ranked.call.into()).collect()
    }

    /// The effects of actions, learned from the demonstrations.
    fn effects(&self) -> &EffectModel;

    /// The different calls of another party in the demonstrations, where one takes turns.
    fn replies(&self) -> Vec<Call> {
        Vec::new()
    }

    /// What the agent does to get a call of another party, the likeliest first; empty where the demonstrations show nothing.
    fn asks_for(&self, _history: &[Step], _reply: &Call) -> Vec<Call> {
        Vec::new()
    }

    /// The parts of the task with their standing; empty where the sentence is not understood.
    fn goal_parts(&self, _sentence: &str, _history: &[Step]) -> Vec<GoalPart> {
        Vec::new()
    }

    /// Learns now what it would learn when first asked; it may take seconds.
    fn prepare(&self) {}

    /// Whether it can answer at once.
    fn is_prepared(&self) -> bool {
        true
    }

    /// Why it can think of nothing at all, whatever the task, with what to do; `None` where it can.
    fn lacks(&self) -> Option<&'static str> {
        None
    }

    /// Whether the demonstrations it was made from are of a world that it knows.
    fn knows(&self) -> bool {
        false
    }
}

/// Learned effects alone: the agent of a world that has none. It offers nothing.
#[derive(Debug, Clone, Default)]
pub struct EffectsOnly(pub EffectModel);

impl Agent for EffectsOnly {
    fn propose(&self, _context: &AgentContext<'_>, _most: usize) -> Vec<Ranked> {
        Vec::new()
    }

    fn effects(&self) -> &EffectModel {
        &self.0
    }
}
