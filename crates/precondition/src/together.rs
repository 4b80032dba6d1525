//! Joint inference: the preconditions of all actions at once, the set that lets every demonstration run and forbids most elsewhere.
//!
//! A demonstration is read as a choice, at each step, among all calls that the assertions permit there: a step costs the logarithm of how
//! many there are, so that forbidding a call says more where little else is left. An assertion costs the logarithm of how many its action
//! has to choose from. Assertions are added while they save more than they cost, the most saving first. Sets in, choices out.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::Ranking;
use super::instance_set::InstanceSet;
use super::store::CandidateStore;

/// An action's candidates, as the calls they permit: each holds at every demonstrated call.
#[derive(Debug, Clone)]
pub(crate) struct ActionSets<'a> {
    /// Calls at a step: instances are numbered step by step.
    pub bindings: usize,
    pub sets: Vec<&'a InstanceSet>,
}

/// Which sets of each action are chosen, in the order in which they are. Calls of actions that are not seen are open beside theirs at each
/// step: so many.
pub(crate) fn together(steps: usize, actions: &[ActionSets<'_>], unseen: usize) -> Vec<Vec<usize>> {
    let mut permitted: Vec<InstanceSet> = actions.iter().map(|of| InstanceSet::all(steps * of.bindings)).collect();
    let mut open = vec![actions.iter().map(|of| of.bindings).sum::<usize>() + unseen; steps];
    let mut chosen = vec![Vec::new(); actions.len()];
    loop {
        let mut best: Option<(f64, usize, usize)> = None;
        for (action, of) in actions.iter().enumerate() {
            let Some(permitted) = permitted.get(action) else { continue };
            let cost = (1.0 + of.sets.len() as f64).ln();
            for (at, set) in of.sets.iter().enumerate() {
                let saved = saved(&forbidden(permitted, set, of.bindings), &open) - cost;
                if saved > 0.0 && best.is_none_or(|(most, ..)| saved > most) {
                    best = Some((saved, action, at));
                }
            }
        }
        let Some((_, action, at)) = best else { return chosen };
        let of = actions.get(action).and_then(|of| Some((of.bindings, of.sets.get(at)?)));
        let (Some((bindings, set)), Some(permitted), Some(chosen)) =
            (of, permitted.get_mut(action), chosen.get_mut(action))
        else {
            return chosen;
        };
        for (step, number) in forbidden(permitted, set, bindings) {
            if let Some(open) = open.get_mut(step) {
                *open = open.saturating_sub(number);
            }
        }
        permitted.intersect(set);
        chosen.push(at);
    }
}

/// The steps at which a set forbids calls that are permitted so far, with how many.
fn forbidden(permitted: &InstanceSet, set: &InstanceSet, bindings: usize) -> Vec<(usize, usize)> {
    let mut gone = permitted.clone();
    gone.subtract(set);
    let mut all: Vec<(usize, usize)> = Vec::new();
    for step in gone.iter().map(|at| at / bindings.max(1)) {
        match all.last_mut() {
            Some((last, number)) if *last == step => *number += 1,
            _ => all.push((step, 1)),
        }
    }
    all
}

/// What the steps cost less where so many calls of those open are forbidden.
fn saved(forbidden: &[(usize, usize)], open: &[usize]) -> f64 {
    let at = |(step, number): &(usize, usize)| {
        let open = open.get(*step).copied().unwrap_or_default();
        // The demonstrated call is left: every set holds at it.
        (open as f64 / open.saturating_sub(*number).max(1) as f64).ln()
    };
    forbidden.iter().map(at).sum()
}

impl CandidateStore {
    /// Every valid candidate that forbids something, without any ranking.
    pub fn unranked(&self, action: &str) -> Vec<String> {
        self.valid(action).into_iter().map(|(text, _)| text.to_owned()).collect()
    }

    fn valid(&self, action: &str) -> Vec<(&str, &InstanceSet)> {
        let Ok(of_action) = self.of_action(action) else { return Vec::new() };
        let all = of_action.entries().iter().chain(&of_action.withheld);
        let valid = all.filter_map(|entry| Some((entry.candidate.text.as_str(), entry.ranked()?)));
        valid.filter(|(_, set)| set.count() < set.len()).collect()
    }

    /// The assertions of all actions that the demonstrations call, chosen among those that a ranking suggests, or among all valid
    /// candidates: together, or by the same price for each action as if something else could always be done. The pools must be filled.
    pub fn priced(&self, ranking: Option<Ranking>, together: bool) -> BTreeMap<String, Vec<String>> {
        let names: Vec<&str> = self.called_actions().map(|function| function.name.as_str()).collect();
        let kept: Vec<Vec<(&str, &InstanceSet)>> = names.iter().map(|name| self.kept(name, ranking)).collect();
        let mut actions = Vec::new();
        for (name, kept) in names.iter().zip(&kept) {
            let bindings = self.of_action(name).map_or(0, |of| of.instances.bindings.len());
            actions.push(ActionSets { bindings, sets: kept.iter().map(|(_, set)| *set).collect() });
        }
        let steps = self.demonstrations().steps.len();
        let chosen = match together {
            true => self::together(steps, &actions, 0),
            false => actions.chunks(1).flat_map(|one| self::together(steps, one, 1)).collect(),
        };
        let mut found = BTreeMap::new();
        for ((name, kept), chosen) in names.into_iter().zip(&kept).zip(chosen) {
            let texts = chosen.into_iter().filter_map(|at| kept.get(at)).map(|(text, _)| (*text).to_owned());
            found.insert(name.to_owned(), texts.collect());
        }
        found
    }

    /// The valid candidates that a ranking leaves, or all of them; those that permit the same once.
    fn kept(&self, action: &str, ranking: Option<Ranking>) -> Vec<(&str, &InstanceSet)> {
        let suggested = ranking.map(|ranking| self.suggested(action, ranking));
        let is_suggested = |text: &str| suggested.as_ref().is_none_or(|all| all.iter().any(|own| own == text));
        let mut known: FxHashSet<&InstanceSet> = FxHashSet::default();
        let valid = self.valid(action).into_iter();
        valid.filter(|(text, set)| is_suggested(text) && known.insert(*set)).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sets<'a>(bindings: usize, sets: &[&'a InstanceSet]) -> ActionSets<'a> {
        ActionSets { bindings, sets: sets.to_vec() }
    }

    #[test]
    fn what_forbids_most_comes_first_and_what_adds_nothing_not_at_all() {
        // Twenty steps, at each of which the action could be called; it was at four.
        let narrow = InstanceSet::of(20, |at| at % 5 == 0);
        let (wide, same) = (InstanceSet::of(20, |at| at % 5 < 2), narrow.clone());
        let other = InstanceSet::all(20);
        let chosen = together(20, &[sets(1, &[&wide, &narrow, &same]), sets(1, &[&other])], 0);
        assert_eq!(chosen, [vec![1], vec![]]);
    }

    #[test]
    fn a_call_is_forbidden_where_little_else_is_left() {
        // The same candidate of the same action: beside one other call it saves ln 2 a step, beside a hundred next to nothing.
        let seldom = InstanceSet::of(8, |at| at == 0);
        let alone = |others: usize| {
            let everywhere = InstanceSet::all(8 * others);
            together(8, &[sets(1, &[&seldom]), sets(others, &[&everywhere])], 0)[0].len()
        };
        assert_eq!((alone(1), alone(100)), (1, 0));
    }

    #[test]
    fn what_one_action_is_forbidden_makes_room_for_another() {
        // Thirty calls of the second action are open beside each of the first, until its own candidate forbids them.
        let (first, second) = (InstanceSet::of(10, |at| at < 2), InstanceSet::of(300, |at| at >= 60));
        let both = together(10, &[sets(1, &[&first]), sets(30, &[&second])], 0);
        let nothing = InstanceSet::all(300);
        let without = together(10, &[sets(1, &[&first]), sets(30, &[&nothing])], 0);
        assert_eq!((both[1].len(), without[0].len()), (1, 0));
    }

    #[test]
    fn alone_an_action_is_forbidden_in_favour_of_what_is_not_seen() {
        let seldom = InstanceSet::of(8, |at| at == 0);
        let of = |unseen: usize| together(8, &[sets(1, &[&seldom])], unseen)[0].len();
        assert_eq!((of(1), of(0)), (1, 0));
    }

    proptest! {
        #[test]
        fn every_demonstrated_call_stays_permitted(raw in prop::collection::vec(any::<u16>(), 0..20), calls in any::<u16>()) {
            let owned: Vec<InstanceSet> = raw.iter().map(|bits| InstanceSet::of(16, |at| (bits | calls) >> at & 1 == 1)).collect();
            let chosen = together(8, &[sets(2, &owned.iter().collect::<Vec<_>>())], 0);
            let mut permitted = InstanceSet::all(16);
            chosen[0].iter().for_each(|at| permitted.intersect(&owned[*at]));
            prop_assert!(InstanceSet::of(16, |at| calls >> at & 1 == 1).is_subset(&permitted));
        }
    }
}
