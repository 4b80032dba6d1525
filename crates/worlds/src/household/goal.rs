//! Goal: whether it holds, and how far it is met. Recomputed from the state alone: the order of events never matters.

use serde_json::{Value, json};

use super::bits;
use super::definition::Condition;
use super::game::{Game, Goal};
use super::state::{Flag, State};

impl Condition {
    pub(super) fn flag(self) -> Flag {
        match self {
            Condition::Clean => Flag::Clean,
            Condition::Hot => Flag::Hot,
            Condition::Cool => Flag::Cool,
        }
    }
}

pub fn won(game: &Game, state: &State) -> bool {
    match &game.goal {
        Goal::Place { count, .. } => most_in_place(game, state) >= *count,
        Goal::Light => holds_object(game, state) && lamp_on_here(game, state),
    }
}

fn ready<'a>(game: &'a Game, state: &'a State, condition: Option<Condition>) -> impl Iterator<Item = u64> + 'a {
    let flags = condition.map(|c| state.flags.row(c.flag() as usize));
    let flag = move |i: usize| flags.map_or(u64::MAX, |row| row.get(i).copied().unwrap_or(0));
    game.goal_objects().iter().enumerate().map(move |(i, word)| word & flag(i))
}

/// The largest number of ready goal objects in any one receptacle of the goal's type.
fn most_in_place(game: &Game, state: &State) -> u32 {
    let Goal::Place { receptacles, condition, .. } = &game.goal else { return 0 };
    let in_one = |r: &usize| {
        ready(game, state, *condition).zip(state.contents.row(*r)).map(|(a, b)| (a & b).count_ones()).sum::<u32>()
    };
    receptacles.iter().map(in_one).max().unwrap_or(0)
}

fn holds_object(game: &Game, state: &State) -> bool {
    state.held.is_some_and(|o| game.goal_rows.get(0, o))
}

fn lamp_on_here(game: &Game, state: &State) -> bool {
    let toggled = state.flags.row(Flag::Toggled as usize);
    game.standing_at(state.location).iter().any(|r| {
        let lamps = game.goal_lamps().iter().zip(toggled).zip(state.contents.row(*r));
        lamps.map(|((a, b), c)| a & b & c).any(|word| word != 0)
    })
}

/// The goal's conditions and whether each holds, for display.
pub fn progress(game: &Game, state: &State) -> Value {
    let words = &game.goal_words;
    match &game.goal {
        Goal::Light => json!({
            format!("holding {}", words.object): holds_object(game, state),
            format!("{} on here", words.lamp.as_deref().unwrap_or("lamp")): lamp_on_here(game, state),
        }),
        Goal::Place { count, condition, .. } => {
            let mut conditions = serde_json::Map::new();
            if let Some(c) = condition {
                let which: Vec<&str> =
                    bits::ones(ready(game, state, *condition)).map(|o| game.object_name(o)).collect();
                conditions.insert(format!("{} {}", c.word(), words.object), json!(which));
            }
            let place = words.receptacle.as_deref().unwrap_or("receptacle");
            conditions.insert(
                format!("in one {place}"),
                json!(format!("{} of {count}", most_in_place(game, state).min(*count))),
            );
            Value::Object(conditions)
        }
    }
}
