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

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

pub use dialogues::Service;
pub use household::House;
pub use result::{PolicyResult, TurnResult};
pub use setting::{Basis, Setting};

use setting::Subject;

use super::report::Report;
use super::runner::{Plan, Study, Unit, digest_of, seconds_since};
use stepwright_world::TaskInfo;

/// A service or the household in one setting, ready for its tasks.
#[derive(Debug)]
pub enum Condition {
    Service(Service),
    House(House),
}

impl Condition {
    fn world(&self) -> &'static str {
        match self {
            Condition::Service(_) => "dialogue",
            Condition::House(_) => "household",
        }
    }

    /// The preconditions in force as experiments record them: by their content, not by a file's name.
    fn preconditions(&self) -> String {
        let Subject { setting: Setting { preconditions: named, .. }, in_force, .. } = self.subject();
        let of_file = !["ground-truth", "inferred", "none"].contains(&named.as_str());
        if of_file { digest_of(in_force.as_bytes()) } else { named.clone() }
    }

    fn subject(&self) -> &Subject {
        match self {
            Condition::Service(service) => &service.subject,
            Condition::House(house) => &house.subject,
        }
    }

    fn setting(&self) -> &Setting {
        &self.subject().setting
    }

    /// What its results depend on: the seed is the unit's, the model the experiment's; of a file counts what is in force of it.
    fn described(&self) -> Value {
        let mut fields = json!(self.setting());
        if let Value::Object(fields) = &mut fields {
            fields.retain(|name, _| {
                !["seed", "model", "preconditions_held", "preconditions_by"].contains(&name.as_str())
            });
        }
        fields["preconditions"] = self.preconditions().into();
        fields
    }
}

/// Which files of preconditions put in force what another does: they are carried out once, as one row.
pub fn alike(conditions: &[Arc<Condition>]) -> BTreeSet<String> {
    let mut known: BTreeMap<String, &str> = BTreeMap::new();
    let mut alike = BTreeSet::new();
    for condition in conditions {
        let name = condition.setting().preconditions.as_str();
        let first = *known.entry(condition.described().to_string()).or_insert(name);
        if first != name {
            alike.insert(format!("{name} puts in force what {first} does: they are one row, named after {first}"));
        }
    }
    alike
}

pub struct Policies {
    pub basis: Basis,
    /// The settings, each on each service; dialogues or household tasks.
    pub plan: Plan<Condition>,
}

impl Policies {
    fn world(&self) -> &'static str {
        self.plan.conditions.first().map_or("", |condition| condition.world())
    }
}

#[async_trait]
impl Study for Policies {
    type Condition = Condition;
    type Line = PolicyResult;
    const NAME: &'static str = "policy";
    const CARRIED_OUT: &'static str = "episodes done";

    fn plan(&self) -> &Plan<Condition> {
        &self.plan
    }

    fn suits(&self, condition: &Condition, task: &TaskInfo, seed: u64) -> bool {
        let of_it = match condition {
            Condition::Service(service) => service.name == task.kind,
            Condition::House(_) => true,
        };
        of_it && condition.setting().seed == seed
    }

    fn shared(&self) -> Value {
        json!({ "world": self.world(), "max_steps": self.basis.steps })
    }

    fn condition(&self, condition: &Condition) -> Value {
        condition.described()
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

    fn report(lines: &[PolicyResult], detail: bool) -> Report {
        report::report(lines, detail)
    }
}
