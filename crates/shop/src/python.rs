//! Python's spellings, which reach the pages, the addresses and the fuzzy match: `repr` of text and of a dict, `json.dumps`,
//! floats.

use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory;
use indexmap::IndexMap;

pub fn repr(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::with_capacity(text.len() + 2);
    out.push(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if c == quote => {
                out.push('\\');
                out.push(c);
            }
            _ if is_printable(c) => out.push(c),
            _ => {
                let code = u32::from(c);
                out.push_str(&match code {
                    ..=0xFF => format!("\\x{code:02x}"),
                    0x100..=0xFFFF => format!("\\u{code:04x}"),
                    _ => format!("\\U{code:08x}"),
                });
            }
        }
    }
    out.push(quote);
    out
}

pub(crate) fn repr_dict(dict: &IndexMap<String, String>) -> String {
    let entries: Vec<String> = dict.iter().map(|(key, value)| format!("{}: {}", repr(key), repr(value))).collect();
    format!("{{{}}}", entries.join(", "))
}

pub(crate) fn repr_pair(first: &str, second: &str) -> String {
    format!("({}, {})", repr(first), repr(second))
}

/// Whether `repr` shows a character as it is.
fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return (' '..='~').contains(&c);
    }
    !matches!(
        CodePointMapData::<GeneralCategory>::new().get(c),
        GeneralCategory::Control
            | GeneralCategory::Format
            | GeneralCategory::Surrogate
            | GeneralCategory::PrivateUse
            | GeneralCategory::Unassigned
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator
            | GeneralCategory::SpaceSeparator
    )
}

/// Whether a regular expression's `\w` matches: a letter, a number of any kind, or the low line.
pub(crate) fn is_word(c: char) -> bool {
    use GeneralCategory as G;
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    matches!(
        CodePointMapData::<GeneralCategory>::new().get(c),
        G::UppercaseLetter
            | G::LowercaseLetter
            | G::TitlecaseLetter
            | G::ModifierLetter
            | G::OtherLetter
            | G::DecimalNumber
            | G::LetterNumber
            | G::OtherNumber
    )
}

/// `json.dumps` of a string: everything beyond ASCII escaped.
pub fn json(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{C}' => out.push_str("\\f"),
            ' '..='~' => out.push(c),
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    out.push('"');
    out
}

/// `json.dumps` of a dict of strings, its keys in their order.
pub(crate) fn json_dict<'a>(dict: impl IntoIterator<Item = (&'a String, &'a String)>) -> String {
    let entries: Vec<String> = dict.into_iter().map(|(key, value)| format!("{}: {}", json(key), json(value))).collect();
    format!("{{{}}}", entries.join(", "))
}

/// `str` of a float: the shortest digits that give it back, with an exponent beyond 16 digits.
pub fn float(number: f64) -> String {
    let size = number.abs();
    if number == 0.0 || !number.is_finite() || (1e-4..1e16).contains(&size) {
        return format!("{number:?}");
    }
    let scientific = format!("{number:e}");
    match scientific.split_once('e') {
        Some((digits, exponent)) => {
            let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |rest| ('-', rest));
            format!("{digits}e{sign}{exponent:0>2}")
        }
        None => scientific,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_spelt_as_python_spells_it() {
        assert_eq!(repr("men's"), "\"men's\"");
        assert_eq!(repr("42\"w x 45'l"), "'42\"w x 45\\'l'");
        assert_eq!(repr("wine\u{a0}red\n"), "'wine\\xa0red\\n'");
        assert_eq!(json("36\" x é😀"), "\"36\\\" x \\u00e9\\ud83d\\ude00\"");
        assert_eq!(repr_pair("size", "x"), "('size', 'x')");
    }

    #[test]
    fn floats_are_spelt_as_python_spells_them() {
        let cases = [
            (9.0, "9.0"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e16, "1e+16"),
            (1.5e-5, "1.5e-05"),
            (0.0001, "0.0001"),
        ];
        for (number, text) in cases {
            assert_eq!(float(number), text);
        }
    }
}
