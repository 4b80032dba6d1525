//! Recorded exchanges in memory: found by request, answered in recorded order.

use std::collections::HashMap;

use serde_json::json;

use super::file::{Entry, Exchange, Scoring, as_request, identity};
use super::nearest::nearest;
use crate::{Completion, ModelRequest, ScoreRequest};

#[derive(Debug, Default)]
pub(super) struct Tape {
    exchanges: Vec<Exchange>,
    scorings: Vec<Scoring>,
    /// Equal requests' exchanges in recorded order.
    by_request: HashMap<String, Vec<usize>>,
    /// How often each request was answered so far.
    played: HashMap<String, usize>,
}

impl Tape {
    pub(super) fn new(entries: Vec<Entry>) -> Self {
        let mut tape = Tape::default();
        entries.into_iter().for_each(|entry| tape.add(entry));
        tape
    }

    pub(super) fn add(&mut self, entry: Entry) {
        match entry {
            Entry::Exchange(exchange) => {
                self.by_request.entry(identity(&exchange.request)).or_default().push(self.exchanges.len());
                self.exchanges.push(exchange);
            }
            Entry::Scoring(scoring) => self.scorings.push(scoring),
        }
    }

    pub(super) fn len(&self) -> (usize, usize) {
        (self.exchanges.len(), self.scorings.len())
    }

    /// All of it as lines of a file.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        self.exchanges.iter().map(|e| json!(e).to_string()).chain(self.scorings.iter().map(|s| json!(s).to_string()))
    }

    pub(super) fn requests(&self) -> impl Iterator<Item = &ModelRequest> {
        self.exchanges.iter().map(|e| &e.request)
    }

    /// The next answer to a request among those that count.
    pub(super) fn next(&mut self, request: &ModelRequest, counts: impl Fn(&Exchange) -> bool) -> Option<Exchange> {
        let identity = identity(request);
        let able = |exchange: &&Exchange| counts(exchange) && (!request.logprobs || exchange.request.logprobs);
        let recorded = self.by_request.get(&identity)?.iter().filter_map(|i| self.exchanges.get(*i));
        let recorded: Vec<&Exchange> = recorded.filter(able).collect();
        let count = self.played.entry(identity).or_default();
        let exchange = recorded.get(count.checked_rem(recorded.len())?).copied().cloned();
        *count += 1;
        exchange
    }

    /// The scores of texts. The same texts always have the same figures: the last recording counts.
    pub(super) fn scored(&self, request: &ScoreRequest) -> Option<Vec<Completion>> {
        let wanted = identity(&as_request(request));
        let recorded = self.scorings.iter().rev().find(|s| identity(&as_request(&s.score)) == wanted);
        recorded.map(|s| s.completions.clone())
    }

    pub(super) fn nearest(&self, request: &ModelRequest) -> String {
        nearest(request, self.requests())
    }

    pub(super) fn nearest_scoring(&self, request: &ScoreRequest) -> String {
        let recorded: Vec<ModelRequest> = self.scorings.iter().map(|s| as_request(&s.score)).collect();
        nearest(&as_request(request), recorded.iter())
    }
}
