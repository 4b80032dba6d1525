//! `stepwright study reprompt`: plans of household activities by corrective re-prompting and the baselines.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;

use super::data::{failed, model};
use crate::unattended::UnattendedFlags;
use crate::{CliError, Global};
use stepwright_study::reprompt::{Activities, Condition, Damage, MOST_ACTIONS, Reprompt, conditions};
use stepwright_study::runner::{Circumstances, Opening, Plan, Seeds, Selector};
use stepwright_world::{Sources, graph};

/// Makes plans of household activities by open-loop planning, re-sampling and re-prompting with notion, inference and cause, and prints
/// the paper's Tables 1 and 2 measured, errors by type, and what the measures say of damaged programs.
///
/// With a copy of VirtualHome and the language planner's lists the test tasks are planned in each scene; else those of the apartments that
/// ship. With `--model symbolic` (the default) no language model takes part. What is correct people say: `stepwright rate`.
#[derive(Debug, Args)]
pub struct RepromptStudy {
    /// A copy of VirtualHome (docs/reference/graph.md); the one configured, or the apartments that ship, if absent
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Which tasks: `all`, ids, patterns with * (scene1/*), first=
    #[arg(long, value_name = "SELECTOR", default_value = "all")]
    tasks: Selector,
    /// Conditions: open-loop, resample, notion, inference, cause, cause-geometric; all if absent
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',')]
    conditions: Vec<String>,
    /// Score programs that people wrote as well, whole and damaged
    #[arg(long)]
    damaged: bool,
    /// Seeds of the samples: 3, 0..2
    #[arg(long, visible_alias = "seed", value_name = "SEEDS", default_value = "0")]
    seeds: Seeds,
    #[command(flatten)]
    unattended: UnattendedFlags,
    /// Steps a plan may try, corrections included; the methods have limits of their own
    #[arg(long, value_name = "N", default_value_t = MOST_ACTIONS, value_parser = clap::value_parser!(u32).range(1..))]
    max_steps: u32,
}

impl RepromptStudy {
    /// Does what has no result yet; exit code 1 if something could not be done.
    ///
    /// # Errors
    /// If options, data or the results file are wrong.
    pub(super) fn run(self, global: &Global) -> Result<ExitCode, CliError> {
        let config = global.load()?;
        let (model, _) = model(&config)?;
        let mut conditions = conditions(&self.conditions).map_err(CliError::Usage)?;
        if self.damaged {
            conditions.extend(Damage::ALL.map(Condition::Written));
        }
        let data = self.data.or_else(|| config.data.of(graph::KIND.name).map(ToOwned::to_owned));
        let activities = Activities::open(data.as_deref()).map_err(failed)?;
        let tasks = self.tasks.select(&activities.tasks()).map_err(CliError::Usage)?;
        let circumstances = Circumstances::of(&config, &model);
        let circumstances = circumstances.and_then(|all| all.with_data(data.as_deref())).map_err(failed)?;
        let config = Arc::new(config);
        let conditions = conditions.into_iter().map(Arc::new).collect();
        let study = Reprompt {
            opening: Opening {
                config: Arc::clone(&config),
                sources: Sources::default(),
                most_actions: self.max_steps,
                in_force: None,
                sessions: None,
            },
            data,
            activities: Arc::new(activities),
            plan: Plan { conditions, tasks, seeds: self.seeds.all().to_vec() },
            model: model.clone(),
        };
        self.unattended.run(study, circumstances, &config, &model, false)
    }
}
