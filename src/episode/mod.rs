//! The episode: events, the session as their fold, the undo tree, the gate and the log. Pure: no async, no terminal, no clock.
//!
//! *Proposed, decided and executed are three separate records*: [`Proposal`], [`Decision`] and [`Event::Executed`].

mod artifact;
mod ask;
mod belief;
mod decision;
mod event;
pub mod gate;
pub mod log;
mod proposal;
mod session;

pub use artifact::ArtifactKind;
pub use ask::{Ask, AskKind, AskState, Sampling};
pub use belief::{BeliefChange, Due, Fate, Offer, OfferId, is_same, patch_between, patched};
pub use decision::{Actor, Choice, Decision, DecisionId, Policy};
pub use event::{
    AskId, Configuration, Event, NodeId, PromptMessage, PromptRecord, Record, StepOutcome, TreeEdit, Usage,
};
pub use gate::{Gate, Level};
pub use proposal::{Action, Check, CheckKind, Mark, Origin, Proposal, ProposalId, Status, Verdict};
pub use session::{Adopted, FORMAT_VERSION, Header, InForce, Misfit, Node, Session, Turn};
