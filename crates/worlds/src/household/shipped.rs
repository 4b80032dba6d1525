//! Tasks and demonstrations that ship with the program: generated, stored so that they never change unnoticed.

use serde::{Deserialize, Serialize};

use super::{Definition, Edition, HouseholdWorld, Source};
use stepwright_world::demonstration::Demonstration;
use stepwright_world::files::json_lines;
use stepwright_world::{World, WorldError};

const DEMONSTRATIONS: &str = include_str!("../../worlds/household/demonstrations.jsonl");

/// A shipped demonstration: a task and what the expert did in it. What it saw follows from replaying.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Shipped {
    task: Definition,
    commands: Vec<String>,
}

/// The demonstrations that ship, replayed in an edition's wording.
/// Errors: never, unless the program's own file is damaged.
pub fn demonstrations(edition: Edition) -> Result<Vec<Demonstration>, WorldError> {
    let shipped: Vec<Shipped> = json_lines(DEMONSTRATIONS, "worlds/household/demonstrations.jsonl")?;
    shipped.iter().map(|shipped| replay(shipped, edition)).collect()
}

fn replay(shipped: &Shipped, edition: Edition) -> Result<Demonstration, WorldError> {
    let id = &shipped.task.id;
    let line = serde_json::to_string(&shipped.task).map_err(|e| WorldError::Failed(e.to_string()))?;
    let mut world = HouseholdWorld::new(Source::from_lines(&line, "shipped")?, edition);
    // Commands are stored in the wording `put`; calls are the same in both.
    let reader = HouseholdWorld::new(Source::default(), Edition::Put);
    let spelt = |command: &String| reader.call_of(command).and_then(|c| world.text_of(&c));
    let texts: Vec<String> = shipped.commands.iter().map(|c| spelt(c).unwrap_or_else(|| c.clone())).collect();
    Demonstration::replay(&mut world, id, id.clone(), texts)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::household::generate::{self, TASK_TYPES};

    const TASKS_A_TYPE: usize = 5;
    /// Demonstrations of each type that ship, as many as the precondition paper uses.
    const DEMONSTRATIONS_A_TYPE: usize = 2;
    /// Seeds of demonstrations begin here, so that no shipped task is demonstrated.
    const DEMONSTRATION_SEEDS: u64 = 1000;

    /// Generates the tasks that ship: of each type, the first seeds that give different goals.
    fn generate_tasks() -> Result<Vec<Definition>, String> {
        let mut tasks = Vec::new();
        for kind in TASK_TYPES {
            let mut objects = BTreeSet::new();
            let mut seed = 0;
            while objects.len() < TASKS_A_TYPE && seed < 500 {
                seed += 1;
                let mut task = generate::task(kind, seed)?;
                if objects.insert(task.goal.object.clone()) {
                    task.id = format!("shipped/{}-{}-{}", kind.word(), task.goal.object, objects.len());
                    "shipped".clone_into(&mut task.split);
                    tasks.push(task);
                }
            }
        }
        Ok(tasks)
    }

    /// Generates the demonstrations that ship, one JSON object a line.
    fn generate_demonstrations() -> Result<Vec<String>, String> {
        let mut lines = Vec::new();
        for kind in TASK_TYPES {
            let mut objects = BTreeSet::new();
            let mut seed = DEMONSTRATION_SEEDS;
            while objects.len() < DEMONSTRATIONS_A_TYPE && seed < DEMONSTRATION_SEEDS + 500 {
                seed += 1;
                let mut task = generate::task(kind, seed)?;
                let Some(commands) = generate::search_expert(&task, Edition::Put) else { continue };
                if objects.insert(task.goal.object.clone()) {
                    task.id = format!("demonstration/{}-{}-{}", kind.word(), task.goal.object, objects.len());
                    "demonstration".clone_into(&mut task.split);
                    lines.push(serde_json::to_string(&Shipped { task, commands }).map_err(|e| e.to_string())?);
                }
            }
        }
        Ok(lines)
    }

    /// Compares a shipped file with what the generator gives; with `STEPWRIGHT_WRITE` set, writes it again.
    fn check(file: &str, lines: &[String]) {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join("worlds/household").join(file);
        let text = lines.join("\n") + "\n";
        if std::env::var_os("STEPWRIGHT_WRITE").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        assert!(std::fs::read_to_string(&path).unwrap() == text, "{file} is not what the generator gives");
    }

    #[test]
    fn shipped_files_are_what_the_generator_gives() {
        let tasks: Vec<String> = generate_tasks().unwrap().iter().map(|t| serde_json::to_string(t).unwrap()).collect();
        check("tasks.jsonl", &tasks);
        check("demonstrations.jsonl", &generate_demonstrations().unwrap());
    }

    #[test]
    fn enough_tasks_ship_and_every_one_is_won_by_its_plan() {
        let source = Source::shipped().unwrap();
        let mut world = HouseholdWorld::new(source.clone(), Edition::Move);
        for kind in TASK_TYPES {
            assert!(source.tasks().iter().filter(|t| t.kind == kind.name()).count() >= 4, "{}", kind.name());
        }
        for task in source.tasks() {
            let mut outcome = world.reset(&task.id, 0).unwrap();
            for command in source.definition(&task.id).unwrap().plan {
                assert!(!outcome.won, "{}", task.id);
                outcome = world.act(&command).unwrap();
            }
            assert!(outcome.won, "{}", task.id);
        }
    }

    #[test]
    fn demonstrations_replay_to_the_goal_in_both_wordings() {
        for edition in [Edition::Put, Edition::Move] {
            let demonstrations = demonstrations(edition).unwrap();
            assert_eq!(demonstrations.len(), TASK_TYPES.len() * DEMONSTRATIONS_A_TYPE);
            for demonstration in demonstrations {
                assert!(demonstration.steps.iter().all(|s| s.observed() != "Nothing happens."), "{}", demonstration.id);
                let seen: BTreeSet<String> = BTreeSet::new();
                let seen = demonstration.steps.iter().fold(seen, |mut seen, step| {
                    if let Some(call) = &step.call {
                        let unseen = call.args.iter().map(ToString::to_string).find(|a| !seen.contains(a));
                        assert_eq!(unseen, None, "{call} in {}", demonstration.id);
                    }
                    seen.extend(step.calls.iter().flat_map(|c| &c.args).map(ToString::to_string));
                    seen
                });
                assert!(!seen.is_empty());
            }
        }
    }
}
