//! OpenAI's Responses.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::neutral::{Answer, Form, Message, Part, Problem, Role, Stamp, ToolCall};
use crate::raw::{self, Fields, elements, list, quoted};
use crate::texts::{arguments, broke_off, event, noted};
use crate::usage::Usage;

pub(crate) fn conversation(fields: &Fields) -> Vec<Message> {
    let instructions = Some(fields.string("instructions")).filter(|text| !text.is_empty());
    let said = input(fields);
    let said = said.iter().map(|item| message_of(item));
    instructions.map(|text| Message::of_text(Role::System, text)).into_iter().chain(said).collect()
}

/// The items of a request's input; a text alone is a person's message.
pub(crate) fn input(fields: &Fields) -> Vec<String> {
    let input = fields.get("input");
    if input.starts_with('"') {
        return vec![said("user", input)];
    }
    elements(input).map(str::to_owned).collect()
}

/// A message of a text that is JSON.
pub(crate) fn said(role: &str, text: &str) -> String {
    format!("{{\"role\":\"{role}\",\"content\":{text}}}")
}

fn message_of(text: &str) -> Message {
    let item = Fields::of(text);
    let kind = item.string("type");
    if let Some(call) = call_of(&item) {
        return Message { role: Role::Assistant, parts: vec![Part::Call(call)] };
    }
    if let Some(of) = kind.strip_suffix("_output").filter(|of| of.ends_with("_call")) {
        let id =
            ["call_id", "id"].into_iter().map(|name| item.string(name)).find(|id| !id.is_empty()).unwrap_or_default();
        let output = item.get("output");
        let parts = if output.starts_with('{') { vec![Part::Other(noted(of, output))] } else { parts_of(output) };
        let texts = parts.into_iter().filter_map(|part| match part {
            Part::Text(text) => Some(text),
            Part::Image(words) | Part::Other(words) => Some(format!("({words})")),
            _ => None,
        });
        let text = texts.collect::<Vec<_>>().join("\n");
        let error = item.string("status") == "failed";
        return Message { role: Role::Tool, parts: vec![Part::Result { id, text, error }] };
    }
    match kind.as_str() {
        "reasoning" => Message { role: Role::Assistant, parts: vec![Part::Reasoning(reasoning(&item))] },
        "message" | "" => {
            let role = match item.string("role").as_str() {
                "system" | "developer" => Role::System,
                "assistant" => Role::Assistant,
                _ => Role::User,
            };
            Message { role, parts: parts_of(item.get("content")) }
        }
        other => Message { role: Role::Assistant, parts: vec![Part::Other(noted(other, text))] },
    }
}

fn parts_of(content: &str) -> Vec<Part> {
    if content.starts_with('"') {
        return vec![Part::Text(raw::text(content))];
    }
    elements(content)
        .map(|text| {
            let part = Fields::of(text);
            match part.string("type").as_str() {
                "input_text" | "output_text" | "text" => Part::Text(part.string("text")),
                "refusal" => Part::Text(part.string("refusal")),
                "input_image" => Part::Image(noted("image", text)),
                other => Part::Other(noted(other, text)),
            }
        })
        .collect()
}

/// The summary of reasoning, else itself where it is open, else that it is sealed.
fn reasoning(item: &Fields) -> String {
    let texts = |name: &str| elements(item.get(name)).map(|part| Fields::of(part).string("text")).collect::<Vec<_>>();
    let found = [texts("summary"), texts("content")].into_iter().find(|texts| !texts.is_empty());
    found.map_or_else(|| "(sealed)".to_owned(), |texts| texts.join("\n"))
}

/// What an agent is to carry out. What the provider does itself has no `call_id`, or says so.
pub(crate) fn call_of(item: &Fields) -> Option<ToolCall> {
    let kind = item.string("type");
    let of = kind.strip_suffix("_call").filter(|_| item.get("call_id").starts_with('"'))?;
    let place = Fields::of(item.get("environment")).string("type");
    if item.string("execution") == "server" || !(place.is_empty() || place == "local") {
        return None;
    }
    let (form, name, field) = match of {
        "function" => (Form::Function, item.string("name"), "arguments"),
        "custom_tool" => (Form::Custom, item.string("name"), "input"),
        other => (Form::Provided, other.to_owned(), provided_field(item)),
    };
    Some(ToolCall { id: item.string("call_id"), name, arguments: arguments(item.get(field)), form })
}

/// The field that says what a provider's tool is to do.
fn provided_field(item: &Fields) -> &'static str {
    ["action", "operation", "actions", "arguments"].into_iter().find(|name| item.has(name)).unwrap_or("action")
}

pub(crate) fn read(fields: &Fields) -> Result<(Option<Usage>, Vec<Answer>), Problem> {
    let status = fields.string("status");
    let mut answer = Answer::default();
    for item in elements(fields.get("output")).map(Fields::of) {
        if let Some(call) = call_of(&item) {
            answer.calls.push(call);
            continue;
        }
        match item.string("type").as_str() {
            "message" => {
                let texts = parts_of(item.get("content")).into_iter();
                answer
                    .text
                    .extend(texts.filter_map(|part| if let Part::Text(text) = part { Some(text) } else { None }));
            }
            "reasoning" => answer.reasoning += &reasoning(&item),
            _ => {}
        }
    }
    answer.finish = match status.as_str() {
        "incomplete" => match Fields::of(fields.get("incomplete_details")).string("reason").as_str() {
            "content_filter" => "content_filter".to_owned(),
            _ => "length".to_owned(),
        },
        "failed" | "cancelled" => {
            let why = Fields::of(fields.get("error")).string("message");
            return Err(Problem(if why.is_empty() { format!("the response is {status}") } else { why }));
        }
        "queued" | "in_progress" => return Err(Problem("the response is not there yet".into())),
        _ if !fields.has("output") => return Err(Problem("the answer holds no output".into())),
        _ if answer.calls.is_empty() => "stop".to_owned(),
        _ => "tool_calls".to_owned(),
    };
    Ok((Usage::of_responses(&fields.value("usage")), vec![answer]))
}

pub(crate) fn empty(model: &str, usage: Usage, stamp: &Stamp) -> String {
    json!({
        "id": format!("resp_{}", stamp.id), "object": "response", "created_at": stamp.created, "status": "completed", "error": null,
        "incomplete_details": null, "instructions": null, "max_output_tokens": null, "model": model, "output": [],
        "parallel_tool_calls": true, "previous_response_id": null, "temperature": null, "text": {"format": {"type": "text"}},
        "tool_choice": "auto", "tools": [], "top_p": null, "truncation": "disabled", "metadata": {},
        "usage": {
            "input_tokens": usage.prompt, "input_tokens_details": {"cached_tokens": usage.cached}, "output_tokens": usage.completion,
            "output_tokens_details": {"reasoning_tokens": usage.reasoning}, "total_tokens": usage.prompt + usage.completion,
        },
    })
    .to_string()
}

pub(crate) fn edit(fields: &mut Fields, old: &Answer, wanted: &Answer) -> Result<(), Problem> {
    let items: Vec<Fields> = elements(fields.get("output")).map(Fields::of).collect();
    let mut known: Vec<&Fields> = items.iter().filter(|item| call_of(item).is_some()).collect();
    let mut calls = Vec::new();
    for call in &wanted.calls {
        let at = known.iter().position(|item| item.string("call_id") == call.id);
        let item = at.map(|at| known.remove(at).clone());
        calls.push(match item {
            Some(item) if call_of(&item).as_ref() == Some(call) => item.to_string(),
            item => call_item(item, call)?.to_string(),
        });
    }
    let mut calls = calls.into_iter();
    let is_message = |item: &Fields| item.string("type") == "message";
    let mut text = (wanted.text != old.text).then(|| {
        let message = items.iter().find(|item| is_message(item));
        (!wanted.text.is_empty()).then(|| text_item(message, fields, &wanted.text))
    });
    let last_call = items.iter().rposition(|item| call_of(item).is_some());
    let mut output = Vec::new();
    for (at, item) in items.iter().enumerate() {
        if call_of(item).is_some() {
            output.extend(text.as_mut().and_then(Option::take));
            output.extend(calls.next());
            if Some(at) == last_call {
                output.extend(calls.by_ref());
            }
        } else if is_message(item) && text.is_some() {
            output.extend(text.as_mut().and_then(Option::take));
        } else {
            output.push(item.to_string());
        }
    }
    output.extend(text.and_then(|text| text));
    output.extend(calls);
    fields.set("output", list(&output));
    if fields.has("output_text") {
        fields.set("output_text", quoted(&wanted.text));
    }
    if wanted.finish != old.finish {
        let why = match wanted.finish.as_str() {
            "length" => Some("max_output_tokens"),
            "content_filter" => Some("content_filter"),
            _ => None,
        };
        fields.set("status", if why.is_some() { "\"incomplete\"" } else { "\"completed\"" });
        fields.put("incomplete_details", &why.map_or(Value::Null, |why| json!({ "reason": why })));
    }
    Ok(())
}

fn call_item(old: Option<Fields>, call: &ToolCall) -> Result<Fields, Problem> {
    let (kind, mark, field) = match call.form {
        Form::Function => ("function_call", "fc", "arguments"),
        Form::Custom => ("custom_tool_call", "ctc", "input"),
        Form::Legacy => return Err(Problem("Responses has no call without an id".into())),
        Form::Provided => {
            let Some(mut item) = old else { return Err(Problem(format!("{} is the provider's to call", call.name))) };
            raw::read::<Value>(&call.arguments)
                .map_err(|error| Problem(format!("what {} is to do is no JSON ({error})", call.name)))?;
            item.set(provided_field(&item), call.arguments.trim());
            return Ok(item);
        }
    };
    let mut item = old.unwrap_or_default();
    item.set("type", quoted(kind));
    if !item.has("id") {
        item.set("id", quoted(&format!("{mark}_{}", call.id)));
    }
    item.set("call_id", quoted(&call.id));
    item.set("name", quoted(&call.name));
    item.set(field, quoted(&call.arguments));
    if !item.has("status") || item.string("status") == "incomplete" {
        item.set("status", "\"completed\"");
    }
    Ok(item)
}

fn text_item(old: Option<&Fields>, response: &Fields, text: &str) -> String {
    let mut item = old.cloned().unwrap_or_else(|| {
        let id = format!("msg_{}", response.string("id").trim_start_matches("resp_"));
        Fields::of(&json!({"id": id, "type": "message", "role": "assistant", "status": "completed"}).to_string())
    });
    let mut part = elements(item.get("content")).map(Fields::of).find(|part| part.string("type") == "output_text");
    let part = part.get_or_insert_default();
    part.set("type", "\"output_text\"");
    part.set("text", quoted(text));
    part.set("annotations", "[]");
    if part.has("logprobs") {
        part.set("logprobs", "[]");
    }
    item.set("content", list(&[part.to_string()]));
    item.to_string()
}

pub(crate) fn events(fields: &Fields) -> String {
    let mut said = Said::default();
    let begun = begun(fields);
    for kind in ["response.created", "response.in_progress"] {
        said.event(kind, &[("response", &begun.to_string())]);
    }
    for (at, item) in elements(fields.get("output")).map(Fields::of).enumerate() {
        said.item(&at.to_string(), &item);
    }
    let kind = if fields.string("status") == "incomplete" { "response.incomplete" } else { "response.completed" };
    said.event(kind, &[("response", &fields.to_string())]);
    said.out
}

/// A response as its first events have it.
fn begun(fields: &Fields) -> Fields {
    let mut begun = fields.clone();
    begun.set("status", "\"in_progress\"");
    begun.set("output", "[]");
    begun.set("usage", "null");
    begun.remove("completed_at");
    for (name, nothing) in [("output_text", "\"\""), ("error", "null")] {
        if begun.has(name) {
            begun.set(name, nothing);
        }
    }
    begun
}

/// The event that begins a response of which the next event says that it failed: as it is said there, if it is.
pub(crate) fn opening(failure: &Fields) -> String {
    let failed = Fields::of(failure.get("response"));
    let nobodys = || Fields::of(&empty("", Usage::default(), &Stamp::default()));
    let response = if failed.has("id") { failed } else { nobodys() };
    let mut data = Fields::default();
    data.set("type", "\"response.created\"");
    // Numbers go up: before what the provider numbered 0 there is none.
    if failure.get("sequence_number") != "0" {
        data.set("sequence_number", "0");
    }
    data.set("response", begun(&response).to_string());
    event(Some("response.created"), data)
}

/// Events as they are said, numbered.
#[derive(Default)]
struct Said {
    out: String,
    number: usize,
}

impl Said {
    fn event(&mut self, kind: &str, fields: &[(&str, &str)]) {
        let mut data = Fields::default();
        data.set("type", quoted(kind));
        data.set("sequence_number", self.number.to_string());
        fields.iter().for_each(|(name, text)| data.set(name, *text));
        self.number += 1;
        self.out += &event(Some(kind), data);
    }

    fn item(&mut self, at: &str, item: &Fields) {
        let mut begun = item.clone();
        if begun.has("status") {
            begun.set("status", "\"in_progress\"");
        }
        for (name, nothing) in [("content", "[]"), ("summary", "[]"), ("arguments", "\"\""), ("input", "\"\"")] {
            // What is null stays so: the field is there, and empty.
            if begun.get(name) != "null" && grows(&item.string("type"), name) {
                begun.set(name, nothing);
            }
        }
        self.event("response.output_item.added", &[("output_index", at), ("item", &begun.to_string())]);
        let id = item.get("id").to_owned();
        let place = [("item_id", id.as_str()), ("output_index", at)];
        let mut event = |kind: &str, more: &[(&str, &str)]| self.event(kind, &[place.as_slice(), more].concat());
        match item.string("type").as_str() {
            "message" => {
                for (index, part) in elements(item.get("content")).map(Fields::of).enumerate() {
                    let index = ("content_index", &*index.to_string());
                    let (field, kind) = match part.string("type").as_str() {
                        "output_text" => ("text", "output_text"),
                        "refusal" => ("refusal", "refusal"),
                        _ => continue,
                    };
                    let text = part.get(field);
                    let mut begun = part.clone();
                    begun.set(field, "\"\"");
                    if begun.has("annotations") {
                        begun.set("annotations", "[]");
                    }
                    event("response.content_part.added", &[index, ("part", &begun.to_string())]);
                    let logprobs = ("logprobs", if part.has("logprobs") { part.get("logprobs") } else { "[]" });
                    let logprobs = if kind == "output_text" { vec![logprobs] } else { Vec::new() };
                    event(&format!("response.{kind}.delta"), &[&[index, ("delta", text)], &*logprobs].concat());
                    event(&format!("response.{kind}.done"), &[&[index, (field, text)], &*logprobs].concat());
                    event("response.content_part.done", &[index, ("part", &part.to_string())]);
                }
            }
            "function_call" => {
                let text = item.get("arguments");
                event("response.function_call_arguments.delta", &[("delta", text)]);
                event("response.function_call_arguments.done", &[("name", item.get("name")), ("arguments", text)]);
            }
            "custom_tool_call" => {
                event("response.custom_tool_call_input.delta", &[("delta", item.get("input"))]);
                event("response.custom_tool_call_input.done", &[("input", item.get("input"))]);
            }
            "reasoning" => {
                for (index, part) in elements(item.get("summary")).map(Fields::of).enumerate() {
                    let index = ("summary_index", &*index.to_string());
                    let text = part.get("text");
                    let empty = ("part", "{\"type\":\"summary_text\",\"text\":\"\"}");
                    event("response.reasoning_summary_part.added", &[index, empty]);
                    event("response.reasoning_summary_text.delta", &[index, ("delta", text)]);
                    event("response.reasoning_summary_text.done", &[index, ("text", text)]);
                    event("response.reasoning_summary_part.done", &[index, ("part", &part.to_string())]);
                }
                for (index, part) in elements(item.get("content")).map(Fields::of).enumerate() {
                    let index = ("content_index", &*index.to_string());
                    event("response.reasoning_text.delta", &[index, ("delta", part.get("text"))]);
                    event("response.reasoning_text.done", &[index, ("text", part.get("text"))]);
                }
            }
            _ => {}
        }
        self.event("response.output_item.done", &[("output_index", at), ("item", &item.to_string())]);
    }
}

/// Whether a field of an item comes in pieces.
fn grows(kind: &str, field: &str) -> bool {
    matches!(
        (kind, field),
        ("message", "content")
            | ("reasoning", "summary" | "content")
            | ("function_call", "arguments")
            | ("custom_tool_call", "input")
    )
}

#[derive(Debug, Default)]
pub(crate) struct Folded {
    items: BTreeMap<u64, String>,
    response: Option<Fields>,
    text: String,
}

impl Folded {
    pub(crate) fn so_far(&self) -> &str {
        &self.text
    }

    pub(crate) fn take(&mut self, fields: &Fields) -> Result<bool, Problem> {
        match fields.string("type").as_str() {
            "response.output_text.delta" => self.text += &fields.string("delta"),
            "response.output_item.done" => {
                let at = fields.get("output_index").parse().unwrap_or(self.items.len() as u64);
                self.items.insert(at, fields.get("item").to_owned());
            }
            "response.completed" | "response.incomplete" | "response.failed" | "response.cancelled" => {
                self.response = Some(Fields::of(fields.get("response")));
                return Ok(true);
            }
            "error" => return Err(Problem(fields.string("message"))),
            // A server that was asked for a stream and sends none.
            "" if fields.has("output") => {
                self.response = Some(fields.clone());
                return Ok(true);
            }
            _ => {}
        }
        Ok(false)
    }

    pub(crate) fn end(self) -> Result<String, Problem> {
        let mut response = self.response.ok_or_else(broke_off)?;
        if elements(response.get("output")).next().is_none() && !self.items.is_empty() {
            // Some servers keep no items for the last event.
            response.set("output", list(&self.items.into_values().collect::<Vec<_>>()));
        }
        Ok(response.to_string())
    }
}
