//! Literals: ground atoms, the set of them an agent can know at a moment, and what actions change of them.
//!
//! The common ground of worlds, blocking domains, beliefs and planners. A world fills them from what is observable, never from its hidden state. What is not seen has no literals: its truth is open,
//! not false. Reading them against a domain belongs to [`crate::blocking`].

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A ground atom: a predicate over things, written `IN mug_1 shelf_2`. Names hold no white space.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Atom {
    /// The predicate's name, as the world's domain file spells it (`CLOSE`, `IN`).
    pub predicate: String,
    /// The things it is about, in order.
    pub args: Vec<String>,
}

impl Atom {
    pub fn new(predicate: impl Into<String>, args: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Atom { predicate: predicate.into(), args: args.into_iter().map(Into::into).collect() }
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.predicate)?;
        self.args.iter().try_for_each(|arg| write!(f, " {arg}"))
    }
}

impl FromStr for Atom {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let predicate = words.next().ok_or("an atom needs a predicate, such as `ON lamp_1`")?;
        Ok(Atom::new(predicate, words))
    }
}

impl From<Atom> for String {
    fn from(atom: Atom) -> String {
        atom.to_string()
    }
}

impl TryFrom<String> for Atom {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

/// The facts that an agent can know at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    /// The things it can see now, sorted by code point, no duplicates (`VISIBLE x` holds of exactly these).
    pub things: Vec<String>,
    /// The atoms that hold, those of the agent itself included (`HANDS_EMPTY`, `HOLDS x`). An atom about seen things only that is
    /// not in here is false; an atom about anything else is open.
    pub atoms: BTreeSet<Atom>,
}

impl Facts {
    /// Whether an atom is known to hold.
    pub fn holds(&self, predicate: &str, args: &[&str]) -> bool {
        self.atoms.contains(&Atom::new(predicate, args.iter().copied()))
    }

    /// Facts for a test: the things in any order, the atoms as text.
    #[cfg(test)]
    pub fn of(things: &[&str], atoms: &[&str]) -> Self {
        let mut things: Vec<String> = things.iter().map(|t| (*t).to_owned()).collect();
        things.sort();
        Facts { things, atoms: atoms.iter().map(|a| a.parse().unwrap()).collect() }
    }

    pub fn sees(&self, thing: &str) -> bool {
        self.things.binary_search_by(|known| known.as_str().cmp(thing)).is_ok()
    }
}

/// The effect of an action on a literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Truth {
    True,
    /// It does not hold afterwards.
    False,
    PossiblyTrue,
    /// It may turn out not to hold.
    PossiblyFalse,
}

/// An effect of an action: an atom, and its truth afterwards. An argument `*` stands for anything.
pub type Change = (Atom, Truth);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_atom_reads_back_as_it_is_written() {
        for text in ["HANDS_EMPTY", "IN mug_1 shelf_2"] {
            assert_eq!(text.parse::<Atom>().unwrap().to_string(), text);
        }
        assert!(" ".parse::<Atom>().is_err());
    }

    #[test]
    fn what_is_not_seen_is_open() {
        let facts = Facts { things: vec!["a".into(), "b".into()], atoms: [Atom::new("OPEN", ["a"])].into() };
        assert!(facts.holds("OPEN", &["a"]) && !facts.holds("OPEN", &["b"]));
        assert!(facts.sees("b") && !facts.sees("c"));
    }
}
