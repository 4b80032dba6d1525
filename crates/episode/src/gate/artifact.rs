//! Decisions about artifacts: offered documents, corrections by a person, undone changes.
//!
//! The gate does not read a document's text and does not know which updates are due: effects and reports carry both.

use serde_json::{Value, json};

use super::super::artifact::{
    ArtifactId, ArtifactKind, Offer, OfferId, OfferState, Written, patch_between, patched, replacing,
};
use super::super::ask::AskKind;
use super::super::decision::Actor;
use super::super::event::{AskId, Event};
use super::super::patch::is_same;
use super::policy::{over_budget, spent};
use super::{Edit, Effect, Follows, Gate, Level, Phase, Unchecked};
use stepwright_text::words::count;

/// A change of a document that is being checked.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Changing {
    artifact: ArtifactId,
    how: How,
}

/// How a document comes to be what it is to be.
#[derive(Debug, Clone, PartialEq)]
enum How {
    /// It is an offer as a person edited it.
    Offer(OfferId),
    /// A person typed it.
    Typed,
    /// A person put it in place of another.
    Replaced,
    /// A person added this entry.
    Appended(Value),
    /// The last change is taken back.
    Undo,
    /// Makes a change again that was taken back.
    Redo,
}

impl Gate {
    /// Whether an offered artifact waits for a decision, so that nothing may be proposed or done; says so.
    pub(super) fn must_decide_artifact(&mut self) -> bool {
        let offered = self.session.pending_offer().map(|o| o.written.artifact.kind.clone());
        let written = self.being_written();
        if let Some(kind) = &offered {
            self.refuse(Level::Warning, format!("a new {kind} waits: take, edit or refuse it first"));
        } else if let Some(kind) = &written {
            self.refuse(Level::Warning, format!("the {kind} is being written; wait for it, or stop it first"));
        }
        offered.is_some() || written.is_some()
    }

    /// The kind of artifact that is being written and will wait for a decision.
    fn being_written(&self) -> Option<ArtifactKind> {
        let ask = self.ask?;
        let asked = self.session.current()?.turn.ask(ask)?;
        match &asked.kind {
            AskKind::Artifact { artifact } if self.conduct(artifact).waits => Some(artifact.clone()),
            _ => None,
        }
    }

    /// Records what was written. A kind that waits is decided about, under the policy or by a person; another is taken at once
    /// where it can be read.
    pub(super) fn offer_artifact(&mut self, written: Written, ask: Option<AskId>) {
        let offer = self.session.next_offer();
        let waits = self.conduct(&written.artifact.kind).waits;
        self.record(Event::ArtifactOffered { offer, ask, written: written.into(), beside: false });
        if waits {
            return self.rule_on_artifact();
        }
        let Some(offer) = self.offer_of(offer) else { return };
        match &offer.written.value {
            Some(value) => {
                let artifact = offer.written.artifact.clone();
                self.settle_artifact(&artifact, Some(&offer), value, Actor::Policy, false, "");
            }
            None => {
                let why = offer.written.problem.clone().unwrap_or_default();
                self.record(Event::ArtifactRefused { offer: offer.id, by: Actor::Policy, why });
            }
        }
        self.consult(None);
    }

    /// Lets the policy rule on the artifact that waits.
    pub(super) fn rule_on_artifact(&mut self) {
        let Some(offer) = self.session.pending_offer().cloned() else { return };
        let kind = offer.written.artifact.kind.clone();
        if !self.session.policy.is_automatic() {
            return match &offer.written.problem {
                None => self.say(Level::Info, format!("a new {kind} waits: take, edit or refuse it")),
                Some(problem) => {
                    let ways = ways(&offer);
                    self.say(Level::Warning, format!("the new {kind} cannot be read: {problem}; {ways}"));
                }
            };
        }
        // What is due after the last step is written and paid for: nothing is asked after it.
        let budget = over_budget(&self.session.policy, spent(&self.session)).filter(|_| !self.session.is_done());
        if let Some(why) = budget {
            self.stop_policy(&why);
            return self.say(Level::Info, format!("stopped: {why}"));
        }
        match (&offer.written.value, &offer.written.problem) {
            (Some(value), None) => {
                let why = match offer.written.repairs.len() {
                    0 => "read without a problem".to_owned(),
                    repairs => format!("read with {}", count(repairs, "repair")),
                };
                self.take_artifact(&offer, value, Actor::Policy, false, &why);
            }
            (_, problem) => {
                let why = problem.as_deref().unwrap_or("it holds no state");
                let why = format!("the new {kind} cannot be read: {why}");
                if self.headless {
                    return self.settle_refusal(offer.id, Actor::Policy, format!("{why}; the {kind} stays"));
                }
                self.stop_policy(&why);
                let ways = ways(&offer);
                self.say(Level::Warning, format!("stopped: {why}; {ways}"));
            }
        }
    }

    /// Records the change from the present document to another.
    pub(super) fn settle_artifact(
        &mut self,
        artifact: &ArtifactId,
        offer: Option<&Offer>,
        value: &Value,
        by: Actor,
        edited: bool,
        why: &str,
    ) {
        // A set of assertions is read from its record alone.
        let patch = match self.session.document(artifact) {
            Some(before) if artifact.kind != ArtifactKind::Assertions => patch_between(before, value),
            _ => replacing(value),
        };
        self.record_change(artifact, offer, patch, by, edited, why);
    }

    fn record_change(
        &mut self,
        artifact: &ArtifactId,
        offer: Option<&Offer>,
        patch: Value,
        by: Actor,
        edited: bool,
        why: &str,
    ) {
        let (artifact, offer, patch, why) = (artifact.clone(), offer.map(|o| o.id), patch.into(), why.to_owned());
        self.record(Event::ArtifactSettled { artifact, offer, patch, by, edited, why });
    }

    /// Takes an offer, as it is or as a person edited it, and continues.
    fn take_artifact(&mut self, offer: &Offer, value: &Value, by: Actor, edited: bool, why: &str) {
        let artifact = offer.written.artifact.clone();
        self.drop_ask(&format!("the {} was decided about", artifact.kind));
        self.settle_artifact(&artifact, Some(offer), value, by, edited, why);
        self.changed(artifact);
    }

    fn settle_refusal(&mut self, offer: OfferId, by: Actor, why: String) {
        self.drop_ask("the offer was decided about");
        self.record(Event::ArtifactRefused { offer, by, why });
        self.after_artifact();
    }

    /// Asks the method again after a document changed.
    pub(super) fn after_artifact(&mut self) {
        self.new_round();
        self.consult(None);
    }

    /// The offer of that number at the cursor or from above, if it is not settled yet on this branch.
    fn offer_of(&self, id: OfferId) -> Option<Offer> {
        self.session.current()?.offer(id).filter(|offer| offer.fate == OfferState::Pending).cloned()
    }

    /// Records an artifact that a service beside the episode wrote; a person decides about it when they like.
    pub(super) fn put_forward(&mut self, written: Written) {
        let offer = self.session.next_offer();
        self.record(Event::ArtifactOffered { offer, ask: None, written: written.into(), beside: true });
    }

    /// The offer, if it can be decided about now; says why not.
    fn open_offer(&mut self, id: OfferId) -> Option<Offer> {
        let found = self.offer_of(id);
        if found.is_none() {
            self.refuse(Level::Error, format!("no offer {id} waits for a decision at this point"));
        }
        found
    }

    pub(super) fn approve_offer(&mut self, id: OfferId) {
        let Some(offer) = self.open_offer(id) else { return };
        match (&offer.written.value, &offer.written.problem) {
            (Some(value), None) => self.take_artifact(&offer, value, Actor::Person, false, ""),
            (_, problem) => {
                let kind = &offer.written.artifact.kind;
                let why = problem.as_deref().unwrap_or("it holds no state");
                self.refuse(
                    Level::Warning,
                    format!("the {kind} cannot be taken as it is: {why}; edit it or refuse it"),
                );
            }
        }
    }

    pub(super) fn edit_offer(&mut self, id: OfferId, text: String) {
        if let Some(offer) = self.open_offer(id) {
            let changing = Changing { artifact: offer.written.artifact.clone(), how: How::Offer(id) };
            self.check_change(changing, Unchecked::Text(text));
        }
    }

    pub(super) fn refuse_offer(&mut self, id: OfferId, reason: String) {
        if self.open_offer(id).is_some() {
            self.settle_refusal(id, Actor::Person, reason);
        }
    }

    /// Takes a person's refusal back: the offer waits again.
    fn reopen_offer(&mut self, offer: &Offer) {
        if !offer.beside && self.must_decide_artifact() {
            return;
        }
        let kind = &offer.written.artifact.kind;
        // Nothing waits for what stands beside the episode.
        if !offer.beside {
            self.drop_ask(&format!("the {kind} waits again"));
        }
        self.record(Event::ArtifactReopened { offer: offer.id });
        self.say(Level::Info, format!("taken back: that the {kind} was refused; it waits again"));
        if !offer.beside {
            self.rule_on_artifact();
        }
    }

    /// Has the artifact written again; the offer counts until there is another.
    pub(super) fn rewrite_offer(&mut self, id: OfferId) {
        let Some(offer) = self.open_offer(id) else { return };
        self.drop_ask(&format!("the {} is written again", offer.written.artifact.kind));
        self.new_round();
        self.phase = Phase::Advising;
        self.out.push(Effect::Consult { round: self.round, samples: None });
    }

    /// Has what a person wants of a document checked.
    pub(super) fn change(&mut self, artifact: ArtifactId, edit: Edit) {
        // A document of which a new one waits is changed by deciding about that.
        let waits = self.session.pending_offer().is_some_and(|offer| offer.written.artifact == artifact);
        let (how, to) = match edit {
            Edit::Text(_) if self.must_decide_artifact() => return,
            _ if waits && self.must_decide_artifact() => return,
            Edit::Text(text) => (How::Typed, Unchecked::Text(text)),
            Edit::Value(value) => (How::Replaced, Unchecked::Value(value)),
            Edit::Append(entry) => {
                let patch = appending(&entry);
                match patched(&artifact.kind, self.session.document(&artifact).map(AsRef::as_ref), &patch) {
                    Ok(value) => (How::Appended(patch), Unchecked::Value(value)),
                    Err(why) => return self.refuse(Level::Error, why),
                }
            }
            Edit::Undo if let Some(refused) = self.session.last_refusal(&artifact).map(|(_, offer)| offer.clone()) => {
                return self.reopen_offer(&refused);
            }
            Edit::Undo => match self.session.last_change(&artifact) {
                Some((_, made)) => (How::Undo, Unchecked::Value(made.before.as_deref().cloned().unwrap_or_default())),
                None => return self.refuse(Level::Info, format!("no change of the {artifact} is left to undo")),
            },
            Edit::Redo => match self.session.last_undone(&artifact) {
                Some((_, made)) => (How::Redo, Unchecked::Value(made.after.as_ref().clone())),
                None => return self.refuse(Level::Info, format!("no change of the {artifact} is left to do again")),
            },
        };
        self.check_change(Changing { artifact, how }, to);
    }

    fn check_change(&mut self, changing: Changing, to: Unchecked) {
        let follows = self.conduct(&changing.artifact.kind).follows;
        if let (Follows::Nothing, Unchecked::Value(value)) = (follows, &to) {
            return self.change_checked(changing, Ok(value.clone()));
        }
        self.out.push(Effect::CheckChange { artifact: changing.artifact.clone(), to });
        self.phase = Phase::Changing(changing);
    }

    /// Records a change that was checked, and has it put in force.
    pub(super) fn change_checked(&mut self, changing: Changing, checked: Result<Value, String>) {
        let Changing { artifact, how } = changing;
        let value = match checked {
            Ok(value) => value,
            Err(why) if matches!(how, How::Typed | How::Offer(_)) => {
                return self.refuse(Level::Error, format!("it cannot be read: {why}; nothing was changed"));
            }
            Err(why) => return self.refuse(Level::Warning, why),
        };
        if let How::Offer(id) = how {
            let Some(offer) = self.open_offer(id) else { return };
            let edited = offer.written.value.as_deref().is_none_or(|offered| !is_same(offered, &value));
            return self.take_artifact(&offer, &value, Actor::Person, edited, "");
        }
        let now = self.session.document(&artifact);
        if matches!(how, How::Typed | How::Replaced) && now.is_some_and(|now| is_same(now, &value)) {
            return self.refuse(Level::Info, format!("this is the {artifact} already"));
        }
        let why = if how == How::Typed { "corrected by a person" } else { "" };
        let turned = match how {
            How::Undo => Some("taken back"),
            How::Redo => Some("made again"),
            _ => None,
        };
        self.changes_to(&artifact);
        match how {
            How::Undo => self.record(Event::ArtifactUndone { artifact: artifact.clone() }),
            How::Appended(patch) => self.record_change(&artifact, None, patch, Actor::Person, false, why),
            _ => self.settle_artifact(&artifact, None, &value, Actor::Person, false, why),
        }
        self.changed(artifact.clone());
        // What is in force then may read as after the change that was turned.
        if let Some(turned) = turned {
            self.say(Level::Info, format!("{turned}: the last change of the {artifact}"));
        }
    }

    /// Ends what a change of the document makes void.
    fn changes_to(&mut self, artifact: &ArtifactId) {
        if self.conduct(&artifact.kind).follows == Follows::Proposals {
            self.drop_ask(&format!("the {} was changed", artifact.kind));
        }
    }

    /// Has a document put in force whose change was recorded, and goes on.
    fn changed(&mut self, artifact: ArtifactId) {
        let follows = self.conduct(&artifact.kind).follows;
        if follows != Follows::Nothing {
            self.out.push(Effect::ApplyChange(artifact));
        }
        match follows {
            Follows::Proposals => self.after_artifact(),
            Follows::Checks => self.check_again(),
            Follows::Nothing => {}
        }
    }
}

/// What a person can do about an offer that cannot be read. One that came in an answer with something else has no ask of its own and is
/// not written again alone.
fn ways(offer: &Offer) -> &'static str {
    match offer.ask {
        Some(_) => "edit it, refuse it or have it written again",
        None => "edit it or refuse it",
    }
}

/// The patch that adds an entry at the end of a document.
pub(super) fn appending(entry: &Value) -> Value {
    json!([{ "op": "add", "path": "/-", "value": entry }])
}
