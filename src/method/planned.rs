//! Methods that follow a plan: ProgPrompt, whose plan is written whole, and FF-Replan, whose plan a classical planner finds.
//!
//! Both propose one line at a time; the person or the policy decides on each as on any proposal. Which line is next, and when a new
//! plan is made, is told by [`super::following`] and the driver.

use super::following::Planning;
use super::{Method, MethodInfo, Next, Round};
use crate::episode::AskKind;

/// ProgPrompt.
#[derive(Debug, Clone, Copy)]
pub struct ProgPrompt {
    /// Whether assertions decide about their `else` lines; the kitchen comparison let all of them run.
    pub heed: bool,
}

/// FF-Replan.
#[derive(Debug, Clone, Copy)]
pub struct FfReplan {
    /// Whether nothing is known of things out of sight.
    pub limited: bool,
}

impl Method for ProgPrompt {
    fn info(&self) -> MethodInfo {
        if self.heed {
            MethodInfo {
                id: "progprompt",
                label: "ProgPrompt",
                description: "The model writes a whole plan with assertions; its lines are proposed one at a time, `else` lines \
                              where an assertion does not hold of what is seen. A new plan when one is finished.",
            }
        } else {
            MethodInfo {
                id: "progprompt-flat",
                label: "ProgPrompt, assertions ignored",
                description: "The model writes a whole plan; every action in it is proposed in turn, `else` lines too, as in the \
                              kitchen comparison. A new plan when one is finished.",
            }
        }
    }

    fn next(&self, round: Round<'_>) -> Next {
        follow(round)
    }

    fn prompts(&self) -> &'static str {
        "progprompt"
    }

    fn planning(&self) -> Option<Planning> {
        Some(Planning::Written { heed: self.heed })
    }
}

impl Method for FfReplan {
    fn info(&self) -> MethodInfo {
        if self.limited {
            MethodInfo {
                id: "ff-replan-limited",
                label: "FF-Replan, limited",
                description: "As FF-Replan, but the planner is not told that things out of sight are in the room. No language model.",
            }
        } else {
            MethodInfo {
                id: "ff-replan",
                label: "FF-Replan",
                description: "A classical planner plans on what is seen, taking for granted that goal things are in the room; a new \
                              plan after a refused step or at the plan's end. No language model.",
            }
        }
    }

    fn next(&self, round: Round<'_>) -> Next {
        follow(round)
    }

    fn prompts(&self) -> &'static str {
        "progprompt"
    }

    fn planning(&self) -> Option<Planning> {
        Some(Planning::Searched { limited: self.limited })
    }
}

/// The plan's next line, which is recommended.
fn follow(round: Round<'_>) -> Next {
    if !round.has_asked(&AskKind::PLAN_LINE) {
        return Next::Follow;
    }
    match round.proposals().find(|p| p.action.is_some()) {
        Some(p) => Next::Recommend { proposal: Some(p.id), why: "the plan's next line".into() },
        None => Next::Recommend { proposal: None, why: "the plan's next line is no action of this world".into() },
    }
}
