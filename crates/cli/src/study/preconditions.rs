//! `stepwright study preconditions`: inferred preconditions compared with the true ones.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use serde_json::json;

use super::data::{
    adopted, dialogues, discoverer, edition, failed, games, household_demonstrations, runs_none, services,
    without_options,
};
use crate::headless::HeadlessFlags;
use crate::world::{WorldName, WorldOptions};
use crate::{BUILD, CliError, Global, note};
use stepwright_driver::Source;
use stepwright_launch::config::Config;
use stepwright_model::prompt::Prompts;
use stepwright_precondition::{ADOPTED_SUFFIX, AdoptedSet, Demo};
use stepwright_program::Specification;
use stepwright_study::in_force::not_checked;
use stepwright_study::precondition::{self, Asking, Origin, Subject, Truth, Way, played};
use stepwright_study::runner::{Provenance, Seeds, Study, digest, file_stem};
use stepwright_world::World;
use stepwright_worlds::household::HouseholdWorld;

/// Infers the preconditions of every action that the demonstrations call, and scores them on other episodes by Equation 2.
///
/// With `--model symbolic` (the default) the built-in enumerator infers them, without any language model. With a language model
/// its greedy first assertions are scored as they are ("prompting"), and its candidates after validation and Equation 1.
/// Where nothing is known to be true, the share of calls that the inferred preconditions permit is reported instead.
#[derive(Debug, Args)]
pub struct Preconditions {
    /// The world
    #[arg(long, default_value = "dialogue")]
    world: WorldName,
    #[command(flatten)]
    options: WorldOptions,
    /// Services of the dialogue world; all if absent
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',')]
    services: Vec<String>,
    /// Demonstrations to infer from, at most; 10 for a service and all of the household's if absent
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    demos: Option<u16>,
    /// Compare rankings (none, Equation (1), the evidence rule), of each action by itself and of all together, with 1 to --demos
    /// demonstrations (10 if absent), beside the truth
    #[arg(long, conflicts_with_all = ["save", "by"])]
    ablation: bool,
    /// Other episodes to score on, at most; all if absent
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    tests: Option<u32>,
    /// The true preconditions of one service or of the household, in place of the data's (*.preconditions.py)
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    /// Random completions a language model is asked for after each demonstration
    #[arg(long, value_name = "K", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1000))]
    samples: u32,
    /// Their temperature
    #[arg(long, value_name = "T", default_value_t = 0.7)]
    temperature: f64,
    /// Rows of the table
    #[arg(long, value_name = "service|action", default_value = "service")]
    by: By,
    #[command(flatten)]
    headless: HeadlessFlags,
    /// Folder to write what was inferred to, one <service>.preconditions.py each; they can be put in force
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
    /// Replace files of that folder also where they say otherwise
    #[arg(long, requires = "save")]
    replace: bool,
    /// Seeds of the samples, and of the demonstrations where the data names none: 3, 0..9
    #[arg(long, visible_alias = "seed", value_name = "SEEDS", default_value = "0")]
    seeds: Seeds,
}

/// How much the table shows.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum By {
    /// A row a service
    Service,
    /// A row an action, with the assertions
    Action,
}

impl Preconditions {
    /// Infers what has no result yet; exit code 1 if something could not be inferred or scored.
    pub(super) fn run(mut self, global: &Global) -> Result<ExitCode, CliError> {
        let options = self.options.of(self.world)?;
        global.roles_suit("study preconditions", &std::collections::BTreeMap::new())?;
        let config = global.load()?;
        without_options("preconditions", global, runs_none)?;
        self.options.data = config.data.or_named(self.world.name(), self.options.data.take());
        let (name, source) = discoverer(&config)?;
        let mut subjects = match self.world.name() {
            "dialogue" => self.dialogue()?,
            "household" => self.household(&config)?,
            other => return Err(super::not_measured(other)),
        };
        // Data with fewer demonstrations has the last number of them several times.
        let mut seen = BTreeSet::new();
        subjects.retain(|subject| seen.insert((subject.name.clone(), subject.seed, subject.demonstrations())));
        let origin = match source {
            Source::Symbolic => Origin::Symbolic,
            Source::Language { model, .. } => Origin::Language(Asking {
                model,
                prompts: Prompts::new(Some(&config.paths.config)),
                samples: self.samples,
                temperature: self.temperature,
            }),
        };
        let most = subjects.iter().map(|s| s.demonstrations()).max().unwrap_or(0);
        // A file is the truth about all there is.
        let truth = subjects.first().and_then(|subject| subject.truth.as_ref());
        let way = Way {
            model: name.clone(),
            demonstrations: self.demos.map_or(most, usize::from),
            samples: if matches!(origin, Origin::Symbolic) { 0 } else { self.samples },
            temperature: if matches!(origin, Origin::Symbolic) { String::new() } else { self.temperature.to_string() },
            seed: 0,
            tests: self.tests.map(|most| most as usize),
            truth_file: self.truth.as_ref().and(truth).map(|truth| digest(&json!(truth.assertions))),
        };
        let detail = matches!(self.by, By::Action);
        let data = self.options.data.as_deref();
        let provenance = Provenance::of(BUILD, &config, &name).and_then(|all| all.with_data(data)).map_err(failed)?;
        let provenance = provenance.with("options", json!(options));
        let study = precondition::Preconditions::new(subjects, origin, way);
        let study = Arc::new(if self.ablation { study.ablated() } else { study });
        let Some(carried) = self.headless.carry_out(&study, provenance, &config, &name)? else {
            return Ok(ExitCode::SUCCESS);
        };
        // Before anything is printed: a reader that has closed the pipe must not cost the files.
        let (mut saved, mut otherwise) = (String::new(), None);
        if let Some(folder) = &self.save {
            std::fs::create_dir_all(folder).map_err(|e| CliError::Failed(format!("{}: {e}", folder.display())))?;
            let several = self.seeds.all().len() > 1;
            let mut used: Vec<String> = Vec::new();
            let mut files = Vec::new();
            for subject in &study.plan().conditions {
                let Some(set) = study.adopted(subject, &carried.lines) else { continue };
                let seed = if several { format!("-seed{}", subject.seed) } else { String::new() };
                // The data's own name of a service, which may be anything.
                let stem = file_stem(&subject.name);
                let names = (1..).map(|n| if n == 1 { format!("{stem}{seed}") } else { format!("{stem}{seed}-{n}") });
                let Some(name) = names.into_iter().find(|name| !used.contains(name)) else { continue };
                let file = folder.join(format!("{name}{ADOPTED_SUFFIX}"));
                used.push(name);
                files.push((file, set));
            }
            otherwise =
                files.iter().find(|(file, set)| !self.replace && loses(file, set)).map(|(file, _)| file.clone());
            for (file, set) in files.iter().filter(|_| otherwise.is_none()) {
                set.write(file).map_err(failed)?;
                saved.push_str(&format!("{}\n", file.display()));
            }
        }
        let report = precondition::Preconditions::report(&carried.lines, detail);
        let code = carried.tabulated(self.headless.json, report, &saved)?;
        match otherwise {
            None => Ok(code),
            Some(file) => Err(CliError::Usage(format!(
                "{} is there already and says otherwise; nothing was saved. Name another --save, or give --replace",
                file.display()
            ))),
        }
    }

    /// The numbers of demonstrations to infer from: each of an ablation's, else one.
    fn numbers(&self, usual: usize) -> Vec<usize> {
        match self.ablation {
            true => (1..=self.demos.map_or(10, usize::from)).collect(),
            false => vec![self.demos.map_or(usual, usize::from)],
        }
    }

    fn tests(&self) -> usize {
        self.tests.map_or(usize::MAX, |n| n as usize)
    }

    /// What `--truth` names, as the truth about the actions of a specification; what of it is of none of them is told.
    fn truth_of_file(&self, specification: &Specification) -> Result<Option<Truth>, CliError> {
        let Some(path) = &self.truth else { return Ok(None) };
        let file = path.display().to_string();
        let (truth, idle) = Truth::of_set(&adopted(path)?, &file, specification).map_err(failed)?;
        if !idle.is_empty() {
            note(&not_checked(&file, idle.iter().map(String::as_str)));
        }
        Ok(Some(truth))
    }

    fn dialogue(&self) -> Result<Vec<Arc<Subject>>, CliError> {
        let source = dialogues(self.options.data.as_deref())?;
        let services = services(&source, &self.services)?;
        let given = match services.as_slice() {
            _ if self.truth.is_none() => None,
            [one] => self.truth_of_file(&Specification::load(&source.specification(one), one).map_err(failed)?)?,
            _ => {
                return Err(CliError::Usage(
                    "a file of true preconditions is of one service; choose it with --services NAME".to_owned(),
                ));
            }
        };
        let subject = |(seed, service, demos): (u64, &String, usize)| {
            let truth = given.clone().or_else(|| Truth::of_service(&source, service));
            Subject::of_service(&source, service, demos, self.tests(), seed, truth).map(Arc::new).map_err(failed)
        };
        let numbers = self.numbers(10);
        let each = self.seeds.all().iter().flat_map(|seed| services.iter().map(|service| (*seed, service)));
        each.flat_map(|(seed, service)| numbers.iter().map(move |demos| (seed, service, *demos))).map(subject).collect()
    }

    fn household(&self, config: &Config) -> Result<Vec<Arc<Subject>>, CliError> {
        if !self.services.is_empty() {
            return Err(CliError::Usage("--services is of the dialogue world; leave it out".to_owned()));
        }
        let source = games(self.options.data.as_deref())?;
        let edition = match edition(&self.options)? {
            Some(edition) => edition,
            None => source.ids().next().map(|id| source.edition(id)).transpose()?.flatten().unwrap_or_default(),
        };
        let world = HouseholdWorld::new(Arc::clone(&source), edition);
        let specification = Specification::load(&world.specification(), "spec.py").map_err(failed)?;
        let demonstrations = household_demonstrations(config, edition, &world)?;
        let tests = played(&source, edition, self.tests())?;
        let tests: Vec<Demo> = tests.into_iter().filter(|t| !demonstrations.iter().any(|d| d.id == t.id)).collect();
        let truth = self.truth_of_file(&specification)?.unwrap_or_else(|| Truth::of_specification(&specification));
        let numbers = self.numbers(usize::MAX);
        let subject = |(seed, most): (&u64, usize)| {
            let shown = demonstrations.iter().take(most).map(Demo::from).collect();
            let truth = Some(truth.clone());
            let subject = Subject::new("household", "household", &specification, shown, tests.clone(), truth);
            subject.map(|subject| Arc::new(subject.with_seed(*seed))).map_err(failed)
        };
        let each = self.seeds.all().iter().flat_map(|seed| numbers.iter().map(move |most| (seed, *most)));
        each.map(subject).collect()
    }
}

/// Whether writing a set to a file would lose something: all that a study wrote before it was done is in what it writes then.
fn loses(file: &Path, set: &AdoptedSet) -> bool {
    let text = match stepwright_files::read_text(file, set.to_string().len() as u64) {
        Ok(text) => text,
        Err(error) => return error.kind() != std::io::ErrorKind::NotFound,
    };
    let Ok(there) = AdoptedSet::parse(&text, "") else { return true };
    let is_own = text == there.to_string() && (&there.notes, &there.place) == (&set.notes, &set.place);
    !(is_own && there.actions.iter().all(|action| set.actions.contains(action)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_wrote_is_lost_and_what_the_study_wrote_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.preconditions.py");
        let head = "# Preconditions inferred for a from 2 demonstrations, model symbolic\n# world: dialogue\n";
        let (take, look) = ("\ndef take(self, obj):\n    assert obj\n", "\ndef look(self):\n    pass\n");
        let set = AdoptedSet::parse(&format!("{head}{take}{look}"), "a").unwrap();
        assert!(!loses(&file, &set), "there is none");
        for (text, lost) in [
            (format!("{head}{take}{look}"), false),
            // An earlier run that was interrupted.
            (format!("{head}{take}"), false),
            (format!("{head}{take}    assert obj != 'a'\n{look}"), true),
            (format!("{head}{take}    # mine\n{look}"), true),
            (format!("# mine\n{head}{take}{look}"), true),
            ("my notes".to_owned(), true),
        ] {
            std::fs::write(&file, &text).unwrap();
            assert_eq!(loses(&file, &set), lost, "{text}");
        }
    }
}
