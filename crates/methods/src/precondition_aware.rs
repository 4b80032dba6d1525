//! Precondition-aware action prediction: Algorithm 1 of "Reasoning about Action Preconditions with Programs".
//!
//! The greedy completion first; while its assertions fail, random samples, at most `max_attempts - 1`, in one request or (as published)
//! one at a time; the first that verifies is the prediction; when none does, the greedy completion is taken anyway (counted as a second greedy sample).

use stepwright_episode::{AskKind, Mark, Origin, Proposal, Turn, Verdict};
use stepwright_method::next_action::{Next, NextAction};
use stepwright_method::options::{ASSERTIONS, ATTEMPTS, BELIEF, BLOCKING, RANKED, SHOTS, TEMPERATURE, THINK};
use stepwright_method::publications::SETTINGS;
use stepwright_method::{MethodInfo, Round};

stepwright_world::option_specs! {
    DRAWN: "drawn", "Random samples", "how random samples are drawn", [
        "together" = "asked for in one request", "each" = "one at a time, until one verifies"
    ] or "together";
}

pub(super) const METHOD: NextAction = NextAction {
    info: MethodInfo {
        id: "precondition-aware",
        label: "Precondition-aware prediction",
        description: "Algorithm 1: the greedy completion if its preconditions hold, else the first random sample whose \
                      preconditions hold, else the greedy completion after all.",
        options: &[SETTINGS, SHOTS, THINK, ASSERTIONS, ATTEMPTS, DRAWN, TEMPERATURE, RANKED, BELIEF, BLOCKING],
        ..MethodInfo::BARE
    },
    shows_assertions: true,
    ranked: 5,
    next: |round, options| next(round, options.count(&ATTEMPTS), options.is(&DRAWN, "each")),
};

/// The next ask where at most `max_attempts` completions are verified; `each`: samples are drawn one at a time.
pub(super) fn next(round: Round<'_>, max_attempts: u32, each: bool) -> Next {
    let proposals: Vec<&Proposal> = round.proposals().collect();
    let samples = max_attempts.saturating_sub(1);
    if round.has_asked(&AskKind::RANKED) {
        return recommend_first(round.turn, &proposals, "ranked proposal");
    }
    if !round.has_asked(&AskKind::GREEDY) && !round.has_asked(&AskKind::SAMPLES) {
        return Next::Greedy;
    }
    let greedy = proposals.iter().copied().find(|p| p.origin != Origin::Sample);
    if let Some(p) = greedy
        && max_attempts > 0
        && verifies(round.turn, p)
    {
        let why = verified(round.turn, p, "the greedy completion verifies".into());
        return Next::Recommend { proposal: Some(p.id), why };
    }
    let sampled: Vec<&Proposal> = proposals.iter().copied().filter(|p| p.origin == Origin::Sample).collect();
    if let Some((i, p)) = sampled.iter().enumerate().find(|(_, p)| verifies(round.turn, p)) {
        let why = format!("sample {} of {} is the first completion that verifies", i + 1, sampled.len());
        return Next::Recommend { proposal: Some(p.id), why: verified(round.turn, p, why) };
    }
    let drawn = sampled.len().max(round.asked(&AskKind::SAMPLES));
    if each && drawn < usize::try_from(samples).unwrap_or(usize::MAX) {
        return Next::Samples(1);
    }
    if !each && samples > 0 && drawn == 0 {
        return Next::Samples(samples);
    }
    match greedy.filter(|p| p.action.is_some()) {
        Some(p) => Next::Recommend {
            proposal: Some(p.id),
            why: format!("none of {} completions verifies: back to the greedy one", 1 + sampled.len()),
        },
        None => Next::Recommend { proposal: None, why: none_verifies(round.turn, greedy) },
    }
}

/// The best-ranked proposal that verifies; else the best-ranked.
pub(super) fn recommend_first(turn: &Turn, proposals: &[&Proposal], what: &str) -> Next {
    match proposals.iter().enumerate().find(|(_, p)| verifies(turn, p)) {
        Some((i, p)) => {
            let why = match i {
                0 => format!("the best {what} verifies"),
                _ => format!("{what} {} is the first that verifies", i + 1),
            };
            Next::Recommend { proposal: Some(p.id), why: verified(turn, p, why) }
        }
        None => match proposals.iter().find(|p| p.action.is_some()) {
            Some(p) => Next::Recommend { proposal: Some(p.id), why: format!("no {what} verifies: the best one") },
            None => Next::Recommend { proposal: None, why: "no action was offered".into() },
        },
    }
}

/// That none of the completions asked for last verifies, of which `greedy` is no action; completions of former asks may verify.
fn none_verifies(turn: &Turn, greedy: Option<&Proposal>) -> String {
    let mut why = "none of the completions asked for last verifies".to_owned();
    if greedy.is_some() {
        why.push_str(", and the greedy one is no action");
    }
    if turn.proposals.iter().any(|p| turn.rejection(p.id).is_none() && verifies(turn, p)) {
        why.push_str("; one that was offered before does, and can be approved");
    }
    why
}

/// `verify` of Algorithm 1: it is an action, and its assertions raise nothing; an action without assertions verifies. A verdict the
/// engine cannot decide does not verify.
fn verifies(turn: &Turn, proposal: &Proposal) -> bool {
    let raises_nothing = |v: &Verdict| matches!(v.preconditions(), Mark::Holds | Mark::NotChecked);
    proposal.action.is_some() && turn.newest(proposal.id).is_some_and(raises_nothing)
}

/// Why a proposal that verifies is recommended, in words that do not claim a check where there was nothing to check.
fn verified(turn: &Turn, proposal: &Proposal, why: String) -> String {
    match turn.newest(proposal.id).map(Verdict::preconditions) {
        Some(Mark::NotChecked) => why + ", having no precondition",
        _ => why,
    }
}
