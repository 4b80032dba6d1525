//! Calls and results in the forms of each interface, of tools that the provider ran too; thoughts.

use super::*;

/// The first episode of a file of items, nothing of which is wrong.
fn items(items: &[Json]) -> (Trajectory, Vec<String>) {
    let all: Vec<Json> = std::iter::once(user("go")).chain(items.iter().cloned()).collect();
    let read = lines(&[json!({ "model": "m", "input": all })]);
    assert_eq!((read.wrong.as_slice(), read.all.len()), (&[][..], 1));
    (read.all[0].clone(), read.notes)
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
