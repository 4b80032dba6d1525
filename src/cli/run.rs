//! `stepwright run`: episodes unattended, one result a line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;

use super::settings::MethodFlags;
use super::unattended::{at_least_one, interrupted, progress};
use super::world::{WorldName, WorldOptions};
use super::{CliError, Global, print};
use crate::config::Config;
use crate::driver::{self, Beginning, Keep, NewSession, Setup};
use crate::episode::{Policy, log};
use crate::study::run::{self, MakeSetup, ResultsFile, RunResult, Selector};
use crate::world::{Sources, TaskInfo, WORLDS};

/// Runs episodes unattended.
#[derive(Debug, Args)]
pub struct Run {
    /// The world
    #[arg(long, default_value = "household")]
    world: WorldName,
    /// Which tasks: `all`, ids, patterns with *, type=, split=, first=, separated by commas
    #[arg(long, value_name = "SELECTOR", default_value = "all")]
    tasks: Selector,
    #[command(flatten)]
    method: MethodFlags,
    #[command(flatten)]
    options: WorldOptions,
    /// Episodes at once
    #[arg(long, value_name = "N", default_value = "1", value_parser = at_least_one)]
    jobs: usize,
    /// Results file, one JSON object a line; tasks that have a result in it are not run again
    #[arg(long, value_name = "FILE.jsonl")]
    out: PathBuf,
    /// Actions an episode may take; the world's usual number if absent
    #[arg(long, value_name = "N", help = limits())]
    max_steps: Option<u32>,
    /// The world's seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Folder to keep each episode's session in
    #[arg(long, value_name = "DIR")]
    sessions: Option<PathBuf>,
}

impl Run {
    /// Runs the tasks that have no result yet; exit code 1 if an episode could not be run to its end.
    ///
    /// # Errors
    /// If tasks, settings or the results file are wrong.
    pub fn execute(self, global: &Global) -> Result<ExitCode, CliError> {
        let options = self.options.of(self.world)?;
        let config = global.with_method(self.method.clone()).load()?;
        let sources = Sources::with_adapters(config.external.clone());
        let tasks = sources.tasks(self.world.name(), self.options.data.as_deref());
        let tasks = tasks.map_err(|e| CliError::Failed(e.to_string()))?;
        let chosen = self.tasks.select(&tasks).map_err(CliError::Usage)?;
        let mut file = ResultsFile::open(&self.out).map_err(CliError::Failed)?;
        if let Some(folder) = &self.sessions {
            std::fs::create_dir_all(folder).map_err(|e| CliError::Failed(format!("{}: {e}", folder.display())))?;
        }
        let waiting = self.without_done(&chosen, &options, &file, &config, &sources)?;
        let skipped = chosen.len() - waiting.len();
        let bar = progress(waiting.len() as u64);
        let mut results: Vec<RunResult> = file.earlier.clone();
        let mut won = 0;
        let runtime = tokio::runtime::Runtime::new()?;
        let cancel = interrupted(&runtime);
        let (asked, jobs, out) = (waiting.len(), self.jobs, self.out.display().to_string());
        let make = self.maker(options, config, sources);
        runtime
            .block_on(run::run(waiting, jobs, make, cancel.clone(), |result| {
                file.append(&result).map_err(|e| format!("{out}: {e}"))?;
                won += u32::from(result.won);
                bar.inc(1);
                bar.set_message(format!("{won} won"));
                results.push(result);
                Ok(())
            }))
            .map_err(CliError::Failed)?;
        bar.finish_and_clear();
        let ran = results.len() - file.earlier.len();
        print(&run::table(&results))?;
        let stopped = if cancel.is_cancelled() { ", stopped early; run again to go on" } else { "" };
        print(&format!("{ran} of {asked} episodes run, {skipped} had results already{stopped}; results in {out}\n"))?;
        let failed = results.iter().any(|r| r.error.is_some());
        Ok(ExitCode::from(u8::from(failed || cancel.is_cancelled())))
    }

    /// The tasks without a result. How a run is done is known from the first task's set-up.
    fn without_done(
        &self,
        chosen: &[TaskInfo],
        options: &BTreeMap<String, String>,
        file: &ResultsFile,
        config: &Config,
        sources: &Sources,
    ) -> Result<Vec<TaskInfo>, CliError> {
        let Some(first) = chosen.first() else { return Ok(Vec::new()) };
        let setup = driver::prepare_new(&self.new_session(first, options), config, sources, driver::system_clock());
        let setup = setup.map_err(|e| CliError::Failed(e.to_string()))?;
        let Beginning::New(header) = setup.beginning else { return Ok(chosen.to_vec()) };
        let done = file.done(&header);
        Ok(chosen.iter().filter(|t| !done.contains(&t.id)).cloned().collect())
    }

    fn new_session(&self, task: &TaskInfo, options: &BTreeMap<String, String>) -> NewSession {
        NewSession {
            world: self.world.name().to_owned(),
            data: self.options.data.clone(),
            task: task.id.clone(),
            options: options.clone(),
            method: String::new(),
            model: String::new(),
            seed: self.seed,
        }
    }

    fn maker(self, options: BTreeMap<String, String>, config: Config, sources: Sources) -> MakeSetup {
        let config = Arc::new(config);
        Arc::new(move |task| {
            let mut setup =
                driver::prepare_new(&self.new_session(task, &options), &config, &sources, driver::system_clock())
                    .map_err(|e| e.to_string())?;
            let usual = self.world.kind().steps;
            setup.policy = Some(Policy { steps: self.max_steps.unwrap_or(usual), ..Policy::manual() });
            setup.unattended = true;
            if let Some(folder) = &self.sessions {
                keep(&mut setup, folder, &task.id)?;
            }
            Ok(setup)
        })
    }
}

/// The usual numbers of actions, by world.
fn limits() -> String {
    let usual: Vec<String> = WORLDS.iter().map(|kind| format!("{} in {}", kind.steps, kind.name)).collect();
    format!(
        "Actions an episode may take; if absent {}. A selection that is blocked (method blocking) executes nothing and is \
         none; the domain limits those",
        usual.join(", ")
    )
}

fn keep(setup: &mut Setup, folder: &Path, task: &str) -> Result<(), String> {
    let Beginning::New(header) = &setup.beginning else { return Ok(()) };
    let name: String = task.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    let free = (1..).map(|n: u32| if n == 1 { format!("{name}.jsonl") } else { format!("{name}-{n}.jsonl") });
    let path = free.map(|f| folder.join(f)).find(|p| !p.exists()).unwrap_or_else(|| folder.join(&name));
    setup.keep = Keep::Log(log::Writer::create(&path, header).map_err(|e| e.to_string())?);
    Ok(())
}
