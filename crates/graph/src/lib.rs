//! VirtualHome's evolving graph (release v1.0.0 as the language planner's evaluation runs it): a household as a graph of things,
//! their states and relations, which a script of actions changes.
//!
//! [`scene`] reads a scene into a [`Graph`]; [`script`] reads a script; [`run`] performs it, whole or step by step, with the
//! simulator's own messages ([`Reason`]). [`conditions`] infers what a program presumes and [`prepare`] makes it true.
//! [`possible`] lists what can be done now. [`language`] puts steps into words and back, [`prompts`] says why a step failed,
//! [`metrics`] compares programs, [`score`] holds one against ground truths, [`files`] finds all of it in a folder. Pure: nothing here
//! knows of methods, models or terminals, and only [`files`] reads any.

pub mod action;
pub mod conditions;
pub mod correct;
pub mod diff;
mod effects;
pub mod files;
pub mod graph;
pub mod language;
mod memory;
pub mod metrics;
pub mod names;
pub(crate) mod nearness;
pub mod outcome;
pub mod possible;
pub mod prepare;
pub mod prompts;
pub mod reason;
mod rooms;
mod rules;
pub mod run;
pub mod scene;
pub mod score;
pub mod script;
pub mod vocabulary;

pub use action::Action;
pub use diff::Diff;
pub use graph::{At, Graph, Node};
pub use names::{Names, PropertyTable};
pub use reason::{ErrorType, Reason, Shown};
pub use run::{Runner, Stepped};
pub use scene::{Scene, SceneError};
pub use script::{Line, ParseError, Script};
pub use vocabulary::{Properties, Property, Relation, State, States};
