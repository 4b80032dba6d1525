//! Texts that differ only in literals: what they have in common, with a placeholder for each literal, and the literals. What is compiled of
//! the one serves all of them (`engine::fill`). Reads no Python: a text is left alone where a quote or a digit may mean anything else.

use smallvec::SmallVec;

use super::tokens::{end_of_token, is_of_word};

/// A literal that is taken out of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Literal<'t> {
    /// What stands between the quotes.
    Text(&'t str),
    /// A whole number above 0.
    Number(i64),
}

/// Added to a number's place to give its placeholder; no number that long is taken for anything else.
pub(super) const NUMBERS: i64 = 10_i64.pow(17);
/// Most literals that are taken out of a text; the placeholder of a string is one digit.
const MOST: usize = 10;

/// A text with its literals taken out.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Taken<'t> {
    /// The text with the placeholders: the place of the literal between quotes, or added to [`NUMBERS`].
    pub(super) common: String,
    /// In order of appearance.
    pub(super) literals: SmallVec<[Literal<'t>; 4]>,
}

/// Takes the strings and whole numbers out of an expression. `None` where there are none, or where one may be more than its characters:
/// behind a prefix, with a backslash or a control character, next to another, after a `#`.
pub(super) fn take_out(text: &str) -> Option<Taken<'_>> {
    if text.bytes().any(|byte| !byte.is_ascii() || byte.is_ascii_control() || matches!(byte, b'\\' | b'#')) {
        return None;
    }
    let bytes = text.as_bytes();
    let mut common = String::with_capacity(text.len() + 16);
    let mut literals = SmallVec::new();
    let (mut at, mut kept) = (0, 0);
    let mut is_next_to_text = false;
    while let Some(byte) = bytes.get(at) {
        let end = end_of_token(bytes, at)?;
        let literal = match byte {
            b'\'' | b'"' if is_next_to_text => return None,
            b'\'' | b'"' => Some(Literal::Text(text.get(at + 1..end - 1)?)),
            // A prefix of what follows.
            word if is_of_word(*word) && matches!(bytes.get(end), Some(b'\'' | b'"')) => return None,
            digit if digit.is_ascii_digit() => {
                let before = at.checked_sub(1).and_then(|before| bytes.get(before));
                number(text.get(at..end)?, before == Some(&b'.') || bytes.get(end) == Some(&b'.'))?
            }
            _ => None,
        };
        if let Some(literal) = literal {
            if literals.len() == MOST {
                return None;
            }
            common.push_str(text.get(kept..at)?);
            match literal {
                Literal::Text(_) => common.extend(['\'', char::from_digit(literals.len() as u32, 10)?, '\'']),
                Literal::Number(_) => common.push_str(&(NUMBERS + literals.len() as i64).to_string()),
            }
            literals.push(literal);
            kept = end;
        }
        is_next_to_text = matches!(literal, Some(Literal::Text(_))) || is_next_to_text && byte.is_ascii_whitespace();
        at = end;
    }
    common.push_str(text.get(kept..)?);
    (!literals.is_empty()).then_some(Taken { common, literals })
}

/// A word of digits as a literal: `Some(None)` where it stays as it is, `None` where it may be a part of anything.
fn number(word: &str, is_part: bool) -> Option<Option<Literal<'static>>> {
    if !word.bytes().all(|byte| byte.is_ascii_digit()) || word.len() > 17 {
        return None;
    }
    // `-0` is no constant and `07` is a fault: what begins with 0 is told apart by what is compiled.
    let stays = is_part || word.starts_with('0');
    Some(if stays { None } else { Some(Literal::Number(word.parse().ok()?)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_taken_out_where_they_are_nothing_else() {
        let taken = take_out(r#"self.x["it's"] in ('b',  "c") and '' or x1[-12:0] == 3"#).unwrap();
        let expected = "self.x['0'] in ('1',  '2') and '3' or x1[-100000000000000004:0] == 100000000000000005";
        assert_eq!(taken.common, expected);
        let texts = ["it's", "b", "c", ""].map(Literal::Text);
        assert_eq!(taken.literals.as_slice(), [&texts[..], &[12, 3].map(Literal::Number)].concat());
        for text in [
            "self.x",
            "f'{x}' == 'a'",
            "x == b'a'",
            r"x == 'a\n'",
            "x == 'a\0'",
            "x == 'a' 'b'",
            "x == 'a'\t\"b\"",
            "x == '''a'''",
            "x in'a'",
            "x == 'a' # 'b'",
            "x == 'a",
            "x == 'é'",
            "x['a'][f\"{y['b']}\"]",
            "['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10']",
            "x == 'a' and y < 1e-5",
            "x == 1.5",
            "x == .5",
            "x == 0x1f and 2",
            "x == 00",
            "x[0]",
            "x == 1_000 and 2",
            "x == 123456789012345678 and 2",
            "1if x else 2",
        ] {
            assert_eq!(take_out(text), None, "{text}");
        }
    }
}
