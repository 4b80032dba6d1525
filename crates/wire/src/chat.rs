//! OpenAI's Chat Completions, as most servers speak it.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::neutral::{Answer, Form, Message, Part, Problem, Request, Role, Stamp, ToolCall, finish};
use crate::raw::{self, Fields, as_meant, as_written, elements, list, quoted};
use crate::texts::{arguments, broke_off, event, noted};
use crate::usage::Usage;

pub(crate) fn conversation(fields: &Fields) -> Vec<Message> {
    elements(fields.get("messages")).map(|message| message_of(&Fields::of(message))).collect()
}

fn message_of(message: &Fields) -> Message {
    let role = match message.string("role").as_str() {
        "system" | "developer" => Role::System,
        "assistant" => Role::Assistant,
        "tool" | "function" => Role::Tool,
        _ => Role::User,
    };
    let mut parts = reasoning(message).map(Part::Reasoning).into_iter().collect::<Vec<_>>();
    let content = parts_of(message.get("content"));
    if role == Role::Tool {
        let id = ["tool_call_id", "name"].into_iter().map(|name| message.string(name)).find(|id| !id.is_empty());
        let text = Message { role, parts: content.clone() }.text();
        parts.push(Part::Result { id: id.unwrap_or_default(), text, error: false });
        parts.extend(content.into_iter().filter(|part| !matches!(part, Part::Text(_))));
    } else {
        parts.extend(content);
    }
    parts.extend(Some(message.string("refusal")).filter(|text| !text.is_empty()).map(Part::Text));
    parts.extend(calls_of(message).into_iter().map(Part::Call));
    if message.has("audio") && message.get("audio") != "null" {
        parts.push(Part::Other("audio".into()));
    }
    Message { role, parts }
}

fn parts_of(content: &str) -> Vec<Part> {
    if content.starts_with('"') {
        return Some(raw::text(content)).filter(|text| !text.is_empty()).map(Part::Text).into_iter().collect();
    }
    elements(content)
        .map(|part| {
            let fields = Fields::of(part);
            match fields.string("type").as_str() {
                "text" | "input_text" | "output_text" => Part::Text(fields.string("text")),
                "refusal" => Part::Text(fields.string("refusal")),
                "thinking" => Part::Reasoning(thought(&fields)),
                "image_url" => Part::Image(noted("image", fields.get("image_url"))),
                "" if part.starts_with('"') => Part::Text(raw::text(part)),
                other => Part::Other(noted(other, part)),
            }
        })
        .collect()
}

/// Mistral's reasoning: a text, or parts of it.
fn thought(part: &Fields) -> String {
    let inner = part.get("thinking");
    if inner.starts_with('"') {
        return part.string("thinking");
    }
    elements(inner).map(|part| Fields::of(part).string("text")).collect()
}

fn reasoning(message: &Fields) -> Option<String> {
    // Some servers send the same under both names.
    ["reasoning_content", "reasoning"].into_iter().map(|name| message.string(name)).find(|text| !text.is_empty())
}

fn calls_of(message: &Fields) -> Vec<ToolCall> {
    let mut calls: Vec<ToolCall> = elements(message.get("tool_calls")).map(|call| call_of(&Fields::of(call))).collect();
    if message.has("function_call") && message.get("function_call") != "null" {
        let call = Fields::of(message.get("function_call"));
        let (name, arguments) = (call.string("name"), arguments(call.get("arguments")));
        calls.push(ToolCall { id: String::new(), name, arguments, form: Form::Legacy });
    }
    calls
}

fn call_of(call: &Fields) -> ToolCall {
    let custom = call.has("custom");
    let inner = Fields::of(call.get(if custom { "custom" } else { "function" }));
    ToolCall {
        id: call.string("id"),
        name: inner.string("name"),
        arguments: arguments(inner.get(if custom { "input" } else { "arguments" })),
        form: if custom { Form::Custom } else { Form::Function },
    }
}

pub(crate) fn read(fields: &Fields) -> Result<(Option<Usage>, Vec<Answer>), Problem> {
    let answers: Vec<Answer> = elements(fields.get("choices")).map(|choice| answer_of(&Fields::of(choice))).collect();
    // A prompt that was filtered has a list of none.
    if answers.is_empty() && !fields.get("choices").starts_with('[') {
        return Err(Problem("the answer holds no choice".into()));
    }
    Ok((Usage::of_chat(&fields.value("usage")), answers))
}

fn answer_of(choice: &Fields) -> Answer {
    let message = Fields::of(choice.get("message"));
    let mut answer = Answer { reasoning: reasoning(&message).unwrap_or_default(), ..Answer::default() };
    for part in parts_of(message.get("content")) {
        match part {
            Part::Text(text) => answer.text.push_str(&text),
            Part::Reasoning(text) => answer.reasoning.push_str(&text),
            _ => {}
        }
    }
    if answer.text.is_empty() {
        answer.text = message.string("refusal");
    }
    answer.calls = calls_of(&message);
    answer.finish = finish(&choice.string("finish_reason")).to_owned();
    answer
}

pub(crate) fn empty(model: &str, usage: Usage, stamp: &Stamp) -> String {
    json!({
        "id": format!("chatcmpl-{}", stamp.id), "object": "chat.completion", "created": stamp.created, "model": model,
        "choices": [{"index": 0, "message": {"role": "assistant", "content": null, "refusal": null}, "logprobs": null, "finish_reason": ""}],
        "usage": {"prompt_tokens": usage.prompt, "completion_tokens": usage.completion, "total_tokens": usage.prompt + usage.completion},
    })
    .to_string()
}

pub(crate) fn edit(fields: &mut Fields, choice: usize, old: &Answer, wanted: &Answer) -> Result<(), Problem> {
    let mut choices: Vec<String> = elements(fields.get("choices")).map(str::to_owned).collect();
    let Some(text) = choices.get_mut(choice) else { return Ok(()) };
    let mut own = Fields::of(text);
    let mut message = Fields::of(own.get("message"));
    if wanted.text != old.text {
        let nothing = wanted.text.is_empty() && !wanted.calls.is_empty();
        message.set("content", if nothing { "null".to_owned() } else { quoted(&wanted.text) });
        message.remove("annotations");
        if message.has("refusal") {
            message.set("refusal", "null");
        }
        if own.has("logprobs") {
            own.set("logprobs", "null");
        }
    }
    if wanted.calls != old.calls {
        edit_calls(&mut message, &wanted.calls)?;
    }
    if wanted.finish != old.finish {
        let legacy = wanted.finish == "tool_calls" && wanted.calls.iter().any(|call| call.form == Form::Legacy);
        own.set("finish_reason", quoted(if legacy { "function_call" } else { &wanted.finish }));
    }
    own.set("message", message.to_string());
    *text = own.to_string();
    fields.set("choices", list(&choices));
    Ok(())
}

fn edit_calls(message: &mut Fields, wanted: &[ToolCall]) -> Result<(), Problem> {
    let mut old: Vec<Fields> = elements(message.get("tool_calls")).map(Fields::of).collect();
    let legacy = Fields::of(message.get("function_call"));
    message.remove("tool_calls");
    message.remove("function_call");
    let mut calls = Vec::new();
    for call in wanted {
        let (outer, inner, argument) = match call.form {
            Form::Function => ("function", "function", "arguments"),
            Form::Custom => ("custom", "custom", "input"),
            Form::Legacy => {
                let mut own = legacy.clone();
                own.set("name", quoted(&call.name));
                own.set("arguments", quoted(&call.arguments));
                message.set("function_call", own.to_string());
                continue;
            }
            Form::Provided => return Err(Problem("Chat Completions has no tools of the provider's own".into())),
        };
        let at = old.iter().position(|own| own.string("id") == call.id && own.has(inner));
        let mut own = at.map(|at| old.remove(at)).unwrap_or_default();
        if at.is_some() && call_of(&own) == *call {
            calls.push(own.to_string());
            continue;
        }
        own.set("id", quoted(&call.id));
        own.set("type", quoted(outer));
        let mut function = Fields::of(own.get(inner));
        function.set("name", quoted(&call.name));
        // A server that sends no text of arguments has clients that expect none.
        let bare = function.get(argument).starts_with('{') && raw::read::<Map<String, Value>>(&call.arguments).is_ok();
        function.set(argument, if bare { call.arguments.clone() } else { quoted(&call.arguments) });
        own.set(inner, function.to_string());
        calls.push(own.to_string());
    }
    if !calls.is_empty() {
        message.set("tool_calls", list(&calls));
    }
    Ok(())
}

pub(crate) fn events(fields: &Fields, request: &Request) -> String {
    let mut base = Fields::default();
    for (name, text) in fields.iter().filter(|(name, _)| !matches!(*name, "choices" | "usage")) {
        base.set(name, if name == "object" { "\"chat.completion.chunk\"" } else { text });
    }
    let chunk = |choices: String| {
        let mut chunk = base.clone();
        chunk.set("choices", choices);
        chunk
    };
    let mut out = String::new();
    let choices: Vec<Fields> = elements(fields.get("choices")).map(Fields::of).collect();
    if choices.is_empty() {
        out += &event(None, chunk("[]".into()));
    }
    let is_beside = !choices.is_empty() && is_counted_beside(fields);
    for (at, choice) in choices.iter().enumerate() {
        let index = if choice.has("index") { choice.get("index").to_owned() } else { at.to_string() };
        let mut say = |delta: &Fields, more: &[(&str, &str)], is_last: bool| {
            let mut piece = Fields::default();
            piece.set("index", index.clone());
            piece.set("delta", delta.to_string());
            piece.set("finish_reason", "null");
            more.iter().for_each(|(name, text)| piece.set(name, *text));
            let mut chunk = chunk(list(&[piece.to_string()]));
            if is_beside && is_last {
                chunk.set("usage", fields.get("usage"));
            }
            out += &event(None, chunk);
        };
        let mut message = Fields::of(choice.get("message"));
        let calls: Vec<String> = elements(message.get("tool_calls")).map(str::to_owned).collect();
        message.remove("tool_calls");
        let logprobs: &[(&str, &str)] = &[("logprobs", choice.get("logprobs"))];
        say(&message, if choice.has("logprobs") { logprobs } else { &[] }, false);
        for (at, call) in calls.iter().enumerate() {
            let mut piece = Fields::default();
            piece.set("index", at.to_string());
            Fields::of(call).iter().for_each(|(name, text)| piece.set(name, text));
            let mut delta = Fields::default();
            delta.set("tool_calls", list(&[piece.to_string()]));
            say(&delta, &[], false);
        }
        let rest = choice.iter().filter(|(name, _)| !matches!(*name, "index" | "message" | "logprobs"));
        say(&Fields::default(), &rest.collect::<Vec<_>>(), at + 1 == choices.len());
    }
    let wanted = request.parameters.get("stream_options").and_then(|o| o.get("include_usage"));
    if wanted == Some(&Value::Bool(true)) && fields.has("usage") && !is_beside {
        let mut last = chunk("[]".into());
        last.set("usage", fields.get("usage"));
        out += &event(None, last);
    }
    out + &event(None, "[DONE]")
}

/// Whether the count of tokens came beside a choice, as servers send it that send it unasked: it stands before the choices then.
fn is_counted_beside(fields: &Fields) -> bool {
    let place = |wanted: &str| fields.iter().position(|(name, _)| name == wanted);
    place("usage").is_some_and(|usage| place("choices").is_some_and(|choices| usage < choices))
}

#[derive(Debug, Default)]
pub(crate) struct Folded {
    base: Fields,
    choices: BTreeMap<u64, Choice>,
    text: String,
    /// See [`is_counted_beside`].
    is_beside: bool,
}

/// Pieces are joined as they are written ([`as_written`]): one may end within a pair of surrogates.
#[derive(Debug, Default)]
struct Choice {
    message: Map<String, Value>,
    /// Each with the number that the server gives it, if it does.
    calls: Vec<(Option<u64>, Map<String, Value>)>,
    logprobs: Value,
    rest: Fields,
}

impl Folded {
    pub(crate) fn so_far(&self) -> &str {
        &self.text
    }

    pub(crate) fn take(&mut self, fields: &Fields) -> Result<bool, Problem> {
        for (name, text) in fields.iter().filter(|(name, text)| *name != "choices" && *text != "null") {
            overlay(&mut self.base, name, if name == "object" { "\"chat.completion\"" } else { text });
        }
        if fields.get("usage") != "null" {
            self.is_beside = elements(fields.get("choices")).next().is_some();
        }
        for (at, choice) in elements(fields.get("choices")).map(Fields::of).enumerate() {
            let index = choice.get("index").parse().unwrap_or(at as u64);
            if index > 1_000 {
                return Err(Problem("the stream numbers more choices than there can be".into()));
            }
            let own = self.choices.entry(index).or_default();
            let begun = !own.message.is_empty();
            for (name, text) in choice.iter().filter(|(name, text)| *name != "index" && *text != "null") {
                match name {
                    "delta" => own.add(text, if index == 0 { Some(&mut self.text) } else { None }),
                    // Some servers repeat the whole in the last piece.
                    "message" if !begun => own.add(text, None),
                    "message" => {}
                    "logprobs" => merge(&mut own.logprobs, raw::read(&as_written(text)).unwrap_or_default(), name),
                    "finish_reason" if text == "\"\"" => {}
                    _ => own.rest.set(name, text),
                }
            }
        }
        Ok(false)
    }

    pub(crate) fn end(mut self, marked: bool) -> Result<String, Problem> {
        let is_ended = !self.choices.is_empty() && self.choices.values().all(|c| c.rest.has("finish_reason"));
        if !(is_ended || marked && self.base.iter().next().is_some()) {
            return Err(broke_off());
        }
        let choices: Vec<String> = self.choices.into_iter().map(|(index, choice)| choice.end(index)).collect();
        let usage = self.base.has("usage").then(|| ("usage", self.base.get("usage").to_owned()));
        self.base.remove("usage");
        let mut ends = vec![("choices", list(&choices))];
        ends.extend(usage);
        if self.is_beside {
            ends.reverse();
        }
        ends.into_iter().for_each(|(name, text)| self.base.set(name, text));
        Ok(self.base.to_string())
    }
}

impl Choice {
    fn add(&mut self, delta: &str, text: Option<&mut String>) {
        let Ok(delta) = raw::read::<Map<String, Value>>(&as_written(delta)) else { return };
        if let (Some(text), Some(more)) = (text, delta.get("content").and_then(Value::as_str)) {
            text.push_str(&raw::text(&format!("\"{more}\"")));
        }
        for (name, value) in delta {
            if name == "tool_calls" {
                let calls = if let Value::Array(calls) = value { calls } else { Vec::new() };
                calls.into_iter().for_each(|call| self.add_call(call));
            } else if !value.is_null() {
                merge(self.message.entry(name.clone()).or_insert(Value::Null), value, &name);
            }
        }
    }

    fn add_call(&mut self, call: Value) {
        let Value::Object(mut call) = call else { return };
        let index = call.remove("index").and_then(|i| i.as_u64());
        let id = call.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        let id_of = |own: &Map<String, Value>| own.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        // Some servers number no calls, or all of them 0: another id is another call.
        let fits = |own: &Map<String, Value>| id.is_empty() || id_of(own).is_empty() || id_of(own) == id;
        let at = match index {
            Some(_) => self.calls.iter().rposition(|(number, own)| *number == index && fits(own)),
            None if id.is_empty() => self.calls.len().checked_sub(1),
            None => self.calls.iter().position(|(_, own)| id_of(own) == id),
        };
        let at = at.unwrap_or(self.calls.len());
        if at == self.calls.len() {
            self.calls.push((index, Map::new()));
        }
        let Some((_, own)) = self.calls.get_mut(at) else { return };
        for (name, value) in call {
            merge(own.entry(name.clone()).or_insert(Value::Null), value, &name);
        }
    }

    fn end(mut self, index: u64) -> String {
        let mut message = Map::new();
        message.insert("role".into(), self.message.shift_remove("role").unwrap_or_else(|| "assistant".into()));
        message.insert("content".into(), self.message.shift_remove("content").unwrap_or_default());
        message.extend(self.message);
        if !self.calls.is_empty() {
            let calls = self.calls.into_iter().map(|(_, mut call)| {
                call.entry("type").or_insert_with(|| "function".into());
                Value::Object(call)
            });
            message.insert("tool_calls".into(), calls.collect());
        }
        let mut choice = Fields::default();
        choice.set("index", index.to_string());
        choice.set("message", as_meant(&Value::Object(message).to_string()));
        choice.set("logprobs", as_meant(&self.logprobs.to_string()));
        self.rest.iter().for_each(|(name, text)| choice.set(name, text));
        choice.to_string()
    }
}

/// Puts what a later piece says in a field of the whole answer over what earlier ones said: objects field by field, all else whole. What it
/// leaves open stays.
fn overlay(base: &mut Fields, name: &str, text: &str) {
    let said = base.get(name);
    if text.starts_with('{') && said.starts_with('{') {
        let mut own = Fields::of(said);
        Fields::of(text).iter().filter(|(_, text)| *text != "null").for_each(|(name, text)| own.set(name, text));
        base.set(name, own.to_string());
    } else if text != "\"\"" || said == "null" {
        base.set(name, text);
    }
}

/// Adds a piece to what came before it: texts and lists grow, entries of a list that are numbered are pieces themselves.
fn merge(into: &mut Value, more: Value, name: &str) {
    match (into, more) {
        (_, Value::Null) => {}
        (Value::String(own), Value::String(more)) => match name {
            "role" | "type" | "id" | "format" => {
                if !more.is_empty() {
                    *own = more;
                }
            }
            "name" if *own == more => {}
            _ => own.push_str(&more),
        },
        (Value::Object(own), Value::Object(more)) => {
            for (name, value) in more {
                merge(own.entry(name.clone()).or_insert(Value::Null), value, &name);
            }
        }
        (Value::Array(own), Value::Array(more)) => {
            for value in more {
                let same = |other: &Value| value.get("index").is_some() && other.get("index") == value.get("index");
                match own.iter_mut().rfind(|other| same(other)) {
                    Some(own) => merge(own, value, ""),
                    None => own.push(value),
                }
            }
        }
        (own, more) => *own = more,
    }
}

/// What of an answer's choice is said to a server again.
pub(crate) fn echo(fields: &Fields, choice: usize) -> String {
    let message =
        elements(fields.get("choices")).nth(choice).map(|choice| Fields::of(Fields::of(choice).get("message")));
    let mut echo = Fields::default();
    for (name, text) in message.unwrap_or_default().iter() {
        let kept =
            ["role", "content", "tool_calls", "function_call", "reasoning_content", "reasoning", "reasoning_details"];
        if kept.contains(&name) {
            echo.set(name, text);
        }
    }
    echo.to_string()
}
