//! JSON as the texts it is made of: an object's or list's members cut out without being read, so that what is put back is what it was.

use std::borrow::Cow;

use indexmap::IndexMap;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads JSON. Half of a pair of surrogates that is escaped alone (`\ud83d`), which no text can hold, is read as U+FFFD; NaN and the
/// infinities, which only Python writes and reads, as null.
/// Errors: those of the text as JSON.
pub fn read<T: DeserializeOwned>(json: &str) -> serde_json::Result<T> {
    serde_json::from_str(json).or_else(|error| {
        let whole = without_halves(json, |_| "\\ufffd".to_owned());
        match (without_pythons_numbers(&whole), &whole) {
            (Some(plain), _) => serde_json::from_str(&plain),
            (None, Cow::Owned(plain)) => serde_json::from_str(plain),
            (None, Cow::Borrowed(_)) => Err(error),
        }
    })
}

/// JSON with null in the place of numbers that only Python writes; nothing where there is none.
fn without_pythons_numbers(json: &str) -> Option<String> {
    let (mut plain, mut copied) = (String::new(), 0);
    let (mut within, mut escaped) = (false, false);
    for (at, byte) in json.bytes().enumerate() {
        if within {
            (within, escaped) = (escaped || byte != b'"', !escaped && byte == b'\\');
            continue;
        }
        within = byte == b'"';
        let rest = json.get(at..).filter(|_| at >= copied && matches!(byte, b'N' | b'I' | b'-'));
        let names = ["NaN", "Infinity", "-Infinity"];
        let number = rest.and_then(|rest| names.into_iter().find(|name| rest.starts_with(*name)));
        if let Some(number) = number {
            plain.push_str(json.get(copied..at).unwrap_or_default());
            plain.push_str("null");
            copied = at + number.len();
        }
    }
    (copied > 0).then(|| plain + json.get(copied..).unwrap_or_default())
}

/// The text of a JSON string; of anything else none.
pub(crate) fn text(string: &str) -> String {
    read(string).unwrap_or_default()
}

/// The text of a JSON string that may be JSON itself: in it half of a pair of surrogates stays escaped.
pub(crate) fn inner(string: &str) -> String {
    text(&without_halves(string, |half| format!("\\\\u{half:04x}")))
}

/// JSON in which each half of a pair of surrogates that is escaped alone is a sign of its own, for texts that differ in them alone.
pub(crate) fn told_apart(json: &str) -> Cow<'_, str> {
    // Signs that nobody has given a meaning.
    let sign = |half: u16| char::from_u32(0x10_F000 + u32::from(half & 0x7FF));
    without_halves(json, |half| sign(half).map(String::from).unwrap_or_default())
}

/// JSON with something else in the place of halves of pairs of surrogates that are escaped alone. Borrowed where there is none.
pub fn without_halves(json: &str, mut other: impl FnMut(u16) -> String) -> Cow<'_, str> {
    let mut whole = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(found) = json.get(at..).and_then(|rest| rest.find('\\')) {
        at += found;
        let length = match (unit(json, at), unit(json, at + ESCAPE)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 2 * ESCAPE,
            (Some(half @ 0xD800..=0xDFFF), _) => {
                whole.push_str(json.get(copied..at).unwrap_or_default());
                whole.push_str(&other(half));
                copied = at + ESCAPE;
                ESCAPE
            }
            // What is escaped may be a backslash itself.
            _ => 1 + usize::from(json.as_bytes().get(at + 1) == Some(&b'\\')),
        };
        at += length;
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    whole.push_str(json.get(copied..).unwrap_or_default());
    Cow::Owned(whole)
}

/// How long `\uXXXX` is.
const ESCAPE: usize = 6;

/// The unit of UTF-16 that is escaped at a place of a text.
fn unit(json: &str, at: usize) -> Option<u16> {
    u16::from_str_radix(json.get(at..at + ESCAPE)?.strip_prefix("\\u")?, 16).ok()
}

/// Adds a piece to a JSON string, both as they are written: halves of a pair of surrogates come together. What is no string adds nothing.
pub(crate) fn grow(string: &mut String, more: &str) {
    let Some(more) = more.strip_prefix('"') else { return };
    if string.pop() != Some('"') {
        "\"".clone_into(string);
    }
    string.push_str(more);
}

/// JSON whose strings are read as they are written, escapes and all (`\n` as a backslash and an n), so that pieces can be joined before
/// they are read.
pub(crate) fn as_written(json: &str) -> String {
    let mut written = String::with_capacity(json.len());
    let mut signs = json.chars();
    while let Some(sign) = signs.next() {
        written.push(sign);
        if sign == '\\' {
            written.push('\\');
            let escaped = signs.next();
            written.extend(escaped.filter(|sign| matches!(sign, '"' | '\\')).map(|_| '\\'));
            written.extend(escaped);
        }
    }
    written
}

/// What [`as_written`] stands for.
pub(crate) fn as_meant(written: &str) -> String {
    let mut meant = String::with_capacity(written.len());
    let mut signs = written.chars();
    while let Some(sign) = signs.next() {
        meant.extend(if sign == '\\' { signs.next() } else { Some(sign) });
    }
    meant
}

/// A text that is JSON, cut at its outermost level: the members' beginnings and ends. Of a text that is none, whatever it looks like.
struct Members<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Members<'a> {
    fn of(text: &'a str, open: char) -> Option<Self> {
        let inner = text.trim().strip_prefix(open)?;
        Some(Members { text: inner.get(..inner.len().checked_sub(1)?)?, at: 0 })
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.text.get(self.at..)?;
        if rest.trim().is_empty() {
            return None;
        }
        let end = end(rest, b',').unwrap_or(rest.len());
        self.at += end + 1;
        rest.get(..end).map(str::trim)
    }
}

/// Where the first byte `stop` outside of strings and brackets is.
fn end(text: &str, stop: u8) -> Option<usize> {
    let (mut depth, mut within, mut escaped) = (0_usize, false, false);
    text.bytes().position(|byte| {
        if within {
            (within, escaped) = (escaped || byte != b'"', !escaped && byte == b'\\');
            return false;
        }
        match byte {
            b'"' => within = true,
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => return byte == stop && depth == 0,
        }
        false
    })
}

/// The elements of a list; nothing of what is no list.
pub(crate) fn elements(list: &str) -> impl Iterator<Item = &str> {
    Members::of(list, '[').into_iter().flatten()
}

pub(crate) fn list<T: AsRef<str>>(elements: &[T]) -> String {
    let texts: Vec<&str> = elements.iter().map(AsRef::as_ref).collect();
    format!("[{}]", texts.join(","))
}

/// An object's fields, each the text of its value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Fields(IndexMap<String, String>);

impl Fields {
    /// Of an object; none of anything else.
    pub(crate) fn of(object: &str) -> Self {
        let fields = Members::of(object, '{').into_iter().flatten().filter_map(|member| {
            let at = end(member, b':')?;
            let name = read(member.get(..at)?.trim()).ok()?;
            Some((name, member.get(at + 1..)?.trim().to_owned()))
        });
        Fields(fields.collect())
    }

    pub(crate) fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("null", String::as_str)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// A field's value where it is a string.
    pub(crate) fn string(&self, name: &str) -> String {
        text(self.get(name))
    }

    /// A field's value; null where it is no JSON.
    pub(crate) fn value(&self, name: &str) -> Value {
        read(self.get(name)).unwrap_or_default()
    }

    pub(crate) fn set(&mut self, name: &str, text: impl Into<String>) {
        self.0.insert(name.to_owned(), text.into());
    }

    pub(crate) fn put(&mut self, name: &str, value: &Value) {
        self.set(name, value.to_string());
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.0.shift_remove(name);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }
}

impl std::fmt::Display for Fields {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("{")?;
        for (at, (name, text)) in self.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(f, "{comma}{}:{text}", quoted(name))?;
        }
        f.write_str("}")
    }
}

/// A text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Where a body is cut into pieces: before each field of the outermost object and each element of a list in one; a comma goes with what follows, so
/// that what was the last stays the same piece.
pub(crate) fn cuts(body: &str) -> Vec<usize> {
    let mut cuts = Vec::new();
    let (mut open, mut within, mut escaped): (Vec<u8>, _, _) = (Vec::new(), false, false);
    for (at, byte) in body.bytes().enumerate() {
        if within {
            (within, escaped) = (escaped || byte != b'"', !escaped && byte == b'\\');
            continue;
        }
        match byte {
            b'"' => within = true,
            b'[' | b'{' => {
                open.push(byte);
                if byte == b'[' && open.len() == 2 {
                    cuts.push(at + 1);
                }
            }
            b']' | b'}' => {
                if byte == b']' && open.len() == 2 {
                    cuts.push(at);
                }
                open.pop();
            }
            b',' if open.len() == 1 || open.as_slice() == b"{[" => cuts.push(at),
            _ => {}
        }
    }
    cuts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_object_is_cut_and_put_together() {
        let text = r#" {"a" : [1, 2.50, "x,]\"\\"] ,"b\"c":{"d":1e400},"e": 123456789012345678901234567890 , "f":""} "#;
        let mut fields = Fields::of(text);
        assert_eq!(fields.get("a"), r#"[1, 2.50, "x,]\"\\"]"#);
        assert_eq!(elements(fields.get("a")).collect::<Vec<_>>(), ["1", "2.50", r#""x,]\"\\""#]);
        fields.set("a", "0");
        assert_eq!(fields.to_string(), r#"{"a":0,"b\"c":{"d":1e400},"e":123456789012345678901234567890,"f":""}"#);
        assert_eq!(elements("[ ]").count() + elements("{}").count() + elements("null").count(), 0);
    }

    #[test]
    fn half_of_a_pair_is_one_sign_and_pieces_make_a_pair() {
        for (string, wanted) in [
            (r#""a \ud83d b""#, "a \u{fffd} b"),
            (r#""\ude00\ud83d""#, "\u{fffd}\u{fffd}"),
            (r#""\ud83d\ude00 \\ud83d\n""#, "\u{1f600} \\ud83d\n"),
            (r#""\ud83d\u00e9""#, "\u{fffd}é"),
            ("7", ""),
        ] {
            assert_eq!(text(string), wanted, "{string}");
        }
        assert_eq!(inner(r#""{\"a\":\"\ud83d \\ud83e \ud83d\ude00\"}""#), "{\"a\":\"\\ud83d \\ud83e \u{1f600}\"}");
        let apart = [r#""\ud83d""#, r#""\ude3d""#, r#""\ufffd""#].map(told_apart);
        assert!(apart[0] != apart[1] && matches!(apart[2], Cow::Borrowed(_)), "{apart:?}");
        let fields = Fields::of(r#"{"a\udc00":{"b":["\ud83d",1]}}"#);
        assert_eq!(fields.value("a\u{fffd}"), serde_json::json!({"b": ["\u{fffd}", 1]}));
        let mut grown = String::new();
        for piece in [r#""a \ud83d""#, "null", r#""\ude00 b\"""#, r#""""#] {
            grow(&mut grown, piece);
        }
        assert_eq!(text(&grown), "a \u{1f600} b\"");
    }

    #[test]
    fn numbers_that_only_python_writes_are_null() {
        for (json, wanted) in [
            (r#"{"x":NaN,"y":[-Infinity,Infinity]}"#, r#"{"x":null,"y":[null,null]}"#),
            (r#"{"NaN":"a \" NaN","x":-1,"y":NaN}"#, r#"{"NaN":"a \" NaN","x":-1,"y":null}"#),
            (r#"["\ud83d",NaN]"#, r#"["\ufffd",null]"#),
        ] {
            assert_eq!(read::<Value>(json).unwrap(), serde_json::from_str::<Value>(wanted).unwrap(), "{json}");
        }
        assert!(read::<Value>("Nan").is_err() && read::<Value>("{\"x\":NaN").is_err());
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd(text in ".{0,60}") {
            let _ = (Fields::of(&text), elements(&text).count());
            let cut = cuts(&text);
            prop_assert!(cut.iter().all(|at| text.is_char_boundary(*at)));
            let _ = (as_meant(&text), read::<Value>(&text).is_ok());
        }

        #[test]
        fn strings_as_they_are_written_are_meant_as_they_were(text in any::<String>()) {
            let json = serde_json::json!([{ &text: text }]).to_string();
            let written: Value = serde_json::from_str(&as_written(&json)).unwrap();
            prop_assert_eq!(as_meant(&written.to_string()), json);
        }
    }
}
