//! `stepwright study blocking`: the kitchen's tasks under blocking conditions and the baselines.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;

use super::data::{failed, model};
use crate::unattended::UnattendedFlags;
use crate::{CliError, Global};
use stepwright_study::blocking::{Blocking, MOST_ACTIONS, conditions};
use stepwright_study::runner::{Circumstances, Opening, Plan, Seeds, Selector};
use stepwright_world::{Sources, kitchen};

/// Runs the kitchen's tasks under blocking conditions (BCR) and the baselines it was compared with, beside the paper's Table 1.
///
/// With `--model symbolic` (the default) no language model takes part: the built-in selector chooses among the candidates, and
/// ProgPrompt's plans are joined from parts that ship with the program.
#[derive(Debug, Args)]
pub struct BlockingStudy {
    /// A scene file or a folder of scenes; the shipped ones if absent
    #[arg(long, value_name = "PATH")]
    data: Option<PathBuf>,
    /// Which tasks: `all`, ids, patterns with *, type= (coffee, apple, mug, toast), first=
    #[arg(long, value_name = "SELECTOR", default_value = "all")]
    tasks: Selector,
    /// Conditions: BCR, ProgPrompt, FF-Replan, ProgPrompt-no-find, FF-Replan-limited, ProgPrompt-heeded; the first five if absent
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',')]
    conditions: Vec<String>,
    /// Trials of each task and condition; they differ in their seed. What no model and no selector decides comes out alike each time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    trials: u32,
    /// The seeds of trials, in place of --trials: 3, 0..9
    #[arg(long, value_name = "SEEDS", conflicts_with = "trials")]
    seeds: Option<Seeds>,
    #[command(flatten)]
    unattended: UnattendedFlags,
    /// Actions a trial may take; blocked selections are none, the domain limits them
    #[arg(long, value_name = "N", default_value_t = MOST_ACTIONS, value_parser = clap::value_parser!(u32).range(1..))]
    max_steps: u32,
}

impl BlockingStudy {
    /// Does what has no result yet; exit code 1 if something could not be done.
    ///
    /// # Errors
    /// If options, data or the results file are wrong.
    pub(super) fn run(self, global: &Global) -> Result<ExitCode, CliError> {
        let config = global.load()?;
        let (model, _) = model(&config)?;
        let conditions = conditions(&self.conditions).map_err(CliError::Usage)?;
        let sources = Sources::default();
        let data = self.data.as_deref();
        let tasks = sources.tasks(kitchen::KIND.name, data).map_err(failed)?;
        let tasks = self.tasks.select(&tasks).map_err(CliError::Usage)?;
        let circumstances = Circumstances::of(&config, &model).and_then(|all| all.with_data(data)).map_err(failed)?;
        let config = Arc::new(config);
        let seeds = self.seeds.as_ref().map_or_else(|| (0..u64::from(self.trials)).collect(), |s| s.all().to_vec());
        let conditions = conditions.into_iter().map(Arc::new).collect();
        let study = Blocking {
            opening: Opening {
                config: Arc::clone(&config),
                sources,
                most_actions: self.max_steps,
                in_force: None,
                sessions: None,
            },
            data: self.data,
            plan: Plan { conditions, tasks, seeds },
            model: model.clone(),
        };
        self.unattended.run(study, circumstances, &config, &model, false)
    }
}
