//! Language models in this process: GGUF files of the Llama and Qwen2 kinds, run by candle on the processor.
//!
//! A model is named and nothing is read yet; its first request loads it on a separate thread (`engine`), where it answers one
//! request after another. `gguf` reads the file, `network` is the weights and their forward pass, `cache` what a text left behind,
//! `tokens` and `template` turn messages into tokens; `runner` runs prompts, `generate` writes, `score` scores given texts.
//! An answer that is cut at its bound is written once more with a wider one, as remote models are asked again, and is no completion then.
//! Weights are fetched by [`super::fetch`]; what a name stands for is `stepwright_launch::config::select`'s.

mod cache;
mod engine;
mod generate;
mod gguf;
mod guard;
mod network;
mod runner;
mod sample;
mod score;
mod template;
#[cfg(test)]
mod tests;
pub mod threads;
mod tokens;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use self::engine::{Engine, Job};
use self::runner::Stop;
use super::{
    Charge, Completion, LanguageModel, ModelError, ModelInfo, ModelKind, ModelRequest, ModelResponse, ScoreRequest,
    StreamEvent,
};

/// How many times as many tokens an answer may have that was cut.
const WIDER: u32 = 4;

/// The whole completions of the second answer, with what both cost; where there is none, the text of one that was cut again, and the cost.
fn whole(first: ModelResponse, again: ModelResponse) -> Result<ModelResponse, (String, Charge)> {
    let mut charge = Charge { usage: first.usage, cost: None };
    charge.add(Charge { usage: again.usage, cost: None });
    let (cut, completions): (Vec<Completion>, Vec<Completion>) =
        again.completions.into_iter().partition(Completion::is_cut);
    if completions.is_empty() {
        return Err((cut.into_iter().next().map(|c| c.text).unwrap_or_default(), charge));
    }
    Ok(ModelResponse { completions, usage: charge.usage, ..again })
}

pub struct Local {
    name: String,
    path: PathBuf,
    /// From the file's header; a file that cannot be read is reported at the first request.
    context: Option<usize>,
    engine: Arc<Engine>,
}

impl Local {
    /// A model by the name to show and its GGUF file, which must be there; it is read when it is first asked.
    /// Errors: [`ModelError::Configuration`] when there is no such file, or the system refuses a thread.
    pub fn open(name: &str, path: &Path) -> Result<Local, ModelError> {
        if !path.is_file() {
            return Err(ModelError::Configuration(format!("{}: there is no such file", path.display())));
        }
        let engine = Engine::of(path)
            .map_err(|e| ModelError::Configuration(format!("no thread for the model: {e}; close other programs")))?;
        let context = gguf::context(path).map(|trained| trained.min(network::MAX_CONTEXT));
        Ok(Local { name: name.to_owned(), path: path.to_owned(), context, engine })
    }

    fn endpoint(&self) -> String {
        self.path.display().to_string()
    }

    async fn ask<T>(
        &self,
        job: impl FnOnce(CancellationToken, oneshot::Sender<Result<T, Stop>>) -> Job,
        cancel: &CancellationToken,
    ) -> Result<T, ModelError> {
        let gone = || ModelError::Unreachable {
            endpoint: self.endpoint(),
            message: "the model's thread has ended; choose the model again".into(),
        };
        // A caller that stops waiting, for any reason, stops the work.
        let stop = cancel.child_token();
        let _guard = stop.clone().drop_guard();
        let (reply, answer) = oneshot::channel();
        if !self.engine.send(job(stop, reply)) {
            return Err(gone());
        }
        let answer = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(ModelError::Cancelled),
            answer = answer => answer,
        };
        match answer {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(Stop::Cancelled)) => Err(ModelError::Cancelled),
            Ok(Err(Stop::Failed(why))) => Err(ModelError::Configuration(format!("{}: {why}", self.name))),
            Err(_) => Err(gone()),
        }
    }
}

#[async_trait]
impl LanguageModel for Local {
    fn info(&self) -> ModelInfo {
        ModelInfo { name: self.name.clone(), kind: ModelKind::Local, endpoint: self.endpoint() }
    }

    async fn complete(
        &self,
        request: &ModelRequest,
        stream: &UnboundedSender<StreamEvent>,
        cancel: &CancellationToken,
    ) -> Result<ModelResponse, ModelError> {
        if request.n == 0 || request.messages.is_empty() {
            return Err(ModelError::Configuration("a request needs a message and at least one completion".into()));
        }
        // What was whole comes out the same when all of it is written again.
        let request = ModelRequest { seed: Some(request.seed.unwrap_or_else(rand::random)), ..request.clone() };
        let write = |request: ModelRequest, stream: UnboundedSender<StreamEvent>| {
            let request = Box::new(request);
            self.ask(|cancel, reply| Job::Complete { request, stream, cancel, reply }, cancel)
        };
        let first = write(request.clone(), stream.clone()).await?;
        if !first.completions.iter().any(Completion::is_cut) {
            return Ok(first);
        }
        let wider = ModelRequest { max_tokens: request.max_tokens.saturating_mul(WIDER), ..request };
        // A closed receiver only means that nobody watches.
        let why = format!("the answer was cut after {} tokens", request.max_tokens);
        let _ = stream.send(StreamEvent::Void { from: 0 });
        let _ = stream.send(StreamEvent::Retrying { attempt: 2, wait: Duration::ZERO, why });
        let limit = wider.max_tokens;
        let again = write(wider, stream.clone()).await?;
        whole(first, again).map_err(|(partial, charge)| {
            let message =
                format!("the answer was cut after {limit} tokens; what came is no completion: raise max_tokens");
            ModelError::Broken { endpoint: self.endpoint(), message, partial }.charged(charge)
        })
    }

    fn can_score(&self) -> bool {
        true
    }

    /// Models this small continue a text better than they follow instructions.
    fn prefers_raw(&self) -> bool {
        true
    }

    fn context(&self) -> Option<usize> {
        self.context
    }

    async fn score_watched(
        &self,
        request: &ScoreRequest,
        done: &UnboundedSender<usize>,
        cancel: &CancellationToken,
    ) -> Result<Vec<Completion>, ModelError> {
        let (request, done) = (request.clone(), done.clone());
        self.ask(|cancel, reply| Job::Score { request, done, cancel, reply }, cancel).await
    }
}

#[cfg(test)]
mod cut {
    use super::*;
    use crate::Usage;

    #[test]
    fn an_answer_that_is_cut_twice_is_no_completion() {
        let answer = |ends: &[(&str, &str)]| {
            let completion = |(text, finish): &(&str, &str)| Completion {
                text: (*text).into(),
                finish: (*finish).into(),
                ..Completion::default()
            };
            ModelResponse::of(ends.iter().map(completion).collect(), Some(Usage::new(10, 5)))
        };
        let found =
            whole(answer(&[("a", "length"), ("b", "stop")]), answer(&[("a c", "stop"), ("b", "stop")])).unwrap();
        let texts: Vec<&str> = found.completions.iter().map(|c| c.text.as_str()).collect();
        assert_eq!((texts, found.usage), (vec!["a c", "b"], Some(Usage::new(20, 10))));
        let found = whole(answer(&[("a", "length"); 2]), answer(&[("a c", "length"), ("b", "stop")])).unwrap();
        assert_eq!(found.completions.len(), 1, "the whole one");
        let charge = Charge { usage: Some(Usage::new(20, 10)), cost: None };
        assert_eq!(whole(answer(&[("a", "length")]), answer(&[("a c", "length")])), Err(("a c".to_owned(), charge)));
    }
}
