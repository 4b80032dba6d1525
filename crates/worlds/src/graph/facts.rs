//! Facts: what the person can see in the room it is in, as literals in the words of the goals.

use std::collections::BTreeSet;

use stepwright_graph::possible::in_sight;
use stepwright_graph::{At, Graph, Relation};

use super::names::Things;
use stepwright_world::{Atom, Facts};

pub fn facts(graph: &Graph, things: &Things, done: &[Atom]) -> Facts {
    literals(graph, things, done, &in_sight(graph))
}

pub fn everything(graph: &Graph, things: &Things, done: &[Atom]) -> Facts {
    let all: Vec<At> = graph.places().collect();
    literals(graph, things, done, &all)
}

fn literals(graph: &Graph, things: &Things, done: &[Atom], of: &[At]) -> Facts {
    let me = graph.character();
    let mut atoms: BTreeSet<Atom> = done.iter().cloned().collect();
    for &at in of {
        let name = things.name(at);
        let mut add = |predicate: &str, args: &[&str]| {
            atoms.insert(Atom::new(predicate, args.iter().copied()));
        };
        for state in graph.states(at).iter() {
            add(&state.to_string(), &[name]);
        }
        for (relation, predicate) in [(Relation::On, "ON_TOP"), (Relation::Inside, "INSIDE")] {
            let places = graph.targets(at, relation).filter(|place| *place != me && of.contains(place));
            places
                .filter(|place| !graph.node(*place).is_room())
                .for_each(|place| add(predicate, &[name, things.name(place)]));
        }
        let holds = graph.held().any(|held| held == at);
        let by = [
            ("HOLDS", holds),
            ("WEARS", graph.is_worn(at)),
            ("NEAR", graph.is_close(at)),
            ("FACES", graph.is_faced(at)),
            ("SITS_ON", graph.holds(me, Relation::On, at) && graph.is(me, stepwright_graph::State::Sitting)),
            ("LIES_ON", graph.holds(me, Relation::On, at) && graph.is(me, stepwright_graph::State::Lying)),
            ("AT", graph.node(at).is_room() && graph.room_of(me) == Some(at)),
        ];
        by.iter().filter(|(_, so)| *so).for_each(|(predicate, _)| add(predicate, &[name]));
    }
    let mut names: Vec<String> = of.iter().map(|at| things.name(*at).to_owned()).collect();
    names.sort();
    Facts { things: names, atoms }
}
