//! Decisions about artifacts: offered documents, corrections by a person, undone changes.
//!
//! The gate does not read a document's text and does not know which updates are due: effects and reports carry both.

#[cfg(test)]
mod tests;

use serde_json::Value;

use super::super::artifact::{
    ArtifactId, ArtifactKind, Fate, Offer, OfferId, Written, is_same, patch_between, patched,
};
use super::super::ask::AskKind;
use super::super::decision::Actor;
use super::super::event::{AskId, Event, TreeEdit};
use super::policy::{over_budget, spent};
use super::{Effect, Gate, Level, Phase};

/// What a typed document is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Typed {
    /// In place of an offer's.
    Edit(OfferId),
    /// A correction.
    Correction(ArtifactId),
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
            AskKind::Artifact { artifact } if artifact.waits() => Some(artifact.clone()),
            _ => None,
        }
    }

    /// Records what was written. A kind that waits is decided about, under the policy or by a person; another is taken at once
    /// where it can be read.
    pub(super) fn offer_artifact(&mut self, written: Written, ask: Option<AskId>) {
        let offer = self.session.next_offer();
        let waits = written.artifact.kind.waits();
        self.record(Event::ArtifactOffered { offer, ask, written: written.into() });
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
                    let words = format!(
                        "the new {kind} cannot be read: {problem}; edit it, refuse it or have it written again"
                    );
                    self.say(Level::Warning, words);
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
            (Some(value), None) => self.take_artifact(&offer, value, Actor::Policy, false, "read without a problem"),
            (_, problem) => {
                let why = problem.as_deref().unwrap_or("it holds no state");
                let why = format!("the new {kind} cannot be read: {why}");
                if self.unattended {
                    return self.settle_refusal(offer.id, Actor::Policy, format!("{why}; the {kind} stays"));
                }
                self.stop_policy(&why);
                self.say(Level::Warning, format!("stopped: {why}; edit it, refuse it or have it written again"));
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
        let before = self.session.current().and_then(|n| n.document(artifact));
        let patch = patch_between(before.map_or(&Value::Null, |b| b), value).into();
        let (artifact, offer, why) = (artifact.clone(), offer.map(|o| o.id), why.to_owned());
        self.record(Event::ArtifactSettled { artifact, offer, patch, by, edited, why });
    }

    /// Takes an offer, as it is or as a person edited it, and continues.
    fn take_artifact(&mut self, offer: &Offer, value: &Value, by: Actor, edited: bool, why: &str) {
        let artifact = offer.written.artifact.clone();
        self.drop_ask(&format!("the {} was decided about", artifact.kind));
        self.settle_artifact(&artifact, Some(offer), value, by, edited, why);
        self.after_artifact();
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
        self.session.current()?.offer(id).filter(|offer| offer.fate == Fate::Pending).cloned()
    }

    /// Records an artifact that a service beside the episode wrote; a person decides about it when they like.
    pub(super) fn put_forward(&mut self, written: Written) {
        let offer = self.session.next_offer();
        self.record(Event::ArtifactOffered { offer, ask: None, written: written.into() });
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
            self.phase = Phase::ReadingArtifact(Typed::Edit(id));
            self.out.push(Effect::ReadArtifact { artifact: offer.written.artifact.clone(), text });
        }
    }

    pub(super) fn refuse_offer(&mut self, id: OfferId, reason: String) {
        if self.open_offer(id).is_some() {
            self.settle_refusal(id, Actor::Person, reason);
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

    pub(super) fn correct_artifact(&mut self, artifact: ArtifactId, text: String) {
        if !self.must_decide_artifact() {
            self.phase = Phase::ReadingArtifact(Typed::Correction(artifact.clone()));
            self.out.push(Effect::ReadArtifact { artifact, text });
        }
    }

    /// Amends a document by a person's patch, and proposes again.
    pub(super) fn amend_artifact(&mut self, artifact: ArtifactId, patch: Value) {
        let Some(node) = self.session.current() else { return };
        let amended = patched(&artifact.kind, node.document(&artifact).map(AsRef::as_ref), &patch);
        let amended = match amended {
            Ok(amended) => amended,
            Err(why) => return self.refuse(Level::Error, why),
        };
        let edits = (artifact.kind == ArtifactKind::Tree).then(|| node.edits_in(&amended));
        let (offer, by, edited, why) = (None, Actor::Person, false, String::new());
        let patch = patch.into();
        self.change_artifact(Event::ArtifactSettled { artifact, offer, patch, by, edited, why }, edits);
    }

    /// Takes back the last change of a document at the cursor, and proposes again.
    pub(super) fn undo_artifact(&mut self, artifact: ArtifactId) {
        let Some(node) = self.session.current() else { return };
        if node.turn.changes_of(&artifact).next_back().is_none() {
            let what =
                if artifact.kind == ArtifactKind::Tree { "blocking tree".to_owned() } else { artifact.to_string() };
            return self.refuse(Level::Info, format!("no change of the {what} was made at this step"));
        }
        let mut edits = (artifact.kind == ArtifactKind::Tree).then(|| node.tree_edits_here());
        if let Some(edits) = &mut edits {
            edits.pop();
        }
        self.change_artifact(Event::ArtifactUndone { artifact }, edits);
    }

    /// Records a change; one of the blocking tree once the tree can take it.
    fn change_artifact(&mut self, event: Event, edits: Option<Vec<TreeEdit>>) {
        match edits {
            Some(edits) => {
                self.out.push(Effect::CheckTree(edits.clone()));
                self.phase = Phase::EditingTree { edits, event: Box::new(event) };
            }
            None => {
                self.drop_ask("a document was changed");
                self.record(event);
                self.after_artifact();
            }
        }
    }

    /// Records a checked change of the blocking tree and has it made. The candidates are others then: actions are proposed again.
    pub(super) fn tree_checked(&mut self, edits: Vec<TreeEdit>, event: Event) {
        self.drop_ask("the blocking tree was changed");
        self.record(event);
        self.out.push(Effect::ChangeTree(edits));
        self.after_artifact();
    }

    pub(super) fn artifact_read(&mut self, typed: Typed, read: Result<Value, String>) {
        let value = match read {
            Ok(value) => value,
            Err(why) => return self.refuse(Level::Error, format!("it cannot be read: {why}; nothing was changed")),
        };
        match typed {
            Typed::Edit(id) => {
                let Some(offer) = self.open_offer(id) else { return };
                let edited = offer.written.value.as_deref().is_none_or(|offered| !is_same(offered, &value));
                self.take_artifact(&offer, &value, Actor::Person, edited, "");
            }
            Typed::Correction(artifact) => {
                let now = self.session.current().and_then(|n| n.document(&artifact));
                if now.is_some_and(|now| is_same(now, &value)) {
                    return self.refuse(Level::Info, format!("this is the {artifact} already"));
                }
                self.drop_ask(&format!("the {} was corrected", artifact.kind));
                self.settle_artifact(&artifact, None, &value, Actor::Person, false, "corrected by a person");
                self.after_artifact();
            }
        }
    }
}
