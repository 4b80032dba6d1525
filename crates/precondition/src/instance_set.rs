//! Instance sets. Keeps sets of instances as bits (satisfied sets); knows nothing of assertions.

use std::fmt;

use sha2::{Digest, Sha256};
use smallvec::SmallVec;

/// A set of instances, by their number. All sets that are compared have the same length.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct InstanceSet {
    /// Those of a pool's usual size need no separate memory.
    words: SmallVec<[u64; 4]>,
    len: usize,
}

impl InstanceSet {
    /// The empty set over `len` instances.
    pub fn none(len: usize) -> Self {
        InstanceSet { words: SmallVec::from_elem(0, len.div_ceil(64)), len }
    }

    pub fn all(len: usize) -> Self {
        let mut bits = InstanceSet { words: SmallVec::from_elem(u64::MAX, len.div_ceil(64)), len };
        if !len.is_multiple_of(64)
            && let Some(last) = bits.words.last_mut()
        {
            *last = (1 << (len % 64)) - 1;
        }
        bits
    }

    /// The instances for which `holds` is true.
    pub fn of(len: usize, mut holds: impl FnMut(usize) -> bool) -> Self {
        let mut bits = InstanceSet::none(len);
        for at in 0..len {
            if holds(at) {
                bits.insert(at);
            }
        }
        bits
    }

    /// Puts an instance in; one beyond the length is ignored.
    #[inline]
    pub fn insert(&mut self, at: usize) {
        if at < self.len
            && let Some(word) = self.words.get_mut(at / 64)
        {
            *word |= 1 << (at % 64);
        }
    }

    /// Puts in the instances from `at` on whose bits are set in `word`; those beyond the length must not be.
    #[inline]
    pub(super) fn insert_word(&mut self, at: usize, word: u64) {
        let (place, shift) = (at / 64, at % 64);
        if let Some(low) = self.words.get_mut(place) {
            *low |= word << shift;
        }
        if shift > 0
            && let Some(high) = self.words.get_mut(place + 1)
        {
            *high |= word >> (64 - shift);
        }
    }

    #[inline]
    pub fn contains(&self, at: usize) -> bool {
        self.words.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    /// Over how many instances the set ranges: the length of the universe, not of the set.
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn count_common(&self, other: &InstanceSet) -> usize {
        self.words.iter().zip(&other.words).map(|(a, b)| (a & b).count_ones() as usize).sum()
    }

    pub fn is_subset(&self, other: &InstanceSet) -> bool {
        self.len == other.len && self.words.iter().zip(&other.words).all(|(a, b)| a & !b == 0)
    }

    pub(crate) fn intersect(&mut self, other: &InstanceSet) {
        for (a, b) in self.words.iter_mut().zip(&other.words) {
            *a &= b;
        }
    }

    pub(crate) fn unite(&mut self, other: &InstanceSet) {
        for (a, b) in self.words.iter_mut().zip(&other.words) {
            *a |= b;
        }
    }

    pub(crate) fn subtract(&mut self, other: &InstanceSet) {
        for (a, b) in self.words.iter_mut().zip(&other.words) {
            *a &= !b;
        }
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// The instances in the set, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(k, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    k * 64 + bit
                })
            })
        })
    }

    pub(crate) fn first_outside(&self, other: &InstanceSet) -> Option<usize> {
        self.iter().find(|&at| !other.contains(at))
    }

    /// The first 16 hexadecimal digits of SHA-256 over the set written as `0` and `1` in instance order.
    pub fn digest(&self) -> String {
        let text: Vec<u8> = (0..self.len).map(|at| b'0' + u8::from(self.contains(at))).collect();
        Sha256::digest(&text).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }
}

impl fmt::Debug for InstanceSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.count(), self.len)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn agrees_with_a_plain_list(a in prop::collection::vec(any::<(bool, bool)>(), 0..200)) {
            let (one, two): (Vec<bool>, Vec<bool>) = a.iter().copied().unzip();
            let (x, y) = (InstanceSet::of(one.len(), |i| one[i]), InstanceSet::of(two.len(), |i| two[i]));
            prop_assert_eq!(x.count(), one.iter().filter(|b| **b).count());
            prop_assert_eq!(x.count_common(&y), a.iter().filter(|(p, q)| *p && *q).count());
            prop_assert_eq!(x.is_subset(&y), a.iter().all(|(p, q)| !p || *q));
            prop_assert_eq!(x.first_outside(&y), a.iter().position(|(p, q)| *p && !*q));
            let mut both = x.clone();
            both.unite(&y);
            prop_assert_eq!(both.count(), a.iter().filter(|(p, q)| *p || *q).count());
            both.subtract(&y);
            prop_assert_eq!(both.iter().collect::<Vec<_>>(), (0..one.len()).filter(|i| one[*i] && !two[*i]).collect::<Vec<_>>());
            prop_assert_eq!(both.is_empty(), x.is_subset(&y));
            both.unite(&y);
            both.intersect(&x);
            prop_assert_eq!(&both, &x);
            prop_assert_eq!(x.iter().collect::<Vec<_>>(), (0..one.len()).filter(|i| one[*i]).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_full_set_holds_nothing_beyond_its_length() {
        for len in [0, 1, 63, 64, 65, 130] {
            assert_eq!(InstanceSet::all(len).count(), len);
            assert_eq!(InstanceSet::all(len), InstanceSet::of(len, |_| true));
        }
    }

    #[test]
    fn the_digest_is_that_of_the_written_set() {
        // printf 101 | sha256sum
        assert_eq!(InstanceSet::of(3, |i| i != 1).digest(), "16dc368a89b428b2");
    }
}
