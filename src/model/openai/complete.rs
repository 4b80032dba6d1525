//! Getting `n` completions: choosing the interface, asking, learning from refusals, trying again.

use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;

use super::body::{Interface, body, is_raw};
use super::chunk::Answer;
use super::failure::{Failure, Passing, Refusal, judge, short};
use super::options::Api;
use super::quirks::{first, is_set};
use super::stream::{self, Break};
use super::{OpenAi, retry};
use crate::model::{ModelError, ModelRequest, ModelResponse, StreamEvent, Usage};

/// Where the text of an attempt goes.
#[derive(Clone, Copy)]
pub(super) struct Sink<'a> {
    pub(super) events: &'a UnboundedSender<StreamEvent>,
    /// Completions already had: the new ones are numbered after them.
    pub(super) offset: u32,
}

impl OpenAi {
    pub(super) async fn complete_all(
        &self,
        request: &ModelRequest,
        events: &UnboundedSender<StreamEvent>,
    ) -> Result<ModelResponse, ModelError> {
        if request.n == 0 || request.messages.is_empty() {
            return Err(ModelError::Configuration("a request needs a message and at least one completion".into()));
        }
        if request.messages.len() > 1 && request.messages.iter().any(|m| m.role == "text") {
            return Err(ModelError::Configuration("a message of role text must be the only one".into()));
        }
        let mut response = ModelResponse::default();
        loop {
            let offset = u32::try_from(response.completions.len()).unwrap_or(u32::MAX);
            let missing = request.n.saturating_sub(offset);
            if missing == 0 {
                return Ok(response);
            }
            let sink = Sink { events, offset };
            let alone = is_set(&self.quirks.one_at_a_time);
            let wanted = if alone { 1 } else { missing };
            let answer = match self.ask(request, wanted, sink).await {
                // Servers word this refusal in many ways; asking for one shows whether it was the number.
                Err(failure) if wanted > 1 && refuses_many(&failure) => {
                    let answer = self.ask(request, 1, sink).await;
                    if answer.is_ok() {
                        first(&self.quirks.one_at_a_time);
                    }
                    answer
                }
                answer => answer,
            }
            .map_err(|failure| failure.error)?;
            let (completions, usage) = answer.finish();
            if wanted > 1 && completions.len() == 1 {
                first(&self.quirks.one_at_a_time);
            }
            response.completions.extend(completions);
            if let Some(usage) = usage {
                let so_far = response.usage.get_or_insert_with(Usage::default);
                so_far.prompt = so_far.prompt.saturating_add(usage.prompt);
                so_far.completion = so_far.completion.saturating_add(usage.completion);
            }
        }
    }

    /// Asks for `wanted` completions through the right interface; gets at least one.
    pub(super) async fn ask(&self, request: &ModelRequest, wanted: u32, sink: Sink<'_>) -> Result<Answer, Failure> {
        let raw = is_raw(request);
        let options = &self.options;
        let mut stand_in = false;
        loop {
            let interface = match options.api {
                Api::Chat => Interface::Chat,
                Api::Completions => Interface::Completions,
                Api::Auto if raw && !stand_in && !is_set(&self.quirks.no_completions) => Interface::Completions,
                Api::Auto => Interface::Chat,
            };
            let body = body(options, &self.quirks, interface, request, wanted, sink.offset);
            let mut failure = match self.attempts(interface, &body, wanted, sink).await {
                Ok(answer) => {
                    if stand_in {
                        first(&self.quirks.no_completions);
                    }
                    return Ok(answer);
                }
                Err(failure) => failure,
            };
            let Some(refusal) = &failure.refusal else { return Err(failure) };
            if self.quirks.learn(&body, refusal.status, refusal.param.as_deref(), &refusal.message) {
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

    /// One request, tried again while its failures may pass and no text has come.
    pub(super) async fn attempts(
        &self,
        interface: Interface,
        body: &serde_json::Value,
        wanted: u32,
        sink: Sink<'_>,
    ) -> Result<Answer, Failure> {
        let mut attempt = 1;
        loop {
            let mut failure = match self.attempt(interface, body, wanted, sink).await {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            let Some(Passing { why, after }) = failure.passing.take() else { return Err(failure) };
            if attempt > self.options.retries {
                let times = if attempt == 1 { String::new() } else { format!(", {attempt} times; try again later") };
                return Err(self.given_up(format!("{why}{times}")));
            }
            let Some(wait) = retry::wait(&self.options, attempt + 1, after, rand::random()) else {
                let asked = after.unwrap_or_default().as_secs();
                return Err(self.given_up(format!(
                    "{why}; the server asks to wait {asked} s, longer than retry_cap_s ({} s): try again later",
                    self.options.backoff_cap.as_secs()
                )));
            };
            attempt += 1;
            count_down(sink.events, attempt, wait, &why).await;
        }
    }

    async fn attempt(
        &self,
        interface: Interface,
        body: &serde_json::Value,
        wanted: u32,
        sink: Sink<'_>,
    ) -> Result<Answer, Failure> {
        let response = self.http.post(&self.options, interface.path(), body).await?;
        let mut answer = Answer::new(wanted);
        let pieces = stream::pieces(response, self.options.idle_timeout);
        let read = stream::read(pieces, &mut answer, |index, text| {
            // A closed receiver only means that nobody watches.
            let _ = sink
                .events
                .send(StreamEvent::Delta { index: sink.offset.saturating_add(index), text: text.to_owned() });
        })
        .await;
        read.map_err(|broken| self.broken(broken, &answer))?;
        Ok(answer)
    }

    fn broken(&self, broken: Break, answer: &Answer) -> Failure {
        let message = self.http.clean(&broken.message);
        let endpoint = self.http.endpoint().to_owned();
        if answer.begun() {
            let message = format!("the answer broke off: {message}");
            return Failure::last(ModelError::Broken { endpoint, message, partial: answer.partial() });
        }
        if let Some((Some(status), error)) = broken.reported {
            // As if the status line had said so.
            return judge(&self.options, &endpoint, status, &error, message, None);
        }
        let passing = broken.passing.then(|| Passing { why: short(&message), after: None });
        Failure { error: ModelError::Broken { endpoint, message, partial: String::new() }, passing, refusal: None }
    }

    fn given_up(&self, message: String) -> Failure {
        Failure::last(ModelError::Unreachable { endpoint: self.http.endpoint().to_owned(), message })
    }
}

/// Waits, telling every second how long it still takes.
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
