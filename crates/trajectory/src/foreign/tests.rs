//! Conversations as providers and agents write them, small ones, and what becomes of each.

use serde_json::{Value as Json, json};

use stepwright_program::tools::Toolbox;

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

/// The first episode of a file of items, nothing of which is wrong.
fn items(items: &[Json]) -> (Trajectory, Vec<String>) {
    let all: Vec<Json> = std::iter::once(user("go")).chain(items.iter().cloned()).collect();
    let read = lines(&[json!({ "model": "m", "input": all })]);
    assert_eq!((read.wrong.as_slice(), read.all.len()), (&[][..], 1));
    (read.all[0].clone(), read.notes)
}

/// An object with the fields of another put to it.
fn with(mut object: Json, more: &Json) -> Json {
    object.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    object
}

#[test]
fn results_without_ids_or_of_equal_ids_come_in_the_order_of_the_calls() {
    for id in [None, Some(""), Some("call_0")] {
        let (log, notes) = chat(&[
            user("weather?"),
            assistant(&[call(id, "weather", "Paris"), call(id, "weather", "London")]),
            result(id, "Paris: 5"),
            result(id, "London: 9"),
        ]);
        assert_eq!((observed(&log), notes.len()), (vec![Some("Paris: 5"), Some("London: 9")], 0), "{id:?}");
    }
    // An id that is used again is the newest answer's.
    let again = |argument| assistant(&[call(Some("c"), "f", argument)]);
    let (log, notes) = chat(&[user("go"), again("1"), again("2"), result(Some("c"), "second")]);
    assert_eq!((observed(&log), notes.len()), (vec![None, Some("second")], 0));
    // A result may be named by its call's id, which may be a number.
    for (one, two) in [(json!("1"), json!("2")), (json!(1), json!(2))] {
        let called = |id: &Json| json!({ "id": id, "name": "f", "arguments": { "x": id } });
        let (log, notes) = chat(&[
            user("go"),
            assistant(&[called(&one), called(&two)]),
            json!({ "role": "tool", "id": two, "content": "bad", "error": true }),
            json!({ "role": "tool", "id": one, "content": "ok", "error": false }),
        ]);
        assert_eq!((observed(&log), notes.len()), (vec![Some("ok"), Some("bad")], 0));
        assert_eq!(refused(&log), [false, true]);
    }
}

#[test]
fn results_of_no_call_are_told() {
    let (log, notes) = chat(&[
        user("go"),
        assistant(&[call(Some("a"), "f", "1")]),
        assistant(&[call(Some("b"), "f", "2")]),
        result(Some("b"), "R1"),
        result(Some("b"), "R2"),
        result(None, "R3"),
        result(Some("zzz"), "R4"),
    ]);
    assert_eq!(observed(&log), [None, Some("R1")]);
    assert_eq!(
        notes,
        [
            "line 1: after step 2: a result of `b` is of no call that waits for one, not read",
            "line 1: after step 2: a result without id is of no call that waits for one, not read",
            "line 1: after step 2: a result of `zzz` is of no call that waits for one, not read"
        ]
    );
}

/// An ATIF file of an agent's steps, each with calls of these ids and these results.
fn atif(steps: &[(&[&str], Json)]) -> Logs {
    let mut all = vec![json!({ "step_id": 1, "source": "user", "message": "go" })];
    for (at, (ids, results)) in steps.iter().enumerate() {
        let calls: Vec<Json> = ids
            .iter()
            .map(|id| json!({ "tool_call_id": id, "function_name": "f", "arguments": { "x": id } }))
            .collect();
        all.push(json!({ "step_id": at + 2, "source": "agent", "message": "m", "tool_calls": calls, "observation": { "results": results } }));
    }
    let agent = json!({ "name": "a", "version": "1" });
    lines(&[json!({ "schema_version": "ATIF-v1.8", "session_id": "s", "agent": agent, "steps": all })])
}

#[test]
fn atif_results_without_id_belong_to_the_last_call_of_their_step() {
    let read = atif(&[(&["a"], json!([])), (&["b"], json!([{ "content": "R1" }, { "content": "R2" }]))]);
    assert_eq!((observed(&read.all[0]), read.notes.len()), (vec![None, Some("R1\nR2")], 0));
    let read = atif(&[(&["a", "b"], json!([{ "content": "R1" }, { "content": "R2" }]))]);
    assert_eq!((observed(&read.all[0]), read.notes.len()), (vec![None, Some("R1\nR2")], 0));
    let of = |id: &str, text: &str| json!({ "source_call_id": id, "content": text });
    let read = atif(&[(&["a", "b"], json!([of("b", "B1"), of("a", "A"), of("b", "B2"), of("zzz", "Z")]))]);
    assert_eq!(observed(&read.all[0]), [Some("A"), Some("B1\nB2")]);
    assert_eq!(read.notes, ["s: after step 2: a result of `zzz` is of no call that waits for one, not read"]);
    let read = atif(&[(&["a", "a"], json!([of("a", "A1"), of("a", "A2"), of("a", "A3")]))]);
    assert_eq!((observed(&read.all[0]), read.notes.len()), (vec![Some("A1"), Some("A2\nA3")], 0));
    for (extra, is_refused) in [
        (json!({ "refused": true }), true),
        (json!({ "is_error": true }), true),
        (json!({ "tool_result_is_error": true }), true),
        (json!({ "is_error": false }), false),
    ] {
        let read = atif(&[(&["a"], json!([with(of("a", "A"), &json!({ "extra": extra }))]))]);
        assert_eq!(refused(&read.all[0]), [is_refused], "{extra}");
    }
}

#[test]
fn nothing_that_the_user_says_is_lost() {
    let said = |text: &str| json!({ "role": "assistant", "content": text });
    let (log, _) = chat(&[
        user("Hi"),
        said("Which order?"),
        user("Cancel W42"),
        assistant(&[call(Some("c1"), "cancel", "W42")]),
        result(Some("c1"), "cancelled"),
    ]);
    assert_eq!((log.task.as_str(), log.initial_observation.as_deref()), ("Hi", Some("Hi\n\nCancel W42")));
    // A call without a result, after which the user speaks.
    let (log, notes) = chat(&[
        user("go"),
        assistant(&[call(Some("c1"), "f", "1")]),
        user("never mind"),
        assistant(&[call(Some("c2"), "f", "2")]),
        result(Some("c2"), "ok"),
    ]);
    assert_eq!((observed(&log), notes.len()), (vec![None, Some("ok")], 0));
    assert_eq!((log.steps[0].heard(), log.steps[1].heard()), ("never mind".into(), "ok".into()));
    // A result that comes after it.
    for (text, heard) in [("ok", "ok\n\nquick"), ("", "quick")] {
        let (log, notes) =
            chat(&[user("go"), assistant(&[call(Some("c1"), "f", "1")]), user("quick"), result(Some("c1"), text)]);
        assert_eq!((observed(&log), notes.len()), (vec![Some(text)], 0), "it is no result of the call");
        assert_eq!(log.steps[0].heard(), heard);
    }
    let (log, notes) = chat(&[user("go"), assistant(&[call(Some("c1"), "f", "1")]), user("stop")]);
    assert_eq!((observed(&log), notes.len(), log.steps[0].told.as_str()), (vec![None], 0, "stop"));
}

#[test]
fn only_requests_of_one_conversation_are_joined() {
    let longer = [run("1"), vec![assistant(&[call(Some("c2"), "f", "2")]), result(Some("c2"), "ok")]].concat();
    let of = |id: &str, messages: &[Json]| json!({ "id": id, "messages": messages });
    let ids = |read: &Logs| read.all.iter().map(|log| (log.id.clone(), log.steps.len())).collect::<Vec<_>>();
    let both = [("run-a".to_owned(), 1), ("run-b".to_owned(), 2)];
    assert_eq!(ids(&lines(&[of("run-a", &run("1")), of("run-b", &longer)])), both);
    let plain = |messages: &[Json]| json!({ "messages": messages });
    assert_eq!(lines(&[plain(&run("1")), plain(&longer)]).all.len(), 2);
    let request = |body: Json| json!({ "path": "/v1/chat/completions", "body": body });
    let logged = |bodies: &[Json]| lines(&bodies.iter().cloned().map(request).collect::<Vec<_>>());
    assert_eq!(ids(&logged(&[of("run-a", &run("1")), of("run-b", &longer)])), both);
    // What was asked again, first and last.
    let first = plain(&[user("go")]);
    let read = logged(&[first.clone(), first, plain(&run("1")), plain(&longer), plain(&longer)]);
    assert_eq!(read.all.iter().map(|log| log.steps.len()).collect::<Vec<_>>(), [2]);
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
        (
            vec![asked(1, &[&go], &[&made(json!({}))]), executed(2, &json!({ "gen_ai.tool.call.result": "r" }))],
            "r",
            false,
            0,
        ),
        // Failures: with no result, where the messages have it, before another try.
        (vec![first(), executed(2, &timeout())], "timeout", true, 0),
        (vec![first(), thrown], "bad", true, 0),
        (vec![first(), executed(2, &timeout()), whole()], "r", true, 0),
        (vec![first(), executed(2, &timeout()), executed(3, &returned())], "r", false, 1),
        // A sub-agent, and an attribute that was cut off.
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
fn parts_of_types_that_nobody_knows_are_told_once() {
    let said = json!([{ "type": "text", "text": "so" }, { "type": "canvas", "x": 1 }, { "type": "image_url" }]);
    let message = json!({ "role": "assistant", "content": said });
    let (log, notes) = chat(&[user("go"), message.clone(), message]);
    assert_eq!(
        (&log.rest["answer"], notes),
        (&json!("so"), vec!["messages[1]: parts of type `canvas`, not read".to_owned()])
    );
    let called = json!({ "role": "model", "parts": [{ "text": "so" }, { "functionCall": { "name": "f" } }] });
    let (log, notes) = chat(&[user("go"), called]);
    assert_eq!(
        (&log.rest["answer"], notes),
        (&json!("so"), vec!["messages[1]: parts without `type`, not read".to_owned()])
    );
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

/// A log of Inspect of these samples, as JSON and as a zip.
fn inspect(samples: &[Json]) -> [Logs; 2] {
    use std::io::Write as _;

    let whole = json!({ "version": 2, "status": "success", "eval": { "task": "t" }, "samples": samples });
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let members = samples.iter().enumerate().map(|(at, sample)| (format!("samples/{at}_epoch_1.json"), sample.clone()));
    for (name, member) in members.chain([("header.json".to_owned(), json!({ "version": 2, "eval": { "task": "t" } }))])
    {
        zip.start_file(name, options).unwrap();
        zip.write_all(member.to_string().as_bytes()).unwrap();
    }
    [read_any(whole.to_string().as_bytes(), "f"), read_any(&zip.finish().unwrap().into_inner(), "f")]
}

#[test]
fn samples_stand_in_inspects_order_and_there_may_be_none() {
    for read in inspect(&[]) {
        assert_eq!((read.all.len(), read.wrong.as_slice()), (0, &[][..]), "{:?}", read.format);
        assert_eq!(read.notes, ["the log holds no episode"]);
    }
    let sample =
        |id: Json| json!({ "id": id, "epoch": 1, "messages": [user("u")], "input": "u", "model_fallbacks": null });
    let samples = [json!(10), json!("b"), json!(-5), json!(2), json!(-40), json!("a")].map(sample);
    let ids = |read: &Logs| read.all.iter().map(|log| log.id.clone()).collect::<Vec<_>>();
    let [written, zipped] = inspect(&samples);
    assert_eq!(ids(&written), ["10", "b", "-5", "2", "-40", "a"]);
    assert_eq!(ids(&zipped), ["-5", "-40", "2", "10", "a", "b"]);
    assert_eq!((written.notes.len(), zipped.notes.len()), (0, 0), "{:?}", written.notes);
}

#[test]
fn a_call_of_inspect_may_hold_what_it_returned() {
    let used = |more: Json| {
        let mut used = json!({ "type": "tool_use", "tool_type": "web_search", "id": "w", "name": "web_search", "arguments": "{\"query\": \"q\"}" });
        used.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        used
    };
    let said = json!([used(json!({ "result": "R", "error": null })), { "type": "text", "text": "and" },
        used(json!({ "result": "", "error": "gone" })), used(json!({ "result": "found 3", "error": "gone" }))]);
    let sample = json!({ "id": 1, "messages": [user("u"), { "role": "assistant", "content": said }] });
    for read in inspect(&[sample]) {
        let log = &read.all[0];
        assert_eq!(actions(log), ["tools.web_search(query='q')"; 3]);
        assert_eq!(observed(log), [Some("R"), Some("gone"), Some("gone\n\nfound 3")]);
        assert_eq!(refused(log), [false, true, true]);
    }
}

#[test]
fn a_sample_of_inspect_keeps_code_last_words_and_how_it_ended() {
    let code = json!({ "type": "tool_use", "tool_type": "code_execution", "id": "w", "name": "code", "arguments": "print(1)", "result": "1" });
    let sample = json!({
        "id": 1, "messages": [user("u"), { "role": "assistant", "content": [code, { "type": "text", "text": "I am done." }] }],
        "output": { "completion": "42" }, "error": { "message": "boom", "traceback": "" },
        "limit": { "type": "message", "limit": 3 }, "invalidation": { "author": "a", "reason": "bad grader" }
    });
    for read in inspect(std::slice::from_ref(&sample)) {
        assert_eq!((read.wrong.as_slice(), read.notes.as_slice()), (&[][..], &[][..]));
        let log = &read.all[0];
        assert_eq!((actions(log), observed(log)), (vec!["tools.code(code='print(1)')"], vec![Some("1")]));
        assert_eq!((&log.rest["said_before"], &log.rest["answer"]), (&json!("I am done."), &json!("42")));
        let ended = [
            "The sample ended in an error: boom",
            "The sample ended at a limit: message",
            "The sample was declared invalid: bad grader",
        ];
        assert_eq!(log.rest["remarks"], json!(ended));
    }
    // An answer that holds what was said last.
    for read in inspect(&[with(sample, &json!({ "output": { "completion": "I am done.\n\n42" } }))]) {
        assert_eq!(read.all[0].rest.get("said_before"), None);
    }
}

#[test]
fn what_a_model_refuses_or_speaks_is_its_answer() {
    for said in [
        json!({ "content": null, "refusal": "no way" }),
        json!({ "content": [{ "type": "refusal", "refusal": "no way" }] }),
        json!({ "content": null, "audio": { "id": "a", "transcript": "no way" } }),
        json!({ "content": [{ "type": "output_audio", "data": "AA", "transcript": "no way" }] }),
        json!({ "content": "no way", "refusal": null, "audio": null }),
    ] {
        let mut message = said.clone();
        message["role"] = "assistant".into();
        let (log, _) = chat(&[user("go"), message]);
        assert_eq!(log.rest.get("answer"), Some(&json!("no way")), "{said}");
    }
}

#[test]
fn an_error_is_one_only_where_it_says_something() {
    for (more, refused, text) in [
        (json!({ "error": false }), false, "ok"),
        (json!({ "error": "" }), false, "ok"),
        (json!({ "error": 0 }), false, "ok"),
        (json!({ "error": [] }), false, "ok"),
        (json!({ "error": {} }), false, "ok"),
        (json!({ "error": "boom", "content": "" }), true, "boom"),
        (json!({ "error": "boom" }), true, "boom\n\nok"),
        (json!({ "error": "boom", "content": "Error: boom" }), true, "Error: boom"),
        (json!({ "error": { "message": "boom" }, "content": "" }), true, "boom"),
        (json!({ "tool_error": "boom", "content": "" }), true, "boom"),
    ] {
        let mut returned = result(Some("c1"), "ok");
        returned.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let (log, _) = chat(&[user("go"), assistant(&[call(Some("c1"), "f", "1")]), returned]);
        assert_eq!((log.steps[0].refused, observed(&log)), (refused, vec![Some(text)]), "{more}");
    }
}

#[test]
fn results_without_text_are_kept_as_what_they_are() {
    let found = json!([{ "type": "search_result", "source": "s", "content": [{ "type": "text", "text": "x" }] }]);
    let picture = json!([{ "type": "image", "source": { "type": "base64", "data": "AA" } }]);
    let used = json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": "c", "name": "f", "input": {} }] });
    let mixed = json!([{ "type": "text", "text": "see" }, picture[0], found[0]]);
    for (content, text) in [
        (found.clone(), found.to_string()),
        (mixed, format!("see\n{}", found[0])),
        (picture, String::new()),
        (json!([]), String::new()),
    ] {
        let returned =
            json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "c", "content": content }] });
        let (log, _) = chat(&[user("go"), used.clone(), returned]);
        assert_eq!(observed(&log), [Some(text.as_str())]);
    }
    for (content, text) in [(json!({ "a": 1 }), "{\"a\":1}"), (json!(42), "42")] {
        let returned = json!({ "role": "tool", "tool_call_id": "c1", "content": content });
        let (log, _) = chat(&[user("go"), assistant(&[call(Some("c1"), "f", "1")]), returned]);
        assert_eq!(observed(&log), [Some(text)]);
    }
    let printed = json!([{ "stdout": "o", "stderr": "", "outcome": { "type": "exit", "exit_code": 0 } }]);
    let (log, _) = items(&[
        json!({ "type": "shell_call", "call_id": "c", "action": { "commands": ["ls"] } }),
        json!({ "type": "shell_call_output", "call_id": "c", "output": printed }),
    ]);
    assert_eq!(observed(&log), [Some(printed.to_string().as_str())]);
    // A failure is known though it says nothing.
    let failed =
        json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "c", "is_error": true }] });
    let (log, _) = chat(&[user("go"), used, failed]);
    assert_eq!((observed(&log), refused(&log)), (vec![Some("")], vec![true]));
    assert!(log.steps[0].calls[0].to_string().contains("failed"), "{:?}", log.steps[0].calls);
}

#[test]
fn what_came_of_a_call_of_a_provider_is_what_its_items_say() {
    let shell = |id: &str, call: &str| json!({ "type": "local_shell_call", "id": id, "call_id": call, "action": {} });
    let patch = json!({ "type": "apply_patch_call", "call_id": "c", "operation": { "path": "a" } });
    let patched = |more: Json| with(json!({ "type": "apply_patch_call_output", "call_id": "c" }), &more);
    let mcp = |more: Json| with(json!({ "type": "mcp_call", "id": "m", "name": "f", "arguments": "{}" }), &more);
    let shot = json!({ "type": "computer_screenshot", "image_url": "data:AA" });
    for (given, texts, are_refused) in [
        (
            vec![
                shell("i1", "c1"),
                shell("i2", "c2"),
                json!({ "type": "local_shell_call_output", "id": "c2", "output": "2" }),
                json!({ "type": "local_shell_call_output", "id": "c1", "output": "1" }),
            ],
            vec![Some("1"), Some("2")],
            vec![false, false],
        ),
        (vec![patch.clone(), patched(json!({ "output": null, "status": "completed" }))], vec![None], vec![false]),
        (vec![patch, patched(json!({ "output": "no file", "status": "failed" }))], vec![Some("no file")], vec![true]),
        (vec![mcp(json!({ "error": "", "output": "r" }))], vec![Some("r")], vec![false]),
        (vec![mcp(json!({ "error": false, "output": "" }))], vec![Some("")], vec![false]),
        (vec![mcp(json!({ "error": "gone", "output": "r" }))], vec![Some("gone\n\nr")], vec![true]),
        (vec![mcp(json!({ "error": { "content": 1 } }))], vec![Some("{\"content\":1}")], vec![true]),
        (vec![mcp(json!({ "status": "failed" }))], vec![Some("")], vec![true]),
        (
            vec![
                json!({ "type": "computer_call", "call_id": "c", "actions": [], "pending_safety_checks": [] }),
                json!({ "type": "computer_call_output", "call_id": "c", "output": shot }),
            ],
            vec![Some("")],
            vec![false],
        ),
        (vec![json!({ "type": "image_generation_call", "id": "g", "result": "QUJD" })], vec![Some("")], vec![false]),
        (
            vec![
                json!({ "type": "tool_search_call", "call_id": "t", "arguments": {} }),
                json!({ "type": "tool_search_output", "call_id": "t", "tools": [{ "name": "z" }] }),
            ],
            vec![Some("[{\"name\":\"z\"}]")],
            vec![false],
        ),
        (
            vec![
                json!({ "type": "program", "id": "p", "call_id": "P", "code": "get()", "fingerprint": "f" }),
                json!({ "type": "program_output", "id": "o", "call_id": "P", "result": "RES" }),
            ],
            vec![Some("RES")],
            vec![false],
        ),
    ] {
        let (log, notes) = items(&given);
        assert_eq!((observed(&log), refused(&log), notes.len()), (texts, are_refused, 0), "{given:?}");
        let own = ["pending", "fingerprint"];
        assert!(!own.iter().any(|name| log.steps[0].action.contains(name)), "{}", log.steps[0].action);
    }
    let added = json!({ "type": "additional_tools", "role": "developer", "tools": [{ "type": "function", "name": "z", "parameters": {} }] });
    let (log, _) = items(&[added, mcp(json!({}))]);
    assert_eq!(log.tools.iter().filter(|tool| tool["name"] == "z").count(), 1);
}

#[test]
fn a_list_is_a_conversation_whatever_it_begins_with() {
    let called = json!({ "role": "assistant", "function_call": { "name": "f", "arguments": "{}" } });
    for (list, told) in [
        (
            json!([{ "type": "mcp_list_tools", "id": "l" }, { "type": "mcp_call", "name": "f", "arguments": "{}", "output": "r" }]),
            1,
        ),
        (json!([called, { "role": "function", "name": "f", "content": "r" }]), 0),
    ] {
        let read = read_any(list.to_string().as_bytes(), "f");
        assert_eq!((read.wrong.as_slice(), read.all.len(), read.notes.len()), (&[][..], 1, told), "{:?}", read.notes);
        assert_eq!((actions(&read.all[0]), observed(&read.all[0])), (vec!["tools.f()"], vec![Some("r")]));
    }
}

#[test]
fn arguments_that_only_python_reads_are_read() {
    for (arguments, action) in
        [(r#"{"x": NaN}"#, "tools.f(x=None)"), (r#"{"x": "a \ud800"}"#, "tools.f(x='a \u{fffd}')")]
    {
        let called = json!({ "id": "c1", "function": { "name": "f", "arguments": arguments } });
        let (log, notes) = chat(&[user("go"), assistant(&[called])]);
        assert_eq!((actions(&log), notes.len()), (vec![action], 0));
    }
}

#[test]
fn the_task_is_what_the_user_said_first_wherever_it_stands() {
    let (log, _) = chat(&[assistant(&[call(Some("c1"), "f", "1")]), result(Some("c1"), "ok"), user("go"), user("on")]);
    assert_eq!((log.task.as_str(), log.steps[0].told.as_str()), ("go", "go\n\non"));
    // What is asked only to be counted is no conversation.
    let request = |path: &str| json!({ "path": path, "body": { "model": "m", "messages": run("1") } });
    for other in ["/v1/messages/count_tokens?beta=true", "/v1/moderations", "/v1/audio/speech"] {
        let read = lines(&[request(other), request("/v1/messages")]);
        assert_eq!((read.all.len(), read.wrong.len(), read.notes.len()), (1, 0, 1), "{:?}", read.notes);
    }
}

#[test]
fn numbers_that_only_python_writes_are_null() {
    use std::io::Write as _;

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
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    zip.start_file("samples/s_epoch_1.json", options).unwrap();
    zip.write_all(br#"{"id":"s","messages":[],"scores":{"a":{"value":NaN}}}"#).unwrap();
    let read = read_any(&zip.finish().unwrap().into_inner(), "f");
    assert_eq!((read.wrong.as_slice(), read.all.len()), (&[][..], 1));
    let cut = read_any(&log.as_bytes()[..log.len() - 3], "f");
    assert!(cut.all.is_empty() && cut.wrong[0].message.contains("EOF"), "{:?}", cut.wrong);
}

#[test]
fn calls_of_custom_tools_keep_name_and_input() {
    let custom = json!({ "id": "c1", "type": "custom", "custom": { "name": "apply_patch", "input": "*** Begin" } });
    let (log, _) = chat(&[user("patch"), assistant(&[custom]), result(Some("c1"), "done")]);
    assert_eq!((actions(&log), observed(&log)), (vec!["tools.apply_patch(input_='*** Begin')"], vec![Some("done")]));
}

#[test]
fn tools_that_a_provider_ran_have_their_results() {
    let found = json!([{ "type": "web_search_result", "title": "T", "url": "u", "encrypted_content": "e" }]);
    let content = json!([
        { "type": "text", "text": "looking" },
        { "type": "server_tool_use", "id": "s1", "name": "web_search", "input": { "query": "q" } },
        { "type": "web_search_tool_result", "tool_use_id": "s1", "content": found },
        { "type": "text", "text": "now this" },
        { "type": "mcp_tool_use", "id": "m1", "name": "echo", "server_name": "s", "input": { "p": 1 } },
        { "type": "mcp_tool_result", "tool_use_id": "m1", "is_error": false, "content": [{ "type": "text", "text": "M" }] },
        { "type": "server_tool_use", "id": "s2", "name": "web_search", "input": { "query": "r" } },
        { "type": "web_search_tool_result", "tool_use_id": "s2", "content": { "type": "web_search_tool_result_error", "error_code": "unavailable" } },
        { "type": "tool_use", "id": "t1", "name": "f", "input": {} }
    ]);
    let returned =
        json!([{ "type": "tool_result", "tool_use_id": "t1", "content": "R" }, { "type": "text", "text": "and?" }]);
    let (log, notes) = chat(&[
        user("find"),
        json!({ "role": "assistant", "content": content }),
        json!({ "role": "user", "content": returned }),
    ]);
    assert_eq!(notes, Vec::<String>::new());
    assert_eq!(
        actions(&log),
        ["tools.web_search(query='q')", "tools.echo(p=1)", "tools.web_search(query='r')", "tools.f()"]
    );
    let failure = r#"{"error_code":"unavailable","type":"web_search_tool_result_error"}"#;
    let page = r#"[{"title":"T","type":"web_search_result","url":"u"}]"#;
    let parsed = |text: Option<&str>| text.and_then(|text| serde_json::from_str::<Json>(text).ok());
    let of = observed(&log);
    assert_eq!((parsed(of[0]), of[1]), (parsed(Some(page)), Some("M")));
    assert_eq!((parsed(of[2]), of[3]), (parsed(Some(failure)), Some("R")));
    assert_eq!(refused(&log), [false, false, true, false]);
    assert_eq!(thoughts(&log), ["looking", "now this", "", ""]);
}

#[test]
fn tools_built_into_a_provider_are_calls_with_what_came_of_them() {
    let said = json!({ "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "so" }] });
    let exec = json!({ "type": "exec", "command": ["ls", "-l"], "env": {} });
    let items = json!([
        user("go"),
        { "type": "local_shell_call", "id": "i1", "call_id": "c1", "status": "completed", "action": exec },
        { "type": "local_shell_call_output", "call_id": "c1", "output": "a b" },
        { "type": "mcp_call", "id": "m1", "server_label": "s", "name": "echo", "arguments": "{\"p\": 1}", "output": "M", "error": null },
        said,
        { "type": "mcp_call", "id": "m2", "server_label": "s", "name": "echo", "arguments": "{}", "output": null, "error": "gone", "status": "failed" },
        { "type": "file_search_call", "id": "f1", "status": "completed", "queries": ["q"], "results": [{ "filename": "x" }] },
        { "type": "web_search_call", "id": "w1", "status": "completed", "action": { "type": "search", "query": "q" } },
        { "type": "apply_patch_call", "id": "p1", "call_id": "c2", "status": "completed", "operation": { "type": "delete_file", "path": "a" } },
        { "type": "apply_patch_call_output", "call_id": "c2", "status": "completed", "output": "done" }
    ]);
    let read = lines(&[json!({ "model": "m", "input": items })]);
    assert_eq!((read.wrong.as_slice(), read.notes.as_slice()), (&[][..], &[][..]));
    let log = &read.all[0];
    assert_eq!(
        actions(log),
        [
            "tools.local_shell(type='exec', command=['ls', '-l'], env={})",
            "tools.echo(p=1)",
            "tools.echo()",
            "tools.file_search(queries=['q'])",
            "tools.web_search(type='search', query='q')",
            "tools.apply_patch(type='delete_file', path='a')"
        ]
    );
    let found = r#"[{"filename":"x"}]"#;
    assert_eq!(observed(log), [Some("a b"), Some("M"), Some("gone"), Some(found), None, Some("done")]);
    assert_eq!(refused(log), [false, false, true, false, false, false]);
    assert_eq!(thoughts(log), ["", "", "so", "", "", ""]);
}

#[test]
fn what_a_model_thought_is_the_thought_in_each_form() {
    let messages = [
        json!({ "role": "assistant", "content": [{ "type": "thinking", "thinking": "WHY", "signature": "s" }, { "type": "text", "text": "so" }, { "type": "tool_use", "id": "c1", "name": "f", "input": {} }] }),
        json!({ "role": "assistant", "content": "so", "reasoning_content": "WHY", "tool_calls": [call(Some("c1"), "f", "1")] }),
        json!({ "role": "assistant", "content": [{ "type": "reasoning", "reasoning": "WHY" }, { "type": "text", "text": "so" }], "tool_calls": [call(Some("c1"), "f", "1")] }),
        json!({ "role": "assistant", "content": [{ "type": "reasoning", "reasoning": "SIGNED", "summary": "WHY", "redacted": true }, { "type": "text", "text": "so" }], "tool_calls": [call(Some("c1"), "f", "1")] }),
        json!({ "role": "assistant", "content": [{ "type": "reasoning", "reasoning": "", "summary": [{ "type": "summary_text", "text": "WHY" }] }, { "type": "text", "text": "so" }], "tool_calls": [call(Some("c1"), "f", "1")] }),
    ];
    for message in messages {
        let (log, _) = chat(&[user("go"), message]);
        assert_eq!(thoughts(&log), ["WHY\nso"]);
    }
    // It is no answer.
    let (log, _) = chat(&[user("go"), json!({ "role": "assistant", "content": "fin", "reasoning_content": "WHY" })]);
    assert_eq!((&log.rest["answer"], &log.rest["closing_thought"]), (&json!("fin"), &json!("WHY")));
    // Nor is what was said before the last action; all that was said after it is.
    let said = |text: &str| json!({ "role": "assistant", "content": text });
    let (done, asked) = (
        json!({ "role": "tool", "tool_call_id": "c1", "content": "ok" }),
        json!({ "role": "assistant", "content": "now", "tool_calls": [call(Some("c1"), "f", "1")] }),
    );
    let (log, _) =
        chat(&[user("go"), said("I begin"), asked, done, said("Which one?"), user("the red"), said("Done.")]);
    assert_eq!((&log.rest["said_before"], &log.rest["answer"]), (&json!("Which one?"), &json!("Done.")));
    assert_eq!(log.rest.get("closing_thought"), None);
    let call = |id: &str| json!({ "type": "function_call", "call_id": id, "name": "f", "arguments": "{}" });
    let reasoning = |text: &str| json!({ "type": "reasoning", "summary": [{ "type": "summary_text", "text": text }] });
    let items = json!([user("go"), reasoning("WHY"), call("a"), reasoning("AND"), call("b")]);
    let read = lines(&[json!({ "model": "m", "input": items })]);
    assert_eq!(thoughts(&read.all[0]), ["WHY\nAND", ""]);
}

#[test]
fn tools_and_arguments_that_no_list_declares_keep_their_names() {
    let tools = json!([{ "type": "function", "function": { "name": "f", "parameters": { "type": "object", "properties": { "from": {} } } } }]);
    let calls = [call(Some("c1"), "f", "1"), call(Some("c2"), "mcp.do-it", "2")];
    let mut named = assistant(&calls);
    named["tool_calls"][0]["function"]["arguments"] = "{\"from\": 1, \"class\": 2, \"x-y\": 3}".into();
    let read = lines(&[json!({ "tools": tools, "messages": [user("go"), named] })]);
    let log = &read.all[0];
    let toolbox = Toolbox::of_json(&json!(log.tools));
    let wire = |at: usize| toolbox.wire(log.steps[at].call.as_ref().unwrap()).unwrap();
    assert_eq!(wire(0), ("f".to_owned(), json!({ "from": 1, "class": 2, "x-y": 3 })));
    assert_eq!(wire(1).0, "mcp.do-it");
}

#[test]
fn what_a_system_step_observes_is_no_task() {
    let step = |id: u32, source: &str, message: &str| json!({ "step_id": id, "source": source, "message": message });
    let mut boot = step(1, "system", "boot");
    boot["observation"] = json!({ "results": [{ "content": "booted" }] });
    let mut acted = step(3, "agent", "look");
    acted["observation"] = json!({ "results": [{ "content": null }] });
    let mut asked = step(2, "user", "go");
    asked["observation"] = json!({ "results": [{ "content": "seen" }] });
    let log = json!({ "schema_version": "ATIF-v1.8", "agent": {}, "steps": [boot, asked, acted] });
    let read = read_any(log.to_string().as_bytes(), "a.json");
    let log = &read.all[0];
    assert_eq!((log.task.as_str(), log.initial_observation.as_deref()), ("go", Some("booted\n\ngo\n\nseen")));
    assert_eq!((log.steps.len(), log.steps[0].action.as_str(), &log.steps[0].observation), (1, "look", &None));
}

#[test]
fn calls_of_langchain_stand_where_its_provider_wrote_them() {
    let call = json!({ "id": "c1", "type": "function", "function": { "name": "f", "arguments": "{}" } });
    let of = |kind: &str, data: Json| json!({ "type": kind, "data": data });
    let messages = json!([
        of("human", json!({ "content": "go" })),
        of("ai", json!({ "content": "", "additional_kwargs": { "tool_calls": [call] } })),
        of("tool", json!({ "content": "ok", "tool_call_id": "c1" })),
        of("chat", json!({ "role": "assistant", "content": "done" })),
    ]);
    let read = read_any(messages.to_string().as_bytes(), "a.json");
    let log = &read.all[0];
    assert_eq!((observed(log), log.rest["answer"].as_str()), (vec![Some("ok")], Some("done")));
}

#[test]
fn what_a_message_of_langchain_holds_beside_its_calls_is_kept() {
    let of = |kind: &str, data: Json| json!({ "type": kind, "data": data });
    let made = json!({ "type": "tool_use", "id": "1", "name": "get", "input": {} });
    let said = json!({ "type": "text", "text": "so" });
    let search = json!({ "type": "server_tool_use", "id": "s", "name": "search", "input": { "q": 1 } });
    let found = json!({ "type": "web_search_tool_result", "tool_use_id": "s", "content": [{ "url": "u" }] });
    let v1 = json!({ "type": "server_tool_call", "id": "s", "name": "search", "args": { "q": 1 } });
    let v1_failed =
        json!({ "type": "server_tool_result", "tool_call_id": "s", "status": "error", "output": "too many" });
    let calls = json!([{ "name": "get", "args": { "x": 1 }, "id": "1", "type": "tool_call" }]);
    let (searched, got) = ("tools.search(q=1)", "tools.get(x=1)");
    for (data, thought, done, texts) in [
        (
            json!({ "content": [{ "type": "thinking", "thinking": "WHY" }, said, made] }),
            vec!["WHY\nso"],
            vec![got],
            vec!["ok"],
        ),
        (
            json!({ "content": [search, found, said, made] }),
            vec!["", "so"],
            vec![searched, got],
            vec!["[{\"url\":\"u\"}]", "ok"],
        ),
        (
            json!({ "content": [v1, v1_failed, said, made] }),
            vec!["", "so"],
            vec![searched, got],
            vec!["too many", "ok"],
        ),
        (
            json!({ "content": "so", "additional_kwargs": { "reasoning_content": "WHY" } }),
            vec!["WHY\nso"],
            vec![got],
            vec!["ok"],
        ),
    ] {
        let messages = json!([
            of("human", json!({ "content": "go" })),
            of("ai", with(data, &json!({ "tool_calls": calls }))),
            of("tool", json!({ "content": "ok", "tool_call_id": "1", "status": "error" })),
            of("ai", json!({ "content": "", "additional_kwargs": { "refusal": "no way" } })),
        ]);
        let read = read_any(messages.to_string().as_bytes(), "a.json");
        assert_eq!((read.wrong.as_slice(), read.notes.as_slice()), (&[][..], &[][..]));
        let log = &read.all[0];
        assert_eq!((thoughts(log), actions(log)), (thought, done));
        assert_eq!(observed(log), texts.into_iter().map(Some).collect::<Vec<_>>());
        assert_eq!((refused(log).pop(), &log.rest["answer"]), (Some(true), &json!("no way")));
        assert_eq!(refused(log)[0], log.steps[0].observed() != "[{\"url\":\"u\"}]");
    }
}

#[test]
fn a_mark_to_cache_that_moves_is_no_other_conversation() {
    let block = |text: &str, cached: bool| match cached {
        true => json!([{ "type": "text", "text": text, "cache_control": { "type": "ephemeral" } }]),
        false => json!([{ "type": "text", "text": text }]),
    };
    let user = |text: &str, cached: bool| json!({ "role": "user", "content": block(text, cached) });
    let request = |messages: Json| json!({ "path": "/v1/messages", "body": { "system": "s", "messages": messages } });
    let used =
        json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": "c1", "name": "f", "input": {} }] });
    let read =
        lines(&[request(json!([user("go", true)])), request(json!([user("go", false), used, user("on", true)]))]);
    assert_eq!(read.all.len(), 1);
    // It may stand on a block of what a call returned.
    let returned = |cached: bool| json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "c1", "content": block("r", cached) }] });
    let asked = |cached: bool| vec![user("go", false), used.clone(), returned(cached)];
    let later = [asked(false), vec![user("on", true)]].concat();
    assert_eq!(lines(&[request(json!(asked(true))), request(json!(later))]).all.len(), 1);
}

#[test]
fn what_smolagents_says_of_a_step_without_calls_and_its_errors_are_kept() {
    let step = |number: u32, more: Json| {
        with(json!({ "step_number": number, "tool_calls": null, "observations": null }), &more)
    };
    let error = |message: &str| json!({ "type": "AgentError", "message": message });
    let called = json!([{ "id": "c1", "function": { "name": "python", "arguments": "1/0" } }]);
    let steps = json!([
        { "task": "u", "task_images": null },
        { "model_input_messages": [], "plan": "PLAN" },
        step(1, json!({ "model_output": "hm", "error": error("no call found") })),
        step(2, json!({ "tool_calls": called, "observations": "a", "error": error("division by zero") })),
        step(3, json!({ "error": error("Reached max steps.") })),
    ]);
    let log = &read_any(steps.to_string().as_bytes(), "a.json").all[0];
    assert_eq!((log.initial_observation.as_deref(), thoughts(log)), (Some("u\n\nno call found"), vec!["PLAN\nhm"]));
    assert_eq!((observed(log), refused(log)), (vec![Some("division by zero\n\na")], vec![true]));
    assert_eq!(log.steps[0].told, "Reached max steps.");
}

#[test]
fn a_memory_of_smolagents_is_read_as_its_list_of_steps_too() {
    let called = |id: &str, name: &str, arguments: Json| json!([{ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } }]);
    let steps = json!([
        { "task": "Cancel W42.", "task_images": null },
        { "model_input_messages": [], "plan": "Look, then cancel.", "token_usage": null },
        { "step_number": 1, "tool_calls": called("c1", "get_order", json!({ "order_id": "W42" })), "error": null,
          "model_output": "I look.", "observations": "open", "is_final_answer": false },
        { "step_number": 2, "tool_calls": called("c2", "final_answer", json!({ "answer": "done" })), "error": null,
          "model_output": null, "observations": "done", "is_final_answer": true },
    ]);
    let whole = read_any(json!({ "task": "Cancel W42.", "steps": steps }).to_string().as_bytes(), "a.json");
    let in_lines = serde_json::to_string_pretty(&steps).unwrap();
    for text in [steps.to_string(), in_lines, format!("{steps}\n{steps}\n")] {
        let read = read_any(text.as_bytes(), "a.json");
        assert_eq!((read.format, read.wrong.as_slice()), ("smolagents-memory", &[][..]));
        assert_eq!(actions(&read.all[0]), ["tools.get_order(order_id='W42')", "tools.final_answer(answer='done')"]);
        assert_eq!((&read.all[0].task, &read.all[0].steps), (&whole.all[0].task, &whole.all[0].steps));
    }
    // What is wrong with a step is named by its place in the list.
    let mut nameless = steps.clone();
    nameless[2]["tool_calls"][0]["function"].as_object_mut().unwrap().remove("name");
    let read = read_any(nameless.to_string().as_bytes(), "a.json");
    assert!(read.wrong[0].message.contains("[2].tool_calls[0]: `name` is missing"), "{:?}", read.wrong);
    // Lists of memories, and of our own steps, are none.
    let memories =
        read_any(json!([{ "system_prompt": "s", "steps": steps }, { "steps": steps }]).to_string().as_bytes(), "f");
    assert_eq!((memories.format, memories.all.len()), ("smolagents-memory", 2));
    let own = read_any(json!([{ "step_number": 1, "action": "look" }]).to_string().as_bytes(), "f");
    assert!(own.all.is_empty() && own.wrong[0].message.contains("a list of none of them"), "{:?}", own.wrong);
}
