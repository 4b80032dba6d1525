//! Order of ranked proposals as records show it: what tells a rank is put into the order that a blind session shows its proposals in.
//!
//! The proposals of a ranking, and what was checked of each, change places among the records they are in, and the numbers go with the
//! places. So neither a number nor a place says anything of the rank, and the records still fold to a session. Where a record between them
//! refers to one (which a driver does not write) everything stays as it is.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{is_ranked, key};
use crate::Choice;
use crate::event::{AskId, Event, NodeId, Record};
use crate::header::Header;
use crate::proposal::{Proposal, ProposalId};

/// The records of a ranking: where its proposals are, and where each time one was checked.
#[derive(Default)]
struct Ranking {
    /// The places of the proposals, in order.
    offered: Vec<usize>,
    /// The places of first checks, of second ones, ….
    checked: Vec<Vec<usize>>,
}

/// Puts the ranked proposals of nodes without a decision, and what was checked of them, into the order they are shown in.
pub(super) fn hide(header: &Header, records: &mut [Record], decided: &BTreeSet<NodeId>) {
    let mut numbers: BTreeMap<ProposalId, ProposalId> = BTreeMap::new();
    for (node, ranking) in rankings(records, decided) {
        let mut offered: Vec<Arc<Proposal>> = ranking.offered.iter().filter_map(|at| proposal(records, *at)).collect();
        let ids: Vec<ProposalId> = offered.iter().map(|proposal| proposal.id).collect();
        if refers_between(records, &ranking.offered, &ids) {
            continue;
        }
        offered.sort_by_cached_key(|proposal| (key(header, node, proposal), proposal.id));
        numbers.extend(offered.iter().map(|proposal| proposal.id).zip(ids.iter().copied()));
        for ((at, id), proposal) in ranking.offered.iter().zip(ids).zip(offered) {
            if let Some(record) = records.get_mut(*at) {
                let seen = Proposal { id, ..Arc::unwrap_or_clone(proposal) };
                record.event = Event::Proposed { proposal: seen.into() };
            }
        }
        for places in &ranking.checked {
            let mut checks: Vec<_> = places.iter().filter_map(|at| checked(records, *at)).collect();
            checks.sort_by_key(|(id, _)| numbers.get(id).copied());
            for (at, (id, verdict)) in places.iter().zip(checks) {
                if let Some(record) = records.get_mut(*at) {
                    // Still under the old number, as in all other records.
                    record.event = Event::Checked { proposal: id, verdict };
                }
            }
        }
    }
    if !numbers.is_empty() {
        records.iter_mut().for_each(|record| renumber(record, &numbers));
    }
}

/// The rankings at nodes without a decision: one an ask.
fn rankings(records: &[Record], decided: &BTreeSet<NodeId>) -> Vec<(NodeId, Ranking)> {
    let mut found: BTreeMap<(NodeId, Option<AskId>), Ranking> = BTreeMap::new();
    let mut of: BTreeMap<ProposalId, ((NodeId, Option<AskId>), usize)> = BTreeMap::new();
    for (at, record) in records.iter().enumerate().filter(|(_, record)| !decided.contains(&record.node)) {
        match &record.event {
            Event::Proposed { proposal } if is_ranked(proposal) => {
                let ranking = (record.node, proposal.ask);
                of.insert(proposal.id, (ranking, 0));
                found.entry(ranking).or_default().offered.push(at);
            }
            Event::Checked { proposal, .. } => {
                let Some((ranking, times)) = of.get_mut(proposal) else { continue };
                let checked = &mut found.entry(*ranking).or_default().checked;
                if checked.len() <= *times {
                    checked.push(Vec::new());
                }
                if let Some(places) = checked.get_mut(*times) {
                    places.push(at);
                }
                *times += 1;
            }
            _ => {}
        }
    }
    found.into_iter().map(|((node, _), ranking)| (node, ranking)).collect()
}

/// Whether a record before the last of these proposals refers to one of them, other than by its first check.
fn refers_between(records: &[Record], offered: &[usize], ids: &[ProposalId]) -> bool {
    let (Some(first), Some(last)) = (offered.first(), offered.last()) else { return false };
    let mut checked = BTreeSet::new();
    records.get(*first..=*last).unwrap_or_default().iter().any(|record| match &record.event {
        Event::Checked { proposal, .. } => ids.contains(proposal) && !checked.insert(*proposal),
        Event::Recommended { proposal, .. } => proposal.is_some_and(|id| ids.contains(&id)),
        Event::Decided { decision } => ids.contains(&decision.proposal()),
        _ => false,
    })
}

fn proposal(records: &[Record], at: usize) -> Option<Arc<Proposal>> {
    match &records.get(at)?.event {
        Event::Proposed { proposal } => Some(Arc::clone(proposal)),
        _ => None,
    }
}

fn checked(records: &[Record], at: usize) -> Option<(ProposalId, Arc<crate::Verdict>)> {
    match &records.get(at)?.event {
        Event::Checked { proposal, verdict } => Some((*proposal, Arc::clone(verdict))),
        _ => None,
    }
}

/// Gives what a record refers to its new number. A record that offers a proposal has it already.
fn renumber(record: &mut Record, numbers: &BTreeMap<ProposalId, ProposalId>) {
    let renew = |id: &mut ProposalId| {
        if let Some(new) = numbers.get(id) {
            *id = *new;
        }
    };
    match &mut record.event {
        Event::Checked { proposal, .. } => renew(proposal),
        Event::Recommended { proposal: Some(proposal), .. } => renew(proposal),
        Event::Decided { decision } => {
            let mut seen = decision.as_ref().clone();
            match &mut seen.choice {
                Choice::Approve { proposal } | Choice::Manual { proposal } | Choice::Reject { proposal, .. } => {
                    renew(proposal);
                }
                Choice::Edit { from, proposal } => {
                    renew(from);
                    renew(proposal);
                }
            }
            *decision = seen.into();
        }
        _ => {}
    }
}
