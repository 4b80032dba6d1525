//! What the gate does about the belief: written beliefs are decided about before anything else is proposed, and a person corrects
//! what is believed at any time.
//!
//! The gate does not read a belief's text and does not know which updates are due: the driver tells both.

#[cfg(test)]
mod tests;

use serde_json::Value;

use super::super::belief::{Offer, OfferId, is_same, patch_between};
use super::super::decision::Actor;
use super::super::event::{AskId, Event};
use super::policy::{over_budget, spent};
use super::{BeliefDraft, Effect, Gate, Level, Phase};

/// What a typed belief is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Typed {
    /// In place of an offer's.
    Edit(OfferId),
    /// A correction.
    Correction,
}

/// What is said to whoever wants to go on while an offer waits.
const DECIDE_FIRST: &str = "a new belief waits: take, edit or refuse it first";

impl Gate {
    /// Whether an offered belief waits for a decision, so that nothing may be proposed or done; says so.
    pub(super) fn must_decide_belief(&mut self) -> bool {
        let (offered, written) = (self.session.pending_offer().is_some(), self.is_writing());
        if offered {
            self.refuse(Level::Warning, DECIDE_FIRST);
        } else if written {
            self.refuse(Level::Warning, "the belief is being written; wait for it, or stop it first");
        }
        offered || written
    }

    /// Whether a new belief is being written.
    fn is_writing(&self) -> bool {
        self.ask.is_some() && self.ask == self.writer
    }

    /// Records a written belief, and lets the policy rule on it.
    pub(super) fn offer_belief(&mut self, draft: BeliefDraft, ask: Option<AskId>) {
        let BeliefDraft { due, update, raw, repairs, state, problem } = draft;
        let offer = self.session.next_offer();
        self.record(Event::BeliefOffered { offer, due, ask, update, raw, repairs, state, problem });
        self.rule_on_belief();
    }

    /// Lets the policy rule on the belief that waits.
    pub(super) fn rule_on_belief(&mut self) {
        let Some(offer) = self.session.pending_offer().cloned() else { return };
        if !self.session.policy.is_automatic() {
            if offer.problem.is_none() {
                self.say(Level::Info, "a new belief waits: take, edit or refuse it");
            }
            if let Some(problem) = &offer.problem {
                self.say(
                    Level::Warning,
                    format!("the new belief cannot be read: {problem}; edit it, refuse it or have it written again"),
                );
            }
            return;
        }
        if let Some(why) = over_budget(&self.session.policy, spent(&self.session)) {
            self.stop_policy(&why);
            return self.say(Level::Info, format!("stopped: {why}"));
        }
        match (&offer.state, &offer.problem) {
            (Some(state), None) => self.believe(Some(&offer), state, Actor::Policy, false, "read without a problem"),
            (_, problem) => {
                let why = problem.as_deref().unwrap_or("it holds no state");
                let why = format!("the new belief cannot be read: {why}");
                if self.unattended {
                    return self.refuse_offer(offer.id, Actor::Policy, format!("{why}; the belief stays"));
                }
                self.stop_policy(&why);
                self.say(Level::Warning, format!("stopped: {why}; edit it, refuse it or have it written again"));
            }
        }
    }

    /// Records what is believed from now on, and goes on.
    fn believe(&mut self, offer: Option<&Offer>, state: &Value, by: Actor, edited: bool, why: &str) {
        self.drop_ask("the belief was decided about");
        let patch = patch_between(self.session.belief().map_or(&Value::Null, |b| b), state);
        let (offer, why) = (offer.map(|o| o.id), why.to_owned());
        self.record(Event::Believed { offer, patch, by, edited, why });
        self.after_belief();
    }

    fn refuse_offer(&mut self, offer: OfferId, by: Actor, why: String) {
        self.drop_ask("the belief was decided about");
        self.record(Event::BeliefRefused { offer, by, why });
        self.after_belief();
    }

    fn after_belief(&mut self) {
        if !self.session.is_done() {
            self.new_round();
            self.consult(None);
        }
    }

    /// The offer, if it can be decided about now; says why not.
    fn open_offer(&mut self, id: OfferId) -> Option<Offer> {
        let found = self.session.pending_offer().filter(|o| o.id == id).cloned();
        if found.is_none() {
            self.refuse(Level::Error, format!("no belief {id} waits for a decision at this point"));
        }
        found
    }

    pub(super) fn approve_belief(&mut self, id: OfferId) {
        let Some(offer) = self.open_offer(id) else { return };
        match (&offer.state, &offer.problem) {
            (Some(state), None) => self.believe(Some(&offer), state, Actor::Person, false, ""),
            (_, problem) => {
                let why = problem.as_deref().unwrap_or("it holds no state");
                self.refuse(
                    Level::Warning,
                    format!("the belief cannot be taken as it is: {why}; edit it or refuse it"),
                );
            }
        }
    }

    pub(super) fn edit_belief(&mut self, id: OfferId, text: String) {
        if self.open_offer(id).is_some() {
            self.phase = Phase::ReadingBelief(Typed::Edit(id));
            self.out.push(Effect::ReadBelief(text));
        }
    }

    pub(super) fn refuse_belief(&mut self, id: OfferId, reason: String) {
        if self.open_offer(id).is_some() {
            self.refuse_offer(id, Actor::Person, reason);
        }
    }

    /// Has the belief written again; the offer stands until there is another.
    pub(super) fn rewrite_belief(&mut self, id: OfferId) {
        if self.open_offer(id).is_none() {
            return;
        }
        self.drop_ask("the belief is written again");
        self.new_round();
        self.phase = Phase::Advising;
        self.out.push(Effect::Consult { round: self.round, samples: None });
    }

    pub(super) fn correct_belief(&mut self, text: String) {
        if !self.must_decide_belief() {
            self.phase = Phase::ReadingBelief(Typed::Correction);
            self.out.push(Effect::ReadBelief(text));
        }
    }

    pub(super) fn belief_read(&mut self, typed: Typed, read: Result<Value, String>) {
        self.phase = Phase::Idle;
        let state = match read {
            Ok(state) => state,
            Err(why) => return self.refuse(Level::Error, format!("no belief: {why}; nothing was changed")),
        };
        match typed {
            Typed::Edit(id) => {
                let Some(offer) = self.open_offer(id) else { return };
                let edited = offer.state.as_deref().is_none_or(|offered| !is_same(offered, &state));
                self.believe(Some(&offer), &state, Actor::Person, edited, "");
            }
            Typed::Correction if self.session.belief().is_some_and(|b| is_same(b, &state)) => {
                self.refuse(Level::Info, "this is what is believed already");
            }
            Typed::Correction => self.believe(None, &state, Actor::Person, false, "corrected by a person"),
        }
    }
}
