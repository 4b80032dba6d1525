//! Options of an endpoint, with the defaults.

use std::time::Duration;

use secrecy::SecretString;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::Settings;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wire {
    /// OpenAI's chat completions and legacy completions, as most servers speak them.
    #[default]
    OpenAi,
    Anthropic,
    /// Ollama's own: `/api/chat` and `/api/generate`.
    Ollama,
}

/// Whether and how much a model reasons before it answers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Think {
    /// As the model does by itself.
    #[default]
    Auto,
    Off,
    /// As the server has it when it is asked to.
    On,
    /// With this effort, in the server's word (`low`, `medium`, `high`).
    Effort(String),
    Budget(u32),
}

impl std::str::FromStr for Think {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(match text.trim() {
            "" | "auto" => Think::Auto,
            "off" | "false" => Think::Off,
            "on" | "true" => Think::On,
            word @ ("minimal" | "low" | "medium" | "high" | "xhigh" | "max") => Think::Effort(word.to_owned()),
            other => match other.parse() {
                Ok(tokens) => Think::Budget(tokens),
                Err(_) => {
                    let known = "auto, off, on, minimal, low, medium, high, xhigh, max or a number of tokens";
                    return Err(format!("`{other}` is no way to reason; it is {known}"));
                }
            },
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitField {
    /// `max_completion_tokens` at OpenAI's own endpoint and `max_tokens` elsewhere; the other one after a refusal.
    #[default]
    Auto,
    MaxTokens,
    MaxCompletionTokens,
}

/// How log-probabilities of given texts are had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Score {
    #[default]
    Auto,
    /// By llama.cpp's own interface.
    Native,
    /// By completions that echo the prompt's log-probabilities.
    Echo,
    Never,
}

/// An endpoint and a model on it. Read from a file, its times are numbers of seconds under names that say so.
#[derive(Debug, Clone, Deserialize)]
#[serde(default)]
pub struct Options {
    /// The base URL with its version part (`http://127.0.0.1:8080/v1`). A URL without a path gets `/v1`.
    pub base_url: String,
    pub model: String,
    #[serde(skip)]
    pub api_key: Option<SecretString>,
    /// The environment variable the key comes from; named in advice.
    pub api_key_env: String,
    #[serde(skip)]
    pub wire: Wire,
    /// Which of OpenAI's interfaces to use.
    pub api: Api,
    #[serde(skip)]
    pub think: Think,
    /// Tokens of the context that Ollama sets up; as many as the prompt needs if not set.
    pub num_ctx: Option<u64>,
    /// How long Ollama keeps the model loaded, as it takes it (`5m`, `-1`); its own default if empty.
    pub keep_alive: String,
    /// Headers sent with every request, in place of those of the same name.
    #[serde(skip)]
    pub headers: Vec<(String, SecretString)>,
    /// Fields added to every request for an answer, in place of those of the same name.
    pub extra_body: Map<String, Value>,
    /// The proxy to go through (`socks5h://127.0.0.1:1080`); what the environment says if empty.
    pub proxy: String,
    pub limit_field: LimitField,
    pub score: Score,
    #[serde(flatten)]
    pub settings: Settings,
    /// Tokens the model takes, prompt and completion together, where it is known better than the server states.
    pub context: Option<usize>,
    pub stream: bool,
    /// Alternatives asked for at each token when log-probabilities are wanted, 0 to 20.
    pub top_logprobs: u32,
    /// Request fields never to send (`temperature` for models that refuse it).
    pub omit: Vec<String>,
    #[serde(rename = "connect_timeout_s", deserialize_with = "seconds")]
    pub connect_timeout: Duration,
    /// Longest silence between two pieces of an answer, and before the first.
    #[serde(rename = "idle_timeout_s", deserialize_with = "seconds")]
    pub idle_timeout: Duration,
    #[serde(rename = "answer_timeout_s", deserialize_with = "seconds")]
    pub answer_timeout: Duration,
    /// How often a failed request is tried again.
    pub retries: u32,
    /// The first wait before trying again; doubles each time.
    #[serde(skip)]
    pub backoff: Duration,
    /// Longest wait before trying again. A server that asks for more ends the ask.
    #[serde(rename = "retry_cap_s", deserialize_with = "seconds")]
    pub backoff_cap: Duration,
}

fn seconds<'de, D: Deserializer<'de>>(value: D) -> Result<Duration, D::Error> {
    Duration::try_from_secs_f64(f64::deserialize(value)?).map_err(D::Error::custom)
}

impl Default for Options {
    fn default() -> Self {
        Options::new("", "")
    }
}

impl Options {
    /// The defaults, for a model at an endpoint.
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Options {
            base_url: base_url.into(),
            model: model.into(),
            api_key: None,
            api_key_env: "OPENAI_API_KEY".into(),
            wire: Wire::OpenAi,
            api: Api::Auto,
            think: Think::Auto,
            num_ctx: None,
            keep_alive: String::new(),
            headers: Vec::new(),
            extra_body: Map::new(),
            proxy: String::new(),
            limit_field: LimitField::Auto,
            score: Score::Auto,
            settings: Settings::default(),
            context: None,
            stream: true,
            top_logprobs: 0,
            omit: Vec::new(),
            connect_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(120),
            answer_timeout: Duration::from_secs(3600),
            retries: 4,
            backoff: Duration::from_millis(500),
            backoff_cap: Duration::from_secs(60),
        }
    }
}
