//! Neutral form of requests and answers, for people, programs and checks.

use std::hash::{DefaultHasher, Hash, Hasher};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// An interface of language models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Api {
    /// OpenAI's Chat Completions, as most servers speak it.
    Chat,
    /// OpenAI's Responses.
    Responses,
    /// Anthropic's Messages.
    Messages,
}

impl Api {
    /// The interface that a path asks for an answer (`…/chat/completions`).
    pub fn of_path(path: &str) -> Option<Api> {
        let path = path.trim_end_matches('/');
        [("/chat/completions", Api::Chat), ("/responses", Api::Responses), ("/messages", Api::Messages)]
            .into_iter()
            .find_map(|(end, api)| path.ends_with(end).then_some(api))
    }

    /// Its name, as people know it.
    pub fn name(self) -> &'static str {
        match self {
            Api::Chat => "Chat Completions",
            Api::Responses => "Responses",
            Api::Messages => "Messages",
        }
    }
}

/// A text that is no request or answer of its format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem(pub String);

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Problem {}

/// How a tool is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// With arguments, a JSON object.
    #[default]
    Function,
    /// With any text (OpenAI's custom tools).
    Custom,
    /// A tool of the provider's that the agent carries out (`local_shell`, `computer`, `apply_patch`): its arguments are its action.
    Provided,
    /// The one call of the interface before tools (`function_call`), without an id.
    Legacy,
}

impl Form {
    fn is_function(&self) -> bool {
        *self == Form::Function
    }
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ToolCall {
    pub id: String,
    pub name: String,
    /// The text of its arguments, as the agent gets it: JSON, unless the model wrote none.
    pub arguments: String,
    #[serde(default, skip_serializing_if = "Form::is_function")]
    pub form: Form,
}

/// What a model says: the part of an answer that a person decides on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Answer {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
    /// The reasoning that can be read; what is sealed stays with the whole answer.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    /// Why it ended, in OpenAI's words: `stop`, `tool_calls`, `length`, `content_filter`; empty if not said.
    #[serde(default)]
    pub finish: String,
}

impl Answer {
    pub fn of_text(text: impl Into<String>) -> Self {
        Answer { text: text.into(), finish: "stop".into(), ..Answer::default() }
    }

    pub fn of_calls(calls: Vec<ToolCall>) -> Self {
        Answer { calls, finish: "tool_calls".into(), ..Answer::default() }
    }

    /// What an agent acts by, in one figure: text, and of each call its id, name and arguments, byte for byte.
    pub fn digest(&self) -> String {
        let mut sum = Sha256::new();
        let mut add = |text: &str| {
            sum.update((text.len() as u64).to_le_bytes());
            sum.update(text);
        };
        add(&self.text);
        for call in &self.calls {
            [&call.id, &call.name, &call.arguments].into_iter().for_each(|text| add(text));
        }
        sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Why an answer ended, in OpenAI's words, whichever the server's: others have more words for one that was cut or filtered.
pub fn finish(word: &str) -> &str {
    match word {
        "end_turn" | "stop_sequence" => "stop",
        "tool_use" | "function_call" => "tool_calls",
        "max_tokens" | "MAX_TOKENS" | "model_length" | "model_context_window_exceeded" => "length",
        "refusal" | "sensitive" | "SAFETY" | "PROHIBITED_CONTENT" => "content_filter",
        // Gemini adds which filter it was.
        word if word.starts_with("content_filter") => "content_filter",
        word => word,
    }
}

/// What an answer that no server wrote has of its own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stamp {
    /// Distinguishes it from all others; letters and digits.
    pub id: String,
    /// Seconds since 1970.
    pub created: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// `system`, `developer`, or what stands beside the messages.
    System,
    User,
    Assistant,
    /// Results of tools alone.
    Tool,
}

impl Role {
    pub fn name(self) -> &'static str {
        match self {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
        }
    }
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    Text(String),
    Call(ToolCall),
    Result {
        /// The call's.
        id: String,
        text: String,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        error: bool,
    },
    /// Reasoning that can be read, or that there is some.
    Reasoning(String),
    /// That there is an image, in words.
    Image(String),
    /// That there is something else, in words.
    Other(String),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    pub role: Role,
    pub parts: Vec<Part>,
}

impl Message {
    pub fn of_text(role: Role, text: impl Into<String>) -> Self {
        Message { role, parts: vec![Part::Text(text.into())] }
    }

    /// Its texts, and nothing else of it.
    pub fn text(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }

    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.parts.iter().filter_map(|part| match part {
            Part::Call(call) => Some(call),
            _ => None,
        })
    }

    /// Distinguishes it from others: the same however an agent writes its arguments' white space and order.
    pub(crate) fn mark(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.role.hash(&mut hasher);
        for part in &self.parts {
            match part {
                Part::Call(ToolCall { id, name, arguments, .. }) => {
                    let sorted = serde_json::from_str::<Value>(arguments).map(sorted);
                    (1, id, name, sorted.map_or_else(|_| arguments.clone(), |v| v.to_string())).hash(&mut hasher);
                }
                Part::Text(text) => (2, text).hash(&mut hasher),
                Part::Result { id, text, error } => (3, id, text, error).hash(&mut hasher),
                // Agents drop it as they like.
                Part::Reasoning(_) => {}
                Part::Image(text) | Part::Other(text) => (4, text).hash(&mut hasher),
            }
        }
        hasher.finish()
    }
}

fn sorted(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<(String, Value)> = fields.into_iter().map(|(k, v)| (k, sorted(v))).collect();
            fields.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(fields.into_iter().collect())
        }
        Value::Array(list) => list.into_iter().map(sorted).collect(),
        other => other,
    }
}

/// A tool as the agent offers it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    pub name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The JSON schema of its arguments; null where it takes any text, or is the provider's.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub schema: Value,
    /// The provider carries it out: no call of it reaches the agent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub remote: bool,
}

/// A request for an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    pub api: Api,
    pub model: String,
    /// The conversation; what stands beside the messages (`system`, `instructions`) is its first.
    pub messages: Vec<Message>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Tool>,
    /// All other fields, as they came.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub parameters: Map<String, Value>,
    #[serde(default)]
    pub stream: bool,
    /// The response that it continues (`previous_response_id`): its conversation is with the provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous: Option<String>,
}
