//! Study of what "Sequential Discrete Action Selection via Blocking Conditions and Resolutions" presumes: that a model does better at
//! choosing one action at a time than at writing a whole plan. Methods of any kind with one model, over the same tasks of one world.

mod report;
mod result;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

pub use result::{DecisionResult, METHODS};

use super::report::Report;
use super::run::RunResult;
use super::runner::{Opening, Plan, Study, Unit};
use stepwright_driver::{Beginning, Setup};
use stepwright_launch::NewSession;
use stepwright_world::TaskInfo;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    pub method: String,
    /// Its options and those of the world, as sessions record them.
    options: Value,
}

#[derive(Debug)]
pub struct Decisions {
    opening: Opening,
    new: NewSession,
    plan: Plan<Condition>,
}

impl Decisions {
    /// These methods on these tasks with these seeds, each episode otherwise like `new`. Of methods that nobody named (`named` is false)
    /// those that do not fit are left out, which the second value says.
    pub fn new(
        opening: Opening,
        new: NewSession,
        (methods, named): (Vec<String>, bool),
        tasks: Vec<TaskInfo>,
        seeds: Vec<u64>,
    ) -> Result<(Self, Vec<String>), String> {
        let (mut conditions, mut left_out) = (Vec::new(), Vec::new());
        let task = tasks.first().map(|task| task.id.clone()).unwrap_or_default();
        for method in methods {
            let of = NewSession { task: task.clone(), method: method.clone(), ..new.clone() };
            match opening.look(&of).and_then(|setup| options_of(setup, &method)) {
                Ok(options) => conditions.push(Arc::new(Condition { method, options: json!(options) })),
                Err(why) if named => return Err(why),
                Err(why) => left_out.push(format!("left out: {why}")),
            }
        }
        match conditions.is_empty() {
            true => Err(left_out.join("\n")),
            false => Ok((Decisions { opening, new, plan: Plan { conditions, tasks, seeds } }, left_out)),
        }
    }
}

/// The options of an episode that is to begin. Errors: what its method acts by is not there.
fn options_of(setup: Setup, method: &str) -> Result<BTreeMap<String, String>, String> {
    let Beginning::New(header) = setup.beginning else { return Err("the session is not a new one".to_owned()) };
    let info = setup.method.info();
    let programs = info.programs && setup.source.traits().language;
    setup.knowledge.skills.has(method, info.options, &header.options, programs)?;
    Ok(header.options)
}

#[async_trait]
impl Study for Decisions {
    type Condition = Condition;
    type Line = DecisionResult;
    const NAME: &'static str = "decisions";
    const CARRIED_OUT: &'static str = "episodes run";

    fn plan(&self) -> &Plan<Condition> {
        &self.plan
    }

    fn shared(&self) -> Value {
        json!({ "world": self.new.world, "limits": self.opening.shared() })
    }

    fn condition(&self, condition: &Condition) -> Value {
        json!({ "method": condition.method, "options": condition.options })
    }

    async fn perform(&self, unit: Unit<Condition>, cancel: &CancellationToken) -> Option<Vec<DecisionResult>> {
        let method = unit.condition.method.clone();
        let new = NewSession { task: unit.task.id.clone(), method, seed: unit.seed, ..self.new.clone() };
        let ended = self.opening.run(&new, cancel).await?;
        let whole = self.opening.config.built_in.named(&new.method).is_some_and(|method| method.info().plans);
        Some(vec![DecisionResult { whole, run: RunResult::of(&ended, &unit.task, &new, self.opening.config.built_in) }])
    }

    fn report(lines: &[DecisionResult], _detail: bool) -> Report {
        report::report(lines)
    }
}
