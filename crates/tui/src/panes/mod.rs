//! The nine panes of the workbench.
//!
//! One file or folder a pane; beside them what some of them share: the path through the session (`trail`), an offered belief (`offer`), typing
//! that is awaited (`debounce`). Panes read the view and answer actions with intents; keys, borders and dialogs are the application's.

pub(crate) mod blocking;
mod debounce;
mod log;
mod model;
pub(crate) mod observations;
pub(crate) mod offer;
mod preconditions;
mod program;
pub(crate) mod proposals;
mod skills;
mod state;
mod summary;
pub(crate) mod trail;

pub use state::picture;

use super::pane::Pane;

pub fn all() -> Vec<Box<dyn Pane>> {
    vec![
        Box::new(program::ProgramPane::default()),
        Box::new(proposals::ProposalsPane::default()),
        Box::new(preconditions::PreconditionsPane::default()),
        Box::new(state::StatePane::default()),
        Box::new(blocking::BlockingPane::default()),
        Box::new(observations::ObservationsPane::default()),
        Box::new(model::ModelPane::default()),
        Box::new(log::LogPane::default()),
        Box::new(skills::SkillsPane::default()),
    ]
}
