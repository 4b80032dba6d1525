//! A recorded call beside what the product sent: field by field.

use std::path::Path;

use serde_json::{Map, Value, json};
use stepwright_model::ModelRequest;

use super::folder::Folder;
use super::play::Played;
use super::recording::{Call, Recorded};
use crate::Found;

/// Parameters that are not judged.
const PASSED_OVER: [&str; 6] = ["model", "engine", "stream", "stream_options", "timeout", "echo"];
/// What an interface takes where a parameter is not sent.
const DEFAULTS: [(&str, f64); 4] = [("top_p", 1.0), ("n", 1.0), ("frequency_penalty", 0.0), ("presence_penalty", 0.0)];
/// Characters shown on either side of where two texts part.
const SHOWN: usize = 60;

/// What differs in each call of both sides, in order, and at the end.
pub(super) fn differences(
    folder: &Path,
    of: &Folder,
    episode: &Recorded,
    played: &Played,
) -> Vec<(Option<usize>, Vec<Found>)> {
    let calls = episode.calls.len().max(played.asked.len());
    let one = |at: usize| match (episode.calls.get(at), played.asked.get(at)) {
        (Some(recorded), Some(asked)) => in_call(folder, recorded, asked),
        (Some(recorded), None) => vec![Some(("call", recorded.purpose.clone(), "no call".to_owned()))],
        (None, Some(asked)) => vec![Some(("call", "no call".to_owned(), ending(&text_of(asked))))],
        (None, None) => Vec::new(),
    };
    let kept = |found: Vec<Found>| found.into_iter().filter(Option::is_some).collect::<Vec<_>>();
    let in_calls = (0..calls).map(|at| (Some(at), kept(one(at))));
    in_calls.chain([(None, kept((of.ended)(episode, &played.session)))]).collect()
}

fn text_of(asked: &ModelRequest) -> String {
    asked.messages.iter().map(|message| message.text.as_str()).collect::<Vec<_>>().join("\n")
}

fn ending(text: &str) -> String {
    let skip = text.chars().count().saturating_sub(2 * SHOWN);
    format!("…{}", text.chars().skip(skip).collect::<String>())
}

fn in_call(folder: &Path, recorded: &Call, asked: &ModelRequest) -> Vec<Found> {
    let is_text = matches!(asked.messages.as_slice(), [only] if only.role == "text");
    let wants_text = recorded.prompt.is_some();
    let kind = |text: bool| if text { "completions" } else { "chat" };
    let mut found = vec![(is_text != wants_text).then(|| ("interface", kind(wants_text).into(), kind(is_text).into()))];
    let expected: Result<Vec<(&str, String)>, String> = match &recorded.prompt {
        Some(prompt) => prompt.whole(folder).map(|text| vec![("text", text)]),
        None => recorded.messages.iter().map(|m| Ok((m.role.as_str(), m.content.whole(folder)?))).collect(),
    };
    let parts: Vec<Value> = recorded.messages.iter().flat_map(|message| message.parts.clone()).collect();
    match expected {
        Ok(_) if !parts.is_empty() => found.extend(super::blocking::parts(&parts, asked)),
        Err(why) => found.push(Some(("prompt", "a text that can be read".into(), why))),
        Ok(expected) => {
            let roles = |roles: Vec<&str>| roles.join(", ");
            let own: Vec<&str> = asked.messages.iter().map(|m| m.role.as_str()).collect();
            let wanted: Vec<&str> = expected.iter().map(|(role, _)| *role).collect();
            if is_text == wants_text && own != wanted {
                found.push(Some(("roles", roles(wanted), roles(own))));
            } else {
                let texts = expected.iter().zip(&asked.messages).find(|((_, text), own)| *text != own.text);
                found.push(texts.map(|((_, text), own)| parted(text, &own.text)));
            }
        }
    }
    found.extend(parameters(&recorded.params, asked));
    found
}

/// Where two texts part, with what is around.
fn parted(expected: &str, got: &str) -> (&'static str, String, String) {
    let same = expected.chars().zip(got.chars()).take_while(|(a, b)| a == b).count();
    let from = same.saturating_sub(SHOWN);
    let shown = |text: &str| {
        let part: String = text.chars().skip(from).take(same - from + 2 * SHOWN).collect();
        format!("from character {from}: {}", Value::from(part))
    };
    ("prompt", shown(expected), shown(got))
}

fn parameters(recorded: &Map<String, Value>, asked: &ModelRequest) -> Vec<Found> {
    let mut own: Map<String, Value> = Map::new();
    own.insert("temperature".into(), json!(asked.temperature));
    own.insert("max_tokens".into(), json!(asked.max_tokens));
    own.insert("n".into(), json!(asked.n));
    own.insert("stop".into(), json!(asked.stop));
    own.insert("frequency_penalty".into(), json!(asked.frequency_penalty));
    own.insert("presence_penalty".into(), json!(asked.presence_penalty));
    own.insert("top_p".into(), json!(asked.top_p));
    own.insert("logprobs".into(), json!(asked.logprobs));
    if recorded.contains_key("seed") {
        own.insert("seed".into(), json!(asked.seed));
    }
    let names = own.keys().chain(recorded.keys().filter(|name| !own.contains_key(*name)));
    let judged = names.filter(|name| !PASSED_OVER.contains(&name.as_str()));
    let of = |values: &Map<String, Value>, name: &str| plain(name, values.get(name).unwrap_or(&Value::Null));
    let mut found: Vec<Found> = Vec::new();
    for name in judged {
        let (expected, got) = (of(recorded, name), of(&own, name));
        found.push((expected != got).then(|| (known(name), expected.to_string(), got.to_string())));
    }
    found
}

/// A parameter as it is compared: numbers by value, stops as a list, whether log-probabilities are asked for, defaults as if sent.
fn plain(name: &str, value: &Value) -> Value {
    match (name, value) {
        ("stop", Value::Null) => json!([]),
        ("stop", Value::String(one)) => json!([one]),
        ("logprobs", value) => json!(!matches!(value, Value::Null | Value::Bool(false))),
        // Sums of fractions differ in their last binary digit.
        (_, Value::Number(number)) => json!(number.as_f64().map(|value| (value * 1e9).round() / 1e9)),
        (name, Value::Null) => DEFAULTS.iter().find(|(of, _)| *of == name).map_or(Value::Null, |(_, is)| json!(is)),
        (_, other) => other.clone(),
    }
}

/// The name of a parameter that is known; `parameter` for another.
fn known(name: &str) -> &'static str {
    const KNOWN: [&str; 9] = [
        "temperature", "max_tokens", "n", "stop", "frequency_penalty", "presence_penalty", "top_p", "logprobs", "seed",
    ];
    KNOWN.iter().find(|known| **known == name).copied().unwrap_or("parameter")
}
