//! Conversations as providers and agents write them, small ones, and what becomes of each.

mod atif;
mod blocks;
mod chat;
mod inspect;
mod memory;
mod otel;
mod steps;

use serde_json::{Value as Json, json};

use crate::{Logs, Trajectory, read_any};

fn lines(lines: &[Json]) -> Logs {
    let text: Vec<String> = lines.iter().map(Json::to_string).collect();
    read_any(text.join("\n").as_bytes(), "f")
}

/// The first episode of a file of one conversation, nothing of which is wrong.
fn chat(messages: &[Json]) -> (Trajectory, Vec<String>) {
    let read = lines(&[json!({ "messages": messages })]);
    assert_eq!((read.wrong.as_slice(), read.all.len()), (&[][..], 1));
    (read.all[0].clone(), read.notes)
}

fn user(text: &str) -> Json {
    json!({ "role": "user", "content": text })
}

fn assistant(calls: &[Json]) -> Json {
    json!({ "role": "assistant", "content": "", "tool_calls": calls })
}

fn call(id: Option<&str>, name: &str, argument: &str) -> Json {
    let function = json!({ "name": name, "arguments": json!({ "x": argument }).to_string() });
    match id {
        Some(id) => json!({ "id": id, "type": "function", "function": function }),
        None => json!({ "type": "function", "function": function }),
    }
}

fn result(id: Option<&str>, text: &str) -> Json {
    match id {
        Some(id) => json!({ "role": "tool", "tool_call_id": id, "content": text }),
        None => json!({ "role": "tool", "content": text }),
    }
}

/// A run of one call.
fn run(argument: &str) -> Vec<Json> {
    vec![user("go"), assistant(&[call(Some("c1"), "f", argument)]), result(Some("c1"), "ok")]
}

fn observed(log: &Trajectory) -> Vec<Option<&str>> {
    log.steps.iter().map(|step| step.observation.as_deref()).collect()
}

fn actions(log: &Trajectory) -> Vec<&str> {
    log.steps.iter().map(|step| step.action.as_str()).collect()
}

fn thoughts(log: &Trajectory) -> Vec<&str> {
    log.steps.iter().map(|step| step.thought.as_deref().unwrap_or_default()).collect()
}

fn refused(log: &Trajectory) -> Vec<bool> {
    log.steps.iter().map(|step| step.refused).collect()
}

/// An object with the fields of another put to it.
fn with(mut object: Json, more: &Json) -> Json {
    object.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    object
}

/// A zip of members with these names and texts.
fn zipped(members: impl IntoIterator<Item = (String, String)>) -> Vec<u8> {
    use std::io::Write as _;

    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, text) in members {
        zip.start_file(name, options).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn a_broken_line_costs_itself_wherever_it_stands() {
    let good = json!({ "messages": run("1") }).to_string();
    let cut = &good[..good.len() - 20];
    let own = r#"{"id":"a","steps":[{"action":"look"}]}"#;
    for (text, line, format) in [
        (format!("{cut}\n{good}\n{good}\n"), 1, "openai-chat"),
        (format!("{good}\n{cut}\n{good}\n"), 2, "openai-chat"),
        (format!("\n{cut}\n{own}\n{own}\n"), 2, ""),
    ] {
        let read = read_any(text.as_bytes(), "f");
        let wrong: Vec<usize> = read.wrong.iter().map(|error| error.line).collect();
        assert_eq!((read.all.len(), wrong, read.format), (2, vec![line], format), "{:?}", read.wrong);
    }
    // One value over several lines that is broken is still one, and its own place is named.
    let whole = "{\n  \"messages\": [\n    {}\n  ],\n  oops\n}\n";
    let read = read_any(whole.as_bytes(), "f");
    assert_eq!(read.wrong.iter().map(|error| error.line).collect::<Vec<_>>(), [5]);
}

#[test]
fn numbers_that_only_python_writes_are_null() {
    let said = "it is NaN, \\\"NaN and -Infinity";
    let log = format!(
        r#"{{"version":2,"status":"success","eval":{{"task":"t"}},"results":{{"stderr":NaN}},"samples":[
{{"id":"s","epoch":1,"input":"{said}","messages":[{{"role":"user","content":"{said}"}}],"scores":{{"a":{{"value":NaN,"most":Infinity,"least":-Infinity}}}}}}]}}"#
    );
    for text in [log.clone(), log.replace('\n', "")] {
        let read = read_any(text.as_bytes(), "f");
        assert_eq!((read.wrong.as_slice(), read.all.len()), (&[][..], 1));
        assert_eq!((read.all[0].task.as_str(), read.all[0].success), ("it is NaN, \"NaN and -Infinity", None));
    }
    let sample = r#"{"id":"s","messages":[],"scores":{"a":{"value":NaN}}}"#;
    let read = read_any(&zipped([("samples/s_epoch_1.json".to_owned(), sample.to_owned())]), "f");
    assert_eq!((read.wrong.as_slice(), read.all.len()), (&[][..], 1));
    let cut = read_any(&log.as_bytes()[..log.len() - 3], "f");
    assert!(cut.all.is_empty() && cut.wrong[0].message.contains("EOF"), "{:?}", cut.wrong);
}
