//! The workbench: a terminal interface over a running driver.
//!
//! Input, driver notices and signals arrive on one channel; all that is pending is folded into the [`view::View`], then the screen
//! is drawn once, and only if something changed. Panes read the view and answer actions with intents; they never talk to the
//! driver or the terminal themselves.

pub mod actions;
mod answer;
pub mod app;
mod belief_text;
mod bounded;
pub mod cast;
mod chrome;
pub mod color;
mod dialog;
pub mod event;
mod fuzzy;
pub mod keymap;
#[cfg(test)]
mod keys_doc;
pub mod launcher;
mod layout;
pub mod manner;
pub mod pane;
pub mod panes;
mod paste;
pub mod rating;
mod request;
pub mod run;
pub(crate) use stepwright_text::sanitize;
mod start;
mod strip;
mod terminal;
pub mod theme;
pub mod theme_file;
pub mod view;
pub mod widgets;
mod world_banner;
