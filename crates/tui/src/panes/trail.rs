//! Trail: the nodes a pane shows, root first, kept up to date at a cost in proportion to what changed.

use std::path::PathBuf;

use crate::view::View;
use stepwright_episode::{Node, NodeId, Session};

/// The nodes from the root to the cursor, or on to the tip as redo would go.
#[derive(Debug, Default)]
pub(crate) struct Trail {
    ids: Vec<NodeId>,
    to_tip: bool,
    session: Option<(u64, String, Option<PathBuf>)>,
    records: usize,
}

impl Trail {
    pub(crate) fn to_tip() -> Self {
        Trail { to_tip: true, ..Trail::default() }
    }

    /// The nodes, root first; a node's place is its depth.
    pub fn ids(&self) -> &[NodeId] {
        &self.ids
    }

    /// The last of them.
    pub fn tip<'a>(&self, view: &'a View) -> Option<&'a Node> {
        view.session.as_ref()?.node(*self.ids.last()?)
    }

    /// Takes in the view; returns how many of the former nodes are still at the front.
    pub fn update(&mut self, view: &View) -> usize {
        let Some(session) = view.session.as_ref().filter(|s| s.is_started()) else {
            self.ids.clear();
            self.session = None;
            return 0;
        };
        let key = (session.header.created, &session.header.task, &view.path);
        let same =
            self.session.as_ref().is_some_and(|(c, t, p)| (*c, t, p) == key) && view.records.len() >= self.records;
        self.records = view.records.len();
        if !same {
            self.session = Some((key.0, key.1.clone(), key.2.clone()));
            self.ids.clear();
        }
        self.follow(session)
    }

    fn follow(&mut self, session: &Session) -> usize {
        // Up from the cursor to where the former line is met.
        let mut new = Vec::new();
        let mut at = session.current();
        let mut kept = 0;
        while let Some(node) = at {
            if self.ids.get(node.depth as usize) == Some(&node.id) {
                kept = node.depth as usize + 1;
                break;
            }
            new.push(node.id);
            at = node.parent.and_then(|p| session.node(p));
        }
        if !new.is_empty() {
            self.ids.truncate(kept);
            self.ids.extend(new.into_iter().rev());
        }
        if !self.to_tip {
            self.ids.truncate(session.current().map_or(0, |n| n.depth as usize + 1));
            return kept.min(self.ids.len());
        }
        // On to the tip, as long as the former line agrees.
        let mut depth = session.current().map_or(0, |n| n.depth as usize);
        while let Some(next) = session.node(*self.ids.get(depth).unwrap_or(&0)).and_then(|n| session.next(n)) {
            depth += 1;
            match self.ids.get(depth) {
                Some(id) if *id == next => kept = depth + 1,
                _ => {
                    self.ids.truncate(depth);
                    self.ids.push(next);
                }
            }
        }
        self.ids.truncate(depth + 1);
        kept.min(self.ids.len())
    }
}
