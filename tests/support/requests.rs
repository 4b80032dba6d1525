//! Made-up episode at a table with a maintained belief: notices as the driver would send them.

#![allow(dead_code, reason = "each test target uses a part of it")]
#![allow(clippy::expect_used, reason = "a fixture that does not fit is a failing test")]

use std::sync::Arc;

use serde_json::{Value, json};
use stepwright::belief;
use stepwright::driver::{BeliefView, Notice, Situation};
use stepwright::episode::{
    Action, Actor, ArtifactId, AskKind, Choice, Decision, Due, Event, Header, Origin, PromptMessage, PromptRecord,
    Proposal, Record, Session, StepOutcome, Written,
};
use stepwright::methods::METHODS;
use stepwright::tui::view::View;
use stepwright::world::Request;

/// An episode as it unfolds, and its notices.
pub struct Table {
    pub view: View,
    session: Session,
    records: Vec<Record>,
    pub notices: Vec<Notice>,
    request: usize,
    drift: Vec<(u64, usize)>,
}

pub const QUERIES: [&str; 3] = [
    "Put the red block on the blue block",
    "The red block is dirty.",
    "Is the blue block dirty? If so put it in the tin bowl, else leave it where it is",
];

pub fn header() -> Header {
    Header {
        stepwright: "session".into(),
        version: 1,
        program: "0.1.0".into(),
        world: "table".into(),
        data: "shipped".into(),
        task: "disinfection/one".into(),
        sentence: "answer 3 requests".into(),
        method: "statler".into(),
        model: "symbolic".into(),
        specification: "class Robot:\n    pass\n".into(),
        opening: vec!["robot = Robot()".into()],
        ..Header::default()
    }
}

pub fn start() -> Value {
    json!({
        "objects": ["red block", "blue block", "green block", "tin bowl"],
        "relations": [],
        "red block": {},
        "blue block": {"is": ["clean"]},
        "green block": {"weight": "red_block.weight * 2"},
        "tin bowl": {"contains": ["green block"]}
    })
}

/// The state with the red block on the blue one.
pub fn stacked() -> Value {
    let mut state = start();
    state["relations"] = json!(["red block is on blue block"]);
    state
}

impl Table {
    pub fn begun() -> Self {
        let opened = Notice::opened(header(), Vec::new(), Some("/s/table.jsonl".into())).unwrap();
        let mut table = Table {
            view: View::new(Default::default(), Default::default(), &METHODS),
            session: Session::new(header()),
            records: Vec::new(),
            notices: Vec::new(),
            request: 1,
            drift: Vec::new(),
        };
        table.notice(opened);
        let observation = format!("On the table: red block, blue block, tin bowl.\n\n1 of 3: {}", QUERIES[0]);
        table.event(Event::Started { outcome: StepOutcome { observation, ..StepOutcome::default() }.into() });
        let patch = json!([{"op": "replace", "path": "", "value": start()}]);
        let why = "the state the episode begins with".into();
        let (artifact, by) = (ArtifactId::BELIEF, Actor::Policy);
        table.event(Event::ArtifactSettled { artifact, offer: None, patch: patch.into(), by, edited: false, why });
        table.situation(&start());
        table
    }

    fn notice(&mut self, notice: Notice) {
        self.notices.push(notice.clone());
        self.view.notice(notice);
    }

    pub fn event(&mut self, event: Event) {
        let id = self.records.len() as u64 + 1;
        let record = Record { id, ts: id * 1_000, node: self.session.cursor(), event };
        self.session.apply(&record).expect("the fixture's records fit");
        self.records.push(record.clone());
        self.notice(Notice::Recorded(Arc::new(record)));
    }

    /// Sends the true state, and the belief beside it.
    pub fn situation(&mut self, truth: &Value) {
        let node = self.session.cursor();
        let state = Arc::clone(self.session.belief().expect("a belief is maintained"));
        let differences = belief::compare(&state, truth);
        self.drift.retain(|(at, _)| *at != node);
        self.drift.push((node, differences.len()));
        let believed = BeliefView {
            state,
            truth: Some(Arc::new(truth.clone())),
            differences,
            drift: self.drift.clone(),
            picture: None,
        };
        let request = QUERIES.get(self.request - 1).map(|query| Request {
            query: (*query).into(),
            number: self.request,
            of: QUERIES.len(),
            temporal: false,
            kind: "put".into(),
        });
        let situation = Situation {
            node,
            truth: json!({"state": truth}),
            request,
            closing: "done()",
            belief: Some(Arc::new(believed)),
            ..Situation::default()
        };
        self.notice(Notice::Situation(Arc::new(situation)));
    }

    /// An ask for a program, still under way.
    pub fn ask(&mut self, kind: AskKind) -> u64 {
        let ask = self.session.next_ask();
        let message = PromptMessage { role: "text".into(), text: "# state = {}".into() };
        let prompt = PromptRecord {
            template: "statler/reader".into(),
            template_hash: "0123".into(),
            messages: vec![message],
            left_out: None,
            candidates: None,
        };
        let model = "gpt-test".to_owned();
        self.event(Event::Asked { ask, kind, model, prompt: Some(prompt.into()), n: 1, temperature: 0.0 });
        ask
    }

    pub fn stream(&mut self, ask: u64, text: &str) {
        self.notice(Notice::Stream { ask, index: 0, text: text.into() });
    }

    /// A program offered and recommended.
    pub fn propose(&mut self, code: &str) -> u64 {
        self.propose_as(code, None, None)
    }

    /// A program or one of its calls, offered by the answer to an ask.
    pub fn propose_as(&mut self, code: &str, line: Option<usize>, ask: Option<u64>) -> u64 {
        if let Some(ask) = ask {
            self.event(Event::Answered { ask, texts: vec![code.to_owned()].into(), usage: None, ms: 9 });
        }
        let id = self.session.next_proposal();
        let proposal = Proposal {
            line,
            action: Some(Action::new(code, None)),
            rationale: Some("the reference program of the task's file; no language model".into()),
            ask,
            ..Proposal::new(id, code, Origin::Reference)
        };
        self.event(Event::Proposed { proposal: proposal.into() });
        self.event(Event::Recommended { proposal: Some(id), why: "the program for the request".into() });
        id
    }

    /// Takes a program; the calls it made, and the observation.
    pub fn take(&mut self, proposal: u64, calls: &str, observation: &str, reward: f64) {
        let id = self.session.next_decision();
        let choice = Choice::Approve { proposal };
        self.event(Event::Decided { decision: Decision { id, choice, by: Actor::Person, why: String::new() }.into() });
        let child = self.session.next_node();
        let action = Action::new(calls, None);
        let outcome = StepOutcome { observation: observation.into(), reward, ..StepOutcome::default() };
        self.event(Event::Executed {
            decision: id,
            child,
            action: action.into(),
            outcome: outcome.into(),
            changes: json!([]).into(),
        });
        self.request += usize::from(calls.contains("done()"));
    }

    /// A new belief that waits.
    pub fn offer(&mut self, update: &str, state: Option<Value>, repairs: &[&str]) -> u64 {
        let offer = self.session.next_offer();
        let problem = state.is_none().then(|| "line 2: a value is missing after `red block`".to_owned());
        let raw = state.as_ref().map_or_else(|| "# state = {\n#     \"red block\":\n".to_owned(), belief::write);
        let written = Arc::new(Written {
            artifact: ArtifactId::BELIEF,
            due: Some(Due { step: self.session.cursor(), nth: 0 }),
            title: update.into(),
            raw,
            repairs: repairs.iter().map(|r| (*r).to_owned()).collect(),
            value: state.map(Arc::new),
            problem,
        });
        self.event(Event::ArtifactOffered { offer, ask: None, written, beside: false });
        offer
    }

    pub fn believe(&mut self, offer: Option<u64>, state: &Value, by: Actor, edited: bool) {
        let before = self.session.belief().map_or(Value::Null, |b| b.as_ref().clone());
        let patch = belief::patch(&before, state);
        let why = if offer.is_none() { "corrected by a person" } else { "" };
        let artifact = ArtifactId::BELIEF;
        self.event(Event::ArtifactSettled { artifact, offer, patch: patch.into(), by, edited, why: why.into() });
    }
}

/// The first request answered, one call of its program failed; the belief after it waits.
pub fn waiting() -> Table {
    let mut table = Table::begun();
    let code = "put_first_on_second(\"red block\", \"blue block\")\nput_first_on_second(\"pink block\", \"tin bowl\")\n\
                update_wm(\"Put the red block on the blue block.\")";
    let program = table.propose(code);
    let observation =
        format!("You put the red block on the blue block.\nunknown object: pink block\n2 of 3: {}", QUERIES[1]);
    table.take(program, &format!("{code}\ndone()"), &observation, 1.0);
    table.situation(&stacked());
    let mut next = stacked();
    next["blue block"] = json!({"is": ["dirty"]});
    table.offer("Put the red block on the blue block.", Some(next), &["line 3: a comma is missing"]);
    table.situation(&stacked());
    table
}

/// The same with the belief taken and wrong in two values, the second request's program offered.
pub fn wrong() -> Table {
    let mut table = waiting();
    let mut next = stacked();
    next["blue block"] = json!({"is": ["dirty"]});
    next["tin bowl"] = json!({"contains": []});
    table.believe(Some(1), &next, Actor::Person, true);
    table.situation(&stacked());
    table.propose("noop()\nupdate_wm(\"The red block is dirty.\")");
    table
}
