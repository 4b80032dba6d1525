//! Study of "Sequential Discrete Action Selection via Blocking Conditions and Resolutions": the kitchen's tasks under the
//! method and the baselines it was compared with, each trial a headless episode.

mod report;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::paper::BLOCKING;
use super::report::Report;
use super::run::RunResult;
use super::runner::{Opening, Plan, Study, Unit};
use super::sample::sample;
use stepwright_launch::NewSession;
use stepwright_method::SYMBOLIC;
use stepwright_method::publications::SETTINGS;
use stepwright_worlds::kitchen;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Condition {
    pub name: &'static str,
    pub method: &'static str,
    pub find: &'static str,
    /// The publication's settings, by their id.
    pub settings: &'static str,
    /// Whether its course depends on a language model where one is in use.
    pub model: bool,
}

/// The paper's five conditions, and ProgPrompt with its assertions respected, which the paper's wrapper dropped.
pub(crate) const CONDITIONS: [Condition; 6] = [
    Condition { name: "BCR", method: "blocking", find: "moving", settings: "blocking", model: true },
    Condition { name: "ProgPrompt", method: "progprompt-flat", find: "moving", settings: "progprompt", model: true },
    Condition { name: "FF-Replan", method: "ff-replan", find: "moving", settings: "", model: false },
    Condition {
        name: "ProgPrompt-no-find",
        method: "progprompt-flat",
        find: "fixed",
        settings: "progprompt",
        model: true,
    },
    Condition { name: "FF-Replan-limited", method: "ff-replan-limited", find: "moving", settings: "", model: false },
    Condition { name: "ProgPrompt-heeded", method: "progprompt", find: "moving", settings: "progprompt", model: true },
];

pub const MOST_ACTIONS: u32 = 100;

/// One line of the results file: an episode's result, with the condition and the trial it belongs to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BlockingResult {
    pub condition: String,
    /// Which trial, from 0.
    pub trial: u64,
    #[serde(flatten)]
    pub run: RunResult,
}

sample!(BlockingResult, |of| of.run.task.clone(), of.trial, run.under);

impl BlockingResult {
    /// What decided: the model, or what stood in for one.
    pub fn acted(&self) -> String {
        let without = match self.condition.as_str() {
            "BCR" => "the built-in selector",
            of if of.starts_with("FF-Replan") => "the planner",
            _ => "shipped plan parts",
        };
        match self.run.models() {
            models if models == SYMBOLIC => without.to_owned(),
            models => models,
        }
    }

    /// Actions considered at a decision, on average: the ground actions that a planner chose its plans among, else the candidates there
    /// were. `None` for ProgPrompt, whose plan is written whole, as in the paper, and where a model was asked and no ask tells how many it
    /// was given.
    pub fn considered(&self) -> Option<f64> {
        let decisions = self.run.decisions();
        let candidates = (decisions > 0).then(|| f64::from(self.run.proposals) / f64::from(decisions));
        let planned = self.condition.starts_with("FF-Replan");
        match self.run.considered {
            Some(considered) => Some(considered),
            // What a model selected alone became a proposal.
            None if self.run.models() != SYMBOLIC && self.run.asks > 0 => None,
            None => candidates.filter(|_| !planned && !self.condition.starts_with("ProgPrompt")),
        }
    }
}

#[derive(Debug)]
pub struct Blocking {
    pub opening: Opening,
    pub data: Option<PathBuf>,
    pub plan: Plan<Condition>,
    pub model: String,
}

impl Blocking {
    fn settings(&self, condition: &Condition) -> Option<&'static str> {
        self.opening.published(condition.settings, condition.method, kitchen::KIND.name, self.model_of(condition))
    }

    /// The model a condition is run with: none where a planner decides everything.
    fn model_of(&self, condition: &Condition) -> &str {
        if condition.model { &self.model } else { SYMBOLIC }
    }
}

#[async_trait]
impl Study for Blocking {
    type Condition = Condition;
    type Line = BlockingResult;
    const NAME: &'static str = "blocking";
    const CARRIED_OUT: &'static str = "trials done";

    fn plan(&self) -> &Plan<Condition> {
        &self.plan
    }

    fn shared(&self) -> Value {
        json!({ "world": kitchen::KIND.name, "limits": self.opening.shared() })
    }

    fn condition(&self, condition: &Condition) -> Value {
        let Condition { name, method, find, .. } = condition;
        let mut of = json!({ "condition": name, "method": method, "find": find, "model": self.model_of(condition) });
        if let Some(settings) = self.settings(condition) {
            of["settings"] = settings.into();
        }
        of
    }

    async fn perform(&self, unit: Unit<Condition>, cancel: &CancellationToken) -> Option<Vec<BlockingResult>> {
        let settings = self.settings(&unit.condition).map(|id| (SETTINGS.key, id));
        let options = settings.into_iter().chain([(kitchen::FIND.key, unit.condition.find)]);
        let new = NewSession {
            world: kitchen::KIND.name.to_owned(),
            data: self.data.clone(),
            task: unit.task.id.clone(),
            options: options.map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
            method: unit.condition.method.to_owned(),
            model: self.model_of(&unit.condition).to_owned(),
            seed: unit.seed,
        };
        let run = RunResult::of(&self.opening.run(&new, cancel).await?, &unit.task, &new, self.opening.config.built_in);
        Some(vec![BlockingResult { condition: unit.condition.name.to_owned(), trial: unit.seed, run }])
    }

    fn report(lines: &[BlockingResult], _detail: bool) -> Report {
        report::report(lines)
    }
}

/// The conditions of a list of names; the paper's if there is none.
pub fn conditions(names: &[String]) -> Result<Vec<Condition>, String> {
    if names.is_empty() {
        let is_papers = |c: &Condition| BLOCKING.rows.iter().any(|row| row.value("condition") == Some(c.name));
        return Ok(CONDITIONS.into_iter().filter(is_papers).collect());
    }
    let known = || CONDITIONS.map(|c| c.name).join(", ");
    let find = |name: &String| {
        let found = CONDITIONS.into_iter().find(|c| c.name.eq_ignore_ascii_case(name));
        found.ok_or_else(|| format!("there is no condition `{name}`; there are {}", known()))
    };
    names.iter().map(find).collect()
}
