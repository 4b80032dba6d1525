//! Precondition prompting: the assertions in force stand in the prompt, and the greedy completion is taken as it comes.
//!
//! The paper's middle row: what the prompt alone does, without checking that drives sampling.

use super::{Method, MethodInfo, Next, Round, few_shot};

/// Assertions in the prompt, greedy.
#[derive(Debug, Clone, Copy)]
pub struct PreconditionPrompting;

impl Method for PreconditionPrompting {
    fn info(&self) -> MethodInfo {
        MethodInfo {
            id: "precondition-prompting",
            label: "Precondition prompting",
            description: "The assertions in force stand in the prompt; the greedy completion is taken. Preconditions are \
                          checked and shown but decide nothing.",
        }
    }

    fn next(&self, round: Round<'_>) -> Next {
        few_shot::first_action(round)
    }

    fn prompts(&self) -> &'static str {
        "program"
    }

    fn ranked(&self) -> u32 {
        1
    }
}
