//! The provider for servers that speak OpenAI's chat completions and legacy completions: OpenAI itself, OpenRouter, vLLM,
//! llama.cpp, Ollama's `/v1`, LM Studio.
//!
//! One [`OpenAi`] is one model behind one endpoint. What servers differ in is either configured ([`Options`]) or learned from
//! their refusals and remembered (`quirks`). `body` says exactly what is sent; `stream` and `chunk` read what comes
//! back, treating every field as optional; `retry` decides what is tried again; `http` is the wire.

mod body;
mod chunk;
mod complete;
mod failure;
mod http;
mod options;
mod probe;
mod quirks;
mod retry;
mod stream;

use async_trait::async_trait;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::{LanguageModel, ModelError, ModelInfo, ModelKind, ModelRequest, ModelResponse, StreamEvent};
pub(super) use http::cause;
pub use options::{Api, LimitField, Options};
pub use probe::{Capabilities, Support};

/// A model behind an OpenAI-compatible endpoint.
#[derive(Debug)]
pub struct OpenAi {
    options: Options,
    http: http::Http,
    quirks: quirks::Quirks,
}

impl OpenAi {
    /// Prepares the client; nothing is sent yet.
    ///
    /// # Errors
    /// [`ModelError::Configuration`] when the base URL is no URL or the key holds characters no header can carry.
    pub fn new(options: Options) -> Result<Self, ModelError> {
        let http = http::Http::new(&options)?;
        Ok(OpenAi { options, http, quirks: quirks::Quirks::default() })
    }
}

#[async_trait]
impl LanguageModel for OpenAi {
    fn info(&self) -> ModelInfo {
        ModelInfo {
            name: self.options.model.clone(),
            kind: ModelKind::Remote,
            endpoint: self.http.endpoint().to_owned(),
        }
    }

    fn prefers_raw(&self) -> bool {
        self.options.api == Api::Completions
    }

    async fn complete(
        &self,
        request: &ModelRequest,
        stream: &UnboundedSender<StreamEvent>,
        cancel: &CancellationToken,
    ) -> Result<ModelResponse, ModelError> {
        // Dropping the future drops the connection, at whatever point the exchange is.
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(ModelError::Cancelled),
            answer = self.complete_all(request, stream) => answer,
        }
    }
}
