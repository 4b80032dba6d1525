//! Beliefs: the state of the world that a model keeps in words, as JSON.
//!
//! A belief is one JSON object: `objects` (names), `relations` (sentences such as `a is on b`), then one entry an object that says
//! what it is and what it contains. This module reads what models write of it ([`read()`]), writes it as prompts show it
//! ([`write()`]), compares two states as a patch ([`patch()`], [`apply()`]) or by meaning ([`compare()`],
//! [`Drift`]). In worlds with a blocking domain it is written without a model too ([`effects`]).
//! In which form, where a world ships none, is found in [`form`].
//!
//! Who writes a belief, when it is asked for and who approves it belongs to methods and the gate; what is true belongs to worlds.

mod compare;
mod drift;
pub mod effects;
pub mod form;
mod patch;
mod read;
mod write;

pub use compare::{Difference, compare};
pub use drift::{Drift, series};
pub use patch::{apply, patch};
pub use read::{Fault, ReadError, Reading, Repair, is_quote, read, unwrapped};
pub use write::write;

/// The JSON schema of a belief, for models that can be held to one.
pub fn schema() -> serde_json::Value {
    let texts = serde_json::json!({"type": "array", "items": {"type": "string"}});
    serde_json::json!({
        "type": "object",
        "properties": {OBJECTS: texts, RELATIONS: texts},
        "required": [OBJECTS, RELATIONS],
        "additionalProperties": {"type": "object"},
    })
}

pub const OBJECTS: &str = "objects";
/// The entry that holds sentences about two objects.
pub const RELATIONS: &str = "relations";
