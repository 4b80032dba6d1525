//! The activities of the study: tasks in households, the programs that people wrote for them, and how a program is scored.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use stepwright_graph::files::Library;
use stepwright_graph::metrics::AnnotatedStates;
use stepwright_graph::prepare::Tables;
use stepwright_graph::score::{self, Scores, Setting};
use stepwright_graph::{ErrorType, Line, Script};

use stepwright_world::TaskInfo;
use stepwright_worlds::Entry;
use stepwright_worlds::graph::{Source, Task};

/// A task with the programs that people wrote for it.
#[derive(Debug)]
struct Activity {
    task: Arc<Task>,
    info: TaskInfo,
    truths: Arc<[Script]>,
}

#[derive(Debug)]
pub struct Activities {
    all: BTreeMap<String, Activity>,
    annotated: Option<AnnotatedStates>,
}

impl Activities {
    /// Of a copy of VirtualHome, those for test where the data say which these are; of the apartments that ship, all.
    pub fn open(data: Option<&Path>) -> Result<Self, String> {
        let source = data.map_or_else(Source::shipped, Source::open).map_err(|e| e.to_string())?;
        let library = data.map(Library::open).transpose().map_err(|e| e.to_string())?.unwrap_or_default();
        let mut written: BTreeMap<&str, Vec<Script>> = BTreeMap::new();
        for program in library.programs.iter().filter(|program| !program.script.is_empty()) {
            written.entry(&program.title).or_default().push(program.script.clone());
        }
        let written: BTreeMap<&str, Arc<[Script]>> = written.into_iter().map(|(t, all)| (t, all.into())).collect();
        let for_test: BTreeSet<&str> =
            library.programs.iter().filter(|program| program.split == "test").map(|p| p.title.as_str()).collect();
        let mut all = BTreeMap::new();
        for listed in source.entries() {
            let task = Arc::clone(&listed.task);
            let own = || (!task.program.is_empty()).then(|| Arc::from([task.program.clone()]));
            let Some(truths) = written.get(task.title.as_str()).cloned().or_else(own) else { continue };
            if for_test.is_empty() || for_test.contains(task.title.as_str()) {
                all.insert(task.id.clone(), Activity { info: listed.info(), task, truths });
            }
        }
        if all.is_empty() {
            return Err(
                "there is no program that people wrote for a task here; name a copy of VirtualHome with --data \
                        (docs/reference/graph.md)"
                    .to_owned(),
            );
        }
        Ok(Activities { all, annotated: library.annotated })
    }

    pub fn tasks(&self) -> Vec<TaskInfo> {
        self.all.values().map(|activity| activity.info.clone()).collect()
    }

    fn of(&self, task: &str) -> Result<&Activity, String> {
        self.all.get(task).ok_or_else(|| format!("there is no task {task} in this study"))
    }

    fn setting<'a>(&'a self, activity: &'a Activity) -> Setting<'a> {
        let home = &activity.task.home;
        Setting {
            scene: &home.graph,
            tables: Tables { names: &home.tables.names, properties: &home.tables.properties },
            general: &home.tables.general,
            annotated: self.annotated.as_ref(),
        }
    }

    pub fn title(&self, task: &str) -> Result<&str, String> {
        Ok(&self.of(task)?.task.title)
    }

    /// Whether somebody can tell that the task is done.
    pub fn has_goal(&self, task: &str) -> bool {
        self.of(task).is_ok_and(|activity| !activity.task.goals().is_empty())
    }

    pub fn scores(&self, task: &str, program: &[Line]) -> Result<Scores, String> {
        let activity = self.of(task)?;
        Ok(score::scores(program, &activity.truths, self.setting(activity)))
    }

    /// Why a program cannot be carried out; `None` if it can.
    pub fn error(&self, task: &str, program: &[Line]) -> Result<Option<ErrorType>, String> {
        let activity = self.of(task)?;
        Ok(score::error(program, self.setting(activity)))
    }

    /// The first program that people wrote for a task, and that of the next task of another title.
    pub fn written(&self, task: &str) -> Result<(Script, Script), String> {
        let activity = self.of(task)?;
        let first = |activity: &Activity| activity.truths.first().cloned().unwrap_or_default();
        let differs = |(_, other): &(&String, &Activity)| other.task.title != activity.task.title;
        let after = self.all.range(task.to_owned()..).find(differs);
        let other = after.or_else(|| self.all.iter().find(differs)).map(|(_, other)| first(other));
        Ok((first(activity), other.unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_apartments_that_ship_have_programs_that_score_best_against_themselves() {
        let activities = Activities::open(None).unwrap();
        let tasks = activities.tasks();
        assert!(tasks.len() >= 24);
        for task in &tasks {
            let (own, other) = activities.written(&task.id).unwrap();
            let (of_own, of_other) =
                (activities.scores(&task.id, &own).unwrap(), activities.scores(&task.id, &other).unwrap());
            assert_eq!((of_own.lcs, of_own.of_used), (1.0, Some(100.0)), "{}", task.id);
            assert!(of_other.lcs < 1.0, "{}", task.id);
        }
        assert!(activities.scores("nowhere", &[]).unwrap_err().contains("nowhere"));
    }
}
