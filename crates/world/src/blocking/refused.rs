//! Refusals as trees: the tree of the last action that was refused outside of the forest, with the domain and the facts it was grown by.

use std::sync::Arc;

use super::{BlockingTree, Domain, Forest};
use crate::literal::Facts;
use stepwright_episode::TreeEdit;

#[derive(Debug, Clone)]
pub struct RefusedTree {
    domain: Arc<Domain>,
    forest: Forest,
    facts: Facts,
    why: String,
}

impl RefusedTree {
    /// Grows it; `None` where the domain has no condition for it. `error` is what the world said, where it was asked.
    pub fn grow(domain: &Arc<Domain>, text: &str, error: Option<&str>, why: &str, facts: &Facts) -> Option<Self> {
        let forest = Forest::of_refused(domain, text, error, facts)?;
        Some(RefusedTree { domain: Arc::clone(domain), forest, facts: facts.clone(), why: why.to_owned() })
    }

    /// The tree after a step; `None` once it is of no use: its action was done, or is not blocked and something else was done.
    pub fn followed(mut self, text: &str, error: Option<&str>, facts: &Facts) -> Option<Self> {
        let stays = self.forest.follow_refused(&self.domain, text, error, facts);
        self.facts = facts.clone();
        stays.then_some(self)
    }

    pub(crate) fn resolves(&self, text: &str) -> bool {
        self.forest.resolves(text)
    }

    pub fn edit(&mut self, edit: &TreeEdit) -> Result<(), String> {
        self.forest.edit(&self.domain, edit)
    }

    /// The tree for display, in front of another.
    pub fn shown_before(&self, other: BlockingTree) -> BlockingTree {
        let mut tree = self.forest.shown_alone(&self.domain, &self.facts, &self.why);
        let first = tree.nodes.len();
        tree.nodes.extend(other.nodes.into_iter().map(|mut node| {
            node.parent = node.parent.map(|parent| parent + first);
            node
        }));
        tree
    }
}
