//! Result of a trial: one line of the results file.

use serde::{Deserialize, Serialize};

use crate::run::RunResult;

/// One line of the results file: an episode's result, with the condition and the trial it belongs to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BlockingResult {
    /// The condition's name.
    pub condition: String,
    /// Which trial, from 0.
    pub trial: u64,
    /// The episode.
    #[serde(flatten)]
    pub run: RunResult,
}

impl BlockingResult {
    /// Decisions: actions executed, and selections that were blocked.
    pub fn decisions(&self) -> u32 {
        self.run.steps.saturating_add(self.run.blocked)
    }

    /// Actions considered at a decision, on average: the ground actions that a planner chose its plans among, else the candidates there
    /// were. `None` for ProgPrompt, whose plan is written whole, as in the paper.
    pub fn considered(&self) -> Option<f64> {
        let candidates = f64::from(self.run.proposals) / f64::from(self.decisions().max(1));
        let planned = self.condition.starts_with("FF-Replan");
        match self.run.considered {
            Some(considered) => Some(considered),
            None => (!planned && !self.condition.starts_with("ProgPrompt")).then_some(candidates),
        }
    }
}
