//! Relation of two satisfied sets.

use super::instance_set::InstanceSet;

/// How one candidate relates to another, over the instances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    Equivalent,
    /// Where the first holds, the second does.
    Implies,
    /// Where the second holds, the first does.
    ImpliedBy,
    Independent,
}

impl Relation {
    pub fn of(one: &InstanceSet, other: &InstanceSet) -> Self {
        match (one.is_subset(other), other.is_subset(one)) {
            (true, true) => Relation::Equivalent,
            (true, false) => Relation::Implies,
            (false, true) => Relation::ImpliedBy,
            (false, false) => Relation::Independent,
        }
    }

    /// In words, to put between the two: "implies".
    pub fn in_words(self) -> &'static str {
        match self {
            Relation::Equivalent => "is equivalent to",
            Relation::Implies => "implies",
            Relation::ImpliedBy => "is implied by",
            Relation::Independent => "is independent of",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_relations() {
        let sets = [0b0011_u8, 0b0111, 0b0011, 0b1001].map(|byte| InstanceSet::of(4, |i| byte >> i & 1 == 1));
        assert_eq!(Relation::of(&sets[0], &sets[2]), Relation::Equivalent);
        assert_eq!(Relation::of(&sets[0], &sets[1]), Relation::Implies);
        assert_eq!(Relation::of(&sets[1], &sets[0]), Relation::ImpliedBy);
        assert_eq!(Relation::of(&sets[0], &sets[3]), Relation::Independent);
    }

    proptest::proptest! {
        #[test]
        fn turned_round_it_is_the_converse_and_implication_chains(a: u8, b: u8, c: u8) {
            use Relation::{Equivalent, ImpliedBy, Implies};
            let of = |byte: u8| InstanceSet::of(8, |i| byte >> i & 1 == 1);
            let relation = |one: u8, other: u8| Relation::of(&of(one), &of(other));
            let converse = match relation(b, a) {
                Implies => ImpliedBy,
                ImpliedBy => Implies,
                same => same,
            };
            proptest::prop_assert_eq!(relation(a, b), converse);
            proptest::prop_assert_eq!(relation(a, b) == Equivalent, a == b);
            // A part of a set implies the set, and implication is transitive.
            proptest::prop_assert!(matches!(relation(a & b, a), Implies | Equivalent));
            if matches!(relation(a, b), Implies | Equivalent) && matches!(relation(b, c), Implies | Equivalent) {
                proptest::prop_assert!(matches!(relation(a, c), Implies | Equivalent));
            }
        }
    }
}
