//! Picked rows (to be merged or compared; no mark for adoption changes), what was held back, and by which rule candidates are ranked.

use super::{Intent, Joint, PreconditionsPane, View, say};
use crate::pane::PaneAction;
use stepwright_precondition::{Candidate, Ranking, merged};
use stepwright_text::words::count;

impl PreconditionsPane {
    pub(super) fn picked_here(&self) -> &[String] {
        self.action_name().and_then(|name| self.chosen.picked.get(name)).map_or(&[], Vec::as_slice)
    }

    pub(super) fn pick(&mut self, view: &View) -> Vec<Intent> {
        let row = self.outline.list.cursor();
        let Some((text, name)) = self.text(row, view).zip(self.action_name().map(str::to_owned)) else {
            return Vec::new();
        };
        let picked = self.chosen.picked.entry(name).or_default();
        match picked.iter().position(|own| *own == text) {
            Some(at) => {
                picked.remove(at);
                Vec::new()
            }
            None => {
                picked.push(text);
                let [all, any, differ] =
                    [PaneAction::MergeAll, PaneAction::MergeAny, PaneAction::Differ].map(|action| view.key(action));
                let n = picked.len();
                say(format!("{n} picked: {all} joins by `and`, {any} by `or`, {differ} shows where two differ"))
            }
        }
    }

    /// The rows to be merged or compared: the picked ones; with one picked, that and the row under the cursor.
    fn operands(&self, view: &View) -> Vec<String> {
        let mut operands = self.picked_here().to_vec();
        if let (1, Some(here)) = (operands.len(), self.text(self.outline.list.cursor(), view))
            && !operands.contains(&here)
        {
            operands.push(here);
        }
        operands
    }

    /// Puts the conjunction or disjunction of the picked candidates into the pool, marked for adoption in their place; the other marks
    /// stay.
    pub(super) fn merge(&mut self, view: &View, joint: Joint) -> Vec<Intent> {
        let Some(action) = self.action_name().map(str::to_owned) else { return Vec::new() };
        let operands = self.operands(view);
        let text = match merged(operands.iter().map(String::as_str), joint) {
            Ok(text) => text,
            Err(why) => {
                let pick = view.key(PaneAction::Operand);
                return say(format!("{why}; {} picked, {pick} picks the row under the cursor", operands.len()));
            }
        };
        self.chosen.unmerged = Some((action.clone(), self.chosen.marks.get(&action).cloned()));
        let mut marks = self.marked(view);
        marks.retain(|t| !operands.contains(t));
        marks.insert(text.clone());
        self.chosen.marks.insert(action.clone(), marks);
        self.chosen.picked.remove(&action);
        self.wanted = Some(text.clone());
        if self.pool(view).is_some_and(|p| p.candidates.iter().any(|c| c.text == text)) {
            self.laid = None;
            self.lay(view);
            return say("this is a candidate already; it is marked in their place");
        }
        self.put(&action, None, text, view)
    }

    pub(super) fn differ(&mut self, view: &View) -> Vec<Intent> {
        let operands = self.operands(view);
        match (operands.as_slice(), self.action_name().map(str::to_owned)) {
            ([one, other], Some(action)) => self.ask_difference(action, one.clone(), other.clone()),
            _ => {
                let pick = view.key(PaneAction::Operand);
                let picked = operands.len();
                say(format!(
                    "two rows are compared, {picked} picked; {pick} picks the row under the cursor or drops it"
                ))
            }
        }
    }

    pub(super) fn show_held(&mut self, view: &View) -> Vec<Intent> {
        let held = self.pool(view).map_or(0, |pool| pool.held_back.len());
        if held == 0 {
            return say("nothing was held back: every valid candidate is in the list");
        }
        self.shows_held = !self.shows_held;
        if self.shows_held {
            // The first of them is what a person wants to see.
            self.wanted = self.pool(view).and_then(|pool| {
                let best = |c: &&Candidate| (!pool.by_equation.contains(&c.text), c.coverage, c.id);
                pool.held_back.iter().min_by_key(best).map(|held| held.text.clone())
            });
        }
        self.laid = None;
        self.lay(view);
        // Which valid ones they are: of effects those that say of a variable that it stays as it is.
        let why = if self.effects { "no demonstrated call changes the variable" } else { "for lack of evidence" };
        let what = match self.effects {
            true => format!("{} left alone ({why})", count(held, "effect")),
            false => format!("{} held back {why}", count(held, "valid candidate")),
        };
        say(match self.shows_held {
            true => format!("{what}: in the list now"),
            false => format!("{what}: hidden, but for those you marked"),
        })
    }

    pub(super) fn other_ranking(&mut self, view: &View) -> Vec<Intent> {
        self.ranking = match self.ranking {
            Ranking::Evidence => Ranking::EquationOne,
            Ranking::EquationOne => Ranking::Evidence,
        };
        self.laid = None;
        self.lay(view);
        say(match self.ranking {
            Ranking::Evidence => "ranked by the evidence rule: what may hold by coincidence is held back",
            Ranking::EquationOne => "ranked by Equation (1) alone, as in the paper: every valid candidate takes part",
        })
    }
}
