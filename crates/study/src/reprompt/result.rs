//! The result of a plan: one line of the results file, from which the tables and figures are computed and which people judge.

use serde::{Deserialize, Serialize};

use crate::sample::{Sample, Under};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RepromptResult {
    pub condition: String,
    pub task: String,
    pub title: String,
    pub seed: u64,
    /// The model's name, with those of roles that have another; empty where the program is one that people wrote.
    pub model: String,
    pub embedder: String,
    pub plan: Vec<String>,
    pub program: Vec<String>,
    pub executable: bool,
    /// The number of the error that keeps it from that, from 1 to 10 as in the paper's Table 3.
    pub failed: Option<u8>,
    /// Whether the goal was reached; absent where the task has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub won: Option<bool>,
    /// The numbers of the errors met while the plan was made, in their order.
    pub errors: Vec<u8>,
    /// Corrective prompts answered, or steps tried in place of a refused one.
    pub corrections: u32,
    /// The longest common subsequence with the nearest program that people wrote, 0 to 1.
    pub lcs: f64,
    /// The similarity of the households at the end, in percent, over all annotated classes (2022).
    pub similarity_of_all: Option<f64>,
    /// The same over the classes that either program names (2024).
    pub similarity_of_used: Option<f64>,
    pub asks: u32,
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    pub seconds: f64,
    pub ended: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(skip)]
    pub under: Under,
}

/// The same plan for a task in several scenes is no other result of the task.
impl Sample for RepromptResult {
    fn about(&self) -> String {
        self.title.clone()
    }

    fn task(&self) -> String {
        self.task.clone()
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn under(&self) -> &Under {
        &self.under
    }

    fn under_mut(&mut self) -> &mut Under {
        &mut self.under
    }
}
