//! Shop agent without a language model: the engine's buyer, which knows the instruction and what the pages showed.

use std::sync::Arc;

use stepwright_shop::buyer::{Past, Proposal, Seen, propose};

use super::program;
use stepwright_episode::Status;
use stepwright_trajectory::Step;
use stepwright_world::demonstration::Demonstration;
use stepwright_world::planner::{Agent, AgentContext, EffectModel, Ranked};

#[derive(Debug, Clone)]
pub(crate) struct ShopAgent {
    effects: EffectModel,
    knows: bool,
}

pub fn learn(demonstrations: &[Demonstration]) -> Arc<dyn Agent> {
    let steps = demonstrations.iter().flat_map(|d| &d.steps);
    let knows = demonstrations.iter().flat_map(Demonstration::actions).any(|call| program::text_of(call).is_some());
    Arc::new(ShopAgent { effects: EffectModel::learn(steps), knows })
}

impl Agent for ShopAgent {
    fn propose(&self, context: &AgentContext<'_>, most: usize) -> Vec<Ranked> {
        let mut offered: Vec<Ranked> = Vec::new();
        for (at, Proposal { action, why }) in propose(context.sentence, &past(context.history)).into_iter().enumerate()
        {
            let Some(call) = program::call_of(&action) else { continue };
            let rejected = context.rejected.iter().any(|(known, _)| *known == call);
            if offered.len() < most && !rejected && context.program.permits(&call) != Status::Fails {
                offered.push(Ranked { call, score: -((at + 1) as f64), rationale: why });
            }
        }
        offered
    }

    fn effects(&self) -> &EffectModel {
        &self.effects
    }

    fn knows(&self) -> bool {
        self.knows
    }
}

fn past(history: &[Step]) -> Vec<Past> {
    let mut now: Option<Seen> = None;
    let mut past = Vec::with_capacity(history.len());
    for step in history {
        let action = step.call.as_ref().and_then(program::text_of);
        let seen = program::seen(now.as_ref(), &step.calls).filter(|_| !step.refused);
        now = seen.clone().or(now);
        past.push(Past { action, seen });
    }
    past
}
