//! Classes of characters, as CPython's `str` methods see them: letters, digits, case, white space.

use unicode_general_category::{GeneralCategory as Category, get_general_category};

use super::fault::Stop;
use super::vm::Done;

/// The characters that Unicode has since 14.0, which is CPython 3.11's (and places between them that have none yet): to CPython 3.11 they
/// are no characters at all, to later versions some are. Made by holding this module against CPython 3.11 at every code point.
#[rustfmt::skip]
const NEW: [(u32, u32); 75] = [
    (0x558, 0x558), (0x58b, 0x58c), (0x5c8, 0x5c9), (0x88f, 0x88f), (0x897, 0x897), (0xb53, 0xb54),
    (0xc5c, 0xc5c), (0xcdc, 0xcdc), (0xcf3, 0xcf3), (0xece, 0xece), (0x1acf, 0x1af0), (0x1b4e, 0x1b4f),
    (0x1b7f, 0x1b7f), (0x1c89, 0x1c8a), (0x208f, 0x208f), (0x209d, 0x209f), (0x2427, 0x2429),
    (0x2ffc, 0x2fff), (0x31e4, 0x31ef), (0xa7cb, 0xa7cf), (0xa7d2, 0xa7d2), (0xa7d4, 0xa7d4),
    (0xa7da, 0xa7f1), (0xab6c, 0xab6d), (0x105c0, 0x105f3), (0x107bb, 0x107bf), (0x10940, 0x10959),
    (0x10d40, 0x10d8f), (0x10ec2, 0x10eff), (0x1123f, 0x11241), (0x11380, 0x113e2), (0x116d0, 0x116e3),
    (0x11b00, 0x11bf9), (0x11db0, 0x11df1), (0x11f00, 0x11f5a), (0x1246f, 0x1246f), (0x12475, 0x1247f),
    (0x12550, 0x12686), (0x1342f, 0x1342f), (0x13440, 0x143fa), (0x16100, 0x16139), (0x16d40, 0x16d79),
    (0x16ea0, 0x16ed3), (0x16ff2, 0x16ff6), (0x187f8, 0x187ff), (0x18cd6, 0x18cff), (0x18d09, 0x191d2),
    (0x1b123, 0x1b132), (0x1b155, 0x1b155), (0x1b168, 0x1b168), (0x1cc00, 0x1ceb3), (0x1d127, 0x1d128),
    (0x1d250, 0x1d2d3), (0x1d6a6, 0x1d6a6), (0x1df1f, 0x1dfff), (0x1e030, 0x1e08f), (0x1e4d0, 0x1e6ff),
    (0x1f6dc, 0x1f6dc), (0x1f774, 0x1f77f), (0x1f7d9, 0x1f7d9), (0x1f8b2, 0x1f8c1), (0x1fa75, 0x1fa77),
    (0x1fa87, 0x1fa8f), (0x1faad, 0x1faaf), (0x1fabb, 0x1fabf), (0x1fac6, 0x1facf), (0x1fada, 0x1fadf),
    (0x1fae8, 0x1fae9), (0x1faf7, 0x1faf8), (0x1fbcb, 0x1fbef), (0x2b739, 0x2b73f), (0x2b81e, 0x2b81e),
    (0x2cea2, 0x2cead), (0x2ebf0, 0x2ee5d), (0x31350, 0x3fc3f),
];

/// Whether a character is newer than the Unicode of CPython 3.11.
pub(crate) fn is_new(c: char) -> bool {
    let n = u32::from(c);
    let at = NEW.partition_point(|(_, last)| *last < n);
    NEW.get(at).is_some_and(|(first, _)| *first <= n)
}

/// Whether all that is asked about the letters of a text has been so since the Unicode of CPython 3.11; an error if not.
pub(crate) fn settled(text: &str) -> Done<()> {
    // These were there, but have another case since, or may stand in a name.
    let changed = |c| {
        matches!(
            c,
            '\u{19b}'
                | '\u{264}'
                | '\u{295}'
                | '\u{10fc}'
                | '\u{200c}'
                | '\u{200d}'
                | '\u{30fb}'
                | '\u{a7d3}'
                | '\u{a7d5}'
                | '\u{a7f2}'..='\u{a7f4}' | '\u{ab69}' | '\u{ff65}'
        )
    };
    if text.is_ascii() || !text.chars().any(|c| changed(c) || is_new(c)) { Ok(()) } else { Err(unsettled()) }
}

#[cold]
pub(crate) fn unsettled() -> Stop {
    Stop::unsupported("letters that are newer, or have changed, since Unicode 14")
}

/// Ideographs that stand for numbers.
const NUMERALS: &str = "㐅㒃㠪㭍一七万三九二五亖亿什仟仨伍佰億兆兩八六十千卄卅卌叁参參叄四壱壹幺廾廿弌弍弎弐拾捌柒漆玖百肆萬貮貳贰阡陆陌陸零";

/// White space as Python's `str` methods see it.
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}

/// White space around what `int` and `float` read: they do not take the separators of ASCII for it.
pub(crate) fn is_space_of_numbers(c: char) -> bool {
    c.is_whitespace()
}

/// Whether `str.splitlines` ends a line here.
pub(crate) fn ends_line(c: char) -> bool {
    matches!(c, '\n'..='\r' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

pub(crate) fn is_alpha(c: char) -> bool {
    use Category::{LowercaseLetter, ModifierLetter, OtherLetter, TitlecaseLetter, UppercaseLetter};
    if c.is_ascii() {
        return c.is_ascii_alphabetic();
    }
    matches!(
        get_general_category(c),
        LowercaseLetter | ModifierLetter | OtherLetter | TitlecaseLetter | UppercaseLetter
    )
}

/// The value of a decimal digit of any script. Digits of a script follow each other, in some scripts several times.
pub(crate) fn decimal(c: char) -> Option<u32> {
    if c.is_ascii() {
        return c.to_digit(10);
    }
    let is = |c: char| get_general_category(c) == Category::DecimalNumber;
    let before = |c: char| char::from_u32(u32::from(c).wrapping_sub(1)).filter(|c| is(*c));
    (is(c) && !is_new(c)).then(|| (std::iter::successors(Some(c), |c| before(*c)).count() as u32 - 1) % 10)
}

/// A text with its digits of other scripts written in ASCII.
pub(crate) fn with_ascii_digits(text: &str) -> String {
    text.chars().map(|c| decimal(c).and_then(|n| char::from_digit(n, 10)).unwrap_or(c)).collect()
}

/// A decimal digit, or one in a circle, raised and the like.
pub(crate) fn is_digit(c: char) -> bool {
    decimal(c).is_some()
        || matches!(
            u32::from(c),
            0xb2 | 0xb3 | 0xb9 | 0x1369..=0x1371 | 0x19da | 0x2070 | 0x2074..=0x2079 | 0x2080..=0x2089 | 0x2460..=0x2468
                | 0x2474..=0x247c | 0x2488..=0x2490 | 0x24ea | 0x24f5..=0x24fd | 0x24ff | 0x2776..=0x277e | 0x2780..=0x2788
                | 0x278a..=0x2792 | 0x10a40..=0x10a43 | 0x10e60..=0x10e68 | 0x11052..=0x1105a | 0x1f100..=0x1f10a
        )
}

/// Anything that stands for a number.
pub(crate) fn is_numeric(c: char) -> bool {
    let ideograph = matches!(
        u32::from(c),
        0xf96b
            | 0xf973
            | 0xf978
            | 0xf9b2
            | 0xf9d1
            | 0xf9d3
            | 0xf9fd
            | 0x20001
            | 0x20064
            | 0x200e2
            | 0x20121
            | 0x2092a
            | 0x20983
            | 0x2098c
            | 0x2099c
            | 0x20aea
            | 0x20afd
            | 0x20b19
            | 0x22390
            | 0x22998
            | 0x23b1b
            | 0x2626d
            | 0x2f890
    );
    c.is_numeric() || ideograph || NUMERALS.contains(c)
}

/// Python's `isprintable` for one character.
pub(crate) fn printable(c: char) -> bool {
    use Category::{
        Control, Format, LineSeparator, ParagraphSeparator, PrivateUse, SpaceSeparator, Surrogate, Unassigned,
    };
    if c.is_ascii() {
        return matches!(c, ' '..='~');
    }
    !matches!(
        get_general_category(c),
        Control | Format | LineSeparator | ParagraphSeparator | PrivateUse | SpaceSeparator | Surrogate | Unassigned
    )
}

/// Whether a letter is neither upper nor lower, but a title's.
pub(crate) fn is_title(c: char) -> bool {
    get_general_category(c) == Category::TitlecaseLetter
}

pub(crate) fn is_cased(c: char) -> bool {
    c.is_uppercase() || c.is_lowercase() || is_title(c)
}

/// A letter at the beginning of a title; unknown for a few Greek ones.
pub(crate) fn push_title(c: char, out: &mut String) -> Done<()> {
    let code = u32::from(c);
    match code {
        _ if is_title(c) => out.push(c),
        0x1fb2 | 0x1fb4 | 0x1fb7 | 0x1fc2 | 0x1fc4 | 0x1fc7 | 0x1ff2 | 0x1ff4 | 0x1ff7 => {
            return Err(Stop::unsupported("titles that begin with rare letters"));
        }
        0x1c4..=0x1c6 => out.push('ǅ'),
        0x1c7..=0x1c9 => out.push('ǈ'),
        0x1ca..=0x1cc => out.push('ǋ'),
        0x1f1..=0x1f3 => out.push('ǲ'),
        0x1f80..=0x1faf => out.extend(char::from_u32(code + 8)),
        0x1fb3 | 0x1fc3 | 0x1ff3 => out.extend(char::from_u32(code + 9)),
        0x10d0..=0x10ff => out.push(c),
        0xdf | 0x587 | 0xfb00..=0xfb17 => {
            let mut upper = c.to_uppercase();
            out.extend(upper.next());
            out.extend(upper.flat_map(char::to_lowercase));
        }
        _ => out.extend(c.to_uppercase()),
    }
    Ok(())
}

/// A text for comparison without regard to case.
pub(crate) fn casefold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match u32::from(c) {
            0x131 => out.push(c),
            0x1e9e => out.push_str("ss"),
            // Cherokee folds to upper case.
            0x13a0..=0x13fd | 0xab70..=0xabbf => out.extend(c.to_uppercase()),
            _ => out.extend(c.to_uppercase().flat_map(char::to_lowercase)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is newer is found by comparison: after an update it must be made again.
    #[test]
    fn the_table_of_new_characters_is_of_the_unicode_that_is_used() {
        assert_eq!(unicode_general_category::UNICODE_VERSION, (16, 0, 0));
        assert_eq!(unicode_ident::UNICODE_VERSION, (18, 0, 0));
        assert_eq!(char::UNICODE_VERSION.0, 17);
        assert!(NEW.windows(2).all(|pair| pair[0].1 < pair[1].0));
        assert!(
            ['\u{558}', '\u{1fae8}', '\u{11f50}', '\u{3134f}', '\u{31350}'].map(is_new)
                == [true, true, true, false, true]
        );
        assert!(!['a', '\u{e9}', '\u{557}', '\u{559}', '\u{4e00}', '\u{1f600}'].map(is_new).contains(&true));
    }
}
