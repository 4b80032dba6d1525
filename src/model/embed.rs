//! The seam for sentence vectors: whatever turns texts into vectors whose angle tells how alike they are.
//!
//! [`Model`] is any language model with an embedding interface: `/v1/embeddings` of an OpenAI-compatible server, Ollama's own.
//! What is done with the vectors (translation to admissible steps, retrieval) is left to those who ask.

use std::sync::Arc;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::{LanguageModel, ModelError};

/// Most texts sent at once.
const AT_ONCE: usize = 256;

/// Turns texts into vectors.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// What it is, as people see it: part of what makes stored vectors fit.
    fn name(&self) -> String;

    /// A vector of length 1 for each text, in their order, all of the same dimension.
    ///
    /// # Errors
    /// [`ModelError`], in words for a person.
    async fn embed(&self, texts: &[String], cancel: &CancellationToken) -> Result<Vec<Vec<f32>>, ModelError>;
}

/// A model with an embedding interface.
pub struct Model(pub Arc<dyn LanguageModel>);

#[async_trait]
impl Embedder for Model {
    fn name(&self) -> String {
        let info = self.0.info();
        format!("{} at {}", info.name, info.endpoint)
    }

    async fn embed(&self, texts: &[String], cancel: &CancellationToken) -> Result<Vec<Vec<f32>>, ModelError> {
        let mut vectors = Vec::with_capacity(texts.len());
        for some in texts.chunks(AT_ONCE) {
            vectors.extend(self.0.embed(some, cancel).await?);
        }
        let dimension = vectors.first().map_or(0, Vec::len);
        if vectors.len() != texts.len() || dimension == 0 && !texts.is_empty() {
            return Err(unfit(self.0.as_ref(), format!("{} vectors came for {} texts", vectors.len(), texts.len())));
        }
        for vector in &mut vectors {
            if vector.len() != dimension {
                return Err(unfit(self.0.as_ref(), "its vectors differ in length".to_owned()));
            }
            normalise(vector);
        }
        Ok(vectors)
    }
}

fn unfit(model: &dyn LanguageModel, message: String) -> ModelError {
    ModelError::Broken { endpoint: model.info().endpoint, message, partial: String::new() }
}

/// Makes a vector's length 1; one of zeros stays.
pub fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|x| *x /= length);
    }
}

/// The cosine of two vectors of length 1.
pub fn likeness(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
