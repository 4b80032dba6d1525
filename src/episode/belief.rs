//! The belief: the world's state as a model maintains it, a JSON document that belongs to a node of the session.
//!
//! A step's updates are written into new beliefs, each an [`Offer`]; a person or the policy takes, edits or refuses it, and a person
//! may correct the belief at any time. Here stand the records of that and the patches between documents; how a belief's text
//! is read, and what it means, belongs elsewhere.

use std::sync::Arc;

use json_patch::Patch;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::decision::Actor;
use super::event::{AskId, Event, NodeId};
use super::session::Node;

/// Identifies an offered belief within a session.
pub type OfferId = u64;

/// Which update a belief is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Due {
    /// The node that the step with the update led to.
    pub step: NodeId,
    /// Which of the step's updates, from 0.
    pub nth: u32,
}

/// What became of an offered belief.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// Nothing yet: whoever decides is awaited.
    Pending,
    /// It is what is believed since.
    Taken {
        /// By whom.
        by: Actor,
        /// Whether a person changed it before.
        edited: bool,
    },
    /// The belief stayed as it was.
    Refused {
        /// By whom.
        by: Actor,
        /// Why, in words; may be empty.
        why: String,
    },
    /// It was written again; the later offer counts.
    Replaced,
}

/// A new belief, as a writer offered it.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    /// Its number within the session.
    pub id: OfferId,
    /// The update it was written for.
    pub due: Due,
    /// The ask it answers, where one was made for it alone.
    pub ask: Option<AskId>,
    /// The update's text.
    pub update: String,
    /// What the writer wrote, verbatim.
    pub raw: String,
    /// What was put right in reading it, in words.
    pub repairs: Vec<String>,
    /// The state read from it; `None` where it cannot be read.
    pub state: Option<Arc<Value>>,
    /// Why it cannot be read.
    pub problem: Option<String>,
    /// What became of it.
    pub fate: Fate,
}

impl Offer {
    /// Whether it was taken or refused, so that its update is dealt with.
    pub fn is_settled(&self) -> bool {
        matches!(self.fate, Fate::Taken { .. } | Fate::Refused { .. })
    }
}

/// A change of what is believed at a node.
#[derive(Debug, Clone, PartialEq)]
pub struct BeliefChange {
    /// The offer taken; `None` for a correction by a person, and for the belief an episode begins with.
    pub offer: Option<OfferId>,
    /// From the belief before (RFC 6902).
    pub patch: Value,
    /// By whom.
    pub by: Actor,
    /// Whether a person edited the offer.
    pub edited: bool,
    /// Why, in words.
    pub why: String,
}

/// The patch that leads from one belief to another, the order of the entries included: prompts show it. Where entries only changed
/// places it replaces the whole document.
pub fn patch_between(from: &Value, to: &Value) -> Value {
    let patch = json_patch::diff(from, to);
    let mut led = from.clone();
    let leads = json_patch::patch(&mut led, &patch).is_ok() && is_same(&led, to);
    match serde_json::to_value(&patch) {
        Ok(patch) if leads => patch,
        _ => json!([{ "op": "replace", "path": "", "value": to }]),
    }
}

/// Whether two beliefs are the same, the order of their entries included.
pub fn is_same(one: &Value, other: &Value) -> bool {
    serde_json::to_string(one).ok() == serde_json::to_string(other).ok()
}

/// The belief a patch leads to; `None` stands for no belief yet.
///
/// # Errors
/// A patch that is none or does not fit, in words.
pub fn patched(belief: Option<&Value>, patch: &Value) -> Result<Value, String> {
    let patch: Patch = serde_json::from_value(patch.clone()).map_err(|e| format!("the patch is none: {e}"))?;
    let mut value = belief.cloned().unwrap_or_default();
    json_patch::patch(&mut value, &patch).map_err(|e| format!("the patch does not fit the belief: {e}"))?;
    Ok(value)
}

impl Node {
    /// Takes in what happened to the belief here; `next` is the number the next offer has. Checks before it changes anything.
    pub(super) fn apply_belief(&mut self, event: &Event, next: OfferId) -> Result<(), String> {
        match event {
            Event::BeliefOffered { offer, due, ask, update, raw, repairs, state, problem } => {
                if *offer != next {
                    return Err(format!("belief {offer} out of order, expected {next}"));
                }
                if let Some(earlier) = self.turn.offers.iter_mut().find(|o| o.fate == Fate::Pending) {
                    earlier.fate = Fate::Replaced;
                }
                self.turn.offers.push(Offer {
                    id: *offer,
                    due: *due,
                    ask: *ask,
                    update: update.clone(),
                    raw: raw.clone(),
                    repairs: repairs.clone(),
                    state: state.clone().map(Arc::new),
                    problem: problem.clone(),
                    fate: Fate::Pending,
                });
            }
            Event::Believed { offer, patch, by, edited, why } => {
                let place = offer.map(|id| self.pending(id)).transpose()?;
                let belief = patched(self.belief.as_deref(), patch)?;
                if let Some(taken) = place.and_then(|i| self.turn.offers.get_mut(i)) {
                    taken.fate = Fate::Taken { by: *by, edited: *edited };
                }
                self.belief = Some(Arc::new(belief));
                let (patch, why) = (patch.clone(), why.clone());
                self.turn.beliefs.push(BeliefChange { offer: *offer, patch, by: *by, edited: *edited, why });
            }
            Event::BeliefRefused { offer, by, why } => {
                let place = self.pending(*offer)?;
                if let Some(refused) = self.turn.offers.get_mut(place) {
                    refused.fate = Fate::Refused { by: *by, why: why.clone() };
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Where a pending offer stands.
    fn pending(&self, id: OfferId) -> Result<usize, String> {
        let found = self.turn.offers.iter().position(|o| o.id == id && o.fate == Fate::Pending);
        found.ok_or_else(|| format!("no belief {id} waits for a decision at node {}", self.id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_patch_leads_to_the_same_text() {
        let from = json!({ "objects": ["a", "b"], "relations": ["a is on b"], "a": {}, "b": {} });
        let mut to = from.clone();
        to["relations"] = json!([]);
        assert_eq!(patch_between(&from, &to), json!([{ "op": "remove", "path": "/relations/0" }]));
        // Only the order differs: it counts.
        let turned = json!({ "objects": ["a", "b"], "a": {}, "relations": ["a is on b"], "b": {} });
        let patch = patch_between(&from, &turned);
        assert_eq!(patched(Some(&from), &patch).unwrap().to_string(), turned.to_string());
        let first = patch_between(&Value::Null, &from);
        assert_eq!(patched(None, &first), Ok(from));
    }

    #[test]
    fn what_is_no_patch_is_said() {
        assert!(patched(None, &json!([{ "op": "add" }])).unwrap_err().contains("is none"));
        let gone = json!([{ "op": "remove", "path": "/a" }]);
        assert!(patched(Some(&json!({})), &gone).unwrap_err().contains("does not fit"));
    }

    fn states() -> impl Strategy<Value = Value> {
        let entry = prop_oneof![Just(json!({})), Just(json!({ "is": ["dirty"] })), Just(json!({ "contains": ["a"] }))];
        proptest::collection::vec(("[a-d]", entry), 0..5).prop_map(|m| Value::Object(m.into_iter().collect()))
    }

    proptest! {
        #[test]
        fn patches_between_any_states_are_exact(from in states(), to in states()) {
            let led = patched(Some(&from), &patch_between(&from, &to)).unwrap();
            prop_assert_eq!(led.to_string(), to.to_string());
        }
    }
}
