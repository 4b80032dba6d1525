//! Conversations as models are asked and as proxies log them.

use super::*;

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
