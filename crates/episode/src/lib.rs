//! Episode: events, the session as their fold, the undo tree, the gate and the log. Pure: no async, no terminal, no clock.
//!
//! *Proposed, decided and executed are three separate records*: [`Proposal`], [`Decision`] and [`Event::Executed`].

#![warn(missing_docs)]

mod artifact;
mod ask;
pub mod blind;
mod branch;
pub mod breakpoint;
mod copies;
mod decision;
mod documents;
pub mod duel;
mod event;
mod exchanged;
pub mod gate;
mod header;
mod history;
mod in_use;
mod index;
mod line;
pub mod log;
mod numbered;
mod packed;
pub mod patch;
mod proposal;
mod record;
pub mod role;
mod session;
mod shape;
pub mod showing;
mod structure;
mod under;

pub use artifact::{
    ArtifactId, ArtifactKind, Assertions, Change, Documents, Due, InForce, OWN, Offer, OfferId, OfferState, Written,
    action_of_effects, effects_of, patch_between, patched, replacing,
};
pub use ask::{Ask, AskKind, AskState, OwnAsk, Sampling};
pub use branch::{Branch, BranchEdit};
pub use breakpoint::Breakpoint;
pub use copies::Copies;
pub use decision::{Actor, Choice, Chosen, Decision, DecisionId, Policy};
pub use event::{
    AskId, AskedOf, Configuration, Departure, Event, NodeId, PromptMessage, PromptRecord, Record, StepOutcome, TreeEdit,
};
pub use exchanged::{Exchange, Exchanged, TokenLogprob};
pub use gate::{Gate, Level};
pub use header::{FORMAT_VERSION, Header};
pub use in_use::InUse;
pub use line::Tally;
pub use numbered::Numbered;
pub use packed::Packed;
pub use patch::is_same;
pub use proposal::{Action, Check, CheckKind, Mark, Origin, Proposal, ProposalId, Status, Verdict};
pub use role::Role;
pub use session::{InvalidRecord, Node, Session, Turn};
pub use shape::{Generation, Relayed, RequestTag, Shape, Wanted};
pub use stepwright_wire::Usage;
pub use structure::Structure;
