//! Copies: the proposals of a turn that lists show in one row, as they are the same action, or the same text that is none.

use std::collections::HashMap;

use super::proposal::{Origin, Proposal, ProposalId};
use super::session::Turn;

/// The proposals of a turn in rows. Proposals are meant by their places in the turn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Copies {
    /// The row of each proposal.
    pub rows: Vec<usize>,
    /// The copy that is shown in each row, where nobody has chosen another.
    pub shown: Vec<usize>,
    /// Whether a rejection or the recommendation says which copy that is.
    pub fixed: Vec<bool>,
    /// Where each row stands: where the last of its copies arrived, or the first that a model wrote.
    pub places: Vec<usize>,
}

impl Turn {
    /// Sorts the proposals into rows, in one pass. What the built-in proposer offers again is one row, and so is what a model writes more than
    /// once; offered again after a rejection it is another, and so is a line of a plan that was replaced.
    pub fn copies(&self, is_replaced: impl Fn(&Proposal) -> bool) -> Copies {
        let mut copies = Copies::default();
        let recommended = self.recommended.as_ref().and_then(|(id, _)| *id);
        // What a person or the method refers to; among equals the newest. A copy that came after its action was taken is open: its
        // verdict is of now, so it is shown.
        let weight = |id: ProposalId| match self.rejection(id) {
            Some(_) => 3,
            None if recommended == Some(id) => 2,
            None => 0,
        };
        let mut weights: Vec<u8> = Vec::new();
        // By what it says: its newest row, and the first proposal that came after a rejection of that row.
        let mut open: HashMap<(bool, bool, bool, &str), (usize, ProposalId)> = HashMap::new();
        for (place, proposal) in self.proposals.iter().enumerate() {
            let new = copies.shown.len();
            let written = proposal.origin.is_written();
            // Of a plan a line that a person wrote is offered again like the others.
            let is_persons_line = proposal.origin == Origin::Person && proposal.ask.is_some();
            let row = if written || proposal.origin.is_built_in() || is_persons_line {
                let action = proposal.action.as_ref().map(|action| action.text.as_str());
                let key = (written, is_replaced(proposal), action.is_some(), action.unwrap_or(proposal.raw.trim()));
                let (row, end) = open.entry(key).or_insert((new, ProposalId::MAX));
                if proposal.id >= *end {
                    (*row, *end) = (new, ProposalId::MAX);
                }
                *end = self.rejected_before.get(&proposal.id).map_or(*end, |rejected| (*rejected).min(*end));
                *row
            } else {
                new
            };
            let weight = weight(proposal.id);
            match (copies.shown.get_mut(row), weights.get_mut(row), copies.places.get_mut(row)) {
                (Some(shown), Some(before), Some(at)) => {
                    // Of what the built-in proposer offers again, the newest; of what a model wrote, the first.
                    if weight > *before || (!written && weight == *before) {
                        (*shown, *before) = (place, weight);
                    }
                    if proposal.origin.is_built_in() {
                        *at = place;
                    }
                }
                _ => {
                    copies.shown.push(place);
                    weights.push(weight);
                    copies.places.push(place);
                }
            }
            copies.rows.push(row);
        }
        copies.fixed = weights.iter().map(|weight| *weight > 0).collect();
        copies
    }
}
