//! What planning needs of a program state: whether the assertions in force permit a call, and what a call changes.
//!
//! A seam, so that the search is tested without specifications and does not depend on how they are evaluated.

use crate::episode::Status;
use crate::program::Call;

/// Whether the assertions of an action's function permit a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permit {
    /// All of them together: fails if any fails, unknown if any cannot be told.
    pub status: Status,
    /// The first that fails or cannot be told, as a person reads it.
    pub culprit: Option<String>,
}

impl Permit {
    /// Nothing stands against it.
    pub fn granted() -> Self {
        Permit { status: Status::Holds, culprit: None }
    }
}

/// A program state to plan on. Cheap to clone.
pub trait ProgramView: Clone {
    /// Whether the assertions in force permit the action.
    fn permits(&self, action: &Call) -> Permit;

    /// Runs observation calls; one that raises changes nothing.
    fn apply(&mut self, calls: &[Call]);
}
