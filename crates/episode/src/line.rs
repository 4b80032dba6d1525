//! The line: the way from the root through the cursor to where it ends, and where undo and redo lead on it.

use super::event::NodeId;
use super::session::{Node, Session};

/// What the decisions of a path came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Steps: what was executed.
    pub steps: u32,
    /// Selections that were blocked: the blocking tree grew, and nothing was executed.
    pub blocked: u32,
    /// Thoughts, calls of skills and reports, which execute nothing either.
    pub held: u32,
}

impl Tally {
    /// Of a path from the root.
    pub fn of(path: &[&Node]) -> Self {
        let counted =
            |is: fn(&Node) -> bool| u32::try_from(path.iter().filter(|node| is(node)).count()).unwrap_or(u32::MAX);
        let (blocked, held) = (counted(|n| n.outcome.blocked.is_some()), counted(|n| n.outcome.held.is_some()));
        Tally { steps: path.last().map_or(0, |tip| tip.steps), blocked, held }
    }
}

impl Session {
    /// The nodes from the root to `to`, both included; empty if there is no such node.
    pub fn path(&self, to: NodeId) -> Vec<&Node> {
        let mut path = Vec::new();
        let mut at = self.node(to);
        while let Some(node) = at {
            path.push(node);
            at = node.parent.and_then(|p| self.node(p));
        }
        path.reverse();
        path
    }

    /// Where undo leads: the parent of the cursor.
    pub fn undo_target(&self) -> Option<NodeId> {
        self.current().and_then(|n| n.parent)
    }

    /// Where redo leads: on along the line.
    pub fn redo_target(&self) -> Option<NodeId> {
        self.current().and_then(|n| self.next(n))
    }

    /// Where the line goes on below a node: the child last on the path, or, where that branch was deleted, the newest that was not.
    pub fn next(&self, node: &Node) -> Option<NodeId> {
        let last = node.last_child.filter(|child| !self.begins_deleted(*child));
        last.or_else(|| self.kept_children(node).next_back().map(|child| child.id))
    }

    /// The line of nodes the cursor is on: root to cursor, then on to the tip as redo would go.
    pub fn line(&self) -> Vec<&Node> {
        let mut line = self.path(self.cursor());
        while let Some(next) = line.last().and_then(|n| self.next(n)).and_then(|c| self.node(c)) {
            line.push(next);
        }
        line
    }
}
