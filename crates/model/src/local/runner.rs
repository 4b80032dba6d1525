//! Runner: a loaded model and the prompts it has seen lately: the next prompt is computed only from where it differs from one of them.

use std::collections::VecDeque;
use std::path::Path;

use candle_core::Tensor;
use tokio_util::sync::CancellationToken;

use super::cache::Cache;
use super::gguf::Gguf;
use super::guard::{Guarded, guarded};
use super::network::{MAX_CONTEXT, Network};
use super::template::Template;
use super::tokens::Tokens;
use crate::PromptMessage;

/// Tokens run at once: between two blocks a cancellation is noticed.
const BLOCK: usize = 64;

/// Prompts and answers remembered; together they hold no more than [`MAX_CONTEXT`] tokens.
const REMEMBERED: usize = 8;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stop {
    Cancelled,
    Failed(String),
}

impl From<candle_core::Error> for Stop {
    fn from(error: candle_core::Error) -> Self {
        Stop::Failed(format!("the model cannot be run: {error}"))
    }
}

impl From<String> for Stop {
    fn from(error: String) -> Self {
        Stop::Failed(error)
    }
}

pub(super) struct Prompt {
    pub(super) tokens: Vec<u32>,
    pub(super) cache: Cache,
    /// Log-probabilities of what comes next, by token.
    pub(super) next: Vec<f32>,
}

struct Seen {
    tokens: Vec<u32>,
    cache: Cache,
    /// As [`Prompt::next`], where that was asked for: the same prompt again gets the same numbers to the last digit.
    next: Option<Vec<f32>>,
}

pub(super) struct Runner {
    pub(super) network: Network,
    pub(super) tokens: Tokens,
    template: Template,
    seen: VecDeque<Seen>,
}

impl Runner {
    pub(super) fn load(path: &Path) -> Result<Runner, String> {
        let mut gguf = Gguf::open(path)?;
        // The cheap parts first: a file that will not do is refused before its weights are read.
        let template = Template::read(&gguf)?;
        let network = Network::load(&mut gguf)?;
        let tokens = Tokens::read(&gguf, network.vocabulary())?;
        Ok(Runner { network, tokens, template, seen: VecDeque::new() })
    }

    /// Runs a prompt, or what of it was not run before.
    pub(super) fn prompt(&mut self, messages: &[PromptMessage], cancel: &CancellationToken) -> Result<Prompt, Stop> {
        let Guarded { messages, mark } = guarded(messages, self.tokens.special());
        let text = self.template.render(&messages)?;
        let tokens = match mark {
            Some(mark) => self.tokens.encode_marked(&text, mark, true)?,
            None => self.tokens.encode(&text, true)?,
        };
        let (count, context) = (tokens.len(), self.network.context());
        if count == 0 {
            return Err(Stop::Failed("the prompt is empty; the model needs some text to go on from".into()));
        }
        if count >= context {
            return Err(Stop::Failed(format!(
                "the prompt takes {count} tokens and the model holds {context}, the answer included; show fewer \
                 demonstrations or steps"
            )));
        }
        if let Some(Seen { cache, next: Some(next), .. }) = self.seen.iter().find(|s| s.tokens == tokens) {
            return Ok(Prompt { cache: cache.clone(), next: next.clone(), tokens });
        }
        let (mut cache, known) = self.recall(&tokens)?;
        let mut hidden: Option<Tensor> = None;
        let mut done = known;
        for block in tokens.get(known..).unwrap_or_default().chunks(BLOCK) {
            if cancel.is_cancelled() {
                self.remember(tokens.get(..done).unwrap_or_default(), &cache, None);
                return Err(Stop::Cancelled);
            }
            let positions: Vec<u32> = (done..done + block.len()).filter_map(|p| u32::try_from(p).ok()).collect();
            hidden = Some(self.network.forward(block, &positions, None, &mut cache)?);
            done += block.len();
        }
        let hidden = hidden.ok_or_else(|| Stop::Failed("the prompt is empty".into()))?;
        let last = hidden.narrow(0, hidden.dim(0)?.saturating_sub(1), 1)?;
        let next = finite(self.network.log_probabilities(&last)?.get(0)?.to_vec1()?)?;
        self.remember(&tokens, &cache, Some(next.clone()));
        Ok(Prompt { tokens, cache, next })
    }

    /// The cache of the longest known beginning, and its length; at least the last token is left to run.
    fn recall(&self, tokens: &[u32]) -> Result<(Cache, usize), Stop> {
        let shared = |seen: &[u32]| seen.iter().zip(tokens).take_while(|(a, b)| a == b).count();
        let best = self.seen.iter().map(|s| (shared(&s.tokens), &s.cache)).max_by_key(|(n, _)| *n);
        let Some((known, cache)) = best.filter(|(n, _)| *n > 0) else { return Ok((self.network.empty_cache(), 0)) };
        let known = known.min(tokens.len() - 1);
        let mut cache = cache.clone();
        cache.truncate(known)?;
        Ok((cache, known))
    }

    /// Remembers what was run, and forgets the oldest beyond the bounds.
    pub(super) fn remember(&mut self, tokens: &[u32], cache: &Cache, next: Option<Vec<f32>>) {
        if tokens.is_empty() {
            return;
        }
        self.seen.retain(|s| s.tokens != tokens);
        self.seen.push_front(Seen { tokens: tokens.to_vec(), cache: cache.clone(), next });
        let total = |seen: &VecDeque<Seen>| seen.iter().map(|s| s.tokens.len()).sum::<usize>();
        while self.seen.len() > REMEMBERED || (self.seen.len() > 1 && total(&self.seen) > MAX_CONTEXT) {
            self.seen.pop_back();
        }
    }
}

/// Refuses NaN: weights from anywhere may give them.
pub(super) fn finite(row: Vec<f32>) -> Result<Vec<f32>, Stop> {
    if row.iter().any(|p| p.is_nan()) {
        return Err(Stop::Failed("the model's probabilities are no numbers; the file's weights are damaged".into()));
    }
    Ok(row)
}
