//! Commands of the skill service: what is known of skills, and what is found in recorded logs.

use std::path::PathBuf;

use stepwright_skill::distil::{Wanted, Way};

/// A watcher's command to the skill service.
#[derive(Debug, Clone, PartialEq)]
pub enum SkillCommand {
    /// Write what is known to a file. One that is there is left alone.
    Save(PathBuf),
    Load(PathBuf),
    /// Find skills, primitives and tips in the recorded logs without a language model, and offer what is new.
    Discover(Way),
    /// Have the model in use propose; without one, the discoverer that counts.
    Propose(Wanted, Way),
}
