//! What an ATIF trajectory says of sessions that are episodes of logs.

use serde_json::{Value, json};

use super::header;
use stepwright_episode::{
    Action, Actor, Choice, Decision, Event, Header, Origin, Proposal, Record, Session, StepOutcome,
};
use stepwright_program::tools::Toolbox;
use stepwright_trajectory::Step;

/// The trajectory of an episode of these calls, each with what was observed and its results.
fn recorded(steps: &[(&str, &str, &[&str])]) -> (Vec<Value>, Vec<Step>) {
    let schema = json!({ "type": "object", "properties": { "id": {} }, "required": ["id"] });
    let specification = Toolbox::of_json(&json!([{ "name": "get", "parameters": schema }])).source().to_owned();
    let mut session = Session::new(Header { world: "recorded".to_owned(), specification, ..header() });
    let mut records = Vec::new();
    let mut add = |session: &mut Session, event: Event| {
        let record = Record { id: session.records() + 1, ts: 0, node: session.cursor(), event };
        session.apply(&record).unwrap();
        records.push(record);
    };
    add(&mut session, Event::Started { outcome: StepOutcome::default().into() });
    for (call, observed, results) in steps {
        let action = Action::new(*call, Some((*call).to_owned()));
        let id = session.next_proposal();
        let proposal = Proposal { action: Some(action.clone()), ..Proposal::new(id, *call, Origin::Recorded) };
        add(&mut session, Event::Proposed { proposal: proposal.into() });
        let decision = session.next_decision();
        let choice = Choice::Approve { proposal: id };
        let decided = Decision { id: decision, choice, by: Actor::Policy, why: String::new() };
        add(&mut session, Event::Decided { decision: decided.into() });
        let calls = std::iter::once(call).chain(*results).map(|call| (*call).to_owned()).collect();
        let outcome = StepOutcome { observation: (*observed).to_owned(), calls, ..StepOutcome::default() }.into();
        let (child, changes) = (session.next_node(), json!([]).into());
        add(&mut session, Event::Executed { decision, child, action: action.into(), outcome, changes });
    }
    super::agents::written(&session.header, &records)
}

const X: &str = "tools.get(id='x')";
const Y: &str = "tools.get(id='y')";

#[test]
fn a_call_has_what_it_returned_and_nothing_that_somebody_said() {
    let (steps, read) = recorded(&[
        // Two calls at once.
        (X, "open", &[]),
        (Y, "{\"a\": 1}\n\nhurry", &["results.returned('get', 'y', {'a': 1})", "results.returned('get', 'x', 'open')"]),
        // Nobody wrote down what these returned; after the second somebody spoke.
        (Y, "", &[]),
        (X, "so?", &[]),
        (X, "no\n\nsuch", &["results.failed('get', 'x', 'no\\n\\nsuch')"]),
        (X, "", &["results.returned('get', 'x', '')"]),
    ]);
    let calls = |calls: &[(&str, &str)], results: Value| {
        let call =
            |(id, of): &(&str, &str)| json!({ "tool_call_id": id, "function_name": "get", "arguments": { "id": of } });
        let calls: Vec<Value> = calls.iter().map(call).collect();
        json!({ "source": "agent", "message": "", "tool_calls": calls, "observation": { "results": results } })
    };
    let expected = [
        calls(
            &[("step-1-1", "x"), ("step-1-2", "y")],
            json!([
                { "source_call_id": "step-1-2", "content": "{\"a\": 1}" },
                { "source_call_id": "step-1-1", "content": "open" },
            ]),
        ),
        json!({ "source": "user", "message": "hurry" }),
        calls(&[("step-3", "y")], json!([])),
        calls(&[("step-4", "x")], json!([])),
        json!({ "source": "user", "message": "so?" }),
        calls(
            &[("step-5", "x")],
            json!([{ "source_call_id": "step-5", "content": "no\n\nsuch", "extra": { "refused": true } }]),
        ),
        calls(&[("step-6", "x")], json!([{ "source_call_id": "step-6", "content": "" }])),
    ];
    assert_eq!(steps, expected);
    let heard: Vec<_> = read.iter().map(|step| (step.observation.as_deref(), step.told.as_str())).collect();
    let expected = [
        (Some("open"), ""),
        (Some("{\"a\": 1}"), "hurry"),
        (None, ""),
        (None, "so?"),
        (Some("no\n\nsuch"), ""),
        (Some(""), ""),
    ];
    assert_eq!(heard, expected);
    // What calls at once returned is known after the last of them, in the order in which it came.
    assert!(read[0].calls.is_empty() && read[4].refused);
    let known: Vec<String> = read[1].calls.iter().map(ToString::to_string).collect();
    assert_eq!(known, ["results.returned('get', 'y', {'a': 1})", "results.returned('get', 'x', 'open')"]);
}

/// What a world tells in words of its own is the result of a call, whatever its calls say.
#[test]
fn what_no_result_says_in_so_many_words_stays_the_observation() {
    let (steps, read) = recorded(&[(X, "It is open.", &["results.returned('get', 'x', {'open': True})"])]);
    let result = json!([{ "source_call_id": "step-1", "content": "It is open." }]);
    assert_eq!((&steps[0]["observation"]["results"], read[0].observed()), (&result, "It is open."));
    assert_eq!(steps.len(), 1);
}
