//! Truth for display: the household as a tree around the person, rooms with what is in them, on what and in what.

use serde_json::{Map, Value, json};
use stepwright_graph::{At, Graph, Relation};

use super::names::Things;
use super::observe::{notable, place_of};

/// How deep things in things are shown.
const DEEPEST: usize = 6;

pub fn truth(graph: &Graph, things: &Things, goals: &[(String, bool)]) -> Value {
    let me = graph.character();
    let listed = |of: Vec<At>| -> Vec<&str> { of.into_iter().map(|at| things.name(at)).collect() };
    let on: Vec<At> = graph.targets(me, Relation::On).collect();
    let worn: Vec<At> = graph.sources(me, Relation::On).collect();
    let near: Vec<At> = graph.targets(me, Relation::Close).collect();
    let faced: Vec<At> = graph.targets(me, Relation::Facing).collect();
    let hand = |hand| graph.targets(me, hand).next().map(|at| things.name(at));
    let person = json!({
        "room": graph.room_of(me).map(|room| things.name(room)),
        "states": graph.states(me),
        "right hand": hand(Relation::HoldsRight),
        "left hand": hand(Relation::HoldsLeft),
        "wears": listed(worn),
        "on": listed(on),
        "faces": listed(faced),
        "close to": listed(near),
    });
    let mut rooms = Map::new();
    for room in graph.rooms() {
        let inside = graph.sources(room, Relation::Inside).filter(|at| *at != me && place_of(graph, *at).is_none());
        let tree: Map<String, Value> =
            inside.map(|at| (things.name(at).to_owned(), thing(graph, things, at, 0))).collect();
        rooms.insert(things.name(room).to_owned(), Value::Object(tree));
    }
    let goals: Map<String, Value> = goals.iter().map(|(goal, holds)| (goal.clone(), json!(holds))).collect();
    json!({ "person": person, "goals": goals, "rooms": rooms })
}

fn thing(graph: &Graph, things: &Things, at: At, depth: usize) -> Value {
    let mut tree = Map::new();
    let states = notable(graph, at);
    if !states.is_empty() {
        tree.insert("is".to_owned(), json!(states));
    }
    for (relation, name) in [(Relation::On, "on it"), (Relation::Inside, "in it")] {
        let there = graph.sources(at, relation).filter(|other| {
            *other != graph.character() && depth < DEEPEST && place_of(graph, *other) == Some((relation, at))
        });
        let below: Map<String, Value> =
            there.map(|other| (things.name(other).to_owned(), thing(graph, things, other, depth + 1))).collect();
        if !below.is_empty() {
            tree.insert(name.to_owned(), Value::Object(below));
        }
    }
    Value::Object(tree)
}
