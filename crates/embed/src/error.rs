//! Errors between a sentence and its vector.

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    /// The table in the binary is not what this version reads.
    #[error("the built-in embedding table is damaged ({0}): build the program again")]
    Table(&'static str),
    #[error("{embedder}: {message}")]
    Failed { embedder: String, message: String },
    /// The vectors do not fit what was asked for.
    #[error("{embedder} gave {got} for {asked}: choose another embedder, or another model at that server")]
    Unfit { embedder: String, got: String, asked: String },
}
