//! Answers: the outcome of each request.
//!
//! A request is done when what it asked for is recorded, refused when that cannot be. Until then it is queued: for the phase before
//! it, or for the effects it needs itself (assertions to be compiled, a text to be read).

use super::super::event::AskId;
use super::{Answer, Edit, Effect, Follows, Gate, Input, Level, Phase, Report, Request, Then, Ticket};

/// Why something ended that a person stopped, and where nobody watches.
const CANCELLED: &str = "cancelled by a person";
const STOPPED: &str = "the run was stopped";

/// A request whose fate is open.
#[derive(Debug)]
pub(super) struct Serving {
    ticket: Ticket,
    ask: Option<AskId>,
    refusal: Option<String>,
}

impl Report {
    /// The ask it belongs to, if it belongs to one.
    pub(super) fn ask(&self) -> Option<AskId> {
        match self {
            Report::Exchanged { ask, .. }
            | Report::Answered { ask, .. }
            | Report::Written { ask, .. }
            | Report::AskFailed { ask, .. }
            | Report::AskTooLong { ask, .. } => Some(*ask),
            _ => None,
        }
    }
}

impl Gate {
    /// Whether a request is no part of the episode's steps, so that it waits for none.
    pub(super) fn is_background(&self, request: &Request) -> bool {
        match request {
            Request::AskInBackground(_) | Request::OfferArtifact(_) => true,
            Request::Change { edit: Edit::Text(_), .. } => false,
            Request::Change { artifact, .. } => self.conduct(&artifact.kind).follows == Follows::Nothing,
            _ => false,
        }
    }

    /// Handles a request that the phases belong to from here on.
    pub(super) fn serve(&mut self, ticket: Ticket, request: Request) {
        self.serving = Some(Serving { ticket, ask: None, refusal: None });
        self.on_request(request);
        self.end_served();
    }

    /// Handles a request beside the work under way; it needs no phase.
    pub(super) fn serve_in_background(&mut self, ticket: Ticket, request: Request) {
        let under_way = self.serving.replace(Serving { ticket, ask: None, refusal: None });
        self.on_request(request);
        if let Some(served) = std::mem::replace(&mut self.serving, under_way) {
            self.answer(served);
        }
    }

    /// Says why the request under way cannot be carried out.
    pub(super) fn refuse(&mut self, level: Level, why: impl Into<String>) {
        let why = why.into();
        if let Some(serving) = &mut self.serving {
            serving.refusal.get_or_insert_with(|| why.clone());
        }
        self.say(level, why);
    }

    /// Notes that the request under way sent an ask.
    pub(super) fn note_sent(&mut self, ask: AskId) {
        if let Some(serving) = &mut self.serving {
            serving.ask = Some(ask);
        }
    }

    /// Answers the request under way as soon as its fate is known.
    pub(super) fn end_served(&mut self) {
        let open = match &self.phase {
            Phase::Idle | Phase::Advising | Phase::Replaying(_) | Phase::Stepping { .. } => false,
            Phase::Checking { then, .. } => matches!(then, Then::Take { .. }),
            Phase::Reading(_) | Phase::Moving { .. } | Phase::Changing(_) | Phase::Configuring(_) => true,
        };
        if let Some(served) = self.serving.take_if(|s| !open || s.refusal.is_some()) {
            self.answer(served);
        }
    }

    /// Why what is under way ends before its end.
    pub(super) fn stopped_by(&self) -> &'static str {
        if self.headless { STOPPED } else { CANCELLED }
    }

    /// Refuses what waits in the queue and, if it was given up, the request under way. Whether there was any.
    pub(super) fn give_up(&mut self, under_way: bool) -> bool {
        let (mut any, why) = (false, self.stopped_by());
        if let Some(served) = self.serving.take_if(|_| under_way) {
            any = true;
            self.end(served.ticket, Answer::Refused(why.to_owned()));
        }
        for input in std::mem::take(&mut self.queue) {
            if let Input::Request(ticket, _) = input {
                any = true;
                self.end(ticket, Answer::Refused(why.to_owned()));
            }
        }
        any
    }

    fn answer(&mut self, served: Serving) {
        let Serving { ticket, ask, refusal } = served;
        self.end(ticket, refusal.map_or(Answer::Done { ask }, Answer::Refused));
    }

    pub(super) fn end(&mut self, ticket: Ticket, answer: Answer) {
        self.out.push(Effect::Ended { ticket, answer });
    }
}
