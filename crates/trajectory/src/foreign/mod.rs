//! Logs of other programs: conversations of agents with models, whose tool calls are the actions and whose results the observations.
//! Each format is known by its content and read into turns, and what becomes of turns is the same for all (`conversation`).

mod atif;
mod blocks;
mod chat;
mod conversation;
mod inspect;
mod lenient;
mod memory;
mod otel;
mod steps;
#[cfg(test)]
mod tests;

use serde_json::{Value as Json, json};

pub(crate) use conversation::Read;
use conversation::string;
pub use lenient::parse;

use crate::record::Trajectory;

/// The formats of other programs, as their readers are named.
pub const FORMATS: [(&str, &str); 12] = [
    ("inspect-eval", "Inspect's .eval"),
    ("inspect-json", "Inspect's .json"),
    ("atif", "ATIF 1.0 to 1.8 (Harbor)"),
    ("openai-chat", "OpenAI Chat Completions, a conversation or a request a line"),
    ("openai-chat-requests", "all requests of agents as a proxy logs them"),
    ("openai-responses", "OpenAI Responses' items"),
    ("anthropic-messages", "Anthropic Messages"),
    ("langchain-messages", "LangChain's messages"),
    ("langchain-dumpd", "LangChain's dumpd"),
    ("smolagents-memory", "smolagents' memory"),
    ("otlp-json", "OpenTelemetry GenAI spans, OTLP JSON"),
    ("otel-sdk-spans", "OpenTelemetry GenAI spans as an SDK prints them"),
];

/// Reads a value that is one episode or several. Whether it is of a format of other programs.
fn value_of(read: &mut Read, value: &Json) -> bool {
    match value {
        Json::Array(items) => match items.first() {
            Some(first) if memory::is_langchain(first) => memory::langchain(read, items),
            Some(_) if items.iter().any(chat::is_message) => chat::conversation(read, &json!({ "messages": items })),
            Some(_) if memory::are_smolagents(items) => memory::smolagents(read, None, "", items),
            Some(_) => {
                let spans: Vec<Vec<Json>> = items.iter().filter_map(|item| otel::spans_of(read, item)).collect();
                if !spans.is_empty() {
                    return otel::spans(read, &spans.concat());
                }
                items.iter().filter(|item| value_of(read, item)).count() > 0
            }
            None => false,
        },
        Json::Object(object) => {
            let has = |key: &str| object.contains_key(key);
            let list = |key: &str| object.get(key).is_some_and(Json::is_array);
            if object.get("schema_version").and_then(Json::as_str).is_some_and(|v| v.starts_with("ATIF")) {
                atif::read(read, value)
            } else if let Some(spans) = otel::spans_of(read, value) {
                otel::spans(read, &spans)
            } else if has("eval") && (has("samples") || has("status")) {
                inspect::json(read, value)
            } else if has("body") && (has("path") || has("url")) {
                chat::request(read, value)
            } else if let Some(steps) =
                object.get("steps").and_then(Json::as_array).filter(|steps| memory::is_smolagents(steps))
            {
                memory::smolagents(read, string(value, "task"), "steps", steps)
            } else if list("messages") || list("items") || has("input") && (list("input") || has("model")) {
                match object.get("messages").and_then(|m| m.get(0)).filter(|first| memory::is_langchain(first)) {
                    Some(_) => {
                        memory::langchain(read, object.get("messages").and_then(Json::as_array).map_or(&[], |m| m))
                    }
                    None => chat::conversation(read, value),
                }
            } else {
                false
            }
        }
        _ => false,
    }
}

/// Reads a zip, which is a log of Inspect.
pub(crate) fn read_zip(bytes: &[u8]) -> Read {
    let mut read = Read { format: "inspect-eval", ..Read::default() };
    inspect::zip(&mut read, bytes);
    read
}

/// Reads JSON: one value, or one a line. `None` if nothing of it is of a format of other programs.
pub(crate) fn read_text(text: &str, own: impl Fn(&str) -> Result<Trajectory, String>) -> Option<Read> {
    let mut read = Read::default();
    let first = text.lines().find(|line| !line.trim().is_empty())?;
    if !is_value(first) {
        read.line = 1;
        match lenient::parse(text) {
            Ok(value) => {
                if !value_of(&mut read, &value) && read.logs.is_empty() {
                    read.fail(unknown(&value));
                }
                return Some(read);
            }
            // A broken first line, where others are whole. Those that are indented are parts of one value.
            Err(_) if text.lines().any(|line| !line.starts_with(char::is_whitespace) && is_value(line)) => {}
            Err(e) => {
                read.line = e.line();
                read.fail(format!("no JSON: {e}"));
                return Some(read);
            }
        }
    }
    let mut foreign = false;
    let mut spans: Option<Vec<Json>> = None;
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        read.line = at + 1;
        let value = lenient::parse(line);
        // Those of a trace may stand in several lines.
        if let Some(found) = value.as_ref().ok().and_then(|value| otel::spans_of(&mut read, value)) {
            spans.get_or_insert_default().extend(found);
            continue;
        }
        match value {
            Ok(value) if value_of(&mut read, &value) => foreign = true,
            Ok(value) => match own(line) {
                Ok(log) => read.logs.push(Ok(log)),
                Err(_) if value.get("steps").or_else(|| value.get("id")).is_none() => read.fail(unknown(&value)),
                Err(why) => read.fail(why),
            },
            // Our own reader has its own words for it.
            Err(e) => match own(line) {
                Ok(log) => read.logs.push(Ok(log)),
                Err(why) if !foreign && spans.is_none() => read.fail(why),
                Err(_) => read.fail(format!("no JSON: {e}")),
            },
        }
    }
    if let Some(spans) = spans {
        foreign = true;
        read.line = 1;
        otel::spans(&mut read, &spans);
    }
    let all_unknown = !foreign && text.lines().filter(|line| !line.trim().is_empty()).count() == 1;
    (foreign || all_unknown && read.logs.iter().all(Result::is_err)).then_some(read)
}

/// Whether a line is a value by itself.
fn is_value(line: &str) -> bool {
    lenient::parse(line).is_ok_and(|value| value.is_object() || value.is_array())
}

fn unknown(value: &Json) -> String {
    let fields = match value {
        Json::Object(object) => {
            let names: Vec<String> = object.keys().take(8).map(|name| format!("`{name}`")).collect();
            format!("it has the fields {}", names.join(", "))
        }
        Json::Array(_) => "it is a list of none of them".to_owned(),
        _ => "it is no object".to_owned(),
    };
    let known: Vec<&str> = FORMATS.iter().map(|(_, words)| *words).collect();
    format!(
        "no log that is read here, {fields}; known are {}, ReAct's transcripts, and our own lines with `id` and `steps` with `action`",
        known.join(", ")
    )
}
