//! Words for people: a number with its noun in the right form, sums, and values short enough for a line.

use std::borrow::Cow;

/// A count with its noun: `1 check`, `3 checks`, `2,000 entries`. Of a phrase the last word
/// is put in the plural.
pub fn count(n: impl TryInto<u64>, noun: &str) -> String {
    let n = n.try_into().unwrap_or(u64::MAX);
    if n == 1 { format!("1 {noun}") } else { format!("{} {}", thousands(n), plural(noun)) }
}

/// A number with a comma before every three digits: `1,234,567`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The noun alone, as it is after a number that is written in some other way.
pub fn noun(n: impl TryInto<u64>, noun: &str) -> String {
    if n.try_into().is_ok_and(|n| n == 1) { noun.to_owned() } else { plural(noun) }
}

/// A text on one line: its lines behind each other, empty ones left out.
pub fn one_line(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    if !text.contains('\n') {
        return text.into();
    }
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join("; ").into()
}

/// A value short enough to read in a line: 60 characters at most, with an ellipsis where there are more.
pub fn shortened(value: &str) -> String {
    const MOST: usize = 60;
    if value.chars().count() <= MOST {
        return value.to_owned();
    }
    value.chars().take(MOST - 1).chain(['…']).collect()
}

/// What was found of a part of an assertion: its value, or that it raises.
pub fn finding(part: &str, value: &str) -> String {
    match value.strip_prefix("raises ") {
        Some(raised) => format!("{part} raises {raised}"),
        None => format!("{part} is {}", shortened(value)),
    }
}

/// A sum of money without its currency: cents, or as many digits as a small one needs.
pub fn cost(sum: f64) -> String {
    if sum != 0.0 && sum < 0.1 { format!("{sum:.4}") } else { format!("{sum:.2}") }
}

/// A reader's complaint about a JSON value without the names of this program's types: `expected u64` is `expected a whole number from 0`.
pub fn of_types(complaint: &str) -> String {
    const EXPECTED: &str = "expected ";
    let (complaint, place) = complaint.rfind(" at line ").map_or((complaint, ""), |at| complaint.split_at(at));
    let Some(at) = complaint.rfind(EXPECTED).map(|at| at + EXPECTED.len()) else {
        return format!("{complaint}{place}");
    };
    let (before, expected) = complaint.split_at(at);
    let plain = match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number from 0",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a string" | "a borrowed string" => "a text",
        "a sequence" => "a list",
        "a boolean" => "true or false",
        "a map" => "an object",
        _ if expected.starts_with("struct ") => "an object",
        _ if expected.starts_with("enum ") => "one of the words allowed",
        same => same,
    };
    // `invalid length 0` is told of lists that stand where an object is to be.
    let before = if before.starts_with("invalid length ") { "invalid type: sequence, expected " } else { before };
    format!("{}{plain}{place}", before.replace("sequence,", "a list,").replace("map,", "an object,"))
}

/// White space as Python strips it: Unicode's, and the four separators of ASCII.
pub fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}

/// A text without the white space at its ends, as Python strips it.
pub fn stripped(text: &str) -> &str {
    text.trim_matches(is_space)
}

fn plural(noun: &str) -> String {
    let stem = noun.strip_suffix('y').filter(|s| s.ends_with(|c: char| !"aeiou".contains(c)));
    match stem {
        Some(stem) => format!("{stem}ies"),
        None if ["s", "x", "ch", "sh"].iter().any(|end| noun.ends_with(end)) => format!("{noun}es"),
        None => format!("{noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_name_no_types_of_this_program() {
        for (complaint, plain) in [
            (
                "invalid value: integer `-1`, expected u64",
                "invalid value: integer `-1`, expected a whole number from 0",
            ),
            ("invalid type: string \"high\", expected f64", "invalid type: string \"high\", expected a number"),
            ("invalid length 0, expected struct Offer with 2 elements", "invalid type: a list, expected an object"),
            ("invalid type: sequence, expected a string", "invalid type: a list, expected a text"),
            ("missing field `drafts`", "missing field `drafts`"),
            (
                "invalid type: string \"x\", expected struct Step at line 1 column 9",
                "invalid type: string \"x\", expected an object at line 1 column 9",
            ),
        ] {
            assert_eq!(of_types(complaint), plain);
        }
    }

    #[test]
    fn separators_are_stripped_as_python_strips_them() {
        assert_eq!(stripped("\u{1c}\u{a0} look\u{1f}\n"), "look");
    }

    #[test]
    fn one_is_no_plural() {
        assert_eq!(count(1_usize, "step"), "1 step");
        assert_eq!(count(0_u32, "step"), "0 steps");
        assert_eq!(count(2_u64, "entry"), "2 entries");
        assert_eq!(count(2_usize, "day"), "2 days");
        assert_eq!(count(3_usize, "branch"), "3 branches");
        assert_eq!(count(2_usize, "more change"), "2 more changes");
        assert_eq!(noun(1_usize, "line"), "line");
    }
}
