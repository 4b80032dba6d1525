//! Numbered: values by their numbers, in a list. Numbers grow as a session is recorded, so that most are added at the end; most nodes of a
//! long session hold one or two, for which a tree of nodes takes many times their size.

/// Values by number.
#[derive(Debug, Clone, PartialEq)]
pub struct Numbered<V>(Vec<(u64, V)>);

impl<V> Default for Numbered<V> {
    fn default() -> Self {
        Numbered(Vec::new())
    }
}

impl<V> Numbered<V> {
    /// The value of a number.
    pub fn get(&self, number: &u64) -> Option<&V> {
        let at = self.0.binary_search_by_key(number, |(known, _)| *known).ok()?;
        self.0.get(at).map(|(_, value)| value)
    }

    /// Gives a number a value, in place of the one it had.
    pub fn insert(&mut self, number: u64, value: V) {
        match self.0.binary_search_by_key(&number, |(known, _)| *known) {
            Ok(at) => {
                if let Some((_, known)) = self.0.get_mut(at) {
                    *known = value;
                }
            }
            Err(at) => {
                if self.0.is_empty() {
                    self.0.reserve_exact(1);
                }
                self.0.insert(at, (number, value));
            }
        }
    }

    /// The values in the order of their numbers.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.0.iter().map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn values_are_found_by_their_numbers(given in prop::collection::vec((0u64..20, any::<u8>()), 0..40)) {
            let (mut numbered, mut tree) = (Numbered::default(), BTreeMap::new());
            for (number, value) in given {
                numbered.insert(number, value);
                tree.insert(number, value);
            }
            for number in 0..20 {
                prop_assert_eq!(numbered.get(&number), tree.get(&number));
            }
            prop_assert!(numbered.values().eq(tree.values()));
        }
    }
}
