//! Methods: what each research method puts into the loop's slots, and nothing else.
//!
//! A method is pure: it sees what happened at the cursor and says what comes next ([`Next`]), and reads completions. Asking,
//! checking and deciding belong to the driver and the gate, prompts to [`crate::driver::prompting`]. One file a method; what
//! they share is `options` (how a method is carried out), `reading` (completions), `think` (thoughts of demonstrations) and
//! `following` (plans whose lines are proposed one at a time: `planned`). `coding` holds the methods that answer requests with
//! programs.
//!
//! The paper's policies are `few-shot`, `precondition-prompting` and `precondition-aware`. They differ in two things that
//! [`Options`] can also set apart: whether the assertions in force stand in the prompt ([`Method::shows_assertions`],
//! overridden by [`Options::assertions`]), and whether verification drives sampling (Algorithm 1).

pub mod blocking;
pub mod coding;
mod few_shot;
pub mod following;
pub mod options;
mod planned;
mod precondition_aware;
mod precondition_prompting;
pub mod reading;
mod scored;
#[cfg(test)]
mod tests;
pub mod think;
pub mod verify;

use std::sync::Arc;

pub use blocking::Blocking;
pub use coding::Coding;
pub use few_shot::FewShot;
pub use following::Planning;
pub use options::{
    Believing, Conversation, DOMAIN, Judging, Likelihood, MAX_SHOTS, Options, Primitives, Selecting, Shown,
};
pub use planned::{FfReplan, ProgPrompt};
pub use precondition_aware::{PreconditionAware, Trial, algorithm_1};
pub use precondition_prompting::PreconditionPrompting;
pub use scored::{Scored, probabilities};

use crate::episode::{AskId, AskKind, Proposal, ProposalId, Turn};

/// A method as people see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MethodInfo {
    /// As on the command line.
    pub id: &'static str,
    /// In menus.
    pub label: &'static str,
    /// What it does, in a sentence or two.
    pub description: &'static str,
}

/// What a method wants next at the cursor.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// One greedy completion.
    Greedy,
    /// Random samples.
    Samples(u32),
    /// The log-probability of each admissible action as the next line.
    Score,
    /// The next line of the plan in force; a new plan where there is none.
    Follow,
    /// A program for the request; the next call of the one in force where its calls are decided about one by one.
    Code,
    /// It is done proposing.
    Recommend {
        /// What it would take.
        proposal: Option<ProposalId>,
        /// Why.
        why: String,
    },
}

/// What a method sees: the turn at the cursor, from the present round on.
#[derive(Debug, Clone, Copy)]
pub struct Round<'a> {
    /// All that happened at the cursor.
    pub turn: &'a Turn,
    /// First ask of the round. Earlier proposals were dismissed, by a rejection or by asking anew.
    pub since: AskId,
}

impl<'a> Round<'a> {
    /// The round's proposals by models and proposers, in order, rejected ones left out.
    pub fn proposals(&self) -> impl Iterator<Item = &'a Proposal> + use<'a> {
        let Round { turn, since } = *self;
        turn.proposals.iter().filter(move |p| p.ask.is_some_and(|a| a >= since) && turn.rejection(p.id).is_none())
    }

    /// Whether the round has an ask of that kind.
    pub fn has_asked(&self, kind: &AskKind) -> bool {
        self.turn.asks.iter().any(|a| a.id >= self.since && a.kind.is(kind))
    }
}

/// A method.
pub trait Method: Send + Sync + std::fmt::Debug {
    /// The method as people see it.
    fn info(&self) -> MethodInfo;

    /// What comes next. Called again after every answer, when all proposals have their verdicts.
    fn next(&self, round: Round<'_>) -> Next;

    /// The folder of its prompts.
    fn prompts(&self) -> &'static str;

    /// Whether the prompt's specification holds the assertions in force; [`Options::assertions`] may say otherwise.
    fn shows_assertions(&self) -> bool {
        true
    }

    /// Where its plans come from, if it follows plans.
    fn planning(&self) -> Option<Planning> {
        None
    }

    /// How it answers requests with programs, if it does.
    fn coding(&self) -> Option<Coding> {
        None
    }

    /// Temperature of random samples.
    fn temperature(&self) -> f64 {
        0.7
    }

    /// Whether it selects among the leaves of the world's blocking tree, and a selection that is blocked is not executed.
    fn selects_leaves(&self) -> bool {
        false
    }

    /// How many ranked proposals to ask of the symbolic proposer.
    fn ranked(&self) -> u32 {
        5
    }
}

/// All methods, the default first.
pub fn all() -> Vec<MethodInfo> {
    built_in().iter().map(|m| m.info()).collect()
}

/// The method of that id.
pub fn named(id: &str) -> Option<Arc<dyn Method>> {
    built_in().into_iter().find(|m| m.info().id == id)
}

fn built_in() -> Vec<Arc<dyn Method>> {
    let mut all: Vec<Arc<dyn Method>> = vec![
        Arc::new(PreconditionAware::default()),
        Arc::new(PreconditionPrompting),
        Arc::new(FewShot),
        Arc::new(Scored),
        Arc::new(Blocking::default()),
        Arc::new(ProgPrompt { heed: true }),
        Arc::new(ProgPrompt { heed: false }),
        Arc::new(FfReplan { limited: false }),
        Arc::new(FfReplan { limited: true }),
    ];
    all.extend(coding::built_in().into_iter().map(|coder| Arc::new(coder) as Arc<dyn Method>));
    all
}
