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

use std::time::Instant;

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

pub use dialogues::Service;
pub use household::House;
pub use result::{PolicyResult, TurnResult};
pub use setting::{Basis, Setting};

use super::runner::{Plan, Study, Unit, seconds_since};
use crate::world::TaskInfo;

/// A service or the household in one setting, ready for its tasks.
#[derive(Debug)]
pub enum Condition {
    /// Dialogues of a service, to be predicted.
    Service(Service),
    /// Household tasks, to be carried out.
    House(House),
}

impl Condition {
    /// The world's name in results.
    fn world(&self) -> &'static str {
        match self {
            Condition::Service(_) => "dialogue",
            Condition::House(_) => "household",
        }
    }

    fn setting(&self) -> &Setting {
        match self {
            Condition::Service(service) => &service.setting,
            Condition::House(house) => &house.setting,
        }
    }
}

/// The comparison of settings.
pub struct Policies {
    /// What all episodes share.
    pub basis: Basis,
    /// The settings, each on each service; dialogues or household tasks.
    pub plan: Plan<Condition>,
}

#[async_trait]
impl Study for Policies {
    type Condition = Condition;
    type Line = PolicyResult;
    const CARRIED_OUT: &'static str = "episodes done";

    fn plan(&self) -> &Plan<Condition> {
        &self.plan
    }

    fn suits(&self, condition: &Condition, task: &TaskInfo) -> bool {
        match condition {
            Condition::Service(service) => service.name == task.kind,
            Condition::House(_) => true,
        }
    }

    fn experiment(&self, unit: &Unit<Condition>) -> Value {
        let mut fields = json!(unit.condition.setting());
        fields["world"] = unit.condition.world().into();
        fields["task"] = unit.task.id.clone().into();
        fields
    }

    async fn perform(&self, unit: Unit<Condition>, cancel: &CancellationToken) -> Option<Vec<PolicyResult>> {
        let Unit { condition, task, .. } = unit;
        let started = Instant::now();
        let mut result = PolicyResult::new(condition.world(), &task, condition.setting());
        let whole = match &*condition {
            Condition::Service(service) => service.predict(&task, &self.basis, cancel, &mut result).await,
            Condition::House(house) => house.carry_out(&task, &self.basis, cancel, &mut result).await,
        };
        match whole {
            Ok(true) => {}
            Ok(false) => return None,
            Err(why) => result.error = Some(why),
        }
        result.seconds = seconds_since(started);
        Some(vec![result])
    }

    fn table(&self, lines: &[PolicyResult]) -> String {
        report::table(lines)
    }
}
