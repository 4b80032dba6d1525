//! The blocks of a message's content beside text: what a model thought, calls with their arguments, and results, of tools that the provider ran too.

use serde_json::Value as Json;

use super::conversation::{Called, Read, Turn, id_of, string, text_in, text_of};
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

/// The thought of a block; of one that the provider keeps to itself what it says in its place.
pub(super) fn thought(block: &Json) -> Option<String> {
    if !matches!(kind(block), "thinking" | "reasoning") {
        return None;
    }
    let is_told = block.get("redacted").and_then(Json::as_bool) != Some(true);
    let thought = ["thinking", "reasoning", "content", "text"].iter().find_map(|key| string(block, key));
    let thought = thought.filter(|thought| is_told && !thought.is_empty());
    thought.or_else(|| block.get("summary").and_then(text_of))
}

pub(super) fn call(read: &mut Read, place: &str, block: &Json) -> Option<Called> {
    let name = string(block, "name").unwrap_or_default();
    let arguments = match kind(block) {
        "tool_call" => arguments(read, place, &name, block),
        kind if kind == "server_tool_call" || is_use(block) => {
            let given = ["input", "server_tool_call"].iter().find_map(|key| block.get(*key)).cloned();
            given.or_else(|| code(block)).unwrap_or_else(|| arguments(read, place, &name, block))
        }
        _ => return None,
    };
    Some(Called { id: id_of(block, "id"), name, arguments })
}

/// The code that a provider ran, where Inspect has it in the place of arguments.
fn code(block: &Json) -> Option<Json> {
    let is_code = block.get("tool_type").and_then(Json::as_str) == Some("code_execution");
    let text = string(block, "arguments").filter(|_| is_code)?;
    let is_object = lenient::parse(&text).is_ok_and(|given| given.is_object());
    (!is_object).then(|| serde_json::json!({ "code": text }))
}

pub(super) fn result(block: &Json) -> Turn {
    let id = ["tool_use_id", "tool_call_id", "id"].iter().find_map(|key| id_of(block, key));
    let error = block.get("error").filter(|error| is_error(error));
    let given = ["content", "result", "response", "output", "server_tool_call_response"];
    let given = given.iter().find_map(|key| block.get(*key));
    let given = given.filter(|given| !given.is_null());
    // What a provider's tool found has no text, but fields of its own.
    let is_own = matches!(kind(block), "tool_result" | "tool_call_response" | "tool_use");
    let text = |given: &Json| Some(returned(given)).filter(|text| is_own || !text.is_empty());
    let text = given.map(|given| text(given).unwrap_or_else(|| readable(given).to_string()));
    let failed = error.is_some()
        || has_failed(block)
        || block.get("is_error").and_then(Json::as_bool).unwrap_or_default()
        || given.is_some_and(|given| kind(given).ends_with("_error"));
    Turn::Result { id, text: with_error(text, error), failed }
}

/// Whether the value of an error is one: `false`, 0 and nothing say that there is none.
pub(super) fn is_error(value: &Json) -> bool {
    match value {
        Json::Null | Json::Bool(false) => false,
        Json::Number(number) => number.as_f64() != Some(0.0),
        Json::String(words) => !words.is_empty(),
        Json::Array(items) => !items.is_empty(),
        Json::Object(fields) => !fields.is_empty(),
        Json::Bool(true) => true,
    }
}

/// Whether the status of what came of a call says that it failed.
pub(super) fn has_failed(of: &Json) -> bool {
    of.get("status").and_then(Json::as_str).is_some_and(|status| matches!(status, "failed" | "error"))
}

/// What a call returned, below the words of the error that it failed with, unless it says them itself.
pub(super) fn with_error(text: Option<String>, error: Option<&Json>) -> Option<String> {
    let Some(words) = error.and_then(words) else { return text };
    Some(match text {
        Some(text) if text.contains(&words) => text,
        text => joined(&words, text.as_deref().unwrap_or_default()).into_owned(),
    })
}

/// The words of an error; one that has none of its own as what it is.
fn words(error: &Json) -> Option<String> {
    let own = error.as_str().map(str::to_owned).or_else(|| string(error, "message"));
    own.or_else(|| (error.is_object() || error.is_array()).then(|| readable(error).to_string()))
}

/// Parts of what a call returned that nobody can read as text.
const MEDIA: [&str; 6] = ["image", "screenshot", "audio", "video", "file", "document"];

fn is_media(part: &Json) -> bool {
    MEDIA.iter().any(|media| kind(part).contains(media))
}

/// The type of a part of a message that is neither read nor one of [`MEDIA`]; empty where it says none.
pub(super) fn unknown(part: &Json) -> Option<&str> {
    let of = kind(part);
    let is_bare = of.is_empty() && (!part.is_object() || text_in(part).is_some());
    let is_said = is_bare || of == "refusal" || of.ends_with("text");
    let is_thought = of == "reasoning" || of.ends_with("thinking");
    let is_call = matches!(of, "tool_call" | "server_tool_call") || is_use(part) || is_response(part);
    let is_known = is_said || is_thought || is_call || is_media(part);
    (!is_known).then_some(of)
}

/// What a call returned, as text; a part that has none as what it is.
pub(super) fn returned(given: &Json) -> String {
    if is_media(given) {
        return String::new();
    }
    let is_told = |part: &Json| part.is_object() && text_in(part).is_none() && !is_media(part);
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
const OWN: [&str; 10] = [
    "id", "type", "status", "call_id", "name", "server_label", "approval_request_id", "pending_safety_checks",
    "fingerprint", "error",
];
/// Where such an item holds what came of it.
const CAME: [&str; 4] = ["output", "outputs", "results", "result"];

/// A call of a tool that is the provider's own or that it ran (`local_shell_call`, `web_search_call`, `mcp_call`), called by its name, else by its
/// type; and what came of it, where the item holds that or says that it failed.
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
    let id = id_of(item, "call_id").or_else(|| id_of(item, "id"));
    let came = CAME.iter().find_map(|key| item.get(*key).filter(|came| !came.is_null()));
    // A picture that was made is written out as its bytes.
    let text = came.map(|came| if kind(item).starts_with("image") { String::new() } else { returned(came) });
    let error = item.get("error").filter(|error| is_error(error));
    let failed = error.is_some() || has_failed(item);
    let text = with_error(text, error);
    let result = (failed || text.is_some()).then(|| Turn::Result { id: id.clone(), text, failed });
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
