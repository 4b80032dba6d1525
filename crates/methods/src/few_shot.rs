//! The plain few-shot baseline: the greedy completion is the next action, whatever the preconditions say; the prompt holds none.

use stepwright_episode::AskKind;
use stepwright_method::next_action::{Next, NextAction};
use stepwright_method::{MethodInfo, Round, options};

pub(super) const METHOD: NextAction = NextAction {
    info: MethodInfo {
        id: "few-shot",
        label: "Few-shot baseline",
        description: "Takes the greedy completion of the trajectory program; the prompt holds no assertion. \
                      Preconditions are shown to you but decide nothing.",
        options: options::PROGRAM,
        ..MethodInfo::BARE
    },
    shows_assertions: false,
    ranked: 1,
    next: |round, _| first_action(round),
};

/// One greedy completion, taken if it is an action.
pub(super) fn first_action(round: Round<'_>) -> Next {
    if ![AskKind::GREEDY, AskKind::RANKED, AskKind::SAMPLES].iter().any(|kind| round.has_asked(kind)) {
        return Next::Greedy;
    }
    match round.proposals().find(|p| p.action.is_some()) {
        Some(p) => Next::Recommend { proposal: Some(p.id), why: "first completion that is an action".into() },
        None => Next::Recommend { proposal: None, why: "none of the completions asked for last is an action".into() },
    }
}
