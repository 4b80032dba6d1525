//! Forest: one tree an action that reaches a goal, grown where an action is blocked, pruned where something worked.
//!
//! Pure and cheap to clone: it never touches a world. Its caller selects a leaf ([`Forest::select`]); a leaf that is blocked
//! grows its resolution actions and nothing is executed; else the world executes it and [`Forest::executed`] is given the result.
//! The [`Domain`] says what blocks what. `edit.rs` holds a person's changes, `refused.rs` the tree of an action that was refused
//! outside of these trees, `view.rs` the trees as they are shown.

mod edit;
mod refused;
#[cfg(test)]
mod tests;
mod view;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

pub use refused::REFUSED;

use super::Knowledge;
use super::domain::{Condition, Domain, Raise};
use crate::literal::{Atom, Facts};

/// Identifies a node as long as it is in its forest.
pub type NodeKey = u32;

#[derive(Clone, Copy)]
pub struct Moment<'a> {
    pub facts: &'a Facts,
    pub goals: &'a [Atom],
    /// Whether a part of a goal holds, judged as goals are: by the world.
    pub judge: &'a dyn Fn(&Atom) -> bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    pub key: NodeKey,
    pub action: Atom,
    pub text: String,
    /// Whether its success only may resolve the condition above it.
    pub maybe: bool,
    /// The goal it was planted for; roots only.
    pub goal: Option<Atom>,
    pub added: bool,
    /// Whether a person took it, and what is below it, out of the candidates.
    pub pruned: bool,
    pub blocked: Option<Blocked>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blocked {
    pub condition: Atom,
    /// The literal that holds once it is resolved.
    pub resolution: Atom,
    /// The world's words, where its error raised the condition.
    pub error: Option<String>,
    pub children: Vec<Node>,
}

impl Node {
    pub fn children(&self) -> &[Node] {
        self.blocked.as_ref().map_or(&[], |b| &b.children)
    }

    fn children_mut(&mut self) -> &mut [Node] {
        self.blocked.as_mut().map_or(&mut [], |b| &mut b.children)
    }

    /// Whether it can be selected: nothing grows below it, and it is not pruned.
    pub(crate) fn is_leaf(&self) -> bool {
        !self.pruned && self.children().is_empty()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// It is blocked: the tree has grown, nothing is to be executed.
    Blocked(Blocked),
    Execute,
    /// No leaf has this text; nothing has changed.
    NotALeaf,
}

/// The trees of an episode, and what they remember.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Forest {
    trees: Vec<Node>,
    goals: Vec<Atom>,
    done: Vec<Atom>,
    /// Those that were closed and not met.
    #[serde(default)]
    missed: Vec<Atom>,
    /// Whether the request whose goals there were was closed since the forest was settled.
    #[serde(skip)]
    closed: bool,
    remembered: BTreeSet<Atom>,
    selections: u32,
    next: NodeKey,
}

impl Forest {
    pub fn plant(domain: &Domain, moment: &Moment<'_>) -> Self {
        let mut forest = Forest { goals: moment.goals.to_vec(), ..Forest::default() };
        forest.replant(domain, moment);
        forest
    }

    fn replant(&mut self, domain: &Domain, moment: &Moment<'_>) {
        self.trees.clear();
        for goal in self.goals.clone() {
            for action in domain.roots(&goal, moment.judge) {
                let node = self.node(domain, action, false);
                self.trees.push(Node { goal: Some(goal.clone()), ..node });
            }
        }
    }

    /// Plants what a domain now names for the goals left: trees that are named still stay as they grew, in the new order.
    pub(super) fn replant_roots(&mut self, domain: &Domain) {
        let mut before = std::mem::take(&mut self.trees);
        for goal in self.goals.clone() {
            for action in domain.roots(&goal, &|_| false) {
                let tree = match before.iter().position(|tree| tree.action == action) {
                    Some(at) => before.remove(at),
                    None => self.node(domain, action, false),
                };
                self.trees.push(Node { goal: Some(goal.clone()), ..tree });
            }
        }
    }

    /// Shows every node with those above it, the root first.
    pub fn visit<'a>(&'a self, seen: &mut dyn FnMut(&'a Node, &[&'a Node])) {
        fn go<'a>(node: &'a Node, above: &mut Vec<&'a Node>, seen: &mut dyn FnMut(&'a Node, &[&'a Node])) {
            seen(node, above);
            above.push(node);
            node.children().iter().for_each(|child| go(child, above, seen));
            above.pop();
        }
        self.trees.iter().for_each(|tree| go(tree, &mut Vec::new(), seen));
    }

    fn node(&mut self, domain: &Domain, action: Atom, maybe: bool) -> Node {
        let key = self.next;
        self.next = self.next.wrapping_add(1);
        let text = domain.text(&action);
        Node { key, action, text, maybe, goal: None, added: false, pruned: false, blocked: None }
    }

    /// The trees, in the order of their goals.
    pub fn trees(&self) -> &[Node] {
        &self.trees
    }

    pub fn goals(&self) -> &[Atom] {
        &self.goals
    }

    /// The goals met and not open again, in the order they were met.
    pub fn done(&self) -> &[Atom] {
        &self.done
    }

    /// The request that was open is closed: its goals are over, whatever the next one wants.
    pub(super) fn close(&mut self, met: bool) {
        let over = std::mem::take(&mut self.goals);
        if met { &mut self.done } else { &mut self.missed }.extend(over);
        self.closed = true;
    }

    /// Conditions that errors raised and that nothing has resolved since.
    pub fn remembered(&self) -> &BTreeSet<Atom> {
        &self.remembered
    }

    /// Selections so far, blocked ones included.
    pub fn selections(&self) -> u32 {
        self.selections
    }

    /// The leaves of all trees, left to right; of leaves with one text only the first.
    pub fn leaves(&self) -> Vec<&Node> {
        let mut leaves = Vec::new();
        self.trees.iter().for_each(|tree| collect(tree, &mut leaves));
        let mut seen = BTreeSet::new();
        leaves.retain(|leaf| seen.insert(leaf.text.as_str()));
        leaves
    }

    pub fn leaf(&self, text: &str) -> Option<&Node> {
        self.leaves().into_iter().find(|leaf| leaf.text == text)
    }

    /// The node of that key, and its ancestors, the root first.
    pub fn path(&self, key: NodeKey) -> Vec<&Node> {
        let mut path = Vec::new();
        self.trees.iter().any(|tree| find(tree, key, &mut path));
        path.reverse();
        path
    }

    pub fn blocking(&self, domain: &Domain, action: &Atom, facts: &Facts) -> Option<Atom> {
        domain.blocked(action, &Knowledge::new(domain, facts, &self.remembered))
    }

    /// Selects a leaf: its blocking conditions are tested, and the first that holds blocks it.
    pub fn select(&mut self, domain: &Domain, text: &str, facts: &Facts) -> Selection {
        let Some((key, action)) = self.leaf(text).map(|leaf| (leaf.key, leaf.action.clone())) else {
            return Selection::NotALeaf;
        };
        let Some(condition) = self.blocking(domain, &action, facts) else { return Selection::Execute };
        self.selections = self.selections.saturating_add(1);
        let blocked = self.grown(domain, condition, None, facts);
        if let Some(node) = self.get_mut(key) {
            node.blocked = Some(blocked.clone());
        }
        Selection::Blocked(blocked)
    }

    /// Takes in that the world executed an action, and what it said. Gives what an error raised.
    ///
    /// An action that is no leaf (a person's) leaves the trees as they are, but for the conditions it resolved.
    pub fn executed(
        &mut self,
        domain: &Domain,
        text: &str,
        error: Option<&str>,
        moment: &Moment<'_>,
    ) -> Option<Blocked> {
        self.selections = self.selections.saturating_add(1);
        let leaf = self.leaf(text).map(|leaf| (leaf.key, leaf.action.clone()));
        let refused = leaf.as_ref().filter(|_| error.is_some()).map(|(_, action)| action.clone());
        let raised = match (leaf, error) {
            (Some((key, action)), Some(error)) => self.refused(domain, key, &action, error, moment.facts),
            (Some((key, _)), None) => {
                self.succeeded(domain, key, moment.facts);
                None
            }
            (None, Some(_)) => None,
            (None, None) => {
                self.test_again(domain, moment.facts);
                None
            }
        };
        if domain.refresh {
            self.refresh(domain, refused.as_ref(), moment.facts);
        }
        self.settle(domain, moment);
        raised
    }

    /// An error either has its own condition, or costs the leaf, or blocks it where it is the only way.
    fn refused(&mut self, domain: &Domain, key: NodeKey, action: &Atom, error: &str, facts: &Facts) -> Option<Blocked> {
        let condition = match domain.raised(action, error) {
            Some(condition) => {
                if domain.is_remembered(&condition) {
                    self.remembered.insert(condition.clone());
                }
                condition
            }
            None => {
                let parent = self.parent_mut(key).and_then(|p| p.blocked.as_mut());
                if let Some(blocked) = parent.filter(|b| b.children.len() > 1) {
                    blocked.children.retain(|child| child.key != key);
                    return None;
                }
                domain.failed(action)?
            }
        };
        let blocked = self.grown(domain, condition, Some(error.to_owned()), facts);
        self.get_mut(key)?.blocked = Some(blocked.clone());
        Some(blocked)
    }

    /// Looks again at all that grew: resolved conditions are dropped, and what may resolve the others is what is offered now, but
    /// for an action just refused. What an error raised without a test stays.
    fn refresh(&mut self, domain: &Domain, refused: Option<&Atom>, facts: &Facts) {
        let mut trees = std::mem::take(&mut self.trees);
        trees.iter_mut().for_each(|tree| self.refresh_below(domain, refused, facts, tree));
        self.trees = trees;
    }

    fn refresh_below(&mut self, domain: &Domain, refused: Option<&Atom>, facts: &Facts, node: &mut Node) {
        let Some(mut blocked) = node.blocked.take() else { return };
        let raise = domain.condition(&blocked.condition.predicate).map(|c| &c.raise);
        if raise != Some(&Raise::Passing) {
            if self.is_resolved(domain, &blocked, facts) {
                return;
            }
            let offered = self.grown(domain, blocked.condition.clone(), None, facts).children;
            let mut before = std::mem::take(&mut blocked.children);
            for offer in offered {
                match before.iter().position(|child| child.action == offer.action) {
                    Some(at) => blocked.children.push(before.remove(at)),
                    None if Some(&offer.action) != refused => blocked.children.push(offer),
                    None => {}
                }
            }
            blocked.children.extend(before.into_iter().filter(|child| child.added));
        }
        blocked.children.iter_mut().for_each(|child| self.refresh_below(domain, refused, facts, child));
        node.blocked = Some(blocked);
    }

    fn succeeded(&mut self, domain: &Domain, key: NodeKey, facts: &Facts) {
        let Some(parent) = self.parent_mut(key) else { return self.trees.retain(|tree| tree.key != key) };
        let (parent, action) = (parent.key, parent.action.clone());
        let maybe = self.path(key).last().is_some_and(|node| node.maybe);
        let Some(blocked) = self.get_mut(parent).and_then(|node| node.blocked.take()) else { return };
        self.remembered.remove(&blocked.condition);
        if !maybe || self.is_resolved(domain, &blocked, facts) {
            return;
        }
        // Something has changed, perhaps: what blocks the parent now?
        if let Some(condition) = self.blocking(domain, &action, facts) {
            let grown = self.grown(domain, condition, None, facts);
            if let Some(node) = self.get_mut(parent) {
                node.blocked = Some(grown);
            }
        }
    }

    fn is_resolved(&self, domain: &Domain, blocked: &Blocked, facts: &Facts) -> bool {
        match domain.condition(&blocked.condition.predicate) {
            Some(Condition { raise: Raise::Passing, .. }) => true,
            _ => Knowledge::new(domain, facts, &self.remembered).holds(&blocked.resolution),
        }
    }

    fn test_again(&mut self, domain: &Domain, facts: &Facts) {
        let mut trees = std::mem::take(&mut self.trees);
        trees.iter_mut().for_each(|tree| self.clear(domain, facts, tree));
        self.trees = trees;
    }

    fn clear(&self, domain: &Domain, facts: &Facts, node: &mut Node) {
        if node.blocked.as_ref().is_some_and(|blocked| self.is_resolved(domain, blocked, facts)) {
            node.blocked = None;
        }
        node.children_mut().iter_mut().for_each(|child| self.clear(domain, facts, child));
    }

    /// Goals that were met take their trees with them: the forest is planted again.
    fn settle(&mut self, domain: &Domain, moment: &Moment<'_>) {
        // What another request wants in the same words was not met before.
        let is_another = std::mem::take(&mut self.closed);
        let changed = is_another || self.goals != moment.goals;
        if changed {
            // From the end, as those in front are met first: of a goal that stands there twice one may be left.
            let mut left = moment.goals.to_vec();
            let mut met = Vec::new();
            for goal in std::mem::replace(&mut self.goals, moment.goals.to_vec()).into_iter().rev() {
                match left.iter().rposition(|other| *other == goal) {
                    Some(at) => _ = left.remove(at),
                    None => met.push(goal),
                }
            }
            self.done.extend(met.into_iter().rev());
            // What is to be met again is over no longer.
            for goal in left.into_iter().filter(|_| !is_another) {
                if let Some(at) = self.done.iter().rposition(|other| *other == goal) {
                    self.done.remove(at);
                }
            }
        }
        if changed || self.trees.is_empty() {
            self.replant(domain, moment);
        }
    }

    fn grown(&mut self, domain: &Domain, condition: Atom, error: Option<String>, facts: &Facts) -> Blocked {
        let known = Knowledge::new(domain, facts, &self.remembered);
        let resolving = domain.resolving(&condition, &known);
        let resolution = domain.resolution(&condition).unwrap_or_else(|| condition.clone());
        let children = resolving.into_iter().map(|r| self.node(domain, r.action, r.maybe)).collect();
        Blocked { condition, resolution, error, children }
    }

    fn get_mut(&mut self, key: NodeKey) -> Option<&mut Node> {
        fn get(nodes: &mut [Node], key: NodeKey) -> Option<&mut Node> {
            nodes.iter_mut().find_map(|node| if node.key == key { Some(node) } else { get(node.children_mut(), key) })
        }
        get(&mut self.trees, key)
    }

    /// The node above; `None` for a root.
    fn parent_mut(&mut self, key: NodeKey) -> Option<&mut Node> {
        let path = self.path(key);
        let above = path.len().checked_sub(2).and_then(|i| path.get(i))?.key;
        self.get_mut(above)
    }
}

fn collect<'a>(node: &'a Node, leaves: &mut Vec<&'a Node>) {
    if node.is_leaf() {
        leaves.push(node);
    } else if !node.pruned {
        node.children().iter().for_each(|child| collect(child, leaves));
    }
}

/// Finds a node; the path is filled from below.
fn find<'a>(node: &'a Node, key: NodeKey, path: &mut Vec<&'a Node>) -> bool {
    let found = node.key == key || node.children().iter().any(|child| find(child, key, path));
    if found {
        path.push(node);
    }
    found
}
