//! Whose demonstrations count for a set of preconditions, and the candidate store over them: shared by the subcommands of `preconditions`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;

use super::world::{WorldName, WorldOptions};
use super::{CliError, Global};
use stepwright_driver::{Beginning, system_clock};
use stepwright_episode::{Header, action_of_effects};
use stepwright_launch::{NewSession, Recorded, prepare_new, read_recorded};
use stepwright_method::{Knowledge, SYMBOLIC};
use stepwright_precondition::{AdoptedAction, AdoptedSet, CandidateStore, Demo, SecondTier};
use stepwright_program::{Role, Specification};
use stepwright_sandbox::Trials;
use stepwright_world::{OpenSpec, World};
use stepwright_worlds::WORLDS;

/// Whose demonstrations count.
#[derive(Debug, Args)]
pub(super) struct Where {
    /// The world; if absent the one that the file says it was in force in, else the only one that has its actions
    #[arg(long)]
    pub(super) world: Option<WorldName>,
    /// The task whose specification and demonstrations count; the one the file names if absent, else the first
    #[arg(long, value_name = "ID")]
    pub(super) task: Option<String>,
    #[command(flatten)]
    options: WorldOptions,
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
    pub(super) fn advice(&self, set: &AdoptedSet) -> String {
        let Ok((world, _)) = self.place(set) else { return String::new() };
        let other = match world.kind().services {
            true => "its specification is that of the task: name one of the service with --task ID",
            false => "name another with --world NAME",
        };
        format!("checked in the world {}; {other}\n", world.name())
    }

    /// The demonstrations, executed on the specification; and the true preconditions, with their name: the world's ground truth where it
    /// has one, else the specification's own assertions.
    pub(super) fn store(
        &self,
        set: &AdoptedSet,
        global: &Global,
    ) -> Result<(CandidateStore, AdoptedSet, &'static str), CliError> {
        let fail = |why: String| CliError::Failed(why);
        let (header, setup) = self.setup(set, global)?;
        let specification = Specification::load(&header.specification, "spec.py").map_err(|e| fail(e.to_string()))?;
        let demos = setup.knowledge.demonstrations.iter().map(Demo::from).collect();
        let store = CandidateStore::new(&specification, demos).map_err(|e| fail(e.to_string()))?;
        let store = store.with_effects().with_second_tier(SecondTier::in_workers(Trials::of_this_program()));
        let mut world = setup.world;
        world.reset(&header.task, header.seed).map_err(|e| fail(e.to_string()))?;
        let (truth, name) = match world.ground_truth() {
            Some(truth) => (truth, "ground truth"),
            None => (own(&specification), "specification"),
        };
        let truth = whole(&store, &truth);
        Ok((store, truth, name))
    }

    /// Of which world and service the demonstrations are that count for a set.
    pub(super) fn subject(&self, set: &AdoptedSet, global: &Global) -> Result<String, CliError> {
        let (header, _) = self.setup(set, global)?;
        Ok(if header.service.is_empty() { header.world.clone() } else { header.service.clone() })
    }

    fn setup(&self, set: &AdoptedSet, global: &Global) -> Result<(Box<Header>, Opened), CliError> {
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
        let sources = stepwright_worlds::sources().with_adapters(config.external.clone());
        let setup = prepare_new(&new, &config, &sources, system_clock());
        let setup = setup.map_err(|e| CliError::Failed(e.to_string()))?;
        let Beginning::New(header) = setup.beginning else {
            return Err(CliError::Failed("the world has no specification".to_owned()));
        };
        Ok((header, Opened { knowledge: setup.knowledge, world: setup.world }))
    }
}

/// What demonstrations are read from.
struct Opened {
    knowledge: Knowledge,
    world: Box<dyn World>,
}

/// The store over logs where some are named, else over a world's demonstrations.
pub(super) fn over(
    logs: &[PathBuf],
    at: &Where,
    global: &Global,
) -> Result<(CandidateStore, AdoptedSet, &'static str), CliError> {
    match (logs, at.world) {
        ([], None) => Err(CliError::Usage(
            "say of which world with --world (and --task, where services differ), or name logs".to_owned(),
        )),
        ([], _) => at.store(&AdoptedSet::default(), global),
        (logs, _) => of_logs(logs),
    }
}

/// The store over logs of episodes that did not fail, executed on the specification that their actions are of: that of a world, of all the
/// tools that they list, or a session's own. What was refused shows nothing of when an action can be taken.
fn of_logs(files: &[PathBuf]) -> Result<(CandidateStore, AdoptedSet, &'static str), CliError> {
    let mut logs = read_recorded(files, super::note).map_err(CliError::Failed)?;
    logs.retain(|recorded| !recorded.log.failed());
    let tools: Vec<_> = logs.iter().flat_map(|recorded| &recorded.log.tools).cloned().collect();
    for Recorded { log, .. } in logs.iter_mut().filter(|recorded| !recorded.log.tools.is_empty()) {
        log.tools.clone_from(&tools);
    }
    let first = logs.first().ok_or_else(|| CliError::Failed("there is no episode that did not fail".to_owned()))?;
    let source = first.specification().into_owned();
    if let Some(other) = logs.iter().find(|recorded| recorded.specification() != source) {
        let (one, other) = (&first.log.id, &other.log.id);
        let why =
            format!("{one} and {other} have different specifications; give those of one world and task at a time");
        return Err(CliError::Failed(why));
    }
    let specification = Specification::load(&source, "spec.py").map_err(|e| CliError::Failed(e.to_string()))?;
    let demo = |recorded: &Recorded| Demo {
        id: recorded.log.id.clone(),
        calls: recorded.called().into_iter().flat_map(|called| called.added).collect(),
    };
    let mut demos: Vec<Demo> = logs.iter().map(demo).collect();
    let store = loop {
        match CandidateStore::new(&specification, demos.clone()) {
            Ok(store) => break store,
            Err(e) if demos.len() > 1 => {
                super::note(&format!("{e}; it is left out"));
                demos.remove(e.number - 1);
            }
            Err(e) => return Err(CliError::Failed(e.to_string())),
        }
    };
    let store = store.with_effects().with_second_tier(SecondTier::in_workers(Trials::of_this_program()));
    let truth = whole(&store, &own(&specification));
    Ok((store, truth, "specification"))
}

/// The worlds whose specification (of the first task) has an action of the set.
fn having(set: &AdoptedSet) -> Vec<WorldName> {
    let (sources, options) = (stepwright_worlds::sources(), BTreeMap::new());
    let has = |world: &WorldName| {
        let spec = OpenSpec { world: world.name(), data: None, options: &options, task: "" };
        let opened = sources.open(&spec).ok()?;
        let specification = Specification::load(&opened.world.specification(), "spec.py").ok()?;
        let is_one = |name: &str| specification.functions().iter().any(|f| f.role == Role::Action && f.name == name);
        let name = |action: &'_ AdoptedAction| is_one(action_of_effects(&action.action).unwrap_or(&action.action));
        set.actions.iter().any(name).then_some(())
    };
    WORLDS.iter().filter_map(|kind| WorldName::of(kind.name)).filter(|world| has(world).is_some()).collect()
}

fn own(specification: &Specification) -> Vec<(String, Vec<String>)> {
    let functions = specification.functions().iter();
    functions.map(|f| (f.name.clone(), f.assertions.iter().map(|a| a.expression.clone()).collect())).collect()
}

fn whole(store: &CandidateStore, assertions: &[(String, Vec<String>)]) -> AdoptedSet {
    let of = |name: &str| assertions.iter().find(|(action, _)| action == name).map(|(_, texts)| texts.clone());
    let actions = store.actions().map(|f| AdoptedAction {
        action: f.name.clone(),
        params: f.params.clone(),
        assertions: of(&f.name).unwrap_or_default(),
    });
    AdoptedSet { actions: actions.collect(), ..AdoptedSet::default() }
}
