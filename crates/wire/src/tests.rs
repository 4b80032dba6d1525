//! All formats: read, edited, streamed, put together again.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn chat() -> Value {
    json!({"id": "chatcmpl-1", "object": "chat.completion", "created": 5, "model": "m", "system_fingerprint": "fp", "odd": {"x": [1.50]},
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "let me see", "refusal": null, "reasoning_content": "hm",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "get_order", "arguments": "{\"id\": \"W42\"}"}, "extra": {"signature": "s"}},
                {"id": "c2", "type": "custom", "custom": {"name": "sh", "input": "ls -l"}}]},
            "logprobs": null, "finish_reason": "tool_calls", "odd": 1}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 4, "total_tokens": 14}})
}

fn responses() -> Value {
    json!({"id": "resp_1", "object": "response", "created_at": 5, "status": "completed", "error": null, "incomplete_details": null, "model": "m",
        "output": [
            {"id": "rs_1", "type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}], "encrypted_content": "zzz"},
            {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
             "content": [{"type": "output_text", "text": "let me see", "annotations": [], "logprobs": []}]},
            {"id": "fc_1", "type": "function_call", "call_id": "c1", "name": "get_order", "arguments": "{\"id\": \"W42\"}", "status": "completed"},
            {"id": "ws_1", "type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "q"}},
            {"id": "ts_1", "type": "tool_search_call", "call_id": null, "execution": "server", "arguments": {}},
            {"id": "sh_1", "type": "shell_call", "call_id": "s1", "action": {"commands": ["ls"]}, "environment": {"type": "container_reference"}},
            {"id": "ctc_1", "type": "custom_tool_call", "call_id": "c2", "name": "sh", "input": "ls -l"},
            {"id": "ls_1", "type": "local_shell_call", "call_id": "c3", "status": "completed", "action": {"type": "exec", "command": ["ls"]}}],
        "parallel_tool_calls": true, "odd": {"x": [1.50]}, "usage": {"input_tokens": 10, "output_tokens": 4, "total_tokens": 14}})
}

/// As text: its numbers are no more than JSON's.
const MESSAGES: &str = r#"{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[
 {"type":"thinking","thinking":"hm","signature":"sig=="},{"type":"text","text":"let me see","citations":null},
 {"type":"tool_use","id":"c1","name":"get_order","input":{"id": "W42", "n": 123456789012345678901234567890}},
 {"type":"server_tool_use","id":"s1","name":"web_search","input":{"query":"q"}},{"type":"web_search_tool_result","tool_use_id":"s1","content":[]},
 {"type":"compaction","content":"so far","encrypted_content":"zz"},{"type":"tool_use","id":"c2","name":"sh","input":{}}],
 "stop_reason":"tool_use","stop_sequence":null,"container":{"id":"k"},"context_management":{"applied_edits":[]},"usage":{"input_tokens":10,"output_tokens":4},"odd":{"x":[1.50]}}"#;

fn samples() -> [Whole; 3] {
    [(Api::Chat, chat().to_string()), (Api::Responses, responses().to_string()), (Api::Messages, MESSAGES.to_owned())]
        .map(|(api, text)| Whole::read(api, &text).unwrap())
}

fn request(api: Api) -> Request {
    Request::read(api, r#"{"model":"m","stream":true,"stream_options":{"include_usage":true}}"#).unwrap()
}

fn folded(api: Api, events: &str) -> Result<Whole, Problem> {
    let mut fold = Fold::new(api);
    for event in events.split("\n\n") {
        let data = event.lines().find_map(|line| line.strip_prefix("data: "));
        if data.is_some_and(|data| !data.is_empty()) && fold.take(data.unwrap_or_default())? {
            break;
        }
    }
    fold.end()
}

/// The same but for fields that are null in one and absent in the other.
fn same(a: &Whole, b: &Whole) -> bool {
    fn bare(value: Value) -> Value {
        match value {
            Value::Object(fields) => {
                fields.into_iter().filter(|(_, v)| !v.is_null()).map(|(k, v)| (k, bare(v))).collect()
            }
            Value::Array(list) => list.into_iter().map(bare).collect(),
            other => other,
        }
    }
    let value = |whole: &Whole| bare(serde_json::from_str(whole.text()).unwrap());
    value(a) == value(b) && a.answers() == b.answers()
}

#[test]
fn what_is_read_is_what_is_there() {
    for whole in samples() {
        let answer = whole.answer();
        assert_eq!(
            (answer.text.as_str(), answer.reasoning.as_str(), answer.finish.as_str()),
            ("let me see", "hm", "tool_calls")
        );
        assert_eq!((answer.calls[0].id.as_str(), answer.calls[0].name.as_str()), ("c1", "get_order"));
        assert_eq!(whole.usage(), Some(Usage::new(10, 4)));
        assert!(answer.calls.iter().all(|call| !call.id.starts_with('s')), "what the provider does is no call");
    }
    assert_eq!(samples()[2].answer().calls[0].arguments, "{\"id\": \"W42\", \"n\": 123456789012345678901234567890}");
    assert_eq!(samples()[1].answer().calls[2].name, "local_shell");
}

#[test]
fn a_stream_of_a_whole_answer_is_put_together_as_it_was() {
    for whole in samples() {
        let again = folded(whole.api(), &whole.events(&request(whole.api()))).unwrap();
        assert!(same(&again, &whole), "{}\n{}", again.text(), whole.text());
    }
    // Where it is not asked for, usage is not sent.
    let bare = Request::read(Api::Chat, r#"{"model":"m","stream":true}"#).unwrap();
    assert_eq!(folded(Api::Chat, &samples()[0].events(&bare)).unwrap().usage(), None);
}

#[test]
fn what_is_not_edited_stays() {
    for whole in samples() {
        let mut answer = whole.answer();
        assert_eq!(whole.edited(0, &answer).unwrap().text(), whole.text());
        answer.calls[0].arguments = "{\"id\":\"W43\"}".into();
        let edited = whole.edited(0, &answer).unwrap();
        assert_eq!(edited.answer().calls, answer.calls);
        assert_ne!(edited.digest(), whole.digest());
        let (old, new): (Value, Value) =
            (serde_json::from_str(whole.text()).unwrap(), serde_json::from_str(edited.text()).unwrap());
        assert_eq!(new["odd"], old["odd"]);
        assert_eq!(new.to_string().matches("let me see").count(), old.to_string().matches("let me see").count());
        assert!(edited.text().contains("1.50") == whole.text().contains("1.50"));
        // All calls gone, a text in their place.
        let said = whole.edited(0, &Answer { calls: Vec::new(), text: "no".into(), ..answer.clone() }).unwrap();
        assert_eq!(
            (said.answer().text.as_str(), said.answer().calls.len(), said.answer().finish.as_str()),
            ("no", 0, "stop")
        );
        assert!(!said.text().contains("let me see") && said.text().contains("hm"), "{}", said.text());
        // A call more, and no text.
        let more = ToolCall { id: "c9".into(), name: "f".into(), arguments: "{}".into(), ..ToolCall::default() };
        let wanted = Answer { text: String::new(), calls: vec![answer.calls[1].clone(), more], ..answer };
        assert_eq!(whole.edited(0, &wanted).unwrap().answer().calls, wanted.calls);
    }
    assert!(
        samples()[2]
            .edited(0, &Answer::of_calls(vec![ToolCall { arguments: "[".into(), ..ToolCall::default() }]))
            .is_err()
    );
}

#[test]
fn an_answer_of_nobodys_is_a_whole_one() {
    for api in [Api::Chat, Api::Responses, Api::Messages] {
        let call =
            ToolCall { id: "c".into(), name: "f".into(), arguments: "{\"a\": [1, 2]}".into(), ..ToolCall::default() };
        let answer = Answer { text: "so".into(), ..Answer::of_calls(vec![call]) };
        let stamp = Stamp { id: "x1".into(), created: 7 };
        let whole = Whole::made(api, "mine", &answer, Usage::new(3, 2), &stamp).unwrap();
        assert_eq!((whole.answer(), whole.model(), whole.usage()), (answer, "mine", Some(Usage::new(3, 2))));
        assert!(same(&folded(api, &whole.events(&request(api))).unwrap(), &whole));
        let nothing = Whole::made(api, "mine", &Answer::default(), Usage::default(), &stamp).unwrap();
        assert_eq!(nothing.answer().finish, "stop");
    }
}

#[test]
fn streams_of_odd_servers_are_read() {
    let chunk = |delta: Value| {
        format!("data: {}\n\n", json!({"id": "x", "choices": [{"index": 0, "delta": delta, "finish_reason": null}]}))
    };
    let end = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n";
    let call = |index: Value, id: &str, arguments: &str| json!({"tool_calls": [{"index": index, "id": id, "function": {"name": if id.is_empty() { "" } else { "f" }, "arguments": arguments}}]});
    // In pieces; whole, all numbered 0; whole, without numbers; the id in every piece.
    for (pieces, wanted) in [
        (
            vec![
                call(json!(0), "a", ""),
                call(json!(0), "", "{\"x\""),
                call(json!(1), "b", "{}"),
                call(json!(0), "", ":1}"),
            ],
            ["{\"x\":1}", "{}"],
        ),
        (vec![call(json!(0), "a", "{\"x\":1}"), call(json!(0), "b", "{}")], ["{\"x\":1}", "{}"]),
        (vec![call(json!(null), "a", "{\"x\":1}"), call(json!(null), "b", "{}")], ["{\"x\":1}", "{}"]),
        (
            vec![call(json!(0), "a", "{\"x\""), call(json!(0), "a", ":1}"), call(json!(1), "b", "{}")],
            ["{\"x\":1}", "{}"],
        ),
    ] {
        let events: String = pieces.into_iter().map(chunk).collect::<String>() + end;
        let whole = folded(Api::Chat, &events).unwrap();
        let calls = whole.answer().calls;
        assert_eq!(calls.iter().map(|call| call.arguments.as_str()).collect::<Vec<_>>(), wanted);
        assert_eq!(
            calls.iter().map(|call| (call.id.as_str(), call.name.as_str())).collect::<Vec<_>>(),
            [("a", "f"), ("b", "f")]
        );
        assert!(folded(Api::Chat, &events[..events.len() - end.len()]).is_err(), "it broke off");
    }
    // Anthropic's arguments in pieces, cut by the limit.
    let events = [
        json!({"type": "message_start", "message": {"id": "m", "type": "message", "content": [], "usage": {"input_tokens": 3, "output_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "a", "name": "f", "input": {}}}),
        json!({"type": "ping"}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "{\"x\": "}}),
        json!({"type": "message_delta", "delta": {"stop_reason": "max_tokens"}, "usage": {"output_tokens": 9}}),
    ];
    let events: String = events.iter().map(|event| format!("event: x\ndata: {event}\n\n")).collect();
    let whole = folded(Api::Messages, &events).unwrap();
    assert_eq!((whole.answer().calls[0].arguments.as_str(), whole.answer().finish.as_str()), ("{\"x\": ", "length"));
    assert_eq!(whole.usage(), Some(Usage::new(3, 9)));
    assert!(same(&folded(Api::Messages, &whole.events(&request(Api::Messages))).unwrap(), &whole));
    // Errors within.
    for (api, event) in [
        (Api::Chat, json!({"error": {"message": "no", "type": "server_error"}})),
        (Api::Messages, json!({"type": "error", "error": {"type": "overloaded_error", "message": "no"}})),
        (Api::Responses, json!({"type": "error", "code": "server_error", "message": "no"})),
        (
            Api::Responses,
            json!({"type": "response.failed", "response": {"status": "failed", "output": [], "error": {"message": "no"}}}),
        ),
    ] {
        assert_eq!(folded(api, &format!("data: {event}\n\n")), Err(Problem("no".into())), "{event}");
    }
    for api in [Api::Chat, Api::Responses, Api::Messages] {
        for body in [refusal(api, "api_error", "no \"x\""), "no \"x\"".to_owned()] {
            assert_eq!(folded(api, &late(api, &body)), Err(Problem("no \"x\"".into())));
        }
        assert!(folded(api, keep_alive(api)).is_err_and(|problem| problem == crate::texts::broke_off()));
    }
}

/// Half of a pair of surrogates is no reason to read nothing, and what a stream cut in two is one sign again.
#[test]
fn halves_of_pairs_are_seen_and_come_together() {
    let half = r#""a \ud83d b""#;
    for (api, text) in [
        (
            Api::Chat,
            r#"{"choices":[{"message":{"content":TEXT,"tool_calls":[{"id":"c","function":{"name":"f","arguments":TEXT}}]}}]}"#,
        ),
        (
            Api::Responses,
            r#"{"output":[{"type":"message","content":[{"type":"output_text","text":TEXT}]},
            {"type":"function_call","call_id":"c","name":"f","arguments":TEXT}]}"#,
        ),
        (
            Api::Messages,
            r#"{"content":[{"type":"text","text":TEXT},{"type":"tool_use","id":"c","name":"f","input":TEXT}]}"#,
        ),
    ] {
        let whole = Whole::read(api, &text.replace("TEXT", half)).unwrap();
        let answer = whole.answer();
        assert_eq!((answer.text.as_str(), answer.calls[0].arguments.as_str()), ("a \u{fffd} b", "a \u{fffd} b"));
        let digests = ["\"\"", half, r#""a \ud83e b""#, r#""a \ufffd b""#, r#""a \\ud83d b""#];
        let digests = digests.map(|half| Whole::read(api, &text.replace("TEXT", half)).unwrap().digest());
        assert_eq!(digests.iter().collect::<std::collections::BTreeSet<_>>().len(), digests.len(), "{digests:?}");
        let edited = whole.edited(0, &Answer { calls: Vec::new(), ..answer }).unwrap();
        assert!(edited.text().contains(half), "what is not edited stays: {}", edited.text());
    }
    // NaN, which Python reads and writes, ends nothing either, and comes as it came.
    let nan = r#"{"content":[{"type":"tool_use","id":"c","name":"f","input":{"x":NaN}}]}"#;
    let called = Whole::read(Api::Messages, nan).unwrap().answer();
    assert_eq!(called.calls[0].arguments, r#"{"x":NaN}"#);
    for api in [Api::Chat, Api::Responses, Api::Messages] {
        let made = Whole::made(api, "m", &called, Usage::default(), &Stamp::default()).unwrap();
        assert_eq!(made.answer().calls[0].arguments, called.calls[0].arguments, "{api:?}");
    }
    assert!(
        Request::read(
            Api::Messages,
            &format!(r#"{{"messages":[{{"role":"assistant","content":{}}}]}}"#, &nan[11..nan.len() - 1])
        )
        .is_ok()
    );
    let mut fold = Fold::new(Api::Chat);
    let unlikely = r#"{"token":"a","logprob":-Infinity}"#;
    let choice =
        format!(r#"{{"delta":{{"content":"a"}},"logprobs":{{"content":[{unlikely}]}},"finish_reason":"stop"}}"#);
    fold.take(&format!(r#"{{"choices":[{choice}]}}"#)).unwrap();
    assert!(fold.end().unwrap().text().contains(r#""logprob":null"#));
    let body = r#"{"messages":[{"role":"tool","tool_call_id":"c","content":"a \ud83d b"}],"metadata":{"m":"\udc00"}}"#;
    let request = Request::read(Api::Chat, body).unwrap();
    assert_eq!(request.messages[0].text(), "");
    assert!(matches!(&request.messages[0].parts[0], Part::Result { text, .. } if text == "a \u{fffd} b"));
    assert_eq!(request.parameters["metadata"]["m"], "\u{fffd}");
    let data = |json: &str| format!("data: {json}\n\n");
    let delta = |text: &str, more: &str| {
        data(&format!(
            r#"{{"choices":[{{"index":0,"delta":{{"content":{text},"tool_calls":[{{"index":0,"id":"c","function":{{"name":"f","arguments":{text}}}}}]}}{more}}}]}}"#
        ))
    };
    let chat = delta(r#""a \ud83d""#, "") + &delta(r#""\ude00 \"b\"""#, r#","finish_reason":"stop""#);
    let piece = |at: usize, kind: &str, name: &str, text: &str| {
        data(&format!(r#"{{"type":"content_block_delta","index":{at},"delta":{{"type":"{kind}","{name}":{text}}}}}"#))
    };
    let messages = [
        data(r#"{"type":"message_start","message":{"id":"m","content":[]}}"#),
        data(r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#),
        data(
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"c","name":"f","input":{}}}"#,
        ),
        piece(0, "text_delta", "text", r#""a \ud83d""#),
        piece(1, "input_json_delta", "partial_json", r#""a \ud83d""#),
        piece(0, "text_delta", "text", r#""\ude00 \"b\"""#),
        piece(1, "input_json_delta", "partial_json", r#""\ude00 \"b\"""#),
        data(r#"{"type":"message_stop"}"#),
    ];
    for (api, events) in [(Api::Chat, chat), (Api::Messages, messages.concat())] {
        let answer = folded(api, &events).unwrap().answer();
        let wanted = "a \u{1f600} \"b\"";
        assert_eq!((answer.text.as_str(), answer.calls[0].arguments.as_str()), (wanted, wanted), "{api:?}");
    }
    // In arguments that are JSON it stays, wherever it was escaped, and so does what of them was cut off.
    let begun = messages.iter().take(3).map(String::as_str).collect::<String>();
    for (sent, held) in [
        (r#""{\"x\":\"q\ud83d\"}""#, r#""input":{"x":"q\ud83d"}"#),
        (r#""{\"x\":\"q\\ud83d\"}""#, r#""input":{"x":"q\ud83d"}"#),
        (r#""{\"x\":\"q\ud83d""#, r#""input":"{\"x\":\"q\ud83d""#),
    ] {
        let events = begun.clone() + &piece(1, "input_json_delta", "partial_json", sent) + &messages[7];
        let whole = folded(Api::Messages, &events).unwrap();
        assert!(whole.text().contains(held), "{}", whole.text());
        assert_eq!(folded(Api::Messages, &whole.events(&request)).unwrap().digest(), whole.digest());
    }
}

/// What pieces of a chat say of the whole of it is put together, and its count of tokens stands where the server put it.
#[test]
fn what_comes_beside_the_choices_is_passed_on() {
    let chunk = |value: Value| format!("data: {value}\n\n");
    let said =
        |content: &str, finish: Value| json!([{"index": 0, "delta": {"content": content}, "finish_reason": finish}]);
    let usage = json!({"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5});
    let first = chunk(json!({"id": "", "x_groq": {"id": "r"}, "citations": ["u"], "choices": said("a", Value::Null)}));
    let last = json!({"id": "x", "x_groq": {"usage": {"queue_time": 1.5}}, "citations": ["u"], "choices": said("b", json!("stop"))});
    let mut beside = last.clone();
    beside["usage"] = usage.clone();
    let alone = chunk(json!({"choices": [], "usage": usage}));
    let bare = Request::read(Api::Chat, r#"{"model":"m","stream":true}"#).unwrap();
    for (events, unasked, usage_alone) in
        [(first.clone() + &chunk(beside), Some(Usage::new(3, 2)), false), (first + &chunk(last) + &alone, None, true)]
    {
        let whole = folded(Api::Chat, &(events + "data: [DONE]\n\n")).unwrap();
        let value: Value = serde_json::from_str(whole.text()).unwrap();
        assert_eq!(value["x_groq"], json!({"id": "r", "usage": {"queue_time": 1.5}}));
        assert_eq!(
            (&value["id"], &value["citations"], whole.usage()),
            (&json!("x"), &json!(["u"]), Some(Usage::new(3, 2)))
        );
        assert_eq!(folded(Api::Chat, &whole.events(&bare)).unwrap().usage(), unasked);
        let asked = whole.events(&request(Api::Chat));
        assert_eq!(folded(Api::Chat, &asked).unwrap().usage(), Some(Usage::new(3, 2)));
        assert_eq!(asked.contains("\"choices\":[],\"usage\""), usage_alone, "{asked}");
    }
    // A prompt that was filtered.
    let none = r#"{"id":"x","choices":[],"prompt_filter_results":[1]}"#;
    let whole = Whole::read(Api::Chat, none).unwrap();
    assert!(whole.answers().is_empty() && whole.events(&bare).contains("prompt_filter_results"));
    assert!(folded(Api::Chat, &whole.events(&bare)).unwrap().answers().is_empty());
    assert!(Whole::read(Api::Chat, "{}").is_err() && folded(Api::Chat, "data: [DONE]\n\n").is_err());
}

#[test]
fn a_late_error_says_all_that_it_said_whole() {
    let long = r#"{"error":{"message":"too long","type":"invalid_request_error",
        "param":"input","code":"context_length_exceeded"},"request_id":"req_7"}"#;
    for (api, wanted) in [
        (Api::Chat, r#""param":"input","code":"context_length_exceeded"},"request_id":"req_7"}"#),
        (Api::Messages, r#""request_id":"req_7"}"#),
        (
            Api::Responses,
            r#"{"type":"error","code":"context_length_exceeded","message":"too long","param":"input","sequence_number":1}"#,
        ),
    ] {
        let event = late(api, long);
        // Clients of Responses take no event before the one that begins it.
        let begins = usize::from(api == Api::Responses);
        assert_eq!(event.matches("event: response.created\ndata: ").count(), begins, "{event}");
        assert!(
            event.trim_end().ends_with(wanted)
                && event.lines().filter(|line| line.starts_with("data: ")).count() == 1 + begins,
            "{event}"
        );
    }
    let failed = r#"{"type":"response.failed","response":{"id":"resp_9","status":"failed","error":{"message":"no"}}}"#;
    assert!(
        opening(Api::Responses, failed).contains(r#""response":{"id":"resp_9","status":"in_progress","error":null"#)
    );
    for number in ["0", "1"] {
        let failed = format!(r#"{{"type":"response.failed","sequence_number":{number},"response":{{}}}}"#);
        let stream = opening(Api::Responses, &failed) + &failed;
        assert_eq!(stream.matches(r#""sequence_number":0"#).count(), 1, "{stream}");
    }
    for (text, refuses) in [
        (long, true),
        (r#"{"error":[],"output":[]}"#, false),
        (r#"{"error":{},"output":[]}"#, false),
        (r#"{"type":"response.failed","response":{}}"#, true),
        (r#"{"status":"cancelled","error":null,"output":[]}"#, true),
        (r#"{"status":"completed","error":null,"output":[]}"#, false),
        ("<html>", false),
    ] {
        assert_eq!(is_refusal(text), refuses, "{text}");
    }
}

#[test]
fn requests_are_read_alike() {
    let tool = json!({"name": "get_order", "description": "d"});
    let schema = json!({"type": "object", "properties": {"id": {"type": "string"}}});
    let with = |extra: Value| {
        let mut tool = tool.clone();
        tool.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        tool
    };
    let image = json!({"type": "image_url", "image_url": {"url": "data:x"}});
    let chat = json!({"model": "m", "temperature": 0.5, "stream": false, "tools": [{"type": "function", "function": with(json!({"parameters": schema}))}],
        "messages": [{"role": "developer", "content": "s"}, {"role": "user", "content": [{"type": "text", "text": "u"}, image]},
            {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "c1", "content": "r"}]});
    let responses = json!({"model": "m", "temperature": 0.5, "instructions": "s", "tools": [with(json!({"type": "function", "parameters": schema})),
            {"type": "web_search"}],
        "input": [{"role": "user", "content": [{"type": "input_text", "text": "u"}, {"type": "input_image", "image_url": "data:x"}]},
            {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "r"}]});
    let messages = json!({"model": "m", "temperature": 0.5, "system": [{"type": "text", "text": "s", "cache_control": {"type": "ephemeral"}}],
        "tools": [with(json!({"input_schema": schema}))],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "u"}, {"type": "image", "source": {"type": "base64", "data": "x"}}]},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "f", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "r"}]}]}]});
    for (api, body) in [(Api::Chat, chat), (Api::Responses, responses), (Api::Messages, messages)] {
        let request = Request::read(api, &body.to_string()).unwrap();
        let roles: Vec<Role> = request.messages.iter().map(|message| message.role).collect();
        assert_eq!(roles, [Role::System, Role::User, Role::Assistant, Role::Tool], "{api:?}");
        assert_eq!((request.system().as_str(), request.messages[1].text().as_str()), ("s", "u"));
        assert!(matches!(&request.messages[1].parts[1], Part::Image(words) if words.starts_with("image, ")));
        let call = ToolCall { id: "c1".into(), name: "f".into(), arguments: "{}".into(), ..ToolCall::default() };
        assert_eq!(request.messages[2].parts, [Part::Call(call)]);
        assert_eq!(request.messages[3].parts, [Part::Result { id: "c1".into(), text: "r".into(), error: false }]);
        assert_eq!((request.tools[0].name.as_str(), &request.tools[0].schema), ("get_order", &schema));
        assert_eq!(request.parameters.keys().collect::<Vec<_>>(), ["temperature"]);
        assert_eq!(request.tools.get(1).map(|tool| tool.remote), (api == Api::Responses).then_some(true));
    }
}

/// It takes none; what takes any text has no schema.
#[test]
fn a_function_without_parameters_has_a_schema() {
    let none = json!({"type": "object", "properties": {}});
    for (api, tool, is_function) in [
        (Api::Chat, json!({"type": "function", "function": {"name": "f"}}), true),
        (Api::Chat, json!({"type": "function", "function": {"name": "f", "parameters": null}}), true),
        (Api::Chat, json!({"type": "custom", "custom": {"name": "f"}}), false),
        (Api::Responses, json!({"type": "function", "name": "f"}), true),
        (Api::Responses, json!({"type": "custom", "name": "f"}), false),
        (Api::Responses, json!({"type": "local_shell"}), false),
        (Api::Messages, json!({"name": "f"}), true),
        (Api::Messages, json!({"type": "bash_20250124", "name": "bash"}), false),
    ] {
        let request = Request::read(api, &json!({ "tools": [tool] }).to_string()).unwrap();
        let schema = if is_function { none.clone() } else { Value::Null };
        assert_eq!(request.tools[0].schema, schema, "{api:?}: {tool}");
    }
}

#[test]
fn a_rejection_is_a_round_with_the_model() {
    for (whole, body) in samples().into_iter().zip([
        json!({"model": "m", "messages": [{"role": "user", "content": "u"}], "odd": 1}),
        json!({"model": "m", "input": "u", "previous_response_id": "resp_0", "odd": 1}),
        json!({"model": "m", "messages": [{"role": "user", "content": "u"}], "odd": 1}),
    ]) {
        let answer = whole.answer();
        let mut turns = vec![Turn::Answer(&whole, 0)];
        turns.extend(answer.calls.iter().map(|call| Turn::Result(call, "A person rejected it: no")));
        let more = extended(whole.api(), &body.to_string(), &turns).unwrap();
        let request = Request::read(whole.api(), &more).unwrap();
        let parts = || request.messages.iter().flat_map(|message| &message.parts);
        let calls = parts().filter(|part| matches!(part, Part::Call(_))).count();
        let results =
            parts().filter(|part| matches!(part, Part::Result { text, .. } if text.contains("rejected"))).count();
        assert_eq!((calls, results), (2, 2), "{more}");
        assert!(more.contains("\"odd\":1"));
        // What a person has to say comes last, and no two turns of a person's side follow each other where that is not allowed.
        let told = extended(whole.api(), &more, &[Turn::Say("a person changed it")]).unwrap();
        let request = Request::read(whole.api(), &told).unwrap();
        assert_eq!(request.messages.last().unwrap().text(), "a person changed it");
        if whole.api() == Api::Messages {
            assert_eq!(request.messages.len(), 3);
        }
    }
}

#[test]
fn what_the_provider_has_otherwise_is_told() {
    let ask = |body: &Value| Request::read(Api::Responses, &body.to_string()).unwrap();
    let mut stored = Stored::default();
    let whole = |id: &str, changed: bool| {
        let mut value = responses();
        value["id"] = id.into();
        let whole = Whole::read(Api::Responses, &value.to_string()).unwrap();
        let mut answer = whole.answer();
        answer.calls[0].arguments = "{\"id\":\"W43\"}".into();
        if changed { whole.edited(0, &answer).unwrap() } else { whole }
    };
    let (first, second, third) = (
        json!({"input": "one"}),
        json!({"input": "two", "previous_response_id": "r1"}),
        json!({"input": "three", "previous_response_id": "r2", "odd": 1}),
    );
    stored.keep(&ask(&first), &first.to_string(), &whole("r1", false), false);
    assert_eq!(stored.upstream(&second.to_string()).unwrap(), second.to_string());
    stored.keep(&ask(&second), &second.to_string(), &whole("r2", true), true);
    let told: Value = serde_json::from_str(&stored.upstream(&third.to_string()).unwrap()).unwrap();
    assert_eq!((&told["previous_response_id"], &told["odd"]), (&json!("r1"), &json!(1)));
    let kinds: Vec<&str> =
        told["input"].as_array().unwrap().iter().map(|item| item["type"].as_str().unwrap_or("said")).collect();
    assert_eq!(
        kinds,
        [
            "said", "message", "function_call", "web_search_call", "tool_search_call", "shell_call",
            "custom_tool_call", "local_shell_call", "said"
        ]
    );
    assert!(told.to_string().contains("W43") && !told.to_string().contains("W42"));
    assert!(stored.changed("r2").is_some() && stored.changed("r1").is_none());
}

#[test]
fn an_output_says_whether_its_call_failed() {
    for (status, error) in [("failed", true), ("completed", false)] {
        let output = json!({"type": "apply_patch_call_output", "call_id": "c1", "status": status, "output": "o"});
        let request = Request::read(Api::Responses, &json!({"model": "m", "input": [output]}).to_string()).unwrap();
        assert_eq!(request.messages[0].parts, [Part::Result { id: "c1".into(), text: "o".into(), error }]);
    }
}

fn any_call() -> impl Strategy<Value = ToolCall> {
    let arguments = prop_oneof![
        Just("{}".to_owned()),
        (".{0,12}", any::<i64>())
            .prop_map(|(text, n)| json!({"text": text, "n": n, "list": [null, {"a": true}]}).to_string()),
        Just("{ \"big\" : 12345678901234567890123 }".to_owned()),
    ];
    ("[a-z]{1,6}", "[a-z_]{1,8}", arguments).prop_map(|(id, name, arguments)| ToolCall {
        id,
        name,
        arguments,
        ..ToolCall::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]
    /// Whatever is approved is what is received, whole and streamed, in each format.
    #[test]
    fn received_is_approved(text in ".{0,20}", calls in prop::collection::vec(any_call(), 0..4), keep in any::<bool>(), which in 0_usize..3) {
        let whole = samples()[which].clone();
        let mut answer = whole.answer();
        answer.text = text;
        if !keep {
            answer.calls.clear();
        }
        for call in calls {
            if answer.calls.iter().all(|own| own.id != call.id) {
                answer.calls.push(call);
            }
        }
        let edited = whole.edited(0, &answer).unwrap();
        prop_assert_eq!(edited.answer().digest(), answer.digest());
        let streamed = folded(whole.api(), &edited.events(&request(whole.api()))).unwrap();
        prop_assert_eq!(streamed.digest(), edited.digest());
        prop_assert!(same(&streamed, &edited));
    }

    #[test]
    fn no_body_is_too_odd(text in ".{0,60}", which in 0_usize..3) {
        let api = [Api::Chat, Api::Responses, Api::Messages][which];
        let _ = (Request::read(api, &text), Whole::read(api, &text), Fold::new(api).take(&text), extended(api, &text, &[Turn::Say("x")]));
        for odd in ["{\"choices\":[1,{}]}", "{\"output\":[0,{\"type\":\"message\"}],\"content\":[[]]}", "{\"messages\":{},\"input\":7}"] {
            let _ = (Request::read(api, odd), Whole::read(api, odd), Fold::new(api).take(odd), extended(api, odd, &[Turn::Say("x")]));
        }
    }
}
