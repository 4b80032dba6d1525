//! View of the forest: goals, their actions, the conditions that block, what may resolve them, and why each is there.

use super::{Forest, Node};
use crate::blocking::domain::Domain;
use crate::blocking::{BlockingNode, BlockingTree, Handle, NodeKind, NodeStatus};
use crate::literal::{Atom, Facts};

impl Forest {
    /// The forest for display: goals met, those closed and not met, then the goals left with their trees.
    pub fn shown(&self, domain: &Domain, facts: &Facts) -> BlockingTree {
        let mut tree = BlockingTree::default();
        for goal in &self.done {
            let why = meaning(domain, goal).map_or_else(|| "met".to_owned(), |about| format!("met: {about}"));
            push(&mut tree, None, NodeKind::Goal, domain.spoken(&goal.to_string()), NodeStatus::Done, why);
        }
        for goal in &self.missed {
            let (text, why) = (domain.spoken(&goal.to_string()), "closed, and not met".to_owned());
            push(&mut tree, None, NodeKind::Goal, text, NodeStatus::Missed, why);
        }
        for goal in &self.goals {
            let about = meaning(domain, goal).map(|about| format!(": {about}")).unwrap_or_default();
            let mine: Vec<&Node> = self.trees.iter().filter(|t| t.goal.as_ref() == Some(goal)).collect();
            let why = match (mine.len(), domain.rootless) {
                (0, "") => format!("to be met{about}; nothing is left to be done for it, or the domain knows no way"),
                (0, rootless) => format!("to be met{about}; {rootless}"),
                _ => format!("to be met{about}"),
            };
            let text = domain.spoken(&goal.to_string());
            let at = push(&mut tree, None, NodeKind::Goal, text, NodeStatus::Blocked, why);
            for root in mine {
                let why = domain.root_in_words(Some(goal));
                self.show(domain, facts, root, Some(at), &why, &mut tree);
            }
        }
        tree
    }

    /// The trees alone for display, without goals; `why` says why they are there.
    pub(crate) fn shown_alone(&self, domain: &Domain, facts: &Facts, why: &str) -> BlockingTree {
        let mut tree = BlockingTree::default();
        self.trees.iter().for_each(|root| self.show(domain, facts, root, None, why, &mut tree));
        tree
    }

    fn show(
        &self,
        domain: &Domain,
        facts: &Facts,
        node: &Node,
        above: Option<usize>,
        why: &str,
        tree: &mut BlockingTree,
    ) {
        let status = match (&node.blocked, node.pruned, node.maybe) {
            (_, true, _) => NodeStatus::Pruned,
            (Some(blocked), ..) if domain.refresh || !blocked.children.is_empty() => NodeStatus::Blocked,
            (_, _, true) => NodeStatus::Possibly,
            (_, _, false) => NodeStatus::Open,
        };
        let mut words = why.to_owned();
        if node.added {
            words.push_str("; a person added it");
        }
        if node.pruned {
            words.push_str("; a person pruned it, so it is no candidate");
        } else if node.is_leaf() {
            words.push_str(&match self.blocking(domain, &node.action, facts) {
                // All was checked again after the last step, so what would resolve it would be below it.
                Some(condition) if domain.refresh && node.blocked.is_some() => {
                    format!("; it is blocked, and nothing is known to resolve {}", stated(domain, &condition))
                }
                Some(condition) => {
                    format!(
                        "; a candidate: choosing it executes nothing and adds to the tree what may resolve {}",
                        stated(domain, &condition)
                    )
                }
                None => match domain.waived.get(&node.action.to_string()) {
                    Some(waived) => {
                        format!("; a candidate: {waived}; nothing else known blocks it, so choosing it executes it")
                    }
                    None => "; a candidate: nothing known blocks it, so choosing it executes it".to_owned(),
                },
            });
        }
        let at = push(tree, above, NodeKind::Action, node.text.clone(), status, words);
        if let Some(shown) = tree.nodes.get_mut(at) {
            shown.handle = Some(Handle { node: node.key, leaf: node.is_leaf(), blocked: node.blocked.is_some() });
        }
        let Some(blocked) = &node.blocked else { return };
        let resolution = domain.spoken(&blocked.resolution.to_string());
        let error = blocked.error.as_ref().map(|e| format!(" (the world said: {e})")).unwrap_or_default();
        let why = format!(
            "`{}` is blocked: {}{error}; what makes `{resolution}` true unblocks it",
            node.text,
            stated(domain, &blocked.condition)
        );
        let under = push(tree, Some(at), NodeKind::Condition, resolution.clone(), NodeStatus::Blocked, why);
        if let Some(shown) = tree.nodes.get_mut(under) {
            // What is done to the condition is done to the action it blocks.
            shown.handle = Some(Handle { node: node.key, leaf: false, blocked: true });
        }
        for child in &blocked.children {
            let offered = (blocked.condition.predicate.clone(), child.action.predicate.clone());
            let why = match (domain.offered.get(&offered), child.maybe) {
                (Some(why), _) => format!("for `{resolution}`: {why}"),
                (None, true) => format!("it may make `{resolution}` true"),
                (None, false) => format!("it makes `{resolution}` true"),
            };
            self.show(domain, facts, child, Some(under), &why, tree);
        }
    }

    /// Why a leaf is there, from the goal down: `to reach ON d: switch on d, which needs VISIBLE d`.
    pub fn reason(&self, domain: &Domain, text: &str) -> Option<String> {
        let path = self.path(self.leaf(text)?.key);
        let goal = path.first()?.goal.as_ref().map(|g| domain.spoken(&g.to_string()));
        let mut words = goal.map_or_else(String::new, |goal| format!("for `{goal}`"));
        for node in path.iter().rev().skip(1).rev() {
            if let Some(blocked) = &node.blocked {
                let resolution = domain.spoken(&blocked.resolution.to_string());
                words.push_str(&format!(": `{}` needs `{resolution}`", node.text));
            }
        }
        Some(words)
    }
}

/// A condition in words with its things: `not_visible cup` (cup is not seen from here).
fn stated(domain: &Domain, condition: &Atom) -> String {
    let text = domain.spoken(&condition.to_string());
    match domain.condition(&condition.predicate) {
        Some(schema) if !schema.about.is_empty() => {
            format!("`{text}` ({})", domain.described(&schema.about, &schema.form.args, condition))
        }
        _ => format!("`{text}`"),
    }
}

fn meaning(domain: &Domain, goal: &Atom) -> Option<String> {
    let schema = domain.goal(goal).filter(|g| !g.about.is_empty())?;
    Some(domain.described(&schema.about, &schema.form.args, goal))
}

fn push(
    tree: &mut BlockingTree,
    parent: Option<usize>,
    kind: NodeKind,
    text: String,
    status: NodeStatus,
    why: String,
) -> usize {
    tree.push(BlockingNode { parent, kind, text, status, why, handle: None })
}
