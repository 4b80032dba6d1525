//! `stepwright preconditions`: files of adopted preconditions, checked against a world's demonstrations and compared.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;

use super::check_logs::CheckLogs;
use super::world::{WorldName, WorldOptions};
use super::{CliError, Global, candidates, print, print_json};
use stepwright_driver::{Beginning, system_clock};
use stepwright_launch::{NewSession, prepare_new};
use stepwright_method::SYMBOLIC;
use stepwright_method::precondition::{
    AdoptedSet, CandidateOrigin, CandidateStore, Demo, Pool, SecondTier, SetComparison, SideBySide, Validity,
};
use stepwright_program::{Role, Specification};
use stepwright_sandbox::Trials;
use stepwright_world::{OpenSpec, Sources, WORLDS};

/// Check and compare files of preconditions.
#[derive(Debug, Subcommand)]
pub(crate) enum PreconditionsCommand {
    /// Say of each assertion whether the demonstrations bear it out; exit code 1 if one is not valid
    Check(Check),
    /// Print the candidate preconditions of actions with their verdicts and clusters, those that would be adopted, and the true ones
    Candidates(candidates::Candidates),
    /// Say which assertions logs of episodes violate, where and with what values; exit code 1 if there are any
    Logs(CheckLogs),
    /// Compare two files, or a file with the world's ground truth (else the specification's own assertions); exit code 1 if they do not permit the same
    Diff(Diff),
}

/// Whose demonstrations count.
#[derive(Debug, Args)]
pub(super) struct Where {
    /// The world; if absent the one that the file says it was in force in, else the only one that has its actions
    #[arg(long)]
    pub(super) world: Option<WorldName>,
    /// The task whose specification and demonstrations count; the one the file names if absent, else the first
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    #[command(flatten)]
    options: WorldOptions,
}

/// Checks a file.
#[derive(Debug, Args)]
pub struct Check {
    /// A *.preconditions.py file
    file: PathBuf,
    #[command(flatten)]
    at: Where,
    /// Print the verdicts as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Diff {
    /// The left file
    left: PathBuf,
    /// The right file, taken as the truth in Equation (2); the world's ground truth, or the specification's own assertions, if absent
    right: Option<PathBuf>,
    #[command(flatten)]
    at: Where,
    /// Print the comparison as JSON
    #[arg(long)]
    json: bool,
}

impl PreconditionsCommand {
    pub fn run(self, global: &Global) -> Result<ExitCode, CliError> {
        match self {
            PreconditionsCommand::Check(check) => check.run(global),
            PreconditionsCommand::Candidates(candidates) => candidates.run(global),
            PreconditionsCommand::Logs(logs) => logs.run(),
            PreconditionsCommand::Diff(diff) => diff.run(global),
        }
    }
}

impl Where {
    /// The world and the task (the first if empty): those named, else those that the file was in force in; where it does not
    /// say, the only world that has an action of the file.
    fn place(&self, set: &AdoptedSet) -> Result<(WorldName, String), CliError> {
        let noted = set.place.as_ref().map(|(world, task)| (world.as_str(), task.as_str()));
        let world = match (self.world, noted) {
            (Some(world), _) => world,
            (None, Some((name, _))) => WorldName::of(name).ok_or_else(|| {
                CliError::Failed(format!("the file is of a world `{name}`; name one there is with --world"))
            })?,
            (None, None) => match having(set).as_slice() {
                [one] => *one,
                _ => {
                    let flags: Vec<String> = WORLDS.iter().map(|w| format!("--world {}", w.name)).collect();
                    return Err(CliError::Failed(format!(
                        "the file does not say of which world it is, and its actions do not tell; name it: {}",
                        flags.join(" or ")
                    )));
                }
            },
        };
        let task = noted.filter(|(name, _)| *name == world.name()).map(|(_, task)| task);
        Ok((world, self.task.as_deref().or(task).unwrap_or_default().to_owned()))
    }

    /// The advice about actions that the world does not have.
    fn advice(&self, set: &AdoptedSet) -> String {
        let task = "its specification is that of the task: name one of the service with --task ID";
        self.place(set).map_or_else(|_| String::new(), |(w, _)| format!("checked in the world {}; {task}\n", w.name()))
    }

    /// The demonstrations, executed on the specification; and the true preconditions, with their name: the world's ground truth where it
    /// has one, else the specification's own assertions.
    pub(super) fn store(
        &self,
        set: &AdoptedSet,
        global: &Global,
    ) -> Result<(CandidateStore, AdoptedSet, &'static str), CliError> {
        let fail = |why: String| CliError::Failed(why);
        let (world, task) = self.place(set)?;
        let new = NewSession {
            world: world.name().to_owned(),
            data: self.options.data.clone(),
            task,
            options: self.options.of(world)?,
            model: SYMBOLIC.to_owned(),
            ..NewSession::default()
        };
        let config = global.load()?;
        let sources = Sources::with_adapters(config.external.clone());
        let setup = prepare_new(&new, &config, &sources, system_clock());
        let setup = setup.map_err(|e| fail(e.to_string()))?;
        let Beginning::New(header) = setup.beginning else {
            return Err(fail("the world has no specification".to_owned()));
        };
        let specification = Specification::load(&header.specification, "spec.py").map_err(|e| fail(e.to_string()))?;
        let demos = setup.knowledge.demonstrations.iter().map(Demo::from).collect();
        let store = CandidateStore::new(&specification, demos).map_err(|e| fail(e.to_string()))?;
        let store = store.with_second_tier(SecondTier::in_workers(Trials::of_this_program()));
        let mut world = setup.world;
        world.reset(&header.task, header.seed).map_err(|e| fail(e.to_string()))?;
        let (truth, name) = match world.ground_truth() {
            Some(truth) => (truth, "ground truth"),
            None => (own(&specification), "specification"),
        };
        let truth = whole(&store, &truth);
        Ok((store, truth, name))
    }
}

/// The worlds whose specification (of the first task) has an action of the set.
fn having(set: &AdoptedSet) -> Vec<WorldName> {
    let (sources, options) = (Sources::default(), BTreeMap::new());
    let has = |world: &WorldName| {
        let spec = OpenSpec { world: world.name(), data: None, options: &options, task: "" };
        let opened = sources.open(&spec).ok()?;
        let specification = Specification::load(&opened.world.specification(), "spec.py").ok()?;
        let is_one = |name: &str| specification.functions().iter().any(|f| f.role == Role::Action && f.name == name);
        set.actions.iter().any(|action| is_one(&action.action)).then_some(())
    };
    WORLDS.iter().filter_map(|kind| WorldName::of(kind.name)).filter(|world| has(world).is_some()).collect()
}

fn read(path: &Path) -> Result<AdoptedSet, CliError> {
    AdoptedSet::read(path).map_err(|e| CliError::Failed(e.to_string()))
}

impl Check {
    fn run(self, global: &Global) -> Result<ExitCode, CliError> {
        let set = read(&self.file)?;
        let (mut store, ..) = self.at.store(&set, global)?;
        let (mut sound, mut known) = (true, true);
        let mut out = String::new();
        let mut pools = Vec::new();
        for action in &set.actions {
            out.push_str(&format!("{}({})\n", action.action, action.params.join(", ")));
            let pool = match store.offer(&action.action, CandidateOrigin::Person, &action.assertions, |_, _| true) {
                Ok(pool) => pool,
                Err(why) => {
                    (sound, known) = (false, false);
                    out.push_str(&format!("  ? {why}\n"));
                    pools.push(json!({ "action": action.action, "error": why.to_string() }));
                    continue;
                }
            };
            let mut judged = Vec::new();
            for text in &action.assertions {
                let Some(candidate) = pool.candidates.iter().find(|c| c.text == *text) else { continue };
                let Ok(candidate) = store.look_at(&action.action, candidate.id) else { continue };
                judged.push(candidate.clone());
                // What neither tier decides is reported, and is no fault of the assertion.
                sound &= matches!(candidate.fate, Validity::Valid | Validity::Unknown { .. });
                let (sign, why) = match &candidate.fate {
                    Validity::Valid => ("ok", format!("|C| {} of {}", candidate.coverage.unwrap_or(0), pool.instances)),
                    Validity::Malformed { reason, message } => ("malformed", format!("{reason}: {message}")),
                    Validity::Fails { message, failing, .. } => ("fails", format!("{message} ({failing} failing)")),
                    Validity::Unknown { reason, message } => ("unknown", format!("{reason}: {message}")),
                };
                out.push_str(&format!("  {sign:<9} {text}\n            {why}\n"));
            }
            pools.push(json!(Pool { candidates: judged, ..pool }));
        }
        if self.json {
            print_json(&format!("{:#}\n", json!({ "actions": pools })))?;
            return Ok(ExitCode::from(u8::from(!sound)));
        }
        if !known {
            out.push_str(&self.at.advice(&set));
        }
        print(&out)?;
        Ok(ExitCode::from(u8::from(!sound)))
    }
}

impl Diff {
    fn run(self, global: &Global) -> Result<ExitCode, CliError> {
        let left = read(&self.left)?;
        let right = self.right.as_deref().map(read).transpose()?;
        let (store, truth, truth_name) = self.at.store(&left, global)?;
        let name = |path: &Path| path.display().to_string();
        let right_name = self.right.as_deref().map_or_else(|| truth_name.to_owned(), name);
        let right = right.unwrap_or(truth);
        let comparison = store.compare((&name(&self.left), &left), (&right_name, &right));
        if self.json {
            print_json(&format!("{:#}\n", candidates::compared(&comparison)))?;
        } else {
            print(&described(&comparison))?;
        }
        let same = comparison.actions.iter().all(|a| a.score.is_ok() && a.difference.is_none());
        Ok(ExitCode::from(u8::from(!same)))
    }
}

fn own(specification: &Specification) -> Vec<(String, Vec<String>)> {
    let functions = specification.functions().iter();
    functions.map(|f| (f.name.clone(), f.assertions.iter().map(|a| a.expression.clone()).collect())).collect()
}

fn whole(store: &CandidateStore, assertions: &[(String, Vec<String>)]) -> AdoptedSet {
    let of = |name: &str| assertions.iter().find(|(action, _)| action == name).map(|(_, texts)| texts.clone());
    let actions = store.actions().map(|f| stepwright_method::precondition::AdoptedAction {
        action: f.name.clone(),
        params: f.params.clone(),
        assertions: of(&f.name).unwrap_or_default(),
    });
    AdoptedSet { actions: actions.collect(), ..AdoptedSet::default() }
}

fn described(comparison: &SetComparison) -> String {
    let mut out = format!("--- {}\n+++ {}\n", comparison.left, comparison.right);
    for action in &comparison.actions {
        let score = match &action.score {
            Ok(score) => format!("P {:.3}  R {:.3}  F1 {:.3}", score.precision, score.recall, score.f1),
            Err(why) => why.clone(),
        };
        out.push_str(&format!("{}({})  {score}\n", action.action, action.params.join(", ")));
        for SideBySide { left, right, counterpart, .. } in &action.rows {
            let word = counterpart.in_words();
            out.push_str(&match (left, right) {
                (Some(left), Some(right)) if left == right => format!("  = {left}\n"),
                (Some(left), Some(right)) => format!("  ~ {left}    {word}: {right}\n"),
                (Some(left), None) => format!("  - {left}    {word}\n"),
                (None, Some(right)) => format!("  + {right}    {word}\n"),
                (None, None) => String::new(),
            });
        }
        if let Some((place, is_left)) = &action.difference {
            let one = if *is_left { &comparison.left } else { &comparison.right };
            let applied = place.application(&action.action);
            out.push_str(&format!("  only {one} permits {applied} in {}\n", place.in_words()));
        }
    }
    if let Some(score) = &comparison.score {
        let (p, r, f1) = (score.precision, score.recall, score.f1);
        out.push_str(&format!("macro  P {p:.3}  R {r:.3}  F1 {f1:.3}\n"));
    }
    out
}
