//! Anthropic's Messages.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::neutral::{Answer, Form, Message, Part, Problem, Role, Stamp, ToolCall, finish};
use crate::raw::{self, Fields, elements, grow, list, quoted};
use crate::texts::{arguments, broke_off, event, noted};
use crate::usage::Usage;

pub(crate) fn conversation(fields: &Fields) -> Vec<Message> {
    let system = parts_of(fields.get("system"));
    let system = (!system.is_empty()).then_some(Message { role: Role::System, parts: system });
    let said = elements(fields.get("messages")).map(|message| {
        let message = Fields::of(message);
        let parts = parts_of(message.get("content"));
        let results = !parts.is_empty() && parts.iter().all(|part| matches!(part, Part::Result { .. }));
        let role = match message.string("role").as_str() {
            "assistant" => Role::Assistant,
            "system" => Role::System,
            _ if results => Role::Tool,
            _ => Role::User,
        };
        Message { role, parts }
    });
    system.into_iter().chain(said).collect()
}

fn parts_of(content: &str) -> Vec<Part> {
    if content.starts_with('"') {
        return Some(raw::text(content)).filter(|text| !text.is_empty()).map(Part::Text).into_iter().collect();
    }
    elements(content).map(part_of).collect()
}

fn part_of(text: &str) -> Part {
    let block = Fields::of(text);
    match block.string("type").as_str() {
        "text" => Part::Text(block.string("text")),
        "tool_use" => Part::Call(call_of(&block)),
        "tool_result" => {
            let parts = parts_of(block.get("content"));
            let texts = parts.into_iter().filter_map(|part| match part {
                Part::Text(text) => Some(text),
                Part::Image(words) | Part::Other(words) => Some(format!("({words})")),
                _ => None,
            });
            let text = texts.collect::<Vec<_>>().join("\n");
            Part::Result { id: block.string("tool_use_id"), text, error: block.get("is_error") == "true" }
        }
        "thinking" => Part::Reasoning(block.string("thinking")),
        "redacted_thinking" => Part::Reasoning("(sealed)".into()),
        "image" => Part::Image(noted("image", block.get("source"))),
        other => {
            // Where it is kept may change with every request.
            let mut block = block.clone();
            block.remove("cache_control");
            Part::Other(noted(other, &block.to_string()))
        }
    }
}

fn call_of(block: &Fields) -> ToolCall {
    let (id, name) = (block.string("id"), block.string("name"));
    ToolCall { id, name, arguments: arguments(block.get("input")), form: Form::Function }
}

pub(crate) fn read(fields: &Fields) -> Result<(Option<Usage>, Vec<Answer>), Problem> {
    if fields.string("type") == "error" {
        return Err(Problem(Fields::of(fields.get("error")).string("message")));
    }
    if !fields.has("content") {
        return Err(Problem("the answer holds no content".into()));
    }
    let mut answer = Answer::default();
    for part in elements(fields.get("content")).map(part_of) {
        match part {
            Part::Text(text) => answer.text.push_str(&text),
            Part::Reasoning(text) => answer.reasoning.push_str(&text),
            Part::Call(call) => answer.calls.push(call),
            _ => {}
        }
    }
    answer.finish = finish(&fields.string("stop_reason")).to_owned();
    Ok((Some(Usage::of_messages(&fields.value("usage"))), vec![answer]))
}

fn reason(finish: &str) -> &str {
    match finish {
        "stop" => "end_turn",
        "tool_calls" => "tool_use",
        "length" => "max_tokens",
        "content_filter" => "refusal",
        other => other,
    }
}

pub(crate) fn empty(model: &str, usage: Usage, stamp: &Stamp) -> String {
    json!({
        "id": format!("msg_{}", stamp.id), "type": "message", "role": "assistant", "model": model, "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": usage.prompt, "output_tokens": usage.completion},
    })
    .to_string()
}

pub(crate) fn edit(fields: &mut Fields, old: &Answer, wanted: &Answer) -> Result<(), Problem> {
    let blocks: Vec<Fields> = elements(fields.get("content")).map(Fields::of).collect();
    let is = |block: &Fields, kind: &str| block.string("type") == kind;
    let mut known: Vec<&Fields> = blocks.iter().filter(|block| is(block, "tool_use")).collect();
    let mut calls = Vec::new();
    for call in &wanted.calls {
        let at = known.iter().position(|block| block.string("id") == call.id);
        let mut block = at.map(|at| known.remove(at).clone()).unwrap_or_default();
        if at.is_none() || call_of(&block) != *call {
            if call.form != Form::Function || raw::read::<Map<String, Value>>(&call.arguments).is_err() {
                return Err(Problem(format!("the arguments of {} are no JSON object", call.name)));
            }
            block.set("type", "\"tool_use\"");
            block.set("id", quoted(&call.id));
            block.set("name", quoted(&call.name));
            block.set("input", call.arguments.trim());
        }
        calls.push(block.to_string());
    }
    let mut calls = calls.into_iter();
    let mut text = (wanted.text != old.text).then(|| {
        let mut block = blocks.iter().find(|block| is(block, "text")).cloned().unwrap_or_default();
        block.set("type", "\"text\"");
        block.set("text", quoted(&wanted.text));
        if block.has("citations") {
            block.set("citations", "null");
        }
        (!wanted.text.is_empty()).then(|| block.to_string())
    });
    let last_call = blocks.iter().rposition(|block| is(block, "tool_use"));
    let mut content = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        if is(block, "tool_use") {
            // A text where there was none comes before the calls.
            content.extend(text.as_mut().and_then(Option::take));
            content.extend(calls.next());
            if Some(at) == last_call {
                content.extend(calls.by_ref());
            }
        } else if is(block, "text") && text.is_some() {
            content.extend(text.as_mut().and_then(Option::take));
        } else {
            content.push(block.to_string());
        }
    }
    content.extend(text.and_then(|text| text));
    content.extend(calls);
    fields.set("content", list(&content));
    if wanted.finish != old.finish {
        fields.set("stop_reason", quoted(reason(&wanted.finish)));
        fields.set("stop_sequence", "null");
    }
    Ok(())
}

/// Fields of an answer that its end says: the first beside the others.
const ENDS: [&str; 3] = ["context_management", "container", "stop_details"];

pub(crate) fn events(fields: &Fields) -> String {
    let mut start = fields.clone();
    start.set("content", "[]");
    start.set("stop_reason", "null");
    start.set("stop_sequence", "null");
    ENDS.iter().for_each(|name| start.remove(name));
    let mut out = event(Some("message_start"), format!("{{\"type\":\"message_start\",\"message\":{start}}}"));
    for (at, block) in elements(fields.get("content")).map(Fields::of).enumerate() {
        let mut begun = block.clone();
        let mut deltas = Vec::new();
        let mut delta = |kind: &str, name: &str, text: &str| {
            deltas.push(format!("{{\"type\":{},\"{name}\":{text}}}", quoted(kind)));
        };
        match block.string("type").as_str() {
            "text" => {
                begun.set("text", "\"\"");
                delta("text_delta", "text", block.get("text"));
                if elements(block.get("citations")).next().is_some() {
                    begun.set("citations", "[]");
                    elements(block.get("citations"))
                        .for_each(|citation| delta("citations_delta", "citation", citation));
                }
            }
            "thinking" => {
                begun.set("thinking", "\"\"");
                begun.set("signature", "\"\"");
                delta("thinking_delta", "thinking", block.get("thinking"));
                delta(
                    "signature_delta",
                    "signature",
                    if block.has("signature") { block.get("signature") } else { "\"\"" },
                );
            }
            "compaction" => {
                let mut whole = block.clone();
                whole.set("type", "\"compaction_delta\"");
                deltas.push(whole.to_string());
                ["content", "encrypted_content"].iter().for_each(|name| begun.set(name, "null"));
            }
            _ if block.has("input") => {
                begun.set("input", "{}");
                // What was cut off is a text already.
                let input = block.get("input");
                let text = if input.starts_with('"') { input.to_owned() } else { quoted(&arguments(input)) };
                delta("input_json_delta", "partial_json", &text);
            }
            _ => {}
        }
        let start = format!("{{\"type\":\"content_block_start\",\"index\":{at},\"content_block\":{begun}}}");
        out += &event(Some("content_block_start"), start);
        for delta in deltas {
            let piece = format!("{{\"type\":\"content_block_delta\",\"index\":{at},\"delta\":{delta}}}");
            out += &event(Some("content_block_delta"), piece);
        }
        out += &event(Some("content_block_stop"), format!("{{\"type\":\"content_block_stop\",\"index\":{at}}}"));
    }
    let (mut end, mut delta) = (Fields::default(), Fields::default());
    end.set("type", "\"message_delta\"");
    for name in ["stop_reason", "stop_sequence"].iter().chain(&ENDS[1..]).filter(|name| fields.has(name)) {
        delta.set(name, fields.get(name));
    }
    end.set("delta", delta.to_string());
    end.set("usage", if fields.has("usage") { fields.get("usage") } else { "{\"output_tokens\":0}" });
    if fields.has(ENDS[0]) {
        end.set(ENDS[0], fields.get(ENDS[0]));
    }
    out += &event(Some("message_delta"), end);
    out + &event(Some("message_stop"), "{\"type\":\"message_stop\"}")
}

#[derive(Debug, Default)]
pub(crate) struct Folded {
    message: Fields,
    blocks: BTreeMap<u64, Block>,
    text: String,
    ended: bool,
}

#[derive(Debug, Default)]
struct Block {
    fields: Fields,
    /// Texts that grow, by field, as JSON: a piece may end within a pair of surrogates.
    grown: BTreeMap<String, String>,
    /// The text of the arguments, likewise.
    json: String,
    citations: Vec<String>,
}

impl Folded {
    pub(crate) fn so_far(&self) -> &str {
        &self.text
    }

    pub(crate) fn take(&mut self, fields: &Fields) -> Result<bool, Problem> {
        let index = fields.get("index").parse().unwrap_or(0);
        match fields.string("type").as_str() {
            "message_start" => self.message = Fields::of(fields.get("message")),
            "content_block_start" => {
                let block = Block { fields: Fields::of(fields.get("content_block")), ..Block::default() };
                self.text +=
                    &if block.fields.string("type") == "text" { block.fields.string("text") } else { String::new() };
                self.blocks.insert(index, block);
            }
            "content_block_delta" => {
                let delta = Fields::of(fields.get("delta"));
                let block = self.blocks.entry(index).or_default();
                match delta.string("type").as_str() {
                    "input_json_delta" => grow(&mut block.json, delta.get("partial_json")),
                    "citations_delta" => block.citations.push(delta.get("citation").to_owned()),
                    kind => {
                        if kind == "text_delta" {
                            self.text += &delta.string("text");
                        }
                        for (name, more) in delta.iter().filter(|(name, more)| *name != "type" && more.starts_with('"'))
                        {
                            grow(block.grown.entry(name.to_owned()).or_default(), more);
                        }
                    }
                }
            }
            "message_delta" => {
                for (name, text) in Fields::of(fields.get("delta")).iter() {
                    self.ended |= name == "stop_reason" && text != "null";
                    self.message.set(name, text);
                }
                for (name, text) in fields.iter().filter(|(name, _)| !matches!(*name, "type" | "delta" | "usage")) {
                    self.message.set(name, text);
                }
                let mut usage = Fields::of(self.message.get("usage"));
                for (name, text) in Fields::of(fields.get("usage")).iter().filter(|(_, text)| *text != "null") {
                    usage.set(name, text);
                }
                self.message.set("usage", usage.to_string());
            }
            "message_stop" => {
                self.ended = true;
                return Ok(true);
            }
            // A server that was asked for a stream and sends none.
            "message" => {
                self.message = fields.clone();
                self.ended = true;
                return Ok(true);
            }
            _ => {}
        }
        Ok(false)
    }

    pub(crate) fn end(mut self) -> Result<String, Problem> {
        if !self.ended {
            return Err(broke_off());
        }
        if !self.blocks.is_empty() {
            let blocks: Vec<String> = self.blocks.into_values().map(Block::end).collect();
            self.message.set("content", list(&blocks));
        }
        Ok(self.message.to_string())
    }
}

impl Block {
    fn end(mut self) -> String {
        for (name, more) in self.grown {
            let mut text = self.fields.get(&name).to_owned();
            grow(&mut text, &more);
            self.fields.set(&name, text);
        }
        let json = raw::inner(&self.json);
        if !json.is_empty() {
            let whole = raw::read::<Map<String, Value>>(&json).is_ok();
            // What was cut off is no JSON: it is kept as the text it is.
            self.fields.set("input", if whole { json.trim().to_owned() } else { self.json });
        }
        if !self.citations.is_empty() {
            self.fields.set("citations", list(&self.citations));
        }
        self.fields.to_string()
    }
}
