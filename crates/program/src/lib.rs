//! Program: specifications, calls, and the bounded Python engine that runs them.
//!
#![doc = include_str!("../README.md")]
//!
//! One small interface: load a specification ([`Specification::load`]), run calls ([`State::call`]), evaluate an assertion on a
//! state ([`State::check`]), read the variables as JSON ([`State::variables`]). Knows nothing of worlds, models or terminals.
//! No file, network, environment or process access exists here.

#![warn(missing_docs)]

mod assertion;
mod call;
mod checker;
mod dissection;
mod effect;
mod engine;
mod error;
mod keywords;
mod module_run;
mod placeholders;
mod projection;
mod read_call;
mod rules;
mod specification;
mod splitting;
mod state;
mod syntax;
#[cfg(test)]
mod tests;
mod tokens;
pub mod tools;
mod variables;

pub use assertion::{Assertion, Rejection};
pub use call::{Call, CallError, Literal};
pub use checker::{Checker, Memory, Outcome, Trace};
pub use dissection::{Dissection, Part, PartBook, Skeleton, Truths};
pub use effect::{Effect, Effects, Followed};
pub use engine::fault::{Fault, FaultKind, Limits, Python};
pub use engine::parse;
pub use engine::vm::{Change, Footprint};
pub use error::ProgramError;
pub use keywords::read_keywords;
pub use module_run::{ModuleRun, run_module};
pub use projection::Projections;
pub use read_call::constants;
pub use rules::Rules;
pub use specification::{Declarations, Function, Role, SpecAssertion, Specification};
pub use state::{CheckResult, Expression, State};
pub use syntax::SyntaxFault;
pub use variables::Fingerprints;
