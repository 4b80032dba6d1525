//! Playback: a language model that answers from a cassette, or says what it lacks.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::file::{CassetteError, Exchange, Header, read};
use super::tape::Tape;
use crate::{
    Completion, LanguageModel, ModelError, ModelInfo, ModelKind, ModelRequest, ModelResponse, ScoreRequest, Settings,
    StreamEvent,
};

/// Recorded exchanges as a language model.
#[derive(Debug)]
pub struct Cassette {
    path: String,
    header: Header,
    tape: Mutex<Tape>,
}

impl Cassette {
    pub fn open(path: &Path) -> Result<Self, CassetteError> {
        let (header, entries, _) = read(path)?;
        Ok(Cassette { path: path.display().to_string(), header, tape: Mutex::new(Tape::new(entries)) })
    }

    /// How many exchanges it holds, scorings included.
    pub fn len(&self) -> usize {
        let (exchanges, scorings) = self.tape().len();
        exchanges + scorings
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn tape(&self) -> MutexGuard<'_, Tape> {
        // A poisoned lock holds nothing but counters.
        self.tape.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Streams a recorded answer as it arrived: the reasoning first, then the text in its pieces.
pub(super) async fn replay(
    exchange: Exchange,
    stream: &UnboundedSender<StreamEvent>,
    cancel: &CancellationToken,
) -> Result<ModelResponse, ModelError> {
    let reasoned = exchange.response.completions.iter().zip(0..).filter(|(c, _)| !c.reasoning.is_empty());
    let reasoned = reasoned.map(|(c, index)| StreamEvent::Reasoning { index, text: c.reasoning.clone() });
    let reasoned: Vec<StreamEvent> = reasoned.collect();
    let said = exchange.deltas.into_iter().map(|(index, text)| StreamEvent::Delta { index, text });
    for event in reasoned.into_iter().chain(said) {
        if cancel.is_cancelled() {
            return Err(ModelError::Cancelled);
        }
        // A closed receiver only means that nobody watches.
        let _ = stream.send(event);
        tokio::task::yield_now().await;
    }
    Ok(exchange.response)
}

#[async_trait]
impl LanguageModel for Cassette {
    fn info(&self) -> ModelInfo {
        ModelInfo { name: self.header.model.clone(), kind: ModelKind::Recorded, endpoint: self.path.clone() }
    }

    fn can_score(&self) -> bool {
        self.tape().len().1 > 0
    }

    async fn score_watched(
        &self,
        request: &ScoreRequest,
        _done: &UnboundedSender<usize>,
        cancel: &CancellationToken,
    ) -> Result<Vec<Completion>, ModelError> {
        if cancel.is_cancelled() {
            return Err(ModelError::Cancelled);
        }
        let tape = self.tape();
        let missing = || ModelError::NotRecorded { path: self.path.clone(), nearest: tape.nearest_scoring(request) };
        tape.scored(request).ok_or_else(missing)
    }

    fn prefers_raw(&self) -> bool {
        let raw = |r: &&ModelRequest| r.messages.iter().any(|m| m.role == "text");
        let tape = self.tape();
        // As it was recorded: another form would find nothing.
        self.header.raw.unwrap_or_else(|| tape.requests().filter(raw).count() * 2 > tape.len().0)
    }

    fn has_chosen_interface(&self) -> bool {
        self.header.chosen
    }

    fn settings(&self) -> Settings {
        let tape = self.tape();
        // Older files do not hold them; their requests do.
        self.header.settings.unwrap_or_else(|| Settings {
            temperature: tape.requests().map(|r| r.temperature).find(|t| *t > 0.0),
            frequency_penalty: tape.requests().map(|r| r.frequency_penalty).find(|p| *p != 0.0),
            ..Settings::default()
        })
    }

    async fn complete(
        &self,
        request: &ModelRequest,
        stream: &UnboundedSender<StreamEvent>,
        cancel: &CancellationToken,
    ) -> Result<ModelResponse, ModelError> {
        if cancel.is_cancelled() {
            return Err(ModelError::Cancelled);
        }
        let found = self.tape().next(request, |_| true);
        let Some(exchange) = found else {
            let nearest = self.tape().nearest(request);
            return Err(ModelError::NotRecorded { path: self.path.clone(), nearest });
        };
        replay(exchange, stream, cancel).await
    }
}
