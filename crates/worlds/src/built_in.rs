//! Built-in agents: one a world, without a language model, made from the world's demonstrations.

use std::sync::Arc;

use crate::WORLDS;
use stepwright_episode::Header;
use stepwright_world::WorldKind;
use stepwright_world::demonstration::Demonstration;
use stepwright_world::planner::{Agent, EffectModel, EffectsOnly};

/// The agent of a world, of these demonstrations alone; of a world that has none, the one that knows what the demonstrations show.
pub fn built_in_agent(world: &WorldKind, demonstrations: &[Demonstration]) -> Arc<dyn Agent> {
    match world.agent {
        Some(learn) => learn(demonstrations),
        None => agent_of_demonstrations(demonstrations),
    }
}

/// The agent of a world for the task of a session. Only a task that is played has it: what is counted by the demonstrations learned from
/// (a study's rows) learns from those alone.
pub fn agent_of_session(world: &WorldKind, header: &Header, demonstrations: &[Demonstration]) -> Arc<dyn Agent> {
    match world.agent_of_session {
        Some(learn) => learn(header, demonstrations),
        None => built_in_agent(world, demonstrations),
    }
}

/// The agent that knows the kind of world that the demonstrations show; one that offers nothing if none does.
pub fn agent_of_demonstrations(demonstrations: &[Demonstration]) -> Arc<dyn Agent> {
    let agents = WORLDS.iter().filter_map(|kind| kind.agent).map(|learn| learn(demonstrations));
    let effects = || EffectModel::learn(demonstrations.iter().flat_map(|d| &d.steps));
    agents.into_iter().find(|agent| agent.knows()).unwrap_or_else(|| Arc::new(EffectsOnly(effects())))
}
