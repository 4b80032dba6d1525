//! Why nothing could be opened.

use stepwright_episode::log;
use stepwright_world::WorldError;

#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(transparent)]
    World(#[from] WorldError),
    #[error(transparent)]
    Log(#[from] log::LogError),
    /// A name that stands for nothing, with those that would.
    #[error("there is no {what} `{name}`; there is {known}")]
    Unknown { what: &'static str, name: String, known: String },
    /// A model's settings, a specification: in words.
    #[error("{0}")]
    Failed(String),
}
