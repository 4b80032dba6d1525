//! Explanations: why a proposal is blocked and what would unblock it, as the blocking tree of its action under the task.

use std::sync::Arc;

use super::Notice;
use super::task::Driver;
use stepwright_episode::{ProposalId, Session};
use stepwright_method::observed;
use stepwright_program::Call;
use stepwright_world::blocking::{BlockingNode, BlockingTree, Derivation, NodeKind, NodeStatus, known};

impl Driver {
    /// The task with its sub-goals, with their status as far as the agent can know, and the first that is open. Only the sentence where
    /// the planner does not read it.
    pub(super) fn goals(&self) -> (BlockingTree, usize) {
        let session = self.gate.session();
        let (won, done) = session.current().map_or((false, false), |n| (n.outcome.won, n.outcome.done));
        let history: Vec<_> = session.path(session.cursor()).into_iter().map(observed).collect();
        let goal = |parent, text: &str, holds, why: &str| BlockingNode {
            parent,
            kind: NodeKind::Goal,
            text: text.to_owned(),
            status: if holds { NodeStatus::Open } else { NodeStatus::Blocked },
            why: why.to_owned(),
            handle: None,
        };
        // The world decides when the task is done.
        let why = match (won, done) {
            (true, _) => "the goal is reached",
            (false, true) => "not reached, and the episode is over",
            (false, false) => "not reached yet; choose a proposal to see what blocks it",
        };
        let mut tree = BlockingTree::default();
        let root = tree.push(goal(None, &session.header.sentence, won, why));
        let mut open = None;
        for part in self.knowledge.proposer.goal_parts(&session.header.sentence, &history) {
            let node = tree.push(goal(Some(root), &part.text, part.holds, &part.why));
            open = open.or((!part.holds).then_some(node));
        }
        (tree, open.unwrap_or(root))
    }
}

/// All calls on the path to the cursor, actions and observations.
fn history(session: &Session) -> Vec<Call> {
    let calls = session.path(session.cursor()).into_iter().flat_map(|n| &n.outcome.calls);
    calls.filter_map(|c| c.parse().ok()).collect()
}

impl Driver {
    /// Answers with the tree of a proposal of the cursor's turn. A request about another turn's is stale: the session moved on
    /// while it was under way, so it is dropped.
    pub(super) fn explain(&self, proposal: ProposalId) {
        let session = self.gate.session();
        let found = session.current().and_then(|n| n.turn.proposal(proposal));
        let Some(found) = found else { return };
        let call = found.action.as_ref().and_then(|a| a.call.as_deref()).and_then(|c| c.parse::<Call>().ok());
        let (mut tree, under) = self.goals();
        if let Some(root) = tree.nodes.first_mut().filter(|root| root.status == NodeStatus::Blocked) {
            root.why = "not reached yet; the rows below say what the chosen proposal needs".into();
        }
        match call {
            None => {
                let text = found.action.as_ref().map_or_else(|| found.raw.trim().to_owned(), |a| a.text.clone());
                let why = "it has no program call, so no precondition blocks it".to_owned();
                let status = if found.action.is_some() { NodeStatus::Open } else { NodeStatus::Unknown };
                tree.nodes.push(BlockingNode {
                    parent: Some(under),
                    kind: NodeKind::Action,
                    text,
                    status,
                    why,
                    handle: None,
                });
            }
            Some(call) => {
                let history = history(session);
                let known = known(&history);
                let world = self.timeline.world.as_ref();
                let derivation = Derivation {
                    program: &self.program.checked(&self.timeline.state),
                    effects: self.knowledge.proposer.effects(),
                    known: &known,
                    history: &history,
                    phrase: &|call| world.text_of(call).unwrap_or_else(|| call.to_string()),
                };
                derivation.grow(&mut tree, Some(under), &call, "the chosen proposal");
            }
        }
        self.tell(Notice::Blocking { proposal, tree: Arc::new(tree.depth_first()) });
    }
}
