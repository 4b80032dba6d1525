//! JSON as Python writes it, with what JSON has not: NaN and the infinities, which are read as null, and halves of surrogate pairs alone,
//! which are read as U+FFFD.

use std::borrow::Cow;

use serde_json::Value as Json;

const NO_JSON: [&str; 3] = ["NaN", "Infinity", "-Infinity"];

/// Reads JSON as Python writes it.
/// Errors: those of the text as JSON.
pub fn parse(text: &str) -> Result<Json, serde_json::Error> {
    serde_json::from_str(text).or_else(|error| match plain(text) {
        Cow::Borrowed(_) => Err(error),
        Cow::Owned(plain) => serde_json::from_str(&plain),
    })
}

/// Whether escapes at the beginning of a text are a pair of surrogates or half of one alone, and how long they are.
fn surrogates(text: &str) -> Option<(bool, usize)> {
    const HALF: usize = 6;
    let unit = |at: usize| u16::from_str_radix(text.get(at..at + HALF)?.strip_prefix("\\u")?, 16).ok();
    let is_low = |unit: u16| (0xDC00..=0xDFFF).contains(&unit);
    match unit(0)? {
        0xD800..=0xDBFF if unit(HALF).is_some_and(is_low) => Some((true, 2 * HALF)),
        0xD800..=0xDFFF => Some((false, HALF)),
        _ => None,
    }
}

/// A text with null in the place of what is no JSON outside its strings, and U+FFFD for what is none in them.
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
        let is_escape = is_inside && !is_escaped && *sign == b'\\';
        let escaped = text.get(at..).filter(|_| is_escape).and_then(surrogates);
        if let Some((true, length)) = escaped {
            at += length;
            continue;
        }
        let half = escaped.map(|(_, length)| ("\\ufffd", length));
        if let Some((other, length)) = word.map(|word| ("null", word.len())).or(half) {
            plain.push_str(text.get(copied..at).unwrap_or_default());
            plain.push_str(other);
            at += length;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_pairs_alone_are_one_sign_and_pairs_are_kept() {
        let read =
            parse(r#"["a \ud800 b", "\udc00", "\ud83d\ude00", "\\ud800", "\ud7ff\"", NaN, "NaN \ud800x"]"#).unwrap();
        let expected = ["a \u{fffd} b", "\u{fffd}", "\u{1f600}", "\\ud800", "\u{d7ff}\""];
        for (at, text) in expected.iter().enumerate() {
            assert_eq!(read[at], *text);
        }
        assert_eq!((&read[5], &read[6]), (&Json::Null, &Json::from("NaN \u{fffd}x")));
    }
}
