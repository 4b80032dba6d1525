//! Plan by rooms: which rooms there are, where the person is, and in each what is open, on, dirty, held or wanted.

use stepwright_graph::{At, Graph, Relation, State};

use super::names::Things;
use super::observe::notable;
use stepwright_world::map::{Exit, Room, Rooms};

/// The plan at a moment; `wanted` are the things of goals still to be met, `goal` says what they are.
pub fn plan(graph: &Graph, things: &Things, wanted: &[At], goal: String) -> Rooms {
    let me = graph.character();
    let here = graph.room_of(me);
    let held: Vec<&str> = graph.held().map(|at| things.name(at)).collect();
    let holds = if held.is_empty() { "holds nothing".to_owned() } else { format!("holds {}", held.join(" and ")) };
    let rooms = graph.rooms().map(|room| Room {
        name: things.name(room).to_owned(),
        here: here == Some(room),
        things: lines(graph, things, room, wanted),
        exits: exits(graph, things, room),
    });
    Rooms { captions: vec![goal, holds], rooms: rooms.collect() }
}

/// The doors of a room: where each leads and whether it is open.
fn exits(graph: &Graph, things: &Things, room: At) -> Vec<Exit> {
    let doors = graph.places().filter(|at| graph.holds(*at, Relation::Between, room));
    let exit = |door: At| {
        let other = graph.targets(door, Relation::Between).find(|other| *other != room)?;
        Some(Exit { to: things.name(other).to_owned(), open: !graph.is(door, State::Closed) })
    };
    doors.filter_map(exit).collect()
}

/// The notes on a room's things, the wanted ones first.
fn lines(graph: &Graph, things: &Things, room: At, wanted: &[At]) -> Vec<String> {
    let me = graph.character();
    let mut lines = Vec::new();
    for at in graph.places().filter(|at| *at != me && !graph.is_door_like(*at) && graph.room_of(*at) == Some(room)) {
        let is_wanted = wanted.contains(&at);
        let mut notes = notable(graph, at);
        // What is shut or off is as one expects it.
        notes.retain(|note| is_wanted || !matches!(note.as_str(), "closed" | "off"));
        let hand = [(Relation::HoldsRight, "in the right hand"), (Relation::HoldsLeft, "in the left hand")];
        notes.extend(hand.iter().filter(|(hand, _)| graph.holds(me, *hand, at)).map(|(_, note)| (*note).to_owned()));
        if graph.is_worn(at) {
            notes.push("worn".to_owned());
        }
        if graph.holds(me, Relation::On, at) && graph.states(me).rests() {
            notes.push("the person is on it".to_owned());
        }
        if !is_wanted && (notes.is_empty() || graph.node(at).is_room()) {
            continue;
        }
        let mark = if is_wanted { "* " } else { "" };
        let note = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
        lines.push((!is_wanted, format!("{mark}{}{note}", things.name(at))));
    }
    lines.sort();
    lines.into_iter().map(|(_, line)| line).collect()
}
