//! What became of a proposal, and the words for it: the action, or why it is none.

use crate::view::{View, Withdrawal};
use crate::widgets::words;
use stepwright_episode::{Choice, Proposal, Turn};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome<'a> {
    Open,
    Taken,
    Rejected(&'a str),
    /// A person took its action out of the candidates.
    Pruned,
    /// It was offered as a leaf that is no longer in the blocking tree.
    Gone,
    Replaced,
}

/// What became of a proposal.
pub(super) fn outcome<'a>(view: &View, turn: &'a Turn, proposal: &Proposal) -> Outcome<'a> {
    let withdrawn = || view.withdrawal(proposal);
    match turn.decision_on(proposal.id).map(|d| &d.choice) {
        Some(Choice::Reject { reason, .. }) => Outcome::Rejected(reason),
        _ if withdrawn() == Some(Withdrawal::Pruned) => Outcome::Pruned,
        _ if withdrawn() == Some(Withdrawal::Gone) => Outcome::Gone,
        _ if view.was_taken(proposal) => Outcome::Taken,
        _ if view.node().is_some_and(|node| node.is_replaced(proposal)) => Outcome::Replaced,
        _ => Outcome::Open,
    }
}

/// Where a proposal came from, and where copies of it did that a model wrote in another way: `greedy, sample`.
pub(super) fn origins(view: &View, proposal: &Proposal) -> String {
    let all = [proposal].into_iter().chain(view.of_other_origins(proposal));
    all.map(|one| words::origin(one, view.turn())).collect::<Vec<_>>().join(", ")
}

pub(crate) fn surface(proposal: &Proposal) -> &str {
    proposal.action.as_ref().map_or(proposal.raw.trim(), |a| a.text.as_str())
}
