//! Branches: a name, and whether lists and exports leave them out. A branch is known by its first node: a child of a node with several,
//! or the beginning. Nothing is ever taken out of the log, so each change can be made back.

use std::collections::BTreeSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::event::NodeId;
use super::session::{Node, Session};

/// A person's name and marks for a branch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Branch {
    /// Its name; empty where it has none.
    pub name: String,
    /// Whether lists fold it into one row.
    pub hidden: bool,
    /// Whether lists and exports leave it out.
    pub deleted: bool,
}

/// A change of a branch by a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum BranchEdit {
    /// Give it a name, or none.
    Name {
        /// The name.
        name: String,
    },
    /// Fold it in lists, or show it again.
    Hide {
        /// Folded or shown.
        hidden: bool,
    },
    /// Leave it out of lists and exports, or bring it back.
    Delete {
        /// Out or back.
        deleted: bool,
    },
}

impl Branch {
    pub(super) fn apply(&mut self, edit: &BranchEdit) {
        match edit {
            BranchEdit::Name { name } => self.name.clone_from(name),
            BranchEdit::Hide { hidden } => self.hidden = *hidden,
            BranchEdit::Delete { deleted } => self.deleted = *deleted,
        }
    }
}

impl Session {
    /// The first node of the branch that a node is on.
    pub fn branch_start(&self, node: NodeId) -> NodeId {
        let mut at = node;
        while let Some(parent) = self.node(at).and_then(|n| self.node(n.parent?)) {
            if parent.children.len() > 1 {
                break;
            }
            at = parent.id;
        }
        at
    }

    /// The name of the branch that a node is on; empty where it has none.
    pub fn branch_name(&self, node: NodeId) -> &str {
        self.branch(self.branch_start(node)).map_or("", |branch| branch.name.as_str())
    }

    /// Whether a deleted branch begins at a node.
    pub(crate) fn begins_deleted(&self, node: NodeId) -> bool {
        self.branch(node).is_some_and(|branch| branch.deleted)
    }

    /// Whether a node is on a branch that was deleted, or below one.
    pub fn is_deleted(&self, node: NodeId) -> bool {
        !self.deleted_above(node).is_empty()
    }

    /// The nodes that are on no deleted branch, in their order.
    pub fn kept(&self) -> impl Iterator<Item = &Arc<Node>> {
        // A node comes after its parent, so that one pass finds them all.
        let mut out: BTreeSet<NodeId> = BTreeSet::new();
        self.nodes().iter().filter(move |node| {
            let is_out = self.begins_deleted(node.id) || node.parent.is_some_and(|parent| out.contains(&parent));
            if is_out {
                out.insert(node.id);
            }
            !is_out
        })
    }

    /// The children of a node that begin no deleted branch.
    pub fn kept_children<'a>(&'a self, node: &'a Node) -> impl DoubleEndedIterator<Item = &'a Node> {
        node.children.iter().filter(|child| !self.begins_deleted(**child)).filter_map(|child| self.node(*child))
    }

    /// Where a node stands among the children of its parent that begin no deleted branch, itself one of them; `None` at the root.
    pub fn siblings(&self, node: &Node) -> Option<(usize, Vec<NodeId>)> {
        let all: Vec<NodeId> = self.kept_children(self.node(node.parent?)?).map(|child| child.id).collect();
        Some((all.iter().position(|id| *id == node.id)?, all))
    }

    /// The first nodes of the deleted branches on the path to a node.
    pub(crate) fn deleted_above(&self, node: NodeId) -> Vec<NodeId> {
        self.path(node).iter().map(|node| node.id).filter(|id| self.begins_deleted(*id)).collect()
    }
}
