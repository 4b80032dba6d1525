//! Table of one piece of code, evaluated at the distinct states and arguments, only where what it touches is new. Knows no instances:
//! `instances` reads a table for them.

use std::sync::Arc;

use super::demonstrations::Demonstrations;
use super::instances::NoVerdict;
use stepwright_program::{Change, Checker, Footprint, Outcome, Trace};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ending {
    pub(super) result: Evaluated,
    pub(super) change: Change,
    pub(super) inserted: u64,
    pub(super) observed: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Evaluated {
    Holds,
    Fails,
    Raises(&'static str),
}

/// The endings of one piece of code, by state and list of arguments.
pub(super) struct Table {
    width: usize,
    cells: Vec<u32>,
    pub(super) endings: Vec<Ending>,
    /// The most steps and bytes that an evaluation took.
    pub(super) spent: (u64, u64),
    pub(super) missing: Option<NoVerdict>,
}

/// Marks in a table what has not been evaluated.
const OPEN: u32 = u32::MAX;

impl Table {
    /// Evaluates where it is `wanted`, by state and list of arguments; ends at the first evaluation without a verdict.
    pub(super) fn new(
        demos: &Demonstrations,
        checker: &mut Checker<'_>,
        width: usize,
        wanted: impl Fn(usize, usize) -> bool,
    ) -> Table {
        let size = demos.states.len() * width;
        let mut table = Table { width, cells: vec![OPEN; size], endings: Vec::new(), spent: (0, 0), missing: None };
        // What evaluations touched, each with the next state in which that is the same.
        let mut touched: Vec<(Footprint, Arc<Vec<usize>>)> = Vec::new();
        let mut open = vec![false; width];
        for (at, state) in demos.states.iter().enumerate() {
            let row = at * width;
            let places = table.cells.get(row..row + width).unwrap_or_default();
            if !places.contains(&OPEN) {
                continue;
            }
            for (group, (open, place)) in open.iter_mut().zip(places).enumerate() {
                *open = *place == OPEN && wanted(at, group);
            }
            if !open.contains(&true) {
                continue;
            }
            let wanted = |group: usize| open.get(group).copied().unwrap_or(false);
            checker.check_all(state, wanted, |group, outcome, trace| {
                let result = match outcome {
                    Outcome::Holds => Evaluated::Holds,
                    Outcome::Fails => Evaluated::Fails,
                    Outcome::Raises(exception) => Evaluated::Raises(exception),
                    Outcome::None(result) => {
                        table.missing = NoVerdict::of(&result);
                        return false;
                    }
                };
                table.spent = (table.spent.0.max(trace.spent.0), table.spent.1.max(trace.spent.1));
                let number = table.number(result, &trace);
                let footprint = demos.essence(trace.touched);
                let known = touched.iter().position(|(known, _)| *known == footprint).unwrap_or_else(|| {
                    touched.push((footprint, demos.alike(footprint)));
                    touched.len() - 1
                });
                // It ends so in every state that is alike.
                let Some((_, alike)) = touched.get(known) else { return true };
                let mut state = at;
                while let Some(next) = alike.get(state) {
                    if let Some(place) = table.cells.get_mut(state * width + group).filter(|place| **place == OPEN) {
                        *place = number;
                    }
                    state = *next;
                }
                true
            });
            if table.missing.is_some() {
                break;
            }
        }
        table
    }

    pub(super) fn is_full(&self) -> bool {
        !self.cells.contains(&OPEN)
    }

    pub(super) fn states(&self) -> usize {
        self.cells.len().checked_div(self.width).unwrap_or(0)
    }

    fn number(&mut self, result: Evaluated, trace: &Trace) -> u32 {
        let ending = Ending { result, change: trace.change, inserted: trace.inserted, observed: trace.observed };
        let known = self.endings.iter().position(|known| *known == ending).unwrap_or_else(|| {
            self.endings.push(ending);
            self.endings.len() - 1
        });
        known as u32
    }

    /// The number of the ending at a state with a list of arguments; `None` where that was not evaluated.
    #[inline]
    pub(super) fn at(&self, state: usize, group: usize) -> Option<usize> {
        self.cells.get(state * self.width + group).filter(|cell| **cell != OPEN).map(|cell| *cell as usize)
    }
}
