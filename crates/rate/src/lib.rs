//! Plans judged by people, blind: what is judged, the judgements as they are kept, and what they come to.
//!
//! [`Plans`] reads a results file: plans of several methods and households, alike ones joined into one item. [`Judging`] is one rater's
//! way through the items, in an order of their own, each judgement appended to a file at once. [`figures`] counts. Which method wrote a
//! plan is never part of an item. Drawing and keys are left to the program.

pub mod figures;
mod judging;
mod kept;
mod plans;

pub use judging::Judging;
pub use kept::{Judged, Judgement, Kept};
pub use plans::{Item, Plans, Wrote};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RateError {
    #[error("{path}: {message}")]
    File { path: String, message: String },
    /// A line is not what it should be.
    #[error("{path}, line {line}: {message}")]
    Line {
        path: String,
        /// From 1.
        line: usize,
        message: String,
    },
}

/// The beginning of a hash, in hexadecimal digits.
fn digest(parts: &[&str]) -> String {
    use std::fmt::Write as _;

    use sha2::{Digest, Sha256};
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().iter().take(8).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
