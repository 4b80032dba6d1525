//! The blocks of a message's content beside text: what a model thought, calls with their arguments, and results, of tools that the provider ran too.

use serde_json::Value as Json;

use super::conversation::{Called, Read, Turn, string, text_of};

/// The arguments of a call as JSON; a text that is none is told and kept as it is. A tool that takes a text has it as its input.
pub(super) fn arguments(read: &mut Read, place: &str, name: &str, call: &Json) -> Json {
    match ["arguments", "args"].iter().find_map(|key| call.get(*key)) {
        Some(Json::String(text)) if text.trim().is_empty() => Json::Object(serde_json::Map::new()),
        Some(Json::String(text)) => match serde_json::from_str(text) {
            Ok(arguments) => arguments,
            Err(e) => {
                read.fail(format!(
                    "{place}: the arguments of `{name}` are no JSON ({e}); the call is kept with their text"
                ));
                Json::String(text.clone())
            }
        },
        Some(given) => given.clone(),
        None => match call.get("input") {
            Some(input) => serde_json::json!({ "input": input }),
            None => Json::Object(serde_json::Map::new()),
        },
    }
}

fn kind(block: &Json) -> &str {
    block.get("type").and_then(Json::as_str).unwrap_or_default()
}

pub(super) fn is_use(block: &Json) -> bool {
    kind(block).ends_with("tool_use")
}

pub(super) fn is_response(block: &Json) -> bool {
    kind(block).ends_with("tool_result") || kind(block) == "tool_call_response"
}

/// The thought of a block; one that the provider keeps to itself is none.
pub(super) fn thought(block: &Json) -> Option<String> {
    let is_thought = matches!(kind(block), "thinking" | "reasoning");
    let is_told = block.get("redacted").and_then(Json::as_bool) != Some(true);
    let thought = || ["thinking", "reasoning", "content", "text"].iter().find_map(|key| string(block, key));
    (is_thought && is_told).then(thought).flatten()
}

pub(super) fn call(read: &mut Read, place: &str, block: &Json) -> Option<Called> {
    let name = string(block, "name").unwrap_or_default();
    let arguments = match kind(block) {
        "tool_call" => arguments(read, place, &name, block),
        _ if is_use(block) => block.get("input").cloned().unwrap_or_default(),
        _ => return None,
    };
    Some(Called { id: string(block, "id"), name, arguments })
}

pub(super) fn result(block: &Json) -> Turn {
    let id = string(block, "tool_use_id").or_else(|| string(block, "id"));
    let given = ["content", "result", "response"].iter().find_map(|key| block.get(*key));
    let given = given.filter(|given| !given.is_null());
    // What a provider's tool found has no text, but fields of its own.
    let is_own = matches!(kind(block), "tool_result" | "tool_call_response");
    let text = |given: &Json| text_of(given).filter(|text| is_own || !text.is_empty());
    let text = given.map(|given| text(given).unwrap_or_else(|| readable(given).to_string()));
    let failed = block.get("is_error").and_then(Json::as_bool).unwrap_or_default()
        || given.is_some_and(|given| kind(given).ends_with("_error"));
    Turn::Result { id, text, failed }
}

/// A value without what only the provider can read.
fn readable(value: &Json) -> Json {
    match value {
        Json::Array(items) => items.iter().map(readable).collect(),
        Json::Object(object) => {
            let told = object.iter().filter(|(key, _)| !key.starts_with("encrypted_"));
            Json::Object(told.map(|(key, item)| (key.clone(), readable(item))).collect())
        }
        _ => value.clone(),
    }
}
