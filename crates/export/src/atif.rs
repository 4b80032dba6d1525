//! A session as an ATIF trajectory (Harbor's format, version 1.8): the branch it was left on. What the format has no place for (decisions,
//! proposals, words of rejections, verdicts, the outcome) is in `extra`, under `stepwright`, from which it is read back. What an agent of a log said
//! after its last action is the last step.

use serde_json::{Value, json};
use stepwright_episode::Session;

use super::trajectory;

/// The newest version of the format.
pub const VERSION: &str = "ATIF-v1.8";

pub(super) fn render(session: &Session) -> Result<String, serde_json::Error> {
    let whole = trajectory(session);
    let header = &session.header;
    let own = json!({
        "world": whole.env, "task": header.task, "success": whole.success, "score": whole.score, "source": whole.source,
    });
    let mut steps = vec![
        json!({ "source": "user", "message": header.sentence }),
        json!({
            "source": "system", "message": "the episode begins",
            "observation": { "results": [{ "content": whole.initial_observation.clone().unwrap_or_default() }] },
        }),
    ];
    let done = session.line().into_iter().filter(|node| node.outcome.blocked.is_none() && node.action.is_some());
    for (at, (node, step)) in done.zip(&whole.steps).enumerate() {
        let turn = node.parent.and_then(|parent| session.node(parent)).map(|parent| &parent.turn);
        let offered = turn.into_iter().flat_map(|turn| turn.proposals.iter().map(move |p| (turn, p)));
        let proposals: Vec<Value> =
            offered.map(|(turn, p)| json!({ "proposal": p, "verdict": turn.newest(p.id) })).collect();
        let id = format!("step-{}", at + 1);
        steps.push(json!({
            "source": "agent",
            "message": step.thought.clone().unwrap_or_default(),
            "tool_calls": [{ "tool_call_id": id, "function_name": "act", "arguments": { "action": step.action } }],
            "observation": { "results": [{ "source_call_id": id, "content": step.heard() }] },
            "extra": { "stepwright": {
                "call": node.action.as_ref().and_then(|action| action.call.clone()),
                "error": node.outcome.error,
                "decision": node.decision,
                "verdict": session.verdict_at(node.id),
                "proposals": proposals,
                "decisions": turn.map(|turn| &turn.decisions),
            } },
        }));
    }
    let said = |field: &str| whole.rest.get(field).and_then(Value::as_str);
    if let Some(before) = said("said_before") {
        steps.push(json!({ "source": "agent", "message": before }));
    }
    if let (answer, thought) = (said("answer"), said("closing_thought"))
        && answer.or(thought).is_some()
    {
        let mut last = json!({ "source": "agent", "message": answer.unwrap_or_default() });
        if let (Some(thought), Some(last)) = (thought, last.as_object_mut()) {
            last.insert("reasoning_content".to_owned(), thought.into());
        }
        steps.push(last);
    }
    for (at, step) in steps.iter_mut().enumerate() {
        if let Some(step) = step.as_object_mut() {
            step.shift_insert(0, "step_id".to_owned(), (at + 1).into());
        }
    }
    let agent = json!({ "name": "stepwright", "version": header.program, "model_name": whole.model });
    let root = json!({
        "schema_version": VERSION, "session_id": whole.id, "trajectory_id": whole.id, "agent": agent, "steps": steps,
        "extra": { "stepwright": own },
    });
    Ok(format!("{}\n", serde_json::to_string_pretty(&root)?))
}
