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
        ':' | '\u{B7}' | '\u{387}' | '\u{55F}' | '\u{5F4}' | '\u{2027}' | '\u{FE13}' | '\u{FE55}' | '\u{FF1A}' => {
            Class::MidLetter
        }
        '.' | '\u{2018}' | '\u{2019}' | '\u{2024}' | '\u{FE52}' | '\u{FF07}' | '\u{FF0E}' => Class::MidBoth,
        ',' | ';' | '\u{37E}' | '\u{589}' | '\u{60C}' | '\u{60D}' | '\u{66C}' | '\u{7F8}' | '\u{2044}' | '\u{FE10}'
        | '\u{FE14}' | '\u{FE50}' | '\u{FE54}' | '\u{FF0C}' | '\u{FF1B}' => Class::MidDigit,
        '\'' => Class::Apostrophe,
        '"' => Class::Quotation,
        _ if c.is_ascii() => Class::Other,
        _ => beyond_ascii(c),
    }
}

/// The characters that Unicode 9 has: first and last of each range.
static KNOWN: LazyLock<Vec<(char, char)>> = LazyLock::new(|| {
    let parsed = regex_syntax::Parser::new().parse(r"\p{age:9.0}").map(regex_syntax::hir::Hir::into_kind);
    let Ok(regex_syntax::hir::HirKind::Class(regex_syntax::hir::Class::Unicode(class))) = parsed else {
        return vec![('\0', char::MAX)];
    };
    class.ranges().iter().map(|range| (range.start(), range.end())).collect()
});

fn is_known(c: char) -> bool {
    let after = KNOWN.partition_point(|(first, _)| *first <= c);
    after.checked_sub(1).and_then(|at| KNOWN.get(at)).is_some_and(|(_, last)| c <= *last)
}

/// Whether a character is of a script that is written without spaces, a mark of it too.
pub(super) fn is_south_east_asian(c: char) -> bool {
    CodePointMapData::<LineBreak>::new().get(c) == LineBreak::ComplexContext
}

fn beyond_ascii(c: char) -> Class {
    match c {
        _ if !is_known(c) => return Class::Other,
        // A digit of the New Tai Lue, which was one of these then.
        '\u{19DA}' => return Class::SouthEastAsian,
        // Signs before numbers, and two of Vedic, which only extended what stands before them.
        '\u{600}'..='\u{605}' | '\u{6DD}' | '\u{70F}' | '\u{8E2}' | '\u{1CF2}' | '\u{1CF3}' | '\u{110BD}' => {
            return Class::Extends;
        }
        '\u{2D7}' => return Class::MidLetter,
        // Tones of skin extend pictographs alone.
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

/// The pictographs (`Extended_Pictographic`) of Unicode's emoji data, version 11: first and last of each range. Newer versions took
/// symbols such as the star out.
const PICTOGRAPHS: &[(u32, u32)] = &[
    (0xA9, 0xA9),
    (0xAE, 0xAE),
    (0x203C, 0x203C),
    (0x2049, 0x2049),
    (0x2122, 0x2122),
    (0x2139, 0x2139),
    (0x2194, 0x2199),
    (0x21A9, 0x21AA),
    (0x231A, 0x231B),
    (0x2328, 0x2328),
    (0x2388, 0x2388),
    (0x23CF, 0x23CF),
    (0x23E9, 0x23F3),
    (0x23F8, 0x23FA),
    (0x24C2, 0x24C2),
    (0x25AA, 0x25AB),
    (0x25B6, 0x25B6),
    (0x25C0, 0x25C0),
    (0x25FB, 0x25FE),
    (0x2600, 0x2605),
    (0x2607, 0x2612),
    (0x2614, 0x2685),
    (0x2690, 0x2705),
    (0x2708, 0x2712),
    (0x2714, 0x2714),
    (0x2716, 0x2716),
    (0x271D, 0x271D),
    (0x2721, 0x2721),
    (0x2728, 0x2728),
    (0x2733, 0x2734),
    (0x2744, 0x2744),
    (0x2747, 0x2747),
    (0x274C, 0x274C),
    (0x274E, 0x274E),
    (0x2753, 0x2755),
    (0x2757, 0x2757),
    (0x2763, 0x2767),
    (0x2795, 0x2797),
    (0x27A1, 0x27A1),
    (0x27B0, 0x27B0),
    (0x27BF, 0x27BF),
    (0x2934, 0x2935),
    (0x2B05, 0x2B07),
    (0x2B1B, 0x2B1C),
    (0x2B50, 0x2B50),
    (0x2B55, 0x2B55),
    (0x3030, 0x3030),
    (0x303D, 0x303D),
    (0x3297, 0x3297),
    (0x3299, 0x3299),
    (0x1F000, 0x1F0FF),
    (0x1F10D, 0x1F10F),
    (0x1F12F, 0x1F12F),
    (0x1F16C, 0x1F171),
    (0x1F17E, 0x1F17F),
    (0x1F18E, 0x1F18E),
    (0x1F191, 0x1F19A),
    (0x1F1AD, 0x1F1E5),
    (0x1F201, 0x1F20F),
    (0x1F21A, 0x1F21A),
    (0x1F22F, 0x1F22F),
    (0x1F232, 0x1F23A),
    (0x1F23C, 0x1F23F),
    (0x1F249, 0x1F3FA),
    (0x1F400, 0x1F53D),
    (0x1F546, 0x1F64F),
    (0x1F680, 0x1F6FF),
    (0x1F774, 0x1F77F),
    (0x1F7D5, 0x1F7FF),
    (0x1F80C, 0x1F80F),
    (0x1F848, 0x1F84F),
    (0x1F85A, 0x1F85F),
    (0x1F888, 0x1F88F),
    (0x1F8AE, 0x1F8FF),
    (0x1F90C, 0x1F93A),
    (0x1F93C, 0x1F945),
    (0x1F947, 0x1FFFD),
];

/// Whether an emoji can begin with the character.
pub(super) fn is_pictograph(c: char) -> bool {
    let code = u32::from(c);
    let after = PICTOGRAPHS.partition_point(|(first, _)| *first <= code);
    after.checked_sub(1).and_then(|at| PICTOGRAPHS.get(at)).is_some_and(|(_, last)| code <= *last)
}

pub(super) fn is_skin_tone(c: char) -> bool {
    matches!(c, '\u{1F3FB}'..='\u{1F3FF}')
}

pub(super) fn takes_skin_tone(c: char) -> bool {
    CodePointSetData::new::<EmojiModifierBase>().contains(c)
}
