//! Engine: the thread a model lives on. It loads the model when it is first asked, answers one request after another, and ends, with the
//! weights, once nobody holds it. All that name the same file share one.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::JoinHandle;

use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::runner::{Runner, Stop};
use crate::fetch::megabytes;
use crate::{Completion, ModelRequest, ModelResponse, ScoreRequest, StreamEvent};

static ENGINES: Mutex<Vec<(PathBuf, Weak<Engine>)>> = Mutex::new(Vec::new());

pub(super) enum Job {
    Complete {
        request: Box<ModelRequest>,
        stream: UnboundedSender<StreamEvent>,
        cancel: CancellationToken,
        reply: oneshot::Sender<Result<ModelResponse, Stop>>,
    },
    Score {
        request: ScoreRequest,
        done: UnboundedSender<usize>,
        cancel: CancellationToken,
        reply: oneshot::Sender<Result<Vec<Completion>, Stop>>,
    },
}

pub(super) struct Engine {
    jobs: Sender<Job>,
    thread: JoinHandle<()>,
}

impl Engine {
    pub(super) fn of(path: &Path) -> std::io::Result<Arc<Engine>> {
        let key = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        // A panic elsewhere leaves the list whole.
        let mut engines = ENGINES.lock().unwrap_or_else(PoisonError::into_inner);
        engines.retain(|(_, engine)| engine.strong_count() > 0);
        let running = engines.iter().filter(|(p, _)| *p == key).filter_map(|(_, e)| e.upgrade());
        if let Some(engine) = running.into_iter().find(|e| !e.thread.is_finished()) {
            return Ok(engine);
        }
        let (jobs, received) = channel();
        let of = path.to_owned();
        let thread = std::thread::Builder::new().name("local model".into()).spawn(move || work(&of, &received))?;
        let engine = Arc::new(Engine { jobs, thread });
        engines.push((key, Arc::downgrade(&engine)));
        Ok(engine)
    }

    /// Hands a job over; `false` if the thread has ended.
    pub(super) fn send(&self, job: Job) -> bool {
        self.jobs.send(job).is_ok()
    }
}

fn work(path: &Path, jobs: &Receiver<Job>) {
    let mut runner: Option<Runner> = None;
    // What nobody waits for any more goes nowhere.
    while let Ok(job) = jobs.recv() {
        match job {
            Job::Complete { request, stream, cancel, reply } => {
                // A closed receiver only means that nobody watches.
                let say = |text| {
                    let _ = stream.send(StreamEvent::Remark { text, warning: false });
                };
                let _ = reply.send(with(&mut runner, path, &cancel, say, |r| r.complete(&request, &stream, &cancel)));
            }
            Job::Score { request, done, cancel, reply } => {
                let progress = |n| {
                    let _ = done.send(n);
                };
                // Scores have a count in place of a stream.
                let _ = reply.send(with(&mut runner, path, &cancel, |_| {}, |r| r.score(&request, &progress, &cancel)));
            }
        }
    }
}

/// What takes its time before the first answer.
fn loading(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let size = std::fs::metadata(path).map_or_else(|_| String::new(), |file| format!(" ({})", megabytes(file.len())));
    format!("{name}{size} is loaded into this process and runs on its processor: an answer may take minutes")
}

/// Does something with the model, loaded if it is not yet, which is said. A failed load is tried again with the next job.
fn with<T>(
    runner: &mut Option<Runner>,
    path: &Path,
    cancel: &CancellationToken,
    say: impl FnOnce(String),
    act: impl FnOnce(&mut Runner) -> Result<T, Stop>,
) -> Result<T, Stop> {
    if cancel.is_cancelled() {
        return Err(Stop::Cancelled);
    }
    let runner = match runner {
        Some(runner) => runner,
        None => {
            say(loading(path));
            runner.insert(Runner::load(path)?)
        }
    };
    act(runner)
}
