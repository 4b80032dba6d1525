//! Decisions about an offered document (a belief, a corrective prompt), with the keys that decide about proposals, and corrections of
//! the belief.

use std::time::Instant;

use super::App;
use crate::actions::{ActionId, spec};
use crate::belief_text;
use crate::dialog::asked;
use crate::panes::offer::is_written_again;
use stepwright_episode::showing::Listed;
use stepwright_episode::{ArtifactId, Offer};
use stepwright_protocol::{Command, Request};

impl App {
    /// Whether a key of the gate makes sense while a new document waits, and if not why; `None` where the document does not matter.
    pub(super) fn disabled_by_offer(&self, action: ActionId) -> Option<Option<&'static str>> {
        use ActionId as A;
        let offer = self.view.offer()?;
        match action {
            A::Approve if offer.written.value.is_none() => {
                Some(Some(match (is_belief(offer), is_written_again(&self.view, offer)) {
                    (true, true) => "the new belief cannot be read; edit it, refuse it or have it written again",
                    (true, false) => "the new belief cannot be read; edit it or refuse it",
                    (false, _) => "the new document cannot be read; edit it, refuse it or have it written again",
                }))
            }
            A::MoreSamples | A::Propose if !is_written_again(&self.view, offer) => {
                Some(Some("the new belief came in one answer with its program; edit it, refuse it, or go back a step"))
            }
            A::Approve | A::Edit | A::Reject | A::MoreSamples | A::Propose => Some(None),
            A::Manual if is_belief(offer) => Some(Some("a new belief waits; take, edit or refuse it first")),
            A::Manual => Some(Some("a new document waits; take, edit or refuse it first")),
            _ => None,
        }
    }

    pub(super) fn gate_word(&self, action: ActionId) -> &'static str {
        let belief = self.view.offer().map(is_belief);
        match (action, belief) {
            (ActionId::Approve, Some(true)) => "take belief",
            (ActionId::Edit, Some(true)) => "edit belief",
            (ActionId::Reject, Some(true)) => "refuse belief",
            (ActionId::Approve, Some(false)) => "take it",
            (ActionId::Edit, Some(false)) => "edit it",
            (ActionId::Reject, Some(false)) => "refuse it",
            (ActionId::MoreSamples, Some(_)) => "write again",
            (other, _) => spec(other).map_or("", |s| s.label),
        }
    }

    /// Decides about the document that waits; `false` if none does or the key is for something else.
    pub(super) fn decide_offer(&mut self, action: ActionId, now: Instant) -> bool {
        use ActionId as A;
        let Some(offer) = self.view.offer() else { return false };
        let id = offer.id;
        match action {
            A::Approve => self.send(Command::Gate(Request::ApproveOffer(id))),
            A::Edit => self.edit_offered(now),
            A::Reject => {
                let title = offer.written.title.trim();
                let form = if is_belief(offer) {
                    asked::refuse_belief(id, title)
                } else {
                    asked::refuse_document(id, &offer.written.artifact.kind.to_string(), title)
                };
                self.open(form);
            }
            A::MoreSamples | A::Propose => self.send(Command::Gate(Request::RewriteOffer(id))),
            _ => return false,
        }
        true
    }

    /// Opens the whole belief as a text: the offered one if one waits, else what is believed.
    pub(super) fn edit_offered(&mut self, now: Instant) {
        let believed = self.view.session.as_ref().and_then(|s| s.belief());
        let form = match (self.view.offer(), believed) {
            (Some(offer), _) if !is_belief(offer) => {
                let title = offer.written.title.trim();
                if offer.written.raw.trim().contains('\n') {
                    let methods = self.view.methods;
                    let method = self.view.session.as_ref().and_then(|s| methods.named(&s.method));
                    let program = method.is_some_and(|m| {
                        m.info().programs && methods.showing(&offer.written.artifact.kind).listed != Listed::Learned
                    });
                    let form = asked::document(offer.id, &offer.written.raw, title, program);
                    return self.open(form);
                }
                let form = asked::edit_document(offer.id, title, &offer.written.raw);
                return self.open(form);
            }
            (Some(offer), _) => {
                // What could not be read is corrected where it is wrong.
                let text = offer
                    .written
                    .value
                    .as_ref()
                    .map_or_else(|| offer.written.raw.clone(), |state| belief_text::of(state));
                asked::belief(offer.id, &text, offer.written.title.trim())
            }
            (None, Some(believed)) => asked::correction(&belief_text::of(believed)),
            (None, None) => return,
        };
        self.open(form);
        // The initial text is checked without waiting for a key.
        self.with_dialog(now, |dialog, context| dialog.wake(context));
    }
}

fn is_belief(offer: &Offer) -> bool {
    offer.written.artifact == ArtifactId::BELIEF
}
