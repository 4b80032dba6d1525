//! Nouns and names of a title, which the reward compares. The original engine asks a statistical tagger (spaCy); here, where
//! a catalogue does not bring the tagger's answer, words are nouns unless a list or their form says otherwise. Titles are almost
//! nothing but names and nouns, so the rule leaves out what a tagger leaves out with some certainty: function words, numbers,
//! measures and common adjectives. docs/reference/shop.md says how often the two agree.

use std::sync::LazyLock;

/// Words of titles that are no nouns, sorted.
static OTHERS: LazyLock<Vec<&str>> = LazyLock::new(|| include_str!("../../data/no_nouns.txt").lines().collect());

/// Endings of adjectives and adverbs.
const ENDINGS: &[&str] = &["able", "ible", "ful", "less", "ous", "ive", "ical", "ish", "proof", "ly"];

/// Words of those endings that are nouns nevertheless.
const NOUNS: &str =
    "cable table vegetable family jelly belly fly assembly olive dish fish finish polish adhesive supply lily";

/// The nouns of a title, lower case, in its order, repeats included.
pub fn nouns(title: &str) -> Vec<String> {
    let words = title.split(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '\'' | '\u{2019}')));
    let words = words.map(|word| {
        let word = word.trim_matches(['.', '\'', '\u{2019}']);
        word.strip_suffix("'s").or_else(|| word.strip_suffix("\u{2019}s")).unwrap_or(word).to_lowercase()
    });
    words.filter(|word| is_noun(word)).collect()
}

fn is_noun(word: &str) -> bool {
    let begins_with_a_letter = word.chars().next().is_some_and(char::is_alphabetic);
    let adjective = ENDINGS.iter().any(|ending| word.len() > ending.len() + 2 && word.ends_with(ending));
    word.chars().count() > 1
        && begins_with_a_letter
        && OTHERS.binary_search(&word).is_err()
        && (!adjective || NOUNS.split(' ').any(|noun| noun == word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_nouns_remain() {
        let title = "Ovello Women's Soft Washable Table Runner, 14 x 72 Inch - Grey and Blue";
        assert_eq!(nouns(title), ["ovello", "women", "table", "runner", "inch", "grey", "blue"]);
        assert!(nouns("").is_empty());
    }
}
