//! Explanations: why a proposal is blocked and what would unblock it, as the blocking tree of its action under the task; and the task
//! alone, where no tree is kept that a person may change.

use stepwright_episode::ProposalId;
use stepwright_program::Call;
use stepwright_world::blocking::{BlockingNode, BlockingTree, Derivation, NodeKind, NodeStatus, known};

use crate::context::{Context, observed};

/// The task with its sub-goals, with their status as far as the agent can know, and the first that is open. Only the sentence where the
/// planner does not read it.
pub(crate) fn goals(cx: &Context<'_>) -> (BlockingTree, usize) {
    let sentence = &cx.session.header.sentence;
    let (reached, done) = cx.session.current().map_or((Some(false), false), |n| (n.outcome.reached(), n.outcome.done));
    let history: Vec<_> = cx.path().into_iter().map(observed).collect();
    let goal = |parent, text: &str, holds, why: &str| {
        let status = if holds { NodeStatus::Open } else { NodeStatus::Blocked };
        node(parent, NodeKind::Goal, text.to_owned(), status, why.to_owned())
    };
    // The world decides when the task is done.
    let why = match (reached, done) {
        (Some(true), _) => "the goal is reached",
        (None, _) => "the episode is over, and whether the goal is reached is not known",
        (Some(false), true) => "not reached, and the episode is over",
        (Some(false), false) => "not reached yet; choose a proposal to see what blocks it",
    };
    let mut tree = BlockingTree::default();
    let root = tree.push(goal(None, sentence, reached == Some(true), why));
    let mut open = None;
    for part in cx.knowledge.proposer.goal_parts(sentence, &history) {
        let node = tree.push(goal(Some(root), &part.text, part.holds, &part.why));
        open = open.or((!part.holds).then_some(node));
    }
    (tree, open.unwrap_or(root))
}

fn node(parent: Option<usize>, kind: NodeKind, text: String, status: NodeStatus, why: String) -> BlockingNode {
    BlockingNode { parent, kind, text, status, why, handle: None }
}

/// The tree of a proposal of the cursor's turn; `None` where it is another turn's.
pub(crate) fn explain(cx: &Context<'_>, proposal: ProposalId) -> Option<BlockingTree> {
    let found = cx.session.current().and_then(|n| n.turn.proposal(proposal))?;
    let call = found.action.as_ref().and_then(|a| a.call.as_deref()).and_then(|c| c.parse::<Call>().ok());
    let (mut tree, under) = goals(cx);
    if let Some(root) = tree.nodes.first_mut().filter(|root| root.status == NodeStatus::Blocked) {
        // The rows below say what the chosen proposal needs.
        root.why.clear();
    }
    match call {
        None => {
            let text = found.action.as_ref().map_or_else(|| found.raw.trim().to_owned(), |a| a.text.clone());
            let why = "it has no program call, so no precondition blocks it".to_owned();
            let status = if found.action.is_some() { NodeStatus::Open } else { NodeStatus::Unknown };
            tree.nodes.push(node(Some(under), NodeKind::Action, text, status, why));
        }
        Some(call) => {
            // All calls on the path to the cursor, actions and observations.
            let calls = cx.path().into_iter().flat_map(|n| &n.outcome.calls);
            let history: Vec<Call> = calls.filter_map(|c| c.parse().ok()).collect();
            let known = known(&history);
            let derivation = Derivation {
                program: &cx.checked(),
                effects: cx.knowledge.proposer.effects(),
                known: &known,
                history: &history,
                phrase: &|call| cx.world.text_of(call).unwrap_or_else(|| call.to_string()),
            };
            derivation.grow(&mut tree, Some(under), &call, "the chosen proposal");
        }
    }
    Some(tree.depth_first())
}
