//! The trials of a task and the reflections on them, as the records hold them.
//!
//! A trial is a way from the start to where no step was taken any more. What was reached at its end says whether it failed. One that
//! ended on a branch that was deleted is none.

use stepwright_episode::showing::{Listed, Showing};
use stepwright_episode::{ArtifactId, ArtifactKind, Node, NodeId, OfferState, Session};
use stepwright_method::artifacts::{self, ArtifactSpec};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Trial {
    /// Which one, from 1, in the order in which they were left off.
    pub(super) number: usize,
    pub(super) leaf: NodeId,
}

/// Reflections as documents, the node at which the trial ended the key.
pub(crate) static ARTIFACT: ArtifactSpec = ArtifactSpec {
    read: |_, _, typed| artifacts::text("text", typed, "the reflection is empty; write it, or refuse it"),
    ..ArtifactSpec::new(
        "reflection",
        Showing { listed: Listed::Learned, ..Showing::new("reflection on the trial that ended at node {}") },
    )
};

pub(super) fn kind() -> ArtifactKind {
    ArtifactKind::Other(ARTIFACT.id.to_owned())
}

pub(super) fn id(trial: &Trial) -> ArtifactId {
    ArtifactId { kind: kind(), key: trial.leaf.to_string() }
}

fn failed(session: &Session) -> Vec<Trial> {
    let leaves = session.kept().filter(|node| node.parent.is_some() && node.children.is_empty());
    let trials = (1..).zip(leaves).filter(|(_, leaf)| !leaf.outcome.won);
    trials.map(|(number, leaf)| Trial { number, leaf: leaf.id }).collect()
}

/// The first of the last `most` failed trials that has no reflection at the start, and none that was refused there.
pub(super) fn unreflected(session: &Session, start: &Node, most: usize) -> Option<Trial> {
    let failed = failed(session);
    let skip = failed.len().saturating_sub(most);
    let refused = |id: &ArtifactId| {
        start.turn.offers.iter().any(|o| o.written.artifact == *id && matches!(o.fate, OfferState::Refused { .. }))
    };
    failed.into_iter().skip(skip).find(|trial| {
        let id = id(trial);
        start.document(&id).is_none() && !refused(&id)
    })
}

/// Whether so many trials have failed, none of which is under way.
pub(super) fn used_up(session: &Session, most: usize) -> bool {
    session.current().is_some_and(|node| node.parent.is_none()) && failed(session).len() >= most
}

/// The reflections that a node inherited or got, as they were written, by the trial they are on.
pub(super) fn reflected(node: &Node) -> Vec<(NodeId, String)> {
    let own = node.documents.iter().filter(|(id, _)| id.kind == kind());
    let mut all: Vec<(NodeId, String)> = own
        .filter_map(|(id, document)| Some((id.key.parse().ok()?, document.get("text")?.as_str()?.to_owned())))
        .collect();
    all.sort();
    all
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use stepwright_episode::Documents;

    #[test]
    fn reflections_stand_in_the_order_of_their_trials() {
        let document = |leaf: NodeId, text: &str| {
            (id(&Trial { number: 1, leaf }), Arc::new(json!({ "text": text, "trial": leaf })))
        };
        let documents = [document(12, "later"), document(9, "first"), document(30, "last")];
        let documents = Documents::from_iter(documents);
        let node = Node { documents: Arc::new(documents), ..Node::default() };
        let texts: Vec<String> = reflected(&node).into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, ["first", "later", "last"], "by number, not by letter");
    }
}
