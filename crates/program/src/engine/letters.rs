//! Classes of characters, as CPython's `str` methods see them: letters, digits, case, white space.

use unicode_general_category::{GeneralCategory as Category, get_general_category};

use super::fault::Stop;
use super::vm::Done;

/// Ideographs that stand for numbers.
const NUMERALS: &str = "㐅㒃㠪㭍一七万三九二五亖亿什仟仨伍佰億兆兩八六十千卄卅卌叁参參叄四壱壹幺廾廿弌弍弎弐拾捌柒漆玖百肆萬貮貳贰阡陆陌陸零";

/// White space as Python's `str` methods see it.
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
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
    is(c).then(|| (std::iter::successors(Some(c), |c| before(*c)).count() as u32 - 1) % 10)
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
