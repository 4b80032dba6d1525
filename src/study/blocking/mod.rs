//! The study of "Sequential Discrete Action Selection via Blocking Conditions and Resolutions": the kitchen's tasks under the
//! method and the baselines it was compared with, each trial an unattended episode through the same driver as the workbench.

mod paper;
mod report;
mod result;
#[cfg(test)]
mod tests;

use std::time::Instant;

use tokio_util::sync::CancellationToken;

pub use report::table;
pub use result::BlockingResult;

use super::run::{MakeSetup, Played, RunResult, failure, play};
use crate::world::TaskInfo;

/// A condition of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Condition {
    /// As in the paper's table.
    pub name: &'static str,
    /// The method that runs it.
    pub method: &'static str,
    /// What `find` does in the kitchen.
    pub find: &'static str,
    /// Whether its course depends on a language model where one is in use.
    pub model: bool,
}

/// The paper's five conditions, and ProgPrompt with its assertions heeded, which the paper's wrapper dropped.
pub const CONDITIONS: [Condition; 6] = [
    Condition { name: "BCR", method: "blocking", find: "moving", model: true },
    Condition { name: "ProgPrompt", method: "progprompt-flat", find: "moving", model: true },
    Condition { name: "FF-Replan", method: "ff-replan", find: "moving", model: false },
    Condition { name: "ProgPrompt-no-find", method: "progprompt-flat", find: "fixed", model: true },
    Condition { name: "FF-Replan-limited", method: "ff-replan-limited", find: "moving", model: false },
    Condition { name: "ProgPrompt-heeded", method: "progprompt", find: "moving", model: true },
];

/// Actions a trial may take.
pub const MOST_ACTIONS: u32 = 100;

/// One trial to be run.
#[derive(Debug, Clone)]
pub struct Trial {
    /// Under which condition.
    pub condition: Condition,
    /// The kitchen's task.
    pub task: TaskInfo,
    /// Which of the trials, from 0; the seed of the episode.
    pub number: u32,
}

/// Runs a trial; `None` if it was cancelled.
pub async fn trial(trial: Trial, make: MakeSetup, cancel: CancellationToken) -> Option<BlockingResult> {
    let started = Instant::now();
    let Trial { condition, task, number } = trial;
    let info = task.clone();
    let setup = tokio::task::spawn_blocking(move || make(&info)).await.map_err(|e| e.to_string()).and_then(|made| made);
    let run = match setup {
        Err(why) => failure(&task, why, started),
        Ok(setup) => match play(setup, &cancel).await? {
            Ok(Played { session, ended, error, .. }) => {
                RunResult::of(&session, &task.kind, started.elapsed().as_secs_f64(), &ended, error)
            }
            Err(why) => failure(&task, why, started),
        },
    };
    Some(BlockingResult { condition: condition.name.to_owned(), trial: number, run })
}

/// The conditions of a list of names.
///
/// # Errors
/// A name that is none, with those that are.
pub fn conditions(names: &[String]) -> Result<Vec<Condition>, String> {
    if names.is_empty() {
        return Ok(CONDITIONS.into_iter().filter(|c| paper::TABLE_1.iter().any(|row| row.0 == c.name)).collect());
    }
    let known = || CONDITIONS.map(|c| c.name).join(", ");
    let find = |name: &String| {
        let found = CONDITIONS.into_iter().find(|c| c.name.eq_ignore_ascii_case(name));
        found.ok_or_else(|| format!("there is no condition `{name}`; there are {}", known()))
    };
    names.iter().map(find).collect()
}
