//! Methods: each fills the slots of the loop for one paper's method or baseline, and nothing else.
//!
//! A method is pure: it sees a read-only [`Context`] and says what comes next ([`Step`]), reads answers ([`Reading`]), checks
//! actions, and says how a decision is carried out ([`Deed`]). Asking, deciding, acting and recording belong to the driver and
//! the gate. `step` holds what goes in and out, `context` what a method sees, `info` what it takes of a world and a model.
//! Adding a method is a file or folder here and a line in `list`.
//!
//! [`MethodStack`] is the method in use with its layers: a layer (`belief_update`) is asked first and passes when it has
//! nothing to do.

mod adaplanner;
pub mod artifacts;
mod belief_update;
pub mod blocking;
mod code_policy;
mod context;
mod demo2code;
mod derived;
mod explain;
mod external;
mod few_shot;
mod ff_replan;
mod info;
mod list;
pub mod log_checks;
mod method;
mod method_stack;
mod next_action;
pub mod o3d;
pub mod options;
mod plan_following;
mod precondition_aware;
mod precondition_prompting;
mod progprompt;
pub mod program_context;
mod program_run;
pub mod prompting;
pub mod publications;
mod react;
pub mod reading;
pub mod reference;
mod reflexion;
mod relay;
mod reprompt;
mod request_program;
mod scored;
pub mod skills;
mod statler;
mod step;
#[cfg(test)]
mod tests;
pub mod think;
pub mod verify;
pub mod wording;
pub mod written_plan;

pub use artifacts::ArtifactSpec;
pub use belief_update::{BeliefReading, read as read_belief};
pub use context::{
    Context, Knowledge, ModelTraits, Past, RoleModel, RoleModels, Round, Stop, WorkInput, action_of, lived, observed,
};
pub use derived::{DerivedState, Grounds, History, folded};
pub use external::{Command, Declared, External, PREFIX as EXTERNAL, ReadAnswer, Sent, StepAnswer};
pub use info::{MethodInfo, Misfit, Needs, fits};
pub use list::{all, all_options, artifact, conduct, named, options_with, showing};
pub use method::{Method, REFERENCE, SYMBOLIC};
pub use method_stack::MethodStack;
pub use next_action::generation;
pub use options::{DOMAIN, FORM, LAST, MAX_SHOTS, OF_SESSIONS, TRIALS};
pub use precondition_aware::ID as DEFAULT;
pub use program_run::carried;
pub use scored::ID as SCORED;
pub use step::{
    Answer, Carried, Checks, Deed, Place, Program, Rank, Reading, Section, SectionLine, Step, StepStatus, VetoedAction,
};
