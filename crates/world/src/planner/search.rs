//! Best-first search over any problem: A* with a bound on the states expanded.
//!
//! Generic: the problem defines states, actions and goals. Deterministic: ties are broken by order of
//! generation.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::hash::Hash;

use rustc_hash::FxHashMap;

/// A search problem: states, the steps from each, and an estimate of the cost left.
pub trait Problem {
    /// A node of the search; equal states are visited once.
    type State: Clone + Eq + Hash;
    type Action: Clone;

    /// Pushes what can be done in a state: the action, its cost (at least 0) and the state it leads to.
    fn successors(&self, state: &Self::State, out: &mut Vec<(Self::Action, f64, Self::State)>);

    fn is_goal(&self, state: &Self::State) -> bool;

    fn estimate(&self, state: &Self::State) -> f64;
}

#[derive(Debug, Clone, PartialEq)]
pub struct Plan<A> {
    /// The steps, in order.
    pub actions: Vec<A>,
    pub cost: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoPlan {
    /// Every reachable state was looked at: there is none.
    Impossible,
    /// The bound on expanded states was reached first.
    Limit,
}

struct Node<P: Problem> {
    state: P::State,
    parent: Option<(usize, P::Action)>,
    cost: f64,
    closed: bool,
}

struct Entry {
    priority: f64,
    estimate: f64,
    order: usize,
    node: usize,
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    /// Greatest first in the heap: lowest priority, then nearest the goal, then oldest.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.priority.total_cmp(&self.priority))
            .then_with(|| other.estimate.total_cmp(&self.estimate))
            .then_with(|| other.order.cmp(&self.order))
    }
}

/// Searches for a cheapest plan, expanding at most `limit` states. `first` says which actions may open the plan.
/// Errors: [`NoPlan`] when there is none or the bound was reached.
pub fn search<P: Problem>(
    problem: &P,
    start: P::State,
    limit: usize,
    first: impl Fn(&P::Action) -> bool,
) -> Result<Plan<P::Action>, NoPlan> {
    let mut nodes: Vec<Node<P>> = Vec::new();
    let mut known: FxHashMap<P::State, usize> = FxHashMap::default();
    let mut heap = BinaryHeap::new();
    let estimate = problem.estimate(&start);
    known.insert(start.clone(), 0);
    nodes.push(Node { state: start, parent: None, cost: 0.0, closed: false });
    heap.push(Entry { priority: estimate, estimate, order: 0, node: 0 });
    let (mut order, mut expanded) = (1, 0);
    let mut successors = Vec::new();
    while let Some(Entry { node: at, .. }) = heap.pop() {
        if nodes[at].closed {
            continue;
        }
        nodes[at].closed = true;
        if problem.is_goal(&nodes[at].state) {
            return Ok(trace(&nodes, at));
        }
        if expanded >= limit {
            return Err(NoPlan::Limit);
        }
        expanded += 1;
        problem.successors(&nodes[at].state, &mut successors);
        for (action, step, state) in successors.drain(..) {
            if at == 0 && !first(&action) {
                continue;
            }
            let cost = nodes[at].cost + step.max(0.0);
            let node = match known.get(&state) {
                Some(&old) if nodes[old].closed || nodes[old].cost <= cost => continue,
                Some(&old) => {
                    nodes[old].parent = Some((at, action));
                    nodes[old].cost = cost;
                    // Kept as it is in the map, but the payload that equality ignores follows the cheaper way.
                    nodes[old].state = state;
                    old
                }
                None => {
                    known.insert(state.clone(), nodes.len());
                    nodes.push(Node { state, parent: Some((at, action)), cost, closed: false });
                    nodes.len() - 1
                }
            };
            let estimate = problem.estimate(&nodes[node].state);
            heap.push(Entry { priority: cost + estimate, estimate, order, node });
            order += 1;
        }
    }
    Err(NoPlan::Impossible)
}

fn trace<P: Problem>(nodes: &[Node<P>], goal: usize) -> Plan<P::Action> {
    let (mut actions, mut at) = (Vec::new(), goal);
    while let Some((parent, action)) = &nodes[at].parent {
        actions.push(action.clone());
        at = *parent;
    }
    actions.reverse();
    Plan { actions, cost: nodes[goal].cost }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walking on a line with holes, one step to either side.
    struct Line {
        goal: i32,
        holes: Vec<i32>,
        end: i32,
    }

    impl Problem for Line {
        type State = i32;
        type Action = i32;

        fn successors(&self, state: &i32, out: &mut Vec<(i32, f64, i32)>) {
            for step in [-1, 1, 3] {
                let to = state + step;
                if to.abs() <= self.end && !self.holes.contains(&to) {
                    out.push((step, if step == 3 { 2.5 } else { 1.0 }, to));
                }
            }
        }

        fn is_goal(&self, state: &i32) -> bool {
            *state == self.goal
        }

        fn estimate(&self, state: &i32) -> f64 {
            f64::from((self.goal - state).abs()) * 0.8
        }
    }

    #[test]
    fn finds_the_cheapest_way() {
        let plan = search(&Line { goal: 4, holes: vec![], end: 9 }, 0, 1000, |_| true).unwrap();
        assert_eq!((plan.actions.iter().sum::<i32>(), plan.cost), (4, 3.5));
        let jump = search(&Line { goal: 3, holes: vec![1], end: 9 }, 0, 1000, |_| true).unwrap();
        assert_eq!(jump.actions, vec![3]);
    }

    #[test]
    fn the_first_action_can_be_restricted() {
        let plan = search(&Line { goal: 4, holes: vec![], end: 9 }, 0, 1000, |a| *a == -1).unwrap();
        assert_eq!(plan.actions[0], -1);
        assert_eq!(plan.actions.iter().sum::<i32>(), 4);
    }

    #[test]
    fn says_why_there_is_none() {
        let walled = Line { goal: 8, holes: vec![3, 4, 5, 6], end: 9 };
        assert_eq!(search(&walled, 0, 1000, |_| true), Err(NoPlan::Impossible));
        assert_eq!(search(&Line { goal: 900, holes: vec![], end: 999 }, 0, 10, |_| true), Err(NoPlan::Limit));
    }

    #[test]
    fn a_goal_already_reached_needs_nothing() {
        let plan = search(&Line { goal: 0, holes: vec![], end: 9 }, 0, 10, |_| true).unwrap();
        assert!(plan.actions.is_empty());
    }
}
