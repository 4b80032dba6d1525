//! Text analysis. Turns text into the terms that are indexed and searched for, as Lucene 8's English analyser in the
//! configuration of Anserini does: words, without possessive endings, lower case, without stop words, stemmed.

mod stem;
mod token;
mod unicode;

pub use stem::stem;
pub use token::tokens;

pub(crate) const STOP_WORDS: [&str; 33] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not", "of",
    "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will", "with",
];

/// The terms of a text, in its order, repeats included.
pub fn analyse(text: &str) -> Vec<String> {
    tokens(text).filter_map(term).collect()
}

/// The term of one token; `None` for a stop word.
pub fn term(token: &str) -> Option<String> {
    let word: String = without_possessive(token).chars().map(lower).collect();
    if STOP_WORDS.binary_search(&word.as_str()).is_ok() {
        return None;
    }
    Some(stem(&word))
}

/// A word without `'s` at its end, with any apostrophe.
fn without_possessive(word: &str) -> &str {
    let Some(rest) = word.strip_suffix(['s', 'S']) else { return word };
    rest.strip_suffix(['\'', '\u{2019}', '\u{FF07}']).unwrap_or(word)
}

/// The lower case of a character as a single character, as Java gives it.
fn lower(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    c.to_lowercase().next().unwrap_or(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_terms() {
        let text = "The women's shoes, 9.5\" wide -- it's a T-shirt";
        assert_eq!(analyse(text), ["women", "shoe", "9.5", "wide", "t", "shirt"]);
        assert_eq!(analyse("Maker\u{2019}S"), ["maker"]);
        assert!(analyse("the and of").is_empty());
    }

    #[test]
    fn stop_words_are_sorted_for_the_search() {
        assert!(STOP_WORDS.is_sorted());
    }
}
