//! Candidates being written or scored by a model: the completions wanted, the asks under way, and how far they are.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use stepwright_episode::AskId;
use stepwright_precondition::{CandidateAsks, CandidateContext};

/// Temperature of the random samples.
const TEMPERATURE: f64 = 0.7;
/// Random samples of one ask at most, so that the pool grows while others are still being written.
const CHUNK: u32 = 4;

#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) action: String,
    pub(super) context: CandidateContext,
    pub(super) n: u32,
    pub(super) temperature: f64,
}

/// Candidates that a model is to score as continuations of a prompt.
pub(super) struct ToScore {
    pub(super) action: String,
    pub(super) context: CandidateContext,
    pub(super) texts: Vec<String>,
}

pub(super) struct Scoring {
    pub(super) ask: Option<AskId>,
    pub(super) action: String,
}

#[derive(Default)]
pub(super) struct Writing {
    pub(super) waiting: VecDeque<Wanted>,
    pub(super) asking: Option<String>,
    /// The asks under way: the action, and the completions wanted.
    pub(super) asked: BTreeMap<AskId, (String, u32)>,
    /// The scoring under way: the action; its ask, once it is sent.
    pub(super) scoring: Option<Scoring>,
    pub(super) done: usize,
    pub(super) total: usize,
    /// Of those done, how many did not come.
    pub(super) failed: usize,
}

impl Writing {
    pub(super) fn actions(&self) -> BTreeSet<String> {
        let waiting = self.waiting.iter().map(|w| &w.action).chain(&self.asking);
        waiting.chain(self.asked.values().map(|(action, _)| action)).cloned().collect()
    }

    pub(super) fn sent(&mut self, ask: AskId, wanted: &Wanted) {
        self.asking = None;
        self.asked.insert(ask, (wanted.action.clone(), wanted.n));
    }

    pub(super) fn scoring_sent(&mut self, ask: AskId) {
        if let Some(scoring) = &mut self.scoring {
            scoring.ask = Some(ask);
        }
    }

    pub(super) fn end_scoring(&mut self) {
        self.scoring = None;
    }

    /// Wants an action's candidates written after a demonstration.
    pub(super) fn want(&mut self, action: &str, context: &CandidateContext, asks: CandidateAsks) {
        let mut left = asks.samples;
        let mut want = |n: u32, temperature: f64| {
            self.total += n as usize;
            self.waiting.push_back(Wanted { action: action.to_owned(), context: context.clone(), n, temperature });
        };
        want(1, 0.0);
        while left > 0 {
            let n = left.min(CHUNK);
            want(n, TEMPERATURE);
            left -= n;
        }
    }

    /// Forgets all but the scoring.
    pub(super) fn forget(&mut self) {
        *self = Writing { scoring: self.scoring.take(), ..Writing::default() };
    }
}
