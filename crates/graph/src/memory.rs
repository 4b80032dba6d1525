//! Memory of grabbing: from where each thing was taken in a script, for putting it back.

use crate::graph::At;
use crate::vocabulary::Relation;

/// From where things were grabbed in this script.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memory(Vec<(At, At, Relation)>);

impl Memory {
    pub(crate) fn get(&self, thing: At) -> Option<(At, Relation)> {
        self.0.iter().find(|(known, ..)| *known == thing).map(|(_, source, relation)| (*source, *relation))
    }

    pub(crate) fn remember(&mut self, thing: At, source: At, relation: Relation) {
        self.forget(thing);
        self.0.push((thing, source, relation));
    }

    pub(crate) fn forget(&mut self, thing: At) {
        self.0.retain(|(known, ..)| *known != thing);
    }
}
