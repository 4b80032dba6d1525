//! Language of a world's steps: all steps in words, the mapping between words and actions, example plans, and why a step is
//! refused. For methods that let a model write freely and take the nearest step there is.

#![warn(missing_docs)]

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use stepwright_plan::settings::Wording;

/// An example plan in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordedPlan {
    /// The task it is of (`Read book`).
    pub task: String,
    /// Its steps (`Walk to bedroom`).
    pub steps: Vec<String>,
}

/// Why a step is refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The number of its type, from 1, in the world's own list.
    pub number: u8,
    /// The type's name (`agent_proximity`).
    pub kind: String,
    /// The reason in the world's words.
    pub reason: String,
    /// The step in words (`Grab cup`).
    pub step: String,
    /// The cause in the first person (`I am not near the cup`).
    pub cause: String,
}

/// The remedy for a refused step, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Correction {
    /// Do this first (`Walk to fridge`), then the step again.
    First(String),
    /// Leave the step out.
    Drop,
}

/// An episode whose steps can be said in words.
pub trait Language {
    /// Every step in words that can be asked for, whether or not it can be done now; in a fixed order, no duplicates.
    fn steps(&self) -> Arc<[String]>;

    /// An action's text in words; `None` if it is no action.
    fn words_of(&self, text: &str) -> Option<String>;

    /// The action that words ask for now, as a text; `None` if they ask for none.
    fn text_of_words(&self, words: &str) -> Option<String>;

    /// Example plans, none of the present task; for a prompt, or to find the task that is most like it.
    fn examples(&self) -> Arc<[WordedPlan]>;

    /// Why an action would be refused now, the cause in these words; `None` if it would be done.
    fn refusal(&self, text: &str, wording: Wording) -> Option<Refusal>;

    /// The present task in a few words (`Make toast`).
    fn task(&self) -> String;

    /// The remedy for an action that would be refused now, by the world's own rules and the things in sight, or by the action
    /// alone unless `by_cause`; `None` if it would be done, or the world does not know.
    fn correction(&self, _text: &str, _by_cause: bool) -> Option<Correction> {
        None
    }
}
