//! Facts that the robot can know now, as literals of the blocking domain; and the actions that make sense on what it sees.

use std::collections::BTreeSet;

use super::scene::Scene;
use super::sight;
use super::state::State;
use stepwright_world::{Atom, Facts};

/// The moves that need nothing in sight, as the blocking domain spells them.
pub(crate) const GENERIC_MOVES: [&str; 7] =
    ["turnleft character", "turnright character", "moveforward", "movebackward", "turnaround", "lookup", "lookdown"];

pub fn facts(scene: &Scene, state: &State) -> Facts {
    let seen = sight::seen(scene, state);
    literals(scene, state, &seen, &seen)
}

fn literals(scene: &Scene, state: &State, things: &[usize], seen: &[usize]) -> Facts {
    let mut atoms = BTreeSet::new();
    let id = |thing: usize| scene.id_of(thing);
    match state.held {
        None => atoms.insert(Atom::new("HANDS_EMPTY", [""; 0])),
        Some(held) => atoms.insert(Atom::new("HOLDS", [id(held)])),
    };
    atoms.insert(Atom::new("ROOM", [scene.room.as_str()]));
    for &thing in things {
        let (what, now) = (scene.thing(thing), state.now(thing));
        let close = sight::close(scene, state, thing);
        let seen = seen.contains(&thing);
        let flags = [
            ("SURFACES", what.receptacle),
            ("CONTAINER", what.receptacle),
            ("HAS_SWITCH", what.toggleable),
            ("ON", now.on),
            ("OFF", what.toggleable && !now.on),
            ("DIRTY", now.dirty),
            ("COOKED", now.cooked),
            ("CAN_OPEN", what.openable),
            ("GRABBABLE", what.pickupable),
            ("MOVEABLE", what.moveable),
            ("OPEN", now.open),
            ("CLOSED", what.openable && !now.open),
            ("SLICED", now.sliced),
            ("FILLED", now.filled.is_some()),
            ("CLOSE", seen && close),
            ("FAR", seen && !close),
        ];
        atoms.extend(flags.iter().filter(|(_, holds)| *holds).map(|(flag, _)| Atom::new(*flag, [id(thing)])));
        if let Some(parent) = now.parent.filter(|parent| things.contains(parent)) {
            atoms.insert(Atom::new("IN", [id(thing), id(parent)]));
        }
    }
    let mut things: Vec<String> = things.iter().map(|thing| id(*thing).to_owned()).collect();
    things.sort();
    Facts { things, atoms }
}

/// Everything that holds, seen or not: the literals of [`facts`] over all things there are, what is seen (`VISIBLE x`), what is shut
/// away (`HIDDEN_IN x r`), and where things can and cannot be put (`REFUSES r x`, `FULL r`, `LAST_PLACE r`, `OBSTRUCTS x r`).
pub fn everything(scene: &Scene, state: &State) -> Facts {
    let things: Vec<usize> = state.present.iter().copied().filter(|t| !state.now(*t).sliced).collect();
    let seen = sight::seen(scene, state);
    let mut facts = literals(scene, state, &things, &seen);
    let id = |thing: usize| scene.id_of(thing);
    for seen in seen {
        facts.atoms.insert(Atom::new("VISIBLE", [id(seen)]));
    }
    for &thing in &things {
        let what = scene.thing(thing);
        let shut = state.around(thing).filter(|outer| scene.thing(*outer).openable);
        facts.atoms.extend(shut.map(|outer| Atom::new("HIDDEN_IN", [id(thing), id(outer)])));
        if !what.receptacle {
            continue;
        }
        let room = what.capacity.map(|most| most.saturating_sub(state.contents(thing).count()));
        match room {
            Some(0) => facts.atoms.insert(Atom::new("FULL", [id(thing)])),
            Some(1) => facts.atoms.insert(Atom::new("LAST_PLACE", [id(thing)])),
            _ => false,
        };
        let in_way = what.obstructed_by.iter().filter(|o| things.contains(o));
        facts.atoms.extend(in_way.map(|o| Atom::new("OBSTRUCTS", [id(*o), id(thing)])));
        let carried = things.iter().filter(|t| scene.thing(**t).pickupable);
        let refused = carried.filter(|t| !scene.accepts.fits(&scene.thing(**t).kind, &what.kind));
        facts.atoms.extend(refused.map(|t| Atom::new("REFUSES", [id(thing), id(*t)])));
    }
    facts
}

/// The actions that make sense on what is visible: nothing hidden decides about them, so the simulator may still refuse one
/// (a full receptacle, a door in the way). `wanted` are the things the task is about, which can be looked around for.
pub(crate) fn sensible(scene: &Scene, state: &State, wanted: &BTreeSet<&str>) -> Vec<String> {
    let seen = sight::seen(scene, state);
    let mut actions: BTreeSet<String> = GENERIC_MOVES.iter().map(|action| (*action).to_owned()).collect();
    actions.insert(format!("walk_to_room {}", scene.room));
    for name in wanted.iter().filter(|name| !seen.iter().any(|thing| scene.id_of(*thing) == **name)) {
        actions.insert(format!("scanroom {name}"));
    }
    for &thing in &seen {
        let (what, now, id) = (scene.thing(thing), state.now(thing), scene.id_of(thing));
        if state.in_hand(thing) {
            continue;
        }
        actions.insert(format!("walk_to_object {id}"));
        if !sight::close(scene, state, thing) {
            continue;
        }
        if what.openable {
            actions.insert(format!("{} {id}", if now.open { "close" } else { "open" }));
        }
        if what.toggleable {
            actions.insert(format!("{} {id}", if now.on { "switchoff" } else { "switchon" }));
        }
        if what.sliceable {
            actions.insert(format!("slice {id}"));
        }
        match state.held {
            None if what.pickupable => {
                actions.insert(format!("grab {id}"));
            }
            Some(held) if what.receptacle && (now.open || !what.openable) => {
                actions.insert(format!("put {} {id}", scene.id_of(held)));
            }
            _ => {}
        }
    }
    actions.into_iter().collect()
}
