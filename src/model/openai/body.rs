//! Request bodies: exactly what is sent, field by field.

use serde_json::{Map, Value, json};

use super::options::{LimitField, Options};
use super::quirks::{Quirks, is_set};
use crate::model::{ModelRequest, PromptMessage};

/// Told to a chat model that stands in for raw completion.
pub(super) const CONTINUE: &str = "Continue the user's text exactly where it ends. Answer with the continuation only: do not \
repeat any of the text, add no comment and no code fence.";

/// Which interface a body is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interface {
    Chat,
    Completions,
}

impl Interface {
    /// The path below the base URL.
    pub(super) fn path(self) -> &'static str {
        match self {
            Interface::Chat => "chat/completions",
            Interface::Completions => "completions",
        }
    }
}

/// Whether the request asks for a raw completion.
pub(super) fn is_raw(request: &ModelRequest) -> bool {
    matches!(request.messages.as_slice(), [only] if is_raw_text(only))
}

/// Whether a message is a raw text rather than one of a chat.
pub(super) fn is_raw_text(message: &PromptMessage) -> bool {
    message.role == "text"
}

/// The body asking for `n` completions. `offset` counts those already had: it moves the seed, lest the same be drawn again.
pub(super) fn body(
    options: &Options,
    quirks: &Quirks,
    interface: Interface,
    request: &ModelRequest,
    n: u32,
    offset: u32,
) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), json!(options.model));
    match interface {
        Interface::Chat => body.insert("messages".into(), messages(request)),
        Interface::Completions => body.insert("prompt".into(), json!(joined(&request.messages))),
    };
    body.insert(limit_field(options, quirks, interface).into(), json!(request.max_tokens));
    body.insert("temperature".into(), json!(request.temperature));
    if request.frequency_penalty != 0.0 {
        body.insert("frequency_penalty".into(), json!(request.frequency_penalty));
    }
    if n > 1 {
        body.insert("n".into(), json!(n));
    }
    if !request.stop.is_empty() {
        body.insert("stop".into(), json!(request.stop));
    }
    if let Some(seed) = request.seed.filter(|_| !is_set(&quirks.no_seed)) {
        body.insert("seed".into(), json!(seed.wrapping_add(u64::from(offset)) & i64::MAX as u64));
    }
    if request.logprobs && !is_set(&quirks.no_logprobs) {
        match interface {
            Interface::Chat => {
                body.insert("logprobs".into(), json!(true));
                if options.top_logprobs > 0 {
                    body.insert("top_logprobs".into(), json!(options.top_logprobs));
                }
            }
            // The legacy field is a number: how many alternatives. 0 still gives the chosen tokens, but some servers read it
            // as false.
            Interface::Completions => {
                body.insert("logprobs".into(), json!(options.top_logprobs.clamp(1, 5)));
            }
        }
    }
    if options.stream {
        body.insert("stream".into(), json!(true));
        if !is_set(&quirks.no_stream_options) {
            body.insert("stream_options".into(), json!({"include_usage": true}));
        }
    }
    for field in &options.omit {
        body.shift_remove(field);
    }
    Value::Object(body)
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

fn messages(request: &ModelRequest) -> Value {
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
