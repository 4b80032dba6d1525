//! Precondition prompting: the prompt holds the assertions in force, and the greedy completion is taken as it comes.
//!
//! The paper's middle row: what the prompt alone does, without checking that drives sampling.

use super::few_shot;
use stepwright_method::next_action::NextAction;
use stepwright_method::{MethodInfo, options};

/// Assertions in the prompt, greedy.
pub(super) const METHOD: NextAction = NextAction {
    info: MethodInfo {
        id: "precondition-prompting",
        label: "Precondition prompting",
        description: "The assertions in force stand in the prompt; the greedy completion is taken. Preconditions are \
                      checked and shown but decide nothing.",
        options: options::PROGRAM,
        ..MethodInfo::BARE
    },
    shows_assertions: true,
    ranked: 1,
    next: |round, _| few_shot::first_action(round),
};
