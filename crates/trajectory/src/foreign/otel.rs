//! OpenTelemetry GenAI spans: OTLP as JSON, and spans as an SDK prints them. An episode is a conversation's spans, or a trace's; the
//! span that holds most messages has the whole of it.

use serde_json::{Map, Value as Json, json};

use super::conversation::{Called, Conversation, Read, Turn, string};
use super::{chat, lenient};

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

struct Span {
    /// The conversation, or the trace.
    of: String,
    start: String,
    attributes: Map<String, Json>,
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
    Span { of, start: start.unwrap_or_default(), attributes }
}

pub(super) fn spans(read: &mut Read, all: &[Json]) -> bool {
    read.format("otel-sdk-spans");
    let mut all: Vec<Span> = all.iter().map(span).collect();
    all.sort_by(|a, b| a.start.cmp(&b.start));
    let mut episodes: Vec<(String, Vec<Span>)> = Vec::new();
    for span in all {
        // Spans that are none of a model or a tool.
        if !span.attributes.keys().any(|key| key.starts_with("gen_ai.")) {
            continue;
        }
        match episodes.iter_mut().find(|(of, _)| *of == span.of) {
            Some((_, spans)) => spans.push(span),
            None => episodes.push((span.of.clone(), vec![span])),
        }
    }
    if episodes.is_empty() {
        read.fail("no span has attributes of GenAI (`gen_ai.…`)".to_owned());
    }
    for (id, spans) in episodes {
        let mut episode = Conversation::default();
        episode.about.id = id;
        let text = |span: &Span, key: &str| span.attributes.get(key).and_then(Json::as_str).map(str::to_owned);
        let parsed = |span: &Span, key: &str| match span.attributes.get(key)? {
            Json::String(text) => lenient::parse(text).ok(),
            other => Some(other.clone()),
        };
        let list = |span: &Span, key: &str| match parsed(span, key) {
            Some(Json::Array(items)) => items,
            _ => Vec::new(),
        };
        episode.about.model = spans.iter().find_map(|span| text(span, "gen_ai.request.model"));
        episode.about.source = spans.iter().find_map(|span| text(span, "gen_ai.agent.name"));
        episode.tools =
            spans.iter().map(|span| list(span, "gen_ai.tool.definitions")).max_by_key(Vec::len).unwrap_or_default();
        let messages = spans.iter().map(|span| {
            let mut messages = list(span, "gen_ai.input.messages");
            messages.extend(list(span, "gen_ai.output.messages"));
            messages
        });
        // The first of the longest: agents' spans repeat what their last request held.
        let longest = messages.fold(Vec::new(), |best: Vec<Json>, m| if m.len() > best.len() { m } else { best });
        for (at, message) in longest.iter().enumerate() {
            chat::message(read, &format!("messages[{at}]"), message, &mut episode.turns);
        }
        let done = |turns: &[Turn], id: &Option<String>| {
            turns.iter().any(|turn| matches!(turn, Turn::Result { id: known, .. } if known == id))
        };
        // Results that no later request repeated, and all where the messages were not kept.
        for span in spans.iter().filter(|span| span.attributes.contains_key("gen_ai.tool.name")) {
            let id = text(span, "gen_ai.tool.call.id");
            let result = span.attributes.get("gen_ai.tool.call.result");
            let result = result.map(|result| result.as_str().map_or_else(|| result.to_string(), str::to_owned));
            if longest.is_empty() {
                let name = text(span, "gen_ai.tool.name").unwrap_or_default();
                let arguments = parsed(span, "gen_ai.tool.call.arguments").unwrap_or_default();
                let calls = vec![Called { id: id.clone(), name, arguments }];
                episode.turns.push(Turn::Agent { text: String::new(), calls });
            }
            if id.is_none() && longest.is_empty() || id.is_some() && !done(&episode.turns, &id) {
                episode.turns.push(Turn::Result {
                    id,
                    text: result,
                    failed: span.attributes.contains_key("error.type"),
                });
            }
        }
        if episode.turns.is_empty() {
            let of = &episode.about.id;
            read.notes
                .push(format!("{of}: no span holds messages, nothing is known of this episode; have them captured"));
        }
        read.add(episode);
    }
    true
}
