//! Which valid assertions the demonstrations give reason to believe, and which hold by coincidence.
//!
//! Equation (1) keeps the smallest sets, and what is adopted is the conjunction of all it keeps. That conjunction is the same as
//! the conjunction of *all* valid candidates (every valid set contains a minimal one): so each candidate that holds by accident
//! narrows the result, and a proposer that enumerates is only as good as its restraint. Here candidates are weighed as
//! hypotheses: the chance that one holds at every call although it has nothing to do with the action, given what is already
//! believed, times a prior that favours simple assertions about the action's arguments. Sets in, choices out.

use super::bits::Bits;

/// A candidate as a hypothesis.
#[derive(Debug, Clone, Copy)]
pub struct Hypothesis<'a> {
    /// Where it holds, over all instances.
    pub set: &'a Bits,
    /// Natural logarithm of how much harder than usual it is to believe; negative for what is easier.
    pub prior: f64,
}

/// How much the demonstrations can tell about an action.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Support {
    /// Demonstrations that call it.
    pub demonstrations: usize,
    /// Calls in all.
    pub calls: usize,
}

/// What a call beyond the first of its demonstration weighs: such calls happen in nearly the same state, so they say little.
const REPEATED_CALL: f64 = 0.05;

/// A chance coincidence below this is no coincidence.
pub const COINCIDENCE: f64 = 0.03;

impl Support {
    /// The number of independent observations the calls are worth.
    pub fn weight(self) -> f64 {
        self.demonstrations as f64 + REPEATED_CALL * self.calls.saturating_sub(self.demonstrations) as f64
    }
}

/// Chooses, most convincing first, the hypotheses that the calls cannot satisfy by chance given those chosen before.
///
/// All hypotheses must be valid, that is hold at every call. Ties go to the lower index.
pub fn convincing(instances: usize, support: Support, hypotheses: &[Hypothesis<'_>]) -> Vec<usize> {
    let mut chosen = Vec::new();
    let mut believed = Bits::all(instances);
    loop {
        let within = believed.count();
        let mut best: Option<(f64, usize)> = None;
        for (at, hypothesis) in hypotheses.iter().enumerate() {
            let both = believed.count_common(hypothesis.set);
            if both == within {
                continue;
            }
            // ln of: probability to hold at that many calls by chance, times the prior.
            let surprise = support.weight() * (both as f64 / within as f64).ln() + hypothesis.prior;
            if best.is_none_or(|(least, _)| surprise < least) {
                best = Some((surprise, at));
            }
        }
        match best {
            Some((surprise, at)) if surprise <= COINCIDENCE.ln() => {
                if let Some(hypothesis) = hypotheses.get(at) {
                    believed.intersect(hypothesis.set);
                }
                chosen.push(at);
            }
            _ => return chosen,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANY: Support = Support { demonstrations: 10, calls: 10 };
    const FEW: Support = Support { demonstrations: 1, calls: 1 };

    fn plain(set: &Bits) -> Hypothesis<'_> {
        Hypothesis { set, prior: 0.0 }
    }

    #[test]
    fn what_holds_nearly_always_convinces_nobody() {
        let often = Bits::of(100, |i| i < 95);
        assert!(convincing(100, MANY, &[plain(&often)]).is_empty());
    }

    #[test]
    fn one_call_convinces_only_of_what_is_rare() {
        let (rare, common) = (Bits::of(1000, |i| i < 5), Bits::of(1000, |i| i < 300));
        assert_eq!(convincing(1000, FEW, &[plain(&common), plain(&rare)]), [1]);
    }

    #[test]
    fn what_follows_from_what_is_believed_adds_nothing() {
        let (narrow, wide) = (Bits::of(100, |i| i < 10), Bits::of(100, |i| i < 40));
        // Either order: the narrow one first, the wide one is implied by it.
        assert_eq!(convincing(100, MANY, &[plain(&wide), plain(&narrow)]), [1]);
        // Nearly implied: holds by chance within the narrow one.
        let nearly = Bits::of(100, |i| (1..50).contains(&i));
        assert_eq!(convincing(100, MANY, &[plain(&narrow), plain(&nearly)]), [0]);
    }

    #[test]
    fn independent_conditions_are_both_found() {
        let (a, b) = (Bits::of(100, |i| i % 10 < 3), Bits::of(100, |i| i < 40));
        assert_eq!(convincing(100, MANY, &[plain(&a), plain(&b)]), [0, 1]);
    }

    #[test]
    fn the_prior_decides_between_equals() {
        let set = Bits::of(100, |i| i < 20);
        let (dear, cheap) = (Hypothesis { set: &set, prior: 2.0 }, Hypothesis { set: &set, prior: -1.0 });
        assert_eq!(convincing(100, MANY, &[dear, cheap]), [1]);
    }

    #[test]
    fn nothing_to_choose_from_ends() {
        assert!(convincing(0, FEW, &[]).is_empty());
        let none = Bits::none(10);
        assert_eq!(convincing(10, MANY, &[plain(&none)]), [0]);
    }
}
