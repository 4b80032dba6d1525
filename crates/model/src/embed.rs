//! Sentence vectors of a model behind an interface: `/v1/embeddings` of an OpenAI-compatible server, Ollama's own.
//!
//! The seam is [`stepwright_embed::Embedder`], whose other embedders are the built-in table and MiniLM in this process; which one is
//! in use is `stepwright_launch::config::Config::embedder`'s. What is done with the vectors (translation, retrieval) is left to methods.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock};

use stepwright_embed::{EmbedError, Embedder, normalise};
use tokio_util::sync::CancellationToken;

use super::LanguageModel;

/// Most texts sent at once.
const AT_ONCE: usize = 256;

/// The embedder that needs nothing: the static table in the binary, which says by its name what it is.
pub fn built_in() -> Arc<dyn Embedder> {
    Arc::new(BuiltIn(stepwright_embed::built_in()))
}

struct BuiltIn(&'static dyn Embedder);

impl Embedder for BuiltIn {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn dimensions(&self) -> usize {
        self.0.dimensions()
    }

    fn embed(&self, sentences: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.0.embed(sentences)
    }
}

/// A model with an embedding interface. Requests go out from a separate thread, which the first one starts, so that the caller
/// needs no runtime and may be inside one.
pub struct Served {
    name: String,
    model: Arc<dyn LanguageModel>,
    /// Known from the first answer on.
    dimensions: OnceLock<usize>,
    asks: Mutex<Option<Sender<Ask>>>,
}

struct Ask {
    texts: Vec<String>,
    answer: Sender<Result<Vec<Vec<f32>>, String>>,
}

impl Served {
    /// Of a model; nothing is sent yet.
    pub fn new(model: Arc<dyn LanguageModel>) -> Self {
        let info = model.info();
        let name = format!("{} at {}", info.name, info.endpoint);
        Served { name, model, dimensions: OnceLock::new(), asks: Mutex::new(None) }
    }

    fn failed(&self, message: impl Into<String>) -> EmbedError {
        EmbedError::Failed { embedder: self.name.clone(), message: message.into() }
    }

    fn unfit(&self, got: String, asked: usize) -> EmbedError {
        EmbedError::Unfit { embedder: self.name.clone(), got, asked: format!("{asked} texts") }
    }

    fn asks(&self) -> Result<Sender<Ask>, EmbedError> {
        // Nothing is changed while it is held, so what a thread that ended there left is whole.
        let mut asks = self.asks.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(asks) = asks.as_ref() {
            return Ok(asks.clone());
        }
        let (sender, receiver) = channel();
        let model = Arc::clone(&self.model);
        let thread = std::thread::Builder::new().name("embedder".to_owned()).spawn(move || answer(&*model, &receiver));
        thread.map_err(|e| self.failed(format!("no thread for its requests: {e}; close other programs")))?;
        Ok(asks.insert(sender).clone())
    }

    fn some(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let (sender, answer) = channel();
        let gone = |_| self.failed("the thread of its requests has ended; choose the embedder again");
        self.asks()?.send(Ask { texts: texts.to_vec(), answer: sender }).map_err(|_| gone(()))?;
        answer.recv().map_err(|_| gone(()))?.map_err(|why| self.failed(why))
    }
}

fn answer(model: &dyn LanguageModel, asks: &Receiver<Ask>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    for Ask { texts, answer } in asks {
        let vectors = match &runtime {
            Ok(runtime) => {
                runtime.block_on(model.embed(&texts, &CancellationToken::new())).map_err(|error| error.to_string())
            }
            Err(error) => Err(error.to_string()),
        };
        // The caller may have gone.
        let _ = answer.send(vectors);
    }
}

impl Embedder for Served {
    fn name(&self) -> &str {
        &self.name
    }

    /// 0 before the first answer.
    fn dimensions(&self) -> usize {
        self.dimensions.get().copied().unwrap_or_default()
    }

    fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let mut vectors = Vec::with_capacity(texts.len());
        for some in texts.chunks(AT_ONCE) {
            vectors.extend(self.some(some)?);
        }
        let first = vectors.first().map_or(0, Vec::len);
        if vectors.len() != texts.len() || first == 0 {
            return Err(self.unfit(format!("{} vectors", vectors.len()), texts.len()));
        }
        let dimension = *self.dimensions.get_or_init(|| first);
        for vector in &mut vectors {
            if vector.len() != dimension || vector.iter().any(|x| !x.is_finite()) {
                return Err(self.unfit("vectors that differ in length or hold no numbers".to_owned(), texts.len()));
            }
            normalise(vector);
        }
        Ok(vectors)
    }
}
