//! JSON as Python writes it, with numbers that JSON has not: NaN and the infinities, which are read as null.

use std::borrow::Cow;

use serde_json::Value as Json;

const NO_JSON: [&str; 3] = ["NaN", "Infinity", "-Infinity"];

/// Errors: those of the text as JSON.
pub(super) fn parse(text: &str) -> Result<Json, serde_json::Error> {
    serde_json::from_str(text).or_else(|error| match plain(text) {
        Cow::Borrowed(_) => Err(error),
        Cow::Owned(plain) => serde_json::from_str(&plain),
    })
}

/// A text with null in the place of what is no JSON outside its strings.
fn plain(text: &str) -> Cow<'_, str> {
    let mut plain = String::new();
    let (mut copied, mut at) = (0, 0);
    let (mut is_inside, mut is_escaped) = (false, false);
    while let Some(sign) = text.as_bytes().get(at) {
        let word = match sign {
            b'N' | b'I' | b'-' if !is_inside => {
                NO_JSON.iter().find(|word| text.get(at..).is_some_and(|rest| rest.starts_with(**word)))
            }
            _ => None,
        };
        if let Some(word) = word {
            plain.push_str(text.get(copied..at).unwrap_or_default());
            plain.push_str("null");
            at += word.len();
            copied = at;
            continue;
        }
        is_inside ^= *sign == b'"' && !is_escaped;
        is_escaped = is_inside && *sign == b'\\' && !is_escaped;
        at += 1;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    plain.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(plain)
}
