//! Why nothing could be opened.

use stepwright_episode::log;
use stepwright_world::WorldError;

/// Why nothing could be opened: what, where, what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The world or its data.
    #[error(transparent)]
    World(#[from] WorldError),
    /// The session file.
    #[error(transparent)]
    Log(#[from] log::LogError),
    /// A name that stands for nothing, with those that would.
    #[error("there is no {what} `{name}`; there is {known}")]
    Unknown {
        /// What was looked for.
        what: &'static str,
        /// The name given.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A model's settings, a specification: in words.
    #[error("{0}")]
    Failed(String),
}
