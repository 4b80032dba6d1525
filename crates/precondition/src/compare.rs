//! Two sets of assertions side by side: which are equal, implied or on one side only, how the sets score against each other by
//! Equation (2) over the demonstrations' instances, and a step where they differ.

use super::Validity;
use super::adopted::{AdoptedAction, AdoptedSet};
use super::inspect::Occasion;
use super::instance_set::InstanceSet;
use super::instances::{Evaluation, Instances};
use super::score::{Mean, Score};
use super::store::{ActionCandidates, CandidateStore, Entry, judge};
use stepwright_episode::action_of_effects;

/// How an assertion relates to the other set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counterpart {
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
#[derive(Debug, Clone, PartialEq)]
pub struct SideBySide {
    pub left: Option<String>,
    pub right: Option<String>,
    /// Their relation; of a row with one side, its relation to the other set.
    pub counterpart: Counterpart,
    /// Of a row with one side: what the demonstrations say of it. `None` where there is nothing to say.
    pub finding: Option<Finding>,
}

/// The demonstrations' verdict on an assertion that one of two sets has and the other lacks.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The verdict of validation by execution.
    pub fate: Validity,
    /// |C|: at how many instances it holds; `None` unless it could be evaluated.
    pub coverage: Option<usize>,
    pub instances: usize,
    /// Whether no valid candidate is strictly stronger (Equation 1 alone, over all there are).
    pub optimal: bool,
    /// At how many instances the other set permits the action and it does not.
    pub forbids: usize,
    pub first: Option<Occasion>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ActionComparison {
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

#[derive(Debug, Clone, PartialEq)]
pub struct SetComparison {
    pub left: String,
    pub right: String,
    /// The actions that either names, in the specification's order.
    pub actions: Vec<ActionComparison>,
    /// The macro average over the actions that have a score, as the paper's Table 2 takes it; `None` for no action.
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

    /// Over how many actions the macro average is, and how many there are. Effects have no score.
    pub fn averaged(&self) -> (usize, usize) {
        let actions = || self.actions.iter().filter(|action| action_of_effects(&action.action).is_none());
        (actions().filter(|action| action.score.is_ok()).count(), actions().count())
    }
}

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
        if action_of_effects(&action).is_some() {
            return self.compare_effects(action, params, left, right);
        }
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
                let own = |text: &String| judge(self.demonstrations(), instances, text);
                let (lefts, rights): (Vec<Judged>, Vec<Judged>) =
                    (left.iter().map(own).collect(), right.iter().map(own).collect());
                let set = |judged: &'_ [Judged], at: usize| Some(judged.get(at)?.1.as_ref()?.set.clone());
                let alike = |l: usize, r: usize| (set(&lefts, l)? == set(&rights, r)?).then_some(());
                let alone = |is_left: bool, at: usize| {
                    let (own, other) = if is_left { (&lefts, &b) } else { (&rights, &a) };
                    match set(own, at) {
                        Some(set) if other.is_subset(&set) => Counterpart::Implied,
                        Some(_) => Counterpart::Only,
                        None => Counterpart::Unknown,
                    }
                };
                let mut rows = rows(left, right, alike, alone);
                for row in &mut rows {
                    row.finding = match (&row.left, &row.right) {
                        (Some(text), None) => place_of(left, text).and_then(|at| lefts.get(at)).map(|own| (own, &b)),
                        (None, Some(text)) => place_of(right, text).and_then(|at| rights.get(at)).map(|own| (own, &a)),
                        _ => None,
                    }
                    .and_then(|(own, other)| self.finding(&action, own, other));
                }
                let difference = self.where_they_differ(instances, &a, &b);
                ActionComparison { action, params, rows, score: Ok(Score::of_sets(&a, &b)), difference }
            }
        }
    }

    /// Of effects those are alike that make the same states; what one side alone has comes with its verdict, and nothing is scored.
    fn compare_effects(
        &self,
        action: String,
        params: Vec<String>,
        left: &[String],
        right: &[String],
    ) -> ActionComparison {
        let of_action = self.of_action(&action).ok();
        let own = |text: &String| Some(self.judged(of_action?, text)).filter(|entry| entry.evaluation.is_some());
        let (lefts, rights) =
            (left.iter().map(own).collect::<Vec<_>>(), right.iter().map(own).collect::<Vec<Option<Entry>>>());
        let made = |all: &'_ [Option<Entry>], at: usize| Some(all.get(at)?.as_ref()?.made.clone());
        let alike = |l: usize, r: usize| (made(&lefts, l)? == made(&rights, r)?).then_some(());
        let alone = |is_left: bool, at: usize| match made(if is_left { &lefts } else { &rights }, at) {
            Some(_) => Counterpart::Only,
            None => Counterpart::Unknown,
        };
        let mut rows = rows(left, right, alike, alone);
        for row in &mut rows {
            let text = match (&row.left, &row.right) {
                (Some(text), None) | (None, Some(text)) => text,
                _ => continue,
            };
            row.finding = own(text).map(|entry| Finding {
                coverage: entry.candidate.coverage,
                instances: entry.evaluation.map_or(0, |evaluation| evaluation.set.len()),
                fate: entry.candidate.fate,
                optimal: false,
                forbids: 0,
                first: None,
            });
        }
        ActionComparison { action, params, rows, score: Err("effects, not scored".to_owned()), difference: None }
    }

    /// The demonstrations' verdict on an assertion, beside the calls that the other set permits.
    fn finding(&self, action: &str, (fate, evaluation): &Judged, permitted: &InstanceSet) -> Option<Finding> {
        let of_action = self.of_action(action).ok()?;
        let instances: &Instances = &of_action.instances;
        let mut forbidden = permitted.clone();
        match evaluation {
            Some(evaluation) => forbidden.subtract(&evaluation.set),
            None => forbidden = InstanceSet::none(instances.len()),
        }
        let first = forbidden.iter().next().and_then(|at| instances.instance(self.demonstrations(), at));
        Some(Finding {
            fate: fate.clone(),
            coverage: evaluation.as_ref().map(|e| e.set.count()),
            instances: instances.len(),
            optimal: *fate == Validity::Valid
                && evaluation.as_ref().is_some_and(|e| nothing_stronger(of_action, &e.set)),
            forbids: forbidden.count(),
            first: first.map(|instance| self.place(&instance.step, instance.binding)),
        })
    }
}

type Judged = (Validity, Option<Evaluation>);

fn place_of(texts: &[String], text: &String) -> Option<usize> {
    texts.iter().position(|own| own == text)
}

/// Whether no valid candidate of an action holds at strictly fewer instances, all of them among these.
fn nothing_stronger(of_action: &ActionCandidates, set: &InstanceSet) -> bool {
    !of_action.all_valid().any(|(_, other)| other != set && other.is_subset(set))
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
                finding: None,
            }),
            None => lefts.push(SideBySide {
                left: Some(text.clone()),
                right: None,
                counterpart: alone(true, l),
                finding: None,
            }),
        }
    }
    let rights = right.iter().enumerate().filter(|(r, _)| free.get(*r) == Some(&true));
    let rights = rights.map(|(r, text)| SideBySide {
        left: None,
        right: Some(text.clone()),
        counterpart: alone(false, r),
        finding: None,
    });
    both.into_iter().chain(lefts).chain(rights).collect()
}
