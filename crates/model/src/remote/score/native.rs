//! Scoring by llama.cpp's own interface: the candidate's tokens by `/tokenize`, then `/completion` with a grammar of token ids.
//!
//! A grammar of *text* would force odd tokens and give false figures. With token ids the server has no choice, and
//! `completion_probabilities` holds the model's own log-probability of each token. Candidates are asked for one after
//! another, sorted by their tokens: each request finds the prompt in the server's cache, and what a candidate has in common
//! with the one before is not asked again.

use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;

use super::super::Remote;
use super::super::failure::Failure;
use super::super::http::Root;
use crate::{Completion, ModelError, TokenLogprob};

/// Bytes of a prompt read at a time: about 1,400 tokens.
const PART: usize = 4_000;
/// A text that no model would write by itself: what the probe has the server say.
const UNLIKELY: &str = " zebra quartz";

impl Remote {
    /// Whether the native interface is there and keeps to a grammar of token ids; the reason if not.
    pub(super) async fn try_native(&self) -> Result<Result<(), String>, ModelError> {
        let tokens = match self.tokens(UNLIKELY).await {
            Ok(tokens) if tokens.len() > 1 => tokens,
            Ok(_) => return Ok(Err("its /tokenize gives no token ids".to_owned())),
            Err(failure) => return refused(failure, "there is no /tokenize"),
        };
        self.learn_properties().await;
        match self.forced("The", &[], &tokens).await {
            Ok(Ok(_)) => Ok(Ok(())),
            Ok(Err(why)) => Ok(Err(format!("its /completion {why}"))),
            Err(failure) => refused(failure, "its /completion takes no grammar of token ids"),
        }
    }

    pub(super) async fn score_native(
        &self,
        prompt: &str,
        candidates: &[String],
        done: &UnboundedSender<usize>,
    ) -> Result<Vec<Completion>, ModelError> {
        let mut todo = Vec::new();
        for (at, candidate) in candidates.iter().enumerate() {
            let tokens = self.tokens(candidate).await.map_err(|f| f.error)?;
            if tokens.is_empty() {
                return Err(self.unfit(format!("{candidate:?} has no tokens")));
            }
            todo.push((tokens, at));
        }
        todo.sort();
        self.warm(prompt).await.map_err(|f| f.error)?;
        let mut scored: Vec<Completion> = vec![Completion::default(); candidates.len()];
        let (mut before, mut known): (Vec<u64>, Vec<TokenLogprob>) = (Vec::new(), Vec::new());
        for (count, (tokens, at)) in todo.into_iter().enumerate() {
            let common = tokens.iter().zip(&before).take_while(|(a, b)| a == b).count();
            known.truncate(common);
            let (first, rest) = tokens.split_at(common.min(tokens.len()));
            if !rest.is_empty() {
                let more = self.forced(prompt, first, rest).await.map_err(|f| f.error)?;
                known.extend(more.map_err(|why| self.unfit(format!("the scoring {why}")))?);
            }
            if let (Some(slot), Some(candidate)) = (scored.get_mut(at), candidates.get(at)) {
                *slot = Completion { text: candidate.clone(), tokens: known.clone(), ..Completion::default() };
            }
            before = tokens;
            let _ = done.send(count + 1);
        }
        Ok(scored)
    }

    /// Has the server read a long prompt part by part, so that a slow one is never silent for longer than the time limit
    /// allows. What it has read for the prompt before is not sent again: a shorter text would make it forget the rest.
    async fn warm(&self, prompt: &str) -> Result<(), Failure> {
        let before = {
            // A poisoned lock holds nothing but a text.
            let mut last = self.last_scored.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            std::mem::replace(&mut *last, prompt.to_owned())
        };
        let known = prompt.bytes().zip(before.bytes()).take_while(|(a, b)| a == b).count();
        for end in parts(prompt, known) {
            let body = json!({"prompt": prompt.get(..end), "n_predict": 0, "temperature": 0, "cache_prompt": true,
                "stream": false});
            self.object(Root::Server, "completion", Some(&body)).await?;
        }
        Ok(())
    }

    async fn tokens(&self, text: &str) -> Result<Vec<u64>, Failure> {
        let body = json!({"content": text, "add_special": false, "parse_special": false});
        let answer = self.object(Root::Server, "tokenize", Some(&body)).await?;
        let ids =
            answer.get("tokens").and_then(Value::as_array).map(|ids| ids.iter().map_while(Value::as_u64).collect());
        Ok(ids.unwrap_or_default())
    }

    /// Has the server say exactly `tokens` after the prompt and the tokens `before`: their log-probabilities, or what is wrong
    /// with its answer.
    async fn forced(
        &self,
        prompt: &str,
        before: &[u64],
        tokens: &[u64],
    ) -> Result<Result<Vec<TokenLogprob>, String>, Failure> {
        let grammar: Vec<String> = tokens.iter().map(|id| format!("<[{id}]>")).collect();
        let prompt: Value = if before.is_empty() {
            json!(prompt)
        } else {
            std::iter::once(json!(prompt)).chain(before.iter().map(|id| json!(id))).collect()
        };
        let body = json!({
            "prompt": prompt,
            "grammar": format!("root ::= {}", grammar.join(" ")),
            "n_predict": tokens.len(),
            "n_probs": 1,
            "temperature": 0,
            "cache_prompt": true,
            "stream": false,
        });
        let answer = self.object(Root::Server, "completion", Some(&body)).await?;
        Ok(read(&answer, tokens))
    }

    /// Takes in how many tokens the server's context has.
    pub(in super::super) async fn learn_properties(&self) {
        if let Ok(properties) = self.object(Root::Server, "props", None).await {
            let stated = properties.pointer("/default_generation_settings/n_ctx").or_else(|| properties.get("n_ctx"));
            if let Some(context) = stated.and_then(Value::as_u64) {
                self.learn_context(context);
            }
        }
    }
}

/// Where a prompt's parts end that are read one by one: behind lines, the last part left out. `known` bytes were read before.
fn parts(prompt: &str, known: usize) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut from = known;
    for (at, _) in prompt.match_indices('\n') {
        if at >= from + PART && at + PART <= prompt.len() {
            ends.push(at);
            from = at;
        }
    }
    ends
}

/// The log-probabilities in an answer; only those of the very tokens that were asked for count.
fn read(answer: &Value, tokens: &[u64]) -> Result<Vec<TokenLogprob>, String> {
    let Some(entries) = answer.get("completion_probabilities").and_then(Value::as_array) else {
        return Err("gives no completion_probabilities".to_owned());
    };
    if entries.len() != tokens.len() {
        return Err(format!("gives {} tokens where {} were forced", entries.len(), tokens.len()));
    }
    let token = |(entry, wanted): (&Value, &u64)| {
        let id = entry.get("id").and_then(Value::as_u64);
        if id != Some(*wanted) {
            return Err("does not keep to a grammar of token ids".to_owned());
        }
        let logprob = entry.get("logprob").and_then(Value::as_f64).filter(|l| *l <= 1e-6);
        let logprob = logprob.ok_or_else(|| "leaves out a log-probability".to_owned())?;
        let text = entry.get("token").and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(TokenLogprob::new(text, logprob))
    };
    entries.iter().zip(tokens).map(token).collect()
}

/// A refusal is an answer to the probe; no answer at all is none.
pub(super) fn refused(failure: Failure, what: &str) -> Result<Result<(), String>, ModelError> {
    match (&failure.refusal, &failure.error) {
        (Some(refusal), _) if matches!(refusal.status, 400 | 403..=405 | 410 | 415 | 422 | 501) => {
            Ok(Err(format!("{what} ({})", refusal.status)))
        }
        // An answer, but no JSON: some other page.
        (None, ModelError::Broken { .. }) => Ok(Err(what.to_owned())),
        _ => Err(failure.error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_prompts_are_read_in_parts_and_known_ones_are_not() {
        let prompt = "agent.goto('shelf 1')\n".repeat(1_000);
        let ends = parts(&prompt, 0);
        assert!(ends.len() >= 4 && ends.windows(2).all(|w| w[1] - w[0] >= PART), "{ends:?}");
        assert!(prompt.len() - ends.last().unwrap() >= PART, "the last part goes with the first candidate");
        assert!(parts(&prompt, prompt.len() - PART).is_empty());
        assert!(parts("short\n", 0).is_empty());
        assert!(parts(&prompt, 10_000).iter().all(|end| *end >= 14_000));
    }
}
