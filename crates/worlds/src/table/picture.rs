//! Picture of the table from the side: stacks on the ground, containers with what is in them, cups with the ball.

use serde_json::Value;

use super::rules::Table;
use super::scene::Scene;
use super::thing::Kind;
use super::world::Run;
use stepwright_world::Map;
use stepwright_world::map::{Condition, Holder, Piece, Stacks};

/// The picture at a moment, with the open request and how the closed ones went.
pub fn picture(run: &Run) -> Map {
    let mut captions = vec![match run.open() {
        Some(asked) => format!("request {} of {}: {}", run.right.len() + 1, run.episode.requests.len(), asked.query),
        None => "every request was answered".to_owned(),
    }];
    if !run.right.is_empty() {
        let right = run.right.iter().filter(|right| **right).count();
        captions.push(format!("answered as expected: {right} of {}", run.right.len()));
    }
    let holders = match &run.scene {
        Scene::Cups(cups) => cups.iter().enumerate().map(|(i, ball)| cup(i, *ball)).collect(),
        Scene::Table(table) => {
            captions.extend(weights(table));
            holders(table, None)
        }
    };
    stacks(captions, holders)
}

/// The picture of a state in the form of a belief, with what is another way in truth; `None` where the state makes no sense.
pub fn believed(run: &Run, form: &Value) -> Option<Map> {
    let holders = match &run.scene {
        Scene::Cups(cups) => {
            let believed = form.get("cups")?.as_array()?.iter().map(|ball| ball.as_bool() == Some(true)).enumerate();
            let drawn = believed.map(|(i, ball)| {
                let mut cup = cup(i, ball);
                cup.stacks.iter_mut().flatten().for_each(|piece| piece.apart = cups.get(i) != Some(&ball));
                cup
            });
            drawn.collect()
        }
        Scene::Table(truth) => holders(&Table::from_form(form).ok()?, Some(truth)),
    };
    Some(stacks(Vec::new(), holders))
}

fn stacks(captions: Vec<String>, holders: Vec<Holder>) -> Map {
    Map::Stacks(Stacks { captions, holders, good: "clean".to_owned(), bad: "dirty".to_owned() })
}

fn cup(number: usize, has_ball: bool) -> Holder {
    let ball = Piece { label: "ball".to_owned(), condition: Condition::Plain, hides: false, apart: false };
    let stacks = if has_ball { vec![vec![ball]] } else { Vec::new() };
    Holder { name: Some(format!("cup {number}")), stacks }
}

/// The stacks on the ground, then the containers, in the order the things are listed.
fn holders(table: &Table, truth: Option<&Table>) -> Vec<Holder> {
    let lowest_on = |place: Option<usize>| -> Vec<usize> {
        let mut found: Vec<usize> = (0..table.things().len())
            .filter(|thing| table.kind(*thing).is_some_and(|kind| !kind.contains()))
            .filter(|thing| table.now.get(*thing).is_some_and(|now| now.under == place))
            .collect();
        if place.is_some() {
            found.sort_by_key(|thing| table.now.get(*thing).map(|now| now.since));
        }
        found
    };
    let stack = |lowest: usize| -> Vec<Piece> {
        std::iter::once(lowest).chain(table.above(lowest)).map(|thing| piece(table, thing, truth)).collect()
    };
    let ground = lowest_on(None).into_iter().map(|lowest| Holder { name: None, stacks: vec![stack(lowest)] });
    let containers = (0..table.things().len()).filter(|thing| table.kind(*thing).is_some_and(Kind::contains));
    let containers = containers.map(|container| Holder {
        name: Some(table.name(container).to_owned()),
        stacks: lowest_on(Some(container)).into_iter().map(stack).collect(),
    });
    ground.chain(containers).collect()
}

fn piece(table: &Table, thing: usize, truth: Option<&Table>) -> Piece {
    let name = table.name(thing);
    Piece {
        label: name.strip_suffix(" block").or(name.strip_suffix(" cover")).unwrap_or(name).to_owned(),
        condition: match table.clean(thing) {
            None => Condition::Plain,
            Some(true) => Condition::Good,
            Some(false) => Condition::Bad,
        },
        hides: table.kind(thing) == Some(Kind::Cover),
        apart: truth.is_some_and(|truth| {
            let known = |table: &Table| {
                let thing = table.find(name)?;
                let weight = table.now.get(thing)?.weight.clone();
                Some((table.place_of(name)?.to_owned(), table.clean(thing), weight))
            };
            known(table) != known(truth)
        }),
    }
}

/// Knowledge of weights, a line for all of them.
fn weights(table: &Table) -> Option<String> {
    let weights = table.things().iter().zip(&table.now).filter_map(|(thing, now)| {
        let weight = now.weight.as_deref()?.replace(".weight", "").replace("_block", "");
        Some(format!("{} = {weight}", thing.name.strip_suffix(" block").unwrap_or(&thing.name)))
    });
    let all: Vec<String> = weights.collect();
    (!all.is_empty()).then(|| format!("weights: {}", all.join(", ")))
}
