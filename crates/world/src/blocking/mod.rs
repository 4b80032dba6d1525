//! Blocking: what keeps an action or a goal from happening, and what would change that.
//!
//! This file holds the tree that is shown; the files beside it build it. Rules of the paper "Sequential Discrete Action Selection
//! via Blocking Conditions and Resolutions": a blocked action lists its unmet conditions, each with resolution actions.
//! `domain` says what blocks what in a world, `forest` grows and prunes the trees of an episode by it; `derive` explains a single
//! action from the specification's assertions and the effects seen in demonstrations, `derived` makes a domain of that.

mod derive;
mod derived;
pub mod domain;
mod environment;
mod forest;
mod growth;
mod knowledge;
mod named;
mod refused;
pub mod selector;

pub use derive::{Derivation, known};
pub use derived::{Basis, Before, Derived, EVALUATIONS, EXCUSED, Report, TextOf};
pub use domain::Domain;
pub use environment::{Environment, Requested};
pub use forest::{Blocked, Forest, Moment, Node, NodeKey, REFUSED, Selection};
pub use growth::{Growth, Observation};
pub use knowledge::Knowledge;
pub use named::NamedDomain;
pub use refused::RefusedTree;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The source of a session's blocking trees.
#[derive(Debug, Clone)]
pub enum BlockingSource {
    Domain(Arc<Domain>),
    /// The assertions in force: a domain is derived from them where a tree is shown or asked for.
    Assertions,
    /// Nothing: the domain the session names is not available, in words.
    Gone(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    Goal,
    Action,
    Condition,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeStatus {
    /// The condition holds, the goal is reached, the action could be taken now.
    Open,
    /// The condition does not hold, the goal is not reached, the action is blocked.
    Blocked,
    Unknown,
    /// An action that only may help.
    Possibly,
    /// Another choice in the place of a blocked action, which stays blocked.
    Instead,
    Done,
    /// A goal that was closed and not met.
    Missed,
    /// An action a person took out of the candidates.
    Pruned,
}

/// Which node of a [`Forest`] a shown node stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handle {
    /// The action's node; a condition has that of the action it blocks.
    pub node: NodeKey,
    pub leaf: bool,
    /// Whether it is blocked, so that resolution actions may be added below.
    pub blocked: bool,
}

/// A row of a blocking tree as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BlockingNode {
    /// The node above; `None` for a root. Always smaller than this node's own index.
    pub parent: Option<usize>,
    pub kind: NodeKind,
    /// As a person reads it: `take mug 1 from shelf 2`, `self.inventory == None`.
    pub text: String,
    pub status: NodeStatus,
    /// Why it is there and what would unblock it, in words.
    pub why: String,
    pub handle: Option<Handle>,
}

/// Goals, blocked actions, their conditions and resolution actions: a forest in depth-first order.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct BlockingTree {
    pub nodes: Vec<BlockingNode>,
}

impl BlockingTree {
    pub fn push(&mut self, node: BlockingNode) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// The same tree with its nodes in depth-first order, siblings in the order they were added.
    pub fn depth_first(self) -> Self {
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        let mut left = Vec::new();
        for (i, node) in self.nodes.iter().enumerate().rev() {
            match node.parent.and_then(|p| below.get_mut(p)) {
                Some(siblings) => siblings.push(i),
                None => left.push(i),
            }
        }
        // Both lists hold the last sibling first, so that the first one is taken from the end.
        let mut ordered = BlockingTree::default();
        let mut place = vec![None; self.nodes.len()];
        while let Some(i) = left.pop() {
            let Some(node) = self.nodes.get(i) else { continue };
            let parent = node.parent.and_then(|p| place.get(p).copied().flatten());
            let at = ordered.push(BlockingNode { parent, ..node.clone() });
            if let Some(slot) = place.get_mut(i) {
                *slot = Some(at);
            }
            left.extend(below.get(i).into_iter().flatten());
        }
        ordered
    }

    /// The actions that are no candidates because a person pruned them, or an ancestor of them.
    pub fn pruned(&self) -> BTreeSet<&str> {
        let mut out: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let above = node.parent.and_then(|p| out.get(p)).copied().unwrap_or_default();
            out.push(above || node.status == NodeStatus::Pruned);
        }
        let actions = || self.nodes.iter().zip(&out).filter(|(n, _)| n.kind == NodeKind::Action);
        let open: BTreeSet<&str> = actions().filter(|(_, out)| !**out).map(|(n, _)| n.text.as_str()).collect();
        actions().filter(|(n, out)| **out && !open.contains(n.text.as_str())).map(|(n, _)| n.text.as_str()).collect()
    }

    /// The nodes below a node, in order.
    pub fn children(&self, of: Option<usize>) -> impl Iterator<Item = usize> + '_ {
        (0..self.nodes.len()).filter(move |i| self.nodes.get(*i).is_some_and(|n| n.parent == of))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_late_is_placed_below_its_parent() {
        let node = |parent, text: &str| BlockingNode {
            parent,
            kind: NodeKind::Goal,
            text: text.into(),
            status: NodeStatus::Open,
            why: String::new(),
            handle: None,
        };
        let nodes = vec![node(None, "a"), node(Some(0), "b"), node(Some(0), "c"), node(Some(1), "d"), node(None, "e")];
        let tree = BlockingTree { nodes }.depth_first();
        let shown: Vec<_> = tree.nodes.iter().map(|n| (n.text.as_str(), n.parent)).collect();
        assert_eq!(shown, [("a", None), ("b", Some(0)), ("d", Some(1)), ("c", Some(0)), ("e", None)]);
        assert_eq!(tree.clone().depth_first(), tree);
    }
}
