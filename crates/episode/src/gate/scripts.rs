//! Scripts of requests: what the gate records, answers and says, as snapshots.
//!
//! A script is a part of a file in `scripts/`: a heading (`# what it shows`), then lines of requests and of what happens (below). The
//! snapshot repeats each line and says what it had recorded (at which node, without the prompt), what was refused or said, which actions the
//! world performed, and which parts of the session are others now.

use std::fmt::Write;

use serde_json::{Value, json};

use super::simulation::{Sim, header, no_prompt};
use super::*;
use crate::{ArtifactId, AskKind, Assertions, BranchEdit, Breakpoint, Node, OfferState, PromptMessage, Written};

/// A script under way: the simulation, and what was shown of the session last.
struct Play {
    sim: Sim,
    shown: Vec<(&'static str, String)>,
    out: String,
}

fn assertions(text: &str) -> Assertions {
    let (action, text) = text.split_once(' ').unwrap_or((text, ""));
    Assertions { action: action.into(), assertions: vec![text.into()], origin: "edited".into() }
}

fn artifact(name: &str) -> ArtifactId {
    match name {
        "belief" => ArtifactId::BELIEF,
        "tree" => ArtifactId::TREE,
        "knowledge" => ArtifactId::KNOWLEDGE,
        action => ArtifactId::assertions(action),
    }
}

/// An ask beside the episode.
pub(super) fn background_ask() -> AskSpec {
    AskSpec {
        kind: AskKind::Candidates { action: "go".into() },
        model: "x".into(),
        prompt: Some(no_prompt()),
        n: 2,
        temperature: 0.7,
        shape: Default::default(),
    }
}

/// Tips that were found beside the episode.
fn tips(tip: &str) -> Box<Written> {
    Box::new(Written {
        artifact: ArtifactId::KNOWLEDGE,
        due: None,
        title: "tips of two logs".into(),
        raw: tip.into(),
        repairs: Vec::new(),
        value: Some(json!({ "tips": [tip] }).into()),
        problem: None,
    })
}

/// A request by its words: `edit 1 text`.
fn request(line: &str, gate: &Gate) -> Request {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let (first, text) = rest.split_once(' ').map_or((rest, String::new()), |(first, text)| (first, text.to_owned()));
    let number = || first.parse::<u64>().unwrap_or_else(|_| panic!("a number in `{line}`"));
    let branch = |edit| Request::EditBranch { branch: number(), edit };
    match word {
        "approve" if rest.is_empty() => {
            let recommended = gate.session().current().unwrap().turn.recommended.clone();
            Request::Approve { proposal: recommended.unwrap().0.unwrap() }
        }
        "approve" => Request::Approve { proposal: number() },
        "edit" => Request::Edit { proposal: number(), text },
        "reject" => Request::Reject { proposal: number(), reason: text },
        "type" => Request::Manual { text: rest.into() },
        "propose" => Request::Propose,
        "sample" => Request::Sample { n: number() as u32 },
        "policy" => Request::SetPolicy(serde_json::from_str(rest).unwrap()),
        "undo" => Request::Undo,
        "redo" => Request::Redo,
        "go" => Request::Goto(number()),
        "rewrite" => Request::Rewrite { node: number(), text },
        "once-more" => Request::Again(number()),
        "cancel" => Request::Cancel,
        "resend" => Request::Resend { ask: number(), messages: vec![PromptMessage { role: "user".into(), text }] },
        "aside" => Request::AskInBackground(background_ask()),
        "stop" => Request::SetBreakpoints(Breakpoint::list(rest).unwrap()),
        "name" => branch(BranchEdit::Name { name: text }),
        "hide" => branch(BranchEdit::Hide { hidden: true }),
        "delete" => branch(BranchEdit::Delete { deleted: true }),
        "restore" => branch(BranchEdit::Delete { deleted: false }),
        "forbid" => Request::adopt(&assertions(rest)),
        "back" => Request::turn(artifact(rest), false),
        "again" => Request::turn(artifact(rest), true),
        "correct" => Request::correct(ArtifactId::BELIEF, rest.into()),
        "offer" => Request::OfferArtifact(tips(rest)),
        "take" => Request::ApproveOffer(number()),
        "write-again" => Request::RewriteOffer(number()),
        "refuse" => Request::RefuseOffer { offer: number(), reason: text },
        "edit-offer" => Request::EditOffer { offer: number(), text },
        other => panic!("a script has no `{other}`"),
    }
}

impl Play {
    fn new() -> Self {
        let sim = Sim::new();
        Play { shown: state(&sim), sim, out: String::new() }
    }

    /// Does a line of a script: a request, or what happens.
    fn line(&mut self, line: &str) {
        let (records, said, performed) = (self.sim.records.len(), self.sim.said.len(), self.sim.performed.len());
        writeln!(self.out, "> {line}").unwrap();
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            // With what an episode begins, and whether somebody watches.
            "begin" | "begin-unattended" => {
                let gate = Gate::new(Session::new(header()));
                self.sim = Sim::over(if word == "begin" { gate } else { gate.headless() });
                let with: Value = serde_json::from_str(rest).unwrap();
                let forbidden = with["forbidden"].as_str().map(assertions);
                self.request(Request::Begin {
                    outcome: serde_json::from_value::<Option<_>>(with["outcome"].clone()).unwrap().unwrap_or_default(),
                    assertions: forbidden.into_iter().collect(),
                    policy: serde_json::from_value(with["policy"].clone()).unwrap(),
                    form: None,
                    belief: Some(with["belief"].clone()).filter(|belief| !belief.is_null()),
                });
                return self.show(0, 0, 0);
            }
            // The answer to the first ask that has none yet, or to the one after it.
            "answer" => self.sim.answer(0, &rest.split(" | ").collect::<Vec<_>>()),
            "answer-next" => self.sim.answer(1, &[rest]),
            "fail" => self.sim.fail(0),
            "reopen" => self.sim.reopen(),
            // Nobody answers what was asked so far any more.
            "forget" => self.sim.asks.clear(),
            "without-prompts" => self.sim.prompted = false,
            _ => {
                let request = request(line, &self.sim.gate);
                self.request(request);
            }
        }
        self.show(records, said, performed);
    }

    fn request(&mut self, request: Request) {
        match self.sim.ask(request) {
            Answer::Refused(why) => writeln!(self.out, "    refused: {why}").unwrap(),
            Answer::Done { ask: Some(ask) } => writeln!(self.out, "    done, by ask {ask}").unwrap(),
            Answer::Done { ask: None } => {}
            Answer::Queued(_) => writeln!(self.out, "    waits").unwrap(),
        }
    }

    /// Says what is new, and which parts of the session are others now.
    fn show(&mut self, records: usize, said: usize, performed: usize) {
        for record in &self.sim.records[records..] {
            let Ok(Value::Object(event)) = serde_json::to_value(&record.event) else { panic!("{record:?}") };
            // Another prompt than the simulated method's is one that a person wrote.
            let told = |(key, value): &(String, Value)| match key.as_str() {
                "prompt" => value["template"] != "t",
                key => !["event", "model", "usage", "ms"].contains(&key),
            };
            let (kind, fields) = (event["event"].clone(), event.into_iter().filter(told).collect());
            writeln!(self.out, "    {} {} {}", record.node, kind.as_str().unwrap(), Value::Object(fields)).unwrap();
        }
        for (level, text) in &self.sim.said[said..] {
            writeln!(self.out, "    {level:?}: {text}").unwrap();
        }
        for (_, text) in &self.sim.performed[performed..] {
            writeln!(self.out, "    performed: {text}").unwrap();
        }
        let now = state(&self.sim);
        for (name, value) in now.iter().filter(|part| !self.shown.contains(part)) {
            writeln!(self.out, "    = {name}: {value}").unwrap();
        }
        self.shown = now;
    }
}

/// What a session says, part by part.
fn state(sim: &Sim) -> Vec<(&'static str, String)> {
    let session = sim.gate.session();
    let here = session.current().unwrap();
    let list = |parts: Vec<String>| parts.join(", ");
    let each =
        |said: &dyn Fn(&Node) -> Option<String>| list(session.nodes().iter().filter_map(|node| said(node)).collect());
    let asks = here.turn.asks.iter().map(|ask| match &ask.state {
        AskState::Pending => format!("{} under way", ask.id),
        AskState::Answered { .. } => format!("{} answered", ask.id),
        AskState::Failed { error, .. } => format!("{} failed ({error})", ask.id),
    });
    let proposals = here.turn.proposals.iter().map(|p| {
        let rejected = here.turn.rejection(p.id).map(|why| format!(" (rejected: {why})")).unwrap_or_default();
        format!("{} `{}` {:?}{rejected}", p.id, p.raw, here.turn.mark(p))
    });
    let offers = here.turn.offers.iter().map(|offer| {
        let fate = match &offer.fate {
            OfferState::Refused { by, why } => format!("refused by {by:?}: {why}"),
            fate => format!("{fate:?}"),
        };
        format!("{} {fate}", offer.id)
    });
    let branch = |node: &Node| {
        let (name, deleted) = (session.branch_name(node.id), session.is_deleted(node.id));
        let said = format!("{} `{name}`{}", node.id, if deleted { " deleted" } else { "" });
        (session.branch_start(node.id) == node.id && (deleted || !name.is_empty())).then_some(said)
    };
    let document = |id: &ArtifactId| session.document(id).map_or("none".to_owned(), |value| value.to_string());
    vec![
        ("at", session.cursor().to_string()),
        ("steps", each(&|node| (!node.children.is_empty()).then(|| format!("{} to {:?}", node.id, node.children)))),
        ("taken with", each(&|node| session.verdict_at(node.id).map(|v| format!("{} {:?}", node.id, v.mark())))),
        ("asks", list(asks.collect())),
        ("proposals", list(proposals.collect())),
        ("offers", list(offers.collect())),
        ("waits", session.pending_offer().map_or("nothing".to_owned(), |offer| format!("offer {}", offer.id))),
        ("beside", here.open_offer(&ArtifactId::KNOWLEDGE).map_or("nothing".to_owned(), |o| format!("offer {}", o.id))),
        ("branches", each(&branch)),
        ("automatic", session.policy.is_automatic().to_string()),
        ("at rest", sim.gate.is_at_rest().to_string()),
        ("unanswered asks", sim.asks.len().to_string()),
        ("forbidden", format!("{:?}", session.assertions().get("go").map(|(texts, _)| texts))),
        ("believed", document(&ArtifactId::BELIEF)),
        ("known", document(&ArtifactId::KNOWLEDGE)),
        ("done", session.is_done().to_string()),
    ]
}

#[test]
fn scripts_record_what_they_recorded() {
    for (name, text) in
        [("gate", include_str!("scripts/gate.script")), ("documents", include_str!("scripts/documents.script"))]
    {
        let mut out = String::new();
        for script in text.split("\n# ") {
            let (title, lines) = script.split_once('\n').expect("a heading, and lines");
            let mut play = Play::new();
            lines.lines().filter(|line| !line.trim().is_empty()).for_each(|line| play.line(line));
            writeln!(out, "# {}\n{}", title.trim_start_matches("# "), play.out).unwrap();
        }
        insta::assert_snapshot!(name, out);
    }
}
