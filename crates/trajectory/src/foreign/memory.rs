//! What agents' libraries keep of a run: LangChain's messages, as `messages_to_dict` and as `dumpd` write them, and smolagents' memory.

use serde_json::{Map, Value as Json, json};

use super::conversation::{Called, Conversation, Read, Turn, id_of, string, text_of};
use super::{blocks, chat};

pub(super) fn is_langchain(value: &Json) -> bool {
    let kind = |of: &Json| string(of, "type").is_some_and(|kind| role(&kind).is_some());
    value.get("lc").is_some() && value.get("kwargs").is_some() || kind(value) && value.get("data").is_some()
}

/// The role of a message that says its role itself.
const ANY: &str = "chat";

fn role(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "human" | "HumanMessage" | "HumanMessageChunk" => "user",
        "chat" | "ChatMessage" | "ChatMessageChunk" => ANY,
        "ai" | "AIMessage" | "AIMessageChunk" => "assistant",
        "tool" | "ToolMessage" | "ToolMessageChunk" | "function" | "FunctionMessage" => "tool",
        "system" | "SystemMessage" | "SystemMessageChunk" => "system",
        _ => return None,
    })
}

/// Takes over what stands in a message as the provider wrote it.
fn from_provider(message: &mut Map<String, Json>, keys: &[&str]) {
    for key in keys {
        let given = message.get("additional_kwargs").and_then(|more| more.get(*key)).cloned();
        message.extend(given.map(|given| ((*key).to_owned(), given)));
    }
}

pub(super) fn langchain(read: &mut Read, messages: &[Json]) -> bool {
    let is_dump = messages.first().is_some_and(|first| first.get("lc").is_some());
    read.format(if is_dump { "langchain-dumpd" } else { "langchain-messages" });
    let mut conversation = Conversation::default();
    for (at, message) in messages.iter().enumerate() {
        let place = format!("messages[{at}]");
        let class = message.get("id").and_then(Json::as_array).and_then(|path| path.last()).and_then(Json::as_str);
        let kind = class.map(str::to_owned).or_else(|| string(message, "type")).unwrap_or_default();
        let inside = message.get("kwargs").or_else(|| message.get("data")).unwrap_or(message);
        let Some(role) = role(&kind) else {
            read.fail(format!("{place}: a message of type `{kind}` is not known"));
            continue;
        };
        let mut plain = inside.clone();
        if let Some(plain) = plain.as_object_mut() {
            // A message of any role says which.
            let role = plain.get("role").filter(|own| role == ANY && own.is_string()).cloned().unwrap_or(role.into());
            plain.insert("role".to_owned(), role);
            plain.remove("type");
            from_provider(plain, &["reasoning_content", "refusal"]);
            let invalid = plain.get("invalid_tool_calls").and_then(Json::as_array).cloned().unwrap_or_default();
            let is_without = |calls: Option<&Json>| calls.and_then(Json::as_array).is_none_or(Vec::is_empty);
            // Before langchain-core 0.2, and from providers that it has no reader for, calls stand as the provider wrote them.
            if invalid.is_empty() && is_without(plain.get("tool_calls")) {
                from_provider(plain, &["tool_calls", "function_call"]);
            }
            if let Some(calls) = plain.entry("tool_calls").or_insert_with(|| json!([])).as_array_mut() {
                calls.extend(invalid);
                let ids: Vec<String> = calls.iter().filter_map(|call| id_of(call, "id")).collect();
                let is_made = |block: &Json| {
                    ["call_id", "id"].iter().any(|key| id_of(block, key).is_some_and(|id| ids.contains(&id)))
                };
                // Blocks of the provider repeat the calls.
                if let Some(blocks) = plain.get_mut("content").and_then(Json::as_array_mut) {
                    blocks.retain(|block| !is_made(block));
                }
            }
        }
        chat::message(read, &place, &plain, &mut conversation.turns);
    }
    read.add(conversation);
    true
}

/// Keys of a step of smolagents' memory.
const MARKS: [&str; 6] =
    ["step_number", "model_input_messages", "model_output", "system_prompt", "task_images", "plan"];

fn has(value: &Json, keys: &[&str]) -> bool {
    keys.iter().any(|key| value.get(*key).is_some())
}

pub(super) fn is_smolagents(steps: &[Json]) -> bool {
    !steps.iter().any(|step| has(step, &["action", "command", "source"])) && steps.iter().any(|step| has(step, &MARKS))
}

/// Whether a list is the memory itself, as `get_full_steps` gives it: each item is a step, and none is a log with steps of its own.
pub(super) fn are_smolagents(items: &[Json]) -> bool {
    let is_step = |item: &Json| {
        (has(item, &MARKS) || has(item, &["task"])) && !has(item, &["steps", "messages", "input", "body"])
    };
    is_smolagents(items) && items.iter().all(is_step)
}

/// Reads the steps of a memory, and the task where it stands beside them; `list` is what their list is called.
pub(super) fn smolagents(read: &mut Read, task: Option<String>, list: &str, steps: &[Json]) -> bool {
    read.format("smolagents-memory");
    let mut conversation = Conversation::default();
    conversation.turns.extend(task.map(Turn::User));
    for (at, step) in steps.iter().enumerate() {
        if let Some(task) = string(step, "task") {
            if conversation.turns.is_empty() || at > 0 {
                conversation.turns.push(Turn::User(task));
            }
            continue;
        }
        conversation.turns.extend(string(step, "plan").map(Turn::Thought));
        if step.get("step_number").is_none() && step.get("tool_calls").is_none() && step.get("model_output").is_none() {
            continue;
        }
        let mut calls = Vec::new();
        for (number, call) in step.get("tool_calls").and_then(Json::as_array).into_iter().flatten().enumerate() {
            let inside = call.get("function").unwrap_or(call);
            let Some(name) = string(inside, "name") else {
                read.fail(format!("{list}[{at}].tool_calls[{number}]: `name` is missing"));
                continue;
            };
            // An agent that writes code has the code as its argument.
            let arguments = match inside.get("arguments") {
                Some(Json::String(code)) => json!({ "code": code }),
                Some(given) => given.clone(),
                None => json!({}),
            };
            calls.push(Called { id: string(call, "id"), name, arguments });
        }
        let text = step.get("model_output").and_then(text_of).unwrap_or_default();
        let error = step.get("error").filter(|error| !error.is_null());
        let observed = string(step, "observations");
        let ids: Vec<Option<String>> = calls.iter().map(|call| call.id.clone()).collect();
        conversation.turns.push(Turn::Agent { text, calls });
        let Some((last, others)) = ids.split_last() else {
            // What the agent is told of a step without calls: that none could be read, say.
            conversation.turns.extend(blocks::with_error(observed, error).map(Turn::Told));
            continue;
        };
        // What several calls of one step gave stands in one text.
        let lines: Vec<&str> = observed.as_deref().unwrap_or_default().lines().collect();
        let each = !others.is_empty() && lines.len() == ids.len();
        for (id, line) in others.iter().zip(&lines).filter(|_| each) {
            conversation.turns.push(Turn::Result { id: id.clone(), text: Some((*line).to_owned()), failed: false });
        }
        let own = lines.last().filter(|_| each).map(|line| (*line).to_owned());
        let text = blocks::with_error(own.or(observed), error);
        conversation.turns.push(Turn::Result { id: last.clone(), text, failed: error.is_some() });
    }
    read.add(conversation);
    true
}
