//! Simulated driver without terminal, network or clock, for the gate's tests: carries effects out at once and watches the invariants.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::json;

use super::super::artifact::{ArtifactId, ArtifactKind, Due, OfferId, Written};
use super::super::ask::AskKind;
use super::super::decision::Actor;
use super::super::event::StepOutcome;
use super::super::header::Header;
use super::super::proposal::{Check, CheckKind, Origin, Status};
use super::*;

/// A header for tests.
pub(crate) fn header() -> Header {
    Header {
        stepwright: "session".into(),
        version: super::super::header::FORMAT_VERSION,
        program: "test".into(),
        world: "counter".into(),
        data: "shipped".into(),
        task: "t".into(),
        sentence: "count".into(),
        method: "m".into(),
        model: "x".into(),
        ..Header::default()
    }
}

pub(super) fn draft(text: &str, origin: Origin) -> Draft {
    let action = Action::new(text, Some(format!("a.{}()", text.split(' ').next().unwrap())));
    Draft { origin, ..Draft::by_person(text, action) }
}

/// The gate with everything around it simulated.
pub(super) struct Sim {
    pub gate: Gate,
    pub records: Vec<Record>,
    pub said: Vec<(Level, String)>,
    /// Asks without an answer yet, cancelled ones included: late answers must do no harm.
    pub asks: Vec<(AskId, AskSpec)>,
    /// The actions that the world performed, with the decision it was given.
    pub performed: Vec<(DecisionId, String)>,
    /// The actions on the path to each node, as the world knows them.
    paths: BTreeMap<NodeId, Vec<String>>,
    path: Vec<String>,
    /// Texts that an adopted assertion forbids.
    forbidden: Vec<String>,
    /// Whether model asks carry a prompt (cost tokens).
    pub prompted: bool,
    pub clock: u64,
    /// Requests whose end is not reported yet, and those that ended.
    pub queued: BTreeSet<Ticket>,
    pub ended: Vec<(Ticket, Answer)>,
    /// The blocking tree's changes at each node, as they were put in force.
    trees: BTreeMap<NodeId, serde_json::Value>,
}

/// The invariants are checked at the end of every test.
impl Drop for Sim {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.check_invariants();
        }
    }
}

impl Sim {
    /// The gate alone, for what goes in and out of it.
    pub(crate) fn into_gate(mut self) -> Gate {
        let gate = std::mem::replace(&mut self.gate, Gate::new(Session::new(header())));
        self.records.clear();
        self.performed.clear();
        self.path.clear();
        gate
    }

    pub fn new() -> Self {
        let mut sim = Sim::over(Gate::new(Session::new(header())));
        sim.ask(Request::Begin {
            outcome: StepOutcome::default(),
            assertions: vec![],
            policy: None,
            form: None,
            belief: None,
        });
        sim
    }

    /// A simulation around a gate.
    pub fn over(gate: Gate) -> Self {
        Sim {
            gate: gate.treating(conducts()),
            records: vec![],
            said: vec![],
            asks: vec![],
            performed: vec![],
            paths: BTreeMap::from([(0, vec![])]),
            path: vec![],
            forbidden: vec![],
            prompted: true,
            clock: 0,
            queued: BTreeSet::new(),
            ended: vec![],
            trees: BTreeMap::new(),
        }
    }

    /// Closes the program and opens the session again.
    pub fn reopen(&mut self) {
        let mut session = Session::new(header());
        for record in &self.records {
            session.apply(record).unwrap();
        }
        assert_eq!(&session, self.gate.session());
        self.clock += 1;
        let (gate, effects) = Gate::resume(session, self.clock, false);
        self.gate = gate.treating(conducts());
        self.path = self.paths[&self.gate.session().cursor()].clone();
        self.carry_out(effects);
    }

    /// Asks the gate and carries everything out; returns the outcome of the request.
    pub fn ask(&mut self, request: Request) -> Answer {
        self.clock += 1;
        let (answer, effects) = self.gate.request(request, self.clock);
        if let Answer::Queued(ticket) = &answer {
            assert!(self.queued.insert(*ticket), "every request has its own ticket");
        }
        self.carry_out(effects);
        let Answer::Queued(ticket) = answer else { return answer };
        self.ended.iter().rev().find(|(of, _)| *of == ticket).map_or(answer, |(_, ended)| ended.clone())
    }

    pub fn report(&mut self, report: Report) {
        self.clock += 1;
        let effects = self.gate.report(report, self.clock);
        self.carry_out(effects);
    }

    /// The first step on the path with an update not dealt with: those that begin with `tell` or `say` have one.
    fn due(&self) -> Option<Due> {
        let session = self.gate.session();
        let reports = |n: &&super::super::session::Node| {
            n.action.as_ref().is_some_and(|a| a.text.starts_with("tell") || a.text.starts_with("say"))
        };
        let path = session.path(session.cursor());
        let mut due = path.iter().copied().filter(reports).map(|n| Due { step: n.id, nth: 0 });
        due.find(|due| !session.is_settled(*due))
    }

    /// Answers an ask with these texts.
    pub fn answer(&mut self, index: usize, texts: &[&str]) {
        if self.asks.is_empty() {
            return;
        }
        let (ask, spec) = self.asks.remove(index % self.asks.len());
        if spec.kind == AskKind::BELIEF {
            let (text, due) = (texts.first().unwrap_or(&""), self.due());
            let Some(due) = due else { return };
            let written = Box::new(written(due, text));
            return self.report(Report::Written { ask, texts: vec![text.to_string()], usage: None, ms: 1, written });
        }
        let origin = if spec.temperature == 0.0 { Origin::Greedy } else { Origin::Sample };
        let drafts = texts.iter().map(|t| draft(t, origin)).collect();
        let usage = spec.prompt.as_ref().map(|_| stepwright_wire::Usage::new(90, 10));
        self.report(Report::Answered {
            ask,
            texts: texts.iter().map(|t| t.to_string()).collect(),
            usage,
            ms: 1,
            drafts,
        });
    }

    pub fn fail(&mut self, index: usize) {
        if !self.asks.is_empty() {
            let (ask, _) = self.asks.remove(index % self.asks.len());
            self.report(Report::AskFailed { ask, error: "no server".into(), usage: None, partial: String::new() });
        }
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        let mut queue: VecDeque<Effect> = effects.into();
        let mut budget = 10_000;
        while let Some(effect) = queue.pop_front() {
            budget -= 1;
            assert!(budget > 0, "the gate never comes to rest");
            let report = match effect {
                Effect::Persist(record) => {
                    assert_eq!(record.id, self.records.len() as u64 + 1, "records arrive in order");
                    self.records.push(record);
                    continue;
                }
                Effect::Say(level, text) => {
                    self.said.push((level, text));
                    continue;
                }
                Effect::AskModel { ask, spec } | Effect::AskSymbolic { ask, spec } => {
                    self.asks.push((ask, spec));
                    continue;
                }
                Effect::CancelAsk(_) => continue,
                Effect::Consult { round, samples } => Report::Advised(self.advise(round, samples)),
                Effect::CheckProposal(p) => Report::Checked { proposal: p.id, verdict: self.verdict(&p) },
                Effect::ReadText { text, .. } => Report::Read(match text.trim() {
                    "" => Err("nothing was typed".into()),
                    text => Ok(draft(text, Origin::Person)),
                }),
                Effect::CheckChange { artifact, to } => Report::ChangeChecked(checked(&artifact, to)),
                Effect::ApplyChange(artifact) => {
                    let changed = |event: &Event| match event {
                        Event::ArtifactSettled { artifact: of, .. } | Event::ArtifactUndone { artifact: of } => {
                            *of == artifact
                        }
                        _ => false,
                    };
                    assert!(self.records.last().is_some_and(|r| changed(&r.event)), "in force once that is written");
                    let session = self.gate.session();
                    match artifact.kind {
                        ArtifactKind::Tree => {
                            let made = session.document(&artifact).map(|document| document.as_ref().clone());
                            self.trees.insert(session.cursor(), made.unwrap_or_default());
                        }
                        ArtifactKind::Assertions => {
                            let set = session.assertions().get(&artifact.key);
                            self.forbidden = set.map(|(texts, _)| texts.clone()).unwrap_or_default();
                        }
                        _ => {}
                    }
                    continue;
                }
                Effect::StepWorld { decision, action } => self.step(decision, &action),
                Effect::MoveWorld { to } => {
                    self.path = self.paths[&to].clone();
                    Report::Moved { to, result: Ok(()) }
                }
                Effect::Prepare(_) => Report::Prepared(Ok(())),
                Effect::Configure => {
                    assert!(
                        matches!(self.records.last().unwrap().event, Event::Configured(_)),
                        "in use once that is written"
                    );
                    continue;
                }
                Effect::Ended { ticket, answer } => {
                    assert!(self.queued.remove(&ticket), "a request ends once, and only a queued one is reported");
                    self.ended.push((ticket, answer));
                    continue;
                }
            };
            queue.extend(self.gate.report(report, self.clock));
        }
    }

    /// Greedy first, then what was offered first and not rejected.
    fn advise(&self, round: AskId, samples: Option<u32>) -> Advice {
        let turn = &self.gate.session().current().unwrap().turn;
        let prompt = self.prompted.then(no_prompt);
        let spec = |n, temperature| AskSpec {
            kind: AskKind::GREEDY,
            model: "x".into(),
            prompt,
            n,
            temperature,
            shape: Default::default(),
        };
        if let Some(due) = self.due() {
            let step = usize::try_from(due.step).unwrap();
            if self.gate.session().nodes()[step].action.as_ref().unwrap().text.starts_with("say") {
                return Advice::Offer(Box::new(written(due, "said")));
            }
            return Advice::Ask(AskSpec { kind: AskKind::BELIEF, ..spec(1, 0.0) });
        }
        if self.gate.session().is_done() {
            return Advice::Rest;
        }
        if let Some(n) = samples {
            return Advice::Ask(spec(n, 0.7));
        }
        let mut open =
            turn.proposals.iter().filter(|p| p.ask.is_some_and(|a| a >= round) && turn.rejection(p.id).is_none());
        match open.next() {
            Some(p) => Advice::Recommend { proposal: Some(p.id), why: "first".into() },
            None if turn.asks.iter().any(|a| a.id >= round) => Advice::Recommend { proposal: None, why: "none".into() },
            None => Advice::Ask(spec(1, 0.0)),
        }
    }

    /// `bad …` and what is forbidden fail a precondition, `odd …` cannot be decided, nothing can be checked of `blank …`; `gone` is
    /// refused once `take` was done.
    fn verdict(&self, proposal: &Proposal) -> Verdict {
        let text = &proposal.action.as_ref().unwrap().text;
        if text.starts_with("blank") {
            return Verdict::default();
        }
        let status = if text.starts_with("bad") || self.forbidden.contains(text) {
            Status::Fails
        } else if text.starts_with("odd") {
            Status::Unknown
        } else {
            Status::Holds
        };
        let check = |kind, status| Check { kind, condition: "c".into(), status, detail: None };
        let accepted = if self.refuses(text) { Status::Fails } else { Status::Holds };
        Verdict {
            checks: vec![check(CheckKind::Precondition, status), check(CheckKind::World, accepted)],
            ..Verdict::default()
        }
    }

    fn refuses(&self, text: &str) -> bool {
        text == "gone" && self.path.iter().any(|p| p == "take")
    }

    fn step(&mut self, decision: DecisionId, action: &Action) -> Report {
        // Decided before it is executed, and on disk before that.
        assert!(self.records.iter().any(|r| matches!(&r.event, Event::Decided { decision: d } if d.id == decision)));
        let refused = self.refuses(&action.text);
        self.performed.push((decision, action.text.clone()));
        self.path.push(action.text.clone());
        self.paths.insert(self.gate.session().next_node(), self.path.clone());
        let outcome = StepOutcome {
            observation: format!("after {}", self.path.join(", ")),
            error: refused.then(|| "it is gone".to_owned()),
            done: action.text.ends_with("end"),
            won: action.text.ends_with("end"),
            blocked: action.text.starts_with("block").then(|| "c".to_owned()),
            ..StepOutcome::default()
        };
        Report::Stepped { decision, result: Ok((outcome, json!([]))) }
    }

    /// Everything that must hold after any request.
    pub(crate) fn check_invariants(&self) {
        let session = self.gate.session();
        let mut fold = Session::new(header());
        for record in &self.records {
            fold.apply(record).unwrap();
        }
        assert_eq!(&fold, session, "the fold of the records is the session");
        assert_eq!(self.paths[&session.cursor()], self.path, "the world is where the session is");
        assert!(self.gate.is_at_rest() || self.gate.is_asking(), "nothing is left hanging");
        assert!(self.queued.is_empty(), "every request is answered: {:?}", self.queued);
        for (at, made) in &self.trees {
            let said = session.node(*at).and_then(|node| node.document(&ArtifactId::TREE));
            assert_eq!(
                Some(made).filter(|m| !m.is_null()),
                said.map(AsRef::as_ref),
                "the tree is what the session says"
            );
        }

        let mut waiting: BTreeMap<NodeId, OfferId> = BTreeMap::new();
        // Offers beside the episode are decided about whenever a person likes.
        let mut beside: BTreeSet<OfferId> = BTreeSet::new();
        let mut decided = BTreeMap::new();
        let mut executed = BTreeSet::new();
        let mut performed = self.performed.iter();
        let (mut cancelled, mut policy, mut automatic) = (BTreeSet::new(), Policy::manual(), 0u32);
        for record in &self.records {
            match &record.event {
                Event::Decided { decision } => {
                    if decision.by == Actor::Policy {
                        let asked = session.node(record.node).unwrap().outcome.asked.as_ref();
                        if !asked.is_some_and(|asked| policy.conversations.contains(&(asked.thread + 1))) {
                            automatic += 1;
                        }
                        assert!(automatic <= policy.steps, "the policy takes at most its steps");
                    }
                    decided.insert(decision.id, (decision.clone(), record.node));
                }
                Event::Executed { decision, action, outcome, .. } => {
                    let (taken, node) = &decided[decision];
                    if taken.by == Actor::Policy && !outcome.is_executed() {
                        automatic = automatic.saturating_sub(1);
                    }
                    assert!(taken.takes(), "a rejection is never executed");
                    assert_eq!(*node, record.node, "executed where it was decided");
                    assert!(executed.insert(*decision), "nothing is executed twice");
                    let proposal = session.node(*node).unwrap().turn.proposal(taken.proposal()).unwrap();
                    assert_eq!(
                        proposal.action.as_ref(),
                        Some(action.as_ref()),
                        "what was approved is what is executed"
                    );
                    assert_eq!(
                        performed.next(),
                        Some(&(*decision, action.text.clone())),
                        "and what the world performed"
                    );
                }
                Event::AskFailed { ask, .. } => {
                    cancelled.insert(*ask);
                }
                Event::Answered { ask, .. } => assert!(!cancelled.contains(ask), "a cancelled ask is not answered"),
                Event::Proposed { proposal } => {
                    assert!(!waiting.contains_key(&record.node), "nothing is proposed while a belief waits");
                    assert!(!proposal.ask.is_some_and(|a| cancelled.contains(&a)), "a cancelled ask proposes nothing");
                }
                Event::ArtifactOffered { offer, beside: false, .. } => {
                    waiting.insert(record.node, *offer);
                }
                Event::ArtifactOffered { offer, .. } => {
                    beside.insert(*offer);
                }
                Event::ArtifactSettled { offer: Some(offer), by, edited, .. } => {
                    if !beside.contains(offer) {
                        assert_eq!(
                            waiting.remove(&record.node),
                            Some(*offer),
                            "what was offered last is what is taken"
                        );
                    }
                    assert!(
                        *by == Actor::Person || (policy.is_automatic() && !edited),
                        "only a policy takes by itself"
                    );
                }
                Event::ArtifactSettled { artifact, offer: None, by, .. } if *artifact == ArtifactId::BELIEF => {
                    let asked = |r: &Record| r.id < record.id && matches!(r.event, Event::Asked { .. });
                    let begins = !self.records.iter().any(asked);
                    assert!(*by == Actor::Person || begins, "only the belief an episode begins with is no person's");
                    assert!(!waiting.contains_key(&record.node), "corrected between decisions");
                }
                Event::ArtifactRefused { offer, .. } if beside.contains(offer) => {}
                Event::ArtifactRefused { offer, .. } => assert_eq!(waiting.remove(&record.node), Some(*offer)),
                Event::ArtifactReopened { offer } if beside.contains(offer) => {}
                Event::ArtifactReopened { offer } => assert_eq!(waiting.insert(record.node, *offer), None),
                Event::PolicySet { policy: set, .. } => (policy, automatic) = (set.clone(), 0),
                _ => {}
            }
        }
        assert_eq!(performed.next(), None, "the world performed nothing unrecorded");
    }
}

/// How the simulated documents are treated: assertions have what is proposed checked again.
fn conducts() -> Conducts {
    [("assertions", Conduct { follows: Follows::Checks, ..Conduct::USUAL })].into()
}

/// A document that is to be: a text is none where it is empty or `gone`; nothing is in force for `fly`, and no tree has a node 9.
fn checked(artifact: &ArtifactId, to: Unchecked) -> Result<serde_json::Value, String> {
    match to {
        Unchecked::Text(text) if text.is_empty() || text == "gone" => Err(format!("line 1: `{text}` is no state")),
        Unchecked::Text(text) => Ok(json!({ "typed": text })),
        Unchecked::Value(_) if *artifact == ArtifactId::assertions("fly") => Err("`fly` is no action".into()),
        Unchecked::Value(value) if value.to_string().contains("9") => Err("there is no node 9".into()),
        Unchecked::Value(value) => Ok(value),
    }
}

/// A belief as written: none where the text begins with `bad`.
fn written(due: Due, text: &str) -> Written {
    let bad = text.starts_with("bad");
    Written {
        artifact: ArtifactId::BELIEF,
        due: Some(due),
        title: "told".into(),
        raw: text.into(),
        repairs: vec![],
        value: (!bad).then(|| json!({ "written": text }).into()),
        problem: bad.then(|| "line 1: it is bad".to_owned()),
    }
}

pub(super) fn no_prompt() -> super::super::event::PromptRecord {
    super::super::event::PromptRecord {
        template: "t".into(),
        template_hash: "h".into(),
        messages: vec![],
        left_out: None,
        candidates: None,
    }
}
