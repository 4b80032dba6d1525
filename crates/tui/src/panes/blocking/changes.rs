//! A person's changes of the live tree: prune, add, move, force.

use super::BlockingPane;
use crate::pane::{Intent, Pane, PaneAction};
use crate::view::View;
use stepwright_episode::TreeEdit;
use stepwright_protocol::{Command, Level, Request};
use stepwright_world::blocking::{BlockingNode, NodeKind, NodeStatus};

impl BlockingPane {
    pub(super) fn offer(&self, view: &View, node: &BlockingNode, actions: &mut Vec<(PaneAction, &'static str)>) {
        if let Some(handle) = node.handle {
            match (node.status, node.kind) {
                (NodeStatus::Pruned, _) => actions.push((PaneAction::ToggleReject, "put back")),
                (_, NodeKind::Action) => actions.push((PaneAction::ToggleReject, "prune")),
                _ => {}
            }
            if handle.blocked {
                actions.push((PaneAction::Add, "add an action"));
            }
            if handle.leaf {
                actions.push((PaneAction::Force, "force"));
            }
            actions.extend([(PaneAction::MoveUp, "move up"), (PaneAction::MoveDown, "move down")]);
        }
        actions.extend(self.turns(view));
    }

    /// The step that must come first for a change that is not offered.
    pub(super) fn needed(&self, action: PaneAction) -> Option<String> {
        let (_, node) = self.current()?;
        let is_blocked_leaf = node.status == NodeStatus::Blocked && node.handle.is_some_and(|handle| handle.leaf);
        match (action, self.is_live(), node.handle) {
            (
                PaneAction::ToggleReject
                | PaneAction::MoveUp
                | PaneAction::MoveDown
                | PaneAction::Force
                | PaneAction::Add,
                false,
                _,
            ) => Some(
                "this tree explains the proposal; only that of a method which selects from it can be changed"
                    .to_owned(),
            ),
            (PaneAction::ToggleReject, true, _) => Some("only an action can be pruned; go to one".to_owned()),
            (PaneAction::MoveUp | PaneAction::MoveDown, true, _) => {
                Some("only an action or what blocks one can be moved; go to one".to_owned())
            }
            (PaneAction::Force, true, _) => Some("only a candidate can be forced; go to one".to_owned()),
            (PaneAction::Add, true, _) if is_blocked_leaf => {
                Some("what it needs comes into the tree when it is chosen; then actions can be added below".to_owned())
            }
            (PaneAction::Add, true, _) => {
                Some("nothing blocks this row; go to a blocked action or to what it needs".to_owned())
            }
            _ => None,
        }
    }

    pub(super) fn change(&self, action: PaneAction) -> Vec<Intent> {
        let Some((_, node)) = self.current() else { return Vec::new() };
        let Some(handle) = node.handle else { return Vec::new() };
        let pruned = node.status != NodeStatus::Pruned;
        let edit = match action {
            PaneAction::ToggleReject if node.kind == NodeKind::Action => TreeEdit::Prune { node: handle.node, pruned },
            PaneAction::MoveUp => TreeEdit::Move { node: handle.node, up: true },
            PaneAction::MoveDown => TreeEdit::Move { node: handle.node, up: false },
            PaneAction::Force if handle.leaf => {
                return vec![Intent::Send(Command::Gate(Request::Manual { text: node.text.clone() }))];
            }
            PaneAction::Add if handle.blocked => return vec![Intent::AddToTree(handle.node)],
            _ => return Vec::new(),
        };
        let mut intents = vec![Intent::Send(Command::Gate(Request::edit_tree(&edit)))];
        if let TreeEdit::Prune { pruned: true, .. } = edit {
            let words = format!("`{}` is pruned: it is last in Proposals, and the others are renumbered", node.text);
            intents.insert(0, Intent::Say(Level::Info, words));
        }
        intents
    }
}
