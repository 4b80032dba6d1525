//! Result of an episode of the study: a line of its results file.

use serde::{Deserialize, Serialize};

use crate::run::RunResult;
use crate::sample::sample;

/// The methods that are compared where none is named: the first is what the others are held against.
pub const METHODS: [&str; 5] = ["blocking", "progprompt", "o3d", "reprompt", "few-shot"];

/// One line of the results file: an episode's result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DecisionResult {
    /// Whether what was followed was written whole: there is no choice among actions then.
    pub whole: bool,
    #[serde(flatten)]
    pub run: RunResult,
}

sample!(DecisionResult, |of| of.run.task.clone(), of.run.seed, run.under);

impl DecisionResult {
    /// Actions considered at a decision, on average: what a planner chose among, else what was offered. `None` of a plan that was
    /// written whole. What executes nothing (a thought, a call of a skill, a report) was offered and decided about as well.
    pub(super) fn considered(&self) -> Option<f64> {
        let decisions = self.run.decisions().saturating_add(self.run.held);
        let offered = (decisions > 0).then(|| f64::from(self.run.proposals) / f64::from(decisions));
        self.run.considered.or(offered.filter(|_| !self.whole))
    }

    pub(super) fn tokens(&self) -> Option<f64> {
        self.run.tokens().map(|tokens| tokens as f64)
    }
}
