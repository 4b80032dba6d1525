//! Scoring by legacy completions with `echo`: the log-probabilities of the prompt's own tokens come back (vLLM).
//!
//! Many servers take the field and ignore it, and some give each figure to the token beside it. So the probe has the server write
//! a few tokens with their log-probabilities and then echo the same text: only if every token of it gets the same figure
//! again, and the figures differ enough for a shift to show, is the endpoint believed.

use futures_util::{StreamExt, TryStreamExt, stream};
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;

use super::super::Remote;
use super::super::failure::Failure;
use super::super::http::Root;
use super::native::refused;
use crate::{Completion, ModelError, TokenLogprob};

/// Texts whose continuations have tokens of unlike probability.
const BEGINNINGS: [&str; 3] =
    ["My favourite animals are the", "On the way to town she met", "def mean(values):\n    total ="];
/// Most that the same token's log-probability may differ between two requests (other batches round otherwise).
const TOLERANCE: f64 = 0.25;
/// How far apart two neighbours' figures must be for a shift to show.
const APART: f64 = 3.0 * TOLERANCE;
/// Requests under way at a time.
const AT_ONCE: usize = 4;

/// Tokens in order, each with where it begins in the text (characters) and its log-probability where one is reported.
type Tokens = Vec<(usize, String, Option<f64>)>;

impl Remote {
    /// Whether echoed log-probabilities are there and right; the reason if not.
    pub(super) async fn try_echo(&self) -> Result<Result<(), String>, ModelError> {
        for beginning in BEGINNINGS {
            let body = json!({"model": self.options.model, "prompt": beginning, "max_tokens": 8, "temperature": 0, "logprobs": 1});
            let answer = match self.object(Root::Base, "completions", Some(&body)).await {
                Ok(answer) => answer,
                Err(failure) => return refused(failure, "raw completions with log-probabilities are refused"),
            };
            let Some((text, written)) = read(&answer) else {
                return Ok(Err("its raw completions give no log-probabilities".to_owned()));
            };
            let scored: Vec<(String, f64)> = written.into_iter().filter_map(|(_, t, l)| Some((t, l?))).collect();
            let distinct = scored.windows(2).any(|pair| matches!(pair, [a, b] if (a.1 - b.1).abs() > APART));
            if scored.len() < 3 || !distinct || scored.iter().map(|(t, _)| t.as_str()).collect::<String>() != text {
                continue;
            }
            let echoed = match self.echoed(&format!("{beginning}{text}")).await {
                Ok(Some(echoed)) => echoed,
                Ok(None) => return Ok(Err("its raw completions ignore echo".to_owned())),
                Err(failure) => return refused(failure, "its raw completions refuse echo"),
            };
            let tail = behind(&echoed, beginning.chars().count(), beginning.chars().count() + text.chars().count());
            if tail.len() != scored.len() || tail.iter().zip(&scored).any(|((_, token, _), (same, _))| token != same) {
                // Other tokens than it wrote: nothing to compare.
                continue;
            }
            let right =
                tail.iter().zip(&scored).all(|((_, _, l), (_, same))| l.is_some_and(|l| (l - same).abs() <= TOLERANCE));
            return Ok(if right {
                Ok(())
            } else {
                Err("its echoed log-probabilities are not those of the tokens they stand at".to_owned())
            });
        }
        Ok(Err("its echoed log-probabilities could not be verified".to_owned()))
    }

    pub(super) async fn score_echo(
        &self,
        prompt: &str,
        candidates: &[String],
        done: &UnboundedSender<usize>,
    ) -> Result<Vec<Completion>, ModelError> {
        let start = prompt.chars().count();
        let one = |(at, candidate): (usize, &String)| {
            let (text, end, candidate) =
                (format!("{prompt}{candidate}"), start + candidate.chars().count(), candidate.clone());
            async move {
                let echoed = self.echoed(&text).await.map_err(|f| f.error)?;
                let echoed = echoed.ok_or_else(|| self.unfit("the server stopped echoing the prompt"))?;
                let tokens = behind(&echoed, start, end).into_iter().map(|(_, token, logprob)| {
                    let logprob =
                        logprob.ok_or_else(|| self.unfit(format!("no log-probability came for {token:?}")))?;
                    Ok(TokenLogprob::new(token, logprob))
                });
                let tokens = tokens.collect::<Result<Vec<_>, ModelError>>()?;
                if tokens.is_empty() {
                    return Err(self.unfit(format!("no token of {candidate:?} came back")));
                }
                Ok((at, Completion { text: candidate, tokens, ..Completion::default() }))
            }
        };
        let mut scored = vec![Completion::default(); candidates.len()];
        let mut answers = stream::iter(candidates.iter().enumerate().map(one)).buffer_unordered(AT_ONCE);
        let mut count = 0;
        while let Some((at, completion)) = answers.try_next().await? {
            if let Some(slot) = scored.get_mut(at) {
                *slot = completion;
            }
            count += 1;
            let _ = done.send(count);
        }
        Ok(scored)
    }

    /// The tokens of a text as the server echoes them; `None` if it does not.
    async fn echoed(&self, text: &str) -> Result<Option<Tokens>, Failure> {
        // Some servers refuse to generate nothing; the one token more is cut off by its place.
        let body = json!({"model": self.options.model, "prompt": text, "max_tokens": 1, "temperature": 0,
            "logprobs": 1, "echo": true});
        let answer = self.object(Root::Base, "completions", Some(&body)).await?;
        Ok(read(&answer).filter(|(echoed, _)| echoed.starts_with(text)).map(|(_, tokens)| tokens))
    }
}

/// The text and the tokens of an answer's first completion.
fn read(answer: &Value) -> Option<(String, Tokens)> {
    let choice = answer.pointer("/choices/0")?;
    let text = choice.get("text")?.as_str()?.to_owned();
    let logprobs = choice.get("logprobs")?;
    let mut tokens = Tokens::new();
    let mut place = 0;
    if let Some(texts) = logprobs.get("tokens").and_then(Value::as_array) {
        let figures = logprobs.get("token_logprobs").and_then(Value::as_array)?;
        if figures.len() != texts.len() {
            return None;
        }
        for (token, figure) in texts.iter().zip(figures) {
            let token = token.as_str()?.to_owned();
            let length = token.chars().count();
            tokens.push((place, token, figure.as_f64()));
            place += length;
        }
    } else {
        for entry in logprobs.get("content").and_then(Value::as_array)? {
            let token = entry.get("token")?.as_str()?.to_owned();
            let length = token.chars().count();
            tokens.push((place, token, entry.get("logprob").and_then(Value::as_f64)));
            place += length;
        }
    }
    // Only tokens that spell the text out can be distinguished by their places.
    (tokens.iter().map(|(_, t, _)| t.as_str()).collect::<String>() == text).then_some((text, tokens))
}

/// The tokens between two places, one that only partly does at the beginning included.
fn behind(tokens: &Tokens, start: usize, end: usize) -> Tokens {
    let within = |(at, token, _): &&(usize, String, Option<f64>)| *at < end && at + token.chars().count() > start;
    tokens.iter().filter(within).cloned().collect()
}
