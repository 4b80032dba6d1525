//! Tasks of agents: the one of the command line, or a file of them, a JSON object a line.

use std::path::Path;
use std::sync::Arc;

use super::task::{SUCCESS, Task, WORKSPACE};
use super::world::AgentWorld;
use stepwright_episode::Header;
use stepwright_world::demonstration::Demonstration;
use stepwright_world::files::second_of_an_id;
use stepwright_world::options::Values;
use stepwright_world::{AgentCommand, OpenedWorld, Origin, TaskInfo, TaskSet, WorldError};

/// The task of a command by itself.
const ALONE: &str = "agent";
/// Most bytes of a file of tasks.
const LARGEST: u64 = 64 << 20;

struct Tasks {
    command: Option<Arc<AgentCommand>>,
    tasks: Vec<Task>,
}

pub(super) fn lie_at(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "jsonl")
        && stepwright_files::read_text(path, LARGEST).is_ok_and(|text| {
            text.lines()
                .find(|line| !line.trim().is_empty())
                .is_some_and(|line| serde_json::from_str::<Task>(line).is_ok())
        })
}

pub(super) fn read(origin: &Origin<'_>) -> Result<Arc<dyn TaskSet>, WorldError> {
    let tasks = match origin.path {
        Some(path) => of_file(path)?,
        // Without a command there is nothing to begin.
        None if origin.agent.is_none() => Vec::new(),
        None => vec![Task { id: ALONE.to_owned(), ..Task::default() }],
    };
    Ok(Arc::new(Tasks { command: origin.agent.cloned(), tasks }))
}

fn of_file(path: &Path) -> Result<Vec<Task>, WorldError> {
    let wrong = |message: String| WorldError::Data { path: path.display().to_string(), message };
    let text = stepwright_files::read_text(path, LARGEST).map_err(|e| wrong(e.to_string()))?;
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    let task = |(line, number): (&str, usize)| {
        let task = serde_json::from_str::<Task>(line);
        task.map(|task| (number, task)).map_err(|e| wrong(format!("line {number} is no task: {e}")))
    };
    let tasks: Vec<(usize, Task)> = lines.map(task).collect::<Result<_, _>>()?;
    if let Some((id, first, again)) = second_of_an_id(tasks.iter().map(|(line, task)| (task.id.as_str(), *line))) {
        return Err(wrong(format!("lines {first} and {again} have the id {id:?} both; give one of them another")));
    }
    Ok(tasks.into_iter().map(|(_, task)| task).collect())
}

impl Tasks {
    fn info(&self, task: &Task) -> TaskInfo {
        let command = self.command.as_ref().map(|command| command.command_line()).unwrap_or_default();
        let sentence = if task.task.is_empty() { &command } else { &task.task };
        TaskInfo { id: task.id.clone(), kind: ALONE.to_owned(), sentence: sentence.clone(), source: command }
    }

    fn find(&self, id: &str) -> Option<&Task> {
        self.tasks.iter().find(|task| task.id == id)
    }
}

impl TaskSet for Tasks {
    fn tasks(&self) -> Vec<TaskInfo> {
        self.tasks.iter().map(|task| self.info(task)).collect()
    }

    fn resolve(&self, part: &str) -> Result<String, WorldError> {
        if self.command.is_none() {
            return Err(WorldError::Failed(
                "no agent's command is given; begin with: stepwright gate -- COMMAND".to_owned(),
            ));
        }
        let close: Vec<&Task> = self.tasks.iter().filter(|task| task.id.contains(part)).collect();
        match (self.find(part), close.as_slice()) {
            (Some(task), _) => Ok(task.id.clone()),
            (None, [task, ..]) if part.is_empty() => Ok(task.id.clone()),
            (None, [task]) => Ok(task.id.clone()),
            _ => Err(WorldError::NoSuchTask {
                id: part.to_owned(),
                nearest: stepwright_world::nearest_ids(self.tasks.iter().map(|task| task.id.as_str()), part),
            }),
        }
    }

    /// Nothing is started yet.
    fn open(self: Arc<Self>, id: &str, options: &Values) -> Result<OpenedWorld, WorldError> {
        let command = self.command.clone().unwrap_or_default();
        let task = self.find(id).cloned().unwrap_or_else(|| Task { id: id.to_owned(), ..Task::default() });
        let given = |spec, own: Option<String>, usual: Option<String>| {
            let text = options.text(spec);
            if text.is_empty() { own.or(usual) } else { Some(text.to_owned()) }
        };
        let workspace = command.workspace.as_ref().map(|folder| folder.display().to_string());
        let workspace = given(&WORKSPACE, task.workspace.clone(), workspace);
        let success = given(&SUCCESS, task.success.clone(), command.success.clone());
        let named = [
            ("command", Some(command.command_line())),
            (WORKSPACE.key, workspace.clone()),
            (SUCCESS.key, success.clone()),
        ];
        let recorded =
            named.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value.filter(|v| !v.is_empty())?)));
        let command = AgentCommand { workspace: workspace.map(Into::into), success, ..(*command).clone() };
        let sentence = task.task.clone();
        let world = Box::new(AgentWorld::new(Arc::new(command), task, None));
        Ok(OpenedWorld { world, task: id.to_owned(), sentence, options: recorded.collect() })
    }

    /// A command is run only if it is given here, never because a file names it; without one the session can be read.
    fn reopen(self: Arc<Self>, header: &Header, options: &Values) -> Result<OpenedWorld, WorldError> {
        let command = self.command.clone().unwrap_or_default();
        let text = |spec| Some(options.text(spec).to_owned()).filter(|text: &String| !text.is_empty());
        let command =
            AgentCommand { workspace: text(&WORKSPACE).map(Into::into), success: text(&SUCCESS), ..(*command).clone() };
        let task =
            self.find(&header.task).cloned().unwrap_or_else(|| Task { id: header.task.clone(), ..Task::default() });
        let world = Box::new(AgentWorld::new(Arc::new(command), task, Some(&header.specification)));
        let Header { task, sentence, options, .. } = header.clone();
        Ok(OpenedWorld { world, task, sentence, options })
    }

    fn demonstrations(&self, _: &str, _: &Values, _: u64) -> Result<Vec<Demonstration>, WorldError> {
        Ok(Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_tasks_of_one_id_are_refused_with_their_lines() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tasks.jsonl");
        std::fs::write(
            &file,
            "{\"id\":\"a\",\"task\":\"x\"}\n\n{\"id\":\"b\",\"task\":\"y\"}\n{\"id\":\"a\",\"task\":\"z\"}\n",
        )
        .unwrap();
        let Err(error) = of_file(&file) else { panic!("one of them was dropped") };
        assert!(error.to_string().contains("lines 1 and 4 have the id \"a\" both"), "{error}");
        std::fs::write(&file, "{\"id\":\"a\",\"task\":\"x\"}\n{\"id\":\"b\",\"task\":\"y\"}\n").unwrap();
        assert_eq!(of_file(&file).unwrap().len(), 2);
    }
}
