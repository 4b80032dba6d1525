//! View of a program state for planning: what the assertions in force say of a call, and what calls change.
//!
//! A seam, so that the search is tested without specifications and does not depend on how they are evaluated.

use crate::program::Call;
use stepwright_episode::{Check, Status};

/// Which effects count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// Those adopted alone.
    Adopted,
    /// Those adopted; of actions that have none, those that the demonstrations show without an exception.
    Shown,
    /// And those that mostly follow there.
    Likely,
}

/// A program state to plan on, with the assertions in force. Cheap to clone.
pub trait ProgramView: Clone {
    /// The assertions of an action's function, each evaluated for the call, in order.
    fn check(&self, action: &Call) -> Vec<Check>;

    /// All of them together, without the words.
    fn permits(&self, action: &Call) -> Status {
        worst(&self.check(action))
    }

    /// Whether its assertions are in force nowhere, but inferred.
    fn is_inferred(&self) -> bool {
        false
    }

    /// Changes the state as the effects of an action say, as far as they are trusted; `false` where none is known.
    fn affect(&mut self, _action: &Call, _trust: Trust) -> bool {
        false
    }

    /// Whether effects of an action function are known that count from this trust on.
    fn trusts(&self, _function: &str, _trust: Trust) -> bool {
        false
    }

    /// Whether effects of an action function were adopted.
    fn is_adopted(&self, function: &str) -> bool {
        self.trusts(function, Trust::Adopted)
    }

    /// The places of the parameters that the effects of an action function name.
    fn affected(&self, _function: &str) -> Vec<usize> {
        Vec::new()
    }

    /// Runs calls, their own assertions aside; one that raises changes nothing.
    fn apply(&mut self, calls: &[Call]);
}

/// All checks together: fails if any fails, else unknown if any cannot be decided.
pub(crate) fn worst(checks: &[Check]) -> Status {
    let has = |status| checks.iter().any(|c| c.status == status);
    match (has(Status::Fails), has(Status::Unknown)) {
        (true, _) => Status::Fails,
        (false, true) => Status::Unknown,
        (false, false) => Status::Holds,
    }
}
