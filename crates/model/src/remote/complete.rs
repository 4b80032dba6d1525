//! Completions, `n` of a prompt: choice of the interface, requests, lessons of refusals, retries, more tokens for what was cut.

use std::time::Duration;

use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;

use super::body::{Interface, Wanted, body, is_raw, parameters};
use super::chunk::Answer;
use super::failure::{Failure, Passing, Refusal, judge, short};
use super::options::{Api, Wire};
use super::quirks::{Lesson, first, is_set};
use super::sink::{Arriving, Sink};
use super::stream::{self, Break};
use super::{Remote, ollama, retry};
use crate::{Completion, ModelError, ModelRequest, ModelResponse, StreamEvent, Usage};

/// Tokens for a model to reason with, beside those of its answer.
const REASONING: u32 = 8_192;
/// How often more tokens are given to an answer that was cut.
const RAISES: u32 = 2;
/// How many times as many each time.
const FACTOR: u32 = 4;
/// Most tokens asked for by ourselves.
const MOST: u32 = 131_072;

/// What helps where an answer had too few tokens.
const MORE: &str = "raise max_tokens, or have it reason less (think)";
/// Characters shown of what stands in a refused answer.
const SHOWN: usize = 300;
/// What helps where a provider does not let the model answer.
const OTHER: &str = "more tokens do not help: change the prompt, or ask another model";

pub(super) struct Answered {
    pub(super) answer: Answer,
    body: Value,
}

impl Remote {
    /// Asks until all completions are in `response`, which holds those that came however this ends.
    pub(super) async fn complete_all(
        &self,
        request: &ModelRequest,
        response: &mut ModelResponse,
        sink: Sink<'_>,
    ) -> Result<(), ModelError> {
        if request.n == 0 || request.messages.is_empty() {
            return Err(ModelError::Configuration("a request needs a message and at least one completion".into()));
        }
        if request.messages.len() > 1 && request.messages.iter().any(|m| m.role == "text") {
            return Err(ModelError::Configuration("a message of role text must be the only one".into()));
        }
        let mut raises = 0;
        // The limit of the answer that was cut last, with its text; the limit that a refusal leaves.
        let (mut cut_at, mut cut_text, mut ceiling, mut of_model) = (0, String::new(), u32::MAX, false);
        loop {
            let offset = u32::try_from(response.completions.len()).unwrap_or(u32::MAX);
            let missing = request.n.saturating_sub(offset);
            if missing == 0 {
                return Ok(());
            }
            let sink = Sink { offset, ..sink };
            let alone = self.options.wire != Wire::OpenAi || is_set(&self.quirks.one_at_a_time);
            let n = if alone { 1 } else { missing };
            let limit = self.limit(request.max_tokens, raises).min(ceiling);
            if limit <= cut_at {
                let why =
                    format!("the answer was cut after {cut_at} tokens (finish_reason length), and more are refused");
                return Err(self.cut(&why, MORE, cut_text));
            }
            let wanted = Wanted { request, n, offset, limit };
            let answered = match self.ask(wanted, sink).await {
                // Servers word this refusal in many forms; asking for one shows whether it was the number.
                Err(failure) if n > 1 && refuses_many(&failure) => {
                    let answer = self.ask(Wanted { n: 1, ..wanted }, sink).await;
                    if answer.is_ok() {
                        first(&self.quirks.one_at_a_time);
                    }
                    answer
                }
                answer => answer,
            };
            let Answered { answer, body } = match answered {
                Ok(answered) => answered,
                // What was added to reason with may be more than the model can write, or than is left beside the prompt.
                Err(failure) if limit > request.max_tokens && refuses_tokens(&failure) => {
                    ceiling = (limit / 2).max(request.max_tokens);
                    tracing::debug!(limit, ceiling, "fewer tokens are asked for");
                    // What is left beside a prompt says nothing of the next one.
                    of_model = !matches!(failure.error, ModelError::TooLong { .. });
                    continue;
                }
                // More tokens than the model can write: that its answer was cut is the trouble.
                Err(failure) if raises > 0 && failure.refusal.is_some() => {
                    return Err(self.cut("more tokens than it had are refused", MORE, cut_text));
                }
                Err(failure) => return Err(failure.error),
            };
            if of_model {
                self.quirks.write_at_most(limit);
            }
            let usage = answer.usage;
            answer.served.clone_into(&mut response.served);
            response.sent = parameters(&body);
            self.check_prompt(request, &body, usage, &answer.fingerprint, sink)?;
            let found = answer.finish();
            if n > 1 && found.len() == 1 {
                first(&self.quirks.one_at_a_time);
            }
            let reasoned = found.iter().any(|c| !c.reasoning.is_empty()) || usage.is_some_and(|u| u.reasoning > 0);
            if reasoned {
                first(&self.quirks.reasons);
            }
            let found = found.into_iter().map(|completion| completion.stopped(&request.stop));
            let lost = |c: &Completion| c.is_cut() && !(request.cut_counts && c.finish == "length");
            let (cut, whole): (Vec<Completion>, Vec<Completion>) = found.partition(lost);
            response.completions.extend(whole.into_iter().map(|c| formed(request, c)));
            let Some(worst) = cut.into_iter().next() else { continue };
            let (why, advice) = match worst.finish.as_str() {
                "content_filter" => (refused(&worst.text), OTHER),
                "length" => (format!("the answer was cut after {} tokens (finish_reason length)", wanted.limit), MORE),
                _ => ("the model reasoned and gave no answer".to_owned(), MORE),
            };
            if worst.finish == "length" {
                (cut_at, cut_text) = (limit, worst.text.clone());
            }
            raises += 1;
            if raises > RAISES || worst.finish == "content_filter" {
                // What was refused with is said where it was refused.
                let so_far = if worst.finish == "content_filter" { String::new() } else { worst.text };
                return Err(self.cut(&why, advice, so_far));
            }
            let from = u32::try_from(response.completions.len()).unwrap_or(u32::MAX);
            sink.send(StreamEvent::Void { from });
            sink.send(StreamEvent::Retrying { attempt: raises + 1, wait: Duration::ZERO, why });
        }
    }

    /// The error that what came is no completion.
    fn cut(&self, why: &str, advice: &str, partial: String) -> ModelError {
        let message = format!("{why}; what came is no completion: {advice}");
        ModelError::Broken { endpoint: self.http.endpoint().to_owned(), message, partial }
    }

    /// Most tokens to ask for, after so many raises.
    fn limit(&self, asked: u32, raises: u32) -> u32 {
        let room = if is_set(&self.quirks.reasons) { REASONING } else { 0 };
        let raised = asked.saturating_add(room).saturating_mul(FACTOR.saturating_pow(raises));
        raised.min(MOST.min(self.quirks.most().unwrap_or(MOST)).max(asked))
    }

    /// Finds prompts that a server cut in silence.
    fn check_prompt(
        &self,
        request: &ModelRequest,
        body: &Value,
        usage: Option<Usage>,
        fingerprint: &str,
        sink: Sink<'_>,
    ) -> Result<(), ModelError> {
        let read = usage.map_or(0, |u| u.prompt);
        if let Some(context) = ollama::context_of(body).filter(|context| read >= *context) {
            return Err(ModelError::TooLong {
                endpoint: self.http.endpoint().to_owned(),
                message: format!(
                    "the prompt filled Ollama's context of {context} tokens and was cut: set a larger num_ctx"
                ),
                context: Some(context),
            });
        }
        if self.options.wire != Wire::OpenAi || fingerprint != "fp_ollama" {
            return Ok(());
        }
        let model = &self.options.model;
        let own = format!("use its own interface, which sets up the context: ollama/{model}, or provider = \"ollama\"");
        let chars: usize = request.messages.iter().map(|m| m.text.chars().count()).sum();
        // No tokenizer makes tokens this long of a whole prompt.
        if read > 0 && chars as u64 > read.saturating_mul(8).saturating_add(512) {
            let text = format!(
                "Ollama read only {read} tokens of a prompt of {chars} characters: it was CUT IN SILENCE; {own}"
            );
            sink.remark(text, true);
        } else if first(&self.quirks.warned) {
            let text = format!(
                "Ollama behind OpenAI's interface cuts prompts at 4,096 tokens in silence, unless its owner set more; {own}"
            );
            sink.remark(text, true);
        }
        Ok(())
    }

    /// Asks for `wanted` completions through the right interface; gets at least one.
    pub(super) async fn ask(&self, wanted: Wanted<'_>, sink: Sink<'_>) -> Result<Answered, Failure> {
        let raw = is_raw(wanted.request);
        let options = &self.options;
        let mut stand_in = false;
        loop {
            let interface = match (options.wire, options.api) {
                (Wire::Anthropic, _) => Interface::Messages,
                (Wire::Ollama, Api::Chat) => Interface::OllamaChat,
                (Wire::Ollama, _) if raw => Interface::OllamaGenerate,
                (Wire::Ollama, _) => Interface::OllamaChat,
                (Wire::OpenAi, Api::Chat) => Interface::Chat,
                (Wire::OpenAi, Api::Completions) => Interface::Completions,
                (Wire::OpenAi, Api::Auto) if raw && !stand_in && !is_set(&self.quirks.no_completions) => {
                    Interface::Completions
                }
                (Wire::OpenAi, Api::Auto) => Interface::Chat,
            };
            let body = body(options, &self.quirks, interface, wanted);
            sink.sends(parameters(&body));
            let mut failure = match self.attempts(interface, &body, wanted.n, sink).await {
                Ok(answer) => {
                    if stand_in {
                        first(&self.quirks.no_completions);
                    }
                    return Ok(Answered { answer, body });
                }
                Err(failure) => failure,
            };
            let Some(refusal) = &failure.refusal else { return Err(failure) };
            if self.learned(&body, refusal, sink) {
                continue;
            }
            if interface == Interface::Completions && lacks_completions(refusal) {
                if options.api == Api::Auto {
                    stand_in = true;
                    continue;
                }
                if let ModelError::Refused { message, .. } = &mut failure.error {
                    message.push_str("; the endpoint may offer no legacy completions: set api = \"auto\" or \"chat\"");
                }
            }
            return Err(failure);
        }
    }

    /// Whether a refusal taught something that makes asking again worth while.
    pub(super) fn learned(&self, body: &Value, refusal: &Refusal, sink: Sink<'_>) -> bool {
        match self.quirks.learn(body, refusal.status, refusal.param.as_deref(), &refusal.message) {
            Lesson::Nothing => false,
            Lesson::Again(remark) => {
                if let Some(remark) = remark {
                    sink.remark(format!("{}: {remark}", self.options.model), false);
                }
                true
            }
        }
    }

    /// One request, tried again while its failures may pass.
    pub(super) async fn attempts(
        &self,
        interface: Interface,
        body: &Value,
        n: u32,
        sink: Sink<'_>,
    ) -> Result<Answer, Failure> {
        let mut tried = 1;
        loop {
            let mut arriving = Arriving { answer: Answer::new(self.options.wire, n), sink };
            let attempt = self.attempt(interface, body, &mut arriving);
            match tokio::time::timeout(self.options.answer_timeout, attempt).await {
                Ok(Ok(())) => return Ok(arriving.had()),
                Ok(Err(failure)) => self.wait_after(failure, &mut tried, sink).await?,
                Err(_) => return Err(self.endless(arriving.broke_off())),
            }
        }
    }

    /// Waits until what failed may be tried again, and counts it; the error for the person where it may not.
    pub(super) async fn wait_after(
        &self,
        mut failure: Failure,
        tried: &mut u32,
        sink: Sink<'_>,
    ) -> Result<(), Failure> {
        let Some(Passing { why, after }) = failure.passing.take() else { return Err(failure) };
        if *tried > self.options.retries {
            let times = if *tried == 1 { String::new() } else { format!(", {tried} times; try again later") };
            let why = format!("{why}{times}");
            return Err(match failure.error {
                // What came before it broke is kept for the error.
                ModelError::Broken { endpoint, partial, .. } if !partial.is_empty() => {
                    Failure::last(ModelError::Broken { endpoint, message: why, partial })
                }
                _ => self.given_up(why),
            });
        }
        *tried += 1;
        let Some(wait) = retry::wait(&self.options, *tried, after, rand::random()) else {
            let asked = after.unwrap_or_default().as_secs_f64();
            return Err(self.given_up(format!(
                "{why}; the server asks to wait {asked} s, longer than retry_cap_s ({} s): try again later",
                self.options.backoff_cap.as_secs_f64()
            )));
        };
        tracing::info!(attempt = *tried, %why, wait_ms = wait.as_millis(), "trying again");
        count_down(sink.events, *tried, wait, &short(&why)).await;
        Ok(())
    }

    async fn attempt(&self, interface: Interface, body: &Value, arriving: &mut Arriving<'_>) -> Result<(), Failure> {
        let response = self.http.post(&self.options, interface.path(), body).await?;
        let pieces = stream::pieces(response, self.options.idle_timeout);
        let Arriving { answer, sink } = &mut *arriving;
        let read = stream::read(pieces, answer, |index, piece, text| sink.piece(index, piece, text)).await;
        read.map_err(|broken| self.broken(broken, arriving))
    }

    fn broken(&self, broken: Break, arriving: &mut Arriving<'_>) -> Failure {
        let partial = arriving.broke_off();
        let answer = &arriving.answer;
        let message = self.http.clean(&broken.message);
        let endpoint = self.http.endpoint().to_owned();
        let said = if answer.begun() { format!("the answer broke off: {message}") } else { message.clone() };
        let partial = ModelError::Broken { endpoint: endpoint.clone(), message: said.clone(), partial };
        match broken.reported {
            // As if the status line had said so.
            Some((Some(status), error)) => {
                let failure = judge(&self.options, &endpoint, status, &error, message, None);
                if answer.begun() { Failure { error: partial, refusal: None, ..failure } } else { failure }
            }
            _ => {
                let passing = broken.passing.then(|| Passing { why: said.clone(), after: None });
                Failure { error: partial, passing, refusal: None }
            }
        }
    }

    fn given_up(&self, message: String) -> Failure {
        Failure::last(ModelError::Unreachable { endpoint: self.http.endpoint().to_owned(), message })
    }

    pub(super) fn endless(&self, partial: String) -> Failure {
        let seconds = self.options.answer_timeout.as_secs_f64();
        let message = format!(
            "the answer has no end after {seconds} s; if the model is slow, raise answer_timeout_s in config.toml"
        );
        Failure::last(ModelError::Broken { endpoint: self.http.endpoint().to_owned(), message, partial })
    }
}

fn formed(request: &ModelRequest, mut completion: Completion) -> Completion {
    if let Some(structure) = &request.structure {
        let text = structure.read(&completion.text);
        if text != completion.text {
            // The tokens are those of the form.
            completion.tokens = Vec::new();
            completion.text = text;
        }
    }
    completion
}

/// Waits, reporting every second how long it still takes.
async fn count_down(events: &UnboundedSender<StreamEvent>, attempt: u32, wait: Duration, why: &str) {
    let mut left = wait;
    loop {
        let _ = events.send(StreamEvent::Retrying { attempt, wait: left, why: why.to_owned() });
        // The odd part first, so that the following seconds are whole.
        let odd = Duration::from_nanos(u64::from(left.subsec_nanos()));
        let step = if odd.is_zero() { left.min(Duration::from_secs(1)) } else { odd };
        tokio::time::sleep(step).await;
        left = left.saturating_sub(step);
        if left.is_zero() {
            return;
        }
    }
}

/// Whether a refusal is about the number of tokens: that of the answer, or of prompt and answer together.
fn refuses_tokens(failure: &Failure) -> bool {
    let about = |r: &Refusal| matches!(r.status, 400 | 413 | 422) && r.message.to_ascii_lowercase().contains("token");
    matches!(failure.error, ModelError::TooLong { .. }) || failure.refusal.as_ref().is_some_and(about)
}

fn refuses_many(failure: &Failure) -> bool {
    failure.refusal.as_ref().is_some_and(|r| matches!(r.status, 400 | 422 | 501))
}

/// Whether a refusal says that there is no such interface, rather than that something in the request is wrong.
fn lacks_completions(refusal: &Refusal) -> bool {
    let text = refusal.message.to_ascii_lowercase();
    matches!(refusal.status, 404 | 405 | 501)
        || (matches!(refusal.status, 400 | 403 | 422)
            && (text.contains("chat model") || text.contains("chat/completions")))
}

/// That an answer was refused, by the model or by a filter before or behind it, with what came of it.
fn refused(said: &str) -> String {
    let words: String = said.trim().chars().take(SHOWN).collect();
    let words = if words.is_empty() { words } else { format!(": {words:?}") };
    format!("the model, or its provider's filter, refused to answer{words}")
}
