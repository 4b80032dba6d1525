//! Offers: the actions the pane allows now, and what must come first for the others.

use super::rows::Item;
use super::{PaneAction, PreconditionsPane, View};
use crate::pane::Pane;
use stepwright_precondition::Ranking;

impl PreconditionsPane {
    fn has_candidates(&self) -> bool {
        self.items.iter().any(|i| matches!(i, Item::Candidate(_)))
    }

    /// Whether candidates were left out, which can be shown where nothing else was found.
    fn has_left_out(&self, view: &View) -> bool {
        self.pool(view).is_some_and(|pool| !pool.held_back.is_empty())
    }

    pub(super) fn offered(&self, view: &View) -> Vec<(PaneAction, &'static str)> {
        if let Some(over) = self.over.last() {
            return over.actions();
        }
        let mut actions = Vec::new();
        if view.session.is_none() {
            return actions;
        }
        // Without candidates, inferring them is what comes first.
        let inferred = self.has_candidates();
        let infer = (PaneAction::Run, if self.by_model { "infer by model" } else { "infer" });
        let infer = Some(infer).filter(|_| !self.is_never_called(view));
        if !self.tabs.actions.is_empty() && !inferred {
            actions.extend(infer);
        }
        if !self.items.is_empty() {
            let here = self.candidate(self.outline.list.cursor(), view);
            let delete = if here.is_some_and(|candidate| candidate.rejected) { "restore" } else { "delete" };
            actions.extend([
                (PaneAction::ToggleFold, "mark"),
                (PaneAction::Adopt, "adopt"),
                (PaneAction::Edit, "edit"),
                (PaneAction::ToggleReject, delete),
                (PaneAction::Activate, "look closely"),
                (PaneAction::Why, "why"),
                (PaneAction::Differ, "differ"),
                (PaneAction::Operand, "pick"),
            ]);
            if !self.effects {
                actions.extend([(PaneAction::MergeAll, "and"), (PaneAction::MergeAny, "or")]);
            }
        }
        if !self.tabs.actions.is_empty() {
            if inferred {
                actions.extend(infer);
            }
            actions.push((PaneAction::Effects, if self.effects { "preconditions" } else { "effects" }));
            actions.extend([(PaneAction::Add, "add"), (PaneAction::Compare, "compare sets")]);
            actions.extend(self.turns(view));
            if !self.tabs.follows {
                actions.push((PaneAction::Follow, "follow proposal"));
            }
            actions.extend([
                (PaneAction::Save, "save"),
                (PaneAction::Load, "load"),
                (PaneAction::Right, "next action"),
                (PaneAction::Left, "previous action"),
            ]);
        }
        actions.push((PaneAction::RunAll, "infer all"));
        actions.push((PaneAction::Cycle, if self.by_model { "by enumerator" } else { "by model" }));
        actions.push((PaneAction::Options, "model options"));
        if inferred && !self.effects {
            actions.push((PaneAction::Score, "score by model"));
        }
        if !self.items.is_empty() {
            actions.extend([(PaneAction::MarkAll, "unmark"), (PaneAction::Copy, "copy")]);
        }
        let left_out = !self.items.is_empty() || self.has_left_out(view);
        if left_out && self.ranking() == Ranking::Evidence {
            let held = match (self.shows_held, self.effects) {
                (true, true) => "hide left alone",
                (false, true) => "show left alone",
                (true, false) => "hide held back",
                (false, false) => "show held back",
            };
            actions.push((PaneAction::HeldBack, held));
        }
        if !self.items.is_empty() {
            if !self.effects {
                actions.push((PaneAction::Ranking, "other ranking"));
            }
            actions.extend(self.outline.actions());
        }
        actions
    }

    /// The step that must come first for an action of this pane that cannot be done now.
    pub(super) fn needed(&self, action: PaneAction, view: &View) -> Option<String> {
        use PaneAction as P;
        let key = |action: PaneAction| view.key(action);
        let of_rows = matches!(
            action,
            P::ToggleFold
                | P::Adopt
                | P::Edit
                | P::ToggleReject
                | P::Activate
                | P::Why
                | P::Differ
                | P::Operand
                | P::HeldBack
                | P::Ranking
                | P::MergeAll
                | P::MergeAny
        );
        let of_rows = of_rows || matches!(action, P::MarkAll | P::Copy | P::Score);
        let of_actions = matches!(
            action,
            P::Add | P::Effects | P::Compare | P::UndoChange | P::RedoChange | P::Save | P::Load | P::Run
        );
        if view.session.is_none() || !self.over.is_empty() {
            return None;
        }
        if self.effects && matches!(action, P::Ranking | P::Score | P::MergeAll | P::MergeAny) {
            return Some(format!("that is for preconditions: {} shows them", key(P::Effects)));
        }
        if of_actions && self.tabs.actions.is_empty() {
            return Some(format!("no action is known yet: {} infers candidates for all", key(P::RunAll)));
        }
        if self.is_never_called(view) && (action == P::Run || (of_rows && self.items.is_empty())) {
            let (add, load) = (key(P::Add), key(P::Load));
            return Some(format!(
                "no demonstration calls this action, so nothing is inferred of it; {add} takes your own, {load} reads a file"
            ));
        }
        let holds = action == P::HeldBack && self.has_left_out(view);
        if of_rows && !holds && !self.has_candidates() {
            let infer = key(if self.tabs.actions.is_empty() { P::RunAll } else { P::Run });
            let what = if action == P::Score { "to score " } else { "" };
            return Some(format!("there are no candidates {what}yet: {infer} infers them"));
        }
        if action == P::HeldBack && self.ranking() == Ranking::EquationOne {
            return Some(format!("Equation (1) holds nothing back; {} changes the ranking", key(P::Ranking)));
        }
        None
    }
}
