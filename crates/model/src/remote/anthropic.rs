//! Anthropic's Messages: what is sent, and what its events and answers hold.
//!
//! It takes no seed, no penalty and no number of completions, reports no log-probabilities, and wants a temperature of at most 1
//! (none at all where it reasons). The long beginning that prompts of an episode share is marked to be cached: a text is sent
//! in parts that begin at the same places however the text continues, and the last whole part is marked.

use serde_json::{Map, Value, json};

use super::body::{CONTINUE, Wanted, effort_of, is_raw};
use super::chunk::{Answer, Piece};
use super::options::{Options, Think};
use super::quirks::{Quirks, is_set};
use crate::{PromptMessage, Usage};

/// Characters of a part, at least: what is shorter than some 1,024 tokens is not cached.
const PART: usize = 4_000;
/// Tokens to reason with where no number is set.
const BUDGET: u32 = 4_096;

pub(super) fn body(options: &Options, quirks: &Quirks, wanted: Wanted<'_>) -> Map<String, Value> {
    let request = wanted.request;
    let mut body = Map::new();
    body.insert("model".into(), json!(options.model));
    let (mut system, mut rest): (Vec<&PromptMessage>, Vec<&PromptMessage>) =
        request.messages.iter().partition(|m| m.role == "system");
    if rest.is_empty() {
        // It refuses to be asked nothing.
        std::mem::swap(&mut system, &mut rest);
    }
    let system = if is_raw(request) { vec![CONTINUE] } else { system.iter().map(|m| m.text.as_str()).collect() };
    if !system.is_empty() {
        body.insert("system".into(), parts(&system.join("\n\n"), true));
    }
    let message = |(at, m): (usize, &&PromptMessage)| {
        let role = if m.role == "assistant" { "assistant" } else { "user" };
        json!({"role": role, "content": parts(&m.text, at + 1 == rest.len())})
    };
    body.insert("messages".into(), rest.iter().enumerate().map(message).collect());
    let Thinking { thinking, effort, room } = thinking(&options.think, is_set(&quirks.other_thinking));
    body.insert("max_tokens".into(), json!(wanted.limit.saturating_add(room)));
    if room == 0 {
        body.insert("temperature".into(), json!(request.temperature.clamp(0.0, 1.0)));
        if let Some(top_p) = request.top_p {
            body.insert("top_p".into(), json!(top_p));
        }
    }
    if let Some(thinking) = thinking {
        body.insert("thinking".into(), thinking);
    }
    // A stop that is white space alone is refused.
    let stop: Vec<&String> = request.stop.iter().filter(|s| !s.trim().is_empty()).collect();
    if !stop.is_empty() {
        body.insert("stop_sequences".into(), json!(stop));
    }
    let mut output = Map::new();
    if let Some(effort) = effort {
        output.insert("effort".into(), json!(effort));
    }
    if let Some(structure) = &request.structure {
        output.insert("format".into(), json!({"type": "json_schema", "schema": structure.schema()}));
    }
    if !output.is_empty() {
        body.insert("output_config".into(), Value::Object(output));
    }
    if options.stream {
        body.insert("stream".into(), json!(true));
    }
    body
}

struct Thinking {
    thinking: Option<Value>,
    effort: Option<String>,
    /// Tokens for it beside those of the answer.
    room: u32,
}

/// Models take a number of tokens, or an effort and find the number themselves, or either; `other` is the one that was not asked for.
fn thinking(think: &Think, other: bool) -> Thinking {
    let counted = |tokens: u32| Thinking {
        thinking: Some(json!({"type": "enabled", "budget_tokens": tokens})),
        effort: None,
        room: tokens,
    };
    let adaptive = |effort: Option<&str>, room| Thinking {
        thinking: Some(json!({"type": "adaptive", "display": "summarized"})),
        effort: effort.map(str::to_owned),
        room,
    };
    match think {
        Think::Auto => Thinking { thinking: None, effort: None, room: 0 },
        Think::Off => Thinking { thinking: Some(json!({"type": "disabled"})), effort: None, room: 0 },
        Think::On if other => adaptive(None, BUDGET),
        Think::On => counted(BUDGET),
        Think::Budget(tokens) if other => adaptive(Some(effort_of(*tokens)), *tokens),
        Think::Budget(tokens) => counted((*tokens).max(1024)),
        Think::Effort(word) if other => counted(match word.as_str() {
            "minimal" | "low" => BUDGET / 2,
            "medium" => BUDGET,
            "high" => BUDGET * 2,
            _ => BUDGET * 4,
        }),
        Think::Effort(word) => adaptive(Some(word), BUDGET),
    }
}

/// A text in parts, the last whole one marked to be cached if `mark`.
fn parts(text: &str, mark: bool) -> Value {
    let mut parts = Vec::new();
    let mut from = 0;
    for (at, _) in text.match_indices('\n') {
        // What is left is longer than white space, which is refused as a separate part.
        if at + 1 >= from + PART && !text.get(at..).unwrap_or_default().trim().is_empty() {
            parts.push(json!({"type": "text", "text": text.get(from..at + 1)}));
            from = at + 1;
        }
    }
    if let Some(Value::Object(last)) = parts.last_mut().filter(|_| mark) {
        last.insert("cache_control".into(), json!({"type": "ephemeral"}));
    }
    parts.push(json!({"type": "text", "text": text.get(from..)}));
    Value::Array(parts)
}

/// Takes in an event of a stream or a whole answer.
pub(super) fn take(answer: &mut Answer, object: &Value, piece: &mut impl FnMut(u32, Piece, &str)) {
    let text = |value: Option<&Value>, name: &str| -> String {
        value.and_then(|v| v.get(name)).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let kind = object.get("type").and_then(Value::as_str).unwrap_or_default();
    let message = object.get("message").filter(|_| kind == "message_start");
    for message in [message, Some(object).filter(|_| kind == "message")].into_iter().flatten() {
        answer.serve(message.get("model"));
        answer.usage = message.get("usage").map(Usage::of_messages).or(answer.usage);
    }
    match kind {
        "message" => {
            for block in object.get("content").and_then(Value::as_array).into_iter().flatten() {
                take_block(answer, block, piece);
            }
            end(answer, &text(Some(object), "stop_reason"));
        }
        "content_block_start" => {
            if let Some(block) = object.get("content_block") {
                take_block(answer, block, piece);
            }
        }
        "content_block_delta" => {
            let delta = object.get("delta");
            answer.choice(0).say(0, &text(delta, "text"), piece);
            answer.choice(0).reason(0, &text(delta, "thinking"), piece);
        }
        "message_delta" => {
            let reported = object.get("usage").map(Usage::of_messages).unwrap_or_default();
            let so_far = answer.usage.get_or_insert_default();
            so_far.completion = reported.completion.max(so_far.completion);
            so_far.prompt = reported.prompt.max(so_far.prompt);
            so_far.cached = reported.cached.max(so_far.cached);
            so_far.reasoning = reported.reasoning.max(so_far.reasoning);
            end(answer, &text(object.get("delta"), "stop_reason"));
        }
        "message_stop" => answer.ended = true,
        _ => {}
    }
}

fn take_block(answer: &mut Answer, block: &Value, piece: &mut impl FnMut(u32, Piece, &str)) {
    let text = |name: &str| block.get(name).and_then(Value::as_str).unwrap_or_default();
    let choice = answer.choice(0);
    choice.say(0, text("text"), piece);
    choice.reason(0, text("thinking"), piece);
}

fn end(answer: &mut Answer, reason: &str) {
    if !reason.is_empty() {
        answer.choice(0).end(reason);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_prompts_share_is_sent_in_the_same_parts() {
        let line = "agent.goto('shelf 1')  # one of many\n";
        let (short, long) = (line.repeat(300), line.repeat(330));
        let (a, b) = (parts(&short, true), parts(&long, true));
        let (a, b) = (a.as_array().unwrap(), b.as_array().unwrap());
        let text = |parts: &[Value]| parts.iter().map(|p| p["text"].as_str().unwrap()).collect::<String>();
        assert_eq!(text(a), short);
        assert_eq!(a[0]["text"], b[0]["text"]);
        let marked = a.iter().position(|p| p.get("cache_control").is_some()).unwrap();
        assert_eq!(marked, a.len() - 2);
        assert_eq!(a[marked]["text"], b[marked]["text"], "the marked part is found again");
        assert_eq!(parts("short", true), json!([{"type": "text", "text": "short"}]));
    }
}
