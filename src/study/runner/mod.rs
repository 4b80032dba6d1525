//! The study runner. Carries out any [`Study`]: conditions × tasks × seeds, a few units at a time, a line of the results file a
//! unit, units that have a line already left out.
//!
//! What varies, what a unit does, which figures its line holds and how they are tabulated is the study's. The runner names no world
//! and no method.

mod episode;
mod paper;
mod play;
mod pool;
mod results;
mod selector;
#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;
use std::sync::Arc;

use async_trait::async_trait;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

pub(super) use episode::seconds_since;
pub use episode::{Episode, Opening, SessionFolder, episode};
pub use paper::{PaperRow, Printed, beside, in_print};
pub(super) use paper::{paper_row, printed_table};
pub(super) use play::{Played, play};
pub use results::{Results, ResultsFile, experiment_key, is_error};
pub use selector::{Selector, first_of_each_kind};

use crate::world::TaskInfo;

/// One unit of a study.
#[derive(Debug)]
pub struct Unit<C> {
    /// Under which condition.
    pub condition: Arc<C>,
    /// The task.
    pub task: TaskInfo,
    /// The seed.
    pub seed: u64,
}

impl<C> Clone for Unit<C> {
    fn clone(&self) -> Self {
        Unit { condition: Arc::clone(&self.condition), task: self.task.clone(), seed: self.seed }
    }
}

/// What a study crosses with each other.
#[derive(Debug)]
pub struct Plan<C> {
    /// What is compared, in the order it is carried out in.
    pub conditions: Vec<Arc<C>>,
    /// The tasks.
    pub tasks: Vec<TaskInfo>,
    /// The seeds.
    pub seeds: RangeInclusive<u64>,
}

/// A study.
#[async_trait]
pub trait Study: Send + Sync + 'static {
    /// What is compared.
    type Condition: Send + Sync + 'static;
    /// What is kept of a unit: a line of the results file. A unit whose line has an `error` is carried out again.
    type Line: Serialize + DeserializeOwned + Clone + Send + 'static;
    /// Units carried out, in words: `trials done`.
    const CARRIED_OUT: &'static str;

    /// Conditions, tasks and seeds.
    fn plan(&self) -> &Plan<Self::Condition>;

    /// Whether a task is carried out under a condition.
    fn suits(&self, _condition: &Self::Condition, _task: &TaskInfo) -> bool {
        true
    }

    /// The experiment that a unit belongs to: an object of those fields of its line that tell it from other units and from units
    /// of other experiments. A unit whose line is in the results file is not carried out again.
    fn experiment(&self, unit: &Unit<Self::Condition>) -> Value;

    /// Carries out a unit, for most studies one [`episode`]; one line, or several that belong together. What goes wrong is in the
    /// line; `None` if the unit was cancelled.
    async fn perform(&self, unit: Unit<Self::Condition>, cancel: &CancellationToken) -> Option<Vec<Self::Line>>;

    /// Whether a line of the results file is shown with the study; a file may hold lines of others.
    fn concerns(&self, _line: &Self::Line) -> bool {
        true
    }

    /// The study's tables, with the paper's figures where they were measured under the same condition.
    fn table(&self, lines: &[Self::Line]) -> String;
}

/// All units of a study, by condition, task and seed.
pub fn units<S: Study>(study: &S) -> Vec<Unit<S::Condition>> {
    let Plan { conditions, tasks, seeds } = study.plan();
    let mut units = Vec::new();
    for condition in conditions {
        for task in tasks.iter().filter(|task| study.suits(condition, task)) {
            let unit = |seed| Unit { condition: Arc::clone(condition), task: task.clone(), seed };
            units.extend(seeds.clone().map(unit));
        }
    }
    units
}

/// Carries out units, `jobs` at a time, and gives the task and the lines of each as it ends. After `cancel` fires no further unit begins, and
/// those under way are stopped and give no line.
///
/// # Errors
/// What `ended` says; units under way are abandoned then.
pub async fn carry_out<S: Study>(
    study: &Arc<S>,
    units: Vec<Unit<S::Condition>>,
    jobs: usize,
    cancel: &CancellationToken,
    mut ended: impl FnMut(String, Vec<S::Line>) -> Result<(), String>,
) -> Result<(), String> {
    let work = |unit: Unit<S::Condition>| {
        let (study, cancel, task) = (Arc::clone(study), cancel.clone(), unit.task.id.clone());
        async move { Some((task, study.perform(unit, &cancel).await?)) }
    };
    pool::each(units, jobs, cancel, work, |(task, lines)| ended(task, lines)).await
}
