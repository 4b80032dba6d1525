//! Request bodies of OpenAI's interfaces, and what all interfaces have in common: exactly what is sent, field by field.

use serde_json::{Map, Value, json};

use super::http::Root;
use super::options::{LimitField, Options, Think};
use super::quirks::{Quirks, is_set};
use super::{anthropic, ollama};
use crate::{ModelRequest, PromptMessage};

/// The instruction for a chat model that stands in for raw completion.
pub(super) const CONTINUE: &str = "Continue the user's text exactly where it ends. Answer with the continuation only: do not \
repeat any of the text, add no comment and no code fence.";

/// Fields that hold the prompt: they are in a session as the ask's prompt.
const PROMPT: [&str; 3] = ["messages", "prompt", "system"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interface {
    Chat,
    Completions,
    Messages,
    OllamaChat,
    OllamaGenerate,
}

impl Interface {
    pub(super) fn path(self) -> (Root, &'static str) {
        match self {
            Interface::Chat => (Root::Base, "chat/completions"),
            Interface::Completions => (Root::Base, "completions"),
            Interface::Messages => (Root::Base, "messages"),
            Interface::OllamaChat => (Root::Server, "api/chat"),
            Interface::OllamaGenerate => (Root::Server, "api/generate"),
        }
    }
}

/// One request for completions, before it has a wire format.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub(super) request: &'a ModelRequest,
    pub(super) n: u32,
    /// Completions already had: it moves the seed, lest the same be drawn again.
    pub(super) offset: u32,
    pub(super) limit: u32,
}

impl Wanted<'_> {
    pub(super) fn seed(&self) -> Option<u64> {
        self.request.seed.map(|seed| seed.wrapping_add(u64::from(self.offset)) & i64::MAX as u64)
    }
}

pub(super) fn is_raw(request: &ModelRequest) -> bool {
    matches!(request.messages.as_slice(), [only] if is_raw_text(only))
}

/// Whether a message is a raw text rather than one of a chat.
pub(super) fn is_raw_text(message: &PromptMessage) -> bool {
    message.role == "text"
}

pub(super) fn body(options: &Options, quirks: &Quirks, interface: Interface, wanted: Wanted<'_>) -> Value {
    let mut body = match interface {
        Interface::Chat | Interface::Completions => openai(options, quirks, interface, wanted),
        Interface::Messages => anthropic::body(options, quirks, wanted),
        Interface::OllamaChat | Interface::OllamaGenerate => ollama::body(options, quirks, interface, wanted),
    };
    quirks.leave_out(&mut body);
    for field in &options.omit {
        body.shift_remove(field);
    }
    merge(&mut body, &options.extra_body);
    Value::Object(body)
}

/// A body as a session records it: without the prompt, which the ask holds.
pub(super) fn parameters(body: &Value) -> Value {
    let Value::Object(body) = body else { return Value::Null };
    body.iter().filter(|(key, _)| !PROMPT.contains(&key.as_str())).map(|(k, v)| (k.clone(), v.clone())).collect()
}

/// Adds fields in place of those of the same name; objects are merged, null removes.
fn merge(into: &mut Map<String, Value>, from: &Map<String, Value>) {
    for (key, value) in from {
        match (into.get_mut(key), value) {
            (_, Value::Null) => {
                into.shift_remove(key);
            }
            (Some(Value::Object(own)), Value::Object(more)) => merge(own, more),
            _ => {
                into.insert(key.clone(), value.clone());
            }
        }
    }
}

fn openai(options: &Options, quirks: &Quirks, interface: Interface, wanted: Wanted<'_>) -> Map<String, Value> {
    let request = wanted.request;
    let mut body = Map::new();
    body.insert("model".into(), json!(options.model));
    match interface {
        Interface::Completions => body.insert("prompt".into(), json!(joined(&request.messages))),
        _ => body.insert("messages".into(), messages(request)),
    };
    body.insert(limit_field(options, quirks, interface).into(), json!(wanted.limit));
    body.insert("temperature".into(), json!(request.temperature));
    if request.frequency_penalty != 0.0 {
        body.insert("frequency_penalty".into(), json!(request.frequency_penalty));
    }
    if request.presence_penalty != 0.0 {
        body.insert("presence_penalty".into(), json!(request.presence_penalty));
    }
    if let Some(top_p) = request.top_p {
        body.insert("top_p".into(), json!(top_p));
    }
    if wanted.n > 1 {
        body.insert("n".into(), json!(wanted.n));
    }
    if !request.stop.is_empty() {
        body.insert("stop".into(), json!(request.stop));
    }
    if let Some(seed) = wanted.seed() {
        body.insert("seed".into(), json!(seed));
    }
    if request.logprobs {
        match interface {
            // The legacy field is a number: how many alternatives. 0 still gives the chosen tokens, but some servers read it
            // as false.
            Interface::Completions => body.insert("logprobs".into(), json!(options.top_logprobs.clamp(1, 5))),
            _ => body.insert("logprobs".into(), json!(true)),
        };
        if interface == Interface::Chat && options.top_logprobs > 0 {
            body.insert("top_logprobs".into(), json!(options.top_logprobs));
        }
    }
    if interface == Interface::Chat {
        if let Some(effort) = effort(&options.think) {
            body.insert("reasoning_effort".into(), json!(effort));
        }
        if let Some(structure) = &request.structure {
            let schema = json!({"name": "answer", "strict": structure.is_strict(), "schema": structure.schema()});
            body.insert("response_format".into(), json!({"type": "json_schema", "json_schema": schema}));
        }
    }
    if options.stream {
        body.insert("stream".into(), json!(true));
        body.insert("stream_options".into(), json!({"include_usage": true}));
    }
    body
}

/// The effort to reason with, as OpenAI's interface takes it.
fn effort(think: &Think) -> Option<&str> {
    Some(match think {
        Think::Auto => return None,
        Think::Off => "none",
        Think::On => "medium",
        Think::Effort(word) => word,
        Think::Budget(tokens) => effort_of(*tokens),
    })
}

pub(super) fn effort_of(tokens: u32) -> &'static str {
    match tokens {
        0..2048 => "low",
        2048..8192 => "medium",
        _ => "high",
    }
}

fn limit_field(options: &Options, quirks: &Quirks, interface: Interface) -> &'static str {
    if interface == Interface::Completions {
        return "max_tokens";
    }
    let completion = match options.limit_field {
        LimitField::MaxTokens => false,
        LimitField::MaxCompletionTokens => true,
        LimitField::Auto => options.base_url.contains("api.openai.com") != is_set(&quirks.other_limit),
    };
    if completion { "max_completion_tokens" } else { "max_tokens" }
}

/// Chat messages as role and content; a raw text as one to continue.
pub(super) fn messages(request: &ModelRequest) -> Value {
    let message = |role: &str, text: &str| json!({"role": role, "content": text});
    if is_raw(request) {
        let text = request.messages.first().map_or("", |m| m.text.as_str());
        return json!([message("system", CONTINUE), message("user", text)]);
    }
    request.messages.iter().map(|m| message(&m.role, &m.text)).collect()
}

/// Messages as one text, for an endpoint that has completions only.
fn joined(messages: &[PromptMessage]) -> String {
    let texts: Vec<&str> = messages.iter().map(|m| m.text.as_str()).collect();
    texts.join("\n\n")
}
