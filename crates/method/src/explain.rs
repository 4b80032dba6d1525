//! Explanations: why a proposal is blocked and what would unblock it, as the blocking tree of its action under the task; and the task
//! with what it wants done and what blocks that, where no tree is kept that a person may change.

use stepwright_episode::ProposalId;
use stepwright_program::Call;
use stepwright_world::blocking::{BlockingNode, BlockingTree, Derivation, NodeKind, NodeStatus, known};
use stepwright_world::planner::AgentContext;

use crate::context::{Context, observed};

/// Actions that a task wants, at most.
const WANTED: usize = 5;

/// The open request or the task with its goals; below them the actions wanted, with what blocks each and what would unblock it, where the
/// planner reads no sub-goals off the sentence.
pub(crate) fn goals(cx: &Context<'_>) -> BlockingTree {
    let (mut tree, _) = parts(cx);
    if tree.nodes.first().is_some_and(|root| root.status == NodeStatus::Blocked)
        && cx.node().is_some_and(|n| !n.outcome.done)
    {
        if let Some(root) = tree.nodes.first_mut().filter(|_| cx.knowledge.is_being_inferred()) {
            root.why.push_str("; what actions change is still being inferred");
        }
        if cx.knowledge.is_being_inferred() && !cx.knowledge.proposer.is_prepared() {
            return tree;
        }
        wanted(cx, &mut tree);
    }
    tree.depth_first()
}

/// The task with its sub-goals, with their status as far as the agent can know, and the first that is open.
fn parts(cx: &Context<'_>) -> (BlockingTree, usize) {
    let sentence = &cx.session.header.sentence;
    let request = cx.world.request().map(|request| request.query).filter(|words| !words.trim().is_empty());
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
    let root = tree.push(goal(None, request.as_ref().unwrap_or(sentence), reached == Some(true), why));
    let mut open = None;
    let mut push = |text: &str, holds: bool, why: &str| {
        let node = tree.push(goal(Some(root), text, holds, why));
        open = open.or((!holds).then_some(node));
    };
    let read = cx.knowledge.proposer.goal_parts(sentence, &history);
    read.iter().for_each(|part| push(&part.text, part.holds, &part.why));
    if read.is_empty() {
        let left = cx.world.goals();
        for part in &cx.knowledge.goals {
            let (holds, why) = match left.as_ref().map(|left| !left.contains(part)) {
                Some(true) => (true, "it holds"),
                Some(false) => (false, "it does not hold yet"),
                None => (false, "the world does not tell here whether it holds"),
            };
            push(&part.to_string(), holds, why);
        }
    }
    (tree, open.unwrap_or(root))
}

/// Adds the actions wanted, below their goals.
fn wanted(cx: &Context<'_>, tree: &mut BlockingTree) {
    let (facts, goals) = (cx.world.facts(), cx.world.goals().unwrap_or_default());
    let (program, history) = (cx.checked(), cx.history());
    let agent = &cx.knowledge.proposer;
    if !agent.goal_parts(&cx.session.header.sentence, &history).is_empty() {
        return;
    }
    let context = AgentContext {
        sentence: &cx.session.header.sentence,
        program: &program,
        history: &history,
        rejected: &[],
        observed: facts.as_ref().map(|facts| (facts, goals.as_slice())),
        reference: cx.reference().and_then(Result::ok),
    };
    let wanted = agent.wanted(&context, WANTED.max(goals.len())).into_iter().map(|wanted| {
        let goal = wanted.goal.map(|goal| goal.to_string());
        let is_it = |node: &BlockingNode| node.kind == NodeKind::Goal && goal.as_ref() == Some(&node.text);
        (tree.nodes.iter().position(is_it).unwrap_or(0), wanted.call)
    });
    let wanted: Vec<(usize, Call)> = wanted.collect();
    grow(cx, tree, &wanted, "the task wants it; what blocks it is below");
}

/// Adds actions, each under a node, with what blocks them and what would unblock that, by the assertions and the effects known.
fn grow(cx: &Context<'_>, tree: &mut BlockingTree, actions: &[(usize, Call)], why: &str) {
    // All calls on the path to the cursor, actions and observations.
    let calls = cx.path().into_iter().flat_map(|n| &n.outcome.calls);
    let history: Vec<Call> = calls.filter_map(|c| c.parse().ok()).collect();
    let (known, steps) = (known(&history), cx.history());
    let program = cx.checked();
    let derivation = Derivation {
        // It is shown again once that is known.
        program: &if cx.knowledge.is_being_inferred() { program } else { cx.as_shown(program) },
        effects: cx.knowledge.proposer.effects(),
        known: &known,
        history: &history,
        replies: &cx.knowledge.proposer.replies(),
        asks: &|reply| cx.knowledge.proposer.asks_for(&steps, reply),
        phrase: &|call| cx.world.text_of(call).unwrap_or_else(|| call.to_string()),
    };
    for (under, call) in actions {
        derivation.grow(tree, Some(*under), call, why);
    }
}

fn node(parent: Option<usize>, kind: NodeKind, text: String, status: NodeStatus, why: String) -> BlockingNode {
    BlockingNode { parent, kind, text, status, why, handle: None }
}

/// The goal that an action serves: `first`, where goals come one after the other or only one is open; else the one below which the action
/// is wanted, and the task where it is wanted for none.
fn served(cx: &Context<'_>, tree: &BlockingTree, first: usize, call: &Call) -> usize {
    let is_goal = |node: &BlockingNode| node.kind == NodeKind::Goal && node.parent == Some(0);
    let open = tree.nodes.iter().filter(|node| is_goal(node) && node.status == NodeStatus::Blocked).count();
    let sentence = &cx.session.header.sentence;
    if open < 2 || !cx.knowledge.proposer.goal_parts(sentence, &cx.history()).is_empty() {
        return first;
    }
    let mut whole = tree.clone();
    wanted(cx, &mut whole);
    let text = cx.world.text_of(call).unwrap_or_else(|| call.to_string());
    let mut at = whole.nodes.iter().position(|node| node.kind == NodeKind::Action && node.text == text);
    while let Some(node) = at.and_then(|at| whole.nodes.get(at)) {
        if is_goal(node) {
            return at.unwrap_or_default();
        }
        at = node.parent;
    }
    0
}

/// The tree of a proposal of the cursor's turn; `None` where it is another turn's.
pub(crate) fn explain(cx: &Context<'_>, proposal: ProposalId) -> Option<BlockingTree> {
    let found = cx.session.current().and_then(|n| n.turn.proposal(proposal))?;
    let call = found.action.as_ref().and_then(|a| a.call.as_deref()).and_then(|c| c.parse::<Call>().ok());
    let (mut tree, under) = parts(cx);
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
            let under = served(cx, &tree, under, &call);
            grow(cx, &mut tree, &[(under, call)], "the chosen proposal");
        }
    }
    Some(tree.depth_first())
}
