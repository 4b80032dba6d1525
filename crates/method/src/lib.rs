//! What methods have in common. Each of them fills the slots of the loop for one paper's method or baseline, and nothing else; they are
//! `stepwright_methods`. This crate knows none of them, and what says something of all is given their list ([`Methods`]).
//!
//! A method is pure: it sees a read-only [`Context`] and says what comes next ([`Step`]), reads answers ([`Reading`]), checks
//! actions, and says how a decision is carried out ([`Deed`]). Asking, deciding, acting and recording belong to the driver and
//! the gate. `step` holds what goes in and out, `context` what a method sees, `info` what it takes of a world and a model.
//!
//! [`MethodStack`] is the method in use with its layers: a layer (`belief_update`) is asked first and passes when it has
//! nothing to do.

pub mod artifacts;
pub mod belief_update;
pub mod blocking;
pub mod context;
mod derived;
pub mod edited;
mod explain;
mod external;
mod info;
mod lived;
pub mod log_checks;
mod method;
mod method_stack;
mod methods;
pub mod next_action;
pub mod options;
pub mod plan_following;
pub mod program_context;
pub mod program_run;
pub mod prompting;
pub mod publications;
pub mod reading;
pub mod reference;
pub mod request_program;
pub mod skills;
mod step;
pub mod think;
pub mod verify;
pub mod wording;
pub mod written_plan;

pub use artifacts::ArtifactSpec;
pub use belief_update::{BeliefReading, read_typed as read_typed_belief};
pub use context::{Context, Knowledge, ModelTraits, Past, RoleModel, RoleModels, Round, Stop, WorkInput, action_of};
pub use derived::{DerivedState, Grounds, History, folded};
pub use external::{Command, Declared, External, PREFIX as EXTERNAL, ReadAnswer, Sent, StepAnswer};
pub use info::{MethodInfo, Misfit, Needs, fits};
pub use lived::{LivedPath, lived, observed};
pub use method::{Method, REFERENCE, SYMBOLIC, one_line};
pub use method_stack::MethodStack;
pub use methods::Methods;
pub use next_action::generation;
pub use options::{DOMAIN, FORM, LAST, MAX_SHOTS, OF_SESSIONS, TRIALS};
pub use program_run::carried;
pub use step::{
    Answer, Carried, Checks, Deed, Place, Program, Rank, Reading, Section, SectionLine, Step, StepStatus, VetoedAction,
};
