//! `stepwright study`: the papers' tables, measured. One file a study.

mod blocking;
mod data;
mod decisions;
mod o3d;
mod policy;
mod preconditions;
mod reprompt;
mod statler;
mod tools;

use std::process::ExitCode;

use clap::Subcommand;

use super::{CliError, Global};

/// The studies.
#[derive(Debug, Subcommand)]
pub(crate) enum StudyCommand {
    /// Infer preconditions from demonstrations and score them on other episodes (Tables 1 and 2, Equation 2)
    Preconditions(preconditions::Preconditions),
    /// Predict the next acts of dialogues, or run household tasks, with several methods (Table 3, Figure 2)
    Policy(policy::PolicyStudy),
    /// Run the kitchen's tasks under blocking conditions and the baselines, beside the paper's Table 1
    Blocking(blocking::BlockingStudy),
    /// Hold choosing an action at a time against writing a whole plan: several methods with one model over the same tasks
    Decisions(decisions::DecisionsStudy),
    /// Make plans of household activities with corrective re-prompting and the baselines, beside the paper's Tables 1 and 2
    Reprompt(reprompt::RepromptStudy),
    /// Count the requests at a table answered in a row, beside the paper's tables
    Statler(statler::StatlerStudy),
    /// Run O3D, its ablations and baselines in the household and the shop, beside the paper's tables
    O3d(o3d::O3dStudy),
    /// Infer preconditions of tools from recorded episodes and judge calls that the tools accepted or refused
    Tools(tools::ToolsStudy),
}

impl StudyCommand {
    pub fn run(self, global: &Global) -> Result<ExitCode, CliError> {
        match self {
            StudyCommand::Preconditions(study) => study.run(global),
            StudyCommand::Policy(study) => study.run(global),
            StudyCommand::Blocking(study) => study.run(global),
            StudyCommand::Decisions(study) => study.run(global),
            StudyCommand::Reprompt(study) => study.run(global),
            StudyCommand::Statler(study) => study.run(global),
            StudyCommand::O3d(study) => study.run(global),
            StudyCommand::Tools(study) => study.run(global),
        }
    }
}

fn not_measured(world: &str) -> CliError {
    CliError::Usage(format!(
        "this study measures what its paper did, in the dialogue and the household world; run episodes of the world {world} \
         with `stepwright run`"
    ))
}
