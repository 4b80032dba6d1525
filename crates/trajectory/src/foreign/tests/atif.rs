//! ATIF.

use super::*;

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
