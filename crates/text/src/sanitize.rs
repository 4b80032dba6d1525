//! Sanitised text of models, files and worlds, safe to draw: all that could act on a terminal or deceive a reader is spelled out.
//!
//! Escape sequences, other control characters, bidirectional overrides and invisible characters become `\x1b`, `\u{202e}` and
//! so on. Line breaks stay (callers split lines); [`line()`] spells those out too. Drawing and cutting to width is the callers'.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::columns::{Columns, graphemes};

/// Columns a tab is drawn as. Terminals' own tab stops would break the alignment of cells.
const TAB: &str = "    ";

/// Whether a character may not reach the terminal as it is.
fn is_hazard(c: char) -> bool {
    match c {
        '\n' => false,
        // C0, DEL and C1: escape sequences begin here.
        '\0'..='\x1f' | '\x7f'..='\u{9f}' => true,
        // Bidirectional marks, embeddings, overrides and isolates reorder what is read.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        // Line and paragraph separators.
        '\u{2028}' | '\u{2029}' => true,
        // Invisible: soft hyphen, zero widths, word joiner and operators, fillers, byte order mark, annotations, tags.
        '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' => true,
        '\u{200b}' | '\u{200c}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{3164}' => true,
        '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}' => true,
        _ => false,
    }
}

fn push_visible(out: &mut String, c: char) {
    match c {
        '\t' => out.push_str(TAB),
        '\r' => out.push_str("\\r"),
        c if u32::from(c) < 0x100 => {
            let _ = write!(out, "\\x{:02x}", u32::from(c));
        }
        c => {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        }
    }
}

/// The text with everything hazardous spelled out; line breaks are kept, tabs become four columns. Free if nothing needs it.
pub fn visible(text: &str) -> Cow<'_, str> {
    // Nearly every text is of plain letters, which are looked through many at a time.
    let is_plain = |b: u8| b == b'\n' || (b' '..=b'~').contains(&b);
    if text.bytes().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let Some(first) = text.find(is_hazard) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len() + 16);
    let (clean, rest) = text.split_at(first);
    out.push_str(clean);
    for c in rest.chars() {
        if is_hazard(c) { push_visible(&mut out, c) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// Like [`visible`], for text that is printed rather than drawn: tabs stay, they part columns for other programs.
pub fn printed(text: &str) -> Cow<'_, str> {
    let is_spelled = |c: char| is_hazard(c) && c != '\t';
    let Some(first) = text.find(is_spelled) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len() + 16);
    let (clean, rest) = text.split_at(first);
    out.push_str(clean);
    for c in rest.chars() {
        if is_spelled(c) { push_visible(&mut out, c) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// JSON that means the same without anything hazardous in it: what is hazardous can only stand in texts, and is written as an escape there.
pub fn json(text: &str) -> Cow<'_, str> {
    let is_spelled = |c: char| is_hazard(c) && !matches!(c, '\t' | '\r');
    if !text.contains(is_spelled) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_spelled(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Like [`visible`], for text drawn on one line: line breaks become `\n`.
pub fn line(text: &str) -> Cow<'_, str> {
    if !text.contains('\n') {
        return visible(text);
    }
    Cow::Owned(visible(text).replace('\n', "\\n"))
}

/// The text cut to `width` columns, with `ellipsis` (at most one column wide) as its last where it had to be cut.
pub fn fit<'a>(text: &'a str, width: usize, ellipsis: &str) -> Cow<'a, str> {
    if text.width() <= width {
        return Cow::Borrowed(text);
    }
    let room = width.saturating_sub(ellipsis.width());
    let (mut used, mut end) = (0, 0);
    for (at, grapheme, columns) in graphemes(text) {
        if used + columns > room {
            break;
        }
        used += columns;
        end = at + grapheme.len();
    }
    let head = text.get(..end).unwrap_or_default();
    if width == 0 { Cow::Borrowed("") } else { Cow::Owned(format!("{head}{ellipsis}")) }
}

/// The text with blanks behind it, up to `width` columns: formats count characters.
pub fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn escape_sequences_and_overrides_are_spelled_out() {
        assert_eq!(visible("a\x1b[31mred\x07"), "a\\x1b[31mred\\x07");
        assert_eq!(visible("x\u{202e}txt.exe"), "x\\u{202e}txt.exe");
        assert_eq!(visible("\u{9b}2J"), "\\x9b2J");
        assert_eq!(visible("a\tb\r\nc"), "a    b\\r\nc");
        assert_eq!(line("a\nb"), "a\\nb");
    }

    #[test]
    fn ordinary_text_is_borrowed() {
        assert!(matches!(visible("take mug 1 → 日本\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn cutting_counts_columns() {
        assert_eq!(fit("abcdef", 4, "…"), "abc…");
        assert_eq!(fit("日本語", 5, "…"), "日本…");
        assert_eq!(fit("日本語", 4, "…"), "日…");
        assert_eq!(fit("abc", 0, "…"), "");
        // What is drawn as one character is cut as one, and as wide as it is drawn.
        assert_eq!(fit("👩\u{200d}💻👩\u{200d}💻", 3, "…"), "👩\u{200d}💻…");
        assert_eq!(fit("❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}", 4, "…"), "❤\u{fe0f}…");
    }

    #[test]
    fn columns_are_filled_by_their_width() {
        assert_eq!(
            ["ab", "日", "e\u{301}", "abcde"].map(|text| pad(text, 4)),
            ["ab  ", "日  ", "e\u{301}   ", "abcde"]
        );
    }

    proptest! {
        #[test]
        fn nothing_hazardous_survives(text in any::<String>()) {
            prop_assert!(!visible(&text).contains(is_hazard));
            prop_assert!(!line(&text).contains('\n'));
        }

        #[test]
        fn json_means_the_same_and_holds_nothing_hazardous(text in any::<String>()) {
            let plain = serde_json::to_string_pretty(&[&text]).unwrap();
            let safe = json(&plain);
            prop_assert!(!safe.contains(is_hazard));
            prop_assert_eq!(serde_json::from_str::<Vec<String>>(&safe).unwrap(), [text.clone()]);
            prop_assert!(!printed(&text).replace('\t', "").contains(is_hazard));
        }

        #[test]
        fn never_wider_than_asked(text in "\\PC*", width in 0usize..40) {
            prop_assert!(fit(&text, width, "…").width() <= width);
        }
    }
}
