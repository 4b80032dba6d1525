//! Files of logs as sets of tasks: an episode is a task, its id the log's.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use stepwright_trajectory::{Logs, Trajectory, read_any};

use super::playback::Playback;
use crate::demonstration::Demonstration;
use crate::options::Values;
use crate::{OpenedWorld, Simulated, TaskInfo, TaskSet, WorldError, files};

#[derive(Debug, Clone, Default)]
pub struct RecordedLogs {
    pub(super) logs: Arc<Vec<Trajectory>>,
    pub(super) problems: Arc<Vec<String>>,
    origin: String,
}

/// The logs of a file in any format that is read, with what is wrong in it.
/// Errors: if nothing of it can be read: where, and why.
pub fn read(path: &Path) -> Result<Logs, WorldError> {
    let bytes = files::read_bytes(path)?;
    let name = path.file_stem().map_or_else(|| "log".to_owned(), |name| name.to_string_lossy().into_owned());
    let read = read_any(&bytes, &name);
    match (read.all.is_empty(), read.wrong.first()) {
        (true, Some(error)) => Err(WorldError::Data {
            path: match error.line {
                0 => path.display().to_string(),
                line => format!("{}:{line}", path.display()),
            },
            message: format!("{}; nothing of it can be opened", error.message),
        }),
        _ => Ok(read),
    }
}

/// Errors in a file, and parts of it that were not read, in words.
pub fn problems(read: &Logs, path: &Path) -> Vec<String> {
    let wrong = read.wrong.iter().map(|error| format!("{}: {error}", path.display()));
    wrong.chain(read.notes.iter().map(|note| format!("{}: {note}", path.display()))).collect()
}

impl RecordedLogs {
    pub fn none() -> Result<Self, WorldError> {
        Err(WorldError::Failed("recorded episodes come from a file of logs: stepwright open FILE".to_owned()))
    }

    pub fn open(path: &Path) -> Result<Self, WorldError> {
        let read = read(path)?;
        let problems = Arc::new(problems(&read, path));
        Ok(RecordedLogs { logs: Arc::new(read.all), problems, origin: path.display().to_string() })
    }

    pub(super) fn place(&self, id: &str) -> Option<usize> {
        self.logs.iter().position(|log| log.id == id)
    }
}

impl TaskSet for RecordedLogs {
    fn tasks(&self) -> Vec<TaskInfo> {
        let info = |log: &Trajectory| TaskInfo {
            id: log.id.clone(),
            kind: log.task_type.clone().unwrap_or_default(),
            sentence: log.task.clone(),
            source: self.origin.clone(),
        };
        self.logs.iter().map(info).collect()
    }

    fn resolve(&self, part: &str) -> Result<String, WorldError> {
        match self.logs.first().filter(|_| part.is_empty()) {
            Some(first) => Ok(first.id.clone()),
            None => files::resolve(|| self.logs.iter().map(|log| log.id.as_str()), part).map(str::to_owned),
        }
    }

    fn open(self: Arc<Self>, task: &str, _options: &Values) -> Result<OpenedWorld, WorldError> {
        let log = self.place(task).and_then(|at| self.logs.get(at));
        let log = log.ok_or_else(|| files::no_such_task(self.logs.iter().map(|log| log.id.as_str()), task))?;
        let sentence = if log.task.is_empty() { log.id.clone() } else { log.task.clone() };
        let world = Box::new(Simulated::<Playback>::over(Arc::clone(&self), ()));
        Ok(OpenedWorld { world, task: task.to_owned(), sentence, options: BTreeMap::new() })
    }

    fn demonstrations(&self, _task: &str, _options: &Values, _seed: u64) -> Result<Vec<Demonstration>, WorldError> {
        Ok(Vec::new())
    }
}
