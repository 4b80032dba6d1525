//! Two sets of assertions side by side: which are equal, implied or on one side only, how the sets score against each other by
//! Equation (2) over the demonstrations' instances, and a step where they differ.

use super::adopted::{AdoptedAction, AdoptedSet};
use super::inspect::Occasion;
use super::score::{Mean, Score};
use super::store::{CandidateStore, judge};

/// How an assertion relates to the other set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counterpart {
    /// The other set has the same text.
    Same,
    /// The other set has an assertion that holds at the same instances.
    Equivalent,
    /// The other set has none like it, but wherever all of the other set holds, it holds.
    Implied,
    /// The other set permits what it forbids.
    Only,
    /// It cannot be decided: the action is not called, or something cannot be evaluated.
    Unknown,
}

impl Counterpart {
    /// In a word or two.
    pub fn in_words(self) -> &'static str {
        match self {
            Counterpart::Same => "same",
            Counterpart::Equivalent => "equivalent",
            Counterpart::Implied => "implied",
            Counterpart::Only => "only here",
            Counterpart::Unknown => "unknown",
        }
    }
}

/// A row of the comparison, left and right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideBySide {
    /// The assertion on the left.
    pub left: Option<String>,
    /// The assertion on the right.
    pub right: Option<String>,
    /// Their relation; of a row with one side, its relation to the other set.
    pub counterpart: Counterpart,
}

/// Two sets' assertions of one action.
#[derive(Debug, Clone, PartialEq)]
pub struct ActionComparison {
    /// The action's function.
    pub action: String,
    /// Its parameters, without `self`.
    pub params: Vec<String>,
    /// The rows: first what both have, then the left's, then the right's.
    pub rows: Vec<SideBySide>,
    /// Equation (2), the left taken as the prediction and the right as the truth; `Err` says why there is none.
    pub score: Result<Score, String>,
    /// A step where one of the two permits the action and the other does not, and whether it is the left that does.
    pub difference: Option<(Occasion, bool)>,
}

/// Two sets side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct SetComparison {
    /// What the left set is called.
    pub left: String,
    /// What the right set is called.
    pub right: String,
    /// The actions that either names, in the specification's order.
    pub actions: Vec<ActionComparison>,
    /// The macro average over the actions the demonstrations call, as the paper's Table 2 takes it; `None` for no action.
    pub score: Option<Score>,
}

impl SetComparison {
    /// Leaves actions out of the score, and says why: nothing is known of them.
    pub fn leave_out(&mut self, why: &str, is_out: impl Fn(&str) -> bool) {
        for action in self.actions.iter_mut().filter(|a| is_out(&a.action)) {
            (action.score, action.difference) = (Err(why.to_owned()), None);
        }
        self.score = macro_average(&self.actions);
    }
}

/// The macro average over the actions that have a score.
fn macro_average(actions: &[ActionComparison]) -> Option<Score> {
    let scores: Vec<Score> = actions.iter().filter_map(|a| a.score.as_ref().ok().copied()).collect();
    Mean::of(&scores).map(|mean| mean.of_means)
}

impl CandidateStore {
    /// Compares two sets, each with its name. Actions that the specification does not have come last and cannot be decided.
    pub fn compare(&self, left: (&str, &AdoptedSet), right: (&str, &AdoptedSet)) -> SetComparison {
        let named = |set: &AdoptedSet, name: &str| set.actions.iter().any(|a| a.action == name);
        let known = self.actions().filter(|f| {
            let called = self.of_action(&f.name).is_ok();
            called || named(left.1, &f.name) || named(right.1, &f.name)
        });
        let mut names: Vec<(String, Vec<String>)> = known.map(|f| (f.name.clone(), f.params.clone())).collect();
        for AdoptedAction { action, params, .. } in left.1.actions.iter().chain(&right.1.actions) {
            if !names.iter().any(|(name, _)| name == action) {
                names.push((action.clone(), params.clone()));
            }
        }
        let compare = |(action, params): (String, Vec<String>)| self.compare_action(action, params, left.1, right.1);
        let actions: Vec<ActionComparison> = names.into_iter().map(compare).collect();
        let score = macro_average(&actions);
        SetComparison { left: left.0.to_owned(), right: right.0.to_owned(), score, actions }
    }

    fn compare_action(
        &self,
        action: String,
        params: Vec<String>,
        left: &AdoptedSet,
        right: &AdoptedSet,
    ) -> ActionComparison {
        let (left, right) = (left.of(&action), right.of(&action));
        let sets = self.of_action(&action).map_err(|why| why.to_string()).and_then(|of_action| {
            let whole = |texts: &[String]| of_action.instances.conjunction(self.demonstrations(), texts);
            Ok((&of_action.instances, whole(left)?, whole(right)?))
        });
        match sets {
            Err(why) => {
                let rows = rows(left, right, |_, _| None, |_, _| Counterpart::Unknown);
                ActionComparison { action, params, rows, score: Err(why), difference: None }
            }
            Ok((instances, a, b)) => {
                let own = |text: &String| judge(self.demonstrations(), instances, text).1.map(|e| e.set);
                let (lefts, rights): (Vec<_>, Vec<_>) =
                    (left.iter().map(own).collect(), right.iter().map(own).collect());
                let alike = |l: usize, r: usize| {
                    let (l, r) = (lefts.get(l)?.as_ref()?, rights.get(r)?.as_ref()?);
                    (l == r).then_some(())
                };
                let alone = |is_left: bool, at: usize| {
                    let (own, other) = if is_left { (&lefts, &b) } else { (&rights, &a) };
                    match own.get(at).and_then(Option::as_ref) {
                        Some(set) if other.is_subset(set) => Counterpart::Implied,
                        Some(_) => Counterpart::Only,
                        None => Counterpart::Unknown,
                    }
                };
                let rows = rows(left, right, alike, alone);
                let difference = self.where_they_differ(instances, &a, &b);
                ActionComparison { action, params, rows, score: Ok(Score::of_sets(&a, &b)), difference }
            }
        }
    }
}

/// Pairs the two sides: same text first, then `alike`; what is left is unpaired.
fn rows(
    left: &[String],
    right: &[String],
    alike: impl Fn(usize, usize) -> Option<()>,
    alone: impl Fn(bool, usize) -> Counterpart,
) -> Vec<SideBySide> {
    let mut mate: Vec<Option<(usize, Counterpart)>> = vec![None; left.len()];
    let mut free: Vec<bool> = vec![true; right.len()];
    let mut pair = |counterpart: Counterpart, fits: &dyn Fn(usize, usize) -> bool| {
        for (l, mate) in mate.iter_mut().enumerate().filter(|(_, m)| m.is_none()) {
            let found = (0..right.len()).find(|r| free.get(*r) == Some(&true) && fits(l, *r));
            if let Some(free) = found.and_then(|r| free.get_mut(r)) {
                *free = false;
            }
            *mate = found.map(|r| (r, counterpart));
        }
    };
    pair(Counterpart::Same, &|l, r| left.get(l) == right.get(r));
    pair(Counterpart::Equivalent, &|l, r| alike(l, r).is_some());
    let mut both = Vec::new();
    let mut lefts = Vec::new();
    for (l, (text, mate)) in left.iter().zip(&mate).enumerate() {
        match mate {
            Some((r, counterpart)) => both.push(SideBySide {
                left: Some(text.clone()),
                right: right.get(*r).cloned(),
                counterpart: *counterpart,
            }),
            None => lefts.push(SideBySide { left: Some(text.clone()), right: None, counterpart: alone(true, l) }),
        }
    }
    let rights = right.iter().enumerate().filter(|(r, _)| free.get(*r) == Some(&true));
    let rights =
        rights.map(|(r, text)| SideBySide { left: None, right: Some(text.clone()), counterpart: alone(false, r) });
    both.into_iter().chain(lefts).chain(rights).collect()
}
