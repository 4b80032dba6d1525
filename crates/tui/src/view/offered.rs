//! Offered proposals: the rows that the cursor's proposals are shown in.
//!
//! A turn may hold a hundred thousand proposals, and a frame asks about them dozens of times: what is the same until the session changes
//! is computed once. The person's choice is no part of it, so that choosing costs nothing.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use super::{View, Withdrawal, Withdrawn};
use stepwright_episode::{Actor, Choice, Copies, DecisionId, Mark, NodeId, Proposal, ProposalId, Session, Turn, blind};
use stepwright_protocol::Situation;
use stepwright_world::answer::is_refusal;

/// The last computed rows, of the cursor's turn and of the way to it.
#[derive(Debug, Default)]
pub(super) struct Cache {
    turn: Mutex<Option<(Key, Arc<Offered>)>>,
    above: Mutex<Option<(NodeId, Arc<Above>)>>,
}

#[derive(Debug, Clone)]
struct Key {
    records: (u64, usize, usize),
    cursor: NodeId,
    situation: Option<Arc<Situation>>,
    /// Whether their rank must not be seen.
    hidden: bool,
}

impl Key {
    fn is(&self, other: &Key) -> bool {
        let same = match (&self.situation, &other.situation) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        same && (self.records, self.cursor, self.hidden) == (other.records, other.cursor, other.hidden)
    }
}

/// A turn's proposals in rows: copies of an action share one. Proposals are meant by their places in the turn.
#[derive(Debug, Default)]
pub(super) struct Offered {
    rows: Vec<usize>,
    /// The copy that is shown in each row where the person has chosen none.
    shown: Vec<usize>,
    /// Whether something else than the person's choice says which copy is shown.
    fixed: Vec<bool>,
    /// Of each row the places of proposals that models wrote, one of each model and origin, and how many there are of it.
    written: Vec<Vec<(usize, usize)>>,
    /// The rows in the order they are shown in.
    order: Vec<usize>,
    /// The place of each row in that order.
    at: Vec<usize>,
    /// The rows whose action was pruned; they are last, with those that are gone.
    pub(super) pruned: usize,
    /// The rows of leaves that are no longer in the blocking tree.
    gone: usize,
    rejected: usize,
    /// The rows of lines of a plan that a person replaced, which cannot be taken.
    replaced: usize,
    taken: HashSet<String>,
    /// The rows of the proposals of which a step came.
    carried_out: HashSet<usize>,
    /// The last refusals of each action, by at most two proposals.
    refused: HashMap<String, Vec<(ProposalId, DecisionId)>>,
    /// How many of the rows that can be taken hold, are blocked, and were not checked; errors in place of answers left out.
    pub(super) marks: (usize, usize, usize),
}

/// The last decision about each action on the way to a node: refused at which step, node and by which decision, or
/// taken since.
type Above = HashMap<String, Option<(usize, NodeId, DecisionId)>>;

impl Offered {
    /// Sorts a turn's proposals into rows, in one pass.
    fn of(view: &View, turn: &Turn, withdrawn: &Withdrawn<'_>) -> Self {
        let mut offered = Offered::default();
        // Looked for once: a turn may hold very many proposals.
        let mended = view.node().filter(|node| node.replaced_up_to().is_some());
        let replaced = |proposal: &Proposal| mended.is_some_and(|node| node.is_replaced(proposal));
        let Copies { rows, shown, fixed, places } = turn.copies(replaced);
        (offered.rows, offered.shown, offered.fixed) = (rows, shown, fixed);
        offered.written = vec![Vec::new(); places.len()];
        for (place, (proposal, row)) in turn.proposals.iter().zip(&offered.rows).enumerate() {
            if let Some(times) = offered.written.get_mut(*row).filter(|_| proposal.origin.is_written()) {
                count(times, turn, place);
            }
        }
        let mut order: Vec<usize> = (0..places.len()).collect();
        order.sort_by_key(|row| places.get(*row).copied());
        if let Some(session) = view.session.as_ref().filter(|_| view.hides_future()) {
            let shown = |row: &usize| turn.proposals.get(*offered.shown.get(*row)?).map(AsRef::as_ref);
            let mut shown: Vec<&Proposal> = order.iter().filter_map(shown).collect();
            blind::shuffle(session, session.cursor(), &mut shown);
            let row = |proposal: &&Proposal| offered.rows.get(turn.place(proposal.id)?).copied();
            order = shown.iter().filter_map(row).collect();
        }
        let withdrawal = |row: &usize| withdrawn.of(turn.proposals.get(*offered.shown.get(*row)?)?);
        // What a person refused is out of the way, and so is what they took out of the candidates.
        let is_rejected = |row: &usize| {
            let shown = offered.shown.get(*row).and_then(|place| turn.proposals.get(*place));
            shown.is_some_and(|proposal| turn.rejection(proposal.id).is_some())
        };
        let withdrawn: Vec<Option<Withdrawal>> = (0..places.len()).map(|row| withdrawal(&row)).collect();
        let withdrawn = |row: &usize| withdrawn.get(*row).copied().flatten();
        order.sort_by_key(|row| if withdrawn(row).is_some() { 2 } else { u8::from(is_rejected(row)) });
        let count = order.iter().rev().take_while(|row| withdrawn(row).is_some()).count();
        let vanished = order.iter().filter(|row| withdrawn(row) == Some(Withdrawal::Gone)).count();
        let rejected = order.iter().rev().skip(count).take_while(|row| is_rejected(row)).count();
        let steps = view.session.as_ref().zip(view.node()).map(|(session, node)| {
            let children = node.children.iter().filter_map(|child| session.node(*child)?.decision);
            children.collect::<BTreeSet<DecisionId>>()
        });
        offered.decided(turn, &steps.unwrap_or_default());
        let open = order.iter().take(order.len() - count - rejected);
        let open = open.filter_map(|row| turn.proposals.get(*offered.shown.get(*row)?));
        let is_taken = |p: &Proposal| p.action.as_ref().is_some_and(|action| offered.taken.contains(&action.text));
        let (kept, gone): (Vec<_>, Vec<_>) = open.partition(|p| is_taken(p) || !replaced(p));
        offered.replaced = gone.len();
        // An error in place of an answer passes nothing, whatever may be done with it.
        let is_error = |p: &Proposal| p.action.as_ref().is_some_and(is_refusal);
        let marks = kept.into_iter().filter(|p| !is_error(p)).map(|p| turn.mark(p));
        let marks = marks.fold((0, 0, 0), |(holds, blocked, unchecked), mark| match mark {
            Mark::Holds => (holds + 1, blocked, unchecked),
            Mark::Blocked => (holds, blocked + 1, unchecked),
            Mark::NotChecked => (holds, blocked, unchecked + 1),
            Mark::Fails | Mark::Unknown => (holds, blocked, unchecked),
        });
        let mut at = vec![0; order.len()];
        for (place, row) in order.iter().enumerate() {
            if let Some(at) = at.get_mut(*row) {
                *at = place;
            }
        }
        (offered.order, offered.at, offered.marks) = (order, at, marks);
        (offered.pruned, offered.gone, offered.rejected) = (count - vanished, vanished, rejected);
        offered
    }

    /// Takes in the decisions about the actions here, some of which were `carried_out`.
    fn decided(&mut self, turn: &Turn, carried_out: &BTreeSet<DecisionId>) {
        for decision in turn.decisions.iter().rev() {
            let action = turn.proposal(decision.proposal()).and_then(|p| p.action.as_ref());
            let Some(action) = action else { continue };
            if decision.takes() {
                let row = turn.place(decision.proposal()).and_then(|place| self.rows.get(place));
                self.carried_out.extend(row.filter(|_| carried_out.contains(&decision.id)));
                self.taken.insert(action.text.clone());
                continue;
            }
            let last = self.refused.entry(action.text.clone()).or_default();
            if last.len() < 2 && last.first().is_none_or(|(proposal, _)| *proposal != decision.proposal()) {
                last.push((decision.proposal(), decision.id));
            }
        }
    }

    /// Of the row of a proposal what models wrote.
    fn written_of(&self, turn: &Turn, id: ProposalId) -> &[(usize, usize)] {
        let row = turn.place(id).and_then(|place| self.rows.get(place));
        row.and_then(|row| self.written.get(*row)).map_or(&[], Vec::as_slice)
    }

    /// The place of the proposal that is shown in a row, given the one the person has chosen.
    fn shown(&self, row: usize, chosen: Option<usize>) -> Option<usize> {
        let of_row = chosen.filter(|place| self.rows.get(*place) == Some(&row));
        of_row.filter(|_| self.fixed.get(row) == Some(&false)).or_else(|| self.shown.get(row).copied())
    }
}

/// The model that wrote the proposal at a place.
fn author(turn: &Turn, place: usize) -> &str {
    turn.proposals.get(place).and_then(|proposal| turn.author(proposal)).unwrap_or_default()
}

/// Counts one more text of a model.
fn count(written: &mut Vec<(usize, usize)>, turn: &Turn, place: usize) {
    let of = |place: usize| (author(turn, place), turn.proposals.get(place).map(|proposal| proposal.origin));
    match written.iter_mut().find(|(known, _)| of(*known) == of(place)) {
        Some((_, times)) => *times += 1,
        None => written.push((place, 1)),
    }
}

impl View {
    pub(super) fn rows(&self) -> Arc<Offered> {
        let Some((session, turn)) = self.session.as_ref().zip(self.turn()) else { return Arc::default() };
        let records = (session.records(), self.records.len(), self.withheld.len());
        let (cursor, situation, hidden) = (session.cursor(), self.situation.clone(), self.hides_future());
        let key = Key { records, cursor, situation, hidden };
        let mut kept = self.cache.turn.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.as_ref().filter(|(of, _)| of.is(&key)) {
            Some((_, offered)) => Arc::clone(offered),
            None => {
                let offered = Arc::new(Offered::of(self, turn, &self.withdrawn()));
                *kept = Some((key, Arc::clone(&offered)));
                offered
            }
        }
    }

    fn chosen_place(&self) -> Option<usize> {
        self.turn()?.place(self.selected?)
    }

    pub(crate) fn offered_len(&self) -> usize {
        self.rows().order.len()
    }

    pub(crate) fn offered_at(&self, at: usize) -> Option<&Proposal> {
        let offered = self.rows();
        let place = offered.shown(*offered.order.get(at)?, self.chosen_place())?;
        self.turn()?.proposals.get(place).map(AsRef::as_ref)
    }

    /// The row of the list that a proposal is shown in, if it is the one of its copies that is shown.
    pub(crate) fn offered_row(&self, id: ProposalId) -> Option<usize> {
        let (offered, place) = (self.rows(), self.turn()?.place(id)?);
        let row = *offered.rows.get(place)?;
        offered.at.get(row).copied().filter(|_| offered.shown(row, self.chosen_place()) == Some(place))
    }

    /// The proposals to show at the cursor, in order of arrival; those that were rejected, and those whose action is no candidate of the
    /// blocking tree any more, last. An action that the built-in proposer offers again is shown once, at its place in the newest ranking, and one that a model writes more than once is shown
    /// once, where it came first; offered again after a rejection, it is shown again. Before a decision of a blind session ranked ones
    /// come in an order that says nothing of their rank.
    pub fn offered(&self) -> Vec<&Proposal> {
        let (offered, chosen) = (self.rows(), self.chosen_place());
        let Some(turn) = self.turn() else { return Vec::new() };
        let shown = offered.order.iter().filter_map(|row| turn.proposals.get(offered.shown(*row, chosen)?));
        shown.map(AsRef::as_ref).collect()
    }

    /// How many of the proposals that are shown hold, are blocked, were not checked, are rejected, are of a plan that was replaced, are
    /// pruned, and are no longer in the blocking tree.
    pub(crate) fn offered_marks(&self) -> [usize; 7] {
        let offered = self.rows();
        let (holds, blocked, unchecked) = offered.marks;
        [holds, blocked, unchecked, offered.rejected, offered.replaced, offered.pruned, offered.gone]
    }

    /// Which models wrote the action of a proposal that is shown, and how often each, itself included.
    pub fn authors(&self, id: ProposalId) -> Vec<(&str, usize)> {
        let (offered, Some(turn)) = (self.rows(), self.turn()) else { return Vec::new() };
        let mut authors: Vec<(&str, usize)> = Vec::new();
        for (place, times) in offered.written_of(turn, id) {
            let model = author(turn, *place);
            match authors.iter_mut().find(|(known, _)| *known == model) {
                Some((_, all)) => *all += times,
                None => authors.push((model, *times)),
            }
        }
        authors
    }

    /// Of the copies of a proposal that is shown one of each other origin that models wrote them by.
    pub(crate) fn of_other_origins(&self, shown: &Proposal) -> Vec<&Proposal> {
        let (offered, Some(turn)) = (self.rows(), self.turn()) else { return Vec::new() };
        let mut others: Vec<&Proposal> = Vec::new();
        for (place, _) in offered.written_of(turn, shown.id) {
            let copy = turn.proposals.get(*place).map(AsRef::as_ref);
            let is_new = |copy: &&Proposal| {
                copy.origin != shown.origin && others.iter().all(|other| other.origin != copy.origin)
            };
            let copy = copy.filter(is_new);
            others.extend(copy);
        }
        others
    }

    /// The proposal that is shown for one of the cursor's turn: itself, or the copy of it that is referred to.
    pub(crate) fn shown_for(&self, id: ProposalId) -> Option<ProposalId> {
        let (offered, turn) = (self.rows(), self.turn()?);
        let row = *offered.rows.get(turn.place(id)?)?;
        turn.proposals.get(offered.shown(row, self.chosen_place())?).map(|p| p.id)
    }

    /// Whether a proposal, or one that is shown in its row, was taken from the cursor before, and a step came of it. What a person typed
    /// instead is a row of its own, whatever it says.
    pub(crate) fn was_taken(&self, proposal: &Proposal) -> bool {
        let (offered, place) = (self.rows(), self.turn().and_then(|turn| turn.place(proposal.id)));
        let row = place.and_then(|place| offered.rows.get(place));
        row.is_some_and(|row| offered.carried_out.contains(row))
    }

    /// Where on the way to the cursor a person last refused the action of a proposal, and why, unless it was taken since: how many
    /// steps had been taken then, and the reason.
    pub(crate) fn refused_before(&self, proposal: &Proposal) -> Option<(usize, &str)> {
        let session = self.session.as_ref()?;
        let text = &proposal.action.as_ref()?.text;
        let reason = |node: NodeId, decision: DecisionId| match &session.node(node)?.turn.decision(decision)?.choice {
            Choice::Reject { reason, .. } => Some(reason.as_str()),
            _ => None,
        };
        let here = self.rows();
        let here = here.refused.get(text).and_then(|last| last.iter().find(|(of, _)| *of != proposal.id));
        if let Some((_, decision)) = here {
            let node = session.current()?;
            return Some((node.depth as usize, reason(node.id, *decision)?));
        }
        let (step, node, decision) = (*self.above(session).get(text)?)?;
        Some((step, reason(node, decision)?))
    }

    /// The decisions on the way to the cursor, the cursor left out. It stays the same while the cursor stays.
    fn above(&self, session: &Session) -> Arc<Above> {
        let mut kept = self.cache.above.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, above)) = kept.as_ref().filter(|(cursor, _)| *cursor == session.cursor()) {
            return Arc::clone(above);
        }
        let mut above = Above::new();
        for (step, node) in session.path(session.cursor()).into_iter().enumerate().rev().skip(1) {
            for decision in node.turn.decisions.iter().rev() {
                let action = node.turn.proposal(decision.proposal()).and_then(|p| p.action.as_ref());
                let Some(action) = action.filter(|action| !above.contains_key(&action.text)) else { continue };
                match &decision.choice {
                    Choice::Reject { .. } => above.insert(action.text.clone(), Some((step, node.id, decision.id))),
                    // What a person took themselves, they changed their mind about.
                    _ if decision.by == Actor::Person => above.insert(action.text.clone(), None),
                    _ => None,
                };
            }
        }
        let above = Arc::new(above);
        *kept = Some((session.cursor(), Arc::clone(&above)));
        above
    }
}
