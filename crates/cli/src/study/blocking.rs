//! `stepwright study blocking`: the kitchen's tasks under blocking conditions and the baselines.

use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;

use super::data::{Episodes, Ready};
use crate::headless::HeadlessFlags;
use crate::{CliError, Global};
use stepwright_study::blocking::{Blocking, MOST_ACTIONS, conditions};
use stepwright_study::runner::Plan;
use stepwright_worlds::kitchen;

/// Runs the kitchen's tasks under blocking conditions (BCR) and the baselines it was compared with, beside the paper's Table 1.
///
/// With `--model symbolic` (the default) no language model takes part: the built-in selector chooses among the candidates, and
/// ProgPrompt's plans are joined from parts that ship with the program.
#[derive(Debug, Args)]
pub(crate) struct BlockingStudy {
    #[command(flatten)]
    episodes: Episodes,
    /// Conditions: BCR, ProgPrompt, FF-Replan, ProgPrompt-no-find, FF-Replan-limited, ProgPrompt-heeded; the first five if absent
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',')]
    conditions: Vec<String>,
    /// Trials of each task and condition, in place of --seeds: their seeds are 0, 1 and so on. What no model and no selector decides comes
    /// out alike each time
    #[arg(long, value_name = "N", conflicts_with = "seeds", value_parser = clap::value_parser!(u32).range(1..))]
    trials: Option<u32>,
    #[command(flatten)]
    headless: HeadlessFlags,
}

impl BlockingStudy {
    /// Does what has no result yet; exit code 1 if something could not be done.
    pub(super) fn run(mut self, global: &Global) -> Result<ExitCode, CliError> {
        let Ready { config, model, provenance, opening } =
            self.episodes.ready(global, kitchen::KIND.name, MOST_ACTIONS)?;
        let conditions = conditions(&self.conditions).map_err(CliError::Usage)?;
        let tasks = self.episodes.of(kitchen::KIND.name)?;
        let given = || self.episodes.seeds.all().to_vec();
        let seeds = self.trials.map_or_else(given, |trials| (0..u64::from(trials)).collect());
        let plan = Plan { conditions: conditions.into_iter().map(Arc::new).collect(), tasks, seeds };
        let study = Blocking { opening, data: self.episodes.data, plan, model: model.clone() };
        self.headless.run(study, provenance, &config, &model, false)
    }
}
