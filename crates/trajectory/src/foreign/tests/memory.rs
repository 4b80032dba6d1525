//! What agents' libraries keep: LangChain's messages and smolagents' memory.

use super::*;

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
