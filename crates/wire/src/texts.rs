//! Texts that all formats write and read alike: objects, arguments, events, what is noted of the rest.

use sha2::{Digest, Sha256};

use crate::neutral::Problem;
use crate::raw::{self, Fields, text};

pub(crate) fn broke_off() -> Problem {
    Problem("the stream ended before the answer did".into())
}

/// The fields of a text that is a JSON object.
pub(crate) fn object(text: &str) -> Result<Fields, Problem> {
    match raw::read::<serde::de::IgnoredAny>(text) {
        Ok(_) if text.trim_start().starts_with('{') => Ok(Fields::of(text)),
        Ok(_) => Err(Problem("it is no JSON object".into())),
        Err(error) => Err(Problem(format!("it is no JSON ({error})"))),
    }
}

/// Arguments of a call as text: as they are where they are a string, else their JSON.
pub(crate) fn arguments(raw: &str) -> String {
    match raw.trim() {
        string if string.starts_with('"') => text(string),
        "null" => String::new(),
        other => other.to_owned(),
    }
}

/// An event of a stream; `data` is JSON.
pub fn event(name: Option<&str>, data: impl std::fmt::Display) -> String {
    // A line ends the data; between the parts of JSON it is as good as a space.
    let data = data.to_string().replace(['\r', '\n'], " ");
    match name {
        Some(name) => format!("event: {name}\ndata: {data}\n\n"),
        None => format!("data: {data}\n\n"),
    }
}

/// The size and a mark of something that is not shown, in words.
pub(crate) fn noted(what: &str, text: &str) -> String {
    let mark: String = Sha256::digest(text).iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    format!("{what}, {} bytes, {mark}", text.len())
}
