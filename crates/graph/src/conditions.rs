//! Conditions: what a program presumes of the household it is run in, inferred from its text alone. Making them true is
//! [`prepare`](crate::prepare)'s.
//!
//! Nine passes over the program, in the reference's order; what they find keeps the order in which it was found.

use std::fmt;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Value, json};

use crate::action::Action;
use crate::graph::CHARACTER;
use crate::names::PropertyTable;
use crate::script::{Line, Param};
use crate::vocabulary::Property;

/// The names of rooms in programs.
pub const ROOMS: [&str; 8] =
    ["bathroom", "bedroom", "dining_room", "entrance_hall", "home_office", "kids_bedroom", "kitchen", "living_room"];

/// Names of furniture on which a thing is that is named right after it.
const FURNITURE: [&str; 17] = [
    "desk", "table", "coffee_table", "bed", "sink", "cabinet", "bookshelf", "closet", "basket_for_clothes",
    "filing_cabinet", "kitchen_counter", "kitchen_cabinet", "bathroom_cabinet", "bathroom_counter", "cupboard",
    "toothbrush_holder", "dresser",
];

/// Names of seats, which are presumed free wherever they are named.
const SEATS: [&str; 8] = ["couch", "bed", "chair", "loveseat", "sofa", "toilet", "pianobench", "bench"];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Presumed {
    Plugged,
    Unplugged,
    IsOn,
    IsOff,
    AtReach,
    Sitting,
    /// On another thing, or worn.
    In,
    Location,
    Closed,
    Inside,
    Facing,
    Free,
}

impl Presumed {
    pub fn name(self) -> &'static str {
        match self {
            Presumed::Plugged => "plugged",
            Presumed::Unplugged => "unplugged",
            Presumed::IsOn => "is_on",
            Presumed::IsOff => "is_off",
            Presumed::AtReach => "atreach",
            Presumed::Sitting => "sitting",
            Presumed::In => "in",
            Presumed::Location => "location",
            Presumed::Closed => "closed",
            Presumed::Inside => "inside",
            Presumed::Facing => "facing",
            Presumed::Free => "free",
        }
    }
}

/// A thing of a program: its name and number.
pub type Key = Param;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    pub presumed: Presumed,
    pub thing: Key,
    pub other: Option<Key>,
}

impl Condition {
    /// As recordings have it: `{"atreach": [["cup", "1"], ["sink", "1"]]}`.
    pub fn to_json(&self) -> Value {
        // The reference numbers the character with a number where it presumes something of it by itself, and everything that a program
        // names with a text.
        let text = |key: &Key| json!([key.name.as_ref(), key.number.to_string()]);
        let own = |key: &Key| match &*key.name {
            CHARACTER => json!([key.name.as_ref(), key.number]),
            _ => text(key),
        };
        let things = match (self.presumed, &self.other) {
            (Presumed::Sitting, _) => own(&self.thing),
            (Presumed::In, Some(other)) => json!([text(&self.thing), own(other)]),
            (_, Some(other)) => json!([text(&self.thing), text(other)]),
            (_, None) => text(&self.thing),
        };
        json!({ self.presumed.name(): things })
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.presumed.name(), self.thing)?;
        self.other.iter().try_for_each(|other| write!(f, " {other}"))
    }
}

/// A program that contradicts itself, so that nothing can be presumed of it; displayed as the reference says it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("ScriptFail: Error, {name} {what}")]
pub struct ScriptFail {
    pub line: Line,
    pub name: Arc<str>,
    /// The contradictory state (`turned on twice`).
    pub what: &'static str,
}

/// The conditions of a program: by what is presumed, by thing, each in the order found.
#[derive(Debug, Clone, Default)]
struct Found(IndexMap<Presumed, IndexMap<Key, IndexSet<Option<Key>>>>);

impl Found {
    fn add(&mut self, presumed: Presumed, thing: &Key, other: Option<&Key>) {
        self.0.entry(presumed).or_default().entry(thing.clone()).or_default().insert(other.cloned());
    }

    /// As [`Found::add`], but the last one added comes last even if it was there.
    fn add_last(&mut self, presumed: Presumed, thing: &Key, other: &Key) {
        let others = self.0.entry(presumed).or_default().entry(thing.clone()).or_default();
        let (at, _) = others.insert_full(Some(other.clone()));
        others.move_index(at, others.len() - 1);
    }

    fn has(&self, presumed: Presumed, thing: &Key) -> bool {
        self.0.get(&presumed).is_some_and(|things| things.contains_key(thing))
    }

    fn list(self) -> Vec<Condition> {
        let mut all = Vec::new();
        for (presumed, things) in self.0 {
            for (thing, others) in things {
                all.extend(others.into_iter().map(|other| Condition { presumed, thing: thing.clone(), other }));
            }
        }
        all
    }
}

/// The presumptions of a program.
/// Errors: if the program contradicts itself, or switches a thing whose class has no known properties.
pub fn infer(program: &[Line], properties: &PropertyTable) -> Result<Vec<Condition>, ScriptFail> {
    let mut found = Found::default();
    plugs(program, &mut found)?;
    switches(program, properties, &mut found)?;
    within_reach_of_seats(program, &mut found);
    postures(program, &mut found)?;
    within_reach(program, &mut found);
    worn(program, &mut found)?;
    places(program, &mut found);
    named_after_furniture(program, &mut found);
    seats(program, &mut found);
    Ok(found.list())
}

fn fail(line: &Line, thing: &Key, what: &'static str) -> ScriptFail {
    ScriptFail { line: line.clone(), name: Arc::clone(&thing.name), what }
}

fn with_object(program: &[Line]) -> impl Iterator<Item = (&Line, &Key)> {
    program.iter().filter_map(|line| Some((line, line.params.first()?)))
}

fn plugs(program: &[Line], found: &mut Found) -> Result<(), ScriptFail> {
    let mut plugged: FxHashMap<&Key, bool> = FxHashMap::default();
    for (line, thing) in with_object(program) {
        match (line.action, plugged.get(thing)) {
            (Action::PlugOut, Some(false)) => return Err(fail(line, thing, "already plugged out")),
            (Action::PlugOut, _) => {
                plugged.insert(thing, false);
            }
            (Action::PlugIn, Some(true)) => return Err(fail(line, thing, "plugged in twice")),
            (Action::PlugIn, known) => {
                if known.is_none() {
                    found.add(Presumed::Unplugged, thing, None);
                }
                plugged.insert(thing, true);
            }
            _ => {}
        }
    }
    Ok(())
}

fn switches(program: &[Line], properties: &PropertyTable, found: &mut Found) -> Result<(), ScriptFail> {
    let mut on: FxHashMap<&Key, bool> = FxHashMap::default();
    for (line, thing) in with_object(program) {
        let (turns_on, presumed, twice) = match line.action {
            Action::SwitchOn => (true, Presumed::IsOff, "turned on twice"),
            Action::SwitchOff => (false, Presumed::IsOn, "turned off twice"),
            _ => continue,
        };
        match on.insert(thing, turns_on) {
            Some(was) if was == turns_on => return Err(fail(line, thing, twice)),
            Some(_) => {}
            None => {
                found.add(presumed, thing, None);
                let known = properties.of(&thing.name).ok_or_else(|| fail(line, thing, "not found in properties"))?;
                if known.has(Property::HasPlug) && !found.has(Presumed::Unplugged, thing) {
                    found.add(Presumed::Plugged, thing, None);
                }
            }
        }
    }
    Ok(())
}

/// Follows who sits where: calls `also` for every line that neither sits down nor gets up, with the seat while there is one.
fn while_seated<'a>(program: &'a [Line], mut also: impl FnMut(&'a Line, Option<&'a Key>)) {
    let mut seat = None;
    for line in program {
        match line.action {
            Action::Sit | Action::Lie => seat = line.params.first(),
            Action::StandUp | Action::Walk | Action::Run => seat = None,
            _ => also(line, seat),
        }
    }
}

fn within_reach_of_seats(program: &[Line], found: &mut Found) {
    let mut grabbed: FxHashSet<&Key> = FxHashSet::default();
    let mut put: FxHashMap<&Key, &Key> = FxHashMap::default();
    // The reference's variable still holds the last object of the pass before.
    let mut thing = with_object(program).last().map(|(_, thing)| thing);
    while_seated(program, |line, seat| {
        thing = line.params.first().or(thing);
        let Some(thing) = thing else { return };
        match line.action {
            Action::PutBack | Action::PutIn => {
                grabbed.remove(thing);
                if let Some(place) = line.params.get(1) {
                    put.insert(thing, place);
                }
            }
            Action::PutObjBack => {
                grabbed.remove(thing);
                put.remove(thing);
            }
            _ => {}
        }
        if let Some(seat) = seat.filter(|seat| *seat != thing && !grabbed.contains(thing)) {
            let place = put.get(thing).copied().filter(|place| *place != seat);
            found.add(Presumed::AtReach, seat, Some(place.unwrap_or(thing)));
        }
        if line.action == Action::Grab {
            grabbed.insert(thing);
        }
    });
}

fn postures(program: &[Line], found: &mut Found) -> Result<(), ScriptFail> {
    let me = Key { name: CHARACTER.into(), number: 1 };
    let (mut sits, mut lies) = (false, false);
    for line in program {
        match line.action {
            Action::Sit if sits || lies => return Err(fail(line, &me, "already sitting")),
            Action::Sit => sits = true,
            Action::Lie => lies = true,
            Action::StandUp | Action::WakeUp => {
                if !sits && !lies {
                    found.add(Presumed::Sitting, &me, None);
                }
                (sits, lies) = (false, false);
            }
            _ => {}
        }
    }
    Ok(())
}

fn within_reach(program: &[Line], found: &mut Found) {
    let mut grabbed: FxHashSet<&Key> = FxHashSet::default();
    let mut place: Option<&Key> = None;
    for (line, thing) in with_object(program) {
        if matches!(line.action, Action::Walk | Action::Run) {
            place = Some(thing);
            continue;
        }
        if let Some(place) = place.filter(|place| *place != thing && !grabbed.contains(thing)) {
            found.add(Presumed::AtReach, thing, Some(place));
        }
        match line.action {
            Action::Grab | Action::PutOn => {
                grabbed.insert(thing);
            }
            Action::PutObjBack | Action::PutBack | Action::PutOff => {
                grabbed.remove(thing);
            }
            _ => {}
        }
    }
}

fn worn(program: &[Line], found: &mut Found) -> Result<(), ScriptFail> {
    let me = Key { name: CHARACTER.into(), number: 1 };
    let mut off: FxHashSet<&Key> = FxHashSet::default();
    for (line, thing) in with_object(program).filter(|(line, _)| line.action == Action::PutOff) {
        if !off.insert(thing) {
            return Err(fail(line, thing, "was already off"));
        }
        found.add(Presumed::In, thing, Some(&me));
    }
    Ok(())
}

fn places(program: &[Line], found: &mut Found) {
    let mut room: Option<&Key> = None;
    let mut open: FxHashMap<&Key, bool> = FxHashMap::default();
    let mut opened: Vec<&Key> = Vec::new();
    for (line, thing) in with_object(program) {
        if ROOMS.contains(&&*thing.name) {
            room = Some(thing);
        } else if let Some(room) = room {
            found.add_last(Presumed::Location, thing, room);
        }
        match line.action {
            Action::Open => {
                if open.insert(thing, true).is_none() {
                    found.add(Presumed::Closed, thing, None);
                }
                opened.push(thing);
            }
            Action::Close => {
                open.insert(thing, false);
                opened.retain(|other| *other != thing);
            }
            Action::Grab => {
                let known = found.has(Presumed::In, thing) || found.has(Presumed::Inside, thing);
                if let Some(container) = opened.last().filter(|_| !known) {
                    found.add(Presumed::Inside, thing, Some(container));
                }
            }
            _ => {}
        }
    }
}

fn named_after_furniture(program: &[Line], found: &mut Found) {
    let mut grabbed: FxHashSet<&Key> = FxHashSet::default();
    for (at, line) in program.iter().enumerate() {
        let Some(place) = line.params.first() else { continue };
        if line.action == Action::Grab {
            grabbed.insert(place);
            continue;
        }
        let leads = matches!(line.action, Action::Walk | Action::Run | Action::Find | Action::LookAt);
        if !leads || !FURNITURE.contains(&&*place.name) {
            continue;
        }
        let Some([thing]) = program.get(at + 1).map(|next| next.params.as_slice()) else { continue };
        let held = grabbed.contains(place) || grabbed.contains(thing);
        if !held && thing != place && &*thing.name != "chair" {
            found.add(Presumed::In, thing, Some(place));
        }
    }
}

fn seats(program: &[Line], found: &mut Found) {
    while_seated(program, |line, seat| {
        if let (Action::Watch, Some(seat), Some(thing)) = (line.action, seat, line.params.first()) {
            found.add(Presumed::Facing, seat, Some(thing));
        }
    });
    for thing in program.iter().flat_map(|line| &line.params).filter(|thing| SEATS.contains(&&*thing.name)) {
        found.add(Presumed::Free, thing, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::parse;

    fn presumed(lines: &[&str]) -> Vec<Value> {
        let properties: PropertyTable = serde_json::from_str(r#"{"shoes":["CLOTHES"]}"#).unwrap();
        let found = infer(&parse(lines.iter().copied()).unwrap(), &properties).unwrap();
        found.iter().map(Condition::to_json).collect()
    }

    #[test]
    fn the_character_is_numbered_with_a_number_only_where_the_program_does_not_name_it() {
        let found = presumed(&["[WALK] <table> (1)", "[PUTOFF] <shoes> (1)", "[TURNTO] <character> (1)", "[STANDUP]"]);
        assert!(found.contains(&json!({ "sitting": ["character", 1] })), "{found:?}");
        assert!(found.contains(&json!({ "in": [["shoes", "1"], ["character", 1]] })), "{found:?}");
        assert!(found.contains(&json!({ "atreach": [["character", "1"], ["table", "1"]] })), "{found:?}");
    }
}
