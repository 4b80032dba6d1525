//! A function as a language model: what stands in for one where recordings are compared, and in tests.

use async_trait::async_trait;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use crate::{LanguageModel, ModelError, ModelInfo, ModelKind, ModelRequest, ModelResponse, Settings, StreamEvent};

/// A model whose answers are those of a function; it streams nothing.
#[derive(Debug, Clone)]
pub struct Answering<F> {
    /// Whether it continues raw text.
    pub raw: bool,
    pub settings: Settings,
    pub by: F,
}

impl<F: Fn(&ModelRequest) -> Result<ModelResponse, ModelError>> Answering<F> {
    /// A chat model with no settings of its own.
    pub fn by(by: F) -> Self {
        Answering { raw: false, settings: Settings::default(), by }
    }
}

#[async_trait]
impl<F: Fn(&ModelRequest) -> Result<ModelResponse, ModelError> + Send + Sync> LanguageModel for Answering<F> {
    fn info(&self) -> ModelInfo {
        ModelInfo { name: "recorded".to_owned(), kind: ModelKind::Recorded, endpoint: String::new() }
    }

    async fn complete(
        &self,
        request: &ModelRequest,
        _stream: &UnboundedSender<StreamEvent>,
        _cancel: &CancellationToken,
    ) -> Result<ModelResponse, ModelError> {
        (self.by)(request)
    }

    fn prefers_raw(&self) -> bool {
        self.raw
    }

    fn settings(&self) -> Settings {
        self.settings
    }
}
