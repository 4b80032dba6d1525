//! Recordings of other agents' logs: each file with the reading that its format's own library gives. Broken files are among them: what is
//! wrong has to be named.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};
use stepwright_program::tools::Toolbox;
use stepwright_study::recordings::{files, jsonl_files, name_of};
use stepwright_trajectory::{Logs, Trajectory, read_any};

use super::{Row, difference, field, unreadable};

/// Texts of the recordings are cut after so many characters.
const CUT: usize = 80;
/// How the names begin of the files that say how logs are to be read.
const EXPECTED: &str = "expected";
/// How names of logs end.
const ENDS: [&str; 4] = [".jsonl", ".json", ".eval", ".gz"];

/// What is looked at here; of files that no line of `expected.jsonl` names there is a row already.
pub(super) const LOOKED_AT: &[&str] = &["*"];

/// Compares the logs of a folder, a row a format.
pub(super) fn compare(folder: &Path) -> Vec<Row> {
    let expected = jsonl_files(folder, EXPECTED);
    if expected.is_empty() || !folder.join("README.md").is_file() {
        return vec![Row::missing("expected.jsonl", "fields", "not in this folder")];
    }
    let mut rows: Vec<Row> = Vec::new();
    let mut reading = Row::new("expected.jsonl", "files");
    let mut named = BTreeSet::new();
    let mut read = |row: &mut Row, at: String, line: Value| {
        let name = line["file"].as_str().unwrap_or_default();
        named.insert(name.to_owned());
        let of = line["format"].as_str().unwrap_or_default();
        let what = if line["what"].is_null() { of.to_owned() } else { "broken and odd files".to_owned() };
        let at_row = rows.iter().position(|row| row.what == what).unwrap_or_else(|| {
            rows.push(Row::new(what, "files"));
            rows.len() - 1
        });
        let Some(into) = rows.get_mut(at_row) else { return };
        match std::fs::read(folder.join(name)) {
            Err(error) => row.differs(unreadable(at, error)),
            Ok(bytes) => file(&line, &read_any(&bytes, name), name, into),
        }
        row.compared += 1;
    };
    expected.iter().for_each(|file| reading.each_record(file, &mut read));
    rows.insert(0, reading);
    let is_log = |name: &str| ENDS.iter().any(|end| name.ends_with(end)) && !name.starts_with(EXPECTED);
    let left = files(folder, is_log).into_iter().map(|path| name_of(&path)).filter(|name| !named.contains(name));
    rows.extend(left.map(|name| Row::missing(name, "files", "no line of expected.jsonl names it: not compared")));
    rows
}

fn file(expected: &Value, read: &Logs, name: &str, row: &mut Row) {
    row.compared += 1;
    let said: Vec<String> = read.wrong.iter().map(ToString::to_string).chain(read.notes.iter().cloned()).collect();
    let words = expected["error"]["must_name"].as_array().or(expected["must_mention"].as_array());
    for word in words.into_iter().flatten().filter_map(Value::as_str) {
        if !said.iter().any(|said| said.contains(word)) {
            row.differs(difference(format!("{name}: what is said"), word, said.join("; ")));
        }
    }
    let Some(episodes) = expected["episodes"].as_array() else { return };
    if expected["what"].is_null() && expected["format"] != read.format {
        row.differs(difference(format!("{name}: format"), &expected["format"], read.format));
    }
    if words.is_none() && !read.wrong.is_empty() {
        row.differs(difference(format!("{name}: what is wrong"), "nothing", said.join("; ")));
    }
    row.fields(|| name.to_owned(), [field("episodes", &episodes.len(), &read.all.len())]);
    for (at, (wanted, log)) in episodes.iter().zip(&read.all).enumerate() {
        episode(wanted, log, &format!("{name}: episode {at}"), row);
    }
}

fn episode(wanted: &Value, log: &Trajectory, at: &str, row: &mut Row) {
    let toolbox = Toolbox::of_json(&json!(log.tools));
    let cut = |text: &str| text.chars().take(CUT).collect::<String>();
    let actions: Vec<Value> = log
        .steps
        .iter()
        .map(|step| match &step.call {
            Some(call) => {
                let (tool, arguments) = toolbox.wire(call).unwrap_or_default();
                json!({ "tool": tool, "arguments": arguments })
            }
            None => json!({ "tool": null, "arguments": {}, "text": cut(&step.action) }),
        })
        .collect();
    let observations: Vec<Option<String>> = log.steps.iter().map(|step| step.observation.as_deref().map(cut)).collect();
    let given = |name: &str| log.rest.get(name).cloned().unwrap_or_default();
    let answer = given("answer").as_str().map(cut);
    let task = wanted["task"].as_str().unwrap_or_default();
    let found = [
        field("task", &task.to_owned(), &log.task.chars().take(task.chars().count()).collect()),
        field("outcome", &wanted["outcome"], &json!(log.success)),
        field("steps", &wanted["steps"], &json!(log.steps.len())),
        field("actions", &wanted["actions"], &json!(actions)),
        field("observations", &wanted["observations"], &json!(observations)),
        field("answer", &wanted["answer"], &json!(answer)),
    ];
    let more = [
        ("id", "sample"),
        ("epoch", "epoch"),
        ("error", "error"),
        ("limit", "limit"),
        ("copied_steps", "copied_steps"),
        ("subagents", "subagents"),
    ];
    let more = more.into_iter().filter(|(name, _)| wanted.get(*name).is_some());
    let agent = wanted.get("agent").map(|agent| field("agent", agent, &json!(log.source)));
    let more = more.map(|(name, own)| field(name, &wanted[name], &given(own)));
    row.fields(|| at.to_owned(), found.into_iter().chain(more).chain(agent).collect::<Vec<_>>());
}
