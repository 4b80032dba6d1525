//! Planning: effects learned from demonstrations, search over them, classical planning, and the trait of agents without a model.
//!
//! Knows no world: [`effects`] are learned from calls, [`search`] is over any problem, [`classical`] hands PDDL to a planner crate and
//! checks its plans, [`LocationPrior`] is a table from a file. Agents that build on these live in their worlds' rooms.

mod agent;
pub mod classical;
pub mod effects;
mod location_prior;
pub mod search;
#[cfg(test)]
pub(crate) mod testing;

pub use agent::{Agent, AgentContext, EffectsOnly, GoalPart, Ranked, Wanted};
pub use effects::EffectModel;
pub use location_prior::LocationPrior;
