//! Models behind a network interface, in three wire formats: OpenAI's chat completions and legacy completions as most servers
//! speak them (OpenRouter, Gemini, vLLM, llama.cpp, LM Studio), Anthropic's Messages, and Ollama's own.
//!
//! One [`Remote`] is one model behind one endpoint. What servers differ in is either configured ([`Options`]) or learned from
//! their refusals and remembered (`quirks`). `body`, `anthropic` and `ollama` say exactly what is sent; `stream` and `chunk` read
//! what comes back, treating every field as optional; all else is common: `complete` asks, learns and tries again, `thoughts`
//! separates reasoning from the answer, `masking` keeps keys out of it, `score` has given texts scored, `embed` gets sentence vectors, `retry` decides what is tried
//! again, `relay` sends on what other programs ask, in another interface as `translate` has it, `http` is the wire, and `providers` are the well-known ones.

mod anthropic;
mod body;
mod chunk;
mod complete;
mod embed;
mod failure;
mod http;
mod masking;
mod object;
mod ollama;
mod options;
mod probe;
pub mod providers;
mod quirks;
mod relay;
mod retry;
mod score;
mod sink;
mod stream;
mod thoughts;
mod translate;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use tokio::sync::OnceCell;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use self::sink::{Course, Sink};
use super::{
    Completion, LanguageModel, ModelError, ModelInfo, ModelKind, ModelRequest, ModelResponse, ScoreRequest, Settings,
    StreamEvent,
};
pub use http::shown_address;
pub(super) use http::{cause, shown};
pub use options::{Api, LimitField, Options, Score, Think, Wire};
pub use probe::{Capabilities, Support};
pub use score::Way;

/// A model behind an OpenAI-compatible endpoint.
#[derive(Debug)]
pub struct Remote {
    options: Options,
    http: http::Http,
    quirks: quirks::Quirks,
    /// How given texts are scored, once it was found out.
    scoring: OnceCell<Result<Way, String>>,
    /// The context's tokens as the server stated them; 0 if it did not.
    stated_context: AtomicU64,
    /// The prompt last scored behind, which the server has read.
    last_scored: Mutex<String>,
}

impl Remote {
    /// Prepares the client; nothing is sent yet.
    /// Errors: [`ModelError::Configuration`] when the base URL is no URL or the key holds characters no header can
    /// carry.
    pub fn new(options: Options) -> Result<Self, ModelError> {
        let http = http::Http::new(&options)?;
        Ok(Remote {
            options,
            http,
            quirks: quirks::Quirks::default(),
            scoring: OnceCell::new(),
            stated_context: AtomicU64::new(0),
            last_scored: Mutex::default(),
        })
    }

    fn remember_length<T>(&self, answer: Result<T, ModelError>) -> Result<T, ModelError> {
        if let Err(ModelError::TooLong { context: Some(context), .. }) = answer.as_ref().map_err(ModelError::cause) {
            self.learn_context(*context);
        }
        answer
    }

    /// The completions that were had before an error, which is then a warning; the error where there are none or nobody waits for them. What
    /// was paid for counts however the last answer ended.
    fn as_far(
        &self,
        wanted: u32,
        had: ModelResponse,
        asked: Result<(), ModelError>,
        sink: Sink<'_>,
    ) -> Result<ModelResponse, ModelError> {
        let Course { charge, last } = sink.ends();
        let came = had.completions.len();
        match asked {
            Err(error) if came == 0 || error == ModelError::Cancelled => return Err(error.after(charge, last)),
            Err(error) => {
                let model = &self.options.model;
                sink.remark(format!("{model}: {came} of {wanted} completions came, and no more: {error}"), true);
            }
            Ok(()) => {}
        }
        Ok(ModelResponse { usage: charge.usage, cost: charge.cost, ..had })
    }

    /// Remembers how many tokens the server says the model takes.
    fn learn_context(&self, tokens: u64) {
        self.stated_context.store(tokens, Ordering::Relaxed);
    }
}

#[async_trait]
impl LanguageModel for Remote {
    fn info(&self) -> ModelInfo {
        ModelInfo {
            name: self.options.model.clone(),
            kind: ModelKind::Remote,
            endpoint: self.http.endpoint().to_owned(),
        }
    }

    fn can_score(&self) -> bool {
        matches!(self.options.score, Score::Native | Score::Echo) || matches!(self.scoring.get(), Some(Ok(_)))
    }

    fn may_score(&self) -> bool {
        self.options.wire != Wire::Anthropic
            && self.options.score != Score::Never
            && !matches!(self.scoring.get(), Some(Err(_)))
    }

    async fn score_watched(
        &self,
        request: &ScoreRequest,
        done: &UnboundedSender<usize>,
        cancel: &CancellationToken,
    ) -> Result<Vec<Completion>, ModelError> {
        let scored = tokio::select! {
            biased;
            () = cancel.cancelled() => Err(ModelError::Cancelled),
            scored = self.score_all(request, done) => self.remember_length(scored),
        };
        scored.map(|completions| masking::completions(self.http.mask(), completions))
    }

    fn context(&self) -> Option<usize> {
        let stated = usize::try_from(self.stated_context.load(Ordering::Relaxed)).ok().filter(|n| *n > 0);
        match (self.options.context, stated) {
            (Some(set), Some(stated)) => Some(set.min(stated)),
            (set, stated) => set.or(stated),
        }
    }

    fn settings(&self) -> Settings {
        self.options.settings
    }

    fn prefers_raw(&self) -> bool {
        self.options.api == Api::Completions
    }

    fn has_chosen_interface(&self) -> bool {
        self.options.api != Api::Auto
    }

    fn raw_setting(&self) -> Option<&'static str> {
        (self.options.api == Api::Auto && self.options.wire != Wire::Anthropic).then_some(
            "where the server offers completions, small models do better with them: model.api=completions (start with `--set \
             model.api=completions`, or write api = \"completions\" in config.toml, see `stepwright config path`, and open the \
             session again)",
        )
    }

    async fn complete(
        &self,
        request: &ModelRequest,
        stream: &UnboundedSender<StreamEvent>,
        cancel: &CancellationToken,
    ) -> Result<ModelResponse, ModelError> {
        let (own, mut arriving) = tokio::sync::mpsc::unbounded_channel();
        let mut watched = masking::Watched::new(self.http.mask(), stream);
        let (course, mut had) = (Mutex::default(), ModelResponse::default());
        let sink = Sink { events: &own, course: &course, offset: 0 };
        let asked = {
            let asking = async {
                match &request.relayed {
                    Some(relayed) => self.relay(request, relayed, &mut had, sink).await,
                    None => self.complete_all(request, &mut had, sink).await,
                }
            };
            let mut asking = std::pin::pin!(asking);
            loop {
                // Dropping the future drops the connection, at any point of the exchange.
                tokio::select! {
                    biased;
                    () = cancel.cancelled() => break Err(ModelError::Cancelled),
                    Some(event) = arriving.recv() => watched.pass(event),
                    asked = &mut asking => break self.remember_length(asked),
                }
            }
        };
        let answer = self.as_far(request.n, had, asked, sink);
        while let Ok(event) = arriving.try_recv() {
            watched.pass(event);
        }
        watched.end();
        masking::response(self.http.mask(), answer)
    }

    async fn embed(&self, texts: &[String], cancel: &CancellationToken) -> Result<Vec<Vec<f32>>, ModelError> {
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(ModelError::Cancelled),
            vectors = self.vectors(texts) => vectors,
        }
    }
}
