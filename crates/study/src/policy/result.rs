//! Result kept of a predicted dialogue or a household episode: one line of the results file, from which the tables are computed.

use serde::{Deserialize, Serialize};

use super::metrics::{Compatibility, Counts};
use super::setting::Setting;
use crate::run::tokens;
use crate::sample::{Under, sample};
use stepwright_program::Call;
use stepwright_world::TaskInfo;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnResult {
    /// Index of its first call among the dialogue's.
    pub start: usize,
    pub predicted: Vec<Call>,
    pub recorded: Vec<Call>,
    /// Whether the true preconditions of each predicted action hold where it was predicted; absent where they are not known.
    pub compatible: Option<Vec<bool>>,
    pub ended: String,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PolicyResult {
    /// `dialogue` or `household`.
    pub world: String,
    pub task: String,
    pub kind: String,
    #[serde(flatten)]
    pub setting: Setting,
    /// True and false positives and false negatives over all turns; dialogues only.
    pub counts: Option<Counts>,
    /// Whether the goal was reached; the household only.
    pub won: Option<bool>,
    /// Actions predicted or taken, and how many of them their true preconditions permitted; absent where these are not known.
    pub compatibility: Option<Compatibility>,
    pub actions: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnResult>,
    pub asks: u32,
    /// Prompts of which something was left out, so that they fit the model's context.
    #[serde(default)]
    pub shortened: u32,
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    pub seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(skip)]
    pub under: Under,
}

sample!(PolicyResult, |of| of.task.clone(), of.setting.seed, under);

impl PolicyResult {
    pub(super) fn new(world: &str, task: &TaskInfo, setting: &Setting) -> Self {
        PolicyResult {
            world: world.to_owned(),
            task: task.id.clone(),
            kind: task.kind.clone(),
            setting: setting.clone(),
            ..PolicyResult::default()
        }
    }

    pub(super) fn tokens(&self) -> Option<u64> {
        tokens(self.asks, self.prompt_tokens, self.completion_tokens)
    }
}
