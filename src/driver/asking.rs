//! One ask of a language model: the request, its stream passed on in pieces a screen can follow, and its end.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;

use super::{Notice, prompting};
use crate::episode::AskId;
use crate::episode::AskKind;
use crate::episode::gate::AskSpec;
use crate::model::{LanguageModel, ModelError, ModelRequest, ModelResponse, StreamEvent};

/// Pieces of a stream are passed on at most this often.
const PACE: Duration = Duration::from_millis(16);

/// Tokens a plan may have (ProgPrompt's limit).
const PLAN_TOKENS: u32 = 600;

/// Frequency penalty of a plan where none is configured (ProgPrompt's).
const PLAN_PENALTY: f64 = 0.15;

/// Tokens that say whether an assertion holds (ProgPrompt's limit).
const JUDGE_TOKENS: u32 = 2;

/// The end of an ask.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) ask: AskId,
    pub(super) result: Result<ModelResponse, ModelError>,
    pub(super) ms: u64,
}

/// The request of an ask. `think`: a next action may have a thought before it; `penalty`: that of plans, where one is set.
pub(super) fn request(spec: &AskSpec, think: bool, penalty: Option<f64>, seed: u64) -> ModelRequest {
    let messages = spec.prompt.as_ref().map(|p| p.messages.clone()).unwrap_or_default();
    if is_next_action(spec) {
        return prompting::request(messages, think, spec.n, spec.temperature, seed);
    }
    let raw = messages.iter().any(|m| m.role == "text");
    if spec.kind == AskKind::PLAN {
        return ModelRequest {
            messages,
            max_tokens: PLAN_TOKENS,
            temperature: spec.temperature,
            n: spec.n,
            stop: vec!["\ndef ".to_owned()],
            seed: Some(seed),
            frequency_penalty: penalty.unwrap_or(PLAN_PENALTY),
            tag: None,
            logprobs: false,
        };
    }
    // One line; a chat model may wrap it in a fence.
    let line = if raw { 64 } else { 160 };
    ModelRequest {
        messages,
        max_tokens: if matches!(spec.kind, AskKind::Judgement { .. }) { JUDGE_TOKENS } else { line },
        temperature: spec.temperature,
        n: spec.n,
        stop: if raw { vec!["\n".to_owned()] } else { Vec::new() },
        seed: Some(seed),
        frequency_penalty: 0.0,
        tag: None,
        logprobs: true,
    }
}

/// Whether an ask is for the next action, rather than for assertions.
fn is_next_action(spec: &AskSpec) -> bool {
    [AskKind::GREEDY, AskKind::SAMPLES].contains(&spec.kind)
}

/// Asks, passing the stream on as notices.
pub(super) async fn ask(
    model: Arc<dyn LanguageModel>,
    ask: AskId,
    request: ModelRequest,
    cancel: CancellationToken,
    notices: UnboundedSender<Notice>,
) -> Answer {
    let started = Instant::now();
    let (sender, receiver) = unbounded_channel();
    let forward = tokio::spawn(forward(ask, receiver, notices));
    let result = tokio::select! {
        result = model.complete(&request, &sender, &cancel) => result,
        // A model that is slow to notice must not keep the person waiting.
        () = cancel.cancelled() => Err(ModelError::Cancelled),
    };
    drop(sender);
    let _ = forward.await;
    Answer { ask, result, ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX) }
}

/// Passes stream events on, texts that follow each other joined.
async fn forward(ask: AskId, mut events: UnboundedReceiver<StreamEvent>, notices: UnboundedSender<Notice>) {
    let mut batch = Vec::new();
    while events.recv_many(&mut batch, 4096).await > 0 {
        let mut pieces: Vec<(u32, String)> = Vec::new();
        for event in batch.drain(..) {
            match event {
                StreamEvent::Delta { index, text } => match pieces.iter_mut().find(|(i, _)| *i == index) {
                    Some((_, piece)) => piece.push_str(&text),
                    None => pieces.push((index, text)),
                },
                StreamEvent::Retrying { attempt, wait, why } => {
                    let _ = notices.send(Notice::Retrying { ask, attempt, wait, why });
                }
            }
        }
        for (index, text) in pieces {
            let _ = notices.send(Notice::Stream { ask, index, text });
        }
        if !events.is_closed() {
            tokio::time::sleep(PACE).await;
        }
    }
}
