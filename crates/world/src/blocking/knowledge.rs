//! Knowledge that a blocking domain is queried on: the facts of the moment and what the tree remembers.

use std::collections::BTreeSet;

use super::domain::{Domain, Pattern, Raise, VISIBLE};
use crate::literal::{Atom, Facts};

/// The moment, as the robot knows it.
#[derive(Debug, Clone, Copy)]
pub struct Knowledge<'a> {
    domain: &'a Domain,
    facts: &'a Facts,
    /// Conditions that errors raised and that nothing has resolved since.
    remembered: &'a BTreeSet<Atom>,
}

impl<'a> Knowledge<'a> {
    pub fn new(domain: &'a Domain, facts: &'a Facts, remembered: &'a BTreeSet<Atom>) -> Self {
        Knowledge { domain, facts, remembered }
    }

    pub fn holds(&self, literal: &Atom) -> bool {
        if literal.predicate == VISIBLE {
            return matches!(literal.args.as_slice(), [thing] if self.facts.sees(thing));
        }
        if self.domain.conditions.iter().any(|c| c.raise == Raise::Remembered && c.resolution.name == literal.predicate)
        {
            return !self.remembered.iter().any(|c| self.domain.resolution(c).as_ref() == Some(literal));
        }
        self.facts.atoms.contains(literal)
    }

    /// The argument lists a pattern's predicate is known to hold of, in code-point order.
    pub(super) fn instances(&self, pattern: &Pattern) -> Vec<Vec<String>> {
        if pattern.name == VISIBLE {
            return self.facts.things.iter().map(|thing| vec![thing.clone()]).collect();
        }
        let first = Atom { predicate: pattern.name.clone(), args: Vec::new() };
        let same = self.facts.atoms.range(first..).take_while(|a| a.predicate == pattern.name);
        same.filter(|a| a.args.len() == pattern.args.len()).map(|a| a.args.clone()).collect()
    }
}
