//! How two satisfied sets relate, and where they differ: what a person asks of two candidates.

use super::bits::Bits;
use super::ground::Instance;

/// How one candidate relates to another, over the instances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// They hold at the same instances.
    Equivalent,
    /// Where the first holds, the second does.
    Implies,
    /// Where the second holds, the first does.
    ImpliedBy,
    /// Each holds somewhere the other does not.
    Independent,
}

impl Relation {
    /// Of two sets over the same instances.
    pub fn of(one: &Bits, other: &Bits) -> Self {
        match (one.is_subset(other), other.is_subset(one)) {
            (true, true) => Relation::Equivalent,
            (true, false) => Relation::Implies,
            (false, true) => Relation::ImpliedBy,
            (false, false) => Relation::Independent,
        }
    }

    /// In words, to stand between the two: "implies".
    pub fn in_words(self) -> &'static str {
        match self {
            Relation::Equivalent => "is equivalent to",
            Relation::Implies => "implies",
            Relation::ImpliedBy => "is implied by",
            Relation::Independent => "is independent of",
        }
    }
}

/// A step where two candidates differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The time step and the arguments.
    pub instance: Instance,
    /// Whether it is the first that holds there.
    pub first_holds: bool,
    /// For people: the demonstration, the call before which it is, the arguments.
    pub message: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_relations() {
        let sets = [0b0011_u8, 0b0111, 0b0011, 0b1001].map(|byte| Bits::of(4, |i| byte >> i & 1 == 1));
        assert_eq!(Relation::of(&sets[0], &sets[2]), Relation::Equivalent);
        assert_eq!(Relation::of(&sets[0], &sets[1]), Relation::Implies);
        assert_eq!(Relation::of(&sets[1], &sets[0]), Relation::ImpliedBy);
        assert_eq!(Relation::of(&sets[0], &sets[3]), Relation::Independent);
    }
}
