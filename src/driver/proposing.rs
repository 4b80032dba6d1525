//! Where proposals come from: completions read as program lines, and the symbolic proposer's ranking.

use std::sync::Arc;
use std::time::Instant;

use super::task::Driver;
use crate::episode::AskKind;
use crate::episode::gate::{AskSpec, Draft, Report};
use crate::episode::{Action, AskId, Choice, Node, Origin, Proposal, StepOutcome, Turn};
use crate::method::reading::{Line, closed, written};
use crate::method::verify;
use crate::model::{CUT_OFF, Completion};
use crate::planner::{Observed, ProposeContext, Ranked};
use crate::program::{Call, Specification};
use crate::world::World;

/// Reads a completion as the next action.
pub(super) fn read_completion(
    completion: &Completion,
    greedy: bool,
    world: &dyn World,
    specification: &Specification,
) -> Draft {
    let raw = completion.text.clone();
    let written = written(&raw);
    let (action, mut problem) = match verify::read(&closed(written.line, &completion.finish), specification) {
        Line::Not { reason, message } => (None, Some(format!("{reason}: {message}"))),
        Line::Call(call) => match action_of(world, &call) {
            Some(action) => (Some(action), None),
            None => (None, Some(format!("NotAnAction: {call} is no action of this world"))),
        },
    };
    let mut rationale = (!written.thoughts.is_empty()).then(|| written.thoughts.join(" "));
    if completion.finish == CUT_OFF {
        match &mut problem {
            Some(problem) => problem.push_str(" (the answer was cut off)"),
            None => {
                let cut = "the answer was cut off: the stream ended without saying that it was whole";
                rationale = Some(rationale.map_or_else(|| cut.to_owned(), |thought| format!("{thought} ({cut})")));
            }
        }
    }
    let origin = if greedy { Origin::Greedy } else { Origin::Sample };
    Draft { raw, action, problem, origin, score: None, logprob: completion.mean_logprob(), rationale }
}

/// The action a call stands for. Its own call is what the world reads its text as: a call of another party stands for the end of
/// a turn, which is no call of the agent's.
pub(super) fn action_of(world: &dyn World, call: &Call) -> Option<Action> {
    let text = world.text_of(call)?;
    let call = world.call_of(&text).map(|c| c.to_string());
    Some(Action { text, call })
}

/// What the symbolic proposer offers.
pub(super) struct Ranking {
    pub(super) ask: AskId,
    ranked: Vec<Ranked>,
    /// Whether more was asked for than had been offered.
    further: bool,
    ms: u64,
}

impl Ranking {
    /// What to tell the person who asked for more.
    pub(super) fn remark(&self) -> Option<String> {
        self.further.then(|| match self.ranked.len() {
            0 => "the proposer can think of nothing further here; type an action yourself".into(),
            n => crate::words::count(n, "further proposal"),
        })
    }

    /// As a report to the gate.
    pub(super) fn report(self, world: &dyn World) -> Report {
        let texts = self.ranked.iter().map(|r| r.call.to_string()).collect();
        let drafts = self.ranked.into_iter().map(|r| {
            let raw = r.call.to_string();
            let action = action_of(world, &r.call);
            let problem = action.is_none().then(|| format!("NotAnAction: {raw} is no action of this world"));
            let (score, rationale) = (Some(r.score), Some(r.rationale));
            Draft { raw, action, problem, origin: Origin::Symbolic, score, logprob: None, rationale }
        });
        Report::Answered { ask: self.ask, texts, usage: None, ms: self.ms, drafts: drafts.collect() }
    }
}

/// The work of proposing, on copies of all it reads: the task, what was observed, the program state. Never the world. Asked
/// for further proposals, it leaves out what stands at the cursor.
pub(super) fn prepare(ask: AskId, spec: &AskSpec, driver: &Driver) -> impl FnOnce() -> Ranking + Send + 'static {
    let session = driver.gate.session();
    let history: Vec<Observed> = session.path(session.cursor()).into_iter().map(observed).collect();
    let rejected = driver.gate.session().current().map(|n| rejected(&n.turn)).unwrap_or_default();
    let further = spec.kind == AskKind::FURTHER;
    let standing = session.current().filter(|_| further).map(|n| offered(&n.turn)).unwrap_or_default();
    let n = standing.len().saturating_add(spec.n as usize);
    let sentence = session.header.sentence.clone();
    let program = driver.mind.outlook(&driver.points.state);
    let proposer = Arc::clone(&driver.proposer);
    move || {
        let started = Instant::now();
        let context = ProposeContext { sentence: &sentence, program: &program, history: &history, rejected: &rejected };
        let mut ranked = proposer.propose(&context, n);
        ranked.retain(|r| !standing.contains(&r.call));
        Ranking { ask, ranked, further, ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX) }
    }
}

/// A step as the agent lived it. A selection that was blocked was not taken.
pub(super) fn observed(node: &Node) -> Observed {
    let taken = node.action.as_ref().filter(|_| node.outcome.blocked.is_none());
    lived(taken.and_then(|a| a.call.as_deref()).and_then(|c| c.parse::<Call>().ok()), &node.outcome)
}

/// A step with its action, as the agent lived it.
pub(super) fn lived(action: Option<Call>, outcome: &StepOutcome) -> Observed {
    let mut calls: Vec<Call> = outcome.calls.iter().filter_map(|c| c.parse().ok()).collect();
    if action.is_some() && calls.first() == action.as_ref() {
        calls.remove(0);
    }
    Observed { action, observation: outcome.observation.clone(), calls, refused: outcome.error.is_some() }
}

/// The calls that stand at this decision, each once; what was refused does not.
fn offered(turn: &Turn) -> Vec<Call> {
    let standing = turn.proposals.iter().filter(|p| turn.rejection(p.id).is_none());
    let calls = standing.filter_map(offered_call);
    let mut offered: Vec<Call> = Vec::new();
    for call in calls {
        if !offered.contains(&call) {
            offered.push(call);
        }
    }
    offered
}

/// The call a proposal was made as: its action's, or the line that stands for an action without one (the end of a turn).
fn offered_call(proposal: &Proposal) -> Option<Call> {
    let action = proposal.action.as_ref()?;
    action.call.as_deref().unwrap_or(proposal.raw.trim()).parse().ok()
}

/// The calls a person refused at this decision.
fn rejected(turn: &Turn) -> Vec<(Call, String)> {
    let refused = turn.decisions.iter().filter_map(|d| match &d.choice {
        Choice::Reject { proposal, reason } => {
            let call = offered_call(turn.proposal(*proposal)?)?;
            Some((call, reason.clone()))
        }
        _ => None,
    });
    refused.collect()
}
