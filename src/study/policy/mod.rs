//! How well methods predict the next acts: Table 3 and the ablation of Figure 2 of "Reasoning about Action Preconditions with
//! Programs", on any service, task and model.
//!
//! A dialogue is predicted turn by turn from what was recorded before each turn (`turn_world`, `dialogues`); household tasks are
//! run to their end (`household`). Both go through the driver, so methods, prompts, verification and the built-in proposer are
//! those of the workbench. `metrics` counts, `result` is what is kept of an episode, `report` the tables.

mod dialogues;
mod household;
pub mod metrics;
mod report;
mod result;
mod setting;
#[cfg(test)]
mod tests;
mod turn_world;

pub use dialogues::{Service, predict};
pub use household::{House, house};
pub use report::table;
pub use result::{PolicyResult, TurnResult};
pub use setting::{Assertions, Basis, Setting};
