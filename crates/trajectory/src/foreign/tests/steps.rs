//! Which call a result is of, and what becomes of what is said between.

use stepwright_program::tools::Toolbox;

use super::*;

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
