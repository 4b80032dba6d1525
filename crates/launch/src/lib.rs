//! Launch: the composition root. Reads the configuration, finds world, method and model by their names, opens session files, examples
//! and logs of other programs, and hands the driver all that it needs.

pub mod config;
mod contender;
mod error;
pub mod examples;
mod header;
mod log_session;
mod logs;
mod open;
pub mod reading;
mod recorded;

pub use contender::{SYNTAX as CONTENDER, contender};
pub use error::OpenError;
pub use header::new_header;
pub use logs::{LoadedFile, load_sessions, read_logs, read_recorded};
pub use open::{
    NewSession, OpenRequest, first_method, keep_new, methods, open, open_to_read, prepare, prepare_new,
    prepare_to_read, prepare_unbegun, read_form, resolver, suggested_method,
};
pub use recorded::Recorded;
pub use stepwright_service::can_begin;
