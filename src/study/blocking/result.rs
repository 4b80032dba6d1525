//! What a trial came to: one line of the results file.

use serde::{Deserialize, Serialize};

use crate::study::run::RunResult;

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

    /// Candidates there were at a decision, on average.
    pub fn candidates(&self) -> f64 {
        f64::from(self.run.proposals) / f64::from(self.decisions().max(1))
    }
}
