//! Wanted actions of a plan: those wanted for themselves, and not only for what they make possible.

use super::problem::Household;
use stepwright_program::{Call, Literal};

impl Household<'_> {
    /// The actions of a plan without which it would not reach the goal even if nothing needed anything, in order. Where the plan
    /// counts on something not seen yet, they end with the look that is to show it.
    pub fn wanted(&self, plan: &[Call]) -> Vec<Call> {
        let unseen = |call: &&Call| {
            let hoped = |arg: &Literal| matches!(arg, Literal::Str(name) if self.is_hoped_for(name));
            call.args.iter().any(hoped)
        };
        let end = plan.iter().position(|call| unseen(&call)).unwrap_or(plan.len());
        let needed = |left_out: usize| {
            let others = plan.iter().enumerate().filter(|(i, _)| *i != left_out).map(|(_, call)| call);
            !self.is_met(&self.facts_after(others))
        };
        let look = plan.iter().take(end).rposition(|call| end < plan.len() && self.is_a_look(call));
        // A look that was refused from here needs what the plan begins with.
        let look = look.map(|at| if plan.get(at).is_some_and(|call| self.is_refused_here(call)) { 0 } else { at });
        let wanted = plan.iter().enumerate().take(end).filter(|(i, _)| Some(*i) == look || needed(*i));
        wanted.map(|(_, call)| call.clone()).collect()
    }
}
