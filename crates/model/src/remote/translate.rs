//! Translation of another program's request into the interface that the server speaks: the conversation with its images, the tools,
//! what limits an answer and which tools it may call; and what of it the other interface does not carry, in words.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use stepwright_wire::{Api, Form, Image, Message, Part, Request, Role, ToolCall, images, lenient};

/// Most tokens of an answer where the request does not say and the interface must know.
const MOST_TOKENS: u64 = 8_192;

/// Fields that are carried, or that no answer depends on.
const CARRIED: [&str; 25] = [
    "max_tokens", "max_completion_tokens", "max_output_tokens", "temperature", "top_p", "stop", "stop_sequences",
    "tool_choice", "function_call", "parallel_tool_calls", "stream_options", "n", "store", "include", "metadata",
    "client_metadata", "user", "service_tier", "background", "truncation", "safety_identifier", "prompt_cache_key",
    "prompt_cache_retention", "cache_control", "anthropic_version",
];

/// A request in another interface.
#[derive(Debug, PartialEq)]
pub(super) struct Translated {
    pub(super) body: Value,
    /// What is not carried, or otherwise than it was said.
    pub(super) lost: Vec<String>,
}

/// Which tools an answer may call, or must.
enum Choice {
    Auto,
    None,
    Any,
    Tool(String),
}

/// Translates a request; `text` is its body.
pub(super) fn translated(request: &Request, text: &str, api: Api) -> Translated {
    let (mut body, mut lost) = (Map::new(), Vec::new());
    limits(request, api, &mut body, &mut lost);
    tools(request, api, &mut body, &mut lost);
    let others = request.parameters.iter().filter(|(name, value)| !CARRIED.contains(&name.as_str()) && asks(value));
    lost.extend(others.map(|(name, _)| format!("{name} is left out")));
    let images = images(request.api, text);
    let parts = || request.messages.iter().flat_map(|message| &message.parts);
    if parts().any(|part| matches!(part, Part::Image(words) if !images.contains_key(words))) {
        lost.push("an image that is neither an address nor base64 is named and not shown".into());
    }
    let others = parts().filter_map(|part| if let Part::Other(words) = part { Some(words) } else { None });
    lost.extend(others.map(|words| format!("{} is named and not shown", words.split(',').next().unwrap_or_default())));
    match api {
        Api::Messages => {
            let system: Vec<String> =
                request.messages.iter().filter(|m| m.role == Role::System).map(Message::text).collect();
            if !system.is_empty() {
                body.insert("system".into(), json!(system.join("\n\n")));
            }
            body.insert("messages".into(), json!(blocks(request, &images)));
        }
        _ => {
            let messages: Vec<Value> = request.messages.iter().flat_map(|message| chat(message, &images)).collect();
            body.insert("messages".into(), json!(messages));
        }
    }
    lost.dedup();
    Translated { body: Value::Object(body), lost }
}

/// Whether a field's value asks for something.
fn asks(value: &Value) -> bool {
    let is_plain = |value: &Value| value.get("type").or_else(|| value.pointer("/format/type")) == Some(&json!("text"));
    !(value.is_null() || *value == json!(false) || is_plain(value))
}

fn limits(request: &Request, api: Api, body: &mut Map<String, Value>, lost: &mut Vec<String>) {
    let given = |name: &str| request.parameters.get(name).filter(|value| !value.is_null());
    let limits = ["max_tokens", "max_completion_tokens", "max_output_tokens"];
    let limit = limits.iter().find_map(|name| given(name)?.as_u64());
    if let Some(limit) = limit.or((api == Api::Messages).then_some(MOST_TOKENS)) {
        body.insert("max_tokens".into(), json!(limit));
    }
    for name in ["temperature", "top_p"] {
        if let Some(value) = given(name) {
            body.insert(name.into(), value.clone());
        }
    }
    if let Some(asked) = given("temperature").and_then(Value::as_f64).filter(|t| api == Api::Messages && *t > 1.0) {
        body.insert("temperature".into(), json!(1.0));
        lost.push(format!("temperature {asked} is sent as 1, the most that it takes"));
    }
    let stop = ["stop", "stop_sequences"].iter().find_map(|name| given(name));
    let stops: Vec<&str> = match stop {
        Some(Value::String(stop)) => vec![stop],
        Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    // A stop that is white space alone is refused there.
    let (taken, blank): (Vec<&str>, Vec<&str>) =
        stops.into_iter().partition(|stop| api != Api::Messages || !stop.trim().is_empty());
    if !blank.is_empty() {
        lost.push("a stop of white space alone is left out".into());
    }
    if !taken.is_empty() {
        body.insert(if api == Api::Messages { "stop_sequences" } else { "stop" }.into(), json!(taken));
    }
}

fn tools(request: &Request, api: Api, body: &mut Map<String, Value>, lost: &mut Vec<String>) {
    let (functions, others): (Vec<_>, Vec<_>) = request.tools.iter().partition(|tool| !tool.schema.is_null());
    lost.extend(others.iter().map(|tool| format!("the tool {}, which is no function, is not offered", tool.name)));
    let tools: Vec<Value> = functions
        .iter()
        .map(|tool| {
            let (name, about, schema) = (&tool.name, &tool.description, &tool.schema);
            match api {
                Api::Messages => json!({ "name": name, "description": about, "input_schema": schema }),
                _ => json!({ "type": "function", "function": { "name": name, "description": about, "parameters": schema } }),
            }
        })
        .collect();
    if tools.is_empty() {
        // Without tools a choice of them is refused.
        return;
    }
    body.insert("tools".into(), json!(tools));
    let asked = ["tool_choice", "function_call"].iter().find_map(|name| request.parameters.get(*name));
    let asked = asked.filter(|asked| !asked.is_null());
    let mut choice = asked.and_then(choice_of);
    match (&choice, asked) {
        (Some(Choice::Tool(name)), _) if !functions.iter().any(|tool| tool.name == *name) => {
            lost.push(format!("that {name} is to be called is left out"));
            choice = None;
        }
        (None, Some(_)) => lost.push("tool_choice is left out".into()),
        _ => {}
    }
    let alone = request.parameters.get("parallel_tool_calls") == Some(&json!(false))
        || asked.and_then(|asked| asked.get("disable_parallel_tool_use")) == Some(&json!(true));
    match api {
        Api::Messages => {
            let mut said = match choice {
                Some(Choice::None) => json!({ "type": "none" }),
                Some(Choice::Any) => json!({ "type": "any" }),
                Some(Choice::Tool(name)) => json!({ "type": "tool", "name": name }),
                Some(Choice::Auto) => json!({ "type": "auto" }),
                None if alone => json!({ "type": "auto" }),
                None => return,
            };
            if alone && said["type"] != "none" {
                said["disable_parallel_tool_use"] = json!(true);
            }
            body.insert("tool_choice".into(), said);
        }
        _ => {
            let said = choice.map(|choice| match choice {
                Choice::None => json!("none"),
                Choice::Auto => json!("auto"),
                Choice::Any => json!("required"),
                Choice::Tool(name) => json!({ "type": "function", "function": { "name": name } }),
            });
            body.extend(said.map(|said| ("tool_choice".to_owned(), said)));
            if alone {
                body.insert("parallel_tool_calls".into(), json!(false));
            }
        }
    }
}

/// Reads a choice in any of the interfaces; `None` where it is another (some of the tools, one of the provider's).
fn choice_of(asked: &Value) -> Option<Choice> {
    let name = || {
        let name = asked.pointer("/function/name").or_else(|| asked.get("name"))?;
        Some(Choice::Tool(name.as_str()?.to_owned()))
    };
    match asked.as_str().or_else(|| asked.get("type")?.as_str()) {
        Some("auto") => Some(Choice::Auto),
        Some("none") => Some(Choice::None),
        Some("required" | "any") => Some(Choice::Any),
        // The interface before tools has no type.
        Some("tool" | "function") | None => name(),
        Some(_) => None,
    }
}

/// A message of a chat; results of tools are one each, and what images they hold follows them.
fn chat(message: &Message, images: &BTreeMap<String, Image>) -> Vec<Value> {
    let result = |part: &Part| match part {
        Part::Result { id, text, .. } => Some(json!({ "role": "tool", "tool_call_id": id, "content": text })),
        _ => None,
    };
    let mut all: Vec<Value> = message.parts.iter().filter_map(result).collect();
    let seen: Vec<Value> = shown(message, images)
        .map(|image| json!({ "type": "image_url", "image_url": { "url": image.address() } }))
        .collect();
    let text = said(message, images);
    let content = match seen.is_empty() {
        true => json!(text),
        false => {
            let text = (!text.is_empty()).then(|| json!({ "type": "text", "text": text }));
            json!(text.into_iter().chain(seen).collect::<Vec<_>>())
        }
    };
    let is_empty = content == json!("");
    let calls: Vec<Value> = message
        .calls()
        .map(|call| json!({ "id": call.id, "type": "function", "function": { "name": call.name, "arguments": arguments(call).to_string() } }))
        .collect();
    let role = match message.role {
        Role::System => "system",
        Role::Assistant => "assistant",
        Role::User | Role::Tool => "user",
    };
    if !calls.is_empty() {
        all.push(json!({ "role": role, "content": content, "tool_calls": calls }));
    } else if !is_empty {
        all.push(json!({ "role": role, "content": content }));
    }
    all
}

/// The messages as blocks, those of one side that follow each other as one.
fn blocks(request: &Request, images: &BTreeMap<String, Image>) -> Vec<Value> {
    let mut all: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in request.messages.iter().filter(|message| message.role != Role::System) {
        let role = if message.role == Role::Assistant { "assistant" } else { "user" };
        let block = |part: &Part| match part {
            Part::Result { id, text, error } => {
                Some(json!({ "type": "tool_result", "tool_use_id": id, "content": text, "is_error": error }))
            }
            Part::Call(call) => {
                Some(json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": arguments(call) }))
            }
            _ => None,
        };
        let seen = shown(message, images).map(|image| {
            let source = match image {
                Image::Data { media, data } => json!({ "type": "base64", "media_type": media, "data": data }),
                Image::Url(url) => json!({ "type": "url", "url": url }),
            };
            json!({ "type": "image", "source": source })
        });
        let text = said(message, images);
        let said = (!text.is_empty()).then(|| json!({ "type": "text", "text": text }));
        // Results come first, calls last.
        let (results, calls): (Vec<&Part>, Vec<&Part>) =
            message.parts.iter().partition(|part| matches!(part, Part::Result { .. }));
        let new = results.into_iter().filter_map(block).chain(seen).chain(said);
        let new = new.chain(calls.into_iter().filter_map(block));
        match all.last_mut() {
            Some((last, blocks)) if *last == role => blocks.extend(new),
            _ => all.push((role, new.collect())),
        }
    }
    let all = all.into_iter().filter(|(_, blocks)| !blocks.is_empty());
    all.map(|(role, blocks)| json!({ "role": role, "content": blocks })).collect()
}

/// The images of a message, those of results after which they are shown too.
fn shown<'a>(message: &'a Message, images: &'a BTreeMap<String, Image>) -> impl Iterator<Item = &'a Image> {
    let of = |part: &'a Part| -> Vec<&'a Image> {
        match part {
            Part::Image(words) => images.get(words).into_iter().collect(),
            Part::Result { text, .. } => {
                let held = images.iter().filter(|(words, _)| text.contains(&format!("({words})")));
                held.map(|(_, image)| image).collect()
            }
            _ => Vec::new(),
        }
    };
    message.parts.iter().flat_map(of)
}

/// The texts of a message, and the words of what is not shown.
fn said(message: &Message, images: &BTreeMap<String, Image>) -> String {
    let text = |part: &Part| match part {
        Part::Text(text) => Some(text.clone()),
        Part::Image(words) if images.contains_key(words) => None,
        Part::Image(words) | Part::Other(words) => Some(format!("[{words}]")),
        Part::Call(_) | Part::Result { .. } | Part::Reasoning(_) => None,
    };
    message.parts.iter().filter_map(text).collect::<Vec<_>>().join("\n")
}

/// The arguments of a call as an object.
fn arguments(call: &ToolCall) -> Value {
    match lenient(&call.arguments) {
        Ok(value @ Value::Object(_)) if call.form == Form::Function => value,
        _ if call.arguments.is_empty() => json!({}),
        _ => json!({ "input": call.arguments }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_with_tools_is_said_in_the_other_interfaces() {
        let body = json!({"model": "m", "max_tokens": 9, "messages": [
            {"role": "system", "content": "s"}, {"role": "user", "content": "u"},
            {"role": "assistant", "content": "a", "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{\"x\": 1}"}},
                {"id": "c2", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "c1", "content": "r1"}, {"role": "tool", "tool_call_id": "c2", "content": "r2"}],
            "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]});
        let request = Request::read(Api::Chat, &body.to_string()).unwrap();
        let there = translated(&request, &body.to_string(), Api::Messages).body;
        assert_eq!((&there["system"], &there["max_tokens"]), (&json!("s"), &json!(9)));
        assert_eq!(there["messages"].as_array().unwrap().len(), 3);
        assert_eq!(there["messages"][1]["content"][1]["input"], json!({"x": 1}));
        assert_eq!(there["messages"][2]["content"][1]["tool_use_id"], "c2");
        let read = |body: &Value, api| Request::read(api, &body.to_string()).unwrap();
        let back = translated(&read(&there, Api::Messages), &there.to_string(), Api::Chat).body;
        let calls = |request: &Request| {
            request
                .messages
                .iter()
                .flat_map(|m| m.calls().cloned().collect::<Vec<_>>())
                .map(|c| (c.id, c.name))
                .collect::<Vec<_>>()
        };
        assert_eq!(calls(&read(&back, Api::Chat)), calls(&request));
        assert_eq!(back["tools"], body["tools"].as_array().map(|t| json!([{"type": "function", "function": {"name": "f", "description": "", "parameters": t[0]["function"]["parameters"]}}])).unwrap());
    }

    fn sent(from: Api, body: &Value, to: Api) -> Translated {
        let text = body.to_string();
        translated(&Request::read(from, &text).unwrap(), &text, to)
    }

    /// Half of a pair of surrogates is no reason for another call.
    #[test]
    fn arguments_that_hold_half_of_a_pair_stay_arguments() {
        let body = r#"{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{"x":"q\ud83d"}}]}]}"#;
        let there = translated(&Request::read(Api::Messages, body).unwrap(), body, Api::Chat).body;
        let arguments = there["messages"][0]["tool_calls"][0]["function"]["arguments"].as_str().unwrap();
        assert_eq!(arguments, "{\"x\":\"q\u{fffd}\"}");
        let body = body.replace(r#""q\ud83d""#, "NaN");
        let there = translated(&Request::read(Api::Messages, &body).unwrap(), &body, Api::Chat).body;
        assert_eq!(there["messages"][0]["tool_calls"][0]["function"]["arguments"], "{\"x\":null}");
    }

    /// A tool without parameters, what limits an answer, the choice of tools and images, there and back.
    #[test]
    fn what_both_interfaces_have_is_carried_both_ways() {
        let none = json!({"type": "object", "properties": {}});
        let chat = json!({"model": "m", "max_tokens": 9, "temperature": 0.5, "stop": ["END", "STOP"], "parallel_tool_calls": false,
            "tool_choice": {"type": "function", "function": {"name": "look"}},
            "tools": [{"type": "function", "function": {"name": "look", "description": ""}}, {"type": "function", "function": {"name": "go", "description": "", "parameters": none}}],
            "messages": [{"role": "user", "content": [{"type": "text", "text": "what?"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
                {"type": "image_url", "image_url": {"url": "https://h/cat.png"}}]}]});
        let there = sent(Api::Chat, &chat, Api::Messages);
        assert_eq!(there.lost, Vec::<String>::new());
        let there = there.body;
        assert_eq!(there["tools"][0]["input_schema"], none);
        assert_eq!((&there["stop_sequences"], &there["temperature"]), (&json!(["END", "STOP"]), &json!(0.5)));
        assert_eq!(there["tool_choice"], json!({"type": "tool", "name": "look", "disable_parallel_tool_use": true}));
        let image = |source: Value| json!({"type": "image", "source": source});
        assert_eq!(
            there["messages"][0]["content"],
            json!([image(json!({"type": "base64", "media_type": "image/png", "data": "AAAA"})),
                image(json!({"type": "url", "url": "https://h/cat.png"})), {"type": "text", "text": "what?"}])
        );
        let back = sent(Api::Messages, &there, Api::Chat);
        assert_eq!(back.lost, Vec::<String>::new());
        for field in ["stop", "temperature", "parallel_tool_calls", "tool_choice", "max_tokens", "messages"] {
            assert_eq!(back.body[field], chat[field], "{field}");
        }
        assert_eq!(back.body["tools"][0]["function"]["parameters"], none);
        for (chat, messages) in [("auto", "auto"), ("none", "none"), ("required", "any")] {
            let tools = json!([{"name": "f", "input_schema": none}]);
            let body = json!({"messages": [], "tools": tools, "tool_choice": {"type": messages}});
            assert_eq!(sent(Api::Messages, &body, Api::Chat).body["tool_choice"], chat);
            let tools = json!([{"type": "function", "name": "f"}]);
            let body = json!({"input": "u", "tools": tools, "tool_choice": chat});
            assert_eq!(sent(Api::Responses, &body, Api::Messages).body["tool_choice"], json!({"type": messages}));
            assert_eq!(sent(Api::Responses, &body, Api::Chat).body["tool_choice"], chat);
        }
        let alone = json!({"input": "u", "tools": [{"type": "function", "name": "f"}], "parallel_tool_calls": false});
        let choice = &sent(Api::Responses, &alone, Api::Messages).body["tool_choice"];
        assert_eq!(*choice, json!({"type": "auto", "disable_parallel_tool_use": true}));
    }

    #[test]
    fn an_image_in_a_result_is_shown_after_it() {
        let image = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}});
        let result =
            json!({"type": "tool_result", "tool_use_id": "c", "content": [{"type": "text", "text": "r"}, image]});
        let body = json!({"messages": [{"role": "user", "content": [result]}]});
        let messages = sent(Api::Messages, &body, Api::Chat).body["messages"].clone();
        assert_eq!((&messages[0]["role"], &messages[1]["role"]), (&json!("tool"), &json!("user")));
        assert_eq!(messages[1]["content"][0]["image_url"]["url"], "data:image/png;base64,AAAA");
        let output = json!([{"type": "input_image", "image_url": "data:image/png;base64,AAAA"}]);
        let body = json!({"input": [{"type": "function_call_output", "call_id": "c", "output": output}]});
        let content = sent(Api::Responses, &body, Api::Messages).body["messages"][0]["content"].clone();
        assert_eq!((&content[0]["type"], &content[1]), (&json!("tool_result"), &image));
    }

    #[test]
    fn what_is_not_carried_is_said() {
        let body = json!({"model": "m", "temperature": 1.5, "seed": 7, "logprobs": false, "user": "u", "stop": "\n", "response_format": {"type": "text"},
            "tool_choice": {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": []}},
            "tools": [{"type": "custom", "custom": {"name": "shell"}}, {"type": "function", "function": {"name": "f"}}],
            "messages": [{"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "x"}}, {"type": "image_url", "image_url": {"url": "file-1"}}]}]});
        let there = sent(Api::Chat, &body, Api::Messages);
        assert_eq!(
            there.lost,
            [
                "temperature 1.5 is sent as 1, the most that it takes",
                "a stop of white space alone is left out",
                "the tool shell, which is no function, is not offered",
                "tool_choice is left out",
                "seed is left out",
                "an image that is neither an address nor base64 is named and not shown",
                "input_audio is named and not shown",
            ]
        );
        assert_eq!((&there.body["temperature"], there.body.get("stop_sequences")), (&json!(1.0), None));
        assert_eq!(
            sent(Api::Messages, &json!({"temperature": 1.0, "messages": []}), Api::Chat).lost,
            Vec::<String>::new()
        );
    }
}
