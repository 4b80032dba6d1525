//! The path to the cursor as the agent lived it, kept as it was read last: at the next step one node is read, and not all of them again.
//! It reads the records alone, so that it is the same wherever a world's steps are done.

use std::sync::{Arc, Mutex, PoisonError};

use stepwright_episode::{Node, StepOutcome};
use stepwright_program::Call;
use stepwright_trajectory::Step;

/// A path as the agent lived it. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct Lived {
    /// The steps, the reset first. What was held is none.
    pub(super) steps: Arc<Vec<Step>>,
    /// All calls, actions and observations.
    pub(super) calls: Arc<Vec<Call>>,
    /// The actions taken, and whether the world refused them.
    pub(super) taken: Arc<Vec<(String, bool)>>,
}

/// The path that was read last, for whoever asks next.
#[derive(Debug, Default)]
pub struct LivedPath(Mutex<Read>);

#[derive(Debug, Default)]
struct Read {
    lived: Lived,
    /// Of each node its outcome, by which it is known again, and how much was read before it.
    nodes: Vec<(Arc<StepOutcome>, Length)>,
}

/// How many steps, calls and actions there are.
#[derive(Debug, Clone, Copy)]
struct Length(usize, usize, usize);

impl LivedPath {
    /// A path from the reset on. What it has in common with the last one is not read again.
    pub(super) fn of(&self, path: &[&Node]) -> Lived {
        let mut read = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let both = read.nodes.iter().zip(path);
        let common = both.take_while(|((outcome, _), node)| Arc::ptr_eq(outcome, &node.outcome)).count();
        read.go_back(common);
        path.iter().skip(common).for_each(|node| read.go_on(node));
        read.lived.clone()
    }
}

impl Read {
    fn go_back(&mut self, nodes: usize) {
        let Some((_, Length(steps, calls, taken))) = self.nodes.get(nodes).cloned() else { return };
        self.nodes.truncate(nodes);
        Arc::make_mut(&mut self.lived.steps).truncate(steps);
        Arc::make_mut(&mut self.lived.calls).truncate(calls);
        Arc::make_mut(&mut self.lived.taken).truncate(taken);
    }

    fn go_on(&mut self, node: &Node) {
        let Lived { steps, calls, taken } = &mut self.lived;
        self.nodes.push((Arc::clone(&node.outcome), Length(steps.len(), calls.len(), taken.len())));
        if node.outcome.held.is_none() {
            Arc::make_mut(steps).push(observed(node));
        }
        Arc::make_mut(calls).extend(node.outcome.calls.iter().filter_map(|call| call.parse::<Call>().ok()));
        let action = node.action.iter().map(|action| (action.text.clone(), node.outcome.error.is_some()));
        Arc::make_mut(taken).extend(action);
    }
}

/// A step as the agent lived it. A selection that was held was not taken.
pub fn observed(node: &Node) -> Step {
    let taken = node.action.as_ref().filter(|_| node.outcome.blocked.is_none());
    lived(taken.and_then(|a| a.call.as_deref()).and_then(|c| c.parse::<Call>().ok()), &node.outcome)
}

pub fn lived(action: Option<Call>, outcome: &StepOutcome) -> Step {
    let mut calls: Vec<Call> = outcome.calls.iter().filter_map(|c| c.parse().ok()).collect();
    if action.is_some() && calls.first() == action.as_ref() {
        calls.remove(0);
    }
    Step {
        call: action,
        observation: Some(outcome.observation.clone()),
        calls,
        refused: outcome.error.is_some(),
        ..Step::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwright_episode::{Action, NodeId};

    fn node(id: NodeId, text: &str) -> Node {
        let call = format!("agent.say('{text}')");
        let outcome = StepOutcome { observation: text.to_owned(), calls: vec![call.clone()], ..StepOutcome::default() };
        let action = (id > 0).then(|| Arc::new(Action::new(text, Some(call))));
        Node { id, action, outcome: Arc::new(outcome), ..Node::default() }
    }

    #[test]
    fn a_path_is_as_if_it_were_read_for_the_first_time() {
        let held =
            StepOutcome { held: Some("a thought".to_owned()), error: Some("no".to_owned()), ..StepOutcome::default() };
        let held = Node { outcome: Arc::new(held), ..node(2, "held") };
        let (reset, one, other, last) = (node(0, "reset"), node(1, "one"), node(3, "other"), node(4, "last"));
        let kept = LivedPath::default();
        let paths: [&[&Node]; 6] =
            [&[], &[&reset], &[&reset, &one, &held, &last], &[&reset, &one], &[&reset, &other, &last], &[&reset]];
        for path in paths {
            let (lived, anew) = (kept.of(path), LivedPath::default().of(path));
            assert_eq!((&lived.steps, &lived.calls, &lived.taken), (&anew.steps, &anew.calls, &anew.taken));
            let executed = path.iter().filter(|node| node.outcome.held.is_none()).count();
            assert_eq!((lived.steps.len(), lived.taken.len()), (executed, path.len().saturating_sub(1)));
        }
        let path: &[&Node] = &[&reset, &one];
        assert!(Arc::ptr_eq(&kept.of(path).steps, &kept.of(path).steps), "nothing is read twice");
    }
}
