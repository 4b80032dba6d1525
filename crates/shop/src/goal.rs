//! Goals: what a buyer wants, and the instruction in words.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// The price limit that means no limit, in dollars.
pub const NO_LIMIT: f64 = 1_000_000.0;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Goal {
    pub id: usize,
    /// `human` where a person wrote the instruction, `synthetic` where it was made from attributes.
    #[serde(default)]
    pub kind: String,
    pub asin: String,
    #[serde(default)]
    pub category: String,
    #[serde(default)]
    pub query: String,
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub product_category: String,
    pub instruction_text: String,
    pub attributes: Vec<String>,
    /// The price limit in dollars; [`NO_LIMIT`] for none.
    #[serde(default = "no_limit")]
    pub price_upper: f64,
    #[serde(default)]
    pub goal_options: GoalOptions,
}

fn no_limit() -> f64 {
    NO_LIMIT
}

/// The options that must be chosen: values alone in a person's instruction, values by name in one made from attributes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum GoalOptions {
    Values(Vec<String>),
    Named(IndexMap<String, String>),
}

impl Default for GoalOptions {
    fn default() -> Self {
        GoalOptions::Values(Vec::new())
    }
}

impl GoalOptions {
    pub fn len(&self) -> usize {
        match self {
            GoalOptions::Values(values) => values.len(),
            GoalOptions::Named(named) => named.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Each as a person reads it (`size: large`).
    pub fn words(&self) -> Vec<String> {
        match self {
            GoalOptions::Values(values) => values.clone(),
            GoalOptions::Named(named) => named.iter().map(|(name, value)| format!("{name}: {value}")).collect(),
        }
    }
}
