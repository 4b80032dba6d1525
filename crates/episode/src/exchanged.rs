//! Exchanged data: what was really sent to a model and what came back beside the text: enough to send the same request again and to read the
//! answer as it was given. The messages are in the ask's prompt and the texts in its answer; neither is repeated here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A generated token and its natural log-probability.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TokenLogprob {
    /// The token's text, as given.
    pub token: String,
    /// Its log-probability.
    pub logprob: f64,
    /// The likeliest tokens at this place with their log-probabilities, as many as were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub top: Vec<(String, f64)>,
}

impl TokenLogprob {
    /// A token without alternatives.
    pub fn new(token: impl Into<String>, logprob: f64) -> Self {
        TokenLogprob { token: token.into(), logprob, top: Vec::new() }
    }
}

/// A request to a model and its answer, without the texts.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Exchange {
    /// Where it was sent, without any key; a file for what was played back.
    pub endpoint: String,
    /// The request: every parameter as sent where the model is behind a network interface, else as asked.
    pub request: Value,
    /// The model that answered, as the server calls it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub served: String,
    /// The completions in the answer's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub completions: Vec<Exchanged>,
    /// Its cost, in the currency of the prices that are set, or as the provider says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

/// A completion without its text.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Exchanged {
    /// Why it ended.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub finish: String,
    /// The model's reasoning before its answer.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    /// The answer's tokens, where reported.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tokens: Vec<TokenLogprob>,
}
