//! The workbench: a terminal interface over a running driver.
//!
//! Input, driver notices and signals arrive on one channel; all that is pending is folded into the [`view::View`], then the screen
//! is drawn once, and only if something changed. Panes read the view and answer actions with intents; they never talk to the
//! driver or the terminal themselves.

pub mod pane;
pub use crate::sanitize;
pub mod svg;
pub mod theme;
pub mod view;
