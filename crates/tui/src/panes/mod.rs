//! The nine panes of the workbench.
//!
//! One file or folder a pane; beside them what they share: drawing of rows (`draw`), windowed lists (`list`), searching
//! (`find`), editing (`edit`), the path through the session (`trail`), an offered belief (`offer`) and wording (`words`). Panes
//! read the view and answer actions with intents; keys, borders and dialogs are the application's.

mod blocking;
pub mod browse;
pub mod draw;
pub mod edit;
pub mod find;
pub mod list;
mod log;
mod model;
mod observations;
pub(crate) mod offer;
mod preconditions;
mod program;
pub mod proposals;
mod skills;
mod state;
mod summary;
mod trail;
mod why;
pub(crate) mod words;
pub(crate) use stepwright_text::wrap;

use super::pane::Pane;

/// All panes, in tab order.
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
