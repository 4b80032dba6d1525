//! Explanations: why a proposal is blocked and what would unblock it, as the blocking tree of its action under the task; and the task
//! with what it wants done and what blocks that, where no tree is kept that a person may change.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use stepwright_episode::{ProposalId, Status};
use stepwright_program::Call;
use stepwright_trajectory::Step;
use stepwright_world::blocking::{BlockingNode, BlockingTree, Derivation, NodeKind, NodeStatus, known};
use stepwright_world::planner::AgentContext;
use stepwright_world::program::CheckedProgram;

use crate::context::Context;
use crate::lived::observed;
use crate::program_context::ProgramState;

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

/// The task with its sub-goals, with their status as far as the agent can know, and the first that is open: the task, if none is.
fn parts(cx: &Context<'_>) -> (BlockingTree, usize) {
    let sentence = &cx.session.header.sentence;
    let request = cx.world.request().map(|request| request.query).filter(|words| !words.trim().is_empty());
    let (reached, done) = cx.session.current().map_or((Some(false), false), |n| (n.outcome.reached(), n.outcome.done));
    let history = cx.history();
    let goal = |parent, text: &str, holds, why: &str| {
        let status = if holds { NodeStatus::Open } else { NodeStatus::Blocked };
        node(parent, NodeKind::Goal, text.to_owned(), status, why.to_owned())
    };
    // The world decides when the task is done.
    let why = match (reached, done) {
        (Some(true), _) => "the goal is reached",
        (None, _) => "the episode is over, and whether the goal is reached is not known",
        (Some(false), true) => "not reached, and the episode is over",
        // It is kept while proposals come and go.
        (Some(false), false) => "not reached yet; a chosen proposal shows what blocks it",
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
        // What held at the reset and was broken since is a goal too.
        let broken = left.iter().flatten().filter(|goal| !cx.knowledge.goals.contains(goal));
        for part in cx.knowledge.goals.iter().chain(broken) {
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
    let (history, steps) = (cx.calls(), cx.history());
    let known = known(&history);
    let after = OnceCell::new();
    let vain = |call: &Call, blocked: &Call, index: usize| {
        let state = || after.get_or_init(|| afterwards(cx)).get(&call.to_string());
        was_last_of_its_kind(&steps, call) && state().is_some_and(|state| fails_in(cx, state, blocked, index))
    };
    let derivation = Derivation {
        program: &shown(cx, cx.checked()),
        effects: cx.knowledge.proposer.effects(),
        known: &known,
        history: &history,
        replies: &cx.knowledge.proposer.replies(),
        asks: &|reply| cx.knowledge.proposer.asks_for(&steps, reply),
        vain: &vain,
        phrase: &|call| cx.world.text_of(call).unwrap_or_else(|| call.to_string()),
    };
    for (under, call) in actions {
        derivation.grow(tree, Some(*under), call, why);
    }
}

/// A program with what the demonstrations show; without, while that is being found: it is shown again once that is known.
fn shown(cx: &Context<'_>, program: CheckedProgram) -> CheckedProgram {
    if cx.knowledge.is_being_inferred() { program } else { cx.as_shown(program) }
}

/// Whether an action was taken, and nothing but the like of it since: what it did not bring about then it will not now.
fn was_last_of_its_kind(steps: &[Step], call: &Call) -> bool {
    let taken = steps.iter().rev().filter(|step| !step.refused).filter_map(|step| step.call.as_ref());
    taken.take_while(|taken| taken.function == call.function).any(|taken| taken == call)
}

/// The program's state after each action taken on the way here, the last time that it was.
fn afterwards(cx: &Context<'_>) -> BTreeMap<String, ProgramState> {
    let mut state = cx.program.start();
    let mut after = BTreeMap::new();
    for node in cx.path() {
        let calls: Vec<Call> = node.outcome.calls.iter().filter_map(|call| call.parse().ok()).collect();
        state.run(calls.iter());
        let step = observed(node);
        if let Some(call) = step.call.filter(|_| !step.refused) {
            after.insert(call.to_string(), state.clone());
        }
    }
    after
}

/// Whether the condition of that number of an action did not hold in a state.
fn fails_in(cx: &Context<'_>, state: &ProgramState, blocked: &Call, index: usize) -> bool {
    let checks = shown(cx, cx.program.checked(state)).check(blocked);
    checks.get(index).is_some_and(|check| check.status == Status::Fails)
}

fn node(parent: Option<usize>, kind: NodeKind, text: String, status: NodeStatus, why: String) -> BlockingNode {
    BlockingNode { parent, kind, text, status, why, handle: None }
}

/// The goal that an action serves: `first`, where goals come one after the other or none is open; else the one below which the action is
/// wanted, or with which its reason begins, and the task where it is wanted for none.
fn served(cx: &Context<'_>, tree: &BlockingTree, first: usize, call: &Call, reason: &str) -> usize {
    let is_goal = |node: &BlockingNode| node.kind == NodeKind::Goal && node.parent == Some(0);
    let sentence = &cx.session.header.sentence;
    if first == 0 || !cx.knowledge.proposer.goal_parts(sentence, &cx.history()).is_empty() {
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
    let is_named = |node: &BlockingNode| {
        let rest = reason.strip_prefix(&node.text);
        is_goal(node) && node.status == NodeStatus::Blocked && rest.is_some_and(|rest| rest.starts_with(": "))
    };
    tree.nodes.iter().position(is_named).unwrap_or(0)
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
            let is_request = cx.world.requests().is_some();
            let why = match &found.action {
                Some(action) if action.call.is_some() => "it makes several calls; Proposals lists what each needs",
                Some(action) if action.program || (is_request && action.text.lines().nth(1).is_some()) => {
                    "it is a program, of which each call is checked when it is made"
                }
                _ => "it has no program call, so no precondition blocks it",
            };
            let why = why.to_owned();
            let status = if found.action.is_some() { NodeStatus::Open } else { NodeStatus::Unknown };
            tree.nodes.push(node(Some(under), NodeKind::Action, text, status, why));
        }
        Some(call) => {
            let under = served(cx, &tree, under, &call, found.rationale.as_deref().unwrap_or_default());
            grow(cx, &mut tree, &[(under, call)], "the chosen proposal");
        }
    }
    Some(tree.depth_first())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_was_in_vain_while_nothing_but_the_like_of_it_was_done_since() {
        let step = |call: &str, refused| Step { call: Some(call.parse().unwrap()), refused, ..Step::default() };
        let walk: Call = "person.walk('hat')".parse().unwrap();
        let mut steps = vec![
            step("person.walk('hat')", false),
            step("person.walk('coat')", false),
            step("person.grab('coat')", true),
        ];
        assert!(was_last_of_its_kind(&steps, &walk));
        steps.push(step("person.open('wardrobe')", false));
        assert!(!was_last_of_its_kind(&steps, &walk), "it may bring about something else now");
        assert!(!was_last_of_its_kind(&[], &walk));
    }
}
