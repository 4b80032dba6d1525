//! Writing: samples of one prompt, a token at a time, all of them through the weights together.

use std::collections::BTreeSet;

use candle_core::{Device, Tensor};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::runner::{Prompt, Runner, Stop, finite};
use super::sample::choose;
use crate::{Completion, ModelRequest, ModelResponse, StreamEvent, TokenLogprob, Usage};

/// The words of OpenAI's interface for why an answer ended.
const STOP: &str = "stop";
const LENGTH: &str = "length";

struct Branch {
    random: ChaCha8Rng,
    /// The tokens with where their bytes begin.
    tokens: Vec<(u32, f32, usize)>,
    bytes: Vec<u8>,
    sent: usize,
    columns: Vec<usize>,
    /// Log-probabilities of its next token.
    next: Vec<f32>,
    finish: Option<&'static str>,
}

impl Branch {
    /// Takes a token in; finds out whether that ends it.
    fn push(&mut self, token: u32, bytes: &[u8], stops: &[String]) {
        let logprob = self.next.get(token as usize).copied().unwrap_or(f32::NEG_INFINITY);
        let before = self.bytes.len();
        self.tokens.push((token, logprob, before));
        self.bytes.extend_from_slice(bytes);
        let found = stops.iter().filter_map(|s| find(&self.bytes, s.as_bytes(), before)).min();
        if let Some(at) = found {
            self.bytes.truncate(at);
            self.tokens.retain(|(_, _, begin)| *begin < at);
            self.finish = Some(STOP);
        }
    }

    /// The text that can be shown now: whole characters, and nothing that may become a stop string.
    fn fresh(&mut self, stops: &[String]) -> Option<String> {
        let mut end = self.bytes.len();
        if self.finish.is_none() {
            end -= stops.iter().map(|s| overlap(&self.bytes, s.as_bytes())).max().unwrap_or_default();
            end -= unfinished(self.bytes.get(self.sent..end).unwrap_or_default());
        }
        let new = self.bytes.get(self.sent..end).filter(|new| !new.is_empty())?;
        let text = String::from_utf8_lossy(new).into_owned();
        self.sent = end;
        Some(text)
    }
}

/// A row of log-probabilities with each token's lowered by `often` for each time it was written and by `once` if it was. What is
/// recorded of a token stays what the model gave it.
fn penalized(row: &[f32], written: &[(u32, f32, usize)], often: f64, once: f64) -> Vec<f32> {
    let mut row = row.to_vec();
    let mut seen = BTreeSet::new();
    for (token, ..) in written {
        if let Some(p) = row.get_mut(*token as usize) {
            *p -= (often + if seen.insert(*token) { once } else { 0.0 }) as f32;
        }
    }
    row
}

/// Where `what` is found first, if it ends after `from`.
fn find(text: &[u8], what: &[u8], from: usize) -> Option<usize> {
    if what.is_empty() {
        return None;
    }
    let first = (from + 1).saturating_sub(what.len());
    let tail = text.get(first..)?;
    tail.windows(what.len()).position(|w| w == what).map(|at| first + at)
}

/// How many bytes at the end are the beginning of a character.
fn unfinished(text: &[u8]) -> usize {
    let begins = |n: &usize| {
        let end = text.get(text.len() - n..).unwrap_or_default();
        std::str::from_utf8(end).is_err_and(|e| e.valid_up_to() == 0 && e.error_len().is_none())
    };
    (1..=text.len().min(3)).rev().find(begins).unwrap_or_default()
}

/// The longest end of `text` that is a beginning of `what`.
fn overlap(text: &[u8], what: &[u8]) -> usize {
    let most = text.len().min(what.len().saturating_sub(1));
    (1..=most).rev().find(|n| what.get(..*n) == text.get(text.len() - n..)).unwrap_or_default()
}

impl Runner {
    pub(super) fn complete(
        &mut self,
        request: &ModelRequest,
        stream: &UnboundedSender<StreamEvent>,
        cancel: &CancellationToken,
    ) -> Result<ModelResponse, Stop> {
        let prompt = self.prompt(&request.messages, cancel)?;
        let prompt_tokens = prompt.tokens.len() as u64;
        // Greedy samples are all the same.
        let greedy = request.temperature <= 0.0;
        let wanted = if greedy { 1 } else { request.n.max(1) };
        let seed = request.seed.unwrap_or_else(rand::random);
        let report = |index: u32, text: String| {
            let all = if greedy { 0..request.n.max(1) } else { index..index.saturating_add(1) };
            for index in all {
                // A closed receiver only means that nobody watches.
                let _ = stream.send(StreamEvent::Delta { index, text: text.clone() });
            }
        };
        let branches = self.branches(prompt, request, wanted, seed, &report, cancel)?;
        let spent: usize = branches.iter().map(|b| b.tokens.len()).sum();
        let mut completions: Vec<Completion> = branches.iter().map(|b| self.completion(b, request.logprobs)).collect();
        if greedy && let Some(only) = completions.first().cloned() {
            completions.resize(request.n.max(1) as usize, only);
        }
        let usage = Some(Usage::new(prompt_tokens, spent as u64));
        Ok(ModelResponse::of(completions, usage))
    }

    fn completion(&self, branch: &Branch, logprobs: bool) -> Completion {
        let token = |(id, logprob, _): &(u32, f32, usize)| {
            TokenLogprob::new(String::from_utf8_lossy(self.tokens.bytes(*id)), f64::from(*logprob))
        };
        Completion {
            text: String::from_utf8_lossy(&branch.bytes).into_owned(),
            finish: branch.finish.unwrap_or(LENGTH).to_owned(),
            tokens: if logprobs { branch.tokens.iter().map(token).collect() } else { Vec::new() },
            reasoning: String::new(),
        }
    }

    fn branches(
        &mut self,
        prompt: Prompt,
        request: &ModelRequest,
        wanted: u32,
        seed: u64,
        report: &dyn Fn(u32, String),
        cancel: &CancellationToken,
    ) -> Result<Vec<Branch>, Stop> {
        let Prompt { tokens: prompt, mut cache, next } = prompt;
        let branch = |n: u32| Branch {
            random: ChaCha8Rng::seed_from_u64(seed.wrapping_add(u64::from(n))),
            tokens: Vec::new(),
            bytes: Vec::new(),
            sent: 0,
            columns: Vec::new(),
            next: next.clone(),
            finish: None,
        };
        let mut branches: Vec<Branch> = (0..wanted).map(branch).collect();
        let room = self.network.context() - prompt.len();
        let most = usize::try_from(request.max_tokens).unwrap_or(usize::MAX).min(room);
        for step in 0..most {
            if cancel.is_cancelled() {
                return Err(Stop::Cancelled);
            }
            for (index, branch) in (0..).zip(&mut branches).filter(|(_, b)| b.finish.is_none()) {
                let (often, once) = (request.frequency_penalty, request.presence_penalty);
                let (temperature, share) = (request.temperature, request.top_p);
                let token = if often == 0.0 && once == 0.0 {
                    choose(&branch.next, temperature, share, &mut branch.random)
                } else {
                    let row = penalized(&branch.next, &branch.tokens, often, once);
                    choose(&row, temperature, share, &mut branch.random)
                };
                if self.tokens.is_end(token) {
                    branch.finish = Some(STOP);
                } else {
                    branch.push(token, self.tokens.bytes(token), &request.stop);
                    if branch.finish.is_none() && step + 1 == most {
                        branch.finish = Some(LENGTH);
                    }
                }
                if let Some(text) = branch.fresh(&request.stop) {
                    report(index, text);
                }
            }
            let mut live: Vec<&mut Branch> = branches.iter_mut().filter(|b| b.finish.is_none()).collect();
            if live.is_empty() {
                break;
            }
            let position = u32::try_from(prompt.len() + step).map_err(|e| Stop::Failed(e.to_string()))?;
            let tokens: Vec<u32> = live.iter().filter_map(|b| b.tokens.last().map(|t| t.0)).collect();
            for (column, branch) in (cache.len()..).zip(&mut live) {
                branch.columns.push(column);
            }
            let columns: Vec<&[usize]> = live.iter().map(|b| b.columns.as_slice()).collect();
            let mask = if wanted > 1 { Some(mask(&columns, prompt.len(), cache.len() + live.len())?) } else { None };
            let hidden = self.network.forward(&tokens, &vec![position; live.len()], mask.as_ref(), &mut cache)?;
            let rows = self.network.log_probabilities(&hidden)?;
            for (i, branch) in live.iter_mut().enumerate() {
                branch.next = finite(rows.get(i)?.to_vec1()?)?;
            }
        }
        if let [only] = branches.as_slice()
            && !only.tokens.is_empty()
        {
            // The next prompt may continue this answer.
            let all: Vec<u32> = prompt.iter().copied().chain(only.tokens.iter().map(|t| t.0)).collect();
            let run = cache.len().min(all.len());
            cache.truncate(run)?;
            self.remember(all.get(..run).unwrap_or_default(), &cache, None);
        }
        Ok(branches)
    }
}

/// The tokens that each token sees: the first `shared` ones and its own columns, of `all`.
pub(super) fn mask(columns: &[&[usize]], shared: usize, all: usize) -> candle_core::Result<Tensor> {
    let mut cells = vec![f32::NEG_INFINITY; columns.len() * all];
    for (row, own) in cells.chunks_mut(all.max(1)).zip(columns) {
        row.iter_mut().take(shared).for_each(|cell| *cell = 0.0);
        for column in own.iter() {
            if let Some(cell) = row.get_mut(*column) {
                *cell = 0.0;
            }
        }
    }
    Tensor::from_vec(cells, (columns.len(), all), &Device::Cpu)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn branch() -> Branch {
        Branch {
            random: ChaCha8Rng::seed_from_u64(0),
            tokens: Vec::new(),
            bytes: Vec::new(),
            sent: 0,
            columns: Vec::new(),
            next: vec![-1.0; 4],
            finish: None,
        }
    }

    #[test]
    fn text_is_held_back_while_it_may_be_a_stop() {
        let stops = ["\n\n".to_owned(), "END".to_owned()];
        let mut b = branch();
        let mut shown = |bytes: &[u8]| {
            b.push(1, bytes, &stops);
            let fresh = b.fresh(&stops).unwrap_or_default();
            (fresh, b.finish.is_some(), b.tokens.len())
        };
        assert_eq!(shown(b"go E"), ("go ".into(), false, 1));
        assert_eq!(shown(b"Nt\n"), ("ENt".into(), false, 2));
        assert_eq!(shown(b"x\xC3"), ("\nx".into(), false, 3));
        assert_eq!(shown(b"\xA9 EN"), ("é ".into(), false, 4));
        assert_eq!(shown(b"D more"), (String::new(), true, 4));
        assert_eq!(String::from_utf8(b.bytes).unwrap(), "go ENt\nxé ");
    }

    #[test]
    fn a_penalty_counts_how_often_a_token_was_written() {
        let row = penalized(&[-1.0, -2.0, -3.0], &[(0, -1.0, 0), (2, -3.0, 1), (0, -1.0, 2), (9, -1.0, 3)], 0.25, 0.0);
        assert_eq!(row, [-1.5, -2.0, -3.25]);
    }

    #[test]
    fn bytes_that_are_no_text_are_shown_as_such() {
        let mut b = branch();
        b.push(1, b"a\xFFb", &[]);
        assert_eq!(b.fresh(&[]).unwrap(), "a\u{FFFD}b");
        b.push(1, b"\xE2\x82", &[]);
        assert_eq!(b.fresh(&[]), None);
        b.finish = Some(LENGTH);
        assert_eq!(b.fresh(&[]).unwrap(), "\u{FFFD}");
    }
}
