//! Replays recorded episodes step by step: observation, admissible list, done, won; and the reset.

use std::path::Path;

use serde::Deserialize;

use super::{Games, label, unreadable};
use crate::{Found, Row, field};
use stepwright_world::{Outcome, World};
use stepwright_worlds::household::{Edition, HouseholdWorld, Source};

#[derive(Debug, Deserialize)]
struct Episode {
    id: String,
    game: String,
    edition: Edition,
    reset: Answer,
    steps: Vec<Step>,
}

/// Record of the answer to a reset or a command.
#[derive(Debug, Deserialize)]
struct Answer {
    observation: String,
    admissible: Option<Vec<String>>,
    done: Option<bool>,
    won: Option<bool>,
}

#[derive(Debug, Deserialize)]
struct Step {
    command: String,
    #[serde(flatten)]
    answer: Answer,
}

/// Compares one file of episodes with the program playing `games`; a row of steps and one of resets.
pub fn compare(file: &Path, games: &Games, from: &str) -> [Row; 2] {
    let mut steps = Row::new(format!("{} {from}", label(file)), "steps");
    let mut resets = Row::new(format!("{} resets {from}", label(file)), "resets");
    steps.each_record(file, |steps, at, episode: Episode| match world_of(games, &episode.game, episode.edition) {
        None => {
            resets.absent += 1;
            steps.lacks(episode.steps.len(), || format!("their games are not there (first: {})", episode.game));
        }
        Some(Err(e)) => resets.count(Some(unreadable(at, &e))),
        Some(Ok((world, outcome))) => play(world, outcome, &episode, &at, steps, &mut resets),
    });
    [steps, resets]
}

/// The game made ready, as a separate world; `None` if it is not among the games.
pub fn world_of(games: &Games, id: &str, edition: Edition) -> Option<Result<(HouseholdWorld, Outcome), String>> {
    let definition = games.get(id)?;
    let ready = || {
        let line = serde_json::to_string(definition.as_ref()).map_err(|e| e.to_string())?;
        let source = Source::from_lines(&line, id).map_err(|e| e.to_string())?;
        let mut world = HouseholdWorld::new(source, edition);
        let outcome = world.reset(id, 0).map_err(|e| e.to_string())?;
        Ok((world, outcome))
    };
    Some(ready())
}

fn play(mut world: HouseholdWorld, outcome: Outcome, episode: &Episode, at: &str, steps: &mut Row, resets: &mut Row) {
    resets.fields(|| format!("{at}, {}, reset", episode.id), differing(&episode.reset, outcome, &world));
    for (i, step) in episode.steps.iter().enumerate() {
        let found = match world.act(&step.command) {
            Err(e) => [Some(("act", "an outcome".to_owned(), e.to_string())), None, None, None],
            Ok(outcome) => differing(&step.answer, outcome, &world),
        };
        steps.fields(|| format!("{at}, {}, step {}, `{}`", episode.id, i + 1, step.command), found);
    }
}

fn differing(recorded: &Answer, got: Outcome, world: &HouseholdWorld) -> [Found; 4] {
    let offered = || world.admissible().unwrap_or_default();
    [
        field("observation", &recorded.observation, &got.observation),
        recorded.admissible.as_ref().and_then(|r| field("admissible", r, &offered())),
        recorded.done.and_then(|r| field("done", &r, &got.done)),
        recorded.won.and_then(|r| field("won", &r, &got.won)),
    ]
}
