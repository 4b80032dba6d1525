//! Documents at the cursor: what they are, what made them so, and what undo and redo would turn.

use std::sync::Arc;

use serde_json::Value;

use super::artifact::{ArtifactId, Documents, Offer, OfferState};
use super::history::DocumentChange;
use super::session::{Node, Session};

impl Session {
    /// Where a document is kept at the cursor.
    fn home(&self, artifact: &ArtifactId) -> Option<&Node> {
        if artifact.kind.is_of_session() { Some(&self.own) } else { self.current() }
    }

    /// A document at the cursor.
    pub fn document(&self, artifact: &ArtifactId) -> Option<&Arc<Value>> {
        self.home(artifact)?.document(artifact)
    }

    /// The documents that belong to no branch.
    pub fn documents(&self) -> &Documents {
        &self.own.documents
    }

    /// The change that undo would take back of a document: the last one, with its number among the changes of the session. What an
    /// episode begins with is not taken back.
    pub(crate) fn last_change(&self, artifact: &ArtifactId) -> Option<(usize, &DocumentChange)> {
        let number = self.home(artifact)?.documents.last(artifact)?;
        Some((number, self.changes.get(number).filter(|made| !made.begins)?))
    }

    /// What made a document what it is at the cursor: the offer that was taken as it stood, with its node; within, `None` where a person
    /// wrote or edited it. `None` for what the episode began with.
    pub fn made_by(&self, artifact: &ArtifactId) -> Option<Option<(&Node, &Offer)>> {
        let (_, change) = self.last_change(artifact)?;
        let node = self.node(change.node);
        let taken = node.and_then(|node| Some((node, node.offer(change.offer?)?)));
        Some(taken.filter(|(_, offer)| matches!(offer.fate, OfferState::Taken { edited: false, .. })))
    }

    /// A document at the cursor as it was written last, before what a person changed of it; none where a person began it.
    pub fn as_written(&self, artifact: &ArtifactId) -> Option<&Arc<Value>> {
        let mut written = self.document(artifact)?;
        let mut number = self.home(artifact)?.documents.last(artifact);
        while let Some(change) = number.and_then(|number| self.changes.get(number)).filter(|change| !change.begins) {
            let offer = change.offer.and_then(|offer| self.node(change.node)?.offer(offer));
            match offer.map(|offer| (&offer.fate, &offer.written.value)) {
                Some((OfferState::Taken { edited: true, .. }, offered)) => return offered.as_ref(),
                Some(_) => break,
                None => written = change.before.as_ref()?,
            }
            number = change.previous;
        }
        Some(written)
    }

    /// The change that redo would make again of a document, with its number among the changes of the session.
    pub fn last_undone(&self, artifact: &ArtifactId) -> Option<(usize, &DocumentChange)> {
        let number = self.home(artifact)?.documents.undone(artifact)?;
        Some((number, self.changes.get(number)?))
    }

    /// Of these documents the one that changed last; forward, the one whose change was taken back last.
    pub fn changed_last<'a>(&self, among: &'a [ArtifactId], forward: bool) -> Option<&'a ArtifactId> {
        if forward {
            // Changes are taken back from the last one on.
            let undone = among.iter().filter_map(|artifact| Some((self.last_undone(artifact)?.0, artifact)));
            return undone.min().map(|(_, artifact)| artifact);
        }
        // A refusal comes after the changes that there were when it was made.
        let number = |artifact| match self.last_refusal(artifact) {
            Some((after, _)) => Some(2 * after),
            None => Some(2 * self.last_change(artifact)?.0 + 1),
        };
        let made = among.iter().filter_map(|artifact| Some((number(artifact)?, artifact)));
        made.max().map(|(_, artifact)| artifact)
    }

    /// The offer of a document that a person refused at the cursor, and with which nothing happened since: undo has it wait again.
    /// With it, how many changes the session had then.
    pub(crate) fn last_refusal(&self, artifact: &ArtifactId) -> Option<(usize, &Offer)> {
        let node = self.current()?;
        let (offer, after) = *node.turn.index.refusals.get(artifact)?;
        Some((after, node.offer(offer)?))
    }
}
