//! Ratio of two blocks' weights that a sentence states (`the red block is half the weight of the blue block`), and its form in a state.

use num_traits::{CheckedMul, Signed};

use super::named::Word;
use stepwright_world::weights::{Ratio, number, part, times};

/// The whole factors a state writes as a multiplication when it turns a part round; others it writes as a division by the part, as
/// the recorded states do (`gold_block.weight / 1/9`).
const MULTIPLES: [i64; 4] = [2, 3, 4, 10];

/// How many times as heavy as the second block a sentence says that the first is; `None` if it is not about weight. Where no factor is
/// named, the two weigh the same.
pub fn stated(words: &[Word]) -> Option<Ratio> {
    let texts: Vec<&str> = words.iter().map(|word| word.0.as_str()).collect();
    if !texts.iter().any(|text| text.starts_with("weigh") || matches!(*text, "heavy" | "heavier" | "lighter")) {
        return None;
    }
    let same = Ratio::from_integer(1);
    let (mut ratio, mut before) = (same, same);
    for (at, text) in texts.iter().enumerate() {
        if let Some(found) = fraction(text, before).filter(Signed::is_positive) {
            ratio = found;
            break;
        }
        if matches!(texts.get(at + 1), Some(&("times" | "time"))) {
            ratio = times(text).filter(Signed::is_positive)?;
            break;
        }
        before = number(text).filter(Signed::is_positive).unwrap_or(same);
    }
    Some(if texts.contains(&"lighter") && ratio > same { ratio.recip() } else { ratio })
}

/// How a state writes the first block's weight in terms of the second's.
pub fn of_first(ratio: Ratio, second: &str) -> String {
    let second = format!("{}.weight", second.replace(' ', "_"));
    match (ratio.numer(), ratio.denom()) {
        (1, 1) => second,
        (of, 1) => format!("{second} * {of}"),
        (1, to) => format!("{second} / {to}"),
        (of, to) => format!("{second} * {of} / {to}"),
    }
}

/// How a state writes the second block's weight in terms of the first's.
pub fn of_second(ratio: Ratio, first: &str) -> String {
    let inverse = ratio.recip();
    match (inverse.numer(), inverse.denom()) {
        (of, 1) if *of > 1 && !MULTIPLES.contains(of) => format!("{}.weight / 1/{of}", first.replace(' ', "_")),
        _ => of_first(inverse, first),
    }
}

/// The ratio a word stands for, `before` being the number before it (`two thirds`).
fn fraction(word: &str, before: Ratio) -> Option<Ratio> {
    match (word, word.rsplit_once('-')) {
        ("twice" | "double", _) => Some(Ratio::from_integer(2)),
        ("thrice" | "triple", _) => Some(Ratio::from_integer(3)),
        (_, Some((count, of))) => number(count)?.checked_mul(&part(of)?),
        (word, None) if word.contains('/') => number(word),
        (word, None) => before.checked_mul(&part(word)?),
    }
}

#[cfg(test)]
mod tests {
    use super::super::named::words;
    use super::*;

    #[test]
    fn sentences_state_ratios() {
        for (sentence, of, to) in [
            ("The red block is twice the weight of the blue block", 2, 1),
            ("The red block has the same weight of the blue block", 1, 1),
            ("The red block has the weight as the blue block", 1, 1),
            ("The weight of the red block is three times that of the blue block.", 3, 1),
            ("The red block is one-thrid the weight of the blue block", 1, 3),
            ("The red block weighs two thirds of what the blue block weighs", 2, 3),
            ("The red block is a quarter of the weight of the blue block", 1, 4),
            ("The red block weighs 1/5 of the blue block", 1, 5),
            ("The red block is 7 times as heavy as the blue block", 7, 1),
            ("The red block has fours times the weight of the blue block", 4, 1),
            ("The red block is three times lighter than the blue block", 1, 3),
        ] {
            assert_eq!(stated(&words(sentence)), Some(Ratio::new(of, to)), "{sentence}");
        }
        assert_eq!(stated(&words("the red block is dirty")), None);
    }

    #[test]
    fn states_write_both_sides() {
        let forms = |of, to| {
            let ratio = Ratio::new(of, to);
            (of_first(ratio, "red block"), of_second(ratio, "blue block"))
        };
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(forms(1, 1), pair("red_block.weight", "blue_block.weight"));
        assert_eq!(forms(2, 1), pair("red_block.weight * 2", "blue_block.weight / 2"));
        assert_eq!(forms(1, 4), pair("red_block.weight / 4", "blue_block.weight * 4"));
        assert_eq!(forms(1, 9), pair("red_block.weight / 9", "blue_block.weight / 1/9"));
    }
}
