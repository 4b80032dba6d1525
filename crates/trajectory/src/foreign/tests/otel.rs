//! Spans of OpenTelemetry.

use super::*;

/// A span of a trace as OTLP writes it.
fn span(start: u64, attributes: Json) -> Json {
    let attributes: Vec<Json> =
        attributes.as_object().unwrap().iter().map(|(key, value)| json!({ "key": key, "value": value })).collect();
    json!({ "traceId": "t", "spanId": format!("{start:016x}"), "name": "n", "startTimeUnixNano": start.to_string(), "attributes": attributes })
}

fn otlp(spans: &[Json]) -> Json {
    json!({ "resourceSpans": [{ "scopeSpans": [{ "spans": spans }] }] })
}

/// A value as OTLP's `AnyValue`, structured.
fn any(value: &Json) -> Json {
    match value {
        Json::Array(items) => json!({ "arrayValue": { "values": items.iter().map(any).collect::<Vec<_>>() } }),
        Json::Object(object) => {
            let pairs: Vec<Json> = object.iter().map(|(key, item)| json!({ "key": key, "value": any(item) })).collect();
            json!({ "kvlistValue": { "values": pairs } })
        }
        Json::Number(number) => json!({ "intValue": number.to_string() }),
        other => json!({ "stringValue": other.as_str().unwrap() }),
    }
}

/// The span of a request to a model.
fn asked(start: u64, input: &[&Json], output: &[&Json]) -> Json {
    let of = |messages: &[&Json]| any(&json!(messages));
    span(start, json!({ "gen_ai.input.messages": of(input), "gen_ai.output.messages": of(output) }))
}

/// The span of a call of the tool `get` with more that it says.
fn executed(start: u64, more: &Json) -> Json {
    let told = with(json!({ "gen_ai.tool.name": "get", "gen_ai.tool.call.arguments": "{\"x\": 1}" }), more);
    let told = told.as_object().unwrap().iter().map(|(key, value)| (key.clone(), any(value)));
    span(start, Json::Object(told.collect()))
}

#[test]
fn spans_with_structured_attributes_and_in_batches_are_one_episode() {
    let asked = json!([{ "role": "user", "parts": [{ "type": "text", "content": "go" }] }]);
    let answered = json!([{ "role": "assistant", "parts": [{ "type": "tool_call", "id": "c1", "name": "f", "arguments": { "a": 1 } }] }]);
    let tool = json!({ "gen_ai.tool.name": any(&json!("f")), "gen_ai.tool.call.id": any(&json!("c1")), "gen_ai.tool.call.result": any(&json!("R")) });
    let tool = span(200, tool);
    let as_text = |value: &Json| json!({ "stringValue": value.to_string() });
    for (asked, answered) in [(any(&asked), any(&answered)), (as_text(&asked), as_text(&answered))] {
        let model = span(100, json!({ "gen_ai.input.messages": asked, "gen_ai.output.messages": answered }));
        let batches = [otlp(std::slice::from_ref(&model)), otlp(std::slice::from_ref(&tool))];
        for file in [vec![otlp(&[model, tool.clone()])], batches.to_vec(), vec![json!(batches)]] {
            let read = lines(&file);
            assert_eq!((read.format, read.all.len(), read.wrong.len()), ("otlp-json", 1, 0), "{:?}", read.wrong);
            assert_eq!((actions(&read.all[0]), observed(&read.all[0])), (vec!["tools.f(a=1)"], vec![Some("R")]));
        }
    }
    let read = lines(&[otlp(&[]), otlp(&[span(1, json!({ "http.method": { "stringValue": "GET" } }))])]);
    assert_eq!((read.all.len(), read.wrong.len()), (0, 1), "{:?}", read.wrong);
}

/// Without content a span says that somebody asked a model, and no more.
#[test]
fn an_episode_whose_messages_were_not_captured_is_told() {
    let read = lines(&[otlp(&[span(1, json!({ "gen_ai.request.model": any(&json!("m")) }))])]);
    assert_eq!((read.all.len(), read.all[0].steps.len(), read.wrong.len()), (1, 0, 0));
    assert!(read.notes.len() == 1 && read.notes[0].starts_with("t: no span holds messages"), "{:?}", read.notes);
}

#[test]
fn spans_say_together_what_was_called_and_what_came_of_it() {
    let message = |role: &str, part: Json| json!({ "role": role, "parts": [part] });
    let text = |role: &str, text: &str| message(role, json!({ "type": "text", "content": text }));
    let made = |more: Json| {
        let call = json!({ "type": "tool_call", "name": "get", "arguments": { "x": 1 } });
        message("assistant", with(call, &more))
    };
    let (go, fin, call) = (text("user", "u"), text("assistant", "fin"), made(json!({ "id": "1" })));
    let result = message("tool", json!({ "type": "tool_call_response", "id": "1", "response": "r" }));
    let of = |id: &str, more: Json| with(json!({ "gen_ai.tool.call.id": id }), &more);
    let returned = || of("1", json!({ "gen_ai.tool.call.result": "r" }));
    let timeout = || of("1", json!({ "error.type": "timeout" }));
    let without_id =
        || vec![asked(1, &[&go], &[&made(json!({}))]), executed(2, &json!({ "gen_ai.tool.call.result": "r" }))];
    let first = || asked(1, &[&go], &[&call]);
    let whole = || asked(9, &[&go, &call, &result], &[&fin]);
    let mut thrown = executed(2, &of("1", json!({})));
    thrown["status"] = json!({ "code": 2, "message": "bad" });
    let mut cut = asked(8, &[&go], &[]);
    cut["attributes"][0]["value"] = json!({ "stringValue": "[{\"role\": \"us" });
    let sub = [
        asked(3, &[&text("user", "sub")], &[&made(json!({ "id": "9" }))]),
        executed(4, &of("9", json!({ "gen_ai.tool.call.result": "s" }))),
    ];
    for (spans, text, is_refused, told) in [
        // A call that no message holds, what is new alone, a call without id.
        (vec![asked(1, &[&go], &[&fin]), executed(2, &returned())], "r", false, 0),
        (vec![first(), asked(2, &[&result], &[&fin])], "r", false, 0),
        (without_id(), "r", false, 0),
        // Failures: with no result, where the messages have it, before another try.
        (vec![first(), executed(2, &timeout())], "timeout", true, 0),
        (vec![first(), thrown], "bad", true, 0),
        (vec![first(), executed(2, &timeout()), whole()], "r", true, 0),
        (vec![first(), executed(2, &timeout()), executed(3, &returned())], "r", false, 1),
        // A sub-agent, and an attribute that was cut off.
        ([without_id(), sub.to_vec()].concat(), "r", false, 1),
        ([vec![first()], sub.to_vec(), vec![executed(5, &returned())]].concat(), "r", false, 1),
        (vec![first(), executed(2, &returned()), cut], "r", false, 1),
    ] {
        let read = lines(&[otlp(&spans)]);
        assert_eq!((read.wrong.as_slice(), read.all.len(), read.notes.len()), (&[][..], 1, told), "{:?}", read.notes);
        let log = &read.all[0];
        assert_eq!((log.task.as_str(), actions(log)), ("u", vec!["tools.get(x=1)"]));
        assert_eq!((observed(log), refused(log)), (vec![Some(text)], vec![is_refused]));
        let has_answer = spans.iter().any(|span| span.to_string().contains("fin"));
        assert_eq!(log.rest.get("answer"), has_answer.then_some(&json!("fin")), "{spans:?}");
    }
    let embedded = span(1, json!({ "gen_ai.operation.name": any(&json!("embeddings")) }));
    let read = lines(&[otlp(&[embedded])]);
    assert_eq!((read.all.len(), read.wrong.len(), read.notes.len()), (0, 0, 1), "{:?}", read.notes);
}

#[test]
fn messages_in_an_event_of_a_span_are_read_with_what_the_provider_ran() {
    let ran = json!({ "type": "web_search", "query": "q" });
    let found = json!({ "type": "web_search", "results": [1] });
    let parts = json!([
        { "type": "server_tool_call", "id": "s", "name": "web_search", "server_tool_call": ran },
        { "type": "server_tool_call_response", "id": "s", "server_tool_call_response": found },
        { "type": "text", "content": "fin" }
    ]);
    let asked = json!([{ "role": "user", "parts": [{ "type": "text", "content": "go" }] }]);
    let told = json!([
        { "key": "gen_ai.input.messages", "value": any(&asked) },
        { "key": "gen_ai.output.messages", "value": any(&json!([{ "role": "assistant", "parts": parts }])) }
    ]);
    let mut model = span(1, json!({ "gen_ai.request.model": any(&json!("m")) }));
    model["events"] = json!([{ "name": "gen_ai.client.inference.operation.details", "attributes": told }]);
    let log = &lines(&[otlp(&[model])]).all[0];
    assert_eq!((log.task.as_str(), &log.rest["answer"]), ("go", &json!("fin")));
    assert_eq!(actions(log), ["tools.web_search(type='web_search', query='q')"]);
    assert_eq!(observed(log), [Some(found.to_string().as_str())]);
}
