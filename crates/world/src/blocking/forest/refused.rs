//! Tree of a refused action: what blocks an action that was taken outside of the trees, and what may resolve that, down to actions that
//! nothing blocks.
//!
//! It is a forest of one tree without a goal, so that it grows, is pruned and edited by the same rules, and the trees that a method selects
//! from are not touched by it.

use super::{Forest, Moment, Node, NodeKey};
use crate::blocking::domain::Domain;
use crate::literal::{Atom, Facts};

/// The first key of such a tree, so that its nodes are none of the forest's beside it.
pub const REFUSED: NodeKey = 1 << 31;

/// Conditions in a row that are resolved ahead.
const DEPTH: usize = 4;

/// Nodes at which growing ahead ends.
const MOST: usize = 64;

impl Forest {
    /// The tree of an action that was refused, or kept from being tried. What is known to block it comes first; where nothing is, the
    /// condition that the world's error raises, or that it failed. `None` where the domain knows no such action, or no such condition.
    pub(crate) fn of_refused(domain: &Domain, text: &str, error: Option<&str>, facts: &Facts) -> Option<Forest> {
        let action = domain.read_text(text)?;
        let mut forest = Forest { next: REFUSED, ..Forest::default() };
        let mut root = forest.node(domain, action.clone(), false);
        text.clone_into(&mut root.text);
        let raised = || domain.raised(&action, error?).or_else(|| domain.failed(&action));
        let condition = forest.blocking(domain, &action, facts).or_else(raised)?;
        root.blocked = Some(forest.grown(domain, condition, error.map(str::to_owned), facts));
        forest.trees.push(root);
        forest.grow_ahead(domain, facts);
        Some(forest)
    }

    /// Takes in a step that the world did or refused. False once the refused action was done, or once nothing blocked it and something else
    /// was done.
    pub(crate) fn follow_refused(&mut self, domain: &Domain, text: &str, error: Option<&str>, facts: &Facts) -> bool {
        let over = |forest: &Forest| forest.trees.iter().all(|root| root.blocked.is_none() && root.text != text);
        if over(self) {
            return false;
        }
        self.executed(domain, text, error, &Moment { facts, goals: &[], judge: &|_| false });
        self.grow_ahead(domain, facts);
        !self.trees.is_empty()
    }

    pub(crate) fn resolves(&self, text: &str) -> bool {
        self.leaf(text).is_some_and(|leaf| self.trees.iter().all(|root| root.key != leaf.key))
    }

    /// Grows what resolves the leaves that are blocked as well. A condition is not resolved again below itself.
    fn grow_ahead(&mut self, domain: &Domain, facts: &Facts) {
        for _ in 0..DEPTH {
            let blocked = |leaf: &Node| {
                let condition = self.blocking(domain, &leaf.action, facts).filter(|_| leaf.blocked.is_none())?;
                let above = self.path(leaf.key);
                let again = above.iter().filter_map(|node| node.blocked.as_ref()).any(|b| b.condition == condition);
                (!again && above.len() > 1).then_some((leaf.key, condition))
            };
            let due: Vec<(NodeKey, Atom)> = self.leaves().into_iter().filter_map(blocked).collect();
            if due.is_empty() {
                return;
            }
            for (key, condition) in due {
                let mut nodes = 0;
                self.visit(&mut |_, _| nodes += 1);
                if nodes >= MOST {
                    return;
                }
                let blocked = self.grown(domain, condition, None, facts);
                if let Some(node) = self.get_mut(key) {
                    node.blocked = Some(blocked);
                }
            }
        }
    }
}
