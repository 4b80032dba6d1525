//! Literals of what the robot has seen, as the world reported them then: rebuilt from the program calls of an episode.
//!
//! The calls show what changes (what is seen, near, held, open, on, in what); what kinds of things are good for is common sense from
//! `worlds/kitchen/kinds.txt`, and what the world reports of the things in sight now.

use std::collections::{BTreeMap, BTreeSet};

use crate::kitchen::program;
use stepwright_program::{Call, Literal};
use stepwright_world::blocking::Environment;
use stepwright_world::literal::{Atom, Facts};

const KINDS: &str = include_str!("../../../worlds/kitchen/kinds.txt");

const ABILITIES: [(&str, &[&str]); 4] = [
    ("receptacle", &["SURFACES", "CONTAINER"]),
    ("openable", &["CAN_OPEN"]),
    ("switchable", &["HAS_SWITCH"]),
    ("graspable", &["GRABBABLE"]),
];

/// The uses of kinds of things: predicates by kind.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Kinds(BTreeMap<String, BTreeSet<&'static str>>);

impl Kinds {
    pub fn shipped() -> Self {
        let mut kinds = Kinds::default();
        let lines = KINDS.lines().filter_map(|line| line.split_once(':'));
        for (ability, names) in lines {
            let predicates = ABILITIES.iter().find(|(name, _)| *name == ability).map(|(_, predicates)| *predicates);
            for kind in names.split_whitespace() {
                kinds.0.entry(kind.to_owned()).or_default().extend(predicates.into_iter().flatten());
            }
        }
        kinds
    }

    /// Adds the world's report of the things in sight.
    pub fn learn(&mut self, facts: &Facts) {
        for predicate in ABILITIES.iter().flat_map(|(_, predicates)| *predicates) {
            let things = facts.atoms.iter().filter(|atom| atom.predicate == *predicate).filter_map(|a| a.args.first());
            for thing in things {
                self.0.entry(kind_of(thing)).or_default().insert(predicate);
            }
        }
    }
}

/// The kind of a thing: `Bread|1|BreadSliced_2` is a `BreadSliced`.
fn kind_of(thing: &str) -> String {
    let part = thing.rsplit('|').find(|part| part.starts_with(char::is_alphabetic)).unwrap_or(thing);
    part.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_').to_owned()
}

/// Knowledge at a moment of the episode.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Seen {
    kinds: Kinds,
    goals: Vec<Atom>,
    /// The room and all else that is about no single thing.
    constant: BTreeSet<Atom>,
    visible: BTreeSet<String>,
    near: BTreeSet<String>,
    held: Option<String>,
    properties: BTreeMap<String, BTreeSet<String>>,
    contents: BTreeMap<String, Vec<String>>,
}

impl Seen {
    /// Nothing seen yet, in an episode whose present facts and goals are given.
    pub fn new(kinds: &Kinds, facts: &Facts, goals: &[Atom]) -> Self {
        let mut kinds = kinds.clone();
        kinds.learn(facts);
        let constant = facts.atoms.iter().filter(|atom| atom.predicate == "ROOM").cloned().collect();
        Seen { kinds, goals: goals.to_vec(), constant, ..Seen::default() }
    }

    pub fn hear(&mut self, call: &Call) {
        let names: Vec<String> = call.args.iter().filter_map(Literal::text).map(str::to_owned).collect();
        match (call.function.as_str(), names.as_slice()) {
            ("see", names) => self.visible = names.iter().cloned().collect(),
            ("reach", names) => self.near = names.iter().cloned().collect(),
            ("hold", [thing]) => self.held = Some(thing.clone()),
            ("release", [_]) => self.held = None,
            ("set_property", [thing, property]) => {
                let properties = self.properties.entry(thing.clone()).or_default();
                if call.args.last() == Some(&Literal::Bool(true)) {
                    properties.insert(property.clone());
                } else {
                    properties.remove(property);
                }
            }
            ("set_contents", [receptacle, inside @ ..]) => {
                self.contents.insert(receptacle.clone(), inside.to_vec());
            }
            _ => {}
        }
    }

    pub fn facts(&self) -> Facts {
        let mut atoms = self.constant.clone();
        atoms.insert(match &self.held {
            None => Atom::new("HANDS_EMPTY", [""; 0]),
            Some(held) => Atom::new("HOLDS", [held]),
        });
        for thing in &self.visible {
            let able = self.kinds.0.get(&kind_of(thing)).cloned().unwrap_or_default();
            let is = |property: &str| self.properties.get(thing).is_some_and(|all| all.contains(property));
            let near = self.near.contains(thing);
            let flags = [
                ("ON", is("on")),
                ("OFF", able.contains("HAS_SWITCH") && !is("on")),
                ("DIRTY", is("dirty")),
                ("COOKED", is("cooked")),
                ("OPEN", is("open")),
                ("CLOSED", is("closed")),
                ("SLICED", is("sliced")),
                ("FILLED", is("filled")),
                ("CLOSE", near),
                ("FAR", !near),
            ];
            let holding = flags.iter().filter(|(_, holds)| *holds).map(|(flag, _)| *flag);
            atoms.extend(holding.chain(able).map(|predicate| Atom::new(predicate, [thing])));
        }
        for (receptacle, inside) in self.contents.iter().filter(|(receptacle, _)| self.visible.contains(*receptacle)) {
            let seen = inside.iter().filter(|thing| self.visible.contains(*thing));
            atoms.extend(seen.map(|thing| Atom::new("IN", [thing, receptacle])));
        }
        Facts { things: self.visible.iter().cloned().collect(), atoms }
    }
}

impl Environment for Seen {
    fn facts(&self) -> Option<Facts> {
        Some(Seen::facts(self))
    }

    fn goals(&self) -> Option<Vec<Atom>> {
        Some(self.goals.clone())
    }

    fn goal_holds(&self, _part: &Atom) -> Option<bool> {
        None
    }

    fn text_of(&self, call: &Call) -> Option<String> {
        program::text_of(call)
    }

    fn call_of(&self, text: &str) -> Option<Call> {
        program::call_of(text)
    }
}
