//! Replays recorded episodes step by step: observation, admissible list, done, won; and the reset.

use std::fmt::Debug;
use std::path::Path;

use serde::Deserialize;

use super::{Games, NAME, difference, label, unreadable};
use crate::study::conform::files::each_line;
use crate::study::conform::{Difference, Row};
use crate::world::household::{Edition, HouseholdWorld, Source};
use crate::world::{Outcome, World};

/// A recorded episode.
#[derive(Debug, Deserialize)]
struct Episode {
    id: String,
    game: String,
    edition: Edition,
    reset: Reset,
    steps: Vec<Step>,
}

#[derive(Debug, Deserialize)]
struct Reset {
    observation: String,
    #[serde(default)]
    admissible: Option<Vec<String>>,
    #[serde(default)]
    won: Option<bool>,
}

#[derive(Debug, Deserialize)]
struct Step {
    command: String,
    observation: String,
    #[serde(default)]
    admissible: Option<Vec<String>>,
    #[serde(default)]
    done: Option<bool>,
    #[serde(default)]
    won: Option<bool>,
}

/// Compares one file of episodes with the program playing `games`; a row of steps and one of resets.
pub fn compare(file: &Path, games: &Games, from: &str) -> [Row; 2] {
    let mut steps = Row::new(NAME, format!("{} {from}", label(file)), "steps");
    let mut resets = Row::new(NAME, format!("{} resets {from}", label(file)), "resets");
    each_line(file, |at, line: Result<Episode, String>| match line {
        Err(e) => steps.differs(unreadable(at, &e)),
        Ok(episode) => match start(games, &episode) {
            None => {
                resets.absent += 1;
                let note = || format!("their games are not there (first: {})", episode.game);
                steps.lacks(episode.steps.len() as u64, note);
            }
            Some(Err(e)) => resets.count(Some(unreadable(at, &e))),
            Some(Ok((world, outcome))) => play(world, outcome, &episode, &at, &mut steps, &mut resets),
        },
    });
    [steps, resets]
}

/// The game made ready, as a world of its own; `None` if it is not among the games.
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

fn start(games: &Games, episode: &Episode) -> Option<Result<(HouseholdWorld, Outcome), String>> {
    world_of(games, &episode.game, episode.edition)
}

fn play(mut world: HouseholdWorld, outcome: Outcome, episode: &Episode, at: &str, steps: &mut Row, resets: &mut Row) {
    let reset = &episode.reset;
    let mut found = first_of([
        field("observation", Some(&reset.observation), &outcome.observation),
        field("admissible", reset.admissible.as_ref(), &outcome.admissible.unwrap_or_default()),
        field("won", reset.won.as_ref(), &outcome.won),
    ]);
    resets.count(found.take().map(|f| f.at(format!("{at}, {}, reset", episode.id))));
    for (i, step) in episode.steps.iter().enumerate() {
        let found = match world.act(&step.command) {
            Err(e) => Some(Found { field: "act", expected: "an outcome".to_owned(), got: e.to_string() }),
            Ok(outcome) => first_of([
                field("observation", Some(&step.observation), &outcome.observation),
                field("admissible", step.admissible.as_ref(), &outcome.admissible.unwrap_or_default()),
                field("done", step.done.as_ref(), &outcome.done),
                field("won", step.won.as_ref(), &outcome.won),
            ]),
        };
        steps.count(found.map(|f| f.at(format!("{at}, {}, step {}, `{}`", episode.id, i + 1, step.command))));
    }
}

/// A field that differs.
struct Found {
    field: &'static str,
    expected: String,
    got: String,
}

impl Found {
    fn at(self, place: String) -> Difference {
        difference(format!("{place}, {}", self.field), self.expected, self.got)
    }
}

/// Compares a field, where the recording has it.
fn field<T: PartialEq + Debug>(name: &'static str, expected: Option<&T>, got: &T) -> Option<Found> {
    let expected = expected.filter(|e| *e != got)?;
    Some(Found { field: name, expected: format!("{expected:?}"), got: format!("{got:?}") })
}

fn first_of<const N: usize>(fields: [Option<Found>; N]) -> Option<Found> {
    fields.into_iter().flatten().next()
}
