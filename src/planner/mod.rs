//! Planning: effects learned from demonstrations, search over them, imitation, and the built-in symbolic proposer.
//!
//! The proposer is no language model: it plans over what the agent has seen, with the learned effects and the assertions in
//! force, and explores where it has not seen. [`effects`] and [`search`] know no world; what is particular to households
//! (sentence forms, goal conditions, likely places) is in [`household`]; `imitation` does what the demonstrations' agent did
//! where another party takes turns; [`progprompt`] reads and walks plans that a language model wrote,
//! [`classical`] plans over facts with a planner crate; [`table`] reads a person's requests at a table and keeps a belief, without a
//! language model. Nothing here sees a world's hidden state or its list of admissible actions.

mod checked_program;
pub mod classical;
pub mod effects;
mod explain;
pub mod household;
mod imitation;
pub mod progprompt;
mod program_view;
mod proposer;
pub mod search;
pub mod table;
#[cfg(test)]
pub(crate) mod testing;

pub use checked_program::CheckedProgram;
pub use effects::{EffectModel, Sample};
pub use program_view::ProgramView;
pub use proposer::{ProposeContext, Ranked, SymbolicProposer};

use crate::program::Call;

/// A step of the history as the agent lived it. The reset is the first, without an action.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Observed {
    /// The action as a call; `None` for the reset and for actions without one (`look`).
    pub action: Option<Call>,
    /// The text observed.
    pub observation: String,
    /// The observation as calls.
    pub calls: Vec<Call>,
    /// Whether the world refused the action.
    pub refused: bool,
}
