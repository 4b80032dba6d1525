//! Shape of an ask: how its answer is obtained. Decided by the method that asks; not recorded, since the method gives it again.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use stepwright_wire::Api;

use super::structure::Structure;

/// How an answer is obtained.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Completions, limited as the method limits asks of this kind.
    #[default]
    Usual,
    /// Completions, limited like this.
    Generate(Generation),
    /// Given continuations of the prompt are scored, each verbatim.
    Score {
        /// The continuations.
        continuations: Vec<String>,
    },
    /// A request of another program is sent on as it is; the texts of its answers are in the form of its interface.
    Relay(Relayed),
    /// Work of the method itself, without a language model.
    Compute {
        /// The work, in the method's own form.
        work: Value,
    },
}

/// A request of another program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Relayed {
    /// The interface that it speaks.
    pub api: Api,
    /// Its text.
    pub body: Arc<str>,
    /// The number under which the model that it would have gone to is found; none of its own where another one is asked.
    #[serde(skip)]
    pub sender: u64,
}

/// The limits of a completion.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Generation {
    /// Most tokens.
    pub max_tokens: u32,
    /// Texts that end it.
    pub stop: Vec<String>,
    /// How much a token's log-probability falls with each time it was written.
    pub frequency_penalty: f64,
    /// How much a token's log-probability falls once it was written.
    pub presence_penalty: f64,
    /// The share of the probability that is sampled from, from 0 to 1; all of it if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// Whether log-probabilities are wanted.
    pub logprobs: bool,
    /// Whether an answer counts that was cut at that many tokens, which then no model's own setting raises.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut_counts: bool,
    /// The answer that stands in for one that could not be had, as a publication has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// The form that the answer is held to, where the model can be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structure: Option<Structure>,
    /// The key of recorded outputs.
    pub tag: Option<RequestTag>,
}

/// Which output for which request of an episode of requests is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RequestTag {
    /// The request's number, from 1.
    pub request: usize,
    /// The text to be written for it.
    pub wanted: Wanted,
}

/// The text to be written for a person's request, or for a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Wanted {
    /// A program.
    Program,
    /// A program, and the state after it.
    ProgramAndState,
    /// The state after an update.
    State,
    /// The next step of a plan; the request is its number, refused steps counted.
    Step,
    /// The same with its number before it.
    NumberedStep,
    /// The correction of a refused step of a plan; the request is the number of that step.
    Correction,
}
