//! `stepwright study o3d`: O3D, its ablations and baselines in the household and the shop.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;

use super::data::{Episodes, Ready, curve_to, failed};
use crate::headless::HeadlessFlags;
use crate::{CliError, Global, note, target};
use stepwright_methods::METHODS;
use stepwright_study::o3d::{Given, O3d, by_logs, conditions};
use stepwright_study::runner::{Plan, Study};

/// Actions an episode may take beyond which the run ends it; the published limits are the method's.
const MOST_ACTIONS: u32 = 60;

/// Runs O3D, its ablations and the baselines it was compared with, beside the paper's Tables 1, 2, 3, 6, 9 and 10.
///
/// With `--model symbolic` (the default) no language model takes part: O3D is the agent by skills, and of what needs a language model it
/// is said that it does. `--model cassette:PATH` plays recorded answers back.
#[derive(Debug, Args)]
pub(crate) struct O3dStudy {
    /// The world: household or shop
    #[arg(long, value_name = "WORLD", default_value = "household", value_parser = ["household", "shop"])]
    world: String,
    #[command(flatten)]
    episodes: Episodes,
    /// Conditions: ReAct, ReAct-long, Reflexion, Reflexion+O3D, O3D, "O3D (SD-only)", "O3D (PD-only)", "O3D (TD-only)",
    /// "O3D (TD-only non-contrastive)", O3D-Human, O3D-Code, Demo2Code, AdaPlanner, or all; O3D if absent
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',')]
    conditions: Vec<String>,
    /// A file of skills in place of the shipped ones, or published knowledge as FILE.json#ENVIRONMENT/AUTHOR
    #[arg(long, value_name = "FILE")]
    skills: Option<String>,
    /// The skills of O3D-Human
    #[arg(long, value_name = "FILE")]
    human: Option<String>,
    /// The tips of "O3D (TD-only non-contrastive)", distilled from successes alone
    #[arg(long, value_name = "FILE")]
    non_contrastive: Option<String>,
    /// Logs to find skills in without a language model, for success by the number of pairs used
    #[arg(long, value_name = "FILE", requires = "pairs")]
    logs: Option<PathBuf>,
    /// The numbers of pairs: 2,10,40,80
    #[arg(long, value_name = "N,N", value_delimiter = ',', requires = "logs")]
    pairs: Vec<usize>,
    #[command(flatten)]
    headless: HeadlessFlags,
    /// File for the curve of success by the number of pairs: .csv, .json or .svg
    #[arg(long, value_name = "FILE", requires = "logs")]
    curve: Option<PathBuf>,
}

impl O3dStudy {
    /// Does what has no result yet; exit code 1 if something could not be done.
    pub(super) fn run(mut self, global: &Global) -> Result<ExitCode, CliError> {
        let format = self.curve.as_deref().map(curve_to).transpose()?;
        let Ready { config, model, provenance, opening } = self.episodes.ready(global, &self.world, MOST_ACTIONS)?;
        Episodes::without_settings(O3d::NAME, &config)?;
        let here =
            |name: &String| std::path::absolute(name).map_or_else(|_| name.clone(), |path| path.display().to_string());
        let given = Given {
            skills: self.skills.as_ref().map(here),
            human: self.human.as_ref().map(here),
            non_contrastive: self.non_contrastive.as_ref().map(here),
        };
        let mut all = match (&self.logs, self.conditions.is_empty()) {
            // Success by logs alone.
            (Some(_), true) => Vec::new(),
            _ => conditions(&self.conditions, &self.world, &given, &METHODS).map_err(CliError::Usage)?,
        };
        if let Some(logs) = &self.logs {
            let folder = std::env::temp_dir().join("stepwright-skills");
            all.extend(by_logs(logs, &self.pairs, &self.world, &folder, note).map_err(failed)?);
        }
        let (tasks, seeds) = (self.episodes.of(&self.world)?, self.episodes.seeds.all().to_vec());
        let plan = Plan { conditions: all.into_iter().map(Arc::new).collect(), tasks, seeds };
        let (world, data) = (self.world, self.episodes.data);
        let study = Arc::new(O3d { opening, world, data, plan, model: model.clone() });
        let Some(carried) = self.headless.carry_out(&study, provenance, &config, &model)? else {
            return Ok(ExitCode::SUCCESS);
        };
        let report = O3d::report(&carried.lines, false);
        if let (Some(path), Some(format)) = (&self.curve, format) {
            target::replace(path, &format.write(&report.plots()))?;
        }
        carried.tabulated(self.headless.json, report, "")
    }
}
