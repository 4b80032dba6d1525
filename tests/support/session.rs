//! Made-up session: notices as the driver would send them.

use std::sync::Arc;

use serde_json::json;
use stepwright::driver::{Notice, Situation};
use stepwright::episode::{
    Action, Actor, Check, CheckKind, Choice, Decision, Event, Header, NodeId, Origin, Proposal, Record, Status,
    StepOutcome, Verdict,
};

pub fn header() -> Header {
    Header {
        stepwright: "session".into(),
        version: 1,
        program: "0.1.0".into(),
        world: "household".into(),
        data: "shipped".into(),
        task: "pick_and_place_simple-1".into(),
        sentence: "put a mug in desk".into(),
        seed: 1,
        method: "preconditions".into(),
        model: "symbolic".into(),
        specification: "class Environment:\n    pass\n\n\nclass Agent:\n    def goto(self, recep):\n        assert self.location != recep\n        self.location = recep\n".into(),
        opening: vec![
            "def put_a_mug_in_desk():".into(),
            "    # put a mug in desk".into(),
            "    env = Environment()".into(),
            "    agent = Agent(env)".into(),
        ],
        ..Header::default()
    }
}

/// Builds records with consecutive numbers.
pub struct Builder {
    records: Vec<Record>,
    node: NodeId,
    nodes: NodeId,
    proposals: u64,
    decisions: u64,
}

impl Default for Builder {
    fn default() -> Self {
        let mut builder = Builder { records: Vec::new(), node: 0, nodes: 1, proposals: 0, decisions: 0 };
        let observation =
            "You are in the middle of a room. Looking quickly around you, you see a desk 1 and a shelf 1.";
        builder.push(Event::Started {
            outcome: StepOutcome { observation: observation.into(), ..StepOutcome::default() }.into(),
        });
        builder
    }
}

impl Builder {
    /// Adds a record at the present node.
    pub fn push(&mut self, event: Event) -> &mut Self {
        let id = self.records.len() as u64 + 1;
        self.records.push(Record { id, ts: id * 1000, node: self.node, event });
        self
    }

    /// Three checked proposals, the first recommended.
    pub fn propose(&mut self) -> &mut Self {
        let actions = [
            ("go to desk 1", "agent.goto('desk 1')", Status::Holds),
            ("take mug 1 from shelf 1", "agent.take('mug 1', 'shelf 1')", Status::Fails),
            ("go to shelf 1", "agent.goto('shelf 1')", Status::Holds),
        ];
        let first = self.proposals + 1;
        for (i, (text, call, status)) in actions.into_iter().enumerate() {
            self.proposals += 1;
            let id = self.proposals;
            let proposal = Proposal {
                action: Some(Action::new(text, Some(call.into()))),
                score: Some(if i == 2 { -1003.0 } else { -4.2 - 2.5 * i as f64 }),
                rationale: Some("the desk has not been looked at yet".into()),
                ..Proposal::new(id, text, Origin::Symbolic)
            };
            self.push(Event::Proposed { proposal: proposal.into() });
            let condition = if status == Status::Fails { "self.location == recep" } else { "self.location != recep" };
            let check = Check { kind: CheckKind::Precondition, condition: condition.into(), status, detail: None };
            self.push(Event::Checked {
                proposal: id,
                verdict: Verdict { checks: vec![check], ..Verdict::default() }.into(),
            });
        }
        self.push(Event::Recommended {
            proposal: Some(first),
            why: "the highest score whose preconditions hold".into(),
        })
    }

    /// Takes the first proposal of the present node.
    pub fn step(&mut self) -> &mut Self {
        let proposal = self.proposals - 2;
        self.take(Choice::Approve { proposal })
    }

    /// Takes the same, typed by a person.
    pub fn typed(&mut self) -> &mut Self {
        self.proposals += 1;
        let (proposal, text) = (self.proposals, "go to desk 1");
        let action = Some(Action::new(text, Some("agent.goto('desk 1')".into())));
        let typed = Proposal { action, ..Proposal::new(proposal, text, Origin::Person) };
        self.push(Event::Proposed { proposal: typed.into() });
        self.take(Choice::Manual { proposal })
    }

    fn take(&mut self, choice: Choice) -> &mut Self {
        self.decisions += 1;
        let decision = Decision { id: self.decisions, choice, by: Actor::Person, why: String::new() };
        self.push(Event::Decided { decision: decision.into() });
        let child = self.nodes;
        self.push(Event::Executed {
            decision: self.decisions,
            child,
            action: Action::new("go to desk 1", Some("agent.goto('desk 1')".into())).into(),
            outcome: StepOutcome {
                observation: "On the desk 1, you see a mug 1.".into(),
                calls: vec!["agent.goto('desk 1')".into(), "agent.update_visible_objects('desk 1', 'mug 1')".into()],
                ..StepOutcome::default()
            }
            .into(),
            changes: json!([{"op": "replace", "path": "/agent/location", "value": "desk 1"}]).into(),
        });
        self.node = child;
        self.nodes += 1;
        self
    }

    /// Goes to another node.
    pub fn go(&mut self, to: NodeId) -> &mut Self {
        self.push(Event::Moved { to });
        self.node = to;
        self
    }

    pub fn records(&self) -> &[Record] {
        &self.records
    }

    pub fn opened(&self) -> Notice {
        let records = self.records.iter().cloned().map(Arc::new).collect();
        Notice::opened(header(), records, Some("/s/one.jsonl".into())).unwrap()
    }

    pub fn situation(&self) -> Notice {
        let admissible =
            ["examine desk 1", "go to desk 1", "go to shelf 1", "inventory", "look", "take mug 1 from desk 1"];
        Notice::Situation(Arc::new(Situation {
            node: self.node,
            admissible: Some(admissible.iter().map(|a| (*a).to_owned()).collect()),
            truth: json!({"agent": {"location": "desk 1"}, "objects": {"mug 1": "desk 1"}}),
            variables: json!({"agent": {"location": "desk 1", "inventory": null}}),
            truth_changes: json!([]),
            ..Situation::default()
        }))
    }
}

/// Records that a step of [`session`] adds.
pub const RECORDS_A_STEP: usize = 9;

/// Notices of a session of `steps` decisions, waiting at the gate.
pub fn session(steps: usize) -> Vec<Notice> {
    let mut builder = Builder::default();
    for _ in 0..steps {
        builder.propose().step();
    }
    builder.propose();
    vec![builder.opened(), builder.situation()]
}
