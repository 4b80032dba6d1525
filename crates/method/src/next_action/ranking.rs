//! The built-in agent's ranking of next actions, where no language model is in use.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::context::action_of;
use crate::{Answer, Context, REFERENCE, Rank, Reading, WorkInput};
use stepwright_episode::gate::Draft;
use stepwright_episode::{Ask, AskKind, Choice, Origin, Proposal, Turn};
use stepwright_program::Call;

#[derive(Debug, Serialize, Deserialize)]
struct Work {
    /// Actions to find, `without` included.
    n: usize,
    without: Vec<Call>,
    /// Calls a person refused here, with the reasons.
    rejected: Vec<(Call, String)>,
}

/// The work of ranking at the cursor; `further` leaves out what is offered already.
pub(super) fn work(cx: &Context<'_>, further: bool, n: u32) -> Value {
    let turn = cx.node().map(|n| &n.turn);
    let without = turn.filter(|_| further).map(offered).unwrap_or_default();
    let n = without.len().saturating_add(n as usize);
    let rejected = turn.map(rejected).unwrap_or_default();
    serde_json::to_value(Work { n, without, rejected }).unwrap_or_default()
}

pub(super) fn rank(known: &WorkInput, work: &Value) -> Result<Answer, String> {
    let Work { n, without, rejected } = Work::deserialize(work).map_err(|e| e.to_string())?;
    let mut ranked = known.knowledge.proposer.propose(&known.agent(&rejected), n);
    ranked.retain(|r| !without.contains(&r.call));
    let texts: Vec<String> = ranked.iter().map(|r| r.call.to_string()).collect();
    let ranks = ranked.into_iter().map(|r| Rank { score: r.score, why: r.rationale }).collect();
    Ok(Answer { ranks, ..Answer::texts(texts) })
}

pub(super) fn read(cx: &Context<'_>, ask: &Ask, answer: &Answer) -> Reading {
    let origin = if ask.model == REFERENCE { Origin::Reference } else { Origin::Symbolic };
    let drafts = answer.completions.iter().zip(&answer.ranks).map(|(written, rank)| {
        let raw = written.text.clone();
        let action = raw.parse::<Call>().ok().and_then(|call| action_of(cx.world, &call));
        let problem = action.is_none().then(|| format!("NotAnAction: {raw} is no action of this world"));
        let (score, rationale) = (Some(rank.score), Some(rank.why.clone()));
        Draft { action, problem, score, rationale, ..Draft::new(raw, origin) }
    });
    let drafts: Vec<Draft> = drafts.collect();
    let note = (ask.kind == AskKind::FURTHER).then(|| match drafts.len() {
        0 => "the proposer can think of nothing further here; type an action yourself".to_owned(),
        n => stepwright_text::words::count(n, "further proposal"),
    });
    Reading::Drafts { drafts, note }
}

/// The calls offered at this decision, each once; what was refused is not among them.
fn offered(turn: &Turn) -> Vec<Call> {
    let kept = turn.proposals.iter().filter(|p| turn.rejection(p.id).is_none());
    let mut offered: Vec<Call> = Vec::new();
    for call in kept.filter_map(|p| offered_call(p)) {
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
