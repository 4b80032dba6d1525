//! Study runner. Carries out any [`Study`]: conditions × tasks × seeds, a few units at a time, a line of the results file a
//! unit, units that have a line already left out.
//!
//! The conditions, the work of a unit, the figures of its line and their tables are the study's. The runner names no world
//! and no method. `experiment` and `provenance` say what results depend on, `measured` says it to people, `lines` how a results file is
//! written, `results` appends to one, `merge` puts many together, `shard` divides units among processes, `remarks` has said what
//! models are remarked on.

mod episode;
mod experiment;
mod lines;
mod measured;
mod merge;
mod play;
mod pool;
mod provenance;
mod remarks;
mod results;
mod seeds;
mod selector;
mod shard;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::Arc;

use async_trait::async_trait;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

pub use episode::{Opening, SessionFolder, episode, file_stem};
pub use experiment::{Experiment, Head, digest, digest_of, unit_key};
pub use lines::{Contents, Entry, PlanLine, Planned};
pub use measured::{labels, lines_of};
pub use merge::{Duplicates, Merged, files_of, merge, one_each, read};
pub use play::{Duel, Episode, NOT_BEGUN};
pub(super) use play::{play, seconds_since};
pub use provenance::Provenance;
pub(crate) use provenance::{data_digest, named_digest};
pub use remarks::hearing;
pub(crate) use remarks::remark;
pub use results::{CLOSED, Results, is_output};
pub use seeds::Seeds;
pub use selector::{Selector, first_of_each_kind};
pub use shard::Shard;

use super::report::Report;
use super::sample::Sample;
use stepwright_world::TaskInfo;

/// A condition, a task and a seed: carried out as one, and resumed as one.
#[derive(Debug)]
pub struct Unit<C> {
    pub condition: Arc<C>,
    pub task: TaskInfo,
    pub seed: u64,
    /// The key that distinguishes it from other units of the experiment ([`unit_key`]).
    pub key: String,
}

impl<C> Clone for Unit<C> {
    fn clone(&self) -> Self {
        let Unit { condition, task, seed, key } = self;
        Unit { condition: Arc::clone(condition), task: task.clone(), seed: *seed, key: key.clone() }
    }
}

impl<C> Unit<C> {
    pub fn described<S: Study<Condition = C>>(&self, study: &S) -> (Value, String, u64) {
        (study.condition(&self.condition), self.task.id.clone(), self.seed)
    }

    pub fn in_words<S: Study<Condition = C>>(&self, study: &S) -> String {
        lines::in_words(&study.condition(&self.condition), &self.task.id, self.seed)
    }
}

/// The conditions, tasks and seeds that a study crosses.
#[derive(Debug)]
pub struct Plan<C> {
    /// The conditions, in the order they are carried out in.
    pub conditions: Vec<Arc<C>>,
    pub tasks: Vec<TaskInfo>,
    pub seeds: Vec<u64>,
}

/// A study: its conditions, the work of a unit, the lines it keeps, and its tables.
#[async_trait]
pub trait Study: Send + Sync + 'static {
    type Condition: Send + Sync + 'static;
    /// A unit's record: a line of the results file. A unit whose line has an `error` is carried out again.
    type Line: Sample + DeserializeOwned + Clone + Send + 'static;
    /// Its name in results files: `run`, `policy`.
    const NAME: &'static str;
    /// Units carried out, in words: `trials done`.
    const CARRIED_OUT: &'static str;

    fn plan(&self) -> &Plan<Self::Condition>;

    /// Whether a task is carried out under a condition with a seed.
    fn suits(&self, _condition: &Self::Condition, _task: &TaskInfo, _seed: u64) -> bool {
        true
    }

    /// The settings that all units share and their results depend on, beside the [`Provenance`]: an object.
    fn shared(&self) -> Value;

    /// A condition as results files record it: an object of all that makes its results differ from other conditions'.
    fn condition(&self, condition: &Self::Condition) -> Value;

    /// What of a recorded condition the tables have no column for, in words: it tells rows apart. Empty where that is as usual.
    fn under(_condition: &Value) -> String {
        String::new()
    }

    /// Says before the first unit why none could be carried out.
    async fn rehearse(&self, _cancel: &CancellationToken) -> Result<(), String> {
        Ok(())
    }

    /// Carries out a unit, for most studies one [`episode`]; one line, or several that belong together. What goes wrong is in the
    /// line; `None` if the unit was cancelled.
    async fn perform(&self, unit: Unit<Self::Condition>, cancel: &CancellationToken) -> Option<Vec<Self::Line>>;

    /// Tokens in the lines of a unit: of prompts, and generated.
    fn tokens(lines: &[Self::Line]) -> (u64, u64) {
        let fields: Vec<Value> = lines.iter().filter_map(|line| serde_json::to_value(line).ok()).collect();
        let sum = |name: &str| fields.iter().filter_map(|line| line[name].as_u64()).sum();
        (sum("prompt_tokens"), sum("completion_tokens"))
    }

    /// Whether the work of a unit with these lines could be begun.
    fn is_begun(lines: &[Self::Line]) -> bool {
        !lines.iter().filter_map(|line| serde_json::to_value(line).ok()).any(|line| line["ended"] == NOT_BEGUN)
    }

    /// The study's tables, with the paper's figures where they were measured under the same condition. Computed from lines alone;
    /// `detail` asks for more rows.
    fn report(lines: &[Self::Line], detail: bool) -> Report;
}

/// The units of a study, each once: a condition may be named twice.
pub fn units<S: Study>(study: &S) -> Vec<Unit<S::Condition>> {
    let Plan { conditions, tasks, seeds } = study.plan();
    let (mut units, mut known) = (Vec::new(), HashSet::new());
    for condition in conditions {
        let described = study.condition(condition);
        for task in tasks {
            let seeds = seeds.iter().copied().filter(|seed| study.suits(condition, task, *seed));
            let unit = |seed| Unit {
                condition: Arc::clone(condition),
                task: task.clone(),
                seed,
                key: unit_key(&described, &task.id, seed),
            };
            units.extend(seeds.map(unit).filter(|unit| known.insert(unit.key.clone())));
        }
    }
    units
}

/// Carries out units, `jobs` at a time, and gives each with its lines as it ends. After `enough` fires no further unit begins; after
/// `cancel` fires those under way are stopped as well and give no line.
pub async fn carry_out<S: Study>(
    study: &Arc<S>,
    units: Vec<Unit<S::Condition>>,
    jobs: usize,
    enough: &CancellationToken,
    cancel: &CancellationToken,
    mut ended: impl FnMut(&Unit<S::Condition>, Vec<S::Line>) -> Result<(), String>,
) -> Result<(), String> {
    let work = |unit: Unit<S::Condition>| {
        let (study, cancel) = (Arc::clone(study), cancel.clone());
        remarks::heard(async move { Some((unit.clone(), study.perform(unit, &cancel).await?)) })
    };
    pool::each(units, jobs, enough, work, |(unit, lines)| ended(&unit, lines)).await
}
