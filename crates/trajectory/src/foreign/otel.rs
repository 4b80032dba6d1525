//! OpenTelemetry GenAI spans: OTLP as JSON, and spans as an SDK prints them. An episode is a conversation's spans, or a trace's. Of spans
//! that begin alike that which holds most messages has the whole; what begins otherwise is another's, a sub-agent's say.

use serde_json::{Map, Value as Json, json};

use super::conversation::{Called, Conversation, Read, Turn, calls, id_of, string, text_of};
use super::{blocks, chat, lenient};

pub(super) fn is_span(value: &Json) -> bool {
    value.get("attributes").is_some()
        && value.get("name").is_some()
        && (value.get("context").is_some() || value.get("traceId").is_some() || value.get("trace_id").is_some())
}

/// The spans of a value, which is one or holds them as OTLP does; `None` where it is none. A trace's may stand in several values.
pub(super) fn spans_of(read: &mut Read, value: &Json) -> Option<Vec<Json>> {
    if is_span(value) {
        return Some(vec![value.clone()]);
    }
    let list = |value: &Json, key: &str| value.get(key).and_then(Json::as_array).cloned().unwrap_or_default();
    value.get("resourceSpans")?;
    read.format("otlp-json");
    let scopes = list(value, "resourceSpans").into_iter().flat_map(|resource| list(&resource, "scopeSpans"));
    Some(scopes.flat_map(|scope| list(&scope, "spans")).collect())
}

/// What a span of a tool's call says of it.
const TOOL: &str = "gen_ai.tool.name";
const CALL: &str = "gen_ai.tool.call.id";
const ARGUMENTS: &str = "gen_ai.tool.call.arguments";

struct Span {
    /// The conversation, or the trace.
    of: String,
    name: String,
    start: String,
    attributes: Map<String, Json>,
    /// The words of the error that it ended in.
    failed: Option<String>,
}

/// The pairs of a list, as attributes and structured values have them.
fn pairs(list: &[Json]) -> Map<String, Json> {
    list.iter().filter_map(|item| Some((string(item, "key")?, value_of(item.get("value")?)))).collect()
}

fn value_of(value: &Json) -> Json {
    for key in ["stringValue", "boolValue", "doubleValue"] {
        if let Some(found) = value.get(key) {
            return found.clone();
        }
    }
    let values = |of: &Json| of.get("values").and_then(Json::as_array).cloned().unwrap_or_default();
    match (value.get("intValue"), value.get("arrayValue"), value.get("kvlistValue")) {
        (Some(Json::String(text)), ..) => text.parse::<i64>().map_or_else(|_| json!(text), |n| json!(n)),
        (Some(number), ..) => number.clone(),
        (None, Some(array), _) => values(array).iter().map(value_of).collect(),
        (None, None, Some(list)) => Json::Object(pairs(&values(list))),
        _ => Json::Null,
    }
}

fn attributes(value: &Json) -> Map<String, Json> {
    match value.get("attributes") {
        Some(Json::Array(list)) => pairs(list),
        Some(Json::Object(object)) => object.clone(),
        _ => Map::new(),
    }
}

/// The event in which a span may have its messages.
const DETAILS: &str = "gen_ai.client.inference.operation.details";

fn span(value: &Json) -> Span {
    let mut attributes = attributes(value);
    let events = value.get("events").and_then(Json::as_array).into_iter().flatten();
    for (name, told) in
        events.filter(|event| string(event, "name").as_deref() == Some(DETAILS)).flat_map(self::attributes)
    {
        attributes.entry(name).or_insert(told);
    }
    let trace = value.get("context").and_then(|c| string(c, "trace_id"));
    let trace = trace.or_else(|| string(value, "traceId")).or_else(|| string(value, "trace_id")).unwrap_or_default();
    let start = ["start_time", "startTimeUnixNano", "startTime"].iter().find_map(|key| value.get(*key));
    let start = start.map(|start| start.as_str().map_or_else(|| format!("{start:0>24}"), str::to_owned));
    let of = attributes.get("gen_ai.conversation.id").and_then(Json::as_str).map_or(trace, str::to_owned);
    let (name, failed) = (string(value, "name").unwrap_or_default(), failure(value, &attributes));
    Span { of, name, start: start.unwrap_or_default(), attributes, failed }
}

/// The words of the error that a span ended in: an exception's, else those of its status, else of what type it was.
fn failure(value: &Json, attributes: &Map<String, Json>) -> Option<String> {
    let of_type = attributes.get("error.type").and_then(Json::as_str).map(str::to_owned);
    let status = value.get("status").unwrap_or(&Json::Null);
    let code = status.get("code").or_else(|| status.get("status_code")).unwrap_or(&Json::Null);
    if of_type.is_none() && code.as_u64() != Some(2) && !code.as_str().is_some_and(|code| code.ends_with("ERROR")) {
        return None;
    }
    let mut events = value.get("events").and_then(Json::as_array).into_iter().flatten();
    let thrown = events.find_map(|event| Some(self::attributes(event).get("exception.message")?.as_str()?.to_owned()));
    let said = ["message", "description"].iter().find_map(|key| string(status, key));
    let words = [thrown, said, of_type].into_iter().flatten().find(|words| !words.is_empty());
    Some(words.unwrap_or_else(|| "error".to_owned()))
}

impl Span {
    fn text(&self, key: &str) -> Option<String> {
        self.attributes.get(key).and_then(Json::as_str).map(str::to_owned)
    }

    /// A list, as itself or as a text. What is none is told: it may have been cut off.
    fn list(&self, read: &mut Read, key: &str) -> Vec<Json> {
        let given = match self.attributes.get(key) {
            None | Some(Json::Null) => return Vec::new(),
            Some(Json::String(text)) => lenient::parse(text).unwrap_or_default(),
            Some(other) => other.clone(),
        };
        let Json::Array(items) = given else {
            read.unread(&self.of, &format!("`{key}` of the span `{}`, which is no whole list", self.name));
            return Vec::new();
        };
        items
    }

    fn is_of_tool(&self) -> bool {
        self.attributes.contains_key(TOOL)
    }

    /// Whether another span tries the same call.
    fn is_tried_by(&self, later: &Span) -> bool {
        let is_same = |key: &&str| self.attributes.get(*key) == later.attributes.get(*key);
        self.attributes.contains_key(CALL) && [CALL, TOOL, ARGUMENTS].iter().all(is_same)
    }

    /// Tells what no step of the episode says.
    fn tell(&self, read: &mut Read) {
        let what = match &self.failed {
            Some(words) => format!("the failure of `{}` ({words})", self.name),
            None => format!("an earlier try of `{}`", self.name),
        };
        read.unread(&self.of, &what);
    }
}

pub(super) fn spans(read: &mut Read, all: &[Json]) -> bool {
    read.format("otel-sdk-spans");
    let mut all: Vec<Span> = all.iter().map(span).collect();
    all.sort_by(|a, b| a.start.cmp(&b.start));
    // What has no attribute of GenAI is neither a model's nor a tool's.
    all.retain(|span| span.attributes.keys().any(|key| key.starts_with("gen_ai.")));
    if all.is_empty() {
        read.fail("no span has attributes of GenAI (`gen_ai.…`)".to_owned());
    }
    let mut episodes: Vec<(String, Vec<Span>)> = Vec::new();
    for span in all {
        if span.text("gen_ai.operation.name").as_deref() == Some("embeddings") {
            read.unread(&span.of, "spans of embeddings, which are no conversation");
            continue;
        }
        match episodes.iter_mut().find(|(of, _)| *of == span.of) {
            Some((_, spans)) => spans.push(span),
            None => episodes.push((span.of.clone(), vec![span])),
        }
    }
    for (id, spans) in episodes {
        let episode = episode(read, id, &spans);
        read.add(episode);
    }
    true
}

fn episode(read: &mut Read, id: String, spans: &[Span]) -> Conversation {
    let mut episode = Conversation::default();
    episode.about.model = spans.iter().find_map(|span| span.text("gen_ai.request.model"));
    episode.about.source = spans.iter().find_map(|span| span.text("gen_ai.agent.name"));
    let tools = spans.iter().map(|span| span.list(read, "gen_ai.tool.definitions"));
    episode.tools = tools.max_by_key(Vec::len).unwrap_or_default();
    let mut threads = Vec::new();
    for span in spans {
        let mut messages = span.list(read, "gen_ai.input.messages");
        messages.extend(span.list(read, "gen_ai.output.messages"));
        if !messages.is_empty() {
            join(&mut threads, messages);
        }
        if span.failed.is_some() && !span.is_of_tool() {
            span.tell(read);
        }
    }
    // The first that acts: who calls a sub-agent does so before it acts. Else the first of the longest.
    let acts = |messages: &Vec<Json>| parts(messages, "tool_call").next().is_some();
    let longest = threads.iter().map(Vec::len).max().unwrap_or_default();
    let first = threads.iter().position(acts).or_else(|| threads.iter().position(|thread| thread.len() == longest));
    let whole = first.map(|at| threads.remove(at)).unwrap_or_default();
    for (at, message) in whole.iter().enumerate() {
        chat::message(read, &format!("messages[{at}]"), message, &mut episode.turns);
    }
    if !threads.is_empty() {
        read.unread(&id, "messages of spans that are of another conversation (a sub-agent's, say)");
    }
    let elsewhere: Vec<String> = threads.iter().flat_map(|messages| ids(messages, "tool_call")).collect();
    ran(read, spans, &elsewhere, &mut episode.turns);
    if episode.turns.is_empty() {
        read.notes.push(format!("{id}: no span holds messages, nothing is known of this episode; have them captured"));
    }
    episode.about.id = id;
    episode
}

/// The parts of messages whose type ends so.
fn parts<'m>(messages: &'m [Json], kind: &str) -> impl Iterator<Item = &'m Json> {
    let all = |message: &'m Json| ["parts", "content"].iter().find_map(|key| message.get(*key)?.as_array());
    let is_so = move |part: &&Json| string(part, "type").is_some_and(|of| of.ends_with(kind));
    messages.iter().filter_map(all).flatten().filter(is_so)
}

/// The ids of such parts.
fn ids(messages: &[Json], kind: &str) -> impl Iterator<Item = String> {
    parts(messages, kind).filter_map(|part| id_of(part, "id"))
}

/// How a conversation begins, beside what the system says.
fn beginning(messages: &[Json]) -> Option<String> {
    let is_said = |message: &&Json| !matches!(string(message, "role").as_deref(), Some("system" | "developer"));
    let first = messages.iter().find(is_said)?;
    first.get("parts").or_else(|| first.get("content")).and_then(text_of)
}

/// Puts the messages of a span to the conversation that they are of: they are all of it again (agents' spans repeat what their last request
/// held), or what is new alone, which answers a call of it.
fn join(threads: &mut Vec<Vec<Json>>, messages: Vec<Json>) {
    let first = messages.get(..1).unwrap_or_default();
    let answered: Vec<String> = ids(first, "tool_call_response").collect();
    let is_answered = |thread: &Vec<Json>| ids(thread, "tool_call").any(|id| answered.contains(&id));
    if let Some(thread) = threads.iter_mut().find(|thread| is_answered(thread)) {
        let new: Vec<Json> = messages.into_iter().filter(|message| !thread.contains(message)).collect();
        thread.extend(new);
        return;
    }
    let begins = beginning(&messages);
    match threads.iter_mut().find(|thread| beginning(thread) == begins) {
        Some(thread) if messages.len() > thread.len() => *thread = messages,
        Some(_) => {}
        None => threads.push(messages),
    }
}

/// Adds what spans of tools say: results that no later request repeated, failures, and calls that no message holds.
fn ran(read: &mut Read, spans: &[Span], elsewhere: &[String], turns: &mut Vec<Turn>) {
    let tools: Vec<&Span> = spans.iter().filter(|span| span.is_of_tool()).collect();
    let mut known: Vec<String> = Vec::new();
    for (at, span) in tools.iter().enumerate() {
        // The last try of a call counts.
        if tools.iter().skip(at + 1).any(|later| span.is_tried_by(later)) {
            span.tell(read);
            continue;
        }
        let name = span.text(TOOL).unwrap_or_default();
        let Some(id) = span.text(CALL).or_else(|| without_id(turns, &name, format!("span {at}"))) else { continue };
        let nth = known.iter().filter(|known| **known == id).count();
        known.push(id.clone());
        let mut results = turns.iter_mut().filter_map(|turn| match turn {
            Turn::Result { id: Some(of), failed, .. } if *of == id => Some(failed),
            _ => None,
        });
        if let Some(failed) = results.nth(nth) {
            *failed |= span.failed.is_some();
            continue;
        }
        let is_held = calls(turns).filter(|call| call.id.as_ref() == Some(&id)).nth(nth).is_some();
        if !is_held && elsewhere.contains(&id) {
            continue;
        }
        let error = span.failed.clone().map(Json::from);
        let text = span.attributes.get("gen_ai.tool.call.result");
        let text = text.map(|text| text.as_str().map_or_else(|| text.to_string(), str::to_owned));
        let text = blocks::with_error(text, error.as_ref());
        let mut new = vec![Turn::Result { id: Some(id.clone()), text, failed: error.is_some() }];
        if !is_held {
            let given = span.attributes.get(ARGUMENTS).map_or_else(|| json!({}), |given| json!({ "arguments": given }));
            let arguments = blocks::arguments(read, &format!("{}: `{}`", span.of, span.name), &name, &given);
            let called = Called { id: Some(id), name, arguments };
            new.insert(0, Turn::Agent { text: String::new(), calls: vec![called] });
        }
        // Before what was said at the end.
        let is_said = |turn: &Turn| matches!(turn, Turn::Agent { calls, .. } if calls.is_empty());
        let end = turns.iter().rposition(|turn| !is_said(turn)).map_or(0, |last| last + 1);
        turns.splice(end..end, new);
    }
}

/// The id of the call that a span without one is of: the first of its name that has none is given this one, else it is a new call's. `None`
/// where the messages themselves say what calls without ids returned.
fn without_id(turns: &mut [Turn], name: &str, id: String) -> Option<String> {
    let are_told = turns.iter().any(|turn| matches!(turn, Turn::Result { id: None, .. }));
    let calls =
        turns.iter_mut().filter_map(|turn| if let Turn::Agent { calls, .. } = turn { Some(calls) } else { None });
    if let Some(call) = calls.flatten().find(|call| call.id.is_none() && call.name == name) {
        if are_told {
            return None;
        }
        call.id = Some(id.clone());
    }
    Some(id)
}
