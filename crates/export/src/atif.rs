//! A session as an ATIF trajectory (Harbor's format, version 1.8): the branch it was left on. What the format has no place for (decisions,
//! proposals, words of rejections, verdicts, the outcome) is in `extra`, under `stepwright`, from which it is read back. Of an agent that asks
//! a model what its calls returned stands under their own ids, what else its requests say are steps of the user and the system, and an answer
//! without calls is a message. Of a log the calls of an answer are one step, what each returned stands under it, what nobody wrote down nowhere,
//! and what was said between is the user's, be it the task. What an agent of a log said after its last action is the last step.

mod asked;
mod logged;
mod metrics;

use serde_json::{Value, json};
use stepwright_episode::{Action, Node, Origin, Session};
use stepwright_program::tools::{TOOLS, Tool, Toolbox, own_argument, own_tool};
use stepwright_program::{Call, Function, Literal, Role, Specification};
use stepwright_wire::{Answer, ToolCall};
use stepwright_world::answer;

use self::asked::{Requests, Told, USER};
use self::logged::{Answered, BREAK, Done};
use self::metrics::Metrics;
use super::{Reward, trajectory};

/// The newest version of the format.
pub const VERSION: &str = "ATIF-v1.8";

pub(super) fn render(session: &Session, reward: Reward) -> Result<String, serde_json::Error> {
    let whole = trajectory(session, reward);
    let header = &session.header;
    let last = session.line().last().copied();
    let is_over = last.is_some_and(|node| node.outcome.done);
    // Where nobody knows how it ended, no score was given.
    let score = (whole.success.is_some() || whole.score != 0.0).then_some(whole.score);
    let mut own = json!({
        "world": whole.env, "task": header.task, "success": whole.success, "score": score, "source": whole.source,
        "over": is_over,
    });
    if let Some(notes) = last.map(|node| &node.turn.notes).filter(|notes| !notes.is_empty()) {
        own["remarks"] = json!(notes);
    }
    let mut steps = vec![
        json!({ "source": "user", "message": header.sentence }),
        json!({
            "source": "system", "message": "the episode begins",
            "observation": { "results": [{ "content": whole.initial_observation.clone().unwrap_or_default() }] },
        }),
    ];
    let (functions, line) = (tools(&header.specification), session.line());
    let requests = Requests::of(&line);
    let done = line.iter().copied().filter(|node| node.outcome.is_executed() && node.action.is_some());
    let done: Vec<Done<'_>> = done.zip(&whole.steps).collect();
    let mut all_metrics = Metrics::default();
    for Answered { at, steps: at_once, heard: logged } in logged::answers(&done, !functions.is_empty()) {
        // What was decided of an answer is said with its first call.
        let Some((node, step)) = at_once.first().copied() else { continue };
        let turn = node.parent.and_then(|parent| session.node(parent)).map(|parent| &parent.turn);
        let offered = turn.into_iter().flat_map(|turn| turn.proposals.iter().map(move |p| (turn, p)));
        let proposals: Vec<Value> =
            offered.map(|(turn, p)| json!({ "proposal": p, "verdict": turn.newest(p.id) })).collect();
        let action = node.action.as_deref();
        let answered = action.and_then(answered);
        let called = match &answered {
            Some(answer) => Some(of_answer(answer)),
            None => calls(at_once.iter().filter_map(|(node, _)| node.action.as_deref()), &functions),
        };
        let words = match &answered {
            Some(answer) => Some(answer.text.trim()),
            None => called.as_ref().map(|_| said(&step.action, action)),
        };
        let is_message = called.as_ref().is_some_and(Vec::is_empty);
        let thought = step.thought.clone().unwrap_or_default();
        let (said, thought) = match words {
            Some(words) if is_message || !words.is_empty() => {
                (words.to_owned(), Some(thought).filter(|thought| !thought.is_empty()))
            }
            _ => (thought, None),
        };
        let acted =
            || Called { id: String::new(), tool: "act".to_owned(), arguments: json!({ "action": step.action }) };
        let called = called.unwrap_or_else(|| vec![acted()]);
        let id = |call: usize| match called.get(call).map(|called| called.id.as_str()).filter(|id| !id.is_empty()) {
            Some(own) => own.to_owned(),
            None if called.len() == 1 => format!("step-{}", at + 1),
            None => format!("step-{}-{}", at + 1, call + 1),
        };
        let all = called.iter().enumerate().map(|(call, Called { tool, arguments, .. })| {
            json!({ "tool_call_id": id(call), "function_name": tool, "arguments": arguments })
        });
        let all: Vec<Value> = all.collect();
        let heard = requests.heard(node.id).filter(|_| answered.is_some()).or(logged.as_ref());
        let mut results: Vec<Value> = Vec::new();
        for returned in heard.into_iter().flat_map(|heard| &heard.returned) {
            let mut result = json!({ "source_call_id": id(returned.call), "content": returned.text });
            if returned.failed {
                refuse(&mut result);
            }
            results.push(result);
        }
        // How an agent ended no call returned, and no request tells it.
        if answered.is_some() && node.outcome.asked.is_none() {
            results.push(json!({ "content": step.observed() }));
        }
        // An empty observation of a log is one that it does not say.
        let decided = session.decision_at(node.id).and_then(|decision| turn?.proposal(decision.proposal()));
        let is_unknown = step.observed().is_empty() && decided.is_some_and(|of| of.origin == Origin::Recorded);
        // What was observed after several calls is known after the last of them.
        if heard.is_none() && !is_unknown && (answered.is_none() || node.outcome.asked.is_some()) {
            let mut result = json!({ "content": step.observed() });
            if let (Some(last), Some(result)) = (called.len().checked_sub(1), result.as_object_mut()) {
                result.shift_insert(0, "source_call_id".to_owned(), id(last).into());
            }
            if node.outcome.error.is_some() {
                refuse(&mut result);
            }
            results.push(result);
        }
        let mut written = json!({
            "source": "agent",
            "message": said,
            "tool_calls": all,
            "observation": { "results": results },
            "extra": { "stepwright": {
                "call": node.action.as_ref().and_then(|action| action.call.clone()),
                "error": node.outcome.error,
                "decision": node.decision,
                "verdict": session.verdict_at(node.id),
                "proposals": proposals,
                "decisions": turn.map(|turn| &turn.decisions),
            } },
        });
        if let (Some(thought), Some(written)) = (thought, written.as_object_mut()) {
            written.insert("reasoning_content".to_owned(), thought.into());
        }
        if let Some(written) = written.as_object_mut().filter(|_| Some(&node.under.model) != whole.model.as_ref()) {
            written.insert("model_name".to_owned(), node.under.model.clone().into());
        }
        let since = since(session, node);
        let notes: Vec<&str> = since.iter().flat_map(|node| &node.turn.notes).map(String::as_str).collect();
        if !notes.is_empty() {
            written["extra"]["stepwright"]["remarks"] = json!(notes);
        }
        let metrics = Metrics::of(since.iter().flat_map(|node| &node.turn.asks));
        if let (Some(metrics), Some(written)) = (metrics.of_step(), written.as_object_mut()) {
            written.insert("metrics".to_owned(), metrics);
        }
        all_metrics.add(&metrics);
        if let Some(written) = written.as_object_mut().filter(|_| is_message) {
            written.shift_remove("tool_calls");
        }
        steps.push(written);
        let told = heard.into_iter().flat_map(|heard| &heard.told);
        steps.extend(told.map(|Told { by, words }| json!({ "source": by, "message": words })));
    }
    if !whole.initial_observation.as_deref().unwrap_or_default().contains(&header.sentence) {
        say_later(&mut steps, &header.sentence);
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
    let mut agent = json!({ "name": "stepwright", "version": header.program, "model_name": whole.model });
    let definitions: Vec<Value> = match requests.tools() {
        Some(tools) => tools.tools().iter().map(whole_definition).collect(),
        None => functions.iter().map(definition).collect(),
    };
    if let (false, Some(agent)) = (definitions.is_empty(), agent.as_object_mut()) {
        agent.insert("tool_definitions".to_owned(), definitions.into());
    }
    let mut root = json!({
        "schema_version": VERSION, "session_id": whole.id, "trajectory_id": whole.id, "agent": agent, "steps": steps,
        "extra": { "stepwright": own },
    });
    if let (Some(metrics), Some(root)) = (all_metrics.of_all(), root.as_object_mut()) {
        root.insert("final_metrics".to_owned(), metrics);
    }
    Ok(format!("{}\n", serde_json::to_string_pretty(&root)?))
}

/// Leaves the task where the user said it later, as a step of its own there.
fn say_later(steps: &mut Vec<Value>, task: &str) {
    let is_users = |step: &Value| step.get("source").is_some_and(|source| source == USER);
    let Some(at) = steps.iter().skip(1).position(is_users).map(|at| at + 1) else { return };
    let said = steps.get(at).and_then(|step| step.get("message")?.as_str()?.strip_prefix(task)).map(str::to_owned);
    let rest = said.as_deref().and_then(|rest| if rest.is_empty() { Some(rest) } else { rest.strip_prefix(BREAK) });
    let Some(rest) = rest else { return };
    let words = [task, rest].into_iter().filter(|words| !words.is_empty());
    let parts: Vec<Value> = words.map(|words| json!({ "source": USER, "message": words })).collect();
    steps.splice(at..=at, parts);
    steps.remove(0);
}

/// What an agent was answered; an error in place of an answer calls nothing.
fn answered(action: &Action) -> Option<Answer> {
    if answer::is_refusal(action) {
        return Some(Answer::of_text(action.text.as_str()));
    }
    answer::whole(action).ok().map(|whole| whole.answer())
}

/// The nodes since the step before this one: what executed nothing is no step here, and what was asked and said there stands with the next.
fn since<'a>(session: &'a Session, node: &Node) -> Vec<&'a Node> {
    let parent = |node: &Node| session.node(node.parent?);
    let before = std::iter::successors(parent(node), |node| parent(node).filter(|_| !node.outcome.is_executed()));
    let mut nodes: Vec<&Node> = before.collect();
    nodes.reverse();
    nodes
}

/// A call of a tool as the format has it.
struct Called {
    /// The agent's own id of it; empty where it has none.
    id: String,
    tool: String,
    arguments: Value,
}

fn whole_definition(tool: &Tool) -> Value {
    let Tool { name, description, schema } = tool;
    json!({ "type": "function", "function": { "name": name, "description": description, "parameters": schema } })
}

/// The tools of a specification that is made from tools.
fn tools(specification: &str) -> Vec<Function> {
    let read = Specification::load(specification, "spec.py").ok();
    let functions = read.iter().flat_map(Specification::functions);
    functions.filter(|function| function.receiver == TOOLS && function.role == Role::Action).cloned().collect()
}

/// What is known of a tool: its name, its arguments and which of them must be given.
fn definition(tool: &Function) -> Value {
    let names = || tool.params.iter().filter(|name| !name.starts_with('*')).map(|name| own_argument(name));
    let properties: serde_json::Map<String, Value> = names().map(|name| (name.to_owned(), json!({}))).collect();
    let required: Vec<&str> = names().take(names().count().saturating_sub(tool.optional)).collect();
    let parameters = json!({ "type": "object", "properties": properties, "required": required });
    json!({ "type": "function", "function": { "name": own_tool(&tool.name), "parameters": parameters } })
}

/// The calls of an answer.
fn of_answer(answer: &Answer) -> Vec<Called> {
    let called =
        |call: &ToolCall| Called { id: call.id.clone(), tool: call.name.clone(), arguments: answer::arguments(call) };
    answer.calls.iter().map(called).collect()
}

/// Actions as calls of tools; `None` if one of them is none.
fn calls<'a>(actions: impl Iterator<Item = &'a Action>, tools: &[Function]) -> Option<Vec<Called>> {
    let wires = Toolbox::new(Vec::new());
    let wire = |text: &str| {
        let mut call: Call = text.parse().ok()?;
        let params = tools.iter().find(|tool| tool.name == call.function).map_or(&[][..], |tool| &tool.params);
        let placed: Vec<(String, Literal)> = params.iter().cloned().zip(call.args.iter().cloned()).collect();
        if placed.len() == call.args.len() {
            call.args.clear();
            call.named.splice(..0, placed);
        }
        let (tool, arguments) = wires.wire(&call)?;
        Some(Called { id: String::new(), tool, arguments })
    };
    actions.flat_map(Action::calls).map(wire).collect::<Option<Vec<_>>>().filter(|calls| !calls.is_empty())
}

/// Marks the result of a call that failed, or that the world refused.
fn refuse(result: &mut Value) {
    if let Some(result) = result.as_object_mut() {
        result.insert("extra".to_owned(), json!({ "refused": true }));
    }
}

/// What an action says before its calls.
fn said<'a>(text: &'a str, action: Option<&Action>) -> &'a str {
    let calls = action.and_then(|action| action.call.as_deref()).unwrap_or_default();
    text.strip_suffix(calls).map(str::trim).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_that_was_said_later_stands_where_it_was_said() {
        let said = |words: &str| json!({ "source": USER, "message": words });
        let (begins, acted) =
            (json!({ "source": "system", "message": "" }), json!({ "source": "agent", "message": "m" }));
        for (later, expected) in [
            ("go", Some(vec![said("go")])),
            ("go\n\non", Some(vec![said("go"), said("on")])),
            ("gone", None),
            ("stop", None),
        ] {
            let mut steps = vec![said("go"), begins.clone(), acted.clone(), said(later)];
            let before = steps.clone();
            say_later(&mut steps, "go");
            let expected = expected.map(|users| [vec![begins.clone(), acted.clone()], users].concat());
            assert_eq!(steps, expected.unwrap_or(before), "{later}");
        }
    }

    #[test]
    fn an_error_in_place_of_an_answer_is_no_call() {
        let exact = Some(r#"refused {"status":429,"headers":[],"body":"slow"}"#.to_owned());
        let action = Action { exact, ..Action::new("error 429: slow".to_owned(), None) };
        assert_eq!(answered(&action), Some(Answer::of_text("error 429: slow")));
        assert_eq!(answered(&Action::new("look".to_owned(), None)), None);
    }
}
