//! `stepwright study blocking`: the kitchen's tasks under blocking conditions and the baselines.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;

use super::data::{Results, failed, model};
use crate::cli::unattended::{at_least_one, done, interrupted, progress};
use crate::cli::{CliError, Global, print};
use crate::config::Config;
use crate::driver::{self, NewSession, SYMBOLIC, Setup};
use crate::episode::Policy;
use crate::method;
use crate::study::blocking::{BlockingResult, Condition, MOST_ACTIONS, Trial, conditions, table, trial};
use crate::study::jobs::each;
use crate::study::run::{MakeSetup, Selector};
use crate::world::{Sources, TaskInfo, kitchen};

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
    /// Trials at once
    #[arg(long, value_name = "N", default_value = "1", value_parser = at_least_one)]
    jobs: usize,
    /// Results file, one JSON object a trial; what has a result in it is not done again
    #[arg(long, value_name = "FILE.jsonl")]
    out: Option<PathBuf>,
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
        let (name, _) = model(&config)?;
        let wanted = conditions(&self.conditions).map_err(CliError::Usage)?;
        let known: Vec<&str> = method::all().iter().map(|m| m.id).collect();
        if let Some(lacking) = wanted.iter().find(|c| !known.contains(&c.method)) {
            return Err(CliError::Usage(format!("{} needs the method `{}`", lacking.name, lacking.method)));
        }
        let sources = Sources::default();
        let tasks = sources.tasks(kitchen::KIND.name, self.data.as_deref()).map_err(failed)?;
        let chosen = self.tasks.select(&tasks).map_err(CliError::Usage)?;
        let mut results: Results<BlockingResult> = Results::open(self.out.as_deref())?;
        let (waiting, skipped) = self.waiting(&wanted, &chosen, &results.all, &name);
        let (asked, mut ran) = (waiting.len(), 0);
        let bar = progress(asked as u64);
        let runtime = tokio::runtime::Runtime::new()?;
        let cancel = interrupted(&runtime);
        let (jobs, config) = (self.jobs, Arc::new(config));
        let work = |one: Trial| {
            let make = self.maker(&one, &name, Arc::clone(&config), sources.clone());
            trial(one, make, cancel.clone())
        };
        runtime
            .block_on(each(waiting, jobs, &cancel, work, |result| {
                bar.inc(1);
                ran += 1;
                bar.set_message(format!("{} {}", result.condition, result.run.task));
                results.add(result)
            }))
            .map_err(CliError::Failed)?;
        bar.finish_and_clear();
        print(&table(&results.all))?;
        let stopped = cancel.is_cancelled();
        print(&format!("\n{}", done("trials done", ran, asked, skipped, stopped, results.path())))?;
        let failed = results.all.iter().any(|r| r.run.error.is_some());
        Ok(ExitCode::from(u8::from(failed || stopped)))
    }

    fn waiting(
        &self,
        wanted: &[Condition],
        tasks: &[TaskInfo],
        earlier: &[BlockingResult],
        model: &str,
    ) -> (Vec<Trial>, usize) {
        let mut waiting = Vec::new();
        for &condition in wanted {
            for task in tasks {
                for number in 0..self.trials {
                    waiting.push(Trial { condition, task: task.clone(), number });
                }
            }
        }
        let all = waiting.len();
        waiting.retain(|t| !earlier.iter().any(|r| r.is_of(t, model_of(&t.condition, model))));
        let skipped = all - waiting.len();
        (waiting, skipped)
    }

    fn maker(&self, one: &Trial, model: &str, config: Arc<Config>, sources: Sources) -> MakeSetup {
        let (condition, seed, steps, data) = (one.condition, u64::from(one.number), self.max_steps, self.data.clone());
        let model = model_of(&condition, model).to_owned();
        Arc::new(move |task| -> Result<Setup, String> {
            let new = NewSession {
                world: kitchen::KIND.name.to_owned(),
                data: data.clone(),
                task: task.id.clone(),
                options: BTreeMap::from([("find".to_owned(), condition.find.to_owned())]),
                method: condition.method.to_owned(),
                model: model.clone(),
                seed,
            };
            let mut setup =
                driver::prepare_new(&new, &config, &sources, driver::system_clock()).map_err(|e| e.to_string())?;
            setup.policy = Some(Policy { steps, ..Policy::manual() });
            setup.unattended = true;
            Ok(setup)
        })
    }
}

/// The model a condition is run with: none where a planner does all.
fn model_of<'a>(condition: &Condition, model: &'a str) -> &'a str {
    if condition.model { model } else { SYMBOLIC }
}
