//! Wrapping of text to a width in columns. The result is safe to draw.

use crate::columns::graphemes;
use crate::sanitize;

/// The text wrapped at spaces to lines of at most `width` columns; words longer than a line are broken. Leading spaces stay.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut out = Vec::new();
    each(text, width, |line| out.push(line.to_owned()));
    out
}

/// How many lines [`wrapped`] gives.
pub fn count(text: &str, width: usize) -> usize {
    let mut count = 0;
    each(text, width, |_| count += 1);
    count
}

fn each(text: &str, width: usize, mut line: impl FnMut(&str)) {
    if width > 0 {
        sanitize::visible(text).split('\n').for_each(|long| wrap_line(long, width, &mut line));
    }
}

fn wrap_line(long: &str, width: usize, line: &mut impl FnMut(&str)) {
    let mut rest = long;
    loop {
        let Some(cut) = cut(rest, width) else {
            line(rest.trim_end());
            return;
        };
        let (head, tail) = rest.split_at(cut);
        line(head.trim_end());
        rest = tail.trim_start_matches(' ');
        if rest.is_empty() {
            return;
        }
    }
}

/// Where to break a line that is wider than `width`; `None` if it fits.
fn cut(line: &str, width: usize) -> Option<usize> {
    // No character is wider than its bytes are many.
    if line.len() <= width {
        return None;
    }
    let (mut used, mut space) = (0, None);
    let mut seen_word = false;
    for (at, grapheme, columns) in graphemes(line) {
        let is_space = grapheme == " ";
        if used + columns > width {
            // A character wider than the whole line still has to go somewhere.
            let hard = if at == 0 { grapheme.len() } else { at };
            return Some(if is_space { at.max(1) } else { space.unwrap_or(hard) });
        }
        used += columns;
        if is_space {
            // Spaces that indent the line are no place to break it.
            if seen_word {
                space = Some(at + 1);
            }
        } else {
            seen_word = true;
        }
    }
    None
}

/// The text without its first `skip` columns, and the columns still to skip after it.
pub fn drop_columns(text: &str, skip: usize) -> (&str, usize) {
    let mut left = skip;
    if left == 0 {
        return (text, 0);
    }
    for (at, _, columns) in graphemes(text) {
        if left == 0 {
            return (text.get(at..).unwrap_or_default(), 0);
        }
        left = left.saturating_sub(columns);
    }
    ("", left)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Columns;

    #[test]
    fn breaks_at_spaces_and_long_words() {
        assert_eq!(wrapped("you see a mug 1", 8), ["you see", "a mug 1"]);
        assert_eq!(wrapped("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrapped("    x y", 6), ["    x", "y"]);
        assert_eq!(wrapped("", 4), [""]);
        assert!(wrapped("abc", 0).is_empty());
        assert_eq!(wrapped("日本語", 1), ["日", "本", "語"]);
        assert_eq!(wrapped("❤\u{fe0f}❤\u{fe0f}", 3), ["❤\u{fe0f}", "❤\u{fe0f}"]);
    }

    #[test]
    fn dropping_columns_counts_wide_characters() {
        assert_eq!(drop_columns("日本", 2), ("本", 0));
        assert_eq!(drop_columns("ab", 5), ("", 3));
        assert_eq!(drop_columns("ab", 0), ("ab", 0));
    }

    proptest! {
        #[test]
        fn no_line_is_wider_and_no_word_is_lost(text in "[a-z日 \n]{0,80}", width in 2usize..30) {
            let lines = wrapped(&text, width);
            prop_assert!(lines.iter().all(|l| l.width() <= width));
            let letters = |s: &str| s.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(letters(&lines.concat()), letters(&text));
        }
    }
}
