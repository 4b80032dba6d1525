//! Rows of proposals: copies of an action, or of a text that is none, stand in one, as in the workbench.

use serde::Serialize;

use stepwright_episode::{Node, Proposal, ProposalId, Session, blind};

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProposalEntry {
    /// The action's text, or the raw text that is no action.
    pub text: String,
    pub call: Option<String>,
    /// Where it came from, with score and log-probability.
    pub origin: String,
    pub rationale: Option<String>,
    /// The summary of its checks (`holds`, `fails`, `unknown`, `blocked`, `not checked`): of a proposal that was decided about, when
    /// it was; or `no action`, and why.
    pub status: String,
    /// The same in one word, `unchecked` for what was not checked.
    pub standing: &'static str,
    /// The checks: status, condition, detail.
    pub checks: Vec<(String, String, String)>,
    pub recommended: bool,
    /// `taken`, `rejected: reason`, that it was decided on and nothing came of it, or empty.
    pub fate: String,
    /// The proposals that it stands for.
    #[serde(skip)]
    pub copies: Vec<ProposalId>,
}

/// The proposals of a node in the order they came; before a decision of a blind session, in one that says nothing of their rank.
pub(super) fn offered<'a>(session: &Session, node: &'a Node) -> Vec<&'a Proposal> {
    let mut proposals: Vec<&Proposal> = node.turn.proposals.iter().map(AsRef::as_ref).collect();
    if hides_future(session, node) {
        blind::shuffle(session, node.id, &mut proposals);
    }
    proposals
}

/// Whether nothing was decided yet at a node of a blind session.
pub(super) fn hides_future(session: &Session, node: &Node) -> bool {
    session.blind && !node.outcome.done && !node.turn.decisions.iter().any(|d| d.takes())
}

/// The proposals of a node, each with its entry, in the rows that the workbench shows them in: of copies the one that something came of,
/// else that is referred to, with how often models wrote it.
pub(super) fn in_rows(session: &Session, node: &Node, entries: Vec<ProposalEntry>) -> Vec<ProposalEntry> {
    let copies = node.turn.copies(|proposal| node.is_replaced(proposal));
    let row =
        |proposal: &Proposal| node.turn.place(proposal.id).and_then(|place| Some((place, *copies.rows.get(place)?)));
    let all: Vec<_> = offered(session, node).into_iter().map(|proposal| (proposal, row(proposal))).collect();
    // The place of the entry that stands for each row, with how much speaks for it, and who wrote the row's copies.
    let mut rows: Vec<(usize, usize)> = vec![(0, 0); copies.shown.len()];
    let mut written: Vec<Vec<&str>> = vec![Vec::new(); copies.shown.len()];
    let mut recommended = vec![false; copies.shown.len()];
    let mut ids: Vec<Vec<ProposalId>> = vec![Vec::new(); copies.shown.len()];
    for (at, (entry, (proposal, row))) in entries.iter().zip(&all).enumerate() {
        let Some((place, row)) = row else { continue };
        let weight = match entry.fate.as_str() {
            "taken" => 4,
            "" if copies.shown.get(*row) == Some(place) => 2,
            "" => 1,
            _ => 3,
        };
        if let Some(best) = rows.get_mut(*row).filter(|(_, best)| weight > *best) {
            *best = (at, weight);
        }
        if let Some(authors) = written.get_mut(*row).filter(|_| proposal.origin.is_written()) {
            authors.push(node.turn.author(proposal).unwrap_or_default());
        }
        if let Some(ids) = ids.get_mut(*row) {
            ids.push(proposal.id);
        }
        if let Some(is) = recommended.get_mut(*row) {
            *is |= entry.recommended;
        }
    }
    let kept = entries.into_iter().zip(&all).enumerate().filter_map(|(at, (mut entry, (_, row)))| {
        let (_, row) = (*row)?;
        rows.get(row).filter(|(best, _)| *best == at)?;
        entry.recommended = recommended.get(row).copied().unwrap_or_default();
        entry.origin.push_str(&times(written.get(row)?));
        entry.copies = ids.get_mut(row).map(std::mem::take).unwrap_or_default();
        Some(entry)
    });
    kept.collect()
}

/// How often models wrote the same, where that is more than once: `, x3`, or of several `, one x2, other x1`.
fn times(authors: &[&str]) -> String {
    let mut each: Vec<(&str, usize)> = Vec::new();
    for author in authors {
        match each.iter_mut().find(|(known, _)| known == author) {
            Some((_, times)) => *times += 1,
            None => each.push((author, 1)),
        }
    }
    match each.as_slice() {
        [] | [(_, 1)] => String::new(),
        [(_, times)] => format!(", x{times}"),
        several => several.iter().map(|(author, times)| format!(", {author} x{times}")).collect(),
    }
}
