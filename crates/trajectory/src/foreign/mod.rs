//! Logs of other programs: conversations of agents with models, whose tool calls are the actions and whose results the observations.
//! Each format is known by its content and read into turns ([`Conversation`]); what becomes of turns is the same for all.

mod atif;
mod chat;
mod inspect;
mod memory;
mod otel;

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json, json};
use stepwright_program::tools::Toolbox;

use crate::{LogError, Step, Trajectory};

/// The formats of other programs, as their readers are named.
pub const FORMATS: [(&str, &str); 12] = [
    ("inspect-eval", "Inspect's .eval"),
    ("inspect-json", "Inspect's .json"),
    ("atif", "ATIF 1.0 to 1.8 (Harbor)"),
    ("openai-chat", "OpenAI Chat Completions, a conversation or a request a line"),
    ("openai-chat-requests", "all requests of agents as a proxy logs them"),
    ("openai-responses", "OpenAI Responses' items"),
    ("anthropic-messages", "Anthropic Messages"),
    ("langchain-messages", "LangChain's messages"),
    ("langchain-dumpd", "LangChain's dumpd"),
    ("smolagents-memory", "smolagents' memory"),
    ("otlp-json", "OpenTelemetry GenAI spans, OTLP JSON"),
    ("otel-sdk-spans", "OpenTelemetry GenAI spans as an SDK prints them"),
];

/// A tool call as a model made it.
#[derive(Debug, Clone, Default)]
struct Called {
    id: Option<String>,
    name: String,
    /// A text where the model wrote no JSON.
    arguments: Json,
}

#[derive(Debug, Clone)]
enum Turn {
    User(String),
    Agent {
        text: String,
        calls: Vec<Called>,
        /// What was observed after a text that was the action itself.
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
struct Conversation {
    turns: Vec<Turn>,
    /// The tools as the model was given them.
    tools: Vec<Json>,
    /// All that is known of the episode beside the turns.
    about: Trajectory,
}

/// A file as it was read.
#[derive(Debug, Default)]
pub(crate) struct Read {
    pub format: &'static str,
    pub logs: Vec<Result<Trajectory, LogError>>,
    notes: Vec<String>,
    unknown: BTreeSet<String>,
    /// The line of what is being read; 0 where a file has none.
    line: usize,
    /// The requests read so far, each episode's last one with the number of its log.
    requests: Vec<(usize, Vec<Json>)>,
}

impl Read {
    fn fail(&mut self, message: String) {
        self.logs.push(Err(LogError { line: self.line, message }));
    }

    fn add(&mut self, conversation: Conversation) {
        self.logs.push(Ok(conversation.trajectory()));
    }

    /// Names of a format's object that nobody knows are told once a file.
    fn know(&mut self, object: &Json, place: &str, known: &[&str]) {
        let names = object.as_object().into_iter().flatten().map(|(name, _)| name);
        let unknown = names.filter(|name| !known.contains(&name.as_str()));
        self.unknown.extend(unknown.map(|name| format!("{place}{name}")));
    }

    /// What is to be told of the file beside what is wrong with it.
    pub fn notes(&mut self) -> Vec<String> {
        let mut notes = std::mem::take(&mut self.notes);
        if !self.unknown.is_empty() {
            let names: Vec<String> = self.unknown.iter().map(|name| format!("`{name}`")).collect();
            notes.push(format!("fields that are not known here and were not read: {}", names.join(", ")));
        }
        notes
    }

    fn format(&mut self, format: &'static str) {
        if self.format.is_empty() {
            self.format = format;
        }
    }

    /// Reads a value that is one episode or several. Whether it is of a format of other programs.
    fn value(&mut self, value: &Json) -> bool {
        match value {
            Json::Array(items) => match items.first() {
                Some(first) if memory::is_langchain(first) => memory::langchain(self, items),
                Some(first) if chat::is_message(first) => chat::conversation(self, &json!({ "messages": items })),
                Some(_) => {
                    let spans: Vec<&Json> = items.iter().filter(|item| otel::is_span(item)).collect();
                    if !spans.is_empty() {
                        return otel::spans(self, &spans);
                    }
                    items.iter().fold(false, |read, item| self.value(item) || read)
                }
                None => false,
            },
            Json::Object(object) => {
                let has = |key: &str| object.contains_key(key);
                let list = |key: &str| object.get(key).is_some_and(Json::is_array);
                if object.get("schema_version").and_then(Json::as_str).is_some_and(|v| v.starts_with("ATIF")) {
                    atif::read(self, value)
                } else if has("resourceSpans") {
                    otel::otlp(self, value)
                } else if has("eval") && (has("samples") || has("status")) {
                    inspect::json(self, value)
                } else if has("body") && (has("path") || has("url")) {
                    chat::request(self, value)
                } else if list("steps") && memory::is_smolagents(value) {
                    memory::smolagents(self, value)
                } else if list("messages") || list("items") || has("input") && (list("input") || has("model")) {
                    match object.get("messages").and_then(|m| m.get(0)).filter(|first| memory::is_langchain(first)) {
                        Some(_) => {
                            memory::langchain(self, object.get("messages").and_then(Json::as_array).map_or(&[], |m| m))
                        }
                        None => chat::conversation(self, value),
                    }
                } else {
                    false
                }
            }
            _ => false,
        }
    }
}

/// Reads a zip, which is a log of Inspect.
pub(crate) fn read_zip(bytes: &[u8]) -> Read {
    let mut read = Read { format: "inspect-eval", ..Read::default() };
    inspect::zip(&mut read, bytes);
    read
}

/// Reads JSON: one value, or one a line. `None` if nothing of it is of a format of other programs.
pub(crate) fn read_text(text: &str, own: impl Fn(&str) -> Result<Trajectory, String>) -> Option<Read> {
    let mut read = Read::default();
    let first = text.lines().find(|line| !line.trim().is_empty())?;
    let by_lines = serde_json::from_str::<Json>(first).ok().filter(|v| v.is_object() || v.is_array());
    if by_lines.is_none() {
        read.line = 1;
        let whole = serde_json::from_str::<Json>(text);
        match whole {
            Ok(value) => {
                if !read.value(&value) && read.logs.is_empty() {
                    read.fail(unknown(&value));
                }
            }
            Err(e) => {
                read.line = e.line();
                read.fail(format!("no JSON: {e}"));
            }
        }
        return Some(read);
    }
    let mut foreign = false;
    let mut spans: Vec<Json> = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        read.line = at + 1;
        match serde_json::from_str::<Json>(line) {
            Ok(value) if otel::is_span(&value) => spans.push(value),
            Ok(value) if read.value(&value) => foreign = true,
            Ok(value) => match own(line) {
                Ok(log) => read.logs.push(Ok(log)),
                Err(_) if value.get("steps").or_else(|| value.get("id")).is_none() => read.fail(unknown(&value)),
                Err(why) => read.fail(why),
            },
            // Our own reader has its own words for it.
            Err(e) => match own(line) {
                Ok(log) => read.logs.push(Ok(log)),
                Err(why) if !foreign && spans.is_empty() => read.fail(why),
                Err(_) => read.fail(format!("no JSON: {e}")),
            },
        }
    }
    if !spans.is_empty() {
        foreign = true;
        read.line = 1;
        otel::spans(&mut read, &spans.iter().collect::<Vec<_>>());
    }
    let all_unknown = !foreign && text.lines().filter(|line| !line.trim().is_empty()).count() == 1;
    (foreign || all_unknown && read.logs.iter().all(Result::is_err)).then_some(read)
}

fn unknown(value: &Json) -> String {
    let fields = match value {
        Json::Object(object) => {
            let names: Vec<String> = object.keys().take(8).map(|name| format!("`{name}`")).collect();
            format!("it has the fields {}", names.join(", "))
        }
        Json::Array(_) => "it is a list of none of them".to_owned(),
        _ => "it is no object".to_owned(),
    };
    let known: Vec<&str> = FORMATS.iter().map(|(_, words)| *words).collect();
    format!(
        "no log that is read here, {fields}; known are {}, ReAct's transcripts, and our own lines with `id` and `steps` with `action`",
        known.join(", ")
    )
}

/// The text of a message's content: a text, or parts of which those with text count.
fn text_of(content: &Json) -> Option<String> {
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

fn string(value: &Json, key: &str) -> Option<String> {
    value.get(key).and_then(Json::as_str).map(str::to_owned)
}

impl Conversation {
    /// Tools as the calls show them, where the log does not list them.
    fn shown_tools(&self) -> Vec<Json> {
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
    fn trajectory(self) -> Trajectory {
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
