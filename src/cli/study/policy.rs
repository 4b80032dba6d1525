//! `stepwright study policy`: methods held against recorded dialogues, or run on household tasks.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use tokio_util::sync::CancellationToken;

use super::data::{Results, adopted, assertions, dialogues, edition, failed, games, household_demonstrations, model};
use crate::cli::unattended::{at_least_one, done, interrupted, progress};
use crate::cli::world::{WorldName, WorldOptions};
use crate::cli::{CliError, Global, print};
use crate::config::Config;
use crate::driver::{SYMBOLIC, prompting, resolver, system_clock};
use crate::method::options::LIKELIHOOD;
use crate::method::{self, MAX_SHOTS};
use crate::precondition::{ADOPTED_SUFFIX, Demo};
use crate::program::Specification;
use crate::prompt::Prompts;
use crate::study::jobs::each;
use crate::study::policy::{Assertions, Basis, House, PolicyResult, Service, Setting, house, predict, table};
use crate::study::precondition::{ActionResult, Approach, enumerated};
use crate::study::run::{ResultsFile, Selector};
use crate::world::demonstration::Demonstration;
use crate::world::household::HouseholdWorld;
use crate::world::{TaskInfo, World, dialogue};

/// Predicts the system's acts of recorded dialogues turn by turn, or runs household tasks to their end, in every combination of the
/// methods, shots and think comments named.
///
/// A dialogue's turn is predicted from what was recorded before it, act by act until the method ends the turn; F1 is over all
/// turns, compatibility the share of predicted acts whose true preconditions hold. A household task gives success and
/// compatibility. With `--model symbolic` (the default) the built-in proposer predicts, learned from the demonstrations.
#[derive(Debug, Args)]
pub struct PolicyStudy {
    /// The world
    #[arg(long, default_value = "dialogue")]
    world: WorldName,
    #[command(flatten)]
    options: WorldOptions,
    /// Which dialogues or tasks: `all`, ids, patterns with *, type= (a service or type of task), split=, first=
    #[arg(long, value_name = "SELECTOR", default_value = "all")]
    tasks: Selector,
    /// At most so many of each service or type of task
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    first: Option<u32>,
    /// Methods; few-shot,precondition-prompting,precondition-aware if absent, with the built-in proposer the last alone
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',')]
    methods: Vec<String>,
    /// Demonstrations in the prompt, or of a service that the built-in proposer learns from; several for an ablation, as in
    /// 1,4,10. (In the household the built-in proposer learns from all)
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_value = "4",
          value_parser = clap::value_parser!(u8).range(1..=MAX_SHOTS as i64))]
    shots: Vec<u8>,
    /// Think comments in demonstrations and completions
    #[arg(long, value_name = "off|on|both", default_value = "off")]
    think: Think,
    /// Whether the assertions stand in the prompt: as the method has it, or in every prompt, or in none
    #[arg(long, value_name = "method|shown|hidden", default_value = "method")]
    assertions: String,
    /// The preconditions in force: ground-truth, inferred (by the built-in enumerator from all demonstrations), none, a file
    /// *.preconditions.py, or the results of `study preconditions` (.jsonl)
    #[arg(long, value_name = "WHICH", default_value = "ground-truth")]
    preconditions: String,
    /// Dialogues or tasks at once
    #[arg(long, value_name = "N", default_value = "1", value_parser = at_least_one)]
    jobs: usize,
    /// Results file, one JSON object a dialogue or task; what has a result in it is not done again
    #[arg(long, value_name = "FILE.jsonl")]
    out: Option<PathBuf>,
    /// Acts a turn may take, or actions a task; 24 and 50 if absent
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_steps: Option<u32>,
    /// Seed of the samples, and of the demonstrations where the data names none
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

/// Which think comments are tried.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Think {
    /// Without
    Off,
    /// With
    On,
    /// Once without, once with
    Both,
}

/// Where the preconditions in force come from.
enum InForce {
    Truth,
    Inferred,
    None,
    /// One set, whatever the service.
    Set(Assertions),
    /// By service.
    Sets(BTreeMap<String, Assertions>),
}

impl InForce {
    fn read(which: &str) -> Result<Self, CliError> {
        Ok(match which {
            "ground-truth" => InForce::Truth,
            "inferred" => InForce::Inferred,
            "none" => InForce::None,
            file if file.ends_with(ADOPTED_SUFFIX) => InForce::Set(assertions(&adopted(Path::new(file))?)),
            file if file.ends_with(".jsonl") => InForce::Sets(results(Path::new(file))?),
            other => {
                return Err(CliError::Usage(format!(
                    "--preconditions `{other}`: it is ground-truth, inferred, none, a file *{ADOPTED_SUFFIX}, or results of `study \
                     preconditions` (.jsonl)"
                )));
            }
        })
    }

    /// The assertions of a service or the household.
    fn of(
        &self,
        name: &str,
        truth: Option<&Assertions>,
        infer: impl FnOnce() -> Result<Assertions, String>,
    ) -> Result<Assertions, CliError> {
        match self {
            InForce::Truth => truth.cloned().ok_or_else(|| {
                CliError::Failed(format!(
                    "nothing is known to be true of {name}; choose --preconditions inferred, none or a file"
                ))
            }),
            InForce::Inferred => infer().map_err(failed),
            InForce::None => Ok(Assertions::new()),
            InForce::Set(set) => Ok(set.clone()),
            InForce::Sets(sets) => sets.get(name).cloned().ok_or_else(|| {
                CliError::Failed(format!("the results hold no preconditions of {name}; infer them first"))
            }),
        }
    }
}

/// The preconditions that a study inferred, by service. Prompting alone is left out where validated ones stand beside it.
fn results(path: &Path) -> Result<BTreeMap<String, Assertions>, CliError> {
    if !path.is_file() {
        return Err(CliError::Usage(format!("{}: no such file", path.display())));
    }
    let file: ResultsFile<ActionResult> = ResultsFile::open(path).map_err(CliError::Failed)?;
    let mut sets: BTreeMap<String, Assertions> = BTreeMap::new();
    let kept = file.earlier.into_iter().filter(|r| r.error.is_none() && r.approach != Approach::Prompted);
    for result in kept {
        sets.entry(result.subject).or_default().insert(result.action, result.assertions);
    }
    Ok(sets)
}

/// What is to be done: a task in a setting.
enum Work {
    Dialogue(Arc<Service>, TaskInfo),
    Task(Arc<House>, TaskInfo),
}

impl Work {
    async fn run(self, basis: Basis, cancel: CancellationToken) -> Option<PolicyResult> {
        match self {
            Work::Dialogue(service, task) => predict(service, task, basis, cancel).await,
            Work::Task(in_house, task) => house(in_house, task, basis, cancel).await,
        }
    }
}

impl PolicyStudy {
    /// Does what has no result yet; exit code 1 if something could not be done.
    ///
    /// # Errors
    /// If options, data or the results file are wrong.
    pub(super) fn run(self, global: &Global) -> Result<ExitCode, CliError> {
        self.options.of(self.world)?;
        let config = global.load()?;
        let (name, source) = model(&config)?;
        let settings = self.settings(&name, config.method.options.text(&LIKELIHOOD))?;
        let in_force = InForce::read(&self.preconditions)?;
        let mut results: Results<PolicyResult> = Results::open(self.out.as_deref())?;
        let (waiting, skipped) = match self.world.name() {
            "dialogue" => self.dialogues(&settings, &in_force, &results.all)?,
            "household" => self.households(&config, &settings, &in_force, &results.all)?,
            other => return Err(super::not_measured(other)),
        };
        let steps = if self.world.name() == "dialogue" { 24 } else { 50 };
        let basis = Basis {
            source,
            resolver: resolver(&config),
            prompts: Prompts::new(Some(&config.paths.config)),
            clock: system_clock(),
            steps: self.max_steps.unwrap_or(steps),
        };
        let (asked, mut ran) = (waiting.len(), 0);
        let bar = progress(asked as u64);
        let runtime = tokio::runtime::Runtime::new()?;
        let cancel = interrupted(&runtime);
        let work = |work: Work| work.run(basis.clone(), cancel.clone());
        runtime
            .block_on(each(waiting, self.jobs, &cancel, work, |result| {
                bar.inc(1);
                ran += 1;
                bar.set_message(result.kind.clone());
                results.add(result)
            }))
            .map_err(CliError::Failed)?;
        bar.finish_and_clear();
        print(&table(&results.all))?;
        let stopped = cancel.is_cancelled();
        print(&format!("\n{}", done("episodes done", ran, asked, skipped, stopped, results.path())))?;
        let failed = results.all.iter().any(|r| r.error.is_some());
        Ok(ExitCode::from(u8::from(failed || stopped)))
    }

    /// Every combination asked for.
    fn settings(&self, model: &str, likelihood: &str) -> Result<Vec<Setting>, CliError> {
        let usual: &[&str] = match model {
            SYMBOLIC => &["precondition-aware"],
            _ => &["few-shot", "precondition-prompting", "precondition-aware"],
        };
        let methods: Vec<String> = if self.methods.is_empty() {
            usual.iter().map(|m| (*m).to_owned()).collect()
        } else {
            self.methods.clone()
        };
        let known: Vec<&str> = method::all().iter().map(|m| m.id).collect();
        if let Some(unknown) = methods.iter().find(|m| !known.contains(&m.as_str())) {
            return Err(CliError::Usage(format!("there is no method `{unknown}`; there are {}", known.join(", "))));
        }
        let think: &[bool] = match self.think {
            Think::Off => &[false],
            Think::On => &[true],
            Think::Both => &[false, true],
        };
        let by_itself = self.world.name() == "household" && model == SYMBOLIC;
        let all = [MAX_SHOTS as u8];
        let mut settings = Vec::new();
        for method in methods {
            for shots in if by_itself { &all } else { self.shots.as_slice() } {
                for think in think {
                    let setting = Setting {
                        method: method.clone(),
                        model: model.to_owned(),
                        shots: usize::from(*shots),
                        think: *think,
                        assertions: self.assertions.clone(),
                        likelihood: likelihood.to_owned(),
                        preconditions: self.preconditions.clone(),
                        seed: self.seed,
                    };
                    setting.options().map_err(CliError::Usage)?;
                    settings.push(setting);
                }
            }
        }
        Ok(settings)
    }

    /// The tasks chosen, at most `--first` of each kind.
    fn chosen(&self, tasks: &[TaskInfo]) -> Result<Vec<TaskInfo>, CliError> {
        let mut taken: BTreeMap<String, u32> = BTreeMap::new();
        let mut chosen = self.tasks.select(tasks).map_err(CliError::Usage)?;
        chosen.retain(|task| {
            let count = taken.entry(task.kind.clone()).or_default();
            *count += 1;
            self.first.is_none_or(|most| *count <= most)
        });
        Ok(chosen)
    }

    fn dialogues(
        &self,
        settings: &[Setting],
        in_force: &InForce,
        earlier: &[PolicyResult],
    ) -> Result<(Vec<Work>, usize), CliError> {
        let source = dialogues(self.options.data.as_deref())?;
        // What is learned from is not predicted.
        let learned: Vec<String> = source
            .services()
            .flat_map(|service| source.demonstrations(service, "", self.seed))
            .map(|d| d.id.clone())
            .collect();
        let tasks: Vec<TaskInfo> = source.tasks().into_iter().filter(|t| !learned.contains(&t.id)).collect();
        let chosen = self.chosen(&tasks)?;
        let mut kinds: Vec<String> = chosen.iter().map(|t| t.kind.clone()).collect();
        kinds.sort();
        kinds.dedup();
        let (mut work, mut skipped) = (Vec::new(), 0);
        let mut sets: BTreeMap<String, (Option<Assertions>, Assertions)> = BTreeMap::new();
        for kind in kinds {
            let truth: Option<Assertions> = source.ground_truth(&kind).map(|truth| truth.into_iter().collect());
            let adopted = in_force.of(&kind, truth.as_ref(), || infer(&source, &kind, self.seed))?;
            sets.insert(kind, (truth, adopted));
        }
        for setting in settings {
            for (kind, (truth, adopted)) in &sets {
                let service = Service::new(&source, kind, setting, adopted, truth.as_ref()).map_err(failed)?;
                let service = Arc::new(service);
                for task in chosen.iter().filter(|t| t.kind == *kind) {
                    if earlier.iter().any(|r| r.is_of("dialogue", &task.id, setting)) {
                        skipped += 1;
                    } else {
                        work.push(Work::Dialogue(Arc::clone(&service), task.clone()));
                    }
                }
            }
        }
        Ok((work, skipped))
    }

    fn households(
        &self,
        config: &Config,
        settings: &[Setting],
        in_force: &InForce,
        earlier: &[PolicyResult],
    ) -> Result<(Vec<Work>, usize), CliError> {
        let source = games(self.options.data.as_deref())?;
        let chosen = self.chosen(&source.tasks())?;
        let edition = edition(&self.options)?;
        let world = HouseholdWorld::new(Arc::clone(&source), edition.unwrap_or_default());
        let specification = Specification::load(&world.specification(), "spec.py").map_err(failed)?;
        let demonstrations = household_demonstrations(config, edition.unwrap_or_default(), &world)?;
        let truth: Assertions = prompting::own_assertions(&specification);
        let adopted = in_force.of("household", Some(&truth), || {
            enumerated(&specification, demonstrations.iter().map(Demo::from).collect())
        })?;
        let (mut work, mut skipped) = (Vec::new(), 0);
        for setting in settings {
            let house = House::new(&source, edition, &specification, &demonstrations, setting, &adopted, &truth);
            let house = Arc::new(house.map_err(failed)?);
            for task in &chosen {
                if earlier.iter().any(|r| r.is_of("household", &task.id, setting)) {
                    skipped += 1;
                } else {
                    work.push(Work::Task(Arc::clone(&house), task.clone()));
                }
            }
        }
        Ok((work, skipped))
    }
}

/// What the built-in enumerator infers from all demonstrations of a service.
fn infer(source: &dialogue::Source, service: &str, seed: u64) -> Result<Assertions, String> {
    let specification = Specification::load(&source.specification(service), service).map_err(|e| e.to_string())?;
    let demonstrations = source.demonstrations(service, "", seed);
    let demonstrations = demonstrations.into_iter().map(|d| Demo::from(&Demonstration::from(d))).collect();
    enumerated(&specification, demonstrations)
}
