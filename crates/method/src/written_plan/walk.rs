//! Walk through a plan: assertions are evaluated as they are passed, their `else` lines run when they do not hold.

use super::{Assertion, Kind, Plan};

/// Steps after which a sub-goal is cut: the plan continues with the next one (ProgPrompt's bound in VirtualHome).
pub const SUBGOAL_STEPS: usize = 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Going {
    /// The line executed last, as its place among the items; none at the beginning.
    pub last: Option<usize>,
    /// Whether an `else` line runs only when its assertion does not hold. Without, every line runs, and assertions are evaluated
    /// nevertheless.
    pub respect_assertions: bool,
    /// The sub-goal that is cut: no line of it comes next.
    pub cut: Option<usize>,
}

/// The walk from one executed line to the next.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Advance {
    /// The assertions passed, as places among the plan's items, and whether they held.
    pub asserted: Vec<(usize, bool)>,
    /// The next line to execute; `None` at the plan's end, and where an assertion is open.
    pub next: Option<usize>,
    /// The assertion that must be judged before the walk continues.
    pub open: Option<usize>,
}

/// Goes on through a plan. `holds` judges the assertion at a place among the items; `None` leaves it open.
pub fn advance(plan: &Plan, going: Going, mut holds: impl FnMut(usize, &Assertion) -> Option<bool>) -> Advance {
    let mut way = Advance::default();
    // The lines below an assertion that did not hold all run, whatever the first of them changed.
    let mut skipping = false;
    for (i, item) in plan.items.iter().enumerate().skip(going.last.map_or(0, |l| l + 1)) {
        if going.cut == Some(item.number) {
            // Its assertions are not evaluated, so nothing depends on them beyond it either.
            skipping = true;
            continue;
        }
        match &item.kind {
            Kind::Else(_) if skipping => {}
            Kind::Action(_) | Kind::Else(_) => {
                way.next = Some(i);
                break;
            }
            Kind::Assertion(assertion) => {
                let Some(value) = holds(i, assertion) else {
                    way.open = Some(i);
                    break;
                };
                way.asserted.push((i, value));
                skipping = going.respect_assertions && value;
            }
        }
    }
    way
}

/// The sub-goal of the line executed last, where `executed` (all lines executed, as places among the items) has as many of it as
/// a sub-goal may have.
pub fn used_up(plan: &Plan, executed: &[usize]) -> Option<usize> {
    let number = |at: &usize| plan.items.get(*at).map(|item| item.number);
    let last = executed.last().and_then(number)?;
    let of_it = executed.iter().filter(|at| number(at) == Some(last)).count();
    (of_it >= SUBGOAL_STEPS).then_some(last)
}
