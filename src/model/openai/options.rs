//! What can be set about an endpoint, with the defaults.

use std::time::Duration;

use secrecy::SecretString;

/// Which of the two interfaces to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Api {
    /// Chat for messages, completions for raw text; where the endpoint has no completions, chat with an instruction.
    #[default]
    Auto,
    /// Always chat completions; a raw text is sent as a message with an instruction to continue it.
    Chat,
    /// Always legacy completions; chat messages are joined to one text.
    Completions,
}

/// How the bound on generated tokens is called in a chat request. (Legacy completions always call it `max_tokens`.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LimitField {
    /// `max_completion_tokens` at OpenAI's own endpoint and `max_tokens` elsewhere; the other one after a refusal.
    #[default]
    Auto,
    /// `max_tokens`.
    MaxTokens,
    /// `max_completion_tokens`.
    MaxCompletionTokens,
}

/// How log-probabilities of given texts are had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Score {
    /// Whichever way the endpoint turns out to offer.
    #[default]
    Auto,
    /// By llama.cpp's own interface.
    Native,
    /// By completions that echo the prompt's log-probabilities.
    Echo,
    /// Not at all.
    Never,
}

/// An endpoint and a model on it.
#[derive(Debug, Clone)]
pub struct Options {
    /// The base URL with its version part (`http://127.0.0.1:8080/v1`). A URL without a path gets `/v1`.
    pub base_url: String,
    /// The model's id at that endpoint.
    pub model: String,
    /// The key, where one is needed.
    pub api_key: Option<SecretString>,
    /// The environment variable the key comes from; named in advice.
    pub api_key_env: String,
    /// Which interface to use.
    pub api: Api,
    /// How the token bound is called.
    pub limit_field: LimitField,
    /// How given texts are scored.
    pub score: Score,
    /// Temperature of random samples, where set.
    pub temperature: Option<f64>,
    /// Frequency penalty of plans that are written whole, where set.
    pub frequency_penalty: Option<f64>,
    /// Tokens an answer may have, where set.
    pub max_tokens: Option<u32>,
    /// Tokens the model takes, prompt and completion together, where it is known better than the server tells.
    pub context: Option<usize>,
    /// Stream answers as they are generated.
    pub stream: bool,
    /// Alternatives asked for at each token when log-probabilities are wanted, 0 to 20.
    pub top_logprobs: u32,
    /// Request fields never to send (`temperature` for models that refuse it).
    pub omit: Vec<String>,
    /// Time to connect.
    pub connect_timeout: Duration,
    /// Longest silence between two pieces of an answer, and before the first. The whole answer has no limit.
    pub idle_timeout: Duration,
    /// How often a failed request is tried again.
    pub retries: u32,
    /// The first wait before trying again; doubles each time.
    pub backoff: Duration,
    /// Longest wait before trying again. A server that asks for more ends the ask.
    pub backoff_cap: Duration,
}

impl Options {
    /// The defaults, for a model at an endpoint.
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Options {
            base_url: base_url.into(),
            model: model.into(),
            api_key: None,
            api_key_env: "OPENAI_API_KEY".into(),
            api: Api::Auto,
            limit_field: LimitField::Auto,
            score: Score::Auto,
            temperature: None,
            frequency_penalty: None,
            max_tokens: None,
            context: None,
            stream: true,
            top_logprobs: 0,
            omit: Vec::new(),
            connect_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(120),
            retries: 4,
            backoff: Duration::from_millis(500),
            backoff_cap: Duration::from_secs(60),
        }
    }
}
