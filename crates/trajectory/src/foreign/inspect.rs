//! Logs of Inspect: `.eval`, a zip with a member a sample (Zstandard today, deflate before), and `.json` with the same in one object.

use std::io::{Cursor, Read as _};

use serde_json::{Value as Json, json};

use super::conversation::{Conversation, Read, Turn, id_of, string, text_of};
use super::{chat, lenient};

/// Most bytes of one member.
const LARGEST: u64 = 256 << 20;

const SAMPLE: [&str; 44] = [
    "id", "epoch", "input", "choices", "target", "sandbox", "files", "setup", "messages", "output", "scores", "score",
    "metadata", "store", "events", "timelines", "model_usage", "role_usage", "started_at", "completed_at",
    "total_time", "working_time", "uuid", "invalidation", "error", "error_retries", "attachments", "events_data",
    "limit", "turn_count", "message_limit", "token_limit", "time_limit", "working_limit", "cost_limit", "turn_limit",
    "transcript", "logs", "tags", "usage", "description", "model_fallbacks", "token_limit_type", "token_limit_usage",
];

pub(super) fn zip(read: &mut Read, bytes: &[u8]) {
    let mut archive = match zip::ZipArchive::new(Cursor::new(bytes)) {
        Ok(archive) => archive,
        Err(e) => return read.fail(format!("no whole zip, it may be cut: {e}")),
    };
    let names: Vec<String> = archive.file_names().filter_map(Result::ok).map(Into::into).collect();
    let mut member = |name: &str| -> Result<Json, String> {
        let file = archive.by_name(name).map_err(|e| format!("{name}: {e}"))?;
        let mut text = Vec::new();
        let size = file.take(LARGEST + 1).read_to_end(&mut text).map_err(|e| format!("{name}: {e}"))?;
        if size as u64 > LARGEST {
            return Err(format!("{name}: larger than {} MiB", LARGEST >> 20));
        }
        let text = String::from_utf8(text).map_err(|e| format!("{name}: no JSON: {e}"))?;
        lenient::parse(&text).map_err(|e| format!("{name}: no JSON: {e}"))
    };
    let is_sample = |name: &str| name.starts_with("samples/") && name.ends_with(".json");
    if !names.iter().any(|name| is_sample(name) || name == "header.json" || name.starts_with("_journal/")) {
        return read.fail("this zip is no log of Inspect: it has neither `header.json` nor samples".to_owned());
    }
    let header =
        names.iter().find(|name| *name == "header.json").or_else(|| names.iter().find(|n| n.ends_with("start.json")));
    let header = match header.map(|name| member(name)) {
        Some(Ok(header)) => header,
        Some(Err(why)) => {
            read.fail(why);
            Json::Null
        }
        None => Json::Null,
    };
    let mut all = Vec::new();
    for name in names.iter().filter(|name| is_sample(name)) {
        match member(name) {
            Ok(value) => all.push((name.clone(), value)),
            Err(why) => read.fail(why),
        }
    }
    all.sort_by_cached_key(|(_, sample)| place(sample));
    samples(read, &header, all);
}

pub(super) fn json(read: &mut Read, value: &Json) -> bool {
    read.format("inspect-json");
    let all = value.get("samples").and_then(Json::as_array).into_iter().flatten().cloned();
    let all = all.enumerate().map(|(at, sample)| (format!("samples[{at}]"), sample)).collect();
    samples(read, value, all);
    true
}

fn epoch(sample: &Json) -> u64 {
    sample.get("epoch").and_then(Json::as_u64).unwrap_or(1)
}

/// Where Inspect puts a sample of a zip: by epoch and id, numbers filled with zeros behind their sign.
fn place(sample: &Json) -> (u64, String) {
    let text = id_of(sample, "id").unwrap_or_default();
    let is_number = sample.get("id").is_some_and(Json::is_number);
    let filled = match text.strip_prefix('-') {
        _ if !is_number => text,
        Some(digits) => format!("-{digits:0>19}"),
        None => format!("{text:0>20}"),
    };
    (epoch(sample), filled)
}

/// The episodes, in their order.
fn samples(read: &mut Read, header: &Json, all: Vec<(String, Json)>) {
    let version = header.get("version").and_then(Json::as_u64);
    if let Some(version) = version.filter(|version| !(1..=2).contains(version)) {
        read.notes.push(format!("version {version} of the log is not known here; it was read as version 2"));
    }
    let epochs = all.iter().any(|(_, sample)| epoch(sample) > 1);
    let eval = header.get("eval").unwrap_or(&Json::Null);
    for (name, sample) in all {
        read.know(&sample, "samples[].", &SAMPLE);
        let mut episode = Conversation::default();
        let Some(messages) = sample.get("messages").and_then(Json::as_array) else {
            read.fail(format!("{name}: `messages` is missing"));
            continue;
        };
        let attachments = sample.get("attachments").unwrap_or(&Json::Null);
        for (at, message) in messages.iter().enumerate() {
            let message = whole(message, attachments);
            chat::message(read, &format!("{name}: messages[{at}]"), &message, &mut episode.turns);
        }
        let about = &mut episode.about;
        let (id, epoch) = (id_of(&sample, "id").unwrap_or_default(), epoch(&sample));
        about.id = if epochs { format!("{id} epoch {epoch}") } else { id.clone() };
        about.model = string(eval, "model");
        about.source = string(eval, "task");
        let input = sample.get("input").map(|input| whole(input, attachments)).unwrap_or_default();
        let from_input = match &input {
            Json::String(text) => Some(text.clone()),
            Json::Array(messages) => {
                let user = messages.iter().find(|m| m.get("role").and_then(Json::as_str) == Some("user"));
                user.and_then(|m| text_of(m.get("content")?))
            }
            _ => None,
        };
        let first = || {
            episode.turns.iter().find_map(|turn| if let Turn::User(text) = turn { Some(text.clone()) } else { None })
        };
        about.task = from_input.or_else(first).unwrap_or_default();
        let output = whole(sample.get("output").unwrap_or(&Json::Null), attachments);
        let choice = || text_of(output.get("choices")?.get(0)?.get("message")?.get("content")?);
        let answer = string(&output, "completion").or_else(choice).unwrap_or_default();
        let error = sample.get("error").filter(|error| !error.is_null());
        let score = sample.get("scores").and_then(Json::as_object).and_then(|scores| scores.values().next());
        let score = score.or_else(|| sample.get("score")).and_then(|score| score.get("value"));
        about.success = score.filter(|_| error.is_none()).and_then(outcome);
        if let Some(value) = score.and_then(Json::as_f64) {
            about.score = value;
        } else if about.success == Some(true) {
            about.score = 1.0;
        }
        let message = error.map(|error| string(error, "message").unwrap_or_else(|| error.to_string()));
        about.terminated = message.as_ref().map(|_| "error".to_owned());
        let limit = sample.get("limit").filter(|limit| !limit.is_null());
        if let Some(limit) = limit {
            about.terminated = Some(string(limit, "type").unwrap_or_else(|| "limit".to_owned()));
        }
        let facts = [
            ("sample", json!(id)),
            ("epoch", json!(epoch)),
            ("error", json!(message)),
            ("limit", limit.map_or(Json::Null, |limit| limit.get("type").unwrap_or(limit).clone())),
            ("answer", json!(answer)),
            ("remarks", json!(remarks(&sample, &output))),
        ];
        about.rest.extend(facts.into_iter().map(|(name, value)| (name.to_owned(), value)));
        read.add(episode);
    }
}

/// What ended a sample other than its agent, and why it does not count, in words.
fn remarks(sample: &Json, output: &Json) -> Vec<String> {
    let told = [
        (sample, "error", "message", "The sample ended in an error"),
        (sample, "limit", "type", "The sample ended at a limit"),
        (sample, "invalidation", "reason", "The sample was declared invalid"),
        (output, "error", "message", "The model answered with an error"),
    ];
    let told = told.into_iter().filter_map(|(of, key, words, begins)| {
        let what = of.get(key).filter(|what| !what.is_null())?;
        let words = what.as_str().map(str::to_owned).or_else(|| string(what, words));
        Some(format!("{begins}: {}", words.unwrap_or_else(|| what.to_string())))
    });
    told.collect()
}

fn outcome(value: &Json) -> Option<bool> {
    match value {
        Json::Bool(value) => Some(*value),
        Json::Number(number) if number.as_f64() == Some(1.0) => Some(true),
        Json::Number(number) if number.as_f64() == Some(0.0) => Some(false),
        Json::String(text) if text == "C" => Some(true),
        Json::String(text) if text == "I" => Some(false),
        _ => None,
    }
}

/// A value with the attachments in the place of what refers to them.
fn whole(value: &Json, attachments: &Json) -> Json {
    match value {
        Json::String(text) => match text.strip_prefix("attachment://").and_then(|hash| string(attachments, hash)) {
            Some(attached) => attached.into(),
            None => value.clone(),
        },
        Json::Array(items) => items.iter().map(|item| whole(item, attachments)).collect(),
        Json::Object(object) => {
            Json::Object(object.iter().map(|(key, item)| (key.clone(), whole(item, attachments))).collect())
        }
        _ => value.clone(),
    }
}
