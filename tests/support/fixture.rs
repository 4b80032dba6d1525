//! Synthetic session for tests and benchmarks of the panes, built by the notices a driver would send.

#![allow(dead_code, reason = "each test target uses a part of it")]
#![allow(clippy::expect_used, reason = "a fixture that does not fit is a failing test")]

use std::sync::Arc;

use serde_json::{Value, json};
use stepwright::blocking::{BlockingNode, BlockingTree, NodeKind, NodeStatus};
use stepwright::driver::{Notice, Situation};
use stepwright::episode::{
    Action, Actor, AskKind, Assertions, Check, CheckKind, Choice, Decision, Event, FORMAT_VERSION, Header, NodeId,
    Origin, PromptMessage, PromptRecord, Proposal, ProposalId, Record, Session, Status, StepOutcome, Usage, Verdict,
};
use stepwright::library::{Impact, Judged, JudgedCounts, Look, Stopped};
use stepwright::methods::METHODS;
use stepwright::precondition::{
    ActionComparison, AdoptedAction, AdoptedSet, Candidate, CandidateOrigin, Counterpart, ExcludedStep, Inspection,
    Occasion, Pool, Reading, Related, Relation, Score, SetComparison, SideBySide, StepView, Validity,
};
use stepwright::program::Literal;
use stepwright::tui::view::View;

pub struct Script {
    pub view: View,
    session: Session,
    records: Vec<Record>,
}

pub const SPECIFICATION: &str = "class Environment:\n    def __init__(self):\n        self.objects = {}\n\n\n\
    class Agent:\n    def __init__(self, env):\n        self.env = env\n        self.location = None\n\n\
    \x20   def take(self, obj, recep):\n        # the hand must be empty\n        assert self.inventory is None\n\
    \x20       self.inventory = obj\n";

pub fn header() -> Header {
    Header {
        stepwright: "session".into(),
        version: FORMAT_VERSION,
        program: "0.1.0".into(),
        created: 1_700_000_000_000,
        world: "household".into(),
        data: "shipped".into(),
        task: "pick-1".into(),
        sentence: "put a mug in desk.".into(),
        method: "preconditions".into(),
        model: "gpt-test".into(),
        specification: SPECIFICATION.into(),
        opening: vec![
            "def put_a_mug_in_desk():".into(),
            "# put a mug in desk.".into(),
            "env = Environment()".into(),
            "agent = Agent(env)".into(),
        ],
        ..Header::default()
    }
}

pub fn outcome(observation: &str, calls: &[&str]) -> StepOutcome {
    StepOutcome {
        observation: observation.into(),
        calls: calls.iter().map(|c| (*c).to_owned()).collect(),
        ..StepOutcome::default()
    }
}

pub fn check(condition: &str, status: Status, detail: &str) -> Check {
    let detail = (!detail.is_empty()).then(|| detail.to_owned());
    Check { kind: CheckKind::Precondition, condition: condition.into(), status, detail }
}

/// Numbers a session's records without a view.
pub fn push(session: &mut Session, records: &mut Vec<Record>, event: Event) {
    let id = records.len() as u64 + 1;
    let record = Record { id, ts: 1_700_000_000_000 + id * 350, node: session.cursor(), event };
    session.apply(&record).expect("the fixture's records fit");
    records.push(record);
}

impl Script {
    /// A session that has just been reset.
    pub fn open() -> Self {
        let mut view = View::new(Default::default(), Default::default(), &METHODS);
        view.notice(Notice::opened(header(), Vec::new(), Some("session.jsonl".into())).expect("no record, so all fit"));
        let mut script = Script { view, session: Session::new(header()), records: Vec::new() };
        let seen =
            "You are in the middle of a room. You see a desk 1, a shelf 2.\n\nYour task is to: put a mug in desk.";
        script.event(Event::Started {
            outcome: outcome(seen, &["agent.update_visible_receps('desk 1', 'shelf 2')"]).into(),
        });
        script.situation(json!({"agent": {"location": null, "inventory": null}}), json!([]));
        script
    }

    pub fn event(&mut self, event: Event) {
        push(&mut self.session, &mut self.records, event);
        let record = self.records.last().expect("just pushed").clone();
        self.view.notice(Notice::Recorded(Arc::new(record)));
    }

    pub fn situation(&mut self, variables: Value, truth_changes: Value) {
        let truth = json!({
            "objects": {"mug 1": {"at": "shelf 2", "clean": false}, "desk 1": {"holds": []}},
            "robot": {"at": "room"},
        });
        let situation = Situation {
            live: false,
            node: self.session.cursor(),
            admissible: Some(vec!["go to desk 1".into(), "go to shelf 2".into()]),
            truth,
            variables,
            map: None,
            truth_changes,
            goals: goals(),
            ..Situation::default()
        };
        self.view.notice(Notice::Situation(Arc::new(situation)));
    }

    /// An ask of the model, still under way.
    pub fn ask(&mut self, kind: &str) -> u64 {
        let ask = self.session.next_ask();
        let message = |role: &str, text: &str| PromptMessage { role: role.into(), text: text.into() };
        let prompt = PromptRecord {
            template: "preconditions/next_action".into(),
            template_hash: "0123456789abcdef0123456789abcdef".into(),
            messages: vec![
                message("system", "You complete a program that acts in a household."),
                message("user", "def put_a_mug_in_desk():\n    agent = Agent(env)\n    agent."),
            ],
            left_out: None,
            candidates: None,
        };
        let (kind, model) = (AskKind::from_words(kind), "gpt-test".to_owned());
        self.event(Event::Asked { ask, kind, model, prompt: Some(prompt.into()), n: 2, temperature: 0.7 });
        ask
    }

    pub fn answer(&mut self, ask: u64, texts: &[&str]) {
        let texts: Vec<String> = texts.iter().map(|t| (*t).to_owned()).collect();
        let usage = Some(Usage::new(812, 17));
        self.event(Event::Answered { ask, texts: texts.into(), usage, ms: 1_234 });
    }

    pub fn propose(&mut self, text: &str, call: Option<&str>, origin: Origin, verdict: Option<Verdict>) -> ProposalId {
        let id = self.session.next_proposal();
        let proposal = Proposal {
            action: Some(Action::new(text, call.map(str::to_owned))),
            score: Some(0.75),
            logprob: (origin != Origin::Symbolic).then_some(-0.41),
            ..Proposal::new(id, call.unwrap_or(text).to_owned(), origin)
        };
        self.event(Event::Proposed { proposal: proposal.into() });
        if let Some(verdict) = verdict {
            self.event(Event::Checked { proposal: id, verdict: verdict.into() });
        }
        id
    }

    pub fn decide(&mut self, choice: Choice) -> u64 {
        let id = self.session.next_decision();
        self.event(Event::Decided { decision: Decision { id, choice, by: Actor::Person, why: String::new() }.into() });
        id
    }

    pub fn execute(&mut self, proposal: ProposalId, outcome: StepOutcome, changes: Value) -> NodeId {
        let decision = self.decide(Choice::Approve { proposal });
        let turn = &self.session.current().expect("started").turn;
        let action = turn.proposal(proposal).and_then(|p| p.action.clone()).expect("the fixture's action");
        let child = self.session.next_node();
        self.event(Event::Executed {
            decision,
            child,
            action: action.into(),
            outcome: outcome.into(),
            changes: changes.into(),
        });
        child
    }

    pub fn go(&mut self, to: NodeId) {
        self.event(Event::Moved { to });
    }
}

pub fn holds() -> Verdict {
    Verdict { checks: vec![check("self.is_reachable(recep)", Status::Holds, "")], effect: None, preview: None }
}

pub fn fails() -> Verdict {
    let detail = "self.inventory is 'mug 1', not None: AssertionError";
    Verdict {
        checks: vec![
            check("self.is_reachable(recep)", Status::Holds, ""),
            check("self.inventory is None", Status::Fails, detail),
            check("self.knows(obj)", Status::Unknown, "Unsupported: `yield`"),
        ],
        effect: Some(json!([{"op": "replace", "path": "/agent/location", "value": "desk 1"}]).into()),
        preview: Some("You arrive at desk 1. On the desk 1, you see nothing.".into()),
    }
}

/// Three steps (the second refused), then two proposals that wait, of which one is chosen.
pub fn episode() -> Script {
    let mut s = Script::open();
    let assertions = vec!["self.inventory is None".into()];
    s.event(Assertions { action: "take".into(), assertions, origin: "specification".into() }.event(Actor::Policy));
    let ask = s.ask("next action, greedy");
    s.answer(ask, &["goto('shelf 2')"]);
    let p = s.propose("go to shelf 2", Some("agent.goto('shelf 2')"), Origin::Greedy, Some(holds()));
    s.event(Event::Recommended { proposal: Some(p), why: "every precondition holds".into() });
    let seen = "You arrive at shelf 2. On the shelf 2, you see a mug 1.";
    let calls = ["agent.goto('shelf 2')", "agent.update_visible_objects('shelf 2', 'mug 1')"];
    let patch = json!([{"op": "replace", "path": "/agent/location", "value": "shelf 2"}]);
    s.execute(p, outcome(seen, &calls), patch);
    s.situation(json!({"agent": {"location": "shelf 2", "inventory": null}}), json!([]));

    let p = s.propose("take mug 1 from desk 1", Some("agent.take('mug 1', 'desk 1')"), Origin::Sample, Some(fails()));
    let mut refused = outcome("Nothing happens.", &[]);
    refused.error = Some("Nothing happens.".into());
    s.execute(p, refused, json!([]));
    s.situation(json!({"agent": {"location": "shelf 2", "inventory": null}}), json!([]));

    let p = s.propose("take mug 1 from shelf 2", Some("agent.take('mug 1', 'shelf 2')"), Origin::Greedy, Some(holds()));
    let patch = json!([
        {"op": "replace", "path": "/agent/inventory", "value": "mug 1"},
        {"op": "add", "path": "/agent/seen", "value": ["mug 1"]},
        {"op": "remove", "path": "/agent/wanted"},
    ]);
    s.execute(p, outcome("You pick up the mug 1 from the shelf 2.", &["agent.take('mug 1', 'shelf 2')"]), patch);
    s.situation(
        json!({"agent": {"location": "shelf 2", "inventory": "mug 1", "seen": ["mug 1"]}, "receptacles": {"desk 1": {}, "shelf 2": {"holds": ["a", "b"]}}}),
        json!([{"op": "replace", "path": "/objects/mug 1/at", "value": "hand"}]),
    );

    let ask = s.ask("next action, samples");
    s.answer(ask, &["goto('desk 1')", "goto('desk 1')  # to put the mug down"]);
    let a = s.propose("go to desk 1", Some("agent.goto('desk 1')"), Origin::Greedy, Some(holds()));
    s.propose("take mug 2 from shelf 2", Some("agent.take('mug 2', 'shelf 2')"), Origin::Sample, Some(fails()));
    s.propose("look", None, Origin::Person, None);
    let id = s.session.next_proposal();
    s.event(Event::Proposed {
        proposal: Proposal {
            problem: Some("SyntaxError: invalid syntax".into()),
            logprob: Some(-2.1),
            rationale: Some("it is late".into()),
            ask: Some(ask),
            ..Proposal::new(id, "the robot should \u{1b}[31mgo home", Origin::Sample)
        }
        .into(),
    });
    s.event(Event::Recommended { proposal: Some(a), why: "first whose preconditions all hold".into() });
    s
}

pub fn goals() -> BlockingTree {
    let node = |parent, kind, text: &str, status, why: &str| BlockingNode {
        parent,
        kind,
        text: text.into(),
        status,
        why: why.into(),
        handle: None,
    };
    use NodeKind::{Action, Condition, Goal};
    use NodeStatus::{Blocked, Open, Unknown};
    BlockingTree {
        nodes: vec![
            node(None, Goal, "put a mug in desk.", Blocked, "no mug is in a desk yet"),
            node(Some(0), Action, "put mug 1 in/on desk 1", Blocked, "two of its preconditions do not hold"),
            node(
                Some(1),
                Condition,
                "self.location == recep",
                Blocked,
                "the location is 'shelf 2'; going there would change it",
            ),
            node(Some(2), Action, "go to desk 1", Open, "its effect is self.location = 'desk 1'"),
            node(Some(1), Condition, "self.inventory == obj", Open, "it holds 'mug 1'"),
            node(Some(0), Action, "examine desk 1", Unknown, "whether it helps cannot be told"),
        ],
    }
}

pub fn pool() -> Pool {
    let candidate = |id, text: &str, fate, coverage, cluster, optimal, representative| Candidate {
        id,
        text: text.into(),
        origin: CandidateOrigin::Enumerated,
        fate,
        coverage,
        cluster,
        optimal,
        representative,
        rejected: false,
        times: 0,
        logprob: None,
    };
    let failing = Validity::Fails {
        demonstration: 2,
        call: 7,
        at: "agent.take('mug 1', 'shelf 2')".into(),
        exception: "AssertionError".into(),
        message: "self.inventory is 'mug 2'".into(),
        failing: 3,
    };
    let malformed = Validity::Malformed { reason: "SyntaxError".into(), message: "unexpected `:=` at column 4".into() };
    let unknown = Validity::Unknown { reason: "Unsupported".into(), message: "`yield` is not offered".into() };
    let mut pool = Pool {
        action: "take".into(),
        params: vec!["obj".into(), "recep".into()],
        candidates: vec![
            candidate(0, "self.location is not None", Validity::Valid, Some(40), Some(0), false, true),
            candidate(1, "self.location == recep", Validity::Valid, Some(12), Some(1), true, true),
            candidate(2, "recep == self.location", Validity::Valid, Some(12), Some(1), true, false),
            candidate(3, "self.inventory == 'mug'", failing, Some(3), None, false, false),
            candidate(4, "self := recep", malformed, None, None, false, false),
            candidate(5, "any((yield x) for x in self.seen)", unknown, None, None, false, false),
            candidate(6, "obj in self.env.objects[recep]", Validity::Valid, Some(9), Some(2), true, true),
        ],
        held_back: vec![candidate(7, "self.hands == 0", Validity::Valid, Some(7), None, false, false)],
        in_force: Vec::new(),
        by_equation: ["self.location == recep", "self.hands == 0"].map(str::to_owned).into(),
        instances: 64,
        calls: 11,
        running: false,
    };
    if let Some(last) = pool.candidates.last_mut() {
        last.rejected = true;
    }
    pool
}

/// A step of a demonstration, asked about with other arguments.
pub fn place(call: usize) -> Occasion {
    Occasion {
        demonstration: 2,
        id: "heat-3".into(),
        call,
        at: "agent.goto('shelf 2')".into(),
        args: vec![Literal::Str("mug 1".into()), Literal::Str("desk 1".into())],
    }
}

/// The inspection of a candidate of [`pool`].
pub fn inspection(id: usize) -> Arc<Inspection> {
    let candidate = pool().candidates[id].clone();
    let related = |text: &str, relation, in_force, optimal| Related { text: text.into(), relation, in_force, optimal };
    let evaluated = candidate.coverage.is_some();
    let step = |call, more, made| ExcludedStep { place: place(call), more, made };
    Arc::new(Inspection {
        action: "take".into(),
        instances: 64,
        related: match id {
            _ if !evaluated => Vec::new(),
            1 => vec![
                related("recep == self.location", Relation::Equivalent, false, true),
                related("self.inventory is None", Relation::Implies, true, false),
                related("self.location is not None", Relation::Implies, false, false),
            ],
            _ => vec![related("self.location == recep", Relation::ImpliedBy, false, true)],
        },
        in_force: false,
        permitted: Some(30),
        excluded: if evaluated { 18 } else { 0 },
        excluded_steps: if evaluated { 4 } else { 0 },
        steps: if evaluated { vec![step(3, 5, id == 3), step(7, 0, false), step(8, 2, false)] } else { Vec::new() },
        stronger: (id == 0).then(|| "self.location == recep".into()),
        candidate,
    })
}

/// What a text would have stopped of the library: nothing is in it but for texts with a pan.
pub fn impact(action: &str, text: &str) -> Arc<Impact> {
    let mut impact = Impact { action: action.into(), assertion: text.into(), ..Impact::default() };
    if text.contains("pan") {
        let stopped = |judged, node, words: &str| Stopped {
            file: "/logs/kitchen-run.jsonl".into(),
            episode: String::new(),
            node,
            aside: false,
            action: "take pan 1 from stove 1".into(),
            call: "agent.take('pan 1', 'stove 1')".into(),
            judged,
            words: words.into(),
            why: "it is false; obj is 'pan 1'".into(),
        };
        (impact.decisions, impact.sessions) = (214, 12);
        impact.stopped = JudgedCounts { rejected: 1, refused: 1, right: 1, ..JudgedCounts::default() };
        impact.listed = vec![
            stopped(Judged::Right, 7, ""),
            stopped(Judged::Rejected, 3, "the pan is hot"),
            stopped(Judged::Refused, 5, "Nothing happens."),
        ];
    }
    impact.into()
}

/// A decision of the library.
pub fn look(stopped: &Stopped, text: &str) -> Arc<Look> {
    Arc::new(Look {
        stopped: stopped.clone(),
        before: (0..24).map(|i| format!("agent.goto('drawer {i}')")).collect(),
        variables: json!({ "agent": { "inventory": null, "location": "stove 1" }, "env": { "states": {} } }),
        assertion: text.into(),
        outcome: "it is false".into(),
        values: vec![("obj".into(), "'pan 1'".into())],
    })
}

/// A step where two expressions differ.
pub fn step_view() -> Arc<StepView> {
    let reading = |text: &str, holds, outcome: &str, values: &[(&str, &str)]| Reading {
        text: text.into(),
        holds,
        outcome: outcome.into(),
        values: values.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect(),
    };
    Arc::new(StepView {
        action: "take".into(),
        place: place(7),
        calls: (0..24).map(|i| format!("agent.goto('drawer {i}')")).collect(),
        readings: vec![
            reading("self.location is not None", Some(true), "holds", &[("self.location", "'shelf 2'")]),
            reading(
                "self.location == recep",
                Some(false),
                "is false",
                &[("self.location", "'shelf 2'"), ("recep", "'desk 1'")],
            ),
            reading(
                "self.lamp",
                Some(false),
                "raises AttributeError: no lamp",
                &[("self.lamp", "raises AttributeError")],
            ),
        ],
    })
}

/// Two sets side by side, and the right one.
pub fn comparison() -> (Arc<SetComparison>, Arc<AdoptedSet>) {
    let text = |t: &str| (!t.is_empty()).then(|| t.to_owned());
    let row = |left: &str, right: &str, counterpart| SideBySide {
        left: text(left),
        right: text(right),
        counterpart,
        finding: None,
    };
    let score = Score::new(0.5, 1.0);
    let take = ActionComparison {
        action: "take".into(),
        params: vec!["obj".into(), "recep".into()],
        rows: vec![
            row("self.inventory is None", "self.inventory is None", Counterpart::Same),
            row("self.location == recep", "recep == self.location", Counterpart::Equivalent),
            row("self.location is not None", "", Counterpart::Implied),
            row("", "obj in self.env.objects[recep]", Counterpart::Only),
        ],
        score: Ok(score),
        difference: Some((place(7), true)),
    };
    let look = ActionComparison {
        action: "look".into(),
        params: vec![],
        rows: vec![],
        score: Ok(Score::new(1.0, 1.0)),
        difference: None,
    };
    let fly = ActionComparison {
        action: "fly".into(),
        params: vec![],
        rows: vec![row("", "self.wings", Counterpart::Unknown)],
        score: Err("`fly` is no action of the specification".into()),
        difference: None,
    };
    let assertions = ["self.inventory is None", "recep == self.location", "obj in self.env.objects[recep]"];
    let right = AdoptedAction {
        action: "take".into(),
        params: vec!["obj".into(), "recep".into()],
        assertions: assertions.map(str::to_owned).into(),
    };
    let sets = SetComparison {
        left: "in force".into(),
        right: "mine.preconditions.py".into(),
        actions: vec![take, look, fly],
        score: Some(Score::new(0.75, 1.0)),
    };
    (Arc::new(sets), Arc::new(AdoptedSet { actions: vec![right], ..AdoptedSet::default() }))
}

/// A session of `n` steps in one line, opened at its end.
pub fn long(n: u64) -> View {
    let mut session = Session::new(header());
    let mut records = Vec::new();
    let begin = outcome("You are in the middle of a room.", &["agent.update_visible_receps('desk 1')"]);
    push(&mut session, &mut records, Event::Started { outcome: begin.into() });
    for i in 1..=n {
        let (text, call) = (format!("go to drawer {i}"), format!("agent.goto('drawer {i}')"));
        let action = Action::new(text, Some(call.clone()));
        let proposal = Proposal {
            action: Some(action.clone()),
            score: Some(1.0),
            ..Proposal::new(i, call.clone(), Origin::Symbolic)
        };
        push(&mut session, &mut records, Event::Proposed { proposal: proposal.into() });
        push(&mut session, &mut records, Event::Checked { proposal: i, verdict: holds().into() });
        let choice = Choice::Approve { proposal: i };
        let decision = Decision { id: i, choice, by: Actor::Policy, why: String::new() };
        push(&mut session, &mut records, Event::Decided { decision: decision.into() });
        let seen = format!("You arrive at drawer {i}. The drawer {i} is closed.");
        let seen = outcome(&seen, &[&call, &format!("agent.update_status('drawer {i}', 'closed')")]);
        let changes = json!([{"op": "replace", "path": "/agent/location", "value": format!("drawer {i}")}]);
        push(
            &mut session,
            &mut records,
            Event::Executed {
                decision: i,
                child: i,
                action: action.into(),
                outcome: seen.into(),
                changes: changes.into(),
            },
        );
    }
    let mut view = View::new(Default::default(), Default::default(), &METHODS);
    view.notice(Notice::opened(header(), records.into_iter().map(Arc::new).collect(), None).expect("records that fit"));
    let drawers: serde_json::Map<String, Value> =
        (1..=n.min(2_000)).map(|i| (format!("drawer {i}"), json!({"status": "closed"}))).collect();
    let situation = Situation {
        live: false,
        node: n,
        admissible: None,
        truth: json!({ "drawers": drawers.clone() }),
        variables: json!({"agent": {"location": format!("drawer {n}")}, "drawers": drawers}),
        map: None,
        truth_changes: json!([]),
        goals: goals(),
        ..Situation::default()
    };
    view.notice(Notice::Situation(Arc::new(situation)));
    view
}
