//! Character classes of the tokeniser: Unicode's word-break property as of version 9, which Lucene 8 uses, the scripts that have
//! their own tokens, and pictographs. Classes come from a newer Unicode; characters that are younger than version 9 have none, and what
//! changed since is listed.

use std::sync::LazyLock;

use icu_properties::props::{EmojiModifierBase, GeneralCategory, LineBreak, Script, WordBreak};
use icu_properties::{CodePointMapData, CodePointSetData};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Letter,
    Hebrew,
    Digit,
    Katakana,
    /// A low line, which joins words.
    Join,
    /// Joins letters (`:`).
    MidLetter,
    /// Joins letters, and digits (`.`).
    MidBoth,
    Apostrophe,
    Quotation,
    /// Joins digits (`,`).
    MidDigit,
    /// Belongs to the character before it.
    Extends,
    Flag,
    Han,
    Hiragana,
    /// Thai, Lao, Burmese, Khmer and others that are written without spaces.
    SouthEastAsian,
    Other,
}

impl Class {
    /// A letter of any kind that words are made of.
    pub(super) fn is_letter(self) -> bool {
        matches!(self, Class::Letter | Class::Hebrew)
    }
}

pub(super) fn class(c: char) -> Class {
    match c {
        'a'..='z' | 'A'..='Z' => Class::Letter,
        '0'..='9' => Class::Digit,
        '_'
        | '\u{202F}'
        | '\u{203F}'
        | '\u{2040}'
        | '\u{2054}'
        | '\u{FE33}'
        | '\u{FE34}'
        | '\u{FE4D}'..='\u{FE4F}'
        | '\u{FF3F}' => Class::Join,
        ':' | '\u{B7}' | '\u{387}' | '\u{5F4}' | '\u{2027}' | '\u{FE13}' | '\u{FE55}' | '\u{FF1A}' => Class::MidLetter,
        '.' | '\u{2018}' | '\u{2019}' | '\u{2024}' | '\u{FE52}' | '\u{FF07}' | '\u{FF0E}' => Class::MidBoth,
        ',' | ';' | '\u{37E}' | '\u{589}' | '\u{60C}' | '\u{60D}' | '\u{66C}' | '\u{7F8}' | '\u{2044}' | '\u{FE10}'
        | '\u{FE14}' | '\u{FE50}' | '\u{FE54}' | '\u{FF0C}' | '\u{FF1B}' => Class::MidDigit,
        '\'' => Class::Apostrophe,
        '"' => Class::Quotation,
        _ if c.is_ascii() => Class::Other,
        _ => beyond_ascii(c),
    }
}

/// The characters of a class: first and last of each range, in order.
type Ranges = LazyLock<Vec<(char, char)>>;

/// The characters that Unicode 9 has.
static KNOWN: Ranges = LazyLock::new(|| ranges(r"\p{age:9.0}"));

/// The pictographs of Unicode's emoji data, version 11. Code points that it reserved for them, and that symbols of legacy computing
/// have since, are no pictographs in newer versions.
static PICTOGRAPHS: Ranges = LazyLock::new(|| ranges(r"[\p{Extended_Pictographic}\x{1FB00}-\x{1FBFF}]"));

/// The ranges of a class in brackets or by property; none of what is no class, which the test of their counts would find.
fn ranges(class: &str) -> Vec<(char, char)> {
    let parsed = regex_syntax::Parser::new().parse(class).map(regex_syntax::hir::Hir::into_kind);
    let Ok(regex_syntax::hir::HirKind::Class(regex_syntax::hir::Class::Unicode(class))) = parsed else {
        return Vec::new();
    };
    class.ranges().iter().map(|range| (range.start(), range.end())).collect()
}

fn is_of(ranges: &Ranges, c: char) -> bool {
    let after = ranges.partition_point(|(first, _)| *first <= c);
    after.checked_sub(1).and_then(|at| ranges.get(at)).is_some_and(|(_, last)| c <= *last)
}

/// Whether a character is of a script that is written without spaces, a mark of it too.
pub(super) fn is_south_east_asian(c: char) -> bool {
    CodePointMapData::<LineBreak>::new().get(c) == LineBreak::ComplexContext
}

fn beyond_ascii(c: char) -> Class {
    match c {
        _ if !is_of(&KNOWN, c) => return Class::Other,
        // A digit of the New Tai Lue, which was one of these then.
        '\u{19DA}' => return Class::SouthEastAsian,
        // Signs before numbers, and two of Vedic, which only extended what stands before them.
        '\u{600}'..='\u{605}' | '\u{6DD}' | '\u{70F}' | '\u{8E2}' | '\u{1CF2}' | '\u{1CF3}' | '\u{110BD}' => {
            return Class::Extends;
        }
        '\u{2D7}' => return Class::MidLetter,
        // The sandhi mark of Sharada, which was punctuation then; tones of skin extend pictographs alone.
        '\u{111C9}' => return Class::Other,
        _ if is_skin_tone(c) => return Class::Other,
        _ => {}
    }
    match CodePointMapData::<WordBreak>::new().get(c) {
        // Newer versions of Unicode count modifier signs (the cedilla by itself, tone bars) and Armenian punctuation as letters.
        WordBreak::ALetter if is_sign(c) => return Class::Other,
        WordBreak::ALetter => return Class::Letter,
        WordBreak::HebrewLetter => return Class::Hebrew,
        WordBreak::Numeric => return Class::Digit,
        WordBreak::Katakana => return Class::Katakana,
        WordBreak::Extend | WordBreak::Format | WordBreak::ZWJ => return Class::Extends,
        WordBreak::RegionalIndicator => return Class::Flag,
        _ => {}
    }
    match CodePointMapData::<Script>::new().get(c) {
        Script::Han => Class::Han,
        Script::Hiragana => Class::Hiragana,
        _ if is_south_east_asian(c) => Class::SouthEastAsian,
        _ => Class::Other,
    }
}

fn is_sign(c: char) -> bool {
    let category = CodePointMapData::<GeneralCategory>::new().get(c);
    category == GeneralCategory::ModifierSymbol || matches!(c, '\u{55A}'..='\u{55C}' | '\u{55E}' | '\u{58A}')
}

/// Whether an emoji can begin with the character.
pub(super) fn is_pictograph(c: char) -> bool {
    is_of(&PICTOGRAPHS, c)
}

pub(super) fn is_skin_tone(c: char) -> bool {
    matches!(c, '\u{1F3FB}'..='\u{1F3FF}')
}

pub(super) fn takes_skin_tone(c: char) -> bool {
    CodePointSetData::new::<EmojiModifierBase>().contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_unicode_changes_no_class_unseen() {
        let count = |ranges: &Ranges| ('\0'..=char::MAX).filter(|c| is_of(ranges, *c)).count();
        assert_eq!(count(&PICTOGRAPHS), 3_793);
        assert_eq!(count(&KNOWN), 265_771);
    }
}
