//! Models: sources of completions. Requests, responses, errors, and the trait all language models implement.
//!
//! `remote` is every model behind a network interface, whichever wire format it speaks; `local` runs weights in this process;
//! `cassette` records and plays back; `embed` is the seam for sentence vectors. The built-in symbolic proposer is no language
//! model: it reads the program state itself and lives in `stepwright_world::planner`.

pub mod answering;
mod ask;
pub mod cassette;
pub mod demo;
pub mod embed;
pub mod fetch;
#[cfg(feature = "local")]
pub mod local;
pub mod prompt;
pub mod recorded;
pub mod remote;
pub mod translator;
pub mod upstream;

use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;

pub use ask::{Asked, ask};
pub use stepwright_episode::{PromptMessage, Relayed, Structure, TokenLogprob, Usage, Wanted};

/// The kind of a model; shown wherever a model's name appears.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelKind {
    Symbolic,
    /// A language model behind a network interface.
    Remote,
    Local,
    Recorded,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelInfo {
    /// The model's name (`gpt-4.1-mini`).
    pub name: String,
    pub kind: ModelKind,
    /// Where it answers, without any key (`http://127.0.0.1:8080/v1`); empty for the symbolic proposer.
    pub endpoint: String,
}

/// A prompt with the settings it is sent with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelRequest {
    /// Chat messages; exactly one of role `text` asks for a raw completion instead.
    pub messages: Vec<PromptMessage>,
    /// Upper bound of tokens to generate, each completion.
    pub max_tokens: u32,
    /// 0 is greedy.
    pub temperature: f64,
    /// Completions wanted. A provider that gives one at a time is asked that many times.
    pub n: u32,
    /// Stop strings (at most four).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// How much the log-probability of a token is lowered for each time it was written in this completion; 0 for not at all.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub frequency_penalty: f64,
    /// How much the log-probability of a token is lowered once it was written in this completion; 0 for not at all.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub presence_penalty: f64,
    /// Tokens are sampled from the likeliest that have this share of the probability together, from 0 to 1; from all if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// Ask for log-probabilities of the tokens.
    #[serde(default)]
    pub logprobs: bool,
    /// Whether an answer counts that was cut at `max_tokens`; else it is asked for again with more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut_counts: bool,
    /// The form of the answer, where the model can be held to it; its text is then without the form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structure: Option<Structure>,
    /// A request of another program in place of messages and limits: it is sent on as it is, and answers are texts of its interface.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relayed: Option<Relayed>,
    /// Its purpose. It is not sent to providers; recorded outputs are found by it.
    #[serde(skip)]
    pub tag: Option<Tag>,
}

/// The purpose of a request, in episodes of requests and in plans.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    pub task: String,
    pub method: String,
    pub seed: u64,
    /// The number of the person's request, or of the plan's step, from 1.
    pub request: usize,
    pub wanted: Wanted,
}

impl Default for ModelRequest {
    /// One greedy completion of nothing yet.
    fn default() -> Self {
        ModelRequest {
            messages: Vec::new(),
            max_tokens: 256,
            temperature: 0.0,
            n: 1,
            stop: Vec::new(),
            seed: None,
            frequency_penalty: 0.0,
            presence_penalty: 0.0,
            top_p: None,
            logprobs: false,
            cut_counts: false,
            structure: None,
            relayed: None,
            tag: None,
        }
    }
}

fn is_zero(penalty: &f64) -> bool {
    *penalty == 0.0
}

/// [`Completion::finish`] of a stream that ended with neither a reason nor an end mark.
pub const CUT_OFF: &str = "cut off";

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Completion {
    /// The text, verbatim.
    pub text: String,
    /// Why it ended, in the provider's word (`stop`, `length`, …); [`CUT_OFF`] if the stream just ended; empty if not reported.
    #[serde(default)]
    pub finish: String,
    /// Tokens with log-probabilities; empty where not given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tokens: Vec<TokenLogprob>,
    /// The model's reasoning before its answer; never part of the text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
}

impl Completion {
    /// A whole completion without figures.
    pub fn whole(text: impl Into<String>) -> Self {
        Completion { text: text.into(), finish: "stop".to_owned(), ..Completion::default() }
    }

    /// Whether it is none: cut by a limit or a filter, or reasoning without an answer. A call of a tool is an answer.
    pub fn is_cut(&self) -> bool {
        matches!(self.finish.as_str(), "length" | "content_filter" | CUT_OFF)
            || (self.text.trim().is_empty() && !self.reasoning.is_empty() && self.finish != "tool_calls")
    }

    /// Ends the text before the first of the stops in it, as a server does that knows them.
    pub fn stopped(mut self, stops: &[String]) -> Self {
        let at = |stop: &String| self.text.find(stop.as_str()).filter(|_| !stop.is_empty());
        let Some(end) = stops.iter().filter_map(at).min() else { return self };
        self.text.truncate(end);
        let mut length = 0;
        self.tokens.retain(|token| {
            let begins = length;
            length += token.token.len();
            begins < end
        });
        self.finish = "stop".to_owned();
        self
    }

    /// Mean log-probability per token; `None` where the model gave none.
    pub fn mean_logprob(&self) -> Option<f64> {
        if self.tokens.is_empty() {
            return None;
        }
        Some(self.tokens.iter().map(|t| t.logprob).sum::<f64>() / self.tokens.len() as f64)
    }

    /// Log-probability of all its tokens together; `None` where the model gave none.
    pub fn sum_logprob(&self) -> Option<f64> {
        (!self.tokens.is_empty()).then(|| self.tokens.iter().map(|t| t.logprob).sum())
    }
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ModelResponse {
    pub completions: Vec<Completion>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The model that answered, as the server calls it; empty if not reported.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub served: String,
    /// Its cost, where the provider says so itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// The parameters as sent, without the messages; null where nothing is sent over a network.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub sent: serde_json::Value,
}

impl ModelResponse {
    pub fn of(completions: Vec<Completion>, usage: Option<Usage>) -> Self {
        ModelResponse { completions, usage, ..ModelResponse::default() }
    }
}

/// Price of a million tokens, in the currency it was set in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    pub input: f64,
    pub output: f64,
}

impl Price {
    pub fn of(self, usage: Usage) -> f64 {
        (usage.prompt as f64 * self.input + usage.completion as f64 * self.output) / 1e6
    }
}

/// The settings of a model that apply to all requests.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Frequency penalty of plans that are written whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frequency_penalty: Option<f64>,
    #[serde(alias = "max_tokens", skip_serializing_if = "Option::is_none")]
    pub answer_tokens: Option<u32>,
    /// Whether answers are to be held to a form: one of the admissible actions, a state by its schema.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub structured: bool,
    #[serde(skip)]
    pub price: Option<Price>,
}

/// Given texts to be scored as continuations of one prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoreRequest {
    /// As in [`ModelRequest::messages`]; a candidate is scored as what comes right after them.
    pub messages: Vec<PromptMessage>,
    /// The texts to score, each verbatim.
    pub candidates: Vec<String>,
}

impl ScoreRequest {
    /// The tokens of a scoring. The tokens of the candidates are those that came back; no interface reports those of
    /// the prompt, so they are estimated by the candidates' characters a token, and counted once, as a prompt is read
    /// once. Nothing is generated.
    pub fn usage(&self, scored: &[Completion]) -> Usage {
        let characters = |texts: &mut dyn Iterator<Item = &str>| texts.map(|text| text.chars().count()).sum::<usize>();
        let tokens: usize = scored.iter().map(|completion| completion.tokens.len()).sum();
        let of_candidates = characters(&mut self.candidates.iter().map(String::as_str));
        let of_prompt = characters(&mut self.messages.iter().map(|message| message.text.as_str()));
        let prompt = (of_prompt * tokens).checked_div(of_candidates).unwrap_or_default();
        Usage { prompt: (prompt + tokens) as u64, ..Usage::default() }
    }
}

/// A part of a model's answer, as it arrives.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamEvent {
    Delta {
        index: u32,
        text: String,
    },
    /// More reasoning of completion `index`, before its text.
    Reasoning {
        index: u32,
        text: String,
    },
    /// The output of the completions from this index on does not count: they are asked for again.
    Void {
        from: u32,
    },
    /// A remark for the person on the model or its server: a parameter that it refuses and that is left out, say.
    Remark {
        text: String,
        warning: bool,
    },
    /// A retry is due; counts down visibly.
    Retrying {
        attempt: u32,
        /// How long until then.
        wait: Duration,
        why: String,
    },
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ModelError {
    #[error("cancelled")]
    Cancelled,
    #[error("{endpoint} answered {status}: {message}")]
    Refused { endpoint: String, status: u16, message: String },
    #[error("{endpoint}: {message}")]
    TooLong {
        endpoint: String,
        message: String,
        /// Tokens the model takes, prompt and completion together, where known.
        context: Option<u64>,
    },
    /// No answer could be obtained; retries are used up.
    #[error("{endpoint}: {message}")]
    Unreachable { endpoint: String, message: String },
    /// The answer broke off or was no valid answer.
    #[error("{endpoint}: {message}")]
    Broken { endpoint: String, message: String, partial: String },
    /// The cassette holds no such exchange.
    #[error("cassette {path} has no recording of this request; nearest is {nearest}")]
    NotRecorded {
        path: String,
        /// The nearest recorded request and how it differs.
        nearest: String,
    },
    #[error("{0}")]
    Configuration(String),
    /// Any of the others, after answers that cost something and hold no completion, or of a request that was sent.
    #[error("{error}")]
    After { error: Box<ModelError>, charge: Charge, last: Box<Last> },
}

/// The last request before an error.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Last {
    /// As in [`ModelResponse::sent`].
    pub sent: serde_json::Value,
    /// As in [`ModelResponse::served`], of the last answer.
    pub served: String,
}

/// What answers cost, as far as the provider says.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Charge {
    pub usage: Option<Usage>,
    /// As in [`ModelResponse::cost`].
    pub cost: Option<f64>,
}

impl Charge {
    /// Adds what another answer cost.
    pub fn add(&mut self, more: Charge) {
        if let Some(usage) = more.usage {
            self.usage.get_or_insert_default().add(usage);
        }
        if let Some(cost) = more.cost {
            *self.cost.get_or_insert_default() += cost;
        }
    }
}

impl ModelError {
    /// Whether a service was asked and gave no answer, rather than that nothing was asked.
    pub fn is_of_service(&self) -> bool {
        use ModelError::{Broken, Refused, TooLong, Unreachable};
        matches!(self.cause(), Refused { .. } | TooLong { .. } | Unreachable { .. } | Broken { .. })
    }

    /// The error itself, whatever was spent before it.
    pub fn cause(&self) -> &ModelError {
        match self {
            ModelError::After { error, .. } => error.cause(),
            error => error,
        }
    }

    /// What had come of an answer that was cut or broke off; empty where nothing had.
    pub fn partial(&self) -> &str {
        match self.cause() {
            ModelError::Broken { partial, .. } => partial,
            _ => "",
        }
    }

    /// What was spent before it.
    pub fn charge(&self) -> Charge {
        match self {
            ModelError::After { charge, .. } => *charge,
            _ => Charge::default(),
        }
    }

    /// The parameters as sent last; null where nothing was.
    pub fn sent(&self) -> &serde_json::Value {
        match self {
            ModelError::After { last, .. } => &last.sent,
            _ => &serde_json::Value::Null,
        }
    }

    /// The model that gave an answer before it, as the server calls it; empty where none is known.
    pub fn served(&self) -> &str {
        match self {
            ModelError::After { last, .. } => &last.served,
            _ => "",
        }
    }

    /// The error after answers that cost so much.
    pub fn charged(self, charge: Charge) -> ModelError {
        self.after(charge, Last::default())
    }

    /// The error after answers that cost so much, with the last of their requests.
    pub fn after(self, charge: Charge, last: Last) -> ModelError {
        if (charge, &last) == (Charge::default(), &Last::default()) {
            return self;
        }
        ModelError::After { error: Box::new(self), charge, last: Box::new(last) }
    }
}

/// A source of completions: behind a network interface, in this process, or recorded.
#[async_trait]
pub trait LanguageModel: Send + Sync {
    fn info(&self) -> ModelInfo;

    /// Asks for `request.n` completions. Text is sent to `stream` as it arrives; a closed `stream` is no error.
    /// Errors: [`ModelError`]; [`ModelError::Cancelled`] soon after `cancel` fires, even if the server hangs.
    async fn complete(
        &self,
        request: &ModelRequest,
        stream: &UnboundedSender<StreamEvent>,
        cancel: &CancellationToken,
    ) -> Result<ModelResponse, ModelError>;

    /// Whether [`LanguageModel::score`] can be asked, as far as is known.
    fn can_score(&self) -> bool {
        false
    }

    /// Whether it may turn out to score: false only where it is known that it does not.
    fn may_score(&self) -> bool {
        self.can_score()
    }

    /// Scores given texts: one completion a candidate, in their order, each with the log-probabilities of all its tokens.
    /// Nothing is generated and no figure is invented.
    /// Errors: [`ModelError`]; [`ModelError::Configuration`] where a model reports no log-probabilities of given texts.
    async fn score(&self, request: &ScoreRequest, cancel: &CancellationToken) -> Result<Vec<Completion>, ModelError> {
        let (nobody, _) = unbounded_channel();
        self.score_watched(request, &nobody, cancel).await
    }

    /// As [`LanguageModel::score`], reporting how many candidates are done as it proceeds. A closed `done` is no error.
    async fn score_watched(
        &self,
        _request: &ScoreRequest,
        _done: &UnboundedSender<usize>,
        _cancel: &CancellationToken,
    ) -> Result<Vec<Completion>, ModelError> {
        let name = self.info().name;
        Err(ModelError::Configuration(format!(
            "{name} reports no log-probabilities of given texts; choose a method that lets it write"
        )))
    }

    /// Whether prompts for it are best one raw text to continue, rather than chat messages.
    fn prefers_raw(&self) -> bool {
        false
    }

    /// Whether a person chose between raw text and chat messages for it.
    fn has_chosen_interface(&self) -> bool {
        false
    }

    /// How to have it continue one raw text where it now gets chat messages: a setting, in words; `None` where there is none.
    fn raw_setting(&self) -> Option<&'static str> {
        None
    }

    fn settings(&self) -> Settings {
        Settings::default()
    }

    /// Tokens it takes, prompt and completion together, as far as is known.
    fn context(&self) -> Option<usize> {
        None
    }

    /// Sentence vectors of texts, in their order; each of the same length, not normalised.
    /// Errors: [`ModelError`]; [`ModelError::Configuration`] where a model gives none.
    async fn embed(&self, _texts: &[String], _cancel: &CancellationToken) -> Result<Vec<Vec<f32>>, ModelError> {
        let name = self.info().name;
        Err(ModelError::Configuration(format!("{name} gives no sentence vectors; name an embedding model")))
    }
}

/// Makes `ring` the process's provider of TLS, where none is set: to be called before a client is built.
fn install_tls() {
    // An error says that there is a provider already.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasoning_without_an_answer_is_cut_and_a_call_of_a_tool_is_an_answer() {
        let is_cut = |finish: &str| {
            Completion { reasoning: "hm".into(), finish: finish.into(), ..Completion::default() }.is_cut()
        };
        assert_eq!(["stop", "", "length", "tool_calls"].map(is_cut), [true, true, true, false]);
    }

    #[test]
    fn scoring_has_a_price() {
        let message = PromptMessage { role: "text".into(), text: "x".repeat(400) };
        let request = ScoreRequest { messages: vec![message], candidates: vec!["abcd".into(), "efghijkl".into()] };
        let completion = |n: usize| Completion {
            tokens: (0..n).map(|_| TokenLogprob::new("", -1.0)).collect(),
            ..Completion::default()
        };
        // Three tokens for twelve characters: four characters a token, so a hundred for the prompt.
        let usage = request.usage(&[completion(1), completion(2)]);
        assert_eq!((usage.prompt, usage.completion), (103, 0));
        assert_eq!(request.usage(&[]).prompt, 0);
        let none = ScoreRequest { messages: Vec::new(), candidates: Vec::new() };
        assert_eq!(none.usage(&[completion(2)]).prompt, 2);
    }
}
