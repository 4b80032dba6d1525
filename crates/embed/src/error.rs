//! Errors between a sentence and its vector.

/// Why there are no vectors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    /// The table in the binary is not what this version reads.
    #[error("the built-in embedding table is damaged ({0}): build the program again")]
    Table(&'static str),
    /// A model or server failed.
    #[error("{embedder}: {message}")]
    Failed {
        /// Which one, by its name.
        embedder: String,
        /// What happened, and what to do.
        message: String,
    },
    /// The vectors do not fit what was asked for.
    #[error("{embedder} gave {got} for {asked}: choose another embedder, or another model at that server")]
    Unfit {
        /// Which one, by its name.
        embedder: String,
        /// What came.
        got: String,
        /// What was asked for.
        asked: String,
    },
}
