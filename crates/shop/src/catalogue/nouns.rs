//! Nouns and names of a title, which the reward compares. The original engine asks a statistical tagger (spaCy); here, where
//! a catalogue does not bring the tagger's answer, words are nouns unless a list or their form says otherwise. Titles are almost
//! nothing but names and nouns, so the rule leaves out what a tagger leaves out with some certainty: function words, numbers,
//! measures and common adjectives. docs/reference/shop.md says how often the two agree.

/// Words of titles that are no nouns.
const OTHERS: &[&str] = &[
    "a",
    "about",
    "above",
    "adjustable",
    "all",
    "also",
    "an",
    "and",
    "any",
    "are",
    "as",
    "at",
    "automatic",
    "available",
    "be",
    "best",
    "better",
    "big",
    "both",
    "but",
    "by",
    "can",
    "cheap",
    "comfortable",
    "compatible",
    "cool",
    "cute",
    "decorative",
    "different",
    "double",
    "durable",
    "each",
    "easy",
    "elastic",
    "electric",
    "every",
    "extra",
    "fashionable",
    "fit",
    "fits",
    "flexible",
    "foldable",
    "for",
    "free",
    "fresh",
    "from",
    "funny",
    "good",
    "great",
    "handmade",
    "healthy",
    "heavy",
    "her",
    "high",
    "his",
    "hot",
    "if",
    "in",
    "includes",
    "including",
    "into",
    "is",
    "it",
    "its",
    "large",
    "less",
    "lightweight",
    "little",
    "long",
    "loose",
    "low",
    "made",
    "many",
    "medium",
    "mini",
    "modern",
    "more",
    "most",
    "multiple",
    "my",
    "natural",
    "new",
    "nice",
    "no",
    "non",
    "not",
    "of",
    "off",
    "old",
    "on",
    "only",
    "or",
    "other",
    "our",
    "out",
    "over",
    "per",
    "perfect",
    "portable",
    "pre",
    "professional",
    "pure",
    "quick",
    "replaceable",
    "reusable",
    "round",
    "same",
    "sexy",
    "short",
    "single",
    "slim",
    "small",
    "smart",
    "so",
    "soft",
    "solid",
    "some",
    "stylish",
    "such",
    "super",
    "than",
    "that",
    "the",
    "their",
    "these",
    "thick",
    "thin",
    "this",
    "tight",
    "to",
    "traditional",
    "ultra",
    "under",
    "unique",
    "universal",
    "up",
    "use",
    "used",
    "various",
    "vintage",
    "w",
    "warm",
    "washable",
    "waterproof",
    "we",
    "wet",
    "wide",
    "will",
    "wireless",
    "with",
    "without",
    "you",
    "your",
];

/// Endings of adjectives and adverbs.
const ENDINGS: &[&str] = &["able", "ible", "ful", "less", "ous", "ive", "ical", "ish", "proof", "ly"];

/// Words of those endings that are nouns nevertheless.
const NOUNS: &[&str] = &[
    "cable",
    "table",
    "vegetable",
    "family",
    "jelly",
    "belly",
    "fly",
    "assembly",
    "olive",
    "dish",
    "fish",
    "finish",
    "polish",
    "adhesive",
    "supply",
    "lily",
];

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
        && (!adjective || NOUNS.contains(&word))
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
