//! Files of logs as sets of tasks: an episode is a task, its id the log's.

use std::collections::BTreeMap;
use std::sync::Arc;

use stepwright_trajectory::Trajectory;

use super::playback::Playback;
use crate::Simulated;
use stepwright_world::demonstration::Demonstration;
use stepwright_world::options::Values;
use stepwright_world::{Kinds, OpenedWorld, Origin, TaskInfo, TaskSet, WorldError, files, problems, read_logs};

#[derive(Debug, Clone, Default)]
pub struct RecordedLogs {
    pub(super) logs: Arc<Vec<Trajectory>>,
    pub(super) problems: Arc<Vec<String>>,
    /// The worlds, as one of which a log is read.
    pub(super) kinds: Kinds,
    origin: String,
}

impl RecordedLogs {
    /// The logs of a file; none ship.
    pub fn read(origin: &Origin<'_>) -> Result<Self, WorldError> {
        let none = "recorded episodes come from a file of logs: stepwright open FILE";
        let path = origin.path.ok_or_else(|| WorldError::Failed(none.to_owned()))?;
        let read = read_logs(path)?;
        if read.all.is_empty() {
            return Err(WorldError::Data { path: path.display().to_string(), message: read.notes.join("; ") });
        }
        let problems = Arc::new(problems(&read, path));
        let (logs, origin, kinds) = (Arc::new(read.all), path.display().to_string(), origin.kinds.clone());
        Ok(RecordedLogs { logs, problems, kinds, origin })
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
