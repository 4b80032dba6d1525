//! Sentences as vectors whose angle says how alike they are: the seam, a small embedder in the binary, and the search.
//!
//! [`Embedder`] is the seam. [`built_in`] is the embedder that is always there: a static table of word pieces, distilled from
//! all-MiniLM-L6-v2 and less exact than it. [`Table`] finds the nearest of many sentences; [`kept`] keeps their vectors on disk;
//! [`paraphrases`] compares embedders. Embedders that need a model or a server are left to the program.

mod built_in;
mod error;
pub mod kept;
#[cfg(feature = "minilm")]
pub mod minilm;
mod nearest;
pub mod paraphrases;
mod pieces;

pub use built_in::built_in;
pub use error::EmbedError;
pub use nearest::{Neighbour, Table};

/// Turns sentences into vectors.
pub trait Embedder: Send + Sync {
    /// Its name, for display. Vectors of two embedders never mix, so the name distinguishes their versions too.
    fn name(&self) -> &str;

    fn dimensions(&self) -> usize;

    /// A vector for each sentence, in their order: of length 1, or of zeros where nothing in the sentence is known.
    fn embed(&self, sentences: &[String]) -> Result<Vec<Vec<f32>>, EmbedError>;
}

/// Makes a vector's length 1; one of zeros stays as it is.
pub fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
    if length > 0.0 && length.is_finite() {
        vector.iter_mut().for_each(|x| *x = (f64::from(*x) / length) as f32);
    }
}

/// The name of a thing or step as a sentence: `put food_bread on plate` has underscores where a sentence has spaces.
pub fn sentence(name: &str) -> String {
    name.replace('_', " ")
}
