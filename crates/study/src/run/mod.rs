//! `run` as a study: one arrangement of world, method and model on any tasks.

mod result;
mod roles;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::report::Report;
use super::runner::{Opening, Plan, Seeds, Study, Unit};
use stepwright_driver::{Beginning, first_asked, roles_named};
use stepwright_episode::{Header, Session};
use stepwright_launch::NewSession;
use stepwright_method::{self as method, OF_SESSIONS, publications};
use stepwright_world::options::{Table, Values};
use stepwright_world::{Ability, TaskInfo};
use stepwright_worlds::WORLDS;

pub(crate) use result::tokens;
pub use result::{Disagreement, RoleUse, RunResult};
pub(crate) use roles::by_role;
pub(crate) use table::shortened;

/// Tasks that are tried beforehand, at most.
const MOST_REHEARSED: usize = 200;

#[derive(Debug)]
pub struct Run {
    opening: Opening,
    /// The condition is what a session begins with, but for its task.
    plan: Plan<NewSession>,
    /// The header of the first task's session: method, model and options as they are recorded.
    begun: Box<Header>,
    /// The recorded options that no method goes by that is asked: sessions keep them for a change of method.
    idle: BTreeSet<String>,
    /// Whether a language model is asked.
    asks: bool,
    /// Whether what it does without a language model can be tried beforehand.
    is_rehearsed: bool,
}

impl Run {
    /// Episodes of these tasks with these seeds, each like `new`.
    pub fn new(opening: Opening, new: NewSession, tasks: Vec<TaskInfo>, seeds: &Seeds) -> Result<Self, String> {
        let first = tasks.first().map(|task| task.id.clone()).unwrap_or_default();
        let mut setup = opening.look(&NewSession { task: first, ..new.clone() })?;
        if !opening.sides.is_empty() {
            stepwright_launch::can_begin(&opening.sides, &mut setup)?;
        }
        let Beginning::New(mut begun) = setup.beginning else { return Err("the session is not a new one".to_owned()) };
        let (info, kind) = (setup.method.info(), setup.world.kind());
        // A task of a program may have options of its own: what is said of all is what all have.
        for task in tasks.iter().skip(1).filter(|_| kind.has(Ability::Answers)) {
            let other = opening.look(&NewSession { task: task.id.clone(), ..new.clone() })?;
            if let Beginning::New(other) = &other.beginning {
                begun.options.retain(|key, value| other.options.get(key) == Some(value));
            }
        }
        let roles = roles_named(&begun.options, &begun.options, &[&setup.source], &setup.resolver)?;
        let traits = first_asked(&info, &roles, &setup.source).traits();
        let options = opening.config.built_in.options_with(info.options);
        let options = Values::read(options, &begun.options).map_err(|e| e.to_string())?;
        for task in &tasks {
            let fits = method::fits(&info, &options, (kind, WORLDS), Some(&task.kind), &traits);
            fits.map_err(|misfit| format!("task {}: {misfit}", task.id))?;
        }
        // Without a language model the rehearsal says it.
        if traits.language {
            setup.knowledge.skills.has(info.id, info.options, &begun.options, info.programs)?;
        }
        let of_side = |name: &String| setup.methods.resolve(name).map(|method| method.info().options);
        let sides = opening.sides.iter().map(|side| &side.method).filter(|name| !name.is_empty()).map(of_side);
        let asked: Vec<Table> = std::iter::once(Ok(info.options)).chain(sides).collect::<Result<_, String>>()?;
        let built_in = opening.config.built_in;
        let is_idle = |key: &&String| asked.iter().all(|own| !built_in.is_in_force(key, own));
        let idle = begun.options.keys().filter(is_idle).cloned().collect();
        let plan = Plan { seeds: seeds.all().to_vec(), conditions: vec![Arc::new(new)], tasks };
        Ok(Run {
            opening,
            plan,
            begun,
            idle,
            is_rehearsed: !traits.language && roles.is_empty() && !kind.has(Ability::Remote),
            asks: traits.language,
        })
    }

    pub fn method(&self) -> &str {
        &self.begun.method
    }

    /// The options as sessions record them.
    pub fn options(&self) -> &BTreeMap<String, String> {
        &self.begun.options
    }

    /// Whose settings the method has, in words, where a language model is asked and a publication is of it in this world.
    pub fn settings(&self) -> Option<String> {
        if !self.asks {
            return None;
        }
        publications::whose(&self.begun.method, &self.begun.world, &self.begun.options)
    }
}

#[async_trait]
impl Study for Run {
    type Condition = NewSession;
    type Line = RunResult;
    const NAME: &'static str = "run";
    const CARRIED_OUT: &'static str = "episodes run";

    fn plan(&self) -> &Plan<NewSession> {
        &self.plan
    }

    fn shared(&self) -> Value {
        let Header { world, world_version, method, method_version, options, .. } = &*self.begun;
        // What these name may lie in any folder; what it holds is known otherwise.
        let is_file = |key: &str| key == "preconditions" || OF_SESSIONS.iter().any(|spec| spec.key == key);
        let options: BTreeMap<_, _> =
            options.iter().filter(|(key, _)| !is_file(key) && !self.idle.contains(*key)).collect();
        let mut shared =
            json!({ "world": world, "method": method, "options": options, "limits": self.opening.shared() });
        for (key, version) in [("world_version", world_version), ("method_version", method_version)] {
            if !version.is_empty() {
                shared[key] = json!(version);
            }
        }
        shared
    }

    fn condition(&self, _condition: &NewSession) -> Value {
        json!({})
    }

    /// One step of each task, until one can be taken.
    async fn rehearse(&self, cancel: &CancellationToken) -> Result<(), String> {
        let opening = Opening { most_actions: 1, sides: Vec::new(), sessions: None, ..self.opening.clone() };
        let Plan { conditions, tasks, seeds } = &self.plan;
        let (Some(new), Some(seed)) = (conditions.first(), seeds.first()) else { return Ok(()) };
        let mut why = None;
        if !self.is_rehearsed {
            return Ok(());
        }
        for task in tasks.iter().take(MOST_REHEARSED) {
            let new = NewSession { task: task.id.clone(), seed: *seed, ..(**new).clone() };
            let Some(episode) = opening.run(&new, cancel).await else { return Ok(()) };
            let acts =
                |session: &Session| session.path(session.cursor()).iter().skip(1).any(|n| n.outcome.is_executed());
            match episode.error.filter(|_| !episode.session.as_ref().is_ok_and(acts)) {
                None => return Ok(()),
                Some(error) => why = why.or_else(|| Some(format!("{}: {error}", task.id))),
            }
        }
        why.filter(|_| tasks.len() <= MOST_REHEARSED)
            .map_or(Ok(()), |why| Err(format!("{} can begin none of these tasks. {why}", self.begun.method)))
    }

    async fn perform(&self, unit: Unit<NewSession>, cancel: &CancellationToken) -> Option<Vec<RunResult>> {
        let new = NewSession { task: unit.task.id.clone(), seed: unit.seed, ..(*unit.condition).clone() };
        let ended = self.opening.run(&new, cancel).await?;
        let mut result = RunResult::of(&ended, &unit.task, &new, self.opening.config.built_in);
        result.options.retain(|key, _| !self.idle.contains(key));
        Some(vec![result])
    }

    fn report(lines: &[RunResult], detail: bool) -> Report {
        table::report(lines, detail)
    }
}
