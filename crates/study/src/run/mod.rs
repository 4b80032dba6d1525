//! `run` as a study: one arrangement of world, method and model on any tasks.

mod result;
mod table;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::report::Report;
use super::runner::{Opening, Plan, Seeds, Study, Unit};
use stepwright_driver::Beginning;
use stepwright_episode::Header;
use stepwright_launch::NewSession;
use stepwright_method::{self as method, DOMAIN};
use stepwright_world::TaskInfo;
use stepwright_world::options::Values;

pub use result::RunResult;

#[derive(Debug)]
pub struct Run {
    opening: Opening,
    /// The condition is what a session begins with, but for its task.
    plan: Plan<NewSession>,
    /// The header of the first task's session: method, model and options as they are recorded.
    begun: Box<Header>,
}

impl Run {
    /// Episodes of these tasks with these seeds, each like `new`.
    pub fn new(opening: Opening, new: NewSession, tasks: Vec<TaskInfo>, seeds: &Seeds) -> Result<Self, String> {
        let first = tasks.first().map(|task| task.id.clone()).unwrap_or_default();
        let setup = opening.setup(&NewSession { task: first, ..new.clone() })?;
        let Beginning::New(begun) = setup.beginning else { return Err("the session is not a new one".to_owned()) };
        let (info, kind, traits) = (setup.method.info(), setup.world.kind(), setup.source.traits());
        let options = method::options_with(info.options);
        let options = Values::read(options, &begun.options).map_err(|e| e.to_string())?;
        for task in &tasks {
            let fits = method::fits(&info, &options, kind, Some(&task.kind), &traits);
            fits.map_err(|misfit| format!("task {}: {misfit}", task.id))?;
        }
        let plan = Plan { seeds: seeds.all().to_vec(), conditions: vec![Arc::new(new)], tasks };
        Ok(Run { opening, plan, begun })
    }

    pub fn method(&self) -> &str {
        &self.begun.method
    }
}

#[async_trait]
impl Study for Run {
    type Condition = NewSession;
    type Line = RunResult;
    const NAME: &'static str = "run";
    const CARRIED_OUT: &'static str = "episodes run";

    fn plan(&self) -> &Plan<NewSession> {
        &self.plan
    }

    fn shared(&self) -> Value {
        let Header { world, method, method_version, options, .. } = &*self.begun;
        // What these two name may lie in any folder; what it holds is known otherwise.
        let options: BTreeMap<_, _> =
            options.iter().filter(|(key, _)| !["preconditions", DOMAIN.key].contains(&key.as_str())).collect();
        let mut shared =
            json!({ "world": world, "method": method, "options": options, "limits": self.opening.shared() });
        if !method_version.is_empty() {
            shared["method_version"] = json!(method_version);
        }
        shared
    }

    fn condition(&self, _condition: &NewSession) -> Value {
        json!({})
    }

    async fn perform(&self, unit: Unit<NewSession>, cancel: &CancellationToken) -> Option<Vec<RunResult>> {
        let new = NewSession { task: unit.task.id.clone(), seed: unit.seed, ..(*unit.condition).clone() };
        let ended = self.opening.run(&new, cancel).await?;
        Some(vec![RunResult::of(&ended, &unit.task, &new)])
    }

    fn report(lines: &[RunResult], detail: bool) -> Report {
        table::report(lines, detail)
    }
}
