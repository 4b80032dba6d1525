//! `stepwright study policy`: methods compared with recorded dialogues, or run on household tasks.

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use serde_json::json;

use super::data::{dialogues, edition, failed, games, household_demonstrations, model, without_options};
use crate::headless::HeadlessFlags;
use crate::world::{WorldName, WorldOptions};
use crate::{BUILD, CliError, Global, note};
use stepwright_driver::system_clock;
use stepwright_launch::config::Config;
use stepwright_launch::resolver;
use stepwright_method::MAX_SHOTS;
use stepwright_method::options::{ASSERTIONS, LIKELIHOOD, SHOTS, THINK};
use stepwright_method::publications::SETTINGS;
use stepwright_method::{SYMBOLIC, prompting};
use stepwright_methods::METHODS;
use stepwright_model::prompt::Prompts;
use stepwright_precondition::Demo;
use stepwright_program::Specification;
use stepwright_study::in_force::{Assertions, ONE_OF, Preconditions, not_checked};
use stepwright_study::policy::{Basis, Condition, House, Policies, Service, Setting, alike};
use stepwright_study::precondition::enumerated;
use stepwright_study::runner::{Plan, Provenance, Seeds, Selector, first_of_each_kind};
use stepwright_world::demonstration::Demonstration;
use stepwright_world::options::known_names;
use stepwright_world::{TaskInfo, World};
use stepwright_worlds::dialogue;
use stepwright_worlds::household::HouseholdWorld;

/// Predicts the system's acts of recorded dialogues turn by turn, or runs household tasks to their end, in every combination of the
/// methods, shots and think comments named.
///
/// A dialogue's turn is predicted from what was recorded before it, act by act until the method ends the turn; F1 is over all
/// turns, compatibility the share of predicted acts whose true preconditions hold. A household task gives success and
/// compatibility. With `--model symbolic` (the default) the built-in proposer predicts, learned from the demonstrations.
#[derive(Debug, Args)]
pub(crate) struct PolicyStudy {
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
    /// Whether the assertions are in the prompt: as the method has it, or in every prompt, or in none
    #[arg(long, value_name = "method|shown|hidden", default_value = "method")]
    assertions: String,
    /// The preconditions in force, several for a comparison: ground-truth, inferred (by the built-in enumerator from all demonstrations),
    /// none, a file *.preconditions.py, the results of `study preconditions` (.jsonl), or paper (as Table 3 has it: the true ones for
    /// precondition-prompting, inferred ones for the others)
    #[arg(long, value_name = "WHICH,WHICH", value_delimiter = ',', default_value = "ground-truth")]
    preconditions: Vec<Which>,
    #[command(flatten)]
    headless: HeadlessFlags,
    /// Acts a turn may take, or actions a task; 24 and 50 if absent
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_steps: Option<u32>,
    /// Seeds of the samples, and of the demonstrations where the data names none: 3, 0..9
    #[arg(long, visible_alias = "seed", value_name = "SEEDS", default_value = "0")]
    seeds: Seeds,
    /// A row a service or type of task as well
    #[arg(long)]
    detail: bool,
}

#[derive(Debug, Clone, PartialEq)]
enum Which {
    /// These, with any method.
    These(Preconditions),
    /// Those that the paper's Table 3 gives each method.
    Paper,
}

impl std::str::FromStr for Which {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let with_paper = |why: String| match why.strip_prefix(ONE_OF) {
            Some(others) => format!("{ONE_OF}paper, {others}"),
            None => why,
        };
        if text == "paper" { Ok(Which::Paper) } else { text.parse().map(Which::These).map_err(with_paper) }
    }
}

impl Which {
    fn of(&self, method: &str) -> Preconditions {
        match self {
            Which::These(these) => these.clone(),
            Which::Paper if method == PRECONDITION_PROMPTING => Preconditions::True,
            Which::Paper => Preconditions::Inferred,
        }
    }
}

/// Whether an option is a flag of the study by its own name, as it is varied.
fn is_flag(key: &str) -> bool {
    [SHOTS, THINK, ASSERTIONS].iter().any(|spec| spec.key == key)
}

/// What of given options is a method's own and no condition of the study.
fn beside(method: &str, given: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let own = METHODS.named(method).map(|method| method.info().options).unwrap_or_default();
    let is_condition = |key: &str| is_flag(key) || [LIKELIHOOD, SETTINGS].iter().any(|spec| spec.key == key);
    let is_own = |key: &str| own.iter().any(|spec| spec.key == key) && !is_condition(key);
    given.iter().filter(|(key, _)| is_own(key)).map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// The method that the paper gives the true preconditions.
const PRECONDITION_PROMPTING: &str = "precondition-prompting";

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Think {
    /// Without
    Off,
    /// With
    On,
    /// Once without, once with
    Both,
}

impl PolicyStudy {
    /// Does what has no result yet; exit code 1 if something could not be done.
    pub(super) fn run(mut self, global: &Global) -> Result<ExitCode, CliError> {
        let options = self.options.of(self.world)?;
        global.roles_suit("study policy", &std::collections::BTreeMap::new())?;
        let config = global.load()?;
        without_options("policy", global, |key| is_flag(key).then(|| format!("give --{key} in its place")))?;
        self.options.data = config.data.or_named(self.world.name(), self.options.data.take());
        let (name, source) = model(&config)?;
        let settings = self.settings(&name, config.method.options.text(&LIKELIHOOD), &config.method.given)?;
        let given = settings.iter().flat_map(|(setting, _)| setting.beside.clone()).collect();
        let (tasks, conditions, steps) = match self.world.name() {
            "dialogue" => self.dialogues(settings)?,
            "household" => self.households(&config, settings)?,
            other => return Err(super::not_measured(other)),
        };
        let basis = Basis {
            source,
            resolver: resolver(&config),
            prompts: Prompts::new(Some(&config.paths.config)),
            clock: system_clock(),
            steps: self.max_steps.unwrap_or(steps),
            token_budget: config.gate.policy.token_budget,
        };
        alike(&conditions).iter().for_each(|files| note(files));
        let plan = Plan { conditions, tasks, seeds: self.seeds.all().to_vec() };
        let data = self.options.data.as_deref();
        let provenance = Provenance::of(BUILD, &config, &name).and_then(|all| all.with_data(data)).map_err(failed)?;
        let provenance = provenance.with("options", json!(options)).with_method_options(&METHODS, &given);
        self.headless.run(Policies { basis, plan }, provenance, &config, &name, self.detail)
    }

    /// The settings that are compared: what the study varies, and what a person gave of each method beside it.
    fn settings(
        &self,
        model: &str,
        likelihood: &str,
        given: &BTreeMap<String, String>,
    ) -> Result<Vec<(Setting, Preconditions)>, CliError> {
        let usual: &[&str] = match model {
            SYMBOLIC => &["precondition-aware"],
            _ => &["few-shot", "precondition-prompting", "precondition-aware"],
        };
        let methods: Vec<String> = if self.methods.is_empty() {
            usual.iter().map(|m| (*m).to_owned()).collect()
        } else {
            self.methods.clone()
        };
        let known: Vec<&str> = METHODS.all().iter().map(|m| m.id).collect();
        if let Some(unknown) = methods.iter().find(|m| !known.contains(&m.as_str())) {
            return Err(CliError::Usage(format!("there is no method `{unknown}`; {}", known_names(unknown, &known))));
        }
        let think: &[bool] = match self.think {
            Think::Off => &[false],
            Think::On => &[true],
            Think::Both => &[false, true],
        };
        let by_itself = self.world.name() == "household" && model == SYMBOLIC;
        let all = [MAX_SHOTS as u8];
        let mut settings: Vec<(Setting, Preconditions)> = Vec::new();
        for method in methods {
            for shots in if by_itself { &all } else { self.shots.as_slice() } {
                for (think, which) in think.iter().flat_map(|think| self.preconditions.iter().map(move |w| (*think, w)))
                {
                    let which = which.of(&method);
                    let of_seed = |seed| Setting {
                        method: method.clone(),
                        model: model.to_owned(),
                        shots: usize::from(*shots),
                        think,
                        assertions: self.assertions.clone(),
                        likelihood: likelihood.to_owned(),
                        preconditions: which.to_string(),
                        preconditions_held: which.described()["file"].as_str().unwrap_or_default().to_owned(),
                        preconditions_by: which.inferred_by().to_owned(),
                        settings: given
                            .get(SETTINGS.key)
                            .cloned()
                            .unwrap_or_else(|| Setting::published(&method, model)),
                        beside: beside(&method, given),
                        seed,
                    };
                    for setting in self.seeds.all().iter().map(|seed| of_seed(*seed)) {
                        setting.options(&METHODS).map_err(CliError::Usage)?;
                        if !settings.iter().any(|(known, _)| *known == setting) {
                            settings.push((setting, which.clone()));
                        }
                    }
                }
            }
        }
        Ok(settings)
    }

    /// The tasks chosen, at most `--first` of each kind.
    fn chosen(&self, tasks: &[TaskInfo]) -> Result<Vec<TaskInfo>, CliError> {
        Ok(first_of_each_kind(self.tasks.select(tasks).map_err(CliError::Usage)?, self.first))
    }

    /// Tells which names in files of preconditions are of no action of these specifications. Errors: of a file all are, or an action has
    /// other parameters there.
    fn suit(&self, settings: &[(Setting, Preconditions)], specifications: &[Specification]) -> Result<(), CliError> {
        let mut told: BTreeSet<String> = BTreeSet::new();
        for (_, which) in settings {
            let idle = which.idle_among(specifications, self.world.name()).map_err(failed)?;
            let file = which.to_string();
            if !idle.is_empty() && !told.contains(&file) {
                note(&not_checked(&file, idle.iter().map(String::as_str)));
                told.insert(file);
            }
        }
        Ok(())
    }

    fn dialogues(&self, settings: Vec<(Setting, Preconditions)>) -> Result<Prepared, CliError> {
        let source = dialogues(self.options.data.as_deref())?;
        // What is learned from is not predicted.
        let seeds = self.seeds.all().iter();
        let learned: Vec<String> = seeds
            .flat_map(|seed| source.services().flat_map(|service| source.demonstrations(service, "", *seed)))
            .map(|d| d.id.clone())
            .collect();
        let tasks: Vec<TaskInfo> = source.tasks().into_iter().filter(|t| !learned.contains(&t.id)).collect();
        let chosen = self.chosen(&tasks)?;
        let mut kinds: Vec<String> = chosen.iter().map(|t| t.kind.clone()).collect();
        kinds.sort();
        kinds.dedup();
        let of = |kind: &String| Specification::load(&source.specification(kind), kind).map_err(failed);
        let specifications: Vec<Specification> = kinds.iter().map(of).collect::<Result<_, _>>()?;
        self.suit(&settings, &specifications)?;
        let mut inferred: BTreeMap<(String, u64), Assertions> = BTreeMap::new();
        let mut conditions = Vec::new();
        for (setting, which) in settings {
            for kind in &kinds {
                let truth: Option<Assertions> = source.ground_truth(kind).map(|truth| truth.into_iter().collect());
                let infer = || {
                    let key = (kind.clone(), setting.seed);
                    if let Some(known) = inferred.get(&key) {
                        return Ok(known.clone());
                    }
                    let found = infer(&source, kind, setting.seed)?;
                    Ok(inferred.entry(key).or_insert(found).clone())
                };
                let adopted = which.of(kind, truth.as_ref(), infer).map_err(failed)?;
                let service =
                    Service::new(&source, kind, (&setting, &METHODS), &adopted, truth.as_ref()).map_err(failed)?;
                conditions.push(Arc::new(Condition::Service(service)));
            }
        }
        Ok((chosen, conditions, 24))
    }

    fn households(&self, config: &Config, settings: Vec<(Setting, Preconditions)>) -> Result<Prepared, CliError> {
        let source = games(self.options.data.as_deref())?;
        let chosen = self.chosen(&source.tasks())?;
        let edition = edition(&self.options)?;
        let world = HouseholdWorld::new(Arc::clone(&source), edition.unwrap_or_default());
        let specification = Specification::load(&world.specification(), "spec.py").map_err(failed)?;
        let demonstrations = household_demonstrations(config, edition.unwrap_or_default(), &world)?;
        let truth: Assertions = prompting::own_assertions(&specification);
        self.suit(&settings, std::slice::from_ref(&specification))?;
        let mut inferred: Option<Assertions> = None;
        let mut conditions = Vec::new();
        for (setting, which) in settings {
            let infer = || {
                if let Some(known) = &inferred {
                    return Ok(known.clone());
                }
                let found = enumerated(&specification, demonstrations.iter().map(Demo::from).collect())?;
                Ok(inferred.insert(found).clone())
            };
            let adopted = which.of("household", Some(&truth), infer).map_err(failed)?;
            let house =
                House::new(&source, edition, &specification, &demonstrations, (&setting, &METHODS), &adopted, &truth);
            conditions.push(Arc::new(Condition::House(house.map_err(failed)?)));
        }
        Ok((chosen, conditions, 50))
    }
}

/// Tasks, conditions, and actions of a turn or an episode at most.
type Prepared = (Vec<TaskInfo>, Vec<Arc<Condition>>, u32);

/// The built-in enumerator's assertions from all demonstrations of a service.
fn infer(source: &dialogue::Source, service: &str, seed: u64) -> Result<Assertions, String> {
    let specification = Specification::load(&source.specification(service), service).map_err(|e| e.to_string())?;
    let demonstrations = source.demonstrations(service, "", seed);
    let demonstrations = demonstrations.into_iter().map(|d| Demo::from(&Demonstration::from(d))).collect();
    enumerated(&specification, demonstrations)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_names_no_preconditions_is_told_all_that_do() {
        let why = "nope".parse::<Which>().unwrap_err();
        assert!(why.starts_with("it is paper, ground-truth, "), "{why}");
    }
}
