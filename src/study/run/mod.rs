//! Unattended runs: episodes through the same driver and gate as the workbench, with a policy in place of a person.
//!
//! Knows no world and no model: whoever runs it hands in how a task's driver is set up. Results are a file of lines; what a
//! table says is computed from them.

mod play;
mod result;
mod results_file;
mod selector;
mod table;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use tokio_util::sync::CancellationToken;

use crate::driver::Setup;
use crate::study::jobs::each;
use crate::world::TaskInfo;

pub(super) use play::{Played, play};
pub use result::RunResult;
pub use results_file::ResultsFile;
pub use selector::Selector;
pub use table::table;

/// Makes the driver of a task; called on a thread that may block.
pub type MakeSetup = Arc<dyn Fn(&TaskInfo) -> Result<Setup, String> + Send + Sync>;

/// Runs every task, `jobs` at a time, and gives each result as its episode ends. After `cancel` fires, episodes under way are
/// stopped and give no result.
pub async fn run(
    tasks: Vec<TaskInfo>,
    jobs: usize,
    make: MakeSetup,
    cancel: CancellationToken,
    ended: impl FnMut(RunResult) -> Result<(), String>,
) -> Result<(), String> {
    let work = |task| episode(task, Arc::clone(&make), cancel.clone());
    each(tasks, jobs, &cancel, work, ended).await
}

/// Runs one episode to its end; `None` if it was cancelled.
async fn episode(task: TaskInfo, make: MakeSetup, cancel: CancellationToken) -> Option<RunResult> {
    let started = Instant::now();
    let info = task.clone();
    let setup = match tokio::task::spawn_blocking(move || make(&info)).await {
        Ok(Ok(setup)) => setup,
        Ok(Err(why)) => return Some(failure(&task, why, started)),
        Err(e) => return Some(failure(&task, e.to_string(), started)),
    };
    Some(match play(setup, &cancel).await? {
        Ok(Played { session, ended, error, .. }) => {
            RunResult::of(&session, &task.kind, started.elapsed().as_secs_f64(), &ended, error)
        }
        Err(why) => failure(&task, why, started),
    })
}

/// The result of an episode that could not be begun.
pub(super) fn failure(task: &TaskInfo, why: String, started: Instant) -> RunResult {
    RunResult {
        task: task.id.clone(),
        kind: task.kind.clone(),
        sentence: task.sentence.clone(),
        method: String::new(),
        model: String::new(),
        options: BTreeMap::new(),
        seed: 0,
        won: false,
        reward: 0.0,
        steps: 0,
        blocked: 0,
        refused: 0,
        compatible: 0,
        proposals: 0,
        asks: 0,
        prompt_tokens: 0,
        completion_tokens: 0,
        seconds: started.elapsed().as_secs_f64(),
        ended: "it could not be begun".to_owned(),
        error: Some(why),
    }
}
