//! Edits of the forest by a person.

use super::{Forest, Node, NodeKey};
use crate::blocking::domain::Domain;
use crate::literal::Atom;
use stepwright_episode::TreeEdit;

impl Forest {
    /// Makes a person's change.
    /// Errors: where it makes no sense, in words; the forest is then as it was.
    pub fn edit(&mut self, domain: &Domain, edit: &TreeEdit) -> Result<(), String> {
        match edit {
            TreeEdit::Prune { node, pruned } => self.prune(*node, *pruned),
            TreeEdit::Add { under, action } => self.add(domain, *under, action),
            TreeEdit::Move { node, up } => self.shift(*node, *up),
        }
    }

    fn known(&self, key: NodeKey) -> Result<&Node, String> {
        self.path(key).last().copied().ok_or_else(|| "this action is no longer in the tree".to_owned())
    }

    fn siblings_mut(&mut self, key: NodeKey) -> &mut [Node] {
        let path = self.path(key);
        match path.len().checked_sub(2).and_then(|i| path.get(i)).map(|above| above.key) {
            None => &mut self.trees,
            Some(above) => self.get_mut(above).map_or(&mut [], Node::children_mut),
        }
    }

    fn prune(&mut self, key: NodeKey, pruned: bool) -> Result<(), String> {
        let text = self.known(key)?.text.clone();
        let siblings = self.siblings_mut(key);
        let Some(at) = siblings.iter().position(|node| node.key == key) else { return Ok(()) };
        let others = siblings.iter().enumerate().any(|(i, node)| i != at && !node.pruned);
        let node = siblings.get_mut(at).filter(|node| node.pruned != pruned);
        let Some(node) = node else {
            return Err(format!("`{text}` is {} already", if pruned { "pruned" } else { "a candidate" }));
        };
        if pruned && !others {
            return Err(format!(
                "`{text}` is the only way left here; prune what is above it, or add another action first"
            ));
        }
        node.pruned = pruned;
        Ok(())
    }

    fn add(&mut self, domain: &Domain, under: NodeKey, text: &str) -> Result<(), String> {
        let text = text.trim();
        if text.is_empty() {
            return Err("nothing was typed; type an action of this world".to_owned());
        }
        let Some(blocked) = &self.known(under)?.blocked else {
            return Err("nothing blocks this action, so there is nothing to resolve; select it first".to_owned());
        };
        if blocked.children.iter().any(|child| child.text == text) {
            return Err(format!("`{text}` is offered here already"));
        }
        // An action the domain does not know is taken as it is: nothing blocks it but the world.
        let action =
            domain.read_text(text).unwrap_or_else(|| Atom::new(text.replace(char::is_whitespace, " "), [""; 0]));
        let mut node = self.node(domain, action, true);
        (node.text, node.added) = (text.to_owned(), true);
        if let Some(blocked) = self.get_mut(under).and_then(|above| above.blocked.as_mut()) {
            blocked.children.push(node);
        }
        Ok(())
    }

    fn shift(&mut self, key: NodeKey, up: bool) -> Result<(), String> {
        self.known(key)?;
        let siblings = self.siblings_mut(key);
        let at = siblings.iter().position(|node| node.key == key).unwrap_or_default();
        let to = if up { at.checked_sub(1) } else { Some(at + 1).filter(|to| *to < siblings.len()) };
        let Some(to) = to else { return Err(format!("it is the {} here already", if up { "first" } else { "last" })) };
        siblings.swap(at, to);
        Ok(())
    }
}
