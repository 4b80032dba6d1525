//! Conversations of an agent, told apart: which one a request continues, and what it adds.

use crate::neutral::{Answer, Api, Message, Part, Request, Role};

/// What a request adds to the one before it in its conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Added {
    /// How many messages from the beginning are the same.
    pub kept: usize,
    /// How many of the earlier request are gone or changed.
    pub dropped: usize,
    /// The answer, as the agent repeats it.
    pub echo: Vec<Message>,
    /// New messages: results of tools, a person's turns, system texts.
    pub new: Vec<Message>,
}

/// What `next` adds to `previous`, which was answered with `answer`.
pub fn added(previous: &Request, answer: &Answer, next: &Request) -> Added {
    let common = |(a, b): &(&Message, &Message)| a.mark() == b.mark();
    let kept = previous.messages.iter().zip(&next.messages).take_while(common).count();
    let rest = next.messages.get(kept..).unwrap_or_default();
    // The answer's own messages come first: one in a chat, one an item in Responses.
    let repeated = rest.iter().take_while(|message| message.role == Role::Assistant && is_of(message, answer)).count();
    let (echo, new) = rest.split_at(repeated);
    let dropped = previous.messages.len() - kept;
    Added { kept, dropped, echo: echo.to_vec(), new: new.to_vec() }
}

/// Whether a message repeats an answer, or a part of it.
fn is_of(message: &Message, answer: &Answer) -> bool {
    message.parts.iter().all(|part| match part {
        Part::Text(text) => answer.text.contains(text.trim()),
        Part::Call(call) => answer.calls.iter().any(|own| own.id == call.id),
        _ => true,
    })
}

/// The conversations of an agent so far.
#[derive(Debug, Default)]
pub struct Threads(Vec<Thread>);

#[derive(Debug)]
struct Thread {
    api: Api,
    /// Marks of the last request's messages.
    marks: Vec<u64>,
    /// Ids of responses that were given, for those that continue by them.
    responses: Vec<String>,
    calls: Vec<String>,
    /// Marks of answers that are text alone.
    texts: Vec<u64>,
    waits: bool,
}

impl Threads {
    /// Finds the conversation that a request continues: the one that one of its answers is of, else the one that it has the whole
    /// beginning of, or the last message and most others; else it begins one. A conversation that waits for an answer is not continued.
    pub fn place(&mut self, request: &Request) -> usize {
        let marks: Vec<u64> = request.messages.iter().map(Message::mark).collect();
        let common = |thread: &Thread| thread.marks.iter().zip(&marks).take_while(|(a, b)| a == b).count();
        let ids: Vec<&str> = request.messages.iter().flat_map(Message::calls).map(|call| call.id.as_str()).collect();
        let said =
            request.messages.iter().filter(|message| message.role == Role::Assistant).map(|m| text_mark(&m.text()));
        let said: Vec<u64> = said.collect();
        let rank = |thread: &Thread| {
            let by_id = request.previous.as_ref().is_some_and(|id| thread.responses.contains(id));
            let answers = thread.calls.iter().filter(|id| !id.is_empty() && ids.contains(&id.as_str())).count()
                + thread.texts.iter().filter(|mark| said.contains(mark)).count();
            let whole = !thread.marks.is_empty() && common(thread) == thread.marks.len();
            let goes_on = (whole || repeats(&thread.marks, &marks)) && request.previous.is_none();
            (thread.api == request.api && !thread.waits && (by_id || answers > 0 || goes_on))
                .then(|| (by_id, whole, answers, common(thread)))
        };
        let best = self.0.iter().enumerate().filter_map(|(at, thread)| Some((rank(thread)?, at)));
        // Of those alike the latest: the others were left.
        let found = best.max().map(|(_, at)| at);
        let thread = found.unwrap_or(self.0.len());
        if found.is_none() {
            self.0.push(Thread::new(request.api));
        }
        if let Some(own) = self.0.get_mut(thread) {
            own.marks = marks;
            own.waits = true;
        }
        thread
    }

    /// Remembers what a conversation was answered with.
    pub fn answered(&mut self, thread: usize, id: &str, answers: &[Answer]) {
        let Some(own) = self.0.get_mut(thread) else { return };
        own.waits = false;
        if !id.is_empty() {
            own.responses.push(id.to_owned());
        }
        for answer in answers {
            own.calls.extend(answer.calls.iter().map(|call| call.id.clone()));
            if answer.calls.is_empty() && !answer.text.trim().is_empty() {
                own.texts.push(text_mark(&answer.text));
            }
        }
    }

    /// Remembers that a conversation waits no more, unanswered.
    pub fn given_up(&mut self, thread: usize) {
        if let Some(own) = self.0.get_mut(thread) {
            own.waits = false;
        }
    }
}

impl Thread {
    fn new(api: Api) -> Self {
        let (marks, responses, calls, texts) = Default::default();
        Thread { api, marks, responses, calls, texts, waits: false }
    }
}

/// Whether a conversation is told again with another beginning: its last message is there, and most of the others.
fn repeats(old: &[u64], new: &[u64]) -> bool {
    let there = |mark: &&u64| new.contains(mark);
    old.len() > 2
        && old.last().is_some_and(|last| new.contains(last))
        && old.iter().filter(there).count() * 2 > old.len()
}

fn text_mark(text: &str) -> u64 {
    Message::of_text(Role::Assistant, text.trim()).mark()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::ToolCall;

    fn chat(messages: Value) -> Request {
        Request::read(Api::Chat, &json!({"model": "m", "messages": messages}).to_string()).unwrap()
    }

    fn call(id: &str) -> Answer {
        Answer::of_calls(vec![ToolCall {
            id: id.into(),
            name: "f".into(),
            arguments: "{\"a\": 1}".into(),
            ..ToolCall::default()
        }])
    }

    fn echo(id: &str) -> Value {
        json!({"role": "assistant", "content": null, "tool_calls": [{"id": id, "type": "function", "function": {"name": "f", "arguments": "{\"a\":1}"}}]})
    }

    #[test]
    fn a_request_adds_results_to_the_one_before() {
        let (system, user) = (json!({"role": "system", "content": "s"}), json!({"role": "user", "content": "u"}));
        let first = chat(json!([system, user]));
        let next = chat(json!([system, user, echo("c1"), {"role": "tool", "tool_call_id": "c1", "content": "r"}]));
        let added = added(&first, &call("c1"), &next);
        assert_eq!((added.kept, added.dropped, added.echo.len()), (2, 0, 1));
        assert_eq!(
            added.new,
            [Message {
                role: Role::Tool,
                parts: vec![Part::Result { id: "c1".into(), text: "r".into(), error: false }]
            }]
        );
    }

    #[test]
    fn concurrent_conversations_and_sub_agents_are_told_apart() {
        let user = |text: &str| json!({"role": "user", "content": text});
        let mut threads = Threads::default();
        let place = |threads: &mut Threads, messages: Value| threads.place(&chat(messages));
        assert_eq!(place(&mut threads, json!([user("a")])), 0);
        // The same while the first waits is another; so is a sub-agent.
        assert_eq!(place(&mut threads, json!([user("a")])), 1);
        assert_eq!(place(&mut threads, json!([user("sub")])), 2);
        threads.answered(1, "", &[call("c1")]);
        threads.answered(0, "", &[call("c0")]);
        threads.answered(2, "", &[Answer::of_text("done")]);
        let result = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "r"});
        assert_eq!(place(&mut threads, json!([user("a"), echo("c0"), result("c0")])), 0);
        assert_eq!(place(&mut threads, json!([user("a"), echo("c1"), result("c1")])), 1);
        // What was left out or put before it does not matter where an answer of it is repeated.
        assert_eq!(
            place(&mut threads, json!([user("summary"), {"role": "assistant", "content": "done "}, user("more")])),
            2
        );
        // Another beginning before the rest of it, though no answer of it is repeated as it was.
        threads.answered(0, "", &[Answer::of_text("long ago")]);
        let told = json!([{"role": "system", "content": "end now"}, user("a"), echo("c0"), result("c0")]);
        assert_eq!(place(&mut threads, told), 0);
        let flat = |first: &str| json!([user(first), user("called f"), user("it gave r")]);
        threads.answered(0, "", &[Answer::of_text("x")]);
        assert_eq!(place(&mut threads, flat("begin")), 3);
        threads.answered(3, "", &[Answer::of_text("y")]);
        assert_eq!(place(&mut threads, flat("you are done")), 3);
        // The same few examples before another question are another conversation.
        threads.answered(2, "", &[Answer::of_text("again")]);
        assert_eq!(place(&mut threads, json!([user("summary"), user("other")])), 4);
    }

    #[test]
    fn a_response_is_continued_by_its_id() {
        let mut threads = Threads::default();
        let ask = |body: Value| Request::read(Api::Responses, &body.to_string()).unwrap();
        assert_eq!(threads.place(&ask(json!({"input": "a"}))), 0);
        assert_eq!(threads.place(&ask(json!({"input": "b"}))), 1);
        threads.answered(0, "resp_0", &[Answer::of_text("x")]);
        threads.answered(1, "resp_1", &[Answer::of_text("y")]);
        assert_eq!(threads.place(&ask(json!({"input": "b", "previous_response_id": "resp_0"}))), 0);
        assert_eq!(threads.place(&ask(json!({"input": "a", "previous_response_id": "resp_9"}))), 2);
    }
}
