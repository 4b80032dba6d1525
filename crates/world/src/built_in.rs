//! Built-in agents: one a world, without a language model, made from the world's demonstrations.

use std::sync::Arc;

use super::demonstration::Demonstration;
use super::{WORLDS, WorldKind};
use crate::planner::{Agent, EffectModel, EffectsOnly};

/// The agent of a world; of a world that has none, the one that knows what the demonstrations show.
pub fn built_in_agent(world: &WorldKind, demonstrations: &[Demonstration]) -> Arc<dyn Agent> {
    match world.agent {
        Some(learn) => learn(demonstrations),
        None => agent_of_demonstrations(demonstrations),
    }
}

/// The agent that knows the kind of world that the demonstrations show; one that offers nothing if none does.
pub fn agent_of_demonstrations(demonstrations: &[Demonstration]) -> Arc<dyn Agent> {
    let agents = WORLDS.iter().filter_map(|kind| kind.agent).map(|learn| learn(demonstrations));
    let effects = || EffectModel::learn(demonstrations.iter().flat_map(|d| &d.steps));
    agents.into_iter().find(|agent| agent.knows()).unwrap_or_else(|| Arc::new(EffectsOnly(effects())))
}
