//! Phrases of the shipped services: values of slots, how slots are requested and stated, how intents are opened and ended.

use indexmap::IndexMap;
use serde::Deserialize;

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Phrases {
    pub(super) slots: IndexMap<String, SlotPhrases>,
    pub(super) intents: IndexMap<String, IntentPhrases>,
}

/// Words of a slot; `{}` stands for a value.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SlotPhrases {
    pub(super) values: Vec<String>,
    #[serde(default)]
    pub(super) ask: Vec<String>,
    #[serde(default)]
    pub(super) tell: Vec<String>,
    #[serde(default)]
    pub(super) request: Vec<String>,
    #[serde(default)]
    pub(super) show: Vec<String>,
    /// The system asks whether it is right.
    #[serde(default)]
    pub(super) confirm: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct IntentPhrases {
    pub(super) open: Vec<String>,
    #[serde(default)]
    pub(super) direct: Vec<String>,
    #[serde(default)]
    pub(super) suggest: Vec<String>,
    #[serde(default)]
    pub(super) offer: Vec<String>,
    /// Slots the user may ask about afterwards.
    pub(super) ask: Vec<String>,
    /// Slots the user may state unasked.
    pub(super) early: Vec<String>,
    /// Slots the user may correct when asked whether all is right.
    #[serde(default)]
    pub(super) change: Vec<String>,
    #[serde(default)]
    pub(super) done: Vec<String>,
    #[serde(default)]
    pub(super) failed: Vec<String>,
    /// The slot whose other value is offered on failure.
    pub(super) alternative: Option<String>,
    /// Whether there is one result at most, so that nobody counts them or asks for another.
    #[serde(default)]
    pub(super) single: bool,
    #[serde(default)]
    pub(super) take: Vec<String>,
    pub(super) then: Option<String>,
}

pub(super) fn all() -> Result<IndexMap<String, Phrases>, String> {
    serde_json::from_str(include_str!("phrases.json")).map_err(|e| format!("phrases.json: {e}"))
}
