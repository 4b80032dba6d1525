//! Commands to the library of recorded decisions.

use stepwright_library::Stopped;

/// A watcher's question to the library. Only the newest of what was asked about as it was typed is answered.
#[derive(Debug, Clone, PartialEq)]
pub enum LibraryCommand {
    /// What an assertion of an action would have stopped, or which decisions one of its effects did not follow; answered by [`Notice::Impact`](crate::Notice::Impact).
    Weigh { token: u64, action: String, text: String },
    /// Have the decisions of an action at hand, for what is about to be typed; not answered.
    Ready { action: String },
    /// Show a decision with its state; answered by [`Notice::DecisionShown`](crate::Notice::DecisionShown).
    Show { token: u64, stopped: Box<Stopped>, action: String, text: String },
}
