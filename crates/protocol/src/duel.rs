//! Commands of the duel service: several asked at each step what they would do.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::candidates::SetSource;

/// A side of a duel as it is wanted: what differs from what is in use.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Contender {
    /// The name of the model in use, if empty.
    pub name: String,
    /// The one in use, if empty.
    pub model: String,
    /// The one in use, if empty.
    pub method: String,
    pub options: BTreeMap<String, String>,
    /// The set of assertions; the one in force if `None`.
    pub set: Option<SetSource>,
    /// A folder of templates, which go before the others.
    pub prompts: Option<PathBuf>,
}

impl Contender {
    /// Whether this is the side in use, whatever that is.
    pub fn is_in_use(&self) -> bool {
        let Contender { name: _, model, method, options, set, prompts } = self;
        model.is_empty() && method.is_empty() && options.is_empty() && set.is_none() && prompts.is_none()
    }
}

/// The first words where a duel cannot begin.
pub const NO_DUEL: &str = "no duel: ";

/// A watcher's command to the duel service.
#[derive(Debug, Clone, PartialEq)]
pub enum DuelCommand {
    /// Have these asked here and at every step from here on, in place of others.
    Begin(Vec<Contender>),
    /// Go to the next step at which they would not all do the same: along the steps that were taken, then by what all would do.
    Next,
    End,
}
