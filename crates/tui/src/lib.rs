//! The workbench: a terminal interface over a running driver.
//!
//! Input, driver notices and signals arrive on one channel; all that is pending is folded into the [`view::View`], then the screen
//! is drawn once, and only if something changed. Panes read the view and answer actions with intents; they never talk to the
//! driver or the terminal themselves.

pub mod actions;
pub mod app;
mod belief_text;
pub mod cast;
pub mod chrome;
pub mod color;
pub mod dialog;
pub mod event;
pub mod fuzzy;
pub mod keymap;
pub mod keys_doc;
pub mod launcher;
pub mod layout;
pub mod pane;
pub mod panes;
pub mod paste;
pub mod rating;
mod request;
pub mod run;
pub use stepwright_text::sanitize;
pub mod start;
pub mod svg;
pub mod terminal;
pub mod theme;
pub mod theme_file;
pub mod view;
pub mod world_banner;
