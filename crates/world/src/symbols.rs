//! Symbols. A world's report of an episode in literals: observed facts, open goals, the names of its things.

use std::sync::Arc;

use crate::literal::{Atom, Facts};
use crate::planner::classical::{PlanningTask, Unseen};
use stepwright_trajectory::Step;

/// An episode in literals of the world's blocking domain.
pub trait Symbols {
    fn facts(&self) -> Facts;

    /// [`Symbols::facts`], shared: a world that keeps them until a step changes what is known gives the same ones again.
    fn shared_facts(&self) -> Arc<Facts> {
        Arc::new(self.facts())
    }

    /// The goal literals not met yet, in the order they are to be met (`ON lamp_1`); `None` where a world does not tell them.
    fn goals(&self) -> Option<Vec<Atom>>;

    /// All literals that hold, seen or not: those of [`Symbols::facts`] and what decides about actions besides. For exports and
    /// display, never for a method.
    fn everything(&self) -> Facts;

    /// The names of all things, seen or not, in the world's own order, for methods that are given which things a scene has (and
    /// nothing else about them); `None` where a world has no such list.
    fn things(&self) -> Option<Vec<String>> {
        None
    }

    /// The next action of looking for a thing of a kind, in worlds where things are found by going from place to place; `None` where
    /// one is near or in the hand, or nowhere is left to look.
    fn search(&self, _kind: &str) -> Option<String> {
        None
    }

    /// Whether a part of a goal holds, judged as goals are (`ON lamp_1`); `None` where the world cannot judge it. Nothing else of
    /// the hidden state is for a method.
    fn goal_holds(&self, _part: &Atom) -> Option<bool> {
        None
    }

    /// The planning problem of the present task, given by its id and sentence, from what the agent was shown (`history`, the reset
    /// first) or, with [`Unseen::Everything`], from all there is (for exports); `None` where the world has no planning domain.
    /// Errors: a goal that cannot be planned for.
    fn planning(&self, _task: (&str, &str), _history: &[Step], _known: Unseen) -> Option<Result<PlanningTask, String>> {
        None
    }
}
