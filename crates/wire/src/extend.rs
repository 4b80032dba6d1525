//! Request with turns added that the agent did not take: an answer that was rejected, why, what a person changed.

use crate::neutral::{Api, Form, Problem, ToolCall};
use crate::raw::{Fields, elements, list, quoted};
use crate::texts::object;
use crate::whole::Whole;
use crate::{chat, responses};

/// A turn to add.
#[derive(Debug, Clone, Copy)]
pub enum Turn<'a> {
    /// What the model said, by the number of its choice.
    Answer(&'a Whole, usize),
    /// The result of one of its calls.
    Result(&'a ToolCall, &'a str),
    /// A text in a person's place.
    Say(&'a str),
}

/// A request's body with turns behind its conversation; all else stays as it is.
pub fn extended(api: Api, body: &str, turns: &[Turn<'_>]) -> Result<String, Problem> {
    let mut fields = object(body)?;
    let field = if api == Api::Responses { "input" } else { "messages" };
    let mut items = match api {
        Api::Responses => responses::input(&fields),
        _ => elements(fields.get(field)).map(str::to_owned).collect(),
    };
    let stored = fields.get("store") != "false";
    for turn in turns {
        match api {
            Api::Chat => items.push(chat_turn(turn)),
            Api::Responses => responses_turn(&mut items, turn, stored),
            Api::Messages => messages_turn(&mut items, turn),
        }
    }
    fields.set(field, list(&items));
    Ok(fields.to_string())
}

fn chat_turn(turn: &Turn<'_>) -> String {
    match turn {
        Turn::Answer(whole, choice) => chat::echo(&Fields::of(whole.text()), *choice),
        Turn::Result(call, text) if call.form == Form::Legacy => {
            format!("{{\"role\":\"function\",\"name\":{},\"content\":{}}}", quoted(&call.name), quoted(text))
        }
        Turn::Result(call, text) => {
            format!("{{\"role\":\"tool\",\"tool_call_id\":{},\"content\":{}}}", quoted(&call.id), quoted(text))
        }
        Turn::Say(text) => responses::said("user", &quoted(text)),
    }
}

fn responses_turn(items: &mut Vec<String>, turn: &Turn<'_>, stored: bool) {
    match turn {
        Turn::Answer(whole, _) => {
            let output = Fields::of(whole.text());
            items.extend(
                elements(output.get("output")).filter(|item| is_known(&Fields::of(item), stored)).map(str::to_owned),
            );
        }
        Turn::Result(call, text) => {
            let kind = match call.form {
                Form::Custom => "custom_tool_call_output",
                Form::Provided => {
                    // Its result has a form of its own (a picture, an exit code): the call was left out, and a person says why.
                    let text = format!("{} {}: {text}", call.name, call.arguments);
                    return items.push(responses::said("user", &quoted(&text)));
                }
                _ => "function_call_output",
            };
            let (id, text) = (quoted(&call.id), quoted(text));
            items.push(format!("{{\"type\":\"{kind}\",\"call_id\":{id},\"output\":{text}}}"));
        }
        Turn::Say(text) => items.push(responses::said("user", &quoted(text))),
    }
}

/// Whether the provider takes an item back: reasoning only where it keeps it or it is sealed in it, and no call whose result nobody can write.
fn is_known(item: &Fields, stored: bool) -> bool {
    match item.string("type").as_str() {
        "reasoning" => stored || item.get("encrypted_content") != "null",
        "function_call" | "custom_tool_call" => true,
        _ => responses::call_of(item).is_none(),
    }
}

fn messages_turn(items: &mut Vec<String>, turn: &Turn<'_>) {
    let block = match turn {
        Turn::Answer(whole, _) => {
            let content = Fields::of(whole.text());
            return items.push(responses::said("assistant", content.get("content")));
        }
        Turn::Result(call, text) => {
            let (id, text) = (quoted(&call.id), quoted(text));
            format!("{{\"type\":\"tool_result\",\"tool_use_id\":{id},\"content\":{text},\"is_error\":true}}")
        }
        Turn::Say(text) => format!("{{\"type\":\"text\",\"text\":{}}}", quoted(text)),
    };
    // All that a person's side says is one message, its results first.
    match items.last_mut().map(|last| (Fields::of(last), last)) {
        Some((mut message, last)) if message.string("role") == "user" => {
            let content = message.get("content");
            let mut blocks = match content.starts_with('"') {
                true => vec![format!("{{\"type\":\"text\",\"text\":{content}}}")],
                false => elements(content).map(str::to_owned).collect(),
            };
            blocks.push(block);
            message.set("content", list(&blocks));
            *last = message.to_string();
        }
        _ => items.push(responses::said("user", &list(&[block]))),
    }
}
