//! Requests as observations: what one adds to its conversation, in words and as program calls.

use stepwright_program::Call;
use stepwright_program::tools::Toolbox;
use stepwright_wire::{Answer, Message, Part, Request, ToolCall, added};

use stepwright_world::answer::{arguments, remarks};

/// What a request says that the conversation had not yet.
pub(super) struct Said {
    pub(super) observation: String,
    /// What tools returned.
    pub(super) calls: Vec<Call>,
}

/// What `next` adds to the request before it in its conversation and the answer to that; all of it where it begins one. `thread`: the
/// conversation's name, where another one was observed before.
pub(super) fn said(before: Option<(&Request, &Answer)>, next: &Request, tools: &Toolbox, thread: Option<&str>) -> Said {
    let (dropped, new) = match before {
        Some((request, answer)) => {
            let added = added(request, answer, next);
            (added.dropped, added.new)
        }
        None => (0, next.messages.clone()),
    };
    let named: Vec<&ToolCall> = next.messages.iter().flat_map(Message::calls).collect();
    // An answer by its id alone does not repeat the calls that its results are of.
    let earlier = before.into_iter().flat_map(|(_, answer)| &answer.calls);
    let known: Vec<&ToolCall> = named.into_iter().chain(earlier).collect();
    let mut lines: Vec<String> = thread.map(|thread| format!("[{thread}]")).into_iter().collect();
    lines.extend(remarks(before.map(|(request, _)| request), next, dropped));
    let mut calls = Vec::new();
    for message in &new {
        for part in &message.parts {
            lines.push(match part {
                Part::Text(text) => format!("{}: {text}", message.role.name()),
                Part::Call(call) => format!("assistant calls {}({})", call.name, call.arguments),
                Part::Result { id, text, error } => {
                    let of = known.iter().find(|call| call.id == *id);
                    if let Some(call) = of {
                        calls.push(tools.result(&call.name, &arguments(call), text, *error));
                    }
                    let failed = if *error { " failed" } else { "" };
                    format!("{}{failed}: {text}", of.map_or("a tool", |call| call.name.as_str()))
                }
                Part::Reasoning(text) => format!("{} reasoned: {text}", message.role.name()),
                Part::Image(words) | Part::Other(words) => format!("{}: [{words}]", message.role.name()),
            });
        }
    }
    if lines.is_empty() {
        lines.push("[it asks again, with nothing new]".to_owned());
    }
    Said { observation: lines.join("\n"), calls }
}
