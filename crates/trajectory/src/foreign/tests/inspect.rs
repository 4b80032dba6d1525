//! Logs of Inspect, as JSON and as a zip.

use super::*;

/// A log of Inspect of these samples, as JSON and as a zip.
fn inspect(samples: &[Json]) -> [Logs; 2] {
    let whole = json!({ "version": 2, "status": "success", "eval": { "task": "t" }, "samples": samples });
    let member = |(at, sample): (usize, &Json)| (format!("samples/{at}_epoch_1.json"), sample.to_string());
    let header = json!({ "version": 2, "eval": { "task": "t" } }).to_string();
    let zip = zipped(samples.iter().enumerate().map(member).chain([("header.json".to_owned(), header)]));
    [read_any(whole.to_string().as_bytes(), "f"), read_any(&zip, "f")]
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
