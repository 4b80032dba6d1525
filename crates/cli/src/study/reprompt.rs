//! `stepwright study reprompt`: plans of household activities by corrective re-prompting and the baselines.

use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;

use super::data::{Episodes, Ready, failed};
use crate::headless::HeadlessFlags;
use crate::{CliError, Global};
use stepwright_study::reprompt::{Activities, Condition, MOST_ACTIONS, Perturbation, Reprompt, conditions};
use stepwright_study::runner::{Plan, Study};
use stepwright_worlds::graph;

/// Makes plans of household activities by open-loop planning, re-sampling and re-prompting with notion, inference and cause, and prints
/// the paper's Tables 1 and 2 measured, errors by type, and what the measures say of damaged programs.
///
/// With a copy of VirtualHome and the language planner's lists the test tasks are planned in each scene; else those of the apartments that
/// ship. With `--model symbolic` (the default) no language model takes part. What is correct people say: `stepwright rate`.
#[derive(Debug, Args)]
pub(crate) struct RepromptStudy {
    #[command(flatten)]
    episodes: Episodes,
    /// Conditions: open-loop, resample, notion, inference, cause, cause-geometric, and open-loop planning whose sentences are tried as they
    /// are: untranslated; the six if absent
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',')]
    conditions: Vec<String>,
    /// Score programs that people wrote as well, whole and damaged
    #[arg(long)]
    damaged: bool,
    #[command(flatten)]
    headless: HeadlessFlags,
}

impl RepromptStudy {
    /// Does what has no result yet; exit code 1 if something could not be done.
    pub(super) fn run(mut self, global: &Global) -> Result<ExitCode, CliError> {
        let Ready { config, model, provenance, opening } =
            self.episodes.ready(global, graph::KIND.name, MOST_ACTIONS)?;
        Episodes::without_settings(Reprompt::NAME, &config)?;
        let mut conditions = conditions(&self.conditions).map_err(CliError::Usage)?;
        if self.damaged {
            conditions.extend(Perturbation::ALL.map(Condition::Written));
        }
        let Episodes { data, tasks, seeds, .. } = self.episodes;
        let activities = Arc::new(Activities::open(data.as_deref()).map_err(failed)?);
        let tasks = tasks.select(&activities.tasks()).map_err(CliError::Usage)?;
        let conditions = conditions.into_iter().map(Arc::new).collect();
        let plan = Plan { conditions, tasks, seeds: seeds.all().to_vec() };
        let study = Reprompt { opening, data, activities, plan, model: model.clone() };
        self.headless.run(study, provenance, &config, &model, false)
    }
}
