//! Classical planning: problems as PDDL, a plan by a planner crate (`ferroplan`, FF family), and an independent check of it.
//!
//! A world turns what is known of it into a [`PlanningTask`] and plans back into actions; `solve` asks the planner within bounds and
//! believes it only after `validate` carried the plan out by the meaning of the domain (`pddl`, `expression`). The method (FF-Replan)
//! decides when to plan again.

mod expression;
mod names;
mod pddl;
mod solve;
mod task;
#[cfg(test)]
mod tests;
mod validate;

pub use expression::Expression;
pub use names::Names;
pub use pddl::{Domain, Problem};
pub use solve::{Limits, NoPlan, solve};
pub use task::{PlanningTask, ReadActions, Unseen};
pub use validate::{Invalid, Step, validate};
