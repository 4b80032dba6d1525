//! Marks of the tree's nodes, the same wherever a tree is shown.

use crate::theme::{Glyphs, Role};
use stepwright_world::blocking::{BlockingNode, NodeKind, NodeStatus};

/// Whether a node has the mark of the proposal that its action is, where there is one: candidates in the live tree, any action in a tree
/// that explains.
pub(crate) fn is_checked(node: &BlockingNode, live: bool) -> bool {
    let is_candidate = node.handle.map_or(!live, |handle| handle.leaf);
    node.kind == NodeKind::Action && node.status != NodeStatus::Instead && is_candidate
}

/// The word before a node's text, so far below the root.
pub(crate) fn kind(node: &BlockingNode, depth: usize) -> &'static str {
    match node.kind {
        // Below a goal there are goals, actions, and needs, which are said to be some.
        NodeKind::Goal if depth > 0 => "",
        NodeKind::Goal => "goal ",
        NodeKind::Action if node.status == NodeStatus::Instead => "instead ",
        NodeKind::Action => "",
        NodeKind::Condition => NEEDS,
    }
}

/// The word before a condition.
pub(crate) const NEEDS: &str = "needs ";

/// The mark of a node that has none of a proposal.
pub(crate) fn mark(node: &BlockingNode, glyphs: &Glyphs) -> (&'static str, Role) {
    match node.status {
        // Not reached yet is nothing wrong.
        NodeStatus::Blocked if node.kind == NodeKind::Goal => (glyphs.candidate, Role::Dim),
        // A candidate that was not offered, so that nothing was checked.
        NodeStatus::Open | NodeStatus::Possibly if node.handle.is_some_and(|h| h.leaf) => (glyphs.unchecked, Role::Dim),
        NodeStatus::Open => (glyphs.yes, Role::Good),
        // Something else comes first, which is nothing wrong.
        NodeStatus::Blocked => (glyphs.no, Role::Warn),
        NodeStatus::Unknown | NodeStatus::Possibly => (glyphs.unknown, Role::Warn),
        NodeStatus::Instead => (glyphs.arrow, Role::Dim),
        NodeStatus::Done => (glyphs.yes, Role::Good),
        NodeStatus::Missed => (glyphs.no, Role::Bad),
        NodeStatus::Pruned => (glyphs.dot, Role::Dim),
    }
}
