//! Why a proposal is blocked and what would unblock it: the blocking tree of its action, under the task.

use std::sync::Arc;

use super::task::Driver;
use super::{Level, Notice};
use crate::blocking::Derivation;
use crate::blocking::{BlockingNode, BlockingTree, NodeKind, NodeStatus};
use crate::episode::{ProposalId, Session};
use crate::program::{Call, Literal};

/// The task as the root of a tree.
pub(super) fn goals(session: &Session) -> BlockingTree {
    let won = session.current().is_some_and(|n| n.outcome.won);
    let (status, why) = match won {
        true => (NodeStatus::Open, "the goal is reached"),
        false => (NodeStatus::Blocked, "not reached yet; choose a proposal to see what stands in its way"),
    };
    let text = session.header.sentence.clone();
    BlockingTree { nodes: vec![BlockingNode { parent: None, kind: NodeKind::Goal, text, status, why: why.into() }] }
}

/// All calls on the way to the cursor, actions and observations.
fn history(session: &Session) -> Vec<Call> {
    let calls = session.path(session.cursor()).into_iter().flat_map(|n| &n.outcome.calls);
    calls.filter_map(|c| c.parse().ok()).collect()
}

/// Names in the calls so far, those met last first.
fn known(history: &[Call]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for arg in history.iter().rev().flat_map(|c| &c.args) {
        if let Literal::Str(name) = arg
            && !names.contains(name)
        {
            names.push(name.clone());
        }
    }
    names
}

impl Driver {
    /// Answers with the tree of a proposal of the cursor's turn.
    pub(super) fn explain(&self, proposal: ProposalId) {
        let session = self.gate.session();
        let found = session.current().and_then(|n| n.turn.proposal(proposal));
        let Some(found) = found else {
            return self.say(Level::Error, format!("there is no proposal {proposal} at this point"));
        };
        let call = found.action.as_ref().and_then(|a| a.call.as_deref()).and_then(|c| c.parse::<Call>().ok());
        let mut tree = goals(session);
        match call {
            None => {
                let text = found.action.as_ref().map_or_else(|| found.raw.trim().to_owned(), |a| a.text.clone());
                let why = "it has no program call, so no precondition stands in its way".to_owned();
                let status = if found.action.is_some() { NodeStatus::Open } else { NodeStatus::Unknown };
                tree.nodes.push(BlockingNode { parent: Some(0), kind: NodeKind::Action, text, status, why });
            }
            Some(call) => {
                let history = history(session);
                let known = known(&history);
                let world = self.points.world.as_ref();
                let derivation = Derivation {
                    program: &self.mind.outlook(&self.points.state),
                    effects: self.proposer.effects(),
                    known: &known,
                    history: &history,
                    phrase: &|call| world.text_of(call).unwrap_or_else(|| call.to_string()),
                };
                derivation.grow(&mut tree, Some(0), &call, "the chosen proposal");
            }
        }
        self.tell(Notice::Blocking { proposal, tree: Arc::new(tree) });
    }
}
