//! Ratio of two blocks' weights that a sentence states (`the red block is half the weight of the blue block`), and its form in a state.

use super::named::Word;

/// How many times as heavy the first block is as the second: a fraction of whole numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ratio {
    pub of: u64,
    /// Below the line, never zero.
    pub to: u64,
}

const NUMBERS: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
/// Words for parts, from the half on. Slips like those in the published episodes are read as what they mean.
const PARTS: [&[&str]; 11] = [
    &["half", "halves"],
    &["third", "thrid"],
    &["fourth", "forth", "quarter"],
    &["fifth"],
    &["sixth"],
    &["seventh"],
    &["eighth"],
    &["ninth"],
    &["tenth"],
    &["eleventh"],
    &["twelfth"],
];
/// The whole factors a state writes as a multiplication when it turns a part round; others it writes as a division by the part, as
/// the recorded states do (`gold_block.weight / 1/9`).
const MULTIPLES: [u64; 4] = [2, 3, 4, 10];

impl Ratio {
    /// The ratio a sentence states; `None` if it is not about weight. Where no factor is named, the two weigh the same.
    pub fn stated(words: &[Word]) -> Option<Ratio> {
        let texts: Vec<&str> = words.iter().map(|word| word.0.as_str()).collect();
        if !texts.iter().any(|text| text.starts_with("weigh") || matches!(*text, "heavy" | "heavier" | "lighter")) {
            return None;
        }
        let mut ratio = Ratio { of: 1, to: 1 };
        let mut before = 1;
        for (at, text) in texts.iter().enumerate() {
            let next = texts.get(at + 1).copied().unwrap_or_default();
            if let Some(found) = fraction(text, before) {
                ratio = found;
                break;
            }
            if matches!(next, "times" | "time") {
                ratio = Ratio { of: number(text)?, to: 1 };
                break;
            }
            before = number(text).unwrap_or(1);
        }
        let lighter = texts.contains(&"lighter");
        Some(if lighter && ratio.of > ratio.to { ratio.inverse() } else { ratio })
    }

    fn inverse(self) -> Ratio {
        Ratio { of: self.to, to: self.of }
    }

    /// How a state writes the first block's weight in terms of the second's.
    pub(crate) fn as_of_first(self, second: &str) -> String {
        let second = format!("{}.weight", second.replace(' ', "_"));
        match self {
            Ratio { of, to } if of == to => second,
            Ratio { of, to: 1 } => format!("{second} * {of}"),
            Ratio { of: 1, to } => format!("{second} / {to}"),
            Ratio { of, to } => format!("{second} * {of} / {to}"),
        }
    }

    /// How a state writes the second block's weight in terms of the first's.
    pub(crate) fn as_of_second(self, first: &str) -> String {
        match self.inverse() {
            Ratio { of, to: 1 } if of > 1 && !MULTIPLES.contains(&of) => {
                format!("{}.weight / 1/{of}", first.replace(' ', "_"))
            }
            inverse => inverse.as_of_first(first),
        }
    }
}

/// The ratio a word stands for, `before` being the number before it (`two thirds`).
fn fraction(word: &str, before: u64) -> Option<Ratio> {
    match word {
        "twice" | "double" => return Some(Ratio { of: 2, to: 1 }),
        "thrice" | "triple" => return Some(Ratio { of: 3, to: 1 }),
        _ => {}
    }
    if let Some((of, to)) = word.split_once('/') {
        return of.parse().ok().zip(to.parse().ok().filter(|to| *to > 0)).map(|(of, to)| Ratio { of, to });
    }
    // `one-third`, `two-thirds`, or a part alone with its number before it.
    let (of, part) = match word.rsplit_once('-') {
        Some((count, part)) => (number(count)?, part),
        None => (before, word),
    };
    let is = |known: &str| part == known || part.strip_suffix('s') == Some(known);
    let place = PARTS.iter().position(|names| names.iter().any(|known| is(known)))?;
    Some(Ratio { of, to: place as u64 + 2 })
}

fn number(word: &str) -> Option<u64> {
    let spelled = NUMBERS.iter().position(|known| *known == word).map(|place| place as u64 + 1);
    spelled.or_else(|| word.parse().ok().filter(|n| *n > 0))
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
            ("The red block is three times lighter than the blue block", 1, 3),
        ] {
            assert_eq!(Ratio::stated(&words(sentence)), Some(Ratio { of, to }), "{sentence}");
        }
        assert_eq!(Ratio::stated(&words("the red block is dirty")), None);
    }

    #[test]
    fn states_write_both_sides() {
        let forms = |of, to| {
            let ratio = Ratio { of, to };
            (ratio.as_of_first("red block"), ratio.as_of_second("blue block"))
        };
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(forms(1, 1), pair("red_block.weight", "blue_block.weight"));
        assert_eq!(forms(2, 1), pair("red_block.weight * 2", "blue_block.weight / 2"));
        assert_eq!(forms(1, 4), pair("red_block.weight / 4", "blue_block.weight * 4"));
        assert_eq!(forms(1, 9), pair("red_block.weight / 9", "blue_block.weight / 1/9"));
    }
}
