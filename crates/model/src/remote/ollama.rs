//! Ollama's own interface: what is sent, and what the lines of its answers hold.
//!
//! Its context is set up for each request (`num_ctx`): what does not fit is cut off the prompt in silence, so it is made large
//! enough, and a prompt that filled it is an error. Behind OpenAI's interface it cannot be set there: 4,096 tokens unless its
//! owner says otherwise.

use serde_json::{Map, Value, json};

use super::body::{Interface, Wanted, messages};
use super::chunk::{Answer, Piece};
use super::options::{Options, Think};
use super::quirks::Quirks;
use crate::Usage;

/// The least context that is set up.
const LEAST: u64 = 4_096;
/// The largest that is set up without being set.
const MOST: u64 = 131_072;
/// Fewest characters of a token, as a rule: code and names of things have more.
const CHARS: usize = 3;

pub(super) fn body(options: &Options, quirks: &Quirks, interface: Interface, wanted: Wanted<'_>) -> Map<String, Value> {
    let request = wanted.request;
    let mut own = Map::new();
    own.insert("num_ctx".into(), json!(context(options, quirks, wanted)));
    own.insert("num_predict".into(), json!(wanted.limit));
    own.insert("temperature".into(), json!(request.temperature));
    if request.frequency_penalty != 0.0 {
        own.insert("frequency_penalty".into(), json!(request.frequency_penalty));
    }
    if request.presence_penalty != 0.0 {
        own.insert("presence_penalty".into(), json!(request.presence_penalty));
    }
    if let Some(top_p) = request.top_p {
        own.insert("top_p".into(), json!(top_p));
    }
    if !request.stop.is_empty() {
        own.insert("stop".into(), json!(request.stop));
    }
    if let Some(seed) = wanted.seed() {
        // A whole number of 32 bits there.
        own.insert("seed".into(), json!(seed & i32::MAX as u64));
    }
    let mut body = Map::new();
    body.insert("model".into(), json!(options.model));
    if interface == Interface::OllamaGenerate {
        body.insert("prompt".into(), json!(request.messages.first().map_or("", |m| m.text.as_str())));
        body.insert("raw".into(), json!(true));
    } else {
        body.insert("messages".into(), messages(request));
        match &options.think {
            Think::Auto => None,
            Think::Off => Some(json!(false)),
            Think::On | Think::Budget(_) => Some(json!(true)),
            Think::Effort(word) => Some(json!(word)),
        }
        .map(|think| body.insert("think".into(), think));
        if let Some(structure) = &request.structure {
            body.insert("format".into(), structure.schema());
        }
    }
    body.insert("options".into(), Value::Object(own));
    body.insert("stream".into(), json!(options.stream));
    // An error in place of a prompt that is cut in silence, where the server knows the words.
    body.insert("truncate".into(), json!(false));
    body.insert("shift".into(), json!(false));
    if request.logprobs {
        body.insert("logprobs".into(), json!(true));
        if options.top_logprobs > 0 {
            body.insert("top_logprobs".into(), json!(options.top_logprobs));
        }
    }
    if !options.keep_alive.is_empty() {
        let whole = options.keep_alive.parse::<i64>().ok();
        body.insert("keep_alive".into(), whole.map_or_else(|| json!(options.keep_alive), |n| json!(n)));
    }
    body
}

/// The context to set up: as set, else a power of two that holds prompt and answer. It never shrinks: another size has the model
/// loaded again.
fn context(options: &Options, quirks: &Quirks, wanted: Wanted<'_>) -> u64 {
    let set = options.num_ctx.or(options.context.and_then(|c| u64::try_from(c).ok()));
    set.unwrap_or_else(|| {
        let chars: usize = wanted.request.messages.iter().map(|m| m.text.chars().count()).sum();
        let needed = (chars / CHARS) as u64 + u64::from(wanted.limit) + 256;
        quirks.at_least_context(needed.next_power_of_two().clamp(LEAST, MOST))
    })
}

pub(super) fn context_of(body: &Value) -> Option<u64> {
    body.pointer("/options/num_ctx").and_then(Value::as_u64)
}

/// Takes in a line of a stream or a whole answer.
pub(super) fn take(answer: &mut Answer, object: &Value, piece: &mut impl FnMut(u32, Piece, &str)) {
    let message = object.get("message").unwrap_or(object);
    let text = |name: &str| message.get(name).and_then(Value::as_str).unwrap_or_default();
    answer.serve(object.get("model"));
    let choice = answer.choice(0);
    choice.reason(0, text("thinking"), piece);
    if object.get("message").is_some() {
        choice.say(0, text("content"), piece);
    } else {
        choice.say_raw(0, text("response"), piece);
    }
    for entry in object.get("logprobs").and_then(Value::as_array).into_iter().flatten() {
        choice.token(entry);
    }
    if object.get("done").and_then(Value::as_bool) == Some(true) {
        let reason = object.get("done_reason").and_then(Value::as_str).filter(|r| !r.is_empty());
        choice.end(reason.unwrap_or("stop"));
        let count = |name: &str| object.get(name).and_then(Usage::tokens);
        let (prompt, completion) = (count("prompt_eval_count"), count("eval_count"));
        if prompt.is_some() || completion.is_some() {
            answer.usage = Some(Usage::new(prompt.unwrap_or_default(), completion.unwrap_or_default()));
        }
        answer.ended = true;
    }
}
