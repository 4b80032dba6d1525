//! A conversation in turns, as the readers of formats fill it in, and the trajectory that becomes of it; what is read of a file.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json, json};
use stepwright_program::tools::Toolbox;

use crate::record::{LogError, Step, Trajectory};

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
    Agent {
        text: String,
        calls: Vec<Called>,
        /// The observation after a text that was the action itself.
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

/// A file as it was read.
#[derive(Debug, Default)]
pub(crate) struct Read {
    pub format: &'static str,
    pub logs: Vec<Result<Trajectory, LogError>>,
    pub(super) notes: Vec<String>,
    pub(super) unknown: BTreeSet<String>,
    /// The line of what is being read; 0 where a file has none.
    pub(super) line: usize,
    /// The requests read so far, each episode's last one with the number of its log.
    pub(super) requests: Vec<(usize, Vec<Json>)>,
}

impl Read {
    pub(super) fn fail(&mut self, message: String) {
        self.logs.push(Err(LogError { line: self.line, message }));
    }

    pub(super) fn add(&mut self, conversation: Conversation) {
        self.logs.push(Ok(conversation.trajectory()));
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
        Json::Array(parts) => {
            let text = |part: &Json| match part {
                Json::String(text) => Some(text.clone()),
                part => {
                    let is_text = part.get("type").and_then(Json::as_str).is_none_or(|kind| kind.ends_with("text"));
                    let text = ["text", "content"].iter().find_map(|key| part.get(*key)?.as_str().map(str::to_owned));
                    text.filter(|_| is_text)
                }
            };
            Some(parts.iter().filter_map(text).collect::<Vec<_>>().join("\n"))
        }
        _ => None,
    }
}

pub(super) fn string(value: &Json, key: &str) -> Option<String> {
    value.get(key).and_then(Json::as_str).map(str::to_owned)
}

impl Conversation {
    /// Tools as the calls show them, where the log does not list them.
    pub(super) fn shown_tools(&self) -> Vec<Json> {
        let mut tools: Vec<(&str, Map<String, Json>, BTreeSet<&str>)> = Vec::new();
        let calls = self.turns.iter().flat_map(|turn| match turn {
            Turn::Agent { calls, .. } => calls.as_slice(),
            _ => &[],
        });
        for call in calls {
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
        let tool = |(name, properties, always): (&str, Map<String, Json>, BTreeSet<&str>)| json!({ "name": name, "parameters": { "type": "object", "properties": properties, "required": always } });
        tools.into_iter().map(tool).collect()
    }

    /// An action is a call of a tool; the calls of one answer are several, and their results are known after the last of them.
    pub(super) fn trajectory(self) -> Trajectory {
        let tools = if self.tools.is_empty() { self.shown_tools() } else { self.tools.clone() };
        let toolbox = Toolbox::of_json(&Json::Array(tools.clone()));
        let mut log = self.about;
        let mut said: Vec<String> = Vec::new();
        let mut answer: Option<String> = None;
        // The calls with the step of each and whether their result is there; the last step of their answer.
        let mut calls: Vec<(Called, usize, usize, bool)> = Vec::new();
        for turn in self.turns {
            match turn {
                Turn::User(text) => match log.steps.last_mut() {
                    None if log.initial_observation.is_none() => log.initial_observation = Some(text),
                    Some(Step { observation: Some(observation), .. }) => {
                        observation.push_str("\n\n");
                        observation.push_str(&text);
                    }
                    _ => {}
                },
                Turn::Agent { text, calls: made, observed } => {
                    if made.is_empty() && observed.is_none() {
                        if !text.is_empty() {
                            said.push(text.clone());
                            answer = Some(text);
                        }
                        continue;
                    }
                    answer = None;
                    if !text.is_empty() && !made.is_empty() {
                        said.push(text.clone());
                    }
                    let mut thought = Some(said.join("\n")).filter(|said| !said.is_empty());
                    said.clear();
                    if made.is_empty() {
                        log.steps.push(Step { thought, action: text, observation: observed, ..Step::default() });
                        continue;
                    }
                    let last = log.steps.len() + made.len() - 1;
                    for called in made {
                        let call = toolbox.call(&called.name, &called.arguments);
                        calls.push((called, log.steps.len(), last, false));
                        let (action, call, thought) = (call.to_string(), Some(call), thought.take());
                        log.steps.push(Step { thought, action, call, ..Step::default() });
                    }
                }
                Turn::Result { id, text, failed } => {
                    let of = calls.iter_mut().rev().find(|(call, _, _, done)| !done && (id.is_none() || call.id == id));
                    let Some((call, step, last, done)) = of else { continue };
                    *done = true;
                    let Some(text) = text else { continue };
                    if let Some(last) = log.steps.get_mut(*last) {
                        last.calls.push(toolbox.result(&call.name, &call.arguments, &text, failed));
                    }
                    if let Some(step) = log.steps.get_mut(*step) {
                        (step.observation, step.refused) = (Some(text), failed);
                    }
                }
            }
        }
        for (step, decided) in log.steps.iter_mut().zip(self.decided) {
            step.decided = Some(decided).filter(|decided| !decided.is_null());
        }
        if let Some(answer) = answer {
            log.rest.entry("answer").or_insert(answer.into());
        }
        if log.task.is_empty() {
            log.task = log.initial_observation.clone().unwrap_or_default();
        }
        if !calls.is_empty() {
            log.tools = tools;
        }
        log
    }
}
