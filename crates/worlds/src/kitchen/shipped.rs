//! Demonstrations that ship with the program: every shipped task done by the expert of the tests, stored so that they never
//! change unnoticed.

use super::{Find, KitchenWorld, Source};
use stepwright_world::WorldError;
use stepwright_world::demonstration::Demonstration;

const PATH: &str = "worlds/kitchen/demonstrations.jsonl";
const TEXT: &str = include_str!("../../worlds/kitchen/demonstrations.jsonl");

/// The demonstrations that ship, those in the same scene as `task` left out, so that no task is learned from itself.
/// Errors: never, unless the program's own files are damaged.
pub fn demonstrations(task: &str) -> Result<Vec<Demonstration>, WorldError> {
    let scene = task.rsplit_once('/').map_or(task, |(scene, _)| scene);
    let mut world = KitchenWorld::new(Source::shipped()?, Find::default());
    let is_elsewhere = |task: &str| task.rsplit_once('/').is_none_or(|(known, _)| known != scene);
    Demonstration::shipped(&mut world, (TEXT, PATH), is_elsewhere)
}

#[cfg(test)]
mod tests {
    use super::super::expert;
    use super::*;
    use stepwright_world::demonstration::Shipped;

    /// With `STEPWRIGHT_WRITE` set, writes the file again.
    #[test]
    fn the_file_is_what_the_expert_does() {
        let source = Source::shipped().unwrap();
        let mut text = String::new();
        for id in source.ids() {
            let (scene, task) = source.task(id).unwrap();
            let shipped = Shipped { task: id.to_owned(), actions: expert::solve(&scene, &task).unwrap() };
            text.push_str(&serde_json::to_string(&shipped).unwrap());
            text.push('\n');
        }
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(PATH);
        if std::env::var_os("STEPWRIGHT_WRITE").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        assert!(std::fs::read_to_string(&path).unwrap() == text, "demonstrations.jsonl is not what the expert does");
    }

    #[test]
    fn no_task_is_learned_from_its_own_scene() {
        let all = demonstrations("elsewhere/coffee").unwrap();
        assert_eq!(all.len(), 16);
        assert!(all.iter().all(|d| d.steps.iter().skip(1).all(|step| step.call.is_some())));
        let others = demonstrations("galley/coffee").unwrap();
        assert_eq!(others.len(), 12);
        assert!(others.iter().all(|d| !d.id.contains("galley")));
    }
}
