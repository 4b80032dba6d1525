//! Artifacts: documents of an episode that are no actions, such as a belief, a plan, a program, an edited blocking tree, a set of
//! adopted assertions.
//!
//! All kinds live by one mechanism: an [`Offer`] waits or is taken at once; a [`Change`] leads from one document to the next by a
//! JSON patch (RFC 6902) and may be taken back and made again (`history`); a node inherits its parent's documents. So each document
//! belongs to the branch it was changed on, but for those of the session ([`ArtifactKind::is_of_session`]). How the documents of a kind are read, checked and shown belongs to the kind's room; what
//! the gate has to know of a kind is its [`Conduct`](super::gate::Conduct).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ask::AskKind;
use super::decision::Actor;
use super::event::{AskId, Event, NodeId, TreeEdit};
use super::history::{self, Changes, DocumentChange};
use super::index::place;
use super::patch;
use super::proposal::Proposal;
use super::session::Node;

/// A kind of artifact. Kinds are open: a method may have its own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(from = "String", into = "String")]
pub enum ArtifactKind {
    /// The world's state as a model maintains it.
    Belief,
    /// A plan whose lines are offered one at a time: `{"text": …, "ask": …}`.
    Plan,
    /// A program that was run, with the calls it made: `{"source": …, "calls": […]}`.
    Program,
    /// A person's changes of the blocking tree: an array of [`TreeEdit`]s.
    Tree,
    /// The assertions in force for the action function that is the key: `{"assertions": […], "origin": …}`. Its effects are kept the same
    /// way, under `effects of` its name.
    Assertions,
    /// What a person changed of the candidate preconditions of the action function that is the key: an array. Of the session, and of
    /// no branch of it.
    Candidates,
    /// Skills with their primitives and tips, as `stepwright_skill::document` writes them.
    Knowledge,
    /// A trajectory cut into calls of skills, the trajectory's id the key: an array of segments.
    Segments,
    /// The form of states in which the belief is kept, in place of the world's: `{"text": …}`.
    Form,
    /// Another kind, by its identifier.
    Other(String),
}

/// The kinds that have a variant, and their identifiers.
const KNOWN: [(ArtifactKind, &str); 9] = [
    (ArtifactKind::Belief, "belief"),
    (ArtifactKind::Plan, "plan"),
    (ArtifactKind::Program, "program"),
    (ArtifactKind::Tree, "tree"),
    (ArtifactKind::Assertions, "assertions"),
    (ArtifactKind::Candidates, "candidates"),
    (ArtifactKind::Knowledge, "knowledge"),
    (ArtifactKind::Segments, "segments"),
    (ArtifactKind::Form, "form"),
];

impl ArtifactKind {
    /// The identifier (`belief`).
    pub fn id(&self) -> &str {
        match self {
            ArtifactKind::Other(id) => id,
            known => KNOWN.iter().find(|(kind, _)| kind == known).map_or("", |(_, id)| id),
        }
    }

    /// Whether its documents belong to the session, and not to a branch of it.
    pub fn is_of_session(&self) -> bool {
        *self == ArtifactKind::Candidates
    }
}

impl From<String> for ArtifactKind {
    fn from(id: String) -> Self {
        let known = KNOWN.into_iter().find(|(_, known)| *known == id);
        known.map_or(ArtifactKind::Other(id), |(kind, _)| kind)
    }
}

impl From<ArtifactKind> for String {
    fn from(kind: ArtifactKind) -> Self {
        kind.id().to_owned()
    }
}

impl fmt::Display for ArtifactKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// Names a document of a node.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactId {
    /// Its kind.
    pub kind: ArtifactKind,
    /// Which of that kind; empty where a node has one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub key: String,
}

impl ArtifactId {
    /// The belief.
    pub const BELIEF: ArtifactId = ArtifactId { kind: ArtifactKind::Belief, key: String::new() };
    /// The plan in force.
    pub const PLAN: ArtifactId = ArtifactId { kind: ArtifactKind::Plan, key: String::new() };
    /// The program that was run last.
    pub const PROGRAM: ArtifactId = ArtifactId { kind: ArtifactKind::Program, key: String::new() };
    /// The changes of the blocking tree.
    pub const TREE: ArtifactId = ArtifactId { kind: ArtifactKind::Tree, key: String::new() };
    /// The knowledge of skills.
    pub const KNOWLEDGE: ArtifactId = ArtifactId { kind: ArtifactKind::Knowledge, key: String::new() };
    /// The form of states.
    pub const FORM: ArtifactId = ArtifactId { kind: ArtifactKind::Form, key: String::new() };

    /// How a trajectory is cut into skills.
    pub fn segments(trajectory: &str) -> Self {
        ArtifactId { kind: ArtifactKind::Segments, key: trajectory.to_owned() }
    }

    /// The assertions in force for an action function.
    pub fn assertions(action: &str) -> Self {
        ArtifactId { kind: ArtifactKind::Assertions, key: action.to_owned() }
    }

    /// What a person changed of the candidate preconditions of an action function.
    pub fn candidates(action: &str) -> Self {
        ArtifactId { kind: ArtifactKind::Candidates, key: action.to_owned() }
    }
}

impl fmt::Display for ArtifactId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.key.as_str() {
            "" => write!(f, "{}", self.kind),
            // Effects are kept as assertions are, and are none.
            key if self.kind == ArtifactKind::Assertions && action_of_effects(key).is_some() => f.write_str(key),
            key => write!(f, "{} of {key}", self.kind),
        }
    }
}

/// The documents of a node.
pub type Documents = history::Documents<ArtifactId>;

/// Identifies an offer within a session.
pub type OfferId = u64;

/// Which of a step's updates an artifact is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Due {
    /// The node that the step with the update led to.
    pub step: NodeId,
    /// Which of the step's updates, from 0.
    pub nth: u32,
}

/// The status of an offer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OfferState {
    /// Nothing yet: a decision is awaited.
    Pending,
    /// It is the document since.
    Taken {
        /// By whom.
        by: Actor,
        /// Whether a person changed it before.
        edited: bool,
        /// Whether it waited for nobody: it is of a kind that is taken as written.
        unasked: bool,
    },
    /// The document stayed as it was.
    Refused {
        /// By whom.
        by: Actor,
        /// Why, in words; may be empty.
        why: String,
    },
    /// It was written again; the later offer counts.
    Replaced,
}

/// A document as it was written, before the decision about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Written {
    /// Which document it would be.
    pub artifact: ArtifactId,
    /// Which update it is for, where it is for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due: Option<Due>,
    /// Its title: an update's text, a request's.
    pub title: String,
    /// The text that was written, verbatim.
    pub raw: String,
    /// The repairs made in reading it, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repairs: Vec<String>,
    /// The document read from it; `None` where it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Arc<Value>>,
    /// Why it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A document that was offered, and its status.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    /// Its number within the session.
    pub id: OfferId,
    /// The ask it answers, where one was made for it alone.
    pub ask: Option<AskId>,
    /// The written document.
    pub written: Arc<Written>,
    /// Whether it was written beside the episode: it stays open over the steps that follow, on each branch until it is decided about
    /// there.
    pub beside: bool,
    /// Its status.
    pub fate: OfferState,
}

impl Offer {
    /// Whether it waits for a decision before anything else is proposed.
    pub fn waits(&self) -> bool {
        self.fate == OfferState::Pending && !self.beside
    }

    /// Whether it was taken or refused, so that its update is dealt with.
    pub fn is_settled(&self) -> bool {
        matches!(self.fate, OfferState::Taken { .. } | OfferState::Refused { .. })
    }
}

/// A change of a document at a node.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The document.
    pub artifact: ArtifactId,
    /// The offer taken; `None` for a correction by a person, and for the document an episode begins with.
    pub offer: Option<OfferId>,
    /// From the document before (RFC 6902).
    pub patch: Arc<Value>,
    /// By whom.
    pub by: Actor,
    /// Whether a person edited the offer.
    pub edited: bool,
    /// Why, in words.
    pub why: String,
    /// Whether it takes back one that was made above.
    pub takes_back: bool,
    before: Option<Arc<Value>>,
    after: Arc<Value>,
}

/// Before the action's name where what is in force are its effects, lines that change the state, in place of its assertions.
const EFFECTS: &str = "effects of ";

/// The name under which the effects of an action function are kept beside its assertions.
pub fn effects_of(action: &str) -> String {
    format!("{EFFECTS}{action}")
}

/// The action function whose effects go by that name; `None` where its assertions do.
pub fn action_of_effects(name: &str) -> Option<&str> {
    name.strip_prefix(EFFECTS)
}

/// The assertions of an action function or its effects, all of them, as they are put in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assertions {
    /// The action's function (`take`); of its effects the name that [`effects_of`] gives.
    pub action: String,
    /// The expressions, or the lines of effects, in order.
    pub assertions: Vec<String>,
    /// Where they come from (`specification`, `inferred`, `edited`, a file).
    pub origin: String,
}

/// Assertions and effects in force, by the names of [`Assertions::action`]: texts and where they come from.
pub type InForce = BTreeMap<String, (Vec<String>, String)>;

/// The origin of the assertions that an episode begins with.
pub const OWN: &str = "specification";

#[derive(Deserialize)]
struct AssertionSet {
    assertions: Vec<String>,
    origin: String,
}

impl AssertionSet {
    fn read(document: &Value) -> Result<Self, String> {
        AssertionSet::deserialize(document).map_err(|e| format!("the assertions cannot be read: {e}"))
    }
}

impl Assertions {
    /// The document that holds the set.
    pub fn document(&self) -> Value {
        json!({ "assertions": self.assertions, "origin": self.origin })
    }

    /// The event that puts the set in force.
    pub fn event(self, by: Actor) -> Event {
        let patch = replacing(&self.document());
        let artifact = ArtifactId { kind: ArtifactKind::Assertions, key: self.action };
        Event::ArtifactSettled { artifact, offer: None, patch: patch.into(), by, edited: false, why: String::new() }
    }

    /// The set that a document of that name holds, if it is one of assertions.
    pub fn of(artifact: &ArtifactId, document: &Value) -> Option<Self> {
        let set = AssertionSet::read(document).ok().filter(|_| artifact.kind == ArtifactKind::Assertions)?;
        Some(Assertions { action: artifact.key.clone(), assertions: set.assertions, origin: set.origin })
    }
}

impl Event {
    /// The set of assertions it puts in force, if it does.
    pub fn adopted(&self) -> Option<Assertions> {
        let Event::ArtifactSettled { artifact, patch, .. } = self else { return None };
        Assertions::of(artifact, patch.pointer("/0/value")?)
    }

    /// Whether it takes an offer that waited for nobody.
    pub fn takes_unasked(&self) -> bool {
        matches!(self, Event::ArtifactSettled { offer, by, why, .. } if is_unasked(*offer, *by, why))
    }
}

impl Change {
    /// The document before.
    pub fn before(&self) -> Option<&Value> {
        self.before.as_deref()
    }

    /// The document since.
    pub fn after(&self) -> &Value {
        &self.after
    }

    /// The set of assertions this change put in force, if it is one.
    pub fn adopted(&self) -> Option<Assertions> {
        Assertions::of(&self.artifact, &self.after)
    }

    /// The set of assertions that is in force no longer with this change, if that is taken back here.
    pub fn taken_back(&self) -> Option<Assertions> {
        Assertions::of(&self.artifact, self.before.as_deref().filter(|_| self.takes_back)?)
    }

    /// Whether it takes an offer that waited for nobody.
    pub fn is_unasked(&self) -> bool {
        is_unasked(self.offer, self.by, &self.why)
    }
}

/// Whether an offer was taken that waited for nobody: the policy always says why it takes one that waits.
fn is_unasked(offer: Option<OfferId>, by: Actor, why: &str) -> bool {
    offer.is_some() && by == Actor::Policy && why.is_empty()
}

/// The patch that leads from one document to another, the order of the entries included: prompts show it. Where entries only
/// changed places it replaces the whole document.
pub fn patch_between(from: &Value, to: &Value) -> Value {
    let patch = json_patch::diff(from, to);
    let mut led = from.clone();
    let leads = json_patch::patch(&mut led, &patch).is_ok() && patch::is_same(&led, to);
    match serde_json::to_value(&patch) {
        Ok(patch) if leads => patch,
        _ => replacing(to),
    }
}

/// The patch that replaces a whole document.
pub fn replacing(to: &Value) -> Value {
    json!([{ "op": "replace", "path": "", "value": to }])
}

/// The document a patch leads to; what is added at the end of one that is not there begins a list.
pub fn patched(kind: &ArtifactKind, document: Option<&Value>, patch: &Value) -> Result<Value, String> {
    let appends = || patch.pointer("/0/path").and_then(Value::as_str) == Some("/-");
    let mut value = document.cloned().unwrap_or_else(|| if appends() { json!([]) } else { Value::Null });
    patch::apply(&mut value, patch).map_err(|why| format!("the patch of the {kind} {why}"))?;
    Ok(value)
}

impl Node {
    /// A document here.
    pub fn document(&self, artifact: &ArtifactId) -> Option<&Arc<Value>> {
        self.documents.get(artifact)
    }

    /// The last ask before a person wrote the plan that is in force here, where that was done at this node.
    pub fn replaced_up_to(&self) -> Option<AskId> {
        let plan = self.document(&ArtifactId::PLAN)?;
        (plan.get("node")?.as_u64()? == self.id).then(|| plan.get("ask")?.as_u64())?
    }

    /// Whether a proposal was offered as a line of a plan in whose place a person wrote another here.
    pub fn is_replaced(&self, proposal: &Proposal) -> bool {
        let ask = self.replaced_up_to().and_then(|last| proposal.ask.filter(|ask| *ask <= last));
        ask.and_then(|ask| self.turn.ask(ask)).is_some_and(|ask| ask.kind == AskKind::PLAN_LINE)
    }

    /// The offers that were open when this step was taken, then those made here.
    pub fn offers(&self) -> impl DoubleEndedIterator<Item = &Offer> {
        self.inherited_offers.iter().map(AsRef::as_ref).chain(&self.turn.offers)
    }

    /// The offer of that number, as far as it is one of this node's.
    pub fn offer(&self, id: OfferId) -> Option<&Offer> {
        let own = place(&self.turn.offers, id, |offer| offer.id).and_then(|at| self.turn.offers.get(at));
        own.or_else(|| self.inherited_offers.iter().map(AsRef::as_ref).find(|offer| offer.id == id))
    }

    /// The offer of a document that is not settled on this branch yet.
    pub fn open_offer(&self, artifact: &ArtifactId) -> Option<&Offer> {
        let own = self.turn.index.open.get(artifact).and_then(|at| self.turn.offers.get(*at));
        own.or_else(|| {
            let open = |offer: &&Offer| offer.fate == OfferState::Pending && offer.written.artifact == *artifact;
            self.inherited_offers.iter().map(AsRef::as_ref).find(open)
        })
    }

    /// The offers that a step taken here leaves open.
    pub(super) fn left_open(&self) -> Arc<Vec<Arc<Offer>>> {
        let is_open = |offer: &Offer| offer.fate == OfferState::Pending && offer.beside;
        let own: Vec<Arc<Offer>> = self.turn.offers.iter().filter(|o| is_open(o)).cloned().map(Arc::new).collect();
        if own.is_empty() && self.inherited_offers.iter().all(|offer| is_open(offer)) {
            return Arc::clone(&self.inherited_offers);
        }
        Arc::new(self.inherited_offers.iter().filter(|offer| is_open(offer)).cloned().chain(own).collect())
    }

    fn set_fate(&mut self, id: OfferId, fate: OfferState) {
        let own = place(&self.turn.offers, id, |offer| offer.id);
        let offer = match own {
            Some(at) => self.turn.offers.get_mut(at),
            None => {
                let inherited = Arc::make_mut(&mut self.inherited_offers).iter_mut();
                inherited.filter(|offer| offer.id == id).map(Arc::make_mut).next()
            }
        };
        let Some(offer) = offer else { return };
        match own.filter(|_| fate == OfferState::Pending) {
            Some(at) => drop(self.turn.index.open.insert(offer.written.artifact.clone(), at)),
            None => drop(self.turn.index.open.remove(&offer.written.artifact)),
        }
        offer.fate = fate;
    }

    /// The belief here, where one is maintained.
    pub fn belief(&self) -> Option<&Arc<Value>> {
        self.document(&ArtifactId::BELIEF)
    }

    /// A person's changes of the blocking tree that were made here and count, in order.
    pub fn tree_edits_here(&self) -> Vec<TreeEdit> {
        self.document(&ArtifactId::TREE).and_then(|document| self.edits_in(document)).unwrap_or_default()
    }

    /// The changes of the blocking tree in a document of this node, without the inherited ones; `None` where those are not all there.
    pub fn edits_in(&self, document: &Value) -> Option<Vec<TreeEdit>> {
        let all = document.as_array().map_or(&[][..], Vec::as_slice);
        let here = all.get(self.inherited_edits..)?;
        Some(here.iter().filter_map(|edit| TreeEdit::deserialize(edit).ok()).collect())
    }

    /// How many changes of the blocking tree the documents here hold.
    pub(super) fn edits(&self) -> usize {
        self.document(&ArtifactId::TREE).and_then(|edits| edits.as_array()).map_or(0, Vec::len)
    }

    /// Takes in what happened to an artifact here; `next` is the number the next offer has, `changes` are all of the session. Checks
    /// before it changes anything.
    pub(super) fn apply_artifact(&mut self, event: &Event, next: OfferId, changes: &mut Changes) -> Result<(), String> {
        match event {
            Event::ArtifactOffered { offer, ask, written, beside } => {
                if *offer != next {
                    return Err(format!("offer {offer} out of order, expected {next}"));
                }
                if let Some(earlier) = self.open_offer(&written.artifact).map(|earlier| earlier.id) {
                    self.set_fate(earlier, OfferState::Replaced);
                }
                self.turn.index.open.insert(written.artifact.clone(), self.turn.offers.len());
                self.turn.index.refusals.remove(&written.artifact);
                let written = written.clone();
                self.turn.offers.push(Offer {
                    id: *offer,
                    ask: *ask,
                    written,
                    beside: *beside,
                    fate: OfferState::Pending,
                });
            }
            Event::ArtifactSettled { artifact, offer, patch, by, edited, why } => {
                offer.map(|id| self.pending(id)).transpose()?;
                let before = self.document(artifact).cloned();
                let after = Arc::new(patched(&artifact.kind, before.as_deref(), patch)?);
                let in_force = self.with_assertions(artifact, Some(&after))?;
                let begins = offer.is_none() && *by == Actor::Policy;
                let (was, is) = (before.clone(), Arc::clone(&after));
                let made =
                    DocumentChange { node: self.id, offer: *offer, before: was, after: is, begins, previous: None };
                Arc::make_mut(&mut self.documents).settle(artifact, made, changes)?;
                self.in_force = in_force;
                self.turn.index.refusals.remove(artifact);
                self.end_belief_of(artifact);
                if let Some(taken) = offer {
                    let unasked = is_unasked(*offer, *by, why);
                    self.set_fate(*taken, OfferState::Taken { by: *by, edited: *edited, unasked });
                }
                let (artifact, patch, why) = (artifact.clone(), patch.clone(), why.clone());
                let (offer, by, edited, takes_back) = (*offer, *by, *edited, false);
                let made = Change { artifact, offer, patch, by, edited, why, takes_back, before, after };
                self.turn.changes.push(made);
            }
            Event::ArtifactRefused { offer, by, why } => {
                let artifact = self.pending(*offer)?.written.artifact.clone();
                if *by == Actor::Person {
                    self.turn.index.refusals.insert(artifact, (*offer, changes.count()));
                }
                self.set_fate(*offer, OfferState::Refused { by: *by, why: why.clone() });
            }
            Event::ArtifactReopened { offer } => {
                let refused = self.turn.index.refusals.iter().find(|(_, (of, _))| of == offer);
                let artifact = refused.map(|(artifact, _)| artifact.clone());
                let artifact = artifact
                    .ok_or_else(|| format!("no refusal of offer {offer} can be taken back at node {}", self.id))?;
                self.turn.index.refusals.remove(&artifact);
                self.set_fate(*offer, OfferState::Pending);
            }
            Event::ArtifactUndone { artifact } => {
                let before = changes.before(self.documents.last(artifact));
                let in_force = self.with_assertions(artifact, before)?;
                self.turn.index.refusals.remove(artifact);
                let taken = Arc::make_mut(&mut self.documents).take_back(artifact, changes);
                let made =
                    taken.ok_or_else(|| format!("no change of the {artifact} to take back at node {}", self.id))?;
                self.in_force = in_force;
                self.end_belief_of(artifact);
                let own = self.turn.changes.iter().rposition(|change| change.artifact == *artifact);
                match own.filter(|_| made.node == self.id) {
                    Some(own) => drop(self.turn.changes.remove(own)),
                    // One that was made above is taken back from here on.
                    None => {
                        let now = made.before.clone().unwrap_or_default();
                        let (artifact, why) = (artifact.clone(), "taken back".to_owned());
                        let (patch, before) = (patch_between(&made.after, &now).into(), Some(Arc::clone(&made.after)));
                        let (offer, by, edited, takes_back, after) = (None, Actor::Person, false, true, now);
                        let made = Change { artifact, offer, patch, by, edited, why, takes_back, before, after };
                        self.turn.changes.push(made);
                    }
                }
                // What was taken can be taken otherwise, unless something newer is offered.
                if let Some(offer) = made.offer.filter(|id| self.offer(*id).is_some_and(|offer| offer.beside))
                    && self.open_offer(artifact).is_none()
                {
                    self.set_fate(offer, OfferState::Pending);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Ends the belief where the form changed in which it is written: it begins again in the form that is in force.
    fn end_belief_of(&mut self, changed: &ArtifactId) {
        if *changed == ArtifactId::FORM {
            Arc::make_mut(&mut self.documents).end(&ArtifactId::BELIEF);
            if let Some(waiting) = self.open_offer(&ArtifactId::BELIEF).map(|offer| offer.id) {
                self.set_fate(waiting, OfferState::Replaced);
            }
        }
    }

    /// The assertions in force once that document is this.
    fn with_assertions(&self, artifact: &ArtifactId, document: Option<&Arc<Value>>) -> Result<Arc<InForce>, String> {
        let mut in_force = Arc::clone(&self.in_force);
        if artifact.kind == ArtifactKind::Assertions {
            let set = document.map(|document| AssertionSet::read(document)).transpose()?;
            let in_force = Arc::make_mut(&mut in_force);
            match set {
                Some(set) => in_force.insert(artifact.key.clone(), (set.assertions, set.origin)),
                None => in_force.remove(&artifact.key),
            };
        }
        Ok(in_force)
    }

    fn pending(&self, id: OfferId) -> Result<&Offer, String> {
        let found = self.offer(id).filter(|offer| offer.fate == OfferState::Pending);
        found.ok_or_else(|| format!("no offer {id} waits for a decision at node {}", self.id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BELIEF: ArtifactKind = ArtifactKind::Belief;

    #[test]
    fn a_patch_leads_to_the_same_text() {
        let from = json!({ "objects": ["a", "b"], "relations": ["a is on b"], "a": {}, "b": {} });
        let mut to = from.clone();
        to["relations"] = json!([]);
        assert_eq!(patch_between(&from, &to), json!([{ "op": "remove", "path": "/relations/0" }]));
        // Only the order differs: it counts.
        let turned = json!({ "objects": ["a", "b"], "a": {}, "relations": ["a is on b"], "b": {} });
        let patch = patch_between(&from, &turned);
        assert_eq!(patched(&BELIEF, Some(&from), &patch).unwrap().to_string(), turned.to_string());
        let first = patch_between(&Value::Null, &from);
        assert_eq!(patched(&BELIEF, None, &first), Ok(from));
    }

    #[test]
    fn what_is_no_patch_is_said() {
        assert!(patched(&BELIEF, None, &json!([{ "op": "add" }])).unwrap_err().contains("belief is none"));
        let gone = json!([{ "op": "remove", "path": "/a" }]);
        assert!(patched(&BELIEF, Some(&json!({})), &gone).unwrap_err().contains("of the belief does not fit"));
    }

    #[test]
    fn effects_are_not_called_assertions() {
        let named = |key: &str| ArtifactId::assertions(key).to_string();
        assert_eq!([named("go"), named(&effects_of("go"))], ["assertions of go", "effects of go"]);
    }

    #[test]
    fn kinds_are_open_and_read_as_written() {
        for id in ["belief", "plan", "program", "tree", "assertions", "candidates", "skill"] {
            let kind = ArtifactKind::from(id.to_owned());
            assert_eq!(kind.id(), id);
            assert_eq!(serde_json::from_value::<ArtifactKind>(json!(kind)).unwrap(), kind);
        }
    }

    fn states() -> impl Strategy<Value = Value> {
        let entry = prop_oneof![Just(json!({})), Just(json!({ "is": ["dirty"] })), Just(json!({ "contains": ["a"] }))];
        proptest::collection::vec(("[a-d]", entry), 0..5).prop_map(|m| Value::Object(m.into_iter().collect()))
    }

    proptest! {
        #[test]
        fn patches_between_any_states_are_exact(from in states(), to in states()) {
            let led = patched(&BELIEF, Some(&from), &patch_between(&from, &to)).unwrap();
            prop_assert_eq!(led.to_string(), to.to_string());
        }
    }
}
