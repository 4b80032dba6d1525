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

/// How the sides of a duel compare at a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// All would do the same.
    Same,
    /// At least two would do different things.
    Differ,
    /// No two differ, but not all have an action: a side could not be asked, or has nothing to offer.
    Open,
}

impl Agreement {
    /// For people, of all sides.
    pub fn in_words(self) -> &'static str {
        match self {
            Agreement::Same => "all would do the same",
            Agreement::Differ => "they disagree",
            Agreement::Open => "not all have an answer",
        }
    }
}

impl AskKind {
    /// The kind of an ask that a side made in its copy of the session.
    pub(super) fn of_side(name: &str, kind: &AskKind) -> Self {
        AskKind::Other(OwnAsk { tag: TAG.into(), of: name.to_owned(), label: format!("{kind}, for {name}"), nth: 0 })
    }

    /// Whether the side of that name asked it.
    pub fn is_asked_by(&self, side: &str) -> bool {
        matches!(self, AskKind::Other(own) if own.tag == TAG && own.of == side)
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

    /// How the sides of the duel made here last compare; `None` where there was none.
    pub fn agreement(&self) -> Option<Agreement> {
        let sides = self.duel.as_ref()?;
        let actions: Vec<&Action> = sides.iter().filter_map(|side| self.side_action(side)).collect();
        let differ =
            actions.split_first().is_some_and(|(first, others)| others.iter().any(|other| !is_same(first, other)));
        Some(match differ {
            true => Agreement::Differ,
            false if actions.len() < sides.len() => Agreement::Open,
            false => Agreement::Same,
        })
    }
}

/// Whether two actions do the same, however they are written.
pub fn is_same(a: &Action, b: &Action) -> bool {
    a.text == b.text || (a.call.is_some() && a.call == b.call)
}

impl Session {
    /// The nodes of the line the cursor is on at which the sides of a duel compare like that.
    pub fn duels(&self, agreement: Agreement) -> Vec<&Node> {
        self.line().into_iter().filter(|node| node.turn.agreement() == Some(agreement)).collect()
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
        let agree = |actions: &[_]| turn(actions).agreement();
        let (same, differ, open) = (Some(Agreement::Same), Some(Agreement::Differ), Some(Agreement::Open));
        assert_eq!(Turn::default().agreement(), None);
        assert_eq!(agree(&[Some(("look", None)), Some(("look", None))]), same);
        assert_eq!(agree(&[Some(("go to box 1", Some("go('box 1')"))), Some(("Go", Some("go('box 1')")))]), same);
        assert_eq!(agree(&[Some(("look", None)), Some(("wait", None)), Some(("look", None))]), differ);
        assert_eq!(agree(&[Some(("look", None)), None, Some(("wait", None))]), differ);
        assert_eq!(agree(&[Some(("look", None)), None]), open);
        assert_eq!(agree(&[None, None]), open, "nothing to offer is nothing to agree on, nor to differ in");
    }
}
