//! Conversations in the forms that models are asked in: Chat Completions, Responses' items, Messages; whole, as bodies of requests,
//! and as a proxy logs them, where each request repeats the beginning of the next.

use serde_json::Value as Json;

use super::blocks::{self, arguments, is_response};
use super::conversation::{Asked, Called, Conversation, Read, Turn, calls, id_of, string, text_of};
use super::lenient;

pub(super) fn is_message(value: &Json) -> bool {
    let of = |key: &str| value.get(key).and_then(Json::as_str);
    of("role").is_some()
        && (value.get("content").is_some() || value.get("tool_calls").is_some() || value.get("parts").is_some())
        || of("type").is_some_and(|kind| is_item(kind) || matches!(kind, "message" | "reasoning"))
}

fn is_call(kind: &str) -> bool {
    kind.ends_with("_call") || kind == "program"
}

fn is_output(kind: &str) -> bool {
    kind.ends_with("_call_output") || matches!(kind, "tool_search_output" | "program_output")
}

fn is_item(kind: &str) -> bool {
    is_call(kind) || is_output(kind)
}

/// The messages or items of a body, and under what name they stand.
fn messages(body: &Json) -> Option<(&'static str, Vec<Json>)> {
    ["messages", "input", "items"].into_iter().find_map(|key| match body.get(key)? {
        Json::Array(items) => Some((key, items.clone())),
        Json::String(text) => Some((key, vec![serde_json::json!({ "role": "user", "content": text })])),
        _ => None,
    })
}

/// What is asked of a conversation, or of texts, that nobody answers: embeddings, judgements, speech, how many tokens there are.
const OTHERS: [&str; 5] = ["embeddings", "moderations", "audio/speech", "count_tokens", "input_tokens"];

/// A request as a proxy logs it.
pub(super) fn request(read: &mut Read, value: &Json) -> bool {
    let path = string(value, "path").or_else(|| string(value, "url")).unwrap_or_default();
    let body = match value.get("body") {
        Some(Json::String(text)) => lenient::parse(text).unwrap_or(Json::Null),
        Some(body) => body.clone(),
        None => Json::Null,
    };
    read.format("openai-chat-requests");
    if OTHERS.iter().any(|other| path.contains(other)) || messages(&body).is_none() {
        let note = format!("requests to {path} are no conversation and were not read");
        if !read.notes.contains(&note) {
            read.notes.push(note);
        }
        return true;
    }
    let Some((conversation, messages)) = whole(read, &body) else { return false };
    let (id, messages) = (conversation.about.id.clone(), uncached(messages));
    // Where an earlier request is the beginning of this one or was the same, and is of no other id.
    let goes_on = |of: &Asked| of.id == id && messages.starts_with(&of.messages);
    match read.requests.iter().rposition(goes_on).and_then(|at| read.requests.get_mut(at)) {
        Some(earlier) => {
            earlier.messages = messages;
            let log = earlier.log;
            read.put(log, conversation);
        }
        None => {
            read.requests.push(Asked { log: read.logs.len(), id, messages });
            read.add(conversation);
        }
    }
    true
}

/// Messages without what marks them to be cached: a client moves it to the newest with every request.
fn uncached(mut messages: Vec<Json>) -> Vec<Json> {
    for message in &mut messages {
        unmark(message);
        // A text alone and one block of it are the same.
        let text = match message.get("content").and_then(Json::as_array).map(Vec::as_slice) {
            Some([Json::Object(block)]) if block.len() == 2 && block.get("type") == Some(&"text".into()) => {
                block.get("text").cloned()
            }
            _ => None,
        };
        if let (Some(text), Some(content)) = (text, message.get_mut("content")) {
            *content = text;
        }
    }
    messages
}

/// Takes such marks off a value, however deep they stand.
fn unmark(value: &mut Json) {
    match value {
        Json::Array(items) => items.iter_mut().for_each(unmark),
        Json::Object(object) => {
            object.shift_remove("cache_control");
            object.values_mut().for_each(unmark);
        }
        _ => {}
    }
}

/// A conversation, or the body of a request: an episode.
pub(super) fn conversation(read: &mut Read, body: &Json) -> bool {
    let conversation = whole(read, body).map(|(conversation, _)| conversation);
    conversation.map(|conversation| read.add(conversation)).is_some()
}

/// The conversation of a body, and its messages or items.
fn whole(read: &mut Read, body: &Json) -> Option<(Conversation, Vec<Json>)> {
    let (key, messages) = messages(body)?;
    let mut blocks = messages.iter().filter_map(|m| m.get("content")?.as_array()).flatten();
    let tools = body.get("tools").and_then(Json::as_array).cloned().unwrap_or_default();
    let is_anthropic = body.get("system").is_some()
        || tools.iter().any(|tool| tool.get("input_schema").is_some())
        || blocks.any(|block| blocks::is_use(block) || is_response(block));
    let is_item = |m: &Json| m.get("type").and_then(Json::as_str).is_some_and(is_item);
    read.format(match key {
        "messages" if is_anthropic => "anthropic-messages",
        "messages" if !messages.iter().any(is_item) => "openai-chat",
        _ => "openai-responses",
    });
    let conversation = turns(read, key, &messages, tools, body);
    Some((conversation, messages))
}

/// The turns of messages or items. What is wrong with one is told, with its place, and the rest is read.
fn turns(read: &mut Read, key: &str, messages: &[Json], tools: Vec<Json>, body: &Json) -> Conversation {
    // A tool that takes a text is nested as its calls are.
    let plain = |tool: Json| tool.get("custom").filter(|inside| inside.is_object()).cloned().unwrap_or(tool);
    let added = messages.iter().filter(|item| string(item, "type").as_deref() == Some("additional_tools"));
    let added = added.filter_map(|item| item.get("tools")?.as_array()).flatten().cloned();
    let tools = tools.into_iter().chain(added).map(plain).collect();
    let mut conversation = Conversation { tools, ..Conversation::default() };
    conversation.about.model = string(body, "model");
    if let Some(id) = string(body, "id") {
        conversation.about.id = id;
    }
    for (at, message) in messages.iter().enumerate() {
        self::message(read, &format!("{key}[{at}]"), message, &mut conversation.turns);
    }
    conversation
}

/// The id of the call that a message or an item answers. Its own is that where a call has it.
fn answered(message: &Json, turns: &[Turn]) -> Option<String> {
    let is_called = |id: &String| calls(turns).any(|call| call.id.as_ref() == Some(id));
    let named = ["tool_call_id", "call_id"].iter().find_map(|key| id_of(message, key));
    named.or_else(|| id_of(message, "id").filter(is_called))
}

/// Calls belong to the answer that they stand next to.
fn act(turns: &mut Vec<Turn>, made: Vec<Called>) {
    match turns.last_mut() {
        Some(Turn::Agent { calls, .. }) => calls.extend(made),
        _ => turns.push(Turn::Agent { text: String::new(), calls: made }),
    }
}

pub(super) fn message(read: &mut Read, place: &str, message: &Json, turns: &mut Vec<Turn>) {
    let of = |key: &str| string(message, key);
    let kind = of("type").unwrap_or_default();
    if is_output(&kind) {
        let came = ["output", "result", "tools"].iter().find_map(|key| message.get(*key));
        let text = came.filter(|came| !came.is_null()).map(blocks::returned);
        let id = answered(message, turns);
        turns.push(Turn::Result { id, text, failed: blocks::has_failed(message) });
        return;
    }
    if is_call(&kind) {
        let (called, result) = match kind.as_str() {
            "function_call" | "custom_tool_call" => {
                let name = of("name").unwrap_or_default();
                let arguments = arguments(read, place, &name, message);
                (Called { id: id_of(message, "call_id"), name, arguments }, None)
            }
            _ => blocks::built_in(read, place, message),
        };
        // The calls of one answer are items of their own.
        act(turns, vec![called]);
        turns.extend(result);
        return;
    }
    if kind == "reasoning" {
        let texts = ["summary", "content"].iter().filter_map(|key| text_of(message.get(*key)?));
        let thoughts = texts.filter(|text| !text.is_empty()).map(Turn::Thought);
        // Between calls of one answer it is of that answer.
        let is_within = matches!(turns.last(), Some(Turn::Agent { calls, .. }) if !calls.is_empty());
        let at = turns.len() - usize::from(is_within);
        turns.splice(at..at, thoughts);
        return;
    }
    let Some(role) = of("role") else {
        let what =
            if kind.is_empty() { "a message without `role`".to_owned() } else { format!("items of type `{kind}`") };
        read.unread(place, &what);
        return;
    };
    let content = message.get("content").or_else(|| message.get("parts")).unwrap_or(&Json::Null);
    let text = text_of(content);
    match role.as_str() {
        "system" | "developer" => {}
        "tool" | "function" | "ipython" if content.as_array().is_none_or(|parts| !parts.iter().any(is_response)) => {
            let errors = ["error", "tool_error"].iter().filter_map(|key| message.get(*key));
            let error = { errors }.find(|error| blocks::is_error(error));
            let text = (!content.is_null()).then(|| blocks::returned(content));
            let failed = error.is_some() || blocks::has_failed(message);
            let id = answered(message, turns);
            turns.push(Turn::Result { id, text: blocks::with_error(text, error), failed });
        }
        "assistant" | "model" | "ai" => {
            unread(read, place, content);
            let mut calls = Vec::new();
            for (at, call) in message.get("tool_calls").and_then(Json::as_array).into_iter().flatten().enumerate() {
                let place = format!("{place}.tool_calls[{at}]");
                let inside = ["function", "custom"].iter().find_map(|key| call.get(*key).filter(|f| f.is_object()));
                let inside = inside.unwrap_or(call);
                let name = string(inside, "name").or_else(|| string(call, "function")).unwrap_or_default();
                if name.is_empty() {
                    read.notes.push(format!("{place}: a call without a name"));
                }
                let arguments = arguments(read, &place, &name, inside);
                calls.push(Called { id: id_of(call, "id"), name, arguments });
            }
            if let Some(call) = message.get("function_call").filter(|call| call.is_object()) {
                let name = string(call, "name").unwrap_or_default();
                let arguments = arguments(read, place, &name, call);
                calls.push(Called { id: None, name, arguments });
            }
            let thought = ["reasoning_content", "reasoning"].iter().find_map(|key| of(key).filter(|t| !t.is_empty()));
            turns.extend(thought.map(Turn::Thought));
            let Some(parts) = content.as_array().filter(|parts| !parts.is_empty()) else {
                let spoken = || of("refusal").or_else(|| string(message.get("audio")?, "transcript"));
                let text = text.filter(|text| !text.is_empty()).or_else(spoken);
                turns.push(Turn::Agent { text: text.unwrap_or_default(), calls });
                return;
            };
            // What follows the result of a tool that the provider ran was said knowing it.
            for said in parts.split_inclusive(is_response) {
                turns.extend(said.iter().filter_map(blocks::thought).map(Turn::Thought));
                let calls = said.iter().filter_map(|block| blocks::call(read, place, block)).collect();
                let text = text_of(&Json::Array(said.to_vec())).unwrap_or_default();
                turns.push(Turn::Agent { text, calls });
                turns.extend(said.last().filter(|block| is_response(block)).map(blocks::result));
            }
            // An answer ends with the calls that somebody else is to make.
            if !calls.is_empty() {
                act(turns, calls);
            }
        }
        _ => {
            unread(read, place, content);
            let parts = content.as_array().into_iter().flatten();
            turns.extend(parts.filter(|block| is_response(block)).map(blocks::result));
            let rest = content.as_array().is_none_or(|parts| parts.iter().any(|part| !is_response(part)));
            let only_text = |parts: &Vec<Json>| {
                let parts: Vec<Json> = parts.iter().filter(|part| !is_response(part)).cloned().collect();
                text_of(&Json::Array(parts))
            };
            let text = content.as_array().map_or(text, only_text);
            turns.extend(text.filter(|_| rest).map(Turn::User));
        }
    }
}

/// Tells of parts that nobody reads here.
fn unread(read: &mut Read, place: &str, content: &Json) {
    for kind in content.as_array().into_iter().flatten().filter_map(blocks::unknown) {
        let what = if kind.is_empty() { "parts without `type`".to_owned() } else { format!("parts of type `{kind}`") };
        read.unread(place, &what);
    }
}
