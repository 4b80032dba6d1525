//! A conversation in turns, as the readers of formats fill it in; what is read of a file.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value as Json, json};
use stepwright_program::tools::Tool;

use crate::record::{LogError, Trajectory};

/// A tool call as a model made it.
#[derive(Debug, Clone, Default)]
pub(super) struct Called {
    pub(super) id: Option<String>,
    pub(super) name: String,
    /// A text where the model wrote no JSON.
    pub(super) arguments: Json,
}

#[derive(Debug, Clone)]
pub(super) enum Turn {
    User(String),
    /// What the agent was told by nobody who gives it tasks.
    Told(String),
    /// What the model thought before it spoke or acted; no answer.
    Thought(String),
    Agent {
        text: String,
        calls: Vec<Called>,
    },
    /// A text that was the action itself.
    Acted {
        text: String,
        observed: Option<String>,
    },
    Result {
        id: Option<String>,
        text: Option<String>,
        failed: bool,
    },
}

/// An episode in turns.
#[derive(Debug, Clone, Default)]
pub(super) struct Conversation {
    pub(super) turns: Vec<Turn>,
    /// The tools as the model was given them.
    pub(super) tools: Vec<Json>,
    /// Of logs that sessions of this program were written as, what they say of each step's decision.
    pub(super) decided: Vec<Json>,
    /// All that is known of the episode beside the turns.
    pub(super) about: Trajectory,
}

/// What found no place is told one by one so often.
const MOST_NOTED: usize = 10;

/// A file as it was read.
#[derive(Debug, Default)]
pub(crate) struct Read {
    pub format: &'static str,
    pub logs: Vec<Result<Trajectory, LogError>>,
    pub(super) notes: Vec<String>,
    pub(super) unknown: BTreeSet<String>,
    /// What found no place in the log of this number, in words.
    pub(super) lost: BTreeMap<usize, Vec<String>>,
    /// The line of what is being read; 0 where a file has none.
    pub(super) line: usize,
    /// The requests read so far, each episode's last one.
    pub(super) requests: Vec<Asked>,
}

/// A request as a proxy logged it.
#[derive(Debug)]
pub(super) struct Asked {
    /// The number of its episode's log.
    pub(super) log: usize,
    /// The conversation's id; empty where it says none.
    pub(super) id: String,
    pub(super) messages: Vec<Json>,
}

impl Read {
    pub(super) fn fail(&mut self, message: String) {
        self.logs.push(Err(LogError { line: self.line, message }));
    }

    /// What is not read is told once a file, with the first place of it.
    pub(super) fn unread(&mut self, place: &str, what: &str) {
        if !self.notes.iter().any(|told| told.ends_with(&format!("{what}, not read"))) {
            self.notes.push(format!("{place}: {what}, not read"));
        }
    }

    /// Names of a format's object that nobody knows are told once a file.
    pub(super) fn know(&mut self, object: &Json, place: &str, known: &[&str]) {
        let names = object.as_object().into_iter().flatten().map(|(name, _)| name);
        let unknown = names.filter(|name| !known.contains(&name.as_str()));
        self.unknown.extend(unknown.map(|name| format!("{place}{name}")));
    }

    /// Remarks on the file beside its errors.
    pub fn notes(&mut self) -> Vec<String> {
        let mut notes = std::mem::take(&mut self.notes);
        let mut lost = std::mem::take(&mut self.lost).into_values().flatten();
        notes.extend(lost.by_ref().take(MOST_NOTED));
        match lost.count() {
            0 => {}
            more => notes.push(format!("and {more} more that were not read")),
        }
        if !self.unknown.is_empty() {
            let names: Vec<String> = self.unknown.iter().map(|name| format!("`{name}`")).collect();
            notes.push(format!("fields that are not known here and were not read: {}", names.join(", ")));
        }
        notes
    }

    pub(super) fn format(&mut self, format: &'static str) {
        if self.format.is_empty() {
            self.format = format;
        }
    }
}

/// The text of a message's content: a text, or parts of which those with text count.
pub(super) fn text_of(content: &Json) -> Option<String> {
    match content {
        Json::String(text) => Some(text.clone()),
        Json::Array(parts) => Some(parts.iter().filter_map(text_in).collect::<Vec<_>>().join("\n")),
        _ => None,
    }
}

/// The text of a part: its own, why a model refuses, or what was spoken.
pub(super) fn text_in(part: &Json) -> Option<String> {
    let keys: &[&str] = match part.get("type").and_then(Json::as_str) {
        None => &["text", "content"],
        Some("refusal") => &["refusal"],
        Some(kind) if kind.ends_with("text") => &["text", "content"],
        Some(kind) if kind.ends_with("audio") => &["transcript"],
        Some(_) => &[],
    };
    part.as_str().map(str::to_owned).or_else(|| keys.iter().find_map(|key| string(part, key)))
}

pub(super) fn string(value: &Json, key: &str) -> Option<String> {
    value.get(key).and_then(Json::as_str).map(str::to_owned)
}

/// An id, which may be a number.
pub(super) fn id_of(value: &Json, key: &str) -> Option<String> {
    match value.get(key)? {
        Json::String(id) => Some(id.clone()),
        Json::Number(id) => Some(id.to_string()),
        _ => None,
    }
}

/// The calls of all answers.
pub(super) fn calls(turns: &[Turn]) -> impl Iterator<Item = &Called> {
    turns.iter().flat_map(|turn| match turn {
        Turn::Agent { calls, .. } => calls.as_slice(),
        _ => &[],
    })
}

impl Conversation {
    /// The tools: those listed, with what the calls name beside them.
    pub(super) fn named_tools(&self) -> Vec<Json> {
        let mut tools = self.tools.clone();
        for (name, properties, always) in self.shown() {
            let listed = tools.iter_mut().find(|tool| Tool::of_json(tool).is_some_and(|tool| tool.name == name));
            let Some(tool) = listed else {
                let schema = json!({ "type": "object", "properties": properties, "required": always });
                tools.push(json!({ "name": name, "parameters": schema }));
                continue;
            };
            let known = Tool::of_json(tool).map(|tool| tool.arguments()).unwrap_or_default();
            let new = properties.into_iter().filter(|(argument, _)| !known.contains(argument));
            if let Some(properties) = Tool::properties_mut(tool) {
                properties.extend(new);
            }
        }
        tools
    }

    /// The tools that calls show, with the arguments given and those always given.
    fn shown(&self) -> Vec<(&str, Map<String, Json>, BTreeSet<&str>)> {
        let mut tools: Vec<(&str, Map<String, Json>, BTreeSet<&str>)> = Vec::new();
        for call in calls(&self.turns) {
            let given: BTreeSet<&str> =
                call.arguments.as_object().into_iter().flat_map(Map::keys).map(String::as_str).collect();
            let at = tools.iter().position(|(name, ..)| *name == call.name).unwrap_or_else(|| {
                tools.push((&call.name, Map::new(), given.clone()));
                tools.len() - 1
            });
            if let Some((_, properties, always)) = tools.get_mut(at) {
                for name in &given {
                    properties.entry(*name).or_insert_with(|| json!({}));
                }
                always.retain(|name| given.contains(name));
            }
        }
        tools
    }
}
