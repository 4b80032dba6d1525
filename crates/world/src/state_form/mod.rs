//! State form: turns literals into the state in the form of a maintained belief: `objects`, `relations`, an entry an object.
//!
//! Which predicate is a sentence, which an element of a list (`is`, `contains`) and which a value is said by a file
//! (`worlds/*/state_form.toml`; the form is described in docs/explanation/belief.md). Literals are those of the world's domain, in a file of
//! one's own those of the program's variables ([`literals()`]). Who believes what belongs elsewhere.

mod file;
mod form;
mod literals;
mod shipped;

pub use form::{Said, StateForm};
pub use literals::literals;
pub use shipped::{of, shipped, text};
