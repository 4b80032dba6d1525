//! Unattended runs: episodes through the same driver and gate as the workbench, with a policy in place of a person.
//!
//! Knows no world and no model: whoever runs it hands in how a task's driver is set up. Results are a file of lines; what a
//! table says is computed from them.

mod result;
mod results_file;
mod selector;
mod table;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use tokio_util::sync::CancellationToken;

use crate::driver::{self, Command, Notice, Setup};
use crate::episode::{Event, Session};
use crate::study::jobs::each;
use crate::world::TaskInfo;

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
    let failed = |why: String| Some(failure(&task, why, started));
    let info = task.clone();
    let setup = match tokio::task::spawn_blocking(move || make(&info)).await {
        Ok(Ok(setup)) => setup,
        Ok(Err(why)) => return failed(why),
        Err(e) => return failed(e.to_string()),
    };
    let mut handle = match driver::start(setup) {
        Ok(handle) => handle,
        Err(why) => return failed(why),
    };
    let mut watch = Watch::default();
    loop {
        let notice = tokio::select! {
            notice = handle.notices.recv() => notice,
            () = cancel.cancelled() => {
                let _ = handle.commands.send(Command::Quit);
                while handle.notices.recv().await.is_some_and(|n| n != Notice::Stopped) {}
                return None;
            }
        };
        match notice {
            None | Some(Notice::Stopped) => break,
            Some(notice) => {
                if watch.take(notice) {
                    let _ = handle.commands.send(Command::Quit);
                }
            }
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    match watch.session {
        Some(session) => Some(RunResult::of(&session, &task.kind, seconds, &watch.ended, watch.error)),
        None => failed("the driver ended before the episode began".to_owned()),
    }
}

/// What is seen of an episode from outside.
#[derive(Default)]
struct Watch {
    session: Option<Session>,
    ended: String,
    error: Option<String>,
}

impl Watch {
    /// Takes a notice in; whether the episode has come to its end.
    fn take(&mut self, notice: Notice) -> bool {
        match notice {
            Notice::Opened { header, .. } => self.session = Some(Session::new(*header)),
            Notice::Recorded(record) => {
                let Some(session) = &mut self.session else { return false };
                if let Err(misfit) = session.apply(&record) {
                    self.error = Some(misfit.to_string());
                    return true;
                }
                match record.event {
                    // A policy set aside is how an unattended episode ends.
                    Event::PolicySet { policy, why } if !policy.is_automatic() => {
                        self.ended = why;
                        return true;
                    }
                    Event::AskFailed { error, .. } | Event::Failed { error } => self.error = Some(error),
                    // What was retried with success is no error of the episode.
                    Event::Executed { .. } => self.error = None,
                    _ => {}
                }
            }
            _ => {}
        }
        false
    }
}

fn failure(task: &TaskInfo, why: String, started: Instant) -> RunResult {
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
