//! Facts the agent can know, as literals of the blocking domain (`worlds/household/domain.toml`), and the goal as one literal over
//! kinds of things.

use std::collections::BTreeSet;

use super::belief::{Belief, OPEN, SLICED, TOGGLE};
use super::definition::{Condition, GoalDefinition};
use super::game::Game;
use super::state::{Flag, State};
use stepwright_world::planner::effects::kind_of;
use stepwright_world::{Atom, Facts};

/// The conditions of an object: in the state, as a property of the belief, as a literal.
const CONDITIONS: [(Flag, &str, &str); 5] = [
    (Flag::Clean, "clean", "CLEAN"),
    (Flag::Hot, "heat", "HOT"),
    (Flag::Cool, "cool", "COOL"),
    (Flag::Toggled, TOGGLE, "ON"),
    (Flag::Sliced, SLICED, "SLICED"),
];

const USES: [(&str, &str); 3] = [("sinkbasin", "CLEANS"), ("microwave", "HEATS"), ("fridge", "COOLS")];

/// A name without white space: `mug_1`.
fn word(name: &str) -> String {
    name.replace(char::is_whitespace, "_")
}

/// Facts that the agent can know. They are asked for at every step, so the atoms are listed first and sorted once.
pub fn facts(belief: &Belief) -> Facts {
    let mut things = Vec::new();
    let mut atoms = Vec::new();
    let mut near: BTreeSet<&String> = BTreeSet::new();
    for receptacle in &belief.places {
        let r = word(receptacle);
        let kind = kind_of(receptacle);
        let mut tell = |predicate: &str| atoms.push(Atom::new(predicate, [r.as_str()]));
        tell("RECEPTACLE");
        if let Some((_, used)) = USES.iter().find(|(of, _)| *of == kind) {
            tell(used);
        }
        if belief.is_seen_into(receptacle) {
            tell("LOOKED");
        }
        if belief.is_here(receptacle) {
            tell("AT");
            near.extend(belief.contents(receptacle));
        }
        for object in belief.contents(receptacle) {
            atoms.push(Atom::new("IN", [word(object), r.clone()]));
        }
        atoms.push(Atom::new("KIND", [r.clone(), word(kind)]));
        things.push(r);
    }
    for object in &belief.seen {
        let (o, kind) = (word(object), word(kind_of(object)));
        if near.contains(object) {
            atoms.push(Atom::new("NEAR", [o.as_str()]));
        }
        atoms.push(Atom::new("FOUND", [kind.as_str()]));
        atoms.push(Atom::new("KIND", [o.clone(), kind]));
        things.push(o);
    }
    for ((name, property), holds) in &belief.properties {
        match CONDITIONS.iter().find(|(_, condition, _)| condition == property) {
            Some((.., predicate)) if *holds && belief.seen.contains(name) => {
                atoms.push(Atom::new(*predicate, [word(name)]));
            }
            None if property == OPEN => atoms.push(Atom::new(if *holds { "OPEN" } else { "CLOSED" }, [word(name)])),
            _ => {}
        }
    }
    match &belief.held {
        None => atoms.push(Atom::new("HANDS_EMPTY", [""; 0])),
        Some(held) => {
            atoms.push(Atom::new("HAS", [word(kind_of(held))]));
            atoms.push(Atom::new("HOLDS", [word(held)]));
        }
    }
    things.sort();
    Facts { things, atoms: atoms.into_iter().collect() }
}

/// The next action of looking for a thing or place of a kind, by what was seen: to where one is known to be, else to a place nobody
/// looked into. What lies where the task wants it is not looked for, and of several places that one is which has such a thing.
pub fn search(words: &GoalDefinition, belief: &Belief, kind: &str) -> Option<String> {
    let is =
        |name: &str, kind: &str| kind_of(name).replace(' ', "").eq_ignore_ascii_case(&kind.replace(['_', ' '], ""));
    let wanted = |object: &String| is(object, &words.object);
    let target = |r: &str| words.receptacle.as_ref().is_some_and(|kind| is(r, kind));
    if belief.held.as_ref().is_some_and(|object| is(object, kind)) {
        return None;
    }
    let places = || belief.places.iter();
    let begun = places().find(|r| target(r) && belief.contents(r).iter().any(wanted));
    let serves = |r: &String| match is(r, kind) {
        true => !target(r) || begun.is_none_or(|begun| begun == r),
        false => belief.contents(r).iter().any(|object| is(object, kind) && !(target(r) && wanted(object))),
    };
    let known: Vec<&String> = places().filter(|r| serves(r)).collect();
    if known.iter().any(|r| belief.is_here(r)) {
        return None;
    }
    let unseen = || places().filter(|r| !belief.is_seen_into(r));
    let shut = unseen().find(|r| belief.is_here(r) && belief.property(r, OPEN) == Some(false));
    let go = |r: &String| format!("go to {r}");
    let first = known.first().map(|r| go(r));
    first.or_else(|| shut.map(|r| format!("open {r}"))).or_else(|| unseen().find(|r| !belief.is_here(r)).map(go))
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
        let conditions = CONDITIONS.iter().filter(|(flag, ..)| state.is(i, *flag));
        atoms.extend(conditions.map(|(.., predicate)| Atom::new(*predicate, [o.as_str()])));
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
