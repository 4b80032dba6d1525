//! Judging by a model: the prompt for one that judges a plan's assertions itself, and how its answer is read.
//!
//! As in ProgPrompt's own runs the model sees a list of what is visible, by kinds of things as plans name them, and answers True or
//! False.

use serde::Serialize;

use super::{Vocabulary, kind_of};
use stepwright_world::literal::Facts;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Sight {
    /// The things seen, each with its states: `fridge (closed)`.
    pub seen: Vec<String>,
    pub close: Vec<String>,
    pub held: Vec<String>,
}

impl Sight {
    pub fn of(facts: &Facts, vocabulary: &Vocabulary) -> Self {
        let mut sight = Sight::default();
        let (states, near, in_hand) = (vocabulary.seen(), vocabulary.near(), vocabulary.held());
        for thing in &facts.things {
            let kind = kind_of(thing);
            let reported = states.iter().filter(|(predicate, _)| facts.holds(predicate, &[thing]));
            let mut notes: Vec<String> = reported.map(|(_, word)| word.clone()).collect();
            let of_thing = |a: &&stepwright_world::literal::Atom| a.predicate == "IN" && a.args.first() == Some(thing);
            let around = facts.atoms.iter().filter(of_thing).filter_map(|a| a.args.get(1));
            notes.extend(around.map(|outer| format!("in {}", kind_of(outer))));
            let entry = if notes.is_empty() { kind.clone() } else { format!("{kind} ({})", notes.join(", ")) };
            put(&mut sight.seen, entry);
            if near.iter().any(|predicate| facts.holds(predicate, &[thing])) {
                put(&mut sight.close, kind);
            }
        }
        let held = facts.atoms.iter().filter(|a| a.predicate == in_hand).filter_map(|a| a.args.first());
        held.for_each(|thing| put(&mut sight.held, kind_of(thing)));
        sight
    }
}

/// Two things of a kind and state are listed once: a plan has one name for both.
fn put(list: &mut Vec<String>, entry: String) {
    if !list.contains(&entry) {
        list.push(entry);
    }
}

/// An answer's judgement of an assertion: its first `True` or `False`, in any case; `None` where there is neither.
pub fn answered(text: &str) -> Option<bool> {
    text.split(|c: char| !c.is_alphanumeric()).find_map(|word| {
        let is = |wanted: &str| word.eq_ignore_ascii_case(wanted);
        if is("true") { Some(true) } else { is("false").then_some(false) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwright_worlds::kitchen;

    #[test]
    fn what_is_seen_is_listed_by_kind() {
        let things = ["Box|1", "Lamp|1", "Lamp|2", "Mug|1", "Sink|1|SinkBasin"].map(str::to_owned);
        let atoms = [
            "CLOSED Box|1", "CLOSE Box|1", "OFF Lamp|1", "OFF Lamp|2", "HOLDS Mug|1", "DIRTY Mug|1", "IN Lamp|1 Box|1",
            "GRABBABLE Mug|1", "ROOM Den",
        ];
        let facts = Facts { things: things.into(), atoms: atoms.iter().map(|a| a.parse().unwrap()).collect() };
        let sight = Sight::of(&facts, &Vocabulary::shipped(&kitchen::KIND));
        let seen = ["box (closed)", "lamp (switchoff, in box)", "lamp (switchoff)", "mug (dirty)", "sinkbasin"]
            .map(str::to_owned);
        assert_eq!(sight.seen, seen);
        assert_eq!((sight.close, sight.held), (vec!["box".to_owned()], vec!["mug".to_owned()]));
    }

    #[test]
    fn answers_are_true_false_or_neither() {
        for (text, value) in [
            (" True", Some(true)),
            ("false.", Some(false)),
            ("**True**", Some(true)),
            ("It is False, not true", Some(false)),
            ("untrue", None),
            ("", None),
        ] {
            assert_eq!(answered(text), value, "{text}");
        }
    }
}
