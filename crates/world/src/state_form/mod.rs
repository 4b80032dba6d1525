//! State form: turns literals into the state in the form of a maintained belief: `objects`, `relations`, an entry an object.
//!
//! Which predicate is a sentence, which an element of a list (`is`, `contains`) and which a value is said by a file
//! (`worlds/*/state_form.toml`; the form is described in docs/explanation/belief.md). Who believes what belongs elsewhere.

mod file;
mod form;
mod shipped;

pub use file::StateFormError;
pub use form::StateForm;
pub use shipped::{of, shipped};
