//! Duels: several models, methods, prompts or sets of assertions asked at one step what they would do there.
//!
//! Each side answers in a copy of the session. What was asked and answered there is recorded at the step like any other ask, what a side
//! would do like any other proposal, so that it is checked and can be taken; the record of the duel says which is whose.

use super::ask::{AskKind, OwnAsk};
pub use super::event::Side;
pub use super::gate::Heard;
use super::proposal::Action;
use super::session::{Node, Session, Turn};

/// The tag of asks that were made in the copy of a side.
const TAG: &str = "duel";

impl AskKind {
    /// The kind of an ask that a side made in its copy of the session.
    pub(super) fn of_side(name: &str, kind: &AskKind) -> Self {
        AskKind::Other(OwnAsk { tag: TAG.into(), of: name.to_owned(), label: format!("{kind}, for {name}"), nth: 0 })
    }

    /// Whether a side of a duel asked it: the method in use has no part in it.
    pub fn is_of_side(&self) -> bool {
        matches!(self, AskKind::Other(own) if own.tag == TAG)
    }
}

impl Turn {
    /// What a side would do; `None` where that is no action.
    pub fn side_action(&self, side: &Side) -> Option<&Action> {
        self.proposal(side.proposal?)?.action.as_ref()
    }

    /// The side of that name of the duel made here last.
    pub fn side(&self, name: &str) -> Option<&Side> {
        self.duel.as_ref()?.iter().find(|side| side.name == name)
    }

    /// Whether all sides of the duel made here last would do the same; `None` where there was none.
    pub fn sides_agree(&self) -> Option<bool> {
        let sides = self.duel.as_ref()?;
        let mut actions = sides.iter().map(|side| self.side_action(side));
        let first = actions.next()?;
        Some(actions.all(|action| first.zip(action).is_some_and(|(a, b)| is_same(a, b))))
    }
}

/// Whether two actions do the same, however they are written.
pub fn is_same(a: &Action, b: &Action) -> bool {
    a.text == b.text || (a.call.is_some() && a.call == b.call)
}

impl Session {
    /// The nodes of the line the cursor is on at which the sides of a duel would not all do the same.
    pub fn disagreements(&self) -> Vec<&Node> {
        self.line().into_iter().filter(|node| node.turn.sides_agree() == Some(false)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Configuration;
    use crate::proposal::{Origin, Proposal};
    use std::sync::Arc;

    fn turn(actions: &[Option<(&str, Option<&str>)>]) -> Turn {
        let mut turn = Turn::default();
        let side = |at: usize, proposal| Side {
            name: at.to_string(),
            configuration: Configuration::default(),
            set: String::new(),
            prompts: String::new(),
            proposal,
            why: String::new(),
        };
        let mut sides = Vec::new();
        for (at, action) in actions.iter().enumerate() {
            let id = at as u64 + 1;
            sides.push(side(at, action.map(|_| id)));
            if let Some((text, call)) = action {
                let action = Some(Action::new(*text, call.map(str::to_owned)));
                turn.proposals.push(Arc::new(Proposal { action, ..Proposal::new(id, *text, Origin::Greedy) }));
            }
        }
        turn.duel = Some(sides.into());
        turn
    }

    #[test]
    fn sides_agree_where_all_do_the_same_however_they_write_it() {
        let agree = |actions: &[_]| turn(actions).sides_agree();
        assert_eq!(Turn::default().sides_agree(), None);
        assert_eq!(agree(&[Some(("look", None)), Some(("look", None))]), Some(true));
        assert_eq!(agree(&[Some(("go to box 1", Some("go('box 1')"))), Some(("Go", Some("go('box 1')")))]), Some(true));
        assert_eq!(agree(&[Some(("look", None)), Some(("wait", None)), Some(("look", None))]), Some(false));
        assert_eq!(agree(&[Some(("look", None)), None]), Some(false));
        assert_eq!(agree(&[None, None]), Some(false), "nothing to offer is nothing to agree on");
    }
}
