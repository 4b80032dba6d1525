//! Reader of the state texts that models and people write, which are only nearly JSON.
//!
//! Every line may begin with `# `; the object may follow `state =`. A text that is JSON apart from that is read as it is
//! (`strict`); any other is read with a parser that mends as it goes (`lenient`) and notes each repair with its line. Either way
//! the result is then brought into the form of a belief (`shape`). What cannot be read is an error, never an empty belief.

mod lenient;
mod lines;
mod repair;
mod shape;
mod strict;
#[cfg(test)]
mod tests;
mod words;

use serde_json::Value;

use crate::{OBJECTS, RELATIONS};

pub use repair::{Fault, Repair};
pub use words::is_quote;

/// A text longer than this is not read.
const LONGEST: usize = 1 << 18;
/// Values nested deeper than this are not read.
const DEEPEST: usize = 32;

#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The state: an object whose `objects` and `relations`, if given, are lists, and whose other entries are objects.
    pub state: Value,
    pub repairs: Vec<Repair>,
    /// The text ends inside an entry's name, so that the entry is lost. A text that ends elsewhere is read as far as it goes, and a
    /// repair says so.
    pub truncated: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    #[error(
        "the text is empty; a state looks like {{\"objects\": [\"a block\"], \"relations\": [], \"a block\": {{}}}}"
    )]
    Empty,
    /// No `{` and no entry.
    #[error("line {line}: no state here (`{text}`); a state begins with `{{` or an entry such as \"objects\": […]")]
    NoState { line: usize, text: String },
    #[error("line {line}: nested deeper than {DEEPEST} levels")]
    TooDeep { line: usize },
    #[error("the text has {bytes} bytes; at most {LONGEST} are read")]
    TooLong { bytes: usize },
}

/// What was read of a state that a model put under the name `state`: that state; anything else as it is.
pub fn unwrapped(read: Value) -> Value {
    let only = read.as_object().filter(|entries| entries.len() == 1).and_then(|entries| entries.get("state"));
    let inner = only.filter(|inner| is_state(inner)).cloned();
    inner.unwrap_or(read)
}

/// Whether what was read lists things or relations, as a state does.
fn is_state(read: &Value) -> bool {
    [OBJECTS, RELATIONS].iter().any(|list| read.get(list).is_some())
}

/// Reads a state text.
/// Errors: if there is no state in it, or it passes a limit; the error names the line.
pub fn read(text: &str) -> Result<Reading, ReadError> {
    if text.len() > LONGEST {
        return Err(ReadError::TooLong { bytes: text.len() });
    }
    let mut repairs = repair::Repairs::default();
    let body = lines::locate(text, &mut repairs)?;
    let (raw, truncated) = match strict::read(&body, &mut repairs) {
        Some(raw) => (raw, false),
        None => lenient::read(&body, &mut repairs)?,
    };
    let state = shape::shape(raw, &body, &mut repairs)?;
    Ok(Reading { state, repairs: repairs.finish(), truncated })
}
