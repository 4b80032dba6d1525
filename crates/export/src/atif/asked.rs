//! What the requests on a session's line say since the answers before them: what each call returned, by its own id, and what else was told.

use std::collections::BTreeMap;

use stepwright_episode::{Action, AskedOf, Node, NodeId};
use stepwright_program::tools::Toolbox;
use stepwright_wire::{Answer, Message, Part, Request, Role, added};
use stepwright_world::answer;

/// What a call returned.
pub(super) struct Returned {
    /// The call's place in its answer.
    pub(super) call: usize,
    pub(super) text: String,
    pub(super) failed: bool,
}

/// What was said that no call returned: by the user, or by the system.
pub(super) struct Told {
    pub(super) by: &'static str,
    pub(super) words: String,
}

/// What was heard after an answer.
#[derive(Default)]
pub(super) struct Heard {
    pub(super) returned: Vec<Returned>,
    pub(super) told: Vec<Told>,
}

/// The requests on a line of nodes.
#[derive(Default)]
pub(super) struct Requests {
    /// By the node that an answer led to. Where several conversations take turns, what a call returned comes with a later request.
    heard: BTreeMap<NodeId, Heard>,
    conversations: BTreeMap<usize, Conversation>,
    /// The conversation of the newest request.
    newest: Option<usize>,
}

struct Conversation {
    /// Its newest request, as text and as it is read.
    body: String,
    request: Request,
    /// The answer to that; an empty one while there is none, and where an error stood in its place.
    answer: Answer,
    calls: Vec<Made>,
}

/// A call of an answer.
struct Made {
    node: NodeId,
    place: usize,
    id: String,
    name: String,
    done: bool,
}

impl Made {
    /// Calls of the interface before tools have no id: what they return goes by the function's name.
    fn is_called(&self, id: &str) -> bool {
        if self.id.is_empty() { self.name == id } else { self.id == id }
    }
}

impl Requests {
    pub(super) fn of(line: &[&Node]) -> Self {
        let mut requests = Requests::default();
        let mut waits = None;
        for node in line.iter().filter(|node| node.outcome.is_executed()) {
            if let (Some(action), Some(conversation)) = (&node.action, waits) {
                requests.answered(conversation, node.id, action);
            }
            waits = node.outcome.asked.as_ref().and_then(|asked| requests.asked(node.id, asked));
        }
        requests
    }

    pub(super) fn heard(&self, node: NodeId) -> Option<&Heard> {
        self.heard.get(&node)
    }

    /// The tools that the newest request lists.
    pub(super) fn tools(&self) -> Option<Toolbox> {
        let newest = self.conversations.get(&self.newest?)?;
        Some(answer::toolbox(&newest.request))
    }

    fn answered(&mut self, conversation: usize, node: NodeId, action: &Action) {
        let Some(conversation) = self.conversations.get_mut(&conversation) else { return };
        let Ok(whole) = answer::whole(action) else { return };
        conversation.answer = whole.answer();
        let calls = conversation.answer.calls.iter().enumerate();
        conversation.calls.extend(calls.map(|(place, call)| Made {
            node,
            place,
            id: call.id.clone(),
            name: call.name.clone(),
            done: false,
        }));
    }

    /// Takes in a request; its conversation, if it can be read.
    fn asked(&mut self, node: NodeId, asked: &AskedOf) -> Option<usize> {
        let before = self.conversations.remove(&asked.thread);
        let body = asked.added.apply(before.as_ref().map_or("", |before| before.body.as_str())).ok()?;
        let request = Request::read(asked.api, &body).ok()?;
        let (dropped, new) = match &before {
            Some(before) => {
                let added = added(&before.request, &before.answer, &request);
                (added.dropped, added.new)
            }
            None => (0, request.messages.clone()),
        };
        let mut remarks = Vec::new();
        if self.newest.is_some_and(|newest| newest != asked.thread) {
            remarks.push(format!("[conversation {}]", asked.thread + 1));
        }
        remarks.extend(answer::remarks(before.as_ref().map(|before| &before.request), &request, dropped));
        let mut told = Vec::new();
        if !remarks.is_empty() {
            told.push(Told { by: SYSTEM, words: remarks.join("\n") });
        }
        let mut calls = before.map(|before| before.calls).unwrap_or_default();
        for message in &new {
            let words: Vec<String> =
                message.parts.iter().filter_map(|part| self.part(message, part, &mut calls)).collect();
            if !words.is_empty() {
                let by = if message.role == Role::User { USER } else { SYSTEM };
                told.push(Told { by, words: words.join("\n") });
            }
        }
        self.heard.entry(node).or_default().told = told;
        self.conversations.insert(asked.thread, Conversation { body, request, answer: Answer::default(), calls });
        self.newest = Some(asked.thread);
        Some(asked.thread)
    }

    /// Takes in a part of a new message; its words, where no call returned it.
    fn part(&mut self, message: &Message, part: &Part, calls: &mut [Made]) -> Option<String> {
        let role = message.role.name();
        Some(match part {
            Part::Text(text) if matches!(message.role, Role::User | Role::System) => text.clone(),
            Part::Text(text) => format!("{role}: {text}"),
            Part::Call(call) => format!("{role} calls {}({})", call.name, call.arguments),
            Part::Reasoning(text) => format!("{role} reasoned: {text}"),
            Part::Image(words) | Part::Other(words) => format!("[{words}]"),
            Part::Result { id, text, error } => {
                // Ids may come again with every answer: the newest that waits is meant, of its calls the first.
                let waits = |made: &Made| !made.done && made.is_called(id);
                let newest = calls.iter().rev().find(|made| waits(made)).map(|made| made.node);
                if let Some(made) = calls.iter_mut().find(|made| Some(made.node) == newest && waits(made)) {
                    made.done = true;
                    let returned = Returned { call: made.place, text: text.clone(), failed: *error };
                    self.heard.entry(made.node).or_default().returned.push(returned);
                    return None;
                }
                // It was there before, and is told again with what was changed around it.
                if calls.iter().any(|made| made.is_called(id)) {
                    return None;
                }
                format!("a tool{}: {text}", if *error { " failed" } else { "" })
            }
        })
    }
}

/// Who says what, in the words of the format.
pub(super) const USER: &str = "user";
const SYSTEM: &str = "system";
