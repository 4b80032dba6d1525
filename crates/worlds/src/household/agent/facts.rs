//! Facts that distinguish the states of the search: where the agent stands, what it holds, where the things that matter are, and their
//! properties. Names are indices into the problem's table.

/// Index of a name that matters.
pub(crate) type Id = u16;

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Facts {
    pub at: Option<Id>,
    pub held: Option<Id>,
    /// (place, thing), sorted.
    pub listed: Vec<(Id, Id)>,
    /// (name, index into [`PROPERTIES`], value), sorted.
    pub properties: Vec<(Id, u8, bool)>,
    /// Whether the agent has moved since the plan's start.
    pub moved: bool,
}

/// Properties that matter to the search.
pub(crate) const PROPERTIES: &[&str] = &[super::OPEN, super::TOGGLE, "clean", "heat", "cool"];

pub(crate) fn property_index(name: &str) -> Option<u8> {
    PROPERTIES.iter().position(|p| *p == name).and_then(|i| u8::try_from(i).ok())
}

impl Facts {
    pub fn property(&self, name: Id, property: &str) -> Option<bool> {
        let index = property_index(property)?;
        self.properties.iter().find(|(n, p, _)| *n == name && *p == index).map(|(_, _, value)| *value)
    }

    /// Sets a property; one that does not matter is left out.
    pub fn set(&mut self, name: Id, property: &str, value: bool) {
        let Some(index) = property_index(property) else { return };
        self.properties.retain(|(n, p, _)| !(*n == name && *p == index));
        self.properties.push((name, index, value));
        self.properties.sort_unstable();
    }

    pub fn list(&mut self, place: Id, thing: Id) {
        if let Err(at) = self.listed.binary_search(&(place, thing)) {
            self.listed.insert(at, (place, thing));
        }
    }

    pub fn knows(&self, thing: Id) -> bool {
        self.held == Some(thing) || self.listed.iter().any(|(_, t)| *t == thing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_changes_does_not_distinguish_states() {
        let (mut one, mut other) = (Facts::default(), Facts::default());
        one.set(1, "heat", true);
        one.set(2, "open", false);
        one.list(3, 4);
        one.list(1, 9);
        other.list(1, 9);
        other.set(2, "open", true);
        other.set(2, "open", false);
        other.set(1, "heat", true);
        other.list(3, 4);
        other.list(3, 4);
        assert_eq!(one, other);
        assert!(one.knows(9) && !one.knows(7));
        assert_eq!((one.property(1, "heat"), one.property(1, "mood")), (Some(true), None));
    }
}
