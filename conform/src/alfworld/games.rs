//! Compares games with each other: built from PDDL and from compact JSON, their plans carried out, their sentences.

use serde_json::Value;

use super::replay::world_of;
use super::{Games, difference};
use crate::Row;
use stepwright_world::World;
use stepwright_worlds::household::{Edition, HouseholdWorld};

/// Every game of `read` must mean what the compact definition of the same id means.
pub fn compare_built(what: &str, read: &Games, compact: &Games) -> Row {
    if read.is_empty() {
        return Row::missing(what, "games", "no such files in this folder");
    }
    let mut row = Row::new(what, "games");
    for (id, game) in read {
        let Some(expected) = compact.get(id) else {
            row.lacks(1, || format!("first: {id} has no compact definition in this folder"));
            continue;
        };
        let (expected, got) = (expected.normal_form(), game.normal_form());
        row.count((expected != got).then(|| {
            let (field, expected, got) = innermost(&expected, &got);
            difference(format!("{id}{field}"), expected, got)
        }));
    }
    row
}

/// Goes down to the first part that differs; its path, and both sides of it.
fn innermost(expected: &Value, got: &Value) -> (String, String, String) {
    let (mut path, mut pair) = (String::new(), (expected, got));
    loop {
        let inner = match pair {
            (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
                a.iter().zip(b.values()).find(|((_, x), y)| x != y).map(|((k, x), y)| (k.clone(), x, y))
            }
            (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
                a.iter().zip(b).enumerate().find(|(_, (x, y))| x != y).map(|(i, (x, y))| (i.to_string(), x, y))
            }
            _ => None,
        };
        let Some((step, x, y)) = inner else { return (path, pair.0.to_string(), pair.1.to_string()) };
        path = format!("{path}, {step}");
        pair = (x, y);
    }
}

/// Every plan, carried out, must be accepted step by step and win with its last.
pub fn plans(games: &Games) -> Row {
    let mut row = Row::new("plans of games*.jsonl carried out", "plans");
    for (id, game) in games.iter().filter(|(_, g)| !g.plan.is_empty()) {
        let failed = match world_of(games, id, Edition::Move) {
            Some(Ok((world, _))) => carry_out(world, &game.plan).err(),
            Some(Err(e)) => Some(e),
            None => continue,
        };
        row.count(failed.map(|got| difference(id, "the plan wins", got)));
    }
    row.or_absent("no plans in this folder")
}

/// Carries a plan out; why it does not win.
fn carry_out(mut world: HouseholdWorld, plan: &[String]) -> Result<(), String> {
    let mut won = false;
    for (i, command) in plan.iter().enumerate() {
        let outcome = world.act(command).map_err(|e| e.to_string())?;
        if outcome.error.is_some() {
            return Err(format!("step {}, `{command}`, is refused", i + 1));
        }
        won = outcome.won;
    }
    if won { Ok(()) } else { Err("not won after the last step".to_owned()) }
}

/// Every task sentence must be one of the forms that its goal allows.
pub fn sentences(games: &Games) -> Row {
    let mut row = Row::new("task sentences of games*.jsonl", "games");
    for (id, game) in games {
        let forms = game.goal.sentences();
        row.count((!forms.contains(&game.task)).then(|| difference(id, forms.join(" | "), &game.task)));
    }
    row.or_absent("no games in this folder")
}
