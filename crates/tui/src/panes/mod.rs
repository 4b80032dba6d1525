//! The nine panes of the workbench.
//!
//! One file or folder a pane; beside them what they share: drawing of rows (`draw`), the rows with cursor, search and words (`outline`, on
//! `list`, `find` and `why`), editing (`edit`), the path through the session (`trail`), an offered belief (`offer`) and wording (`words`). Panes
//! read the view and answer actions with intents; keys, borders and dialogs are the application's.

mod blocking;
mod debounce;
pub mod draw;
pub(crate) mod edit;
pub(crate) mod find;
pub(crate) mod list;
mod log;
mod model;
mod observations;
pub(crate) mod offer;
pub mod outline;
mod preconditions;
mod program;
pub(crate) mod proposals;
mod scrolled;
mod skills;
mod state;
mod summary;
mod trail;
mod why;
pub(crate) mod words;
pub(crate) use stepwright_text::wrap;

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
