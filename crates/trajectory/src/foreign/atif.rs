//! ATIF, the Agent Trajectory Interchange Format of Harbor, versions 1.0 to 1.8.

use serde_json::Value as Json;

use super::conversation::{Called, Conversation, Read, Turn, string, text_of};

/// The newest version; older ones are read by the same rule, as fields were only added.
pub const NEWEST: u32 = 8;

const ROOT: [&str; 10] = [
    "schema_version", "session_id", "trajectory_id", "agent", "steps", "notes", "final_metrics",
    "continued_trajectory_ref", "extra", "subagent_trajectories",
];
const STEP: [&str; 13] = [
    "step_id", "timestamp", "source", "model_name", "reasoning_effort", "message", "reasoning_content", "tool_calls",
    "observation", "metrics", "is_copied_context", "llm_call_count", "extra",
];

const AGENT: [&str; 5] = ["name", "version", "model_name", "tool_definitions", "extra"];
const CALL: [&str; 4] = ["tool_call_id", "function_name", "arguments", "extra"];
const RESULT: [&str; 4] = ["source_call_id", "content", "subagent_trajectory_ref", "extra"];
/// How a result's `extra` says that its call failed: ours, and as Harbor's converters have it.
const FAILED: [&str; 3] = ["refused", "is_error", "tool_result_is_error"];
/// What only an agent's step has.
const OF_AGENT: [&str; 5] = ["model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics"];

pub(super) fn read(read: &mut Read, value: &Json) -> bool {
    read.format("atif");
    let version = string(value, "schema_version").unwrap_or_default();
    let minor = version.strip_prefix("ATIF-v1.").and_then(|minor| minor.parse::<u32>().ok());
    if minor.is_none_or(|minor| minor > NEWEST) {
        read.fail(format!("schema_version: {version} is not known; ATIF-v1.0 to ATIF-v1.{NEWEST} are read"));
        return true;
    }
    match trajectory(read, value) {
        Ok(conversation) => read.add(conversation),
        Err(why) => read.fail(why),
    }
    true
}

fn trajectory(read: &mut Read, value: &Json) -> Result<Conversation, String> {
    read.know(value, "", &ROOT);
    let agent = value.get("agent").ok_or("`agent` is missing")?;
    let steps = value.get("steps").and_then(Json::as_array).ok_or("`steps` is missing, or no list")?;
    read.know(agent, "agent.", &AGENT);
    for name in ["name", "version"].iter().filter(|name| string(agent, name).is_none()) {
        read.notes.push(format!("agent: `{name}` is missing"));
    }
    if steps.is_empty() {
        read.notes.push("`steps` is empty".to_owned());
    }
    let mut conversation = Conversation::default();
    let about = &mut conversation.about;
    about.id = string(value, "trajectory_id").or_else(|| string(value, "session_id")).unwrap_or_default();
    about.model = string(agent, "model_name");
    about.source = string(agent, "name");
    let tools = agent.get("tool_definitions").and_then(Json::as_array);
    conversation.tools = tools.cloned().unwrap_or_default();
    let own = value.get("extra").and_then(|extra| extra.get("stepwright"));
    let mut copied = 0u64;
    for (at, step) in steps.iter().enumerate() {
        let place = format!("steps[{at}]");
        read.know(step, "steps[].", &STEP);
        let number = step.get("step_id").and_then(Json::as_u64);
        match number {
            Some(number) if number == at as u64 + 1 => {}
            Some(number) => read.notes.push(format!("{place}: `step_id` is {number} for {}", at + 1)),
            None => read.notes.push(format!("{place}: `step_id` is missing")),
        }
        let source = string(step, "source").ok_or_else(|| format!("{place}: `source` is missing"))?;
        let message = step.get("message").ok_or_else(|| format!("{place}: `message` is missing"))?;
        let text = text_of(message).unwrap_or_default();
        if step.get("is_copied_context").and_then(Json::as_bool) == Some(true) {
            copied += 1;
            if source == "user" && conversation.turns.is_empty() {
                conversation.turns.push(Turn::User(text));
            }
            continue;
        }
        if let Some(observation) = step.get("observation").filter(|o| !o.is_null()) {
            read.know(observation, "steps[].observation.", &["results"]);
            if !observation.is_object() {
                read.notes.push(format!("{place}: `observation` is no object, not read"));
            }
        }
        let results = step.get("observation").and_then(|o| o.get("results")).and_then(Json::as_array);
        let results = results.map_or(&[][..], Vec::as_slice);
        results.iter().for_each(|result| read.know(result, "steps[].observation.results[].", &RESULT));
        if source != "agent" {
            let given = |name: &&&str| step.get(**name).is_some_and(|value| !value.is_null());
            for name in OF_AGENT.iter().filter(given) {
                read.notes.push(format!("{place}: `{name}` on a step of {source:?}, not read"));
            }
        }
        let observed = || {
            let texts: Vec<String> = results.iter().filter_map(|r| text_of(r.get("content")?)).collect();
            (!texts.is_empty()).then(|| texts.join("\n"))
        };
        match source.as_str() {
            // The goal, which is read below.
            "user" if own.is_some() && conversation.turns.is_empty() => {}
            "user" => {
                conversation.turns.push(Turn::User(text));
                conversation.turns.extend(observed().map(Turn::Told));
            }
            "system" => {
                let said = observed().or_else(|| own.is_some().then_some(text));
                conversation.turns.extend(said.map(Turn::Told));
            }
            "agent" => {
                let mut calls = Vec::new();
                for (number, call) in step.get("tool_calls").and_then(Json::as_array).into_iter().flatten().enumerate()
                {
                    read.know(call, "steps[].tool_calls[].", &CALL);
                    let name = string(call, "function_name")
                        .ok_or_else(|| format!("{place}.tool_calls[{number}]: `function_name` is missing"))?;
                    let arguments = call.get("arguments").cloned().unwrap_or_default();
                    if !arguments.is_object() {
                        read.notes
                            .push(format!("{place}.tool_calls[{number}]: the `arguments` of `{name}` are no object"));
                    }
                    calls.push(Called { id: string(call, "tool_call_id"), name, arguments });
                }
                conversation.turns.extend(string(step, "reasoning_content").map(Turn::Thought));
                // What a session of ours wrote: the action is the call's one argument.
                let act = calls.first().filter(|call| own.is_some() && call.name == "act");
                if let Some(action) = act.and_then(|call| string(&call.arguments, "action")) {
                    conversation.turns.push(Turn::Agent { text, calls: Vec::new() });
                    conversation.turns.push(Turn::Acted { text: action, observed: observed() });
                    conversation.decided.push(step.pointer("/extra/stepwright").cloned().unwrap_or_default());
                    continue;
                }
                let extra = step.pointer("/extra/stepwright").cloned().filter(|_| own.is_some());
                if calls.is_empty() && step.get("observation").is_some_and(Json::is_object) {
                    // After an answer of a session of ours nothing is left unsaid, be it that nothing was observed.
                    let observed = observed().or_else(|| extra.is_some().then(String::new));
                    conversation.turns.push(Turn::Acted { text, observed });
                    conversation.decided.extend(extra);
                    continue;
                }
                // What was decided is said with the first of a step's calls.
                let others = calls.iter().skip(1).map(|_| Json::Null);
                conversation.decided.extend(extra.filter(|_| !calls.is_empty()).into_iter().chain(others));
                // In a session of ours no call returned what is of none.
                let is_told = |result: &&Json| own.is_some() && string(result, "source_call_id").is_none();
                let (told, returned): (Vec<&Json>, Vec<&Json>) = results.iter().partition(is_told);
                let returned = results_of(&returned, &place, &mut calls);
                conversation.turns.push(Turn::Agent { text, calls });
                conversation.turns.extend(returned);
                conversation.turns.extend(told.iter().filter_map(|r| text_of(r.get("content")?)).map(Turn::Told));
            }
            other => return Err(format!("{place}: `source` is {other:?}; system, user and agent are known")),
        }
    }
    let about = &mut conversation.about;
    if let Some(own) = own {
        about.success = own.get("success").and_then(Json::as_bool);
        about.score = own.get("score").and_then(Json::as_f64).unwrap_or_default();
        about.env = string(own, "world").unwrap_or_default();
        about.task_id = own.get("task").cloned();
        about.source = string(own, "source");
        let kept = ["over", "remarks"].into_iter().filter_map(|name| Some((name.to_owned(), own.get(name)?.clone())));
        about.rest.extend(kept);
        let sentence = steps.iter().find(|step| string(step, "source").as_deref() == Some("user"));
        about.task = sentence.and_then(|step| text_of(step.get("message")?)).unwrap_or_default();
        return Ok(conversation);
    }
    let embedded = value.get("subagent_trajectories").and_then(Json::as_array).map_or(0, Vec::len);
    about.rest.insert("copied_steps".to_owned(), copied.into());
    about.rest.insert("subagents".to_owned(), embedded.into());
    Ok(conversation)
}

/// The results of a step's calls, one a call. One without an id belongs to the last call, and several of one call are one text. Calls whose
/// ids are missing or come twice get one of their own.
fn results_of(results: &[&Json], place: &str, calls: &mut [Called]) -> Vec<Turn> {
    let given: Vec<Option<String>> = calls.iter().map(|call| call.id.clone().filter(|id| !id.is_empty())).collect();
    for (number, call) in calls.iter_mut().enumerate() {
        let is_new = given.get(number).is_some_and(|id| id.is_some() && !given.iter().take(number).any(|e| e == id));
        if !is_new {
            call.id = Some(format!("{place}.tool_calls[{number}]"));
        }
    }
    let mut turns: Vec<Turn> = Vec::new();
    let mut known = vec![None; calls.len()];
    for result in results {
        let source = string(result, "source_call_id").filter(|id| !id.is_empty());
        let is_of = |at: &usize| given.get(*at) == Some(&source);
        let next = || (0..calls.len()).filter(is_of).find(|at| known.get(*at) == Some(&None));
        let of = match source {
            None => calls.len().checked_sub(1),
            Some(_) => next().or_else(|| (0..calls.len()).rev().find(is_of)),
        };
        let says = |key: &&str| result.get("extra").and_then(|e| e.get(*key)) == Some(&Json::Bool(true));
        let refused = FAILED.iter().any(says);
        let content = result.get("content").and_then(text_of);
        let earlier = of.and_then(|at| known.get(at).copied().flatten()).and_then(|at: usize| turns.get_mut(at));
        if let Some(Turn::Result { text, failed, .. }) = earlier {
            *text = [text.take(), content].into_iter().flatten().reduce(|all, more| format!("{all}\n{more}"));
            *failed |= refused;
            continue;
        }
        if let Some(known) = of.and_then(|at| known.get_mut(at)) {
            *known = Some(turns.len());
        }
        let id = of.and_then(|at| calls.get(at)).map_or(source, |call| call.id.clone());
        turns.push(Turn::Result { id, text: content, failed: refused });
    }
    turns
}
