//! Demonstrations made by doing a task's actions once more.

use super::demonstration::{Demonstration, Shipped};
use super::{World, WorldError, files};

impl Demonstration {
    /// Those of the wanted tasks in a file of shipped ones, a JSON object a line, done in a world once more.
    pub fn shipped(
        world: &mut dyn World,
        (text, path): (&str, &str),
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<Self>, WorldError> {
        let mut shipped: Vec<Shipped> = files::json_lines(text, path)?;
        shipped.retain(|shipped| wanted(&shipped.task));
        let replay = |Shipped { task, actions }| {
            Demonstration::replay(&mut *world, &task, format!("demonstration/{task}"), actions)
        };
        shipped.into_iter().map(replay).collect()
    }

    /// A task's actions, done in a world once more; `id` names the demonstration.
    /// Errors: if the world has no such task.
    pub fn replay(
        world: &mut dyn World,
        task: &str,
        id: String,
        actions: impl IntoIterator<Item = String>,
    ) -> Result<Self, WorldError> {
        let mut steps = vec![world.reset(task, 0)?.into_step("")];
        for action in actions {
            steps.push(world.act(&action)?.into_step(&action));
        }
        let known = world.tasks().into_iter().find(|known| known.id == task);
        let (task_type, sentence) = known.map(|known| (known.kind, known.sentence)).unwrap_or_default();
        Ok(Demonstration { id, task_type, sentence, header: world.header(), steps })
    }
}
