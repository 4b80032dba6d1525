//! The blocks of a message's content beside text: what a model thought, calls with their arguments, and results, of tools that the provider ran too.

use serde_json::Value as Json;

use super::conversation::{Called, Read, Turn, string, text_in, text_of};
use super::lenient;
use crate::record::joined;

/// The arguments of a call as JSON; a text that is none is told and kept as it is. A tool that takes a text has it as its input.
pub(super) fn arguments(read: &mut Read, place: &str, name: &str, call: &Json) -> Json {
    match ["arguments", "args"].iter().find_map(|key| call.get(*key)) {
        Some(Json::String(text)) if text.trim().is_empty() => Json::Object(serde_json::Map::new()),
        Some(Json::String(text)) => match lenient::parse(text) {
            Ok(arguments @ Json::Object(_)) => arguments,
            Ok(arguments) => {
                read.notes.push(format!("{place}: the arguments of `{name}` are no object but {text}"));
                arguments
            }
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

/// Whether a block says what a call returned; Inspect has a call and what it returned in one.
pub(super) fn is_response(block: &Json) -> bool {
    let is_done =
        || block.get("result").is_some_and(|result| !result.is_null()) || block.get("error").is_some_and(is_error);
    kind(block).ends_with("tool_result")
        || kind(block).ends_with("tool_call_response")
        || kind(block) == "tool_use" && is_done()
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
        kind if kind == "server_tool_call" || is_use(block) => {
            let given = ["input", "server_tool_call"].iter().find_map(|key| block.get(*key)).cloned();
            given.unwrap_or_else(|| arguments(read, place, &name, block))
        }
        _ => return None,
    };
    Some(Called { id: string(block, "id"), name, arguments })
}

pub(super) fn result(block: &Json) -> Turn {
    let id = string(block, "tool_use_id").or_else(|| string(block, "id"));
    let error = block.get("error").filter(|error| is_error(error));
    let given = ["content", "result", "response", "server_tool_call_response"].iter().find_map(|key| block.get(*key));
    let given = given.filter(|given| !given.is_null());
    // What a provider's tool found has no text, but fields of its own.
    let is_own = matches!(kind(block), "tool_result" | "tool_call_response" | "tool_use");
    let text = |given: &Json| Some(returned(given)).filter(|text| is_own || !text.is_empty());
    let text = given.map(|given| text(given).unwrap_or_else(|| readable(given).to_string()));
    let failed = error.is_some()
        || block.get("is_error").and_then(Json::as_bool).unwrap_or_default()
        || given.is_some_and(|given| kind(given).ends_with("_error"));
    Turn::Result { id, text: with_error(text, error), failed }
}

/// Whether the value of an error is one: `false`, 0 and nothing say that there is none.
pub(super) fn is_error(value: &Json) -> bool {
    !value.is_null() && *value != Json::Bool(false) && value.as_str() != Some("") && value.as_f64() != Some(0.0)
}

/// What a call returned, below the words of the error that it failed with, unless it says them itself.
pub(super) fn with_error(text: Option<String>, error: Option<&Json>) -> Option<String> {
    let Some(words) = error.and_then(words) else { return text };
    Some(match text {
        Some(text) if text.contains(&words) => text,
        text => joined(&words, text.as_deref().unwrap_or_default()).into_owned(),
    })
}

/// The words of an error.
fn words(error: &Json) -> Option<String> {
    error.as_str().map(str::to_owned).or_else(|| string(error, "message"))
}

/// Parts of what a call returned that nobody can read as text.
const MEDIA: [&str; 5] = ["image", "audio", "video", "file", "document"];

/// The type of a part of a message that is neither read nor one of [`MEDIA`].
pub(super) fn unknown(part: &Json) -> Option<&str> {
    let of = kind(part);
    let is_said = of.is_empty() || of == "refusal" || of.ends_with("text");
    let is_thought = of == "reasoning" || of.ends_with("thinking");
    let is_call = matches!(of, "tool_call" | "server_tool_call") || is_use(part) || is_response(part);
    let is_known = is_said || is_thought || is_call || MEDIA.iter().any(|media| of.contains(media));
    (!is_known).then_some(of)
}

/// What a call returned, as text; a part that has none as what it is.
pub(super) fn returned(given: &Json) -> String {
    let is_told = |part: &Json| {
        part.is_object() && text_in(part).is_none() && !MEDIA.iter().any(|media| kind(part).contains(media))
    };
    let text = text_of(given);
    let Some(parts) = given.as_array().filter(|parts| parts.iter().any(is_told)) else {
        return text.unwrap_or_else(|| readable(given).to_string());
    };
    if text.is_none_or(|text| text.is_empty()) {
        return readable(given).to_string();
    }
    let part = |part: &Json| text_in(part).or_else(|| is_told(part).then(|| readable(part).to_string()));
    parts.iter().filter_map(part).collect::<Vec<_>>().join("\n")
}

/// What an item of a built-in tool is besides what the tool was told.
const OWN: [&str; 7] = ["id", "type", "status", "call_id", "name", "server_label", "approval_request_id"];
/// Where such an item holds what came of it.
const CAME: [&str; 5] = ["error", "output", "outputs", "results", "result"];

/// A call of a tool that is the provider's own or that it ran (`local_shell_call`, `web_search_call`, `mcp_call`), called by its name, else by its
/// type; and what came of it, where the item holds that.
pub(super) fn built_in(read: &mut Read, place: &str, item: &Json) -> (Called, Option<Turn>) {
    let name = string(item, "name").unwrap_or_else(|| kind(item).trim_end_matches("_call").to_owned());
    let told = ["action", "operation"].iter().find_map(|key| item.get(*key).filter(|told| told.is_object()));
    let arguments = match (item.get("arguments"), told, item) {
        (Some(_), ..) => arguments(read, place, &name, item),
        (None, Some(told), _) => told.clone(),
        (None, None, Json::Object(fields)) => {
            let told = fields.iter().filter(|(key, value)| {
                !OWN.contains(&key.as_str()) && !CAME.contains(&key.as_str()) && !value.is_null()
            });
            told.map(|(key, value)| (key.clone(), value.clone())).collect()
        }
        _ => Json::Null,
    };
    let id = string(item, "call_id").or_else(|| string(item, "id"));
    let came = CAME.iter().find_map(|key| Some((*key, item.get(*key).filter(|came| !came.is_null())?)));
    let result = came.map(|(key, came)| Turn::Result {
        id: id.clone(),
        text: Some(text_of(came).filter(|text| !text.is_empty()).unwrap_or_else(|| readable(came).to_string())),
        failed: key == "error" || item.get("status").is_some_and(|status| status == "failed"),
    });
    (Called { id, name, arguments }, result)
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
