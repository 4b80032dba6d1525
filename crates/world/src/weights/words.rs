//! Fractions and multiples in English: `half`, `one-fourth`, `three times`, `1/4`, `0.5`.

use num_traits::{CheckedAdd, CheckedMul, Zero};

use super::Ratio;

const NUMBERS: [(&str, i64); 13] = [
    ("one", 1),
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
    ("eleven", 11),
    ("twelve", 12),
    ("twenty", 20),
];

/// Parts by their words; plurals and `-th` of the numbers above are formed by rule. Slips like those in the published episodes are read
/// as what they mean.
const PARTS: [(&str, i64); 12] = [
    ("half", 2),
    ("halve", 2),
    ("third", 3),
    ("thrid", 3),
    ("fourth", 4),
    ("forth", 4),
    ("quarter", 4),
    ("fifth", 5),
    ("eighth", 8),
    ("ninth", 9),
    ("twelfth", 12),
    ("twentieth", 20),
];

/// The fraction that a few words say, if they say one: `twice`, `half`, `two thirds`, `1/4`, `three times`, `the same`.
///
/// `of the weight` and the like belong to the reader of the sentence: only the words of the number are understood.
pub fn ratio(words: &str) -> Option<Ratio> {
    if words.trim_start().starts_with('-') {
        return None;
    }
    let lower = words.trim().to_lowercase().replace('-', " ");
    let mut words: Vec<&str> =
        lower.split_whitespace().filter(|w| !matches!(*w, "the" | "a" | "an" | "exactly" | "as")).collect();
    if words.len() > 1 && matches!(words.last(), Some(&"times" | &"time" | &"x")) {
        words.pop();
        return factor(&words).or_else(|| words.as_slice().try_into().ok().and_then(|[one]: [&str; 1]| times(one)));
    }
    match words.as_slice() {
        ["same"] | ["equal"] => Some(Ratio::from_integer(1)),
        ["once"] => Some(Ratio::from_integer(1)),
        ["twice"] | ["double"] => Some(Ratio::from_integer(2)),
        ["thrice"] | ["triple"] => Some(Ratio::from_integer(3)),
        ["quadruple"] => Some(Ratio::from_integer(4)),
        words => factor(words),
    }
}

/// A number, a part, or so many parts.
fn factor(words: &[&str]) -> Option<Ratio> {
    match words {
        [one] => number(one).or_else(|| part(one)),
        [count, of] => {
            let (count, of) = (number(count)?, part(of)?);
            count.checked_mul(&of)
        }
        // One and a half (the article is gone by now).
        [whole, "and", of] => number(whole)?.checked_add(&part(of)?),
        [whole, "and", count, of] => number(whole)?.checked_add(&number(count)?.checked_mul(&part(of)?)?),
        _ => None,
    }
}

/// One part of a whole: `half`, `thirds`, `tenth`.
pub fn part(word: &str) -> Option<Ratio> {
    let one = |word: &str| {
        let listed = PARTS.iter().find(|(part, _)| *part == word).map(|(_, parts)| *parts);
        let formed = || {
            word.strip_suffix("th").and_then(|stem| NUMBERS.iter().find(|(n, _)| *n == stem).map(|(_, parts)| *parts))
        };
        listed.or_else(formed)
    };
    let parts = one(word).or_else(|| word.strip_suffix('s').and_then(one))?;
    Some(Ratio::new(1, parts))
}

/// A number in words or digits: `three`, `4`, `1/4`, `0.5`.
pub fn number(word: &str) -> Option<Ratio> {
    if let Some((_, value)) = NUMBERS.iter().find(|(name, _)| *name == word) {
        return Some(Ratio::from_integer(*value));
    }
    if let Some((over, under)) = word.split_once('/') {
        let under = digits(under).filter(|u| !u.is_zero())?;
        return num_traits::CheckedDiv::checked_div(&digits(over)?, &under);
    }
    digits(word)
}

/// A number before `times`; a misspelt one is the nearest number word (`fours times` in a published episode).
pub fn times(word: &str) -> Option<Ratio> {
    let near = || {
        let (distance, value) = NUMBERS.iter().map(|(name, n)| (strsim::osa_distance(name, word), *n)).min()?;
        (distance == 1 && word.len() > 3).then(|| Ratio::from_integer(value))
    };
    number(word).or_else(near)
}

/// A number in digits, with or without a point.
fn digits(word: &str) -> Option<Ratio> {
    let (whole, after) = word.trim().split_once('.').unwrap_or((word.trim(), ""));
    let plain = |s: &str| s.len() <= 9 && s.bytes().all(|b| b.is_ascii_digit());
    if !plain(whole) || !plain(after) || whole.is_empty() && after.is_empty() {
        return None;
    }
    let scale = 10_i64.checked_pow(u32::try_from(after.len()).ok()?)?;
    let whole: i64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let after: i64 = if after.is_empty() { 0 } else { after.parse().ok()? };
    Some(Ratio::new(whole.checked_mul(scale)?.checked_add(after)?, scale))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_and_multiples_in_words() {
        for (words, over, under) in [
            ("twice", 2, 1),
            ("half", 1, 2),
            ("one-fourth", 1, 4),
            ("a quarter", 1, 4),
            ("one third", 1, 3),
            ("two thirds", 2, 3),
            ("One-Tenth", 1, 10),
            ("a sixth", 1, 6),
            ("three times", 3, 1),
            ("10 times", 10, 1),
            ("fours times", 4, 1),
            ("thre times", 3, 1),
            ("1/4", 1, 4),
            ("0.5", 1, 2),
            ("1.5 times", 3, 2),
            ("one and a half", 3, 2),
            ("the same", 1, 1),
            ("2", 2, 1),
        ] {
            assert_eq!(ratio(words), Some(Ratio::new(over, under)), "{words}");
        }
        for words in
            ["", "heavy", "1/0", "times", "some times", "fours", "half third", "99999999999999999999", ".", "-1"]
        {
            assert_eq!(ratio(words), None, "{words}");
        }
    }
}
