//! Household episodes to score on: tasks solved by the expert that also made the shipped demonstrations.

use stepwright_precondition::Demo;
use stepwright_world::{World, WorldError};
use stepwright_worlds::household::generate::search_expert;
use stepwright_worlds::household::{Edition, HouseholdWorld, Source};

/// The first `most` tasks of a source that the expert solves, as calls.
pub fn played(source: &Source, edition: Edition, most: usize) -> Result<Vec<Demo>, WorldError> {
    let mut world = HouseholdWorld::new(source.clone(), edition);
    let mut episodes = Vec::new();
    for id in source.ids() {
        if episodes.len() >= most {
            break;
        }
        let Some(commands) = search_expert(&source.definition(id)?, edition) else { continue };
        let mut calls: Vec<_> = world.reset(id, 0)?.calls().cloned().collect();
        let mut won = false;
        for command in &commands {
            let outcome = world.act(command)?;
            won = outcome.won;
            calls.extend(outcome.calls().cloned());
        }
        if won {
            episodes.push(Demo { id: id.to_owned(), calls });
        }
    }
    Ok(episodes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expert_solves_the_shipped_tasks() {
        let episodes = played(&Source::shipped().unwrap(), Edition::Put, 12).unwrap();
        assert_eq!(episodes.len(), 12);
        assert!(episodes.iter().all(|e| e.calls.iter().any(|c| c.function == "goto")));
    }
}
