//! Evidence: which valid assertions the demonstrations give reason to believe, and which hold by coincidence.
//!
//! Equation (1) keeps the smallest sets, and what is adopted is the conjunction of all it keeps. That conjunction is the same as
//! the conjunction of *all* valid candidates (every valid set contains a minimal one): so each candidate that holds by accident
//! narrows the result, and a proposer that enumerates is only as good as its restraint. Here candidates are weighed as
//! hypotheses: the chance that one holds at every call although it has nothing to do with the action, given what is already
//! believed, times a prior that favours simple assertions about the action's arguments. What could have been is estimated from the
//! rest of the demonstrations, above all by the time before the first call; and a call speaks for what has just become true
//! rather than for what has long been so. Sets in, choices out.

use super::demonstrations::Demonstrations;
use super::instance_set::InstanceSet;
use super::instances::Instances;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Hypothesis<'a> {
    pub set: &'a InstanceSet,
    /// How many independent observations speak for it, see [`Calls::weight`].
    pub weight: f64,
    /// Natural logarithm of how much harder than usual it is to believe; negative for what is easier.
    pub prior: f64,
}

/// The demonstrated calls of an action, as far as they show what it needs.
#[derive(Debug, Clone)]
pub struct Calls {
    calls: Vec<Observation>,
    /// The instances up to the first call of each demonstration; all those of a demonstration without one.
    pub early: InstanceSet,
}

#[derive(Debug, Clone, Copy)]
struct Observation {
    /// The same binding one step earlier in its demonstration.
    before: Option<usize>,
    /// Whether its demonstration has called the action before.
    repeated: bool,
}

/// The weight of a call beyond the first of its demonstration: such calls happen in nearly the same state, so they say
/// little.
const REPEATED: f64 = 0.05;

/// The weight of a call for a condition that held one step earlier already: it explains that the action was possible,
/// but not that it was taken now and not then.
const LINGERING: f64 = 0.1;

/// How much the time up to the first call counts as what could have been, against the whole of the demonstrations: what is
/// needed is mostly missing before, while what merely becomes true later on is met everywhere afterwards.
const EARLY: f64 = 0.7;

/// A chance coincidence below this is no coincidence.
pub(crate) const COINCIDENCE: f64 = 0.2;

impl Calls {
    /// The calls of an action among its instances.
    pub fn of(demos: &Demonstrations, instances: &Instances) -> Self {
        let bindings = instances.bindings.len();
        let mut calls: Vec<Observation> = Vec::new();
        let mut early = InstanceSet::none(instances.len());
        let (mut demonstration, mut called) = (None, false);
        for (at, step) in demos.steps.iter().enumerate() {
            let begins = demonstration != Some(step.demonstration);
            if begins {
                (demonstration, called) = (Some(step.demonstration), false);
            }
            if !called {
                (0..bindings).for_each(|binding| early.insert(at * bindings + binding));
            }
            let Some(call) = demos.call(step).filter(|_| instances.calls.contains(step)) else { continue };
            if let Some(binding) = instances.bindings.iter().position(|b| *b == call.args) {
                let before = if begins { None } else { (at * bindings + binding).checked_sub(bindings) };
                calls.push(Observation { before, repeated: called });
            }
            called = true;
        }
        Calls { calls, early }
    }

    /// The number of independent observations that the calls are worth for a condition that holds at all of them.
    pub fn weight(&self, set: &InstanceSet) -> f64 {
        let weights = self.calls.iter().map(|call| {
            let lingering = call.before.is_some_and(|before| set.contains(before));
            (if lingering { LINGERING } else { 1.0 }) * (if call.repeated { REPEATED } else { 1.0 })
        });
        weights.sum()
    }
}

/// Chooses, most convincing first, the hypotheses that the calls cannot satisfy by chance given those chosen before.
///
/// All hypotheses must be valid, that is hold at every call. Ties go to the lower index.
pub(crate) fn convincing(early: &InstanceSet, hypotheses: &[Hypothesis<'_>]) -> Vec<usize> {
    let mut chosen = Vec::new();
    let mut believed = InstanceSet::all(early.len());
    let mut before = early.clone();
    loop {
        let (within, within_before) = (believed.count(), before.count());
        let mut best: Option<(f64, usize)> = None;
        for (at, hypothesis) in hypotheses.iter().enumerate() {
            let both = believed.count_common(hypothesis.set);
            if both == within {
                continue;
            }
            // ln of: probability to hold at that many calls by chance, times the prior.
            let chance = EARLY * ln_share(before.count_common(hypothesis.set), within_before)
                + (1.0 - EARLY) * ln_share(both, within);
            let surprise = hypothesis.weight * chance + hypothesis.prior;
            if best.is_none_or(|(least, _)| surprise < least) {
                best = Some((surprise, at));
            }
        }
        match best {
            Some((surprise, at)) if surprise <= COINCIDENCE.ln() => {
                if let Some(hypothesis) = hypotheses.get(at) {
                    believed.intersect(hypothesis.set);
                    before.intersect(hypothesis.set);
                }
                chosen.push(at);
            }
            _ => return chosen,
        }
    }
}

/// The logarithm of a share; as low as can be reckoned with for none.
fn ln_share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { (part as f64 / whole as f64).max(f64::MIN_POSITIVE).ln() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Demo;
    use stepwright_program::Specification;

    const MANY: f64 = 10.0;
    const FEW: f64 = 1.0;

    fn weighed<'a>(weight: f64, sets: &[&'a InstanceSet]) -> Vec<Hypothesis<'a>> {
        sets.iter().map(|set| Hypothesis { set, weight, prior: 0.0 }).collect()
    }

    fn chosen(weight: f64, sets: &[&InstanceSet]) -> Vec<usize> {
        convincing(&InstanceSet::all(sets[0].len()), &weighed(weight, sets))
    }

    #[test]
    fn what_holds_nearly_always_convinces_nobody() {
        let often = InstanceSet::of(100, |i| i < 95);
        assert!(chosen(MANY, &[&often]).is_empty());
    }

    #[test]
    fn one_call_convinces_only_of_what_is_rare() {
        let (rare, common) = (InstanceSet::of(1000, |i| i < 5), InstanceSet::of(1000, |i| i < 300));
        assert_eq!(chosen(FEW, &[&common, &rare]), [1]);
    }

    #[test]
    fn what_follows_from_what_is_believed_adds_nothing() {
        let (narrow, wide) = (InstanceSet::of(100, |i| i < 10), InstanceSet::of(100, |i| i < 40));
        // Either order: the narrow one first, the wide one is implied by it.
        assert_eq!(chosen(MANY, &[&wide, &narrow]), [1]);
        // Nearly implied: holds by chance within the narrow one.
        let nearly = InstanceSet::of(100, |i| (1..50).contains(&i));
        assert_eq!(chosen(MANY, &[&narrow, &nearly]), [0]);
    }

    #[test]
    fn independent_conditions_are_both_found() {
        let (a, b) = (InstanceSet::of(100, |i| i % 10 < 3), InstanceSet::of(100, |i| i < 40));
        assert_eq!(chosen(MANY, &[&a, &b]), [0, 1]);
    }

    #[test]
    fn the_prior_decides_between_equals() {
        let set = InstanceSet::of(100, |i| i < 20);
        let mut hypotheses = weighed(MANY, &[&set, &set]);
        (hypotheses[0].prior, hypotheses[1].prior) = (2.0, -1.0);
        assert_eq!(convincing(&InstanceSet::all(100), &hypotheses), [1]);
    }

    #[test]
    fn what_was_missing_before_convinces_more() {
        // Both hold in six of ten instances; before the first calls the one held seldom, the other always.
        let (missing, lasting) = (InstanceSet::of(100, |i| i >= 40), InstanceSet::of(100, |i| i < 60));
        let early = InstanceSet::of(100, |i| i < 45);
        assert_eq!(convincing(&early, &weighed(2.0, &[&lasting, &missing])), [1]);
    }

    #[test]
    fn nothing_to_choose_from_ends() {
        assert!(convincing(&InstanceSet::none(0), &[]).is_empty());
        let none = InstanceSet::none(10);
        assert_eq!(chosen(MANY, &[&none]), [0]);
    }

    #[test]
    fn a_call_weighs_less_if_nothing_new_holds_or_if_it_repeats() {
        let source = "class Lamp:\n  def __init__(self):\n    self.on = False\n  def note(self, on):\n    self.on = on\n  \
                      def wipe(self):\n    assert True\n  def read(self):\n    assert True\nSETUP = ['lamp = Lamp()']\n\
                      ACTIONS = ['lamp.wipe', 'lamp.read']\nOBSERVATIONS = ['lamp.note']\n";
        let specification = Specification::load(source, "lamp.py").unwrap();
        let call = |text: &str| text.parse().unwrap();
        let calls = ["lamp.wipe()", "lamp.note(True)", "lamp.read()", "lamp.read()"].map(call).to_vec();
        let demos = Demonstrations::new(&specification, vec![Demo { id: "one".into(), calls }]).unwrap();
        let instances = Instances::new(&demos, demos.action("read").unwrap());
        let calls = Calls::of(&demos, &instances);
        assert_eq!(calls.early, InstanceSet::of(3, |i| i < 2), "up to the first call");
        let (on, always) = (InstanceSet::of(3, |i| i > 0), InstanceSet::all(3));
        assert_eq!(calls.weight(&on), 1.0 + LINGERING * REPEATED);
        assert_eq!(calls.weight(&always), LINGERING + LINGERING * REPEATED);
    }
}
