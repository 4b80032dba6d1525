//! Episodes of requests run live: one method with one model, unattended, through the same driver as the workbench.

use std::time::Instant;

use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::groups::Group;
use super::scores::{Outcome, Played};
use crate::episode::Session;
use crate::method::coding::closes;
use crate::study::run::{self, MakeSetup, RunResult, failure, play};
use crate::world::TaskInfo;

/// One episode to be run.
#[derive(Debug, Clone)]
pub struct Trial {
    /// The method's id.
    pub method: String,
    /// The model's name.
    pub model: String,
    /// Where the episode is from; empty: shipped.
    pub data: String,
    /// The episode.
    pub task: TaskInfo,
    /// Of each of its requests, whether it takes something of earlier ones.
    pub temporal: Vec<bool>,
}

/// One line of the results file: an episode's result, with its requests one by one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StatlerResult {
    /// Where the episode is from; empty: shipped.
    pub data: String,
    /// Of the requests that were closed, whether the answer was right.
    pub right: Vec<bool>,
    /// Of all requests, whether they take something of earlier ones.
    pub temporal: Vec<bool>,
    /// Where a belief was maintained: how many of its values were wrong at the beginning, then after each step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drift: Vec<usize>,
    /// The episode.
    #[serde(flatten)]
    pub run: RunResult,
}

impl StatlerResult {
    /// Whether it is a trial's result; one that could not be run to its end is not.
    pub fn is_of(&self, trial: &Trial) -> bool {
        self.run.task == trial.task.id
            && self.run.method == trial.method
            && self.run.model == trial.model
            && self.data == trial.data
            && self.run.error.is_none()
    }

    /// The episode as it is scored.
    fn played(&self) -> Played {
        let outcomes = self.right.iter().zip(&self.temporal);
        let outcomes = outcomes.map(|(right, temporal)| Outcome { right: *right, temporal: *temporal }).collect();
        Played { episode: self.run.task.clone(), outcomes, of: self.temporal.len() }
    }
}

/// Runs an episode; `None` if it was cancelled.
pub async fn trial(trial: Trial, make: MakeSetup, cancel: CancellationToken) -> Option<StatlerResult> {
    let started = Instant::now();
    let Trial { method, model, data, task, temporal } = trial;
    let info = task.clone();
    let setup = tokio::task::spawn_blocking(move || make(&info)).await.map_err(|e| e.to_string()).and_then(|made| made);
    let failed = |why| RunResult { method, model, ..failure(&task, why, started) };
    let (run, right, drift) = match setup {
        Err(why) => (failed(why), Vec::new(), Vec::new()),
        Ok(setup) => match play(setup, &cancel).await? {
            Ok(run::Played { session, mut drift, ended, error }) => {
                // Nobody asks the writer once the last request is closed.
                if session.is_done() {
                    drift.pop();
                }
                let run = RunResult::of(&session, &task.kind, started.elapsed().as_secs_f64(), &ended, error);
                (run, answers(&session), drift)
            }
            Err(why) => (failed(why), Vec::new(), Vec::new()),
        },
    };
    Some(StatlerResult { data, right, temporal, drift, run })
}

/// Whether each request that was closed was answered rightly: the world rewards the step that closes it.
fn answers(session: &Session) -> Vec<bool> {
    let path = session.path(session.cursor());
    let closing = path.iter().filter(|node| node.action.as_ref().is_some_and(closes));
    closing.map(|node| node.outcome.reward > 0.5).collect()
}

/// Results that were run to their end, by domain, method and model.
pub fn groups(results: &[StatlerResult]) -> Vec<Group> {
    let mut groups = Vec::new();
    for result in results.iter().filter(|r| r.run.error.is_none()) {
        let run = &result.run;
        Group::of(&mut groups, &run.kind, &run.method, &run.model).played.push(result.played());
    }
    groups
}
