//! What a program was answered so far, read from the records: each action it took with what the world said, each function a model
//! answered; and what it does next, as far as that was found out.

use serde_json::Value;
use stepwright_skill::code::{self, Next, acted};

use crate::episode::{Ask, AskKind, AskState, Node, Proposal};
use crate::method::context::{decided, kind_of, source};
use crate::method::plan_following::InForce;

/// What a program is answered where a person refused its action: what a world says of an action without effect.
const REFUSED: &str = "Nothing happens.";

/// What is known of a program's run.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct RunSoFar {
    /// The answers to its calls, in their order.
    pub(super) answers: Vec<Value>,
    /// How many of these were actions.
    pub(super) actions: usize,
    /// What comes after them; `None` where it has to be found out.
    pub(super) next: Option<Next>,
}

/// The kind of an ask what a program does next.
pub(super) fn run_kind() -> AskKind {
    AskKind::Other { label: "the program's next call".to_owned() }
}

/// The kind of an ask for the answer to a call of a program.
pub(super) fn function_kind(number: usize, function: &str) -> AskKind {
    AskKind::Other { label: format!("{function}, call {} of the program", number + 1) }
}

fn text_of(ask: &Ask) -> Option<&str> {
    match &ask.state {
        AskState::Answered { texts, .. } => texts.first().map(String::as_str),
        _ => None,
    }
}

impl RunSoFar {
    /// Of the program in force at the end of a path.
    pub(super) fn of(path: &[&Node], force: &InForce<'_>) -> Self {
        let mut run = RunSoFar::default();
        let at = path.iter().position(|node| node.id == force.made_at).unwrap_or(path.len());
        let nodes = path.get(at..).unwrap_or_default();
        for (i, node) in nodes.iter().enumerate() {
            run.asks(node, force);
            run.taken(node, nodes.get(i + 1).copied(), force);
        }
        run
    }

    /// Takes in what was found out at a node, in its order. An action that a person refused there was answered to the program before
    /// anything else was found out.
    fn asks(&mut self, node: &Node, force: &InForce<'_>) {
        let run = run_kind();
        let turn = &node.turn;
        for ask in turn.asks.iter().filter(|ask| ask.id > force.ask) {
            if ask.kind == AskKind::PLAN_LINE {
                let refused = turn.proposals.iter().any(|p| p.ask == Some(ask.id) && turn.rejection(p.id).is_some());
                if refused && self.waits_to_act() {
                    self.answer(acted(REFUSED, 0.0, false, false));
                }
                continue;
            }
            let Some(text) = text_of(ask) else { continue };
            if ask.kind == run {
                let next = serde_json::from_str::<Next>(text).ok();
                // One that was found out before an answer came in tells nothing more.
                let fresh = |next: &Next| !matches!(next, Next::Call { number, .. } if *number != self.answers.len());
                if let Some(next) = next.filter(fresh) {
                    self.next = Some(next);
                }
            } else if let Some(Next::Call { number, function, .. }) = &self.next
                && ask.kind == function_kind(*number, function)
            {
                let answer = code::answer(function, text);
                self.answer(answer);
            }
        }
    }

    /// Takes in the step from a node to the next, if it was the action that the program waited to take.
    fn taken(&mut self, node: &Node, child: Option<&Node>, force: &InForce<'_>) {
        let Some(child) = child.filter(|_| self.waits_to_act()) else { return };
        let is_its = |proposal: &&Proposal| {
            proposal.ask.is_some_and(|ask| ask > force.ask)
                && kind_of(&node.turn, proposal) == Some(&AskKind::PLAN_LINE)
        };
        if decided(node, child).and_then(|d| source(&node.turn, d)).filter(is_its).is_some() {
            let outcome = &child.outcome;
            self.actions += 1;
            self.answer(acted(&outcome.observation, outcome.reward, outcome.done, outcome.won));
        }
    }

    fn waits_to_act(&self) -> bool {
        self.next.as_ref().and_then(Next::action).is_some()
    }

    fn answer(&mut self, answer: Value) {
        self.answers.push(answer);
        self.next = None;
    }
}
