//! The plain few-shot baseline: the greedy completion is the next action, whatever the preconditions say; the prompt holds none.

use super::{Method, MethodInfo, Next, Round};
use crate::episode::AskKind;

/// The few-shot baseline.
#[derive(Debug, Clone, Copy)]
pub struct FewShot;

impl Method for FewShot {
    fn info(&self) -> MethodInfo {
        MethodInfo {
            id: "few-shot",
            label: "Few-shot baseline",
            description: "Takes the greedy completion of the trajectory program; no assertion stands in the prompt. \
                          Preconditions are shown to you but decide nothing.",
        }
    }

    fn next(&self, round: Round<'_>) -> Next {
        first_action(round)
    }

    fn prompts(&self) -> &'static str {
        "program"
    }

    fn shows_assertions(&self) -> bool {
        false
    }

    fn ranked(&self) -> u32 {
        1
    }
}

/// One greedy completion, taken if it is an action.
pub(super) fn first_action(round: Round<'_>) -> Next {
    if !(round.has_asked(&AskKind::GREEDY) || round.has_asked(&AskKind::RANKED) || round.has_asked(&AskKind::SAMPLES)) {
        return Next::Greedy;
    }
    match round.proposals().find(|p| p.action.is_some()) {
        Some(p) => Next::Recommend { proposal: Some(p.id), why: "first completion that is an action".into() },
        None => Next::Recommend { proposal: None, why: "no completion is an action".into() },
    }
}
