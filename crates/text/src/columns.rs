//! Columns that a text takes on the screen. It is drawn one grapheme after the other, each in cells of its own, and is measured so: what joins
//! graphemes where a whole text is measured (ligatures of Arabic) would shift all that stands behind it.

use unicode_segmentation::UnicodeSegmentation;

/// The columns of a text.
pub trait Columns {
    /// How many it takes where it is drawn.
    fn width(&self) -> usize;
}

impl Columns for str {
    fn width(&self) -> usize {
        // Most texts are ASCII, a column a byte.
        match self.bytes().all(|b| (b' '..=b'~').contains(&b)) {
            true => self.len(),
            false => graphemes(self).map(|(.., columns)| columns).sum(),
        }
    }
}

/// The graphemes of a text, each with where it begins and its columns. None is to be cut in two.
pub(crate) fn graphemes(text: &str) -> impl Iterator<Item = (usize, &str, usize)> {
    text.grapheme_indices(true).map(|(at, grapheme)| (at, grapheme, cells(grapheme)))
}

fn cells(grapheme: &str) -> usize {
    if grapheme.len() == 1 {
        return 1;
    }
    // What draws it gives the marks of half-width katakana a cell more: all that counts is that both agree.
    let marks = grapheme.chars().filter(|c| matches!(c, '\u{ff9e}' | '\u{ff9f}')).count();
    unicode_width::UnicodeWidthStr::width(grapheme) + marks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_as_wide_as_its_graphemes() {
        for (text, columns) in [
            ("mug 1", 5),
            ("日本語", 6),
            ("e\u{301}", 1),
            ("שלום", 4),
            // Lam and alef are one ligature where the text is measured as a whole, and two cells.
            ("\u{644}\u{627}", 2),
            ("👩\u{200d}💻", 2),
            ("❤\u{fe0f}", 2),
            ("🇩🇪", 2),
            ("ｶ\u{ff9e}", 3),
        ] {
            assert_eq!(text.width(), columns, "{text:?}");
        }
    }
}
