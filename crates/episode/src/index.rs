//! Where things of a turn are, so that a session of any shape is folded in time linear in its length.
//!
//! Proposals, asks, decisions and offers are kept in the order of their numbers, which the fold checks: they are found by halving.
//! [`Index`] holds what is found by something else. A turn that was not made by the fold has none, and is searched.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::artifact::{ArtifactId, OfferId};
use super::ask::{Ask, AskState};
use super::decision::Decision;
use super::proposal::ProposalId;

/// From how many decisions on it is worth knowing their places.
const WORTH: usize = 8;

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Index {
    /// How many decisions are in it; those of a short list are not.
    decisions: usize,
    /// Where the decisions to take a step are, and those that refuse one.
    taken: Vec<usize>,
    refused: Vec<usize>,
    last: FxHashMap<ProposalId, usize>,
    rejected: FxHashMap<ProposalId, usize>,
    /// The offer of each document that is not settled yet.
    pub(super) open: BTreeMap<ArtifactId, usize>,
    /// The offer of each document that a person refused, where nothing happened to the document since, with how many changes of
    /// documents the session had then.
    pub(super) refusals: BTreeMap<ArtifactId, (OfferId, usize)>,
    /// The last ask that was answered with a plan.
    pub(super) plan: Option<usize>,
    asks: usize,
    /// Where the asks without an answer are, in order.
    pending: Vec<usize>,
}

impl Index {
    /// Takes in the decisions that are new in the list. A short list is searched through, which costs no memory: most nodes of a long
    /// session have one decision.
    pub(super) fn decided(&mut self, decisions: &[Arc<Decision>]) {
        if decisions.len() < WORTH {
            return;
        }
        for decision in decisions.iter().skip(self.decisions) {
            let (id, at) = (decision.proposal(), self.decisions);
            self.last.insert(id, at);
            if !decision.takes() {
                self.rejected.entry(id).or_insert(at);
                self.refused.push(at);
            } else {
                self.taken.push(at);
            }
            self.decisions += 1;
        }
    }

    pub(super) fn asked(&mut self) {
        self.pending.push(self.asks);
        self.asks += 1;
    }

    pub(super) fn ended(&mut self, place: usize) {
        self.pending.retain(|at| *at != place);
    }

    pub(super) fn pending<'a>(&self, asks: &'a [Ask]) -> Option<&'a Ask> {
        if self.asks == asks.len() {
            return asks.get(*self.pending.last()?);
        }
        asks.iter().rev().find(|a| a.state == AskState::Pending)
    }

    pub(super) fn decision_on<'a>(&self, decisions: &'a [Arc<Decision>], id: ProposalId) -> Option<&'a Decision> {
        if self.decisions == decisions.len() {
            return decisions.get(*self.last.get(&id)?).map(AsRef::as_ref);
        }
        decisions.iter().rev().map(AsRef::as_ref).find(|d: &&Decision| d.proposal() == id)
    }

    /// Where the decisions that take a step are, or those that refuse one, in order.
    pub(super) fn places(&self, takes: bool, decisions: &[Arc<Decision>]) -> Cow<'_, [usize]> {
        if self.decisions == decisions.len() {
            return Cow::Borrowed(if takes { &self.taken } else { &self.refused });
        }
        let those = decisions.iter().enumerate().filter(|(_, decision)| decision.takes() == takes);
        Cow::Owned(those.map(|(at, _)| at).collect())
    }

    pub(super) fn rejection<'a>(&self, decisions: &'a [Arc<Decision>], id: ProposalId) -> Option<&'a Decision> {
        if self.decisions == decisions.len() {
            return decisions.get(*self.rejected.get(&id)?).map(AsRef::as_ref);
        }
        decisions.iter().map(AsRef::as_ref).find(|d: &&Decision| !d.takes() && d.proposal() == id)
    }
}

/// The place of the item with a number in a list that is in the order of numbers; a list that is not is searched through.
pub(super) fn place<T>(items: &[T], id: u64, number: impl Fn(&T) -> u64) -> Option<usize> {
    let (first, last) = (number(items.first()?), number(items.last()?));
    // Where no number is left out, the place is the distance.
    let near = id.checked_sub(first).and_then(|at| usize::try_from(at).ok());
    if let Some(at) = near.filter(|at| items.get(*at).is_some_and(|item| number(item) == id)) {
        return Some(at);
    }
    if let Ok(at) = items.binary_search_by_key(&id, &number) {
        return Some(at);
    }
    let outside = first <= last && !(first..=last).contains(&id);
    if outside { None } else { items.iter().position(|item| number(item) == id) }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::place;
    use crate::session::Turn;
    use crate::{Actor, Choice, Decision};

    #[test]
    fn the_last_decisions_are_the_end_of_all_of_their_kind() {
        let mut turn = Turn::default();
        for id in 0..40 {
            let reject = Choice::Reject { proposal: 0, reason: String::new() };
            let choice = if id % 3 == 0 { reject } else { Choice::Approve { proposal: 0 } };
            turn.decisions.push(Arc::new(Decision { id, choice, by: Actor::Person, why: String::new() }));
            turn.index.decided(&turn.decisions);
            for (takes, most) in [(true, 0), (true, 2), (false, 2), (true, 100), (false, 100)] {
                let all: Vec<_> =
                    turn.decisions.iter().map(AsRef::as_ref).filter(|d: &&Decision| d.takes() == takes).collect();
                let (last, number) = turn.last_decisions(takes, most);
                assert_eq!((last.as_slice(), number), (&all[all.len().saturating_sub(most)..], all.len()));
            }
        }
    }

    #[test]
    fn items_are_found_in_any_order() {
        for items in [vec![], vec![3], vec![1, 2, 5, 9], vec![9, 2, 5]] {
            for id in 0..11 {
                assert_eq!(place(&items, id, |n| *n), items.iter().position(|n| *n == id), "{items:?} {id}");
            }
        }
    }
}
