//! Plan in force: which plan is followed at a node, and how far it was carried out. A fold of the records.
//!
//! A plan is an artifact of the node it was made at; its lines are offered one at a time, each text marked with its line's number.

use serde_json::Value;

use crate::context::{decided, kind_of};
use crate::{History, folded};
use stepwright_episode::{ArtifactId, Ask, AskId, AskKind, Node, NodeId, Proposal, Turn};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActivePlan<'a> {
    pub text: &'a str,
    /// The ask it answers, or the last one before a person wrote it.
    pub ask: AskId,
    pub made_at: NodeId,
    /// Whether a person wrote it, in place of another or of none.
    pub edited: bool,
    /// The lines (from 1) that were executed, in order, and whether the world accepted each.
    pub executed: Vec<(usize, bool)>,
    /// The line that was executed or passed over last.
    pub last: Option<usize>,
    /// Whether the world refused the last step taken under it.
    pub refused: bool,
    /// Whether a step was taken under it that was none of its lines.
    pub strayed: bool,
    pub passed: bool,
}

/// A model's judgement of the assertion in a line of the plan in force: its last answer at this node.
pub fn judgement(turn: &Turn, plan: AskId, line: usize) -> Option<&str> {
    let kind = AskKind::Judgement { line };
    turn.asks.iter().rev().filter(|a| a.id > plan && a.kind == kind).find_map(Ask::text)
}

/// The asks and decisions on a path, as far as plans go by them.
#[derive(Debug, Clone, Default)]
pub struct Taken {
    /// The asks for plans, with the nodes they were made at.
    plans: Vec<(AskId, NodeId)>,
    steps: Vec<Step>,
}

#[derive(Debug, Clone)]
struct Step {
    from: NodeId,
    /// The line that it carried out, with the ask that offered it.
    line: Option<(AskId, usize)>,
    refused: bool,
}

impl Taken {
    fn plans_of(&mut self, node: &Node) {
        let asks = node.turn.asks.iter().filter(|ask| ask.kind == AskKind::PLAN);
        self.plans.extend(asks.map(|ask| (ask.id, node.id)));
    }

    /// The plan in force at the node that the path leads to.
    pub fn active_plan<'a>(&self, here: &'a Node) -> Option<ActivePlan<'a>> {
        let document = here.document(&ArtifactId::PLAN)?;
        let (text, plan) = (document.get("text")?.as_str()?, document.get("ask")?.as_u64()?);
        // A plan that a person wrote names its node; another is where it was asked for.
        let edited = document.get("node").and_then(Value::as_u64);
        let asked = || self.plans.iter().find(|(ask, _)| *ask == plan).map(|(_, node)| *node);
        let is_passed = |node: &NodeId| *node == here.id || self.steps.iter().any(|step| step.from == *node);
        let made_at = edited.filter(is_passed).or_else(asked)?;
        let since = self.steps.iter().skip_while(|step| step.from != made_at);
        let line = |step: &Step| step.line.filter(|(ask, _)| *ask > plan).map(|(_, line)| line);
        let executed: Vec<_> = since.clone().filter_map(|step| Some((line(step)?, !step.refused))).collect();
        // A line that a person refuses is passed over.
        let rejected = here.turn.rejected().map(|(proposal, _)| proposal);
        let passed = rejected.filter(|p| is_line(&here.turn, p, plan)).filter_map(|p| p.line).max();
        Some(ActivePlan {
            text,
            ask: plan,
            made_at,
            edited: edited.is_some(),
            last: executed.last().map(|(line, _)| *line).max(passed),
            refused: since.clone().last().is_some_and(|step| step.refused),
            strayed: since.clone().any(|step| line(step).is_none()),
            passed: passed.is_some(),
            executed,
        })
    }
}

impl History for Taken {
    fn step(&mut self, from: &Node, to: &Node) {
        self.plans_of(from);
        let taken = decided(from, to).and_then(|decision| from.turn.proposal(decision.proposal()));
        let line = taken.filter(|p| is_line(&from.turn, p, 0)).and_then(|p| Some((p.ask?, p.line?)));
        self.steps.push(Step { from: from.id, line, refused: to.outcome.error.is_some() });
    }

    fn stay(&mut self, here: &Node) {
        self.plans_of(here);
    }
}

/// The plan in force at the last node of a path from the root.
pub fn active_plan<'a>(path: &[&'a Node]) -> Option<ActivePlan<'a>> {
    folded(Taken::default(), path).active_plan(path.last()?)
}

pub fn is_line(turn: &Turn, proposal: &Proposal, plan: AskId) -> bool {
    proposal.ask.is_some_and(|ask| ask > plan) && kind_of(turn, proposal) == Some(&AskKind::PLAN_LINE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use stepwright_episode::AskState;
    use stepwright_episode::{Action, Actor, Ask, Choice, Decision, Documents, Origin, StepOutcome};

    /// An event at a node: an ask of a plan or a line, then the proposal taken or refused.
    enum Happens {
        Plan(&'static str),
        Line(usize),
        Typed,
        Taken,
        Refused,
    }

    /// A node and the documents that the next one inherits: those there were when it was left.
    fn node(id: NodeId, happens: &[Happens], number: &mut u64, mut documents: Documents) -> (Node, Documents) {
        let (mut turn, mut left) = (Turn::default(), None);
        for event in happens {
            *number += 1;
            let number = *number;
            let mut ask = |kind: AskKind, text: String| {
                let state = AskState::Answered { texts: vec![text].into(), usage: None, ms: 0 };
                let (model, prompt) = (String::new(), None);
                let (n, temperature) = (1, 0.0);
                turn.asks.push(Ask { id: number, kind, model, prompt, n, temperature, exchange: None, state });
            };
            let offer = |line: Option<usize>, ask: Option<AskId>| {
                let action = Some(Action::new("x", None));
                Proposal { action, line, ask, ..Proposal::new(number, "x", Origin::Symbolic) }
            };
            match event {
                Happens::Plan(text) => {
                    ask(AskKind::PLAN, (*text).to_owned());
                    let plan = Arc::new(serde_json::json!({ "text": text, "ask": number }));
                    documents = Documents::from_iter([(ArtifactId::PLAN, plan)]);
                }
                Happens::Line(line) => {
                    ask(AskKind::PLAN_LINE, "x".to_owned());
                    turn.proposals.push(offer(Some(*line), Some(number)).into());
                }
                Happens::Typed => turn.proposals.push(offer(None, None).into()),
                Happens::Taken | Happens::Refused => {
                    left = Some(documents.clone()).filter(|_| matches!(event, Happens::Taken)).or(left);
                    let proposal = turn.proposals.last().unwrap().id;
                    let choice = match event {
                        Happens::Refused => Choice::Reject { proposal, reason: String::new() },
                        _ => Choice::Approve { proposal },
                    };
                    turn.decisions.push(Decision { id: id + 1, choice, by: Actor::Person, why: String::new() }.into());
                }
            }
        }
        let outcome = StepOutcome::default();
        let node = Node {
            id,
            parent: id.checked_sub(1),
            children: vec![],
            last_child: None,
            depth: id as u32,
            action: None,
            decision: (id > 0).then_some(id),
            outcome: outcome.into(),
            turn,
            documents: Arc::new(documents.clone()),
            ..Node::default()
        };
        (node, left.unwrap_or(documents))
    }

    fn path(nodes: &[&[Happens]]) -> Vec<Node> {
        let (mut number, mut inherited) = (0, Documents::default());
        let made = nodes.iter().enumerate().map(|(i, happens)| {
            let (node, left) = node(i as u64, happens, &mut number, std::mem::take(&mut inherited));
            inherited = left;
            node
        });
        made.collect()
    }

    #[test]
    fn lines_taken_count_and_refused_ones_are_passed_over() {
        use Happens::{Line, Plan, Refused, Taken};
        let mut nodes = path(&[&[Plan("a\nb\nc"), Line(1), Taken], &[Line(2), Taken], &[Line(3), Refused]]);
        Arc::make_mut(&mut nodes[2].outcome).error = Some("no".into());
        let path: Vec<&Node> = nodes.iter().collect();
        let force = active_plan(&path[..1]).unwrap();
        assert_eq!((force.text, force.made_at, force.last, force.strayed), ("a\nb\nc", 0, None, false));
        let force = active_plan(&path).unwrap();
        assert_eq!((force.last, force.refused, force.strayed), (Some(3), true, false));
        assert_eq!(force.executed, [(1, true), (2, false)]);
        assert_eq!(active_plan(&[&node(0, &[], &mut 0, Documents::default()).0]), None);
    }

    #[test]
    fn a_step_of_ones_own_strays_and_a_new_plan_starts_at_its_first_line() {
        use Happens::{Line, Plan, Taken, Typed};
        let nodes = path(&[&[Plan("a\nb"), Line(1), Typed, Taken], &[Line(1), Taken], &[Plan("c")]]);
        let path: Vec<&Node> = nodes.iter().collect();
        let force = active_plan(&path[..2]).unwrap();
        assert_eq!((force.last, force.strayed), (None, true));
        let force = active_plan(&path).unwrap();
        assert_eq!((force.text, force.made_at, force.strayed, force.last), ("c", 2, false, None));
    }

    #[test]
    fn a_plan_made_after_a_node_was_left_is_not_in_force_below_it() {
        use Happens::{Line, Plan, Taken};
        let mut nodes = path(&[&[Plan("a\nb"), Line(1), Taken, Plan("later")], &[]]);
        let path: Vec<&Node> = nodes.iter().collect();
        assert_eq!(active_plan(&path).map(|f| (f.text.to_owned(), f.last)), Some(("a\nb".to_owned(), Some(1))));
        nodes.truncate(1);
        assert_eq!(active_plan(&[&nodes[0]]).unwrap().text, "later");
    }
}
