//! What an ATIF trajectory says of the sessions of agents that ask a model.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{header, showings};
use crate::{Format, render};
use stepwright_episode::{
    Action, Actor, AskedOf, Choice, Decision, Event, Header, Origin, Proposal, Record, Session, StepOutcome,
};
use stepwright_trajectory::{Step, read_any};
use stepwright_wire::{Api, Delta, Request, Whole};
use stepwright_world::answer;

/// The session of an agent that speaks Messages, recorded answer by answer.
struct Asking {
    session: Session,
    records: Vec<Record>,
    /// The newest body of each conversation.
    bodies: Vec<String>,
}

fn body(messages: &Value) -> String {
    let schema =
        json!({ "type": "object", "properties": { "order_id": { "type": "string" } }, "required": ["order_id"] });
    let tools = json!([{ "name": "get_order", "description": "Looks one up.", "input_schema": schema }]);
    json!({ "model": "m", "max_tokens": 9, "system": "You help.", "messages": messages, "tools": tools }).to_string()
}

fn call(id: &str, order: &str) -> Value {
    json!({ "type": "tool_use", "id": id, "name": "get_order", "input": { "order_id": order } })
}

fn returned(id: &str, text: &str, failed: bool) -> Value {
    json!({ "type": "tool_result", "tool_use_id": id, "content": text, "is_error": failed })
}

fn said(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

impl Asking {
    fn new(messages: &Value) -> Self {
        let request = Request::read(Api::Messages, &body(messages)).unwrap();
        let specification = answer::toolbox(&request).source().to_owned();
        let session = Session::new(Header { world: "agent".to_owned(), specification, ..header() });
        let mut asking = Asking { session, records: Vec::new(), bodies: Vec::new() };
        let outcome = asking.asks(0, messages, "[tools: get_order]\nuser: look");
        asking.event(Event::Started { outcome });
        asking
    }

    fn event(&mut self, event: Event) {
        let record = Record { id: self.session.records() + 1, ts: 0, node: self.session.cursor(), event };
        self.session.apply(&record).unwrap();
        self.records.push(record);
    }

    /// The outcome of an answer after which a conversation asks again.
    fn asks(&mut self, thread: usize, messages: &Value, observation: &str) -> Arc<StepOutcome> {
        self.bodies.resize(self.bodies.len().max(thread + 1), String::new());
        let next = body(messages);
        let added = Delta::of(&self.bodies[thread], &next);
        self.bodies[thread] = next;
        let asked = Some(Arc::new(AskedOf { api: Api::Messages, thread, added }));
        Arc::new(StepOutcome { observation: observation.to_owned(), asked, ..StepOutcome::default() })
    }

    fn answer(&mut self, content: &[Value], outcome: Arc<StepOutcome>) {
        let whole = json!({ "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": content, "stop_reason": "end_turn", "usage": { "input_tokens": 1, "output_tokens": 1 } });
        let whole = Whole::read(Api::Messages, &whole.to_string()).unwrap();
        let request = Request::read(Api::Messages, &self.bodies[0]).unwrap();
        let action: Action = answer::action(&answer::toolbox(&request), &whole);
        let id = self.session.next_proposal();
        let proposal =
            Proposal { action: Some(action.clone()), ..Proposal::new(id, action.text.clone(), Origin::Relayed) };
        self.event(Event::Proposed { proposal: proposal.into() });
        let decision = self.session.next_decision();
        let choice = Choice::Approve { proposal: id };
        let decided = Decision { id: decision, choice, by: Actor::Policy, why: String::new() };
        self.event(Event::Decided { decision: decided.into() });
        let (child, changes) = (self.session.next_node(), json!([]).into());
        self.event(Event::Executed { decision, child, action: action.into(), outcome, changes });
    }

    fn written(&self) -> (Vec<Value>, Vec<Step>) {
        written(&self.session.header, &self.records)
    }
}

/// The steps of a session's trajectory behind the beginning, without what only a session of ours has, and those that are read back.
pub(super) fn written(header: &Header, records: &[Record]) -> (Vec<Value>, Vec<Step>) {
    let text = render(Format::Atif, header, records, showings).unwrap();
    let mut read = read_any(text.as_bytes(), "x");
    assert!(read.wrong.is_empty() && read.notes.is_empty(), "{:?} {:?}", read.wrong, read.notes);
    let whole: Value = serde_json::from_str(&text).unwrap();
    let mut steps = whole["steps"].as_array().unwrap()[2..].to_vec();
    for step in &mut steps {
        let step = step.as_object_mut().unwrap();
        step.remove("extra");
        step.remove("step_id");
    }
    (steps, read.all.remove(0).steps)
}

fn ended() -> Arc<StepOutcome> {
    let observation = "The agent ended, exit code 0.".to_owned();
    Arc::new(StepOutcome { observation, done: true, won: true, ..StepOutcome::default() })
}

#[test]
fn each_call_has_its_own_result_and_an_answer_without_calls_is_a_message() {
    let user = |content: Value| json!({ "role": "user", "content": content });
    let own = |content: Value| json!({ "role": "assistant", "content": content });
    let both = [said("Both."), call("a", "W1"), call("b", "W2")];
    let mut messages = vec![user(json!("look"))];
    let mut asking = Asking::new(&json!(messages));
    // The results come in another order, one of them is an error, and the user goes on with them.
    let results = json!([returned("b", "no such order", true), returned("a", "{\"paid\": 1}", false), said("hurry")]);
    messages.extend([own(json!(both)), user(results)]);
    let outcome =
        asking.asks(0, &json!(messages), "get_order failed: no such order\nget_order: {\"paid\": 1}\nuser: hurry");
    asking.answer(&both, outcome);
    messages.extend([own(json!([said("Which one?")])), user(json!("W3"))]);
    let outcome = asking.asks(0, &json!(messages), "user: W3");
    asking.answer(&[said("Which one?")], outcome);
    asking.answer(&[said("All done.")], ended());
    let (steps, read) = asking.written();
    let called = |id: &str, order: &str| json!({ "tool_call_id": id, "function_name": "get_order", "arguments": { "order_id": order } });
    let expected = [
        json!({
            "source": "agent", "message": "Both.", "tool_calls": [called("a", "W1"), called("b", "W2")],
            "observation": { "results": [
                { "source_call_id": "b", "content": "no such order", "extra": { "refused": true } },
                { "source_call_id": "a", "content": "{\"paid\": 1}" },
            ] },
        }),
        json!({ "source": "user", "message": "hurry" }),
        json!({ "source": "agent", "message": "Which one?", "observation": { "results": [] } }),
        json!({ "source": "user", "message": "W3" }),
        json!({
            "source": "agent", "message": "All done.",
            "observation": { "results": [{ "content": "The agent ended, exit code 0." }] },
        }),
    ];
    assert_eq!(steps, expected);
    // An action is one call there, and what it returned is what it says.
    let seen: Vec<(&str, &str, &str)> =
        read.iter().map(|step| (step.action.as_str(), step.observed(), step.told.as_str())).collect();
    let expected = [
        ("tools.get_order(order_id='W1')", "{\"paid\": 1}", ""),
        ("tools.get_order(order_id='W2')", "no such order", "hurry"),
        ("Which one?", "", "W3"),
        ("All done.", "The agent ended, exit code 0.", ""),
    ];
    assert_eq!(seen, expected);
    assert!(read.iter().all(|step| step.observation.is_some()) && read[1].refused);
    let calls: Vec<String> = read[1].calls.iter().map(ToString::to_string).collect();
    assert_eq!(
        calls,
        ["results.failed('get_order', 'W2', 'no such order')", "results.returned('get_order', 'W1', {'paid': 1})"]
    );
    let decided: Vec<bool> = read.iter().map(|step| step.decided.is_some()).collect();
    assert_eq!(decided, [true, false, true, true], "with the first of an answer's calls");
}

/// Two conversations take turns: what a call returned stands under it, though another conversation asks before.
#[test]
fn what_a_call_returned_may_come_after_another_conversation_asked() {
    let user = |content: Value| json!({ "role": "user", "content": content });
    let own = |content: Value| json!({ "role": "assistant", "content": content });
    let (first, second) = (user(json!("look")), user(json!("part of it")));
    let mut asking = Asking::new(&json!([first]));
    let outcome = asking.asks(1, &json!([second]), "[conversation 2]\n[tools: get_order]\nuser: part of it");
    asking.answer(&[call("a", "W1")], outcome);
    let results = user(json!([returned("a", "sent", false)]));
    let outcome =
        asking.asks(0, &json!([first, own(json!([call("a", "W1")])), results]), "[conversation 1]\nget_order: sent");
    asking.answer(&[call("b", "W2")], outcome);
    // It ends without an answer to the second call.
    asking.answer(&[said("Done.")], ended());
    let (steps, read) = asking.written();
    assert_eq!(steps[0]["observation"], json!({ "results": [{ "source_call_id": "a", "content": "sent" }] }));
    let told = |at: usize| (steps[at]["source"].as_str().unwrap(), steps[at]["message"].as_str().unwrap());
    assert_eq!(told(1), ("system", "[conversation 2]\n[tools: get_order]"));
    assert_eq!([told(2), told(3)], [("system", "You help."), ("user", "part of it")]);
    assert_eq!((told(4), &steps[4]["observation"]), (("agent", ""), &json!({ "results": [] })));
    assert_eq!([told(5), told(6)], [("system", "[conversation 1]"), ("agent", "Done.")]);
    assert_eq!((read[0].observed(), &read[1].observation), ("sent", &None), "nobody says what the second returned");
}
