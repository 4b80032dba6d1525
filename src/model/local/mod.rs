//! Language models in this process: GGUF files of the Llama and Qwen2 kinds, run by candle on the processor.
//!
//! A model is named and nothing is read yet; its first request loads it on a separate thread (`engine`), where it answers one
//! request after another. `gguf` reads the file, `network` is the weights and their forward pass, `cache` what a text left behind,
//! `tokens` and `template` turn messages into tokens; `runner` runs prompts, `generate` writes, `score` scores given texts.
//! Weights are fetched by [`super::fetch`]; what a name stands for is [`crate::config::select`]'s.

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

use async_trait::async_trait;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use self::engine::{Engine, Job};
use self::runner::Stop;
use super::{
    Completion, LanguageModel, ModelError, ModelInfo, ModelKind, ModelRequest, ModelResponse, ScoreRequest, StreamEvent,
};

/// A model in this process.
pub struct Local {
    name: String,
    path: PathBuf,
    /// From the file's header; a file that cannot be read is reported at the first request.
    context: Option<usize>,
    engine: Arc<Engine>,
}

impl Local {
    /// A model by the name to show and its GGUF file, which must be there; it is read when it is first asked.
    ///
    /// # Errors
    /// [`ModelError::Configuration`] when there is no such file, or the system refuses a thread.
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
        let (request, stream) = (request.clone(), stream.clone());
        self.ask(|cancel, reply| Job::Complete { request, stream, cancel, reply }, cancel).await
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

    async fn score(&self, request: &ScoreRequest, cancel: &CancellationToken) -> Result<Vec<Completion>, ModelError> {
        let (nobody, _) = unbounded_channel();
        self.score_watched(request, &nobody, cancel).await
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
