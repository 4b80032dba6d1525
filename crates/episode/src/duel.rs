//! Duels: several models, methods, prompts or sets of assertions asked at one step what they would do there.
//!
//! Each side answers in a copy of the session. What was asked and answered there is recorded at the step like any other ask, what a side
//! would do like any other proposal, so that it is checked and can be taken; the record of the duel says which is whose.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ask::{Ask, AskKind, OwnAsk};
use super::event::{AskId, Configuration};
use super::gate::Draft;
use super::proposal::{Action, ProposalId};
use super::session::{Node, Session, Turn};

/// A side of a duel, and what it would do at a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Side {
    /// What it is called: unlike the others of its duel.
    pub name: String,
    /// Its model, its method and its options.
    #[serde(flatten)]
    pub configuration: Configuration,
    /// The set of assertions that was in force for it, where that is another one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub set: String,
    /// The folder of its prompts, where they are others.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prompts: String,
    /// What it would do; `None` where it has nothing to offer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<ProposalId>,
    /// Why, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// A side's answer, before it is recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Heard {
    /// The side; with its proposal, where that is one of the step already.
    pub side: Side,
    /// What was asked in its copy of the session, and answered.
    pub asks: Vec<Ask>,
    /// What it would do, and which of those asks that answers.
    pub draft: Option<(Option<AskId>, Draft)>,
}

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
