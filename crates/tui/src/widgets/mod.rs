//! Widgets that panes, dialogs and the start screen share: drawing of rows (`draw`), the rows with cursor, search and words (`outline`, on `list`,
//! `find` and `why`), rows that only scroll (`scrolled`), editing (`edit`), wording (`words`). They know the view, no pane.

pub mod draw;
pub(crate) mod edit;
pub(crate) mod find;
pub(crate) mod list;
pub mod outline;
pub(crate) mod scrolled;
pub(crate) mod why;
pub(crate) mod words;

pub(crate) use stepwright_text::wrap;
