//! Where the events of a request go, and what all its answers cost.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;

use super::chunk::{Answer, Piece};
use super::options::Wire;
use crate::{Charge, Last, StreamEvent};

/// What became of a request so far.
#[derive(Default)]
pub(super) struct Course {
    /// What all answers cost, those that are no completion too.
    pub(super) charge: Charge,
    pub(super) last: Last,
}

#[derive(Clone, Copy)]
pub(super) struct Sink<'a> {
    pub(super) events: &'a UnboundedSender<StreamEvent>,
    pub(super) course: &'a Mutex<Course>,
    /// Completions already had: the new ones are numbered after them.
    pub(super) offset: u32,
}

impl Sink<'_> {
    /// Sends an event; it is no error if nobody listens.
    pub(super) fn send(&self, event: StreamEvent) {
        let _ = self.events.send(event);
    }

    /// Counts what an answer cost, and notes the model that gave it.
    pub(super) fn answered(&self, charge: Charge, served: &str) {
        let mut course = self.course();
        course.charge.add(charge);
        if !served.is_empty() {
            served.clone_into(&mut course.last.served);
        }
    }

    /// Notes what is sent.
    pub(super) fn sends(&self, parameters: Value) {
        self.course().last.sent = parameters;
    }

    /// What became of the request.
    pub(super) fn ends(&self) -> Course {
        std::mem::take(&mut *self.course())
    }

    fn course(&self) -> MutexGuard<'_, Course> {
        self.course.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn piece(&self, index: u32, piece: Piece, text: &str) {
        let (index, text) = (self.offset.saturating_add(index), text.to_owned());
        self.send(match piece {
            Piece::Text => StreamEvent::Delta { index, text },
            Piece::Reasoning => StreamEvent::Reasoning { index, text },
        });
    }

    pub(super) fn remark(&self, text: String, warning: bool) {
        tracing::warn!("{text}");
        self.send(StreamEvent::Remark { text, warning });
    }
}

/// An answer on its way. What it costs counts however it ends: had, broken off, out of time, cancelled.
pub(super) struct Arriving<'a> {
    pub(super) answer: Answer,
    pub(super) sink: Sink<'a>,
}

impl Arriving<'_> {
    pub(super) fn had(mut self) -> Answer {
        self.sink.answered(self.answer.charge(), &self.answer.served);
        std::mem::replace(&mut self.answer, Answer::new(Wire::OpenAi, 0))
    }

    /// What came of it, which counts no more: it may be asked for again; if not, the error holds it.
    pub(super) fn broke_off(&mut self) -> String {
        self.answer.close(|_, _, _| {});
        if self.answer.begun() {
            self.sink.send(StreamEvent::Void { from: self.sink.offset });
        }
        self.answer.partial()
    }
}

impl Drop for Arriving<'_> {
    fn drop(&mut self) {
        self.sink.answered(self.answer.charge(), &self.answer.served);
    }
}
