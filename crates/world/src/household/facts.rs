//! Facts the agent can know, as literals of the blocking domain (`worlds/household/domain.toml`), and the goal as one literal over
//! kinds of things.

use std::collections::BTreeSet;

use super::definition::Condition;
use super::game::Game;
use super::memory::{Door, Memory};
use super::state::{Flag, State};
use crate::planner::effects::kind_of;
use crate::{Atom, Facts};

/// Literals for the conditions of an object.
const CONDITIONS: [(Flag, &str); 5] =
    [(Flag::Clean, "CLEAN"), (Flag::Hot, "HOT"), (Flag::Cool, "COOL"), (Flag::Toggled, "ON"), (Flag::Sliced, "SLICED")];

/// The uses of some kinds of receptacles.
const USES: [(&str, &str); 3] = [("sinkbasin", "CLEANS"), ("microwave", "HEATS"), ("fridge", "COOLS")];

/// A name without white space: `mug_1`.
fn word(name: &str) -> String {
    name.replace(char::is_whitespace, "_")
}

/// The facts that the agent can know. They are asked for at every step, so the atoms are listed first and sorted once.
pub fn facts(game: &Game, memory: &Memory) -> Facts {
    let mut things = Vec::new();
    let mut atoms = Vec::new();
    let mut near: BTreeSet<usize> = BTreeSet::new();
    for (i, receptacle) in game.receptacles.iter().enumerate() {
        let r = word(&receptacle.name);
        let kind = kind_of(&receptacle.name);
        let mut tell = |predicate: &str| atoms.push(Atom::new(predicate, [r.as_str()]));
        tell("RECEPTACLE");
        if let Some((_, used)) = USES.iter().find(|(of, _)| *of == kind) {
            tell(used);
        }
        match memory.door(i) {
            Door::Open => tell("OPEN"),
            Door::Shut => tell("CLOSED"),
            Door::Unknown | Door::None => {}
        }
        if memory.has_looked(i) {
            tell("LOOKED");
        }
        if memory.is_here(i) {
            tell("AT");
            near.extend(memory.contents(i));
        }
        for object in memory.contents(i) {
            atoms.push(Atom::new("IN", [word(game.object_name(object)), r.clone()]));
        }
        atoms.push(Atom::new("KIND", [r.clone(), word(kind)]));
        things.push(r);
    }
    for object in memory.seen() {
        let name = game.object_name(object);
        let (o, kind) = (word(name), word(kind_of(name)));
        let conditions = CONDITIONS.iter().filter(|(flag, _)| memory.is(object, *flag));
        atoms.extend(conditions.map(|(_, predicate)| Atom::new(*predicate, [o.as_str()])));
        if near.contains(&object) {
            atoms.push(Atom::new("NEAR", [o.as_str()]));
        }
        atoms.push(Atom::new("FOUND", [kind.as_str()]));
        atoms.push(Atom::new("KIND", [o.clone(), kind]));
        things.push(o);
    }
    match memory.held() {
        None => atoms.push(Atom::new("HANDS_EMPTY", [""; 0])),
        Some(held) => {
            let name = game.object_name(held);
            atoms.push(Atom::new("HAS", [word(kind_of(name))]));
            atoms.push(Atom::new("HOLDS", [word(name)]));
        }
    }
    things.sort();
    Facts { things, atoms: atoms.into_iter().collect() }
}

/// The next action of looking for a thing or place of a kind, by what was seen: to where one is known to be, else to a place nobody
/// looked into. What lies where the task wants it is not looked for, and of several places that one is which has such a thing.
pub fn search(game: &Game, memory: &Memory, kind: &str) -> Option<String> {
    let is =
        |name: &str, kind: &str| kind_of(name).replace(' ', "").eq_ignore_ascii_case(&kind.replace(['_', ' '], ""));
    let words = &game.goal_words;
    let wanted = |object: usize| is(game.object_name(object), &words.object);
    let target = |r: usize| words.receptacle.as_ref().is_some_and(|kind| is(game.receptacle_name(r), kind));
    if memory.held().is_some_and(|object| is(game.object_name(object), kind)) {
        return None;
    }
    let places = 0..game.receptacles.len();
    let begun = places.clone().find(|r| target(*r) && memory.contents(*r).any(wanted));
    let serves = |r: usize| match is(game.receptacle_name(r), kind) {
        true => !target(r) || begun.is_none_or(|begun| begun == r),
        false => memory.contents(r).any(|object| is(game.object_name(object), kind) && !(target(r) && wanted(object))),
    };
    let known: Vec<usize> = places.clone().filter(|r| serves(*r)).collect();
    if known.iter().any(|r| memory.is_here(*r)) {
        return None;
    }
    let shut = places.clone().find(|r| memory.is_here(*r) && memory.door(*r) == Door::Shut && !memory.has_looked(*r));
    let unseen = places.clone().find(|r| !memory.is_here(*r) && !memory.has_looked(*r));
    let go = |r: &usize| format!("go to {}", game.receptacle_name(*r));
    let open = |r: usize| format!("open {}", game.receptacle_name(r));
    known.first().map(go).or_else(|| shut.map(open)).or_else(|| unseen.as_ref().map(go))
}

/// Everything that holds, observed or not: where things are, what is open, what was done to things.
pub fn everything(game: &Game, state: &State) -> Facts {
    let mut things = Vec::new();
    let mut atoms = BTreeSet::new();
    for (i, receptacle) in game.receptacles.iter().enumerate() {
        let r = word(&receptacle.name);
        atoms.insert(Atom::new("RECEPTACLE", [r.as_str()]));
        if receptacle.openable {
            atoms.insert(Atom::new(if state.is_open(i) { "OPEN" } else { "CLOSED" }, [r.as_str()]));
        }
        for object in state.contents.ones(i) {
            atoms.insert(Atom::new("IN", [word(game.object_name(object)), r.clone()]));
        }
        things.push(r);
    }
    let here = game.standing_at(state.location).iter().map(|r| word(game.receptacle_name(*r)));
    atoms.extend(here.map(|r| Atom::new("AT", [r])));
    for (i, object) in game.objects.iter().enumerate() {
        let o = word(&object.name);
        let conditions = CONDITIONS.iter().filter(|(flag, _)| state.is(i, *flag));
        atoms.extend(conditions.map(|(_, predicate)| Atom::new(*predicate, [o.as_str()])));
        things.push(o);
    }
    match state.held {
        None => atoms.insert(Atom::new("HANDS_EMPTY", [""; 0])),
        Some(held) => atoms.insert(Atom::new("HOLDS", [word(game.object_name(held))])),
    };
    things.sort();
    Facts { things, atoms }
}

/// The goal of the task's sentence, over kinds: `PLACED_CLEAN soapbar cabinet`.
pub fn goal(game: &Game) -> Atom {
    let words = &game.goal_words;
    let place = words.lamp.as_ref().or(words.receptacle.as_ref());
    let predicate = match (&words.lamp, words.count, words.state) {
        (Some(_), ..) => "SEEN_IN_LIGHT",
        (None, Some(2..), _) => "PLACED_TWO",
        (None, _, Some(Condition::Clean)) => "PLACED_CLEAN",
        (None, _, Some(Condition::Hot)) => "PLACED_HOT",
        (None, _, Some(Condition::Cool)) => "PLACED_COOL",
        (None, ..) => "PLACED",
    };
    Atom::new(predicate, std::iter::once(&words.object).chain(place).map(|kind| word(kind)))
}
