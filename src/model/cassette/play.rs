//! Playing back: a language model that answers from a cassette, or says what it lacks.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;

use async_trait::async_trait;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::file::{CassetteError, Entry, Exchange, Scoring, as_request, identity, read};
use super::nearest::nearest;
use crate::model::{
    Completion, LanguageModel, ModelError, ModelInfo, ModelKind, ModelRequest, ModelResponse, ScoreRequest, StreamEvent,
};

/// Recorded exchanges as a language model.
#[derive(Debug)]
pub struct Cassette {
    path: String,
    model: String,
    exchanges: Vec<Exchange>,
    scorings: Vec<Scoring>,
    /// Equal requests' exchanges in recorded order.
    by_request: HashMap<String, Vec<usize>>,
    /// How often each request was answered so far.
    played: Mutex<HashMap<String, usize>>,
}

impl Cassette {
    /// Reads a cassette whole.
    ///
    /// # Errors
    /// [`CassetteError`], naming the damaged line.
    pub fn open(path: &Path) -> Result<Self, CassetteError> {
        let (header, entries, _) = read(path)?;
        let (mut exchanges, mut scorings) = (Vec::new(), Vec::new());
        for entry in entries {
            match entry {
                Entry::Exchange(exchange) => exchanges.push(exchange),
                Entry::Scoring(scoring) => scorings.push(scoring),
            }
        }
        let mut by_request: HashMap<String, Vec<usize>> = HashMap::new();
        for (i, exchange) in exchanges.iter().enumerate() {
            by_request.entry(identity(&exchange.request)).or_default().push(i);
        }
        Ok(Cassette {
            path: path.display().to_string(),
            model: header.model,
            exchanges,
            scorings,
            by_request,
            played: Mutex::default(),
        })
    }

    /// How many exchanges it holds, scorings included.
    pub fn len(&self) -> usize {
        self.exchanges.len() + self.scorings.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.exchanges.is_empty() && self.scorings.is_empty()
    }

    fn next(&self, request: &ModelRequest) -> Option<&Exchange> {
        let identity = identity(request);
        let able = |exchange: &Exchange| !request.logprobs || exchange.request.logprobs;
        let recorded: Vec<&Exchange> = self
            .by_request
            .get(&identity)?
            .iter()
            .filter_map(|i| self.exchanges.get(*i))
            .filter(|exchange| able(exchange))
            .collect();
        if recorded.is_empty() {
            return None;
        }
        // A poisoned lock holds nothing but counters.
        let mut played = self.played.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let count = played.entry(identity).or_default();
        let exchange = recorded.get(*count % recorded.len()).copied();
        *count += 1;
        exchange
    }
}

#[async_trait]
impl LanguageModel for Cassette {
    fn info(&self) -> ModelInfo {
        ModelInfo { name: self.model.clone(), kind: ModelKind::Recorded, endpoint: self.path.clone() }
    }

    fn can_score(&self) -> bool {
        !self.scorings.is_empty()
    }

    async fn score(&self, request: &ScoreRequest, cancel: &CancellationToken) -> Result<Vec<Completion>, ModelError> {
        if cancel.is_cancelled() {
            return Err(ModelError::Cancelled);
        }
        // The same texts always have the same figures: the last recording counts.
        let wanted = identity(&as_request(request));
        let recorded = self.scorings.iter().rev().find(|s| identity(&as_request(&s.score)) == wanted);
        recorded.map(|s| s.completions.clone()).ok_or_else(|| {
            let recorded: Vec<ModelRequest> = self.scorings.iter().map(|s| as_request(&s.score)).collect();
            let nearest = nearest(&as_request(request), recorded.iter());
            ModelError::NotRecorded { path: self.path.clone(), nearest }
        })
    }

    fn prefers_raw(&self) -> bool {
        let raw = |e: &&Exchange| e.request.messages.iter().any(|m| m.role == "text");
        // As it was recorded: another form would find nothing.
        self.exchanges.iter().filter(raw).count() * 2 > self.exchanges.len()
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
        let Some(exchange) = self.next(request) else {
            return Err(ModelError::NotRecorded {
                path: self.path.clone(),
                nearest: nearest(request, self.exchanges.iter().map(|e| &e.request)),
            });
        };
        for (index, text) in &exchange.deltas {
            if cancel.is_cancelled() {
                return Err(ModelError::Cancelled);
            }
            // A closed receiver only means that nobody watches.
            let _ = stream.send(StreamEvent::Delta { index: *index, text: text.clone() });
            tokio::task::yield_now().await;
        }
        Ok(exchange.response.clone())
    }
}
