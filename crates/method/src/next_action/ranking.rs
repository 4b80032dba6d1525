//! The built-in agent's ranking of next actions, where no language model is in use.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::context::action_of;
use crate::{Answer, Context, REFERENCE, Rank, Reading, WorkInput};
use stepwright_episode::gate::Draft;
use stepwright_episode::{Ask, AskKind, Origin, Proposal, Turn};
use stepwright_program::Call;

#[derive(Debug, Serialize, Deserialize)]
struct Work {
    /// Actions to find, `without` included.
    n: usize,
    without: Vec<Call>,
    /// Calls a person refused here, with the reasons.
    rejected: Vec<(Call, String)>,
    /// Texts of actions offered here already or refused.
    #[serde(default)]
    known: Vec<String>,
}

/// The work of ranking at the cursor; `further` leaves out what is offered already.
pub(super) fn work(cx: &Context<'_>, further: bool, n: u32) -> Value {
    let turn = cx.node().map(|n| &n.turn);
    let without = turn.filter(|_| further).map(offered).unwrap_or_default();
    let n = without.len().saturating_add(n as usize);
    let rejected = turn.map(rejected).unwrap_or_default();
    let known = turn.into_iter().flat_map(|turn| turn.proposals.iter().map(move |p| (turn, p)));
    let known = known.filter(|(turn, p)| further || turn.rejection(p.id).is_some());
    let known = known.filter_map(|(_, p)| Some(p.action.as_ref()?.text.clone())).collect();
    serde_json::to_value(Work { n, without, rejected, known }).unwrap_or_default()
}

pub(super) fn rank(known: &WorkInput, work: &Value) -> Result<Answer, String> {
    let Work { n, without, rejected, known: told } = Work::deserialize(work).map_err(|e| e.to_string())?;
    let mut ranked = known.knowledge.proposer.propose(&known.agent(&rejected), n);
    ranked.retain(|r| !without.contains(&r.call));
    if ranked.is_empty() && known.world.agent.is_none() {
        return Ok(listed(known, &told, n));
    }
    if let Some(why) = known.knowledge.proposer.lacks().filter(|_| ranked.is_empty()) {
        return Err(why.to_owned());
    }
    let texts: Vec<String> = ranked.iter().map(|r| r.call.to_string()).collect();
    let ranks = ranked.into_iter().map(|r| Rank { score: r.score, why: r.rationale }).collect();
    Ok(Answer { ranks, ..Answer::texts(texts) })
}

/// The actions that a world without an agent of its own lists: those taken least often on the way here first, those that it refused last.
fn listed(known: &WorkInput, told: &[String], n: usize) -> Answer {
    let tried = |text: &String| {
        let taken = known.taken.iter().filter(|(action, _)| action == text);
        let refused = taken.clone().any(|(_, refused)| *refused);
        (refused, taken.count())
    };
    let mut offered: Vec<_> = known.steps.iter().filter(|text| !told.contains(text)).map(|t| (tried(t), t)).collect();
    offered.sort_by_key(|(tried, _)| *tried);
    offered.truncate(n.max(MOST));
    let why = |(refused, taken): (bool, usize)| match (refused, taken) {
        (true, _) => "the world lists it, and refused it before".to_owned(),
        (false, 0) => "the world lists it".to_owned(),
        (false, taken) => format!("the world lists it; taken {} before", stepwright_text::words::count(taken, "time")),
    };
    let rank =
        |(at, (tried, _)): (usize, &((bool, usize), &String))| Rank { score: LISTED - at as f64, why: why(*tried) };
    Answer {
        ranks: offered.iter().enumerate().map(rank).collect(),
        ..Answer::texts(offered.iter().map(|(_, text)| (*text).clone()))
    }
}

/// Most actions that are offered because the world lists them.
const MOST: usize = 24;

/// The score of the first action that is merely listed: a rank, no number for a person.
const LISTED: f64 = 1e6;

pub(super) fn read(cx: &Context<'_>, ask: &Ask, answer: &Answer) -> Reading {
    let admissible = cx.world.admissible().filter(|_| cx.world.kind().agent.is_none()).unwrap_or_default();
    let origin = if ask.model == REFERENCE { Origin::Reference } else { Origin::Symbolic };
    let drafts = answer.completions.iter().zip(&answer.ranks).map(|(written, rank)| {
        let raw = written.text.clone();
        let action = raw.parse::<Call>().ok().and_then(|call| action_of(cx.world, &call));
        let action = action.or_else(|| admissible.contains(&raw).then(|| cx.action(&raw)));
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
    turn.rejected().filter_map(|(proposal, reason)| Some((offered_call(proposal)?, reason.to_owned()))).collect()
}
