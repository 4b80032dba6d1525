//! Named things in a sentence: `the red block`, `the red and the blue blocks`, a slip of a letter or two forgiven.

use super::thing::is_slip;

/// A word of a sentence, lower case, and whether it is one of a list's joints (`,` counts as one too).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word(pub String);

/// A sentence as words: letters, digits and hyphens stay together, a comma is a word, all else is dropped.
pub fn words(sentence: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut word = String::new();
    for c in sentence.chars().chain([' ']) {
        if c.is_alphanumeric() || c == '-' || c == '/' {
            word.extend(c.to_lowercase());
            continue;
        }
        if !word.is_empty() {
            words.push(Word(std::mem::take(&mut word)));
        }
        if c == ',' {
            words.push(Word(",".to_owned()));
        }
    }
    words
}

/// Where in the words a thing is named: the index of the last word of the name, and which of the names it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mention {
    pub at: usize,
    pub name: usize,
}

/// All mentions of these names, in the order of the sentence.
pub fn mentions(words: &[Word], names: &[&str]) -> Vec<Mention> {
    let split: Vec<Vec<String>> = names.iter().map(|name| name.split(' ').map(str::to_lowercase).collect()).collect();
    let known: Vec<&str> = split.iter().flatten().map(String::as_str).collect();
    let spelled: Vec<&str> = words.iter().map(|word| nearest(&word.0, &known)).collect();
    let mut found = Vec::new();
    for at in 0..spelled.len() {
        let upto = spelled.get(..=at).unwrap_or_default();
        let ends = |name: &Vec<String>| {
            name.len() <= upto.len() && upto.iter().rev().zip(name.iter().rev()).all(|(word, part)| word == part)
        };
        // Of names that end alike the longest is meant.
        let best = split.iter().enumerate().filter(|(_, name)| ends(name)).max_by_key(|(_, name)| name.len());
        match best {
            Some((name, _)) => found.push(Mention { at, name }),
            None => found.extend(listed(upto, &split).into_iter().map(|name| Mention { at, name })),
        }
    }
    found
}

/// The things a plural names together: `the red and the blue blocks`.
fn listed(upto: &[&str], names: &[Vec<String>]) -> Vec<usize> {
    let Some((plural, before)) = upto.split_last() else { return Vec::new() };
    let Some(noun) = plural.strip_suffix('s').filter(|noun| !noun.is_empty()) else { return Vec::new() };
    let mut found = Vec::new();
    for word in before.iter().rev() {
        if matches!(*word, "and" | "the" | "," | "or" | "both") {
            continue;
        }
        let of = |name: &Vec<String>| name.len() == 2 && name.first().is_some_and(|a| a == word);
        match names.iter().position(|name| of(name) && name.last().is_some_and(|last| last == noun)) {
            Some(name) => found.push(name),
            None => break,
        }
    }
    found.reverse();
    found
}

/// The known word that a word is a slip of; the word itself if it is none.
fn nearest<'a>(word: &'a str, known: &[&'a str]) -> &'a str {
    if known.contains(&word) {
        return word;
    }
    known.iter().copied().find(|other| is_slip(word, other)).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(sentence: &str, names: &[&'static str]) -> Vec<&'static str> {
        mentions(&words(sentence), names).iter().map(|m| names[m.name]).collect()
    }

    #[test]
    fn things_are_found_in_the_order_they_are_named() {
        let names = ["red block", "dark red block", "blue block", "tin bowl"];
        assert_eq!(named("Put the blue block, the Red Block.", &names), ["blue block", "red block"]);
        assert_eq!(named("the dark red block is in the tin bowl", &names), ["dark red block", "tin bowl"]);
        assert_eq!(named("the red and the blue blocks are dirty", &names), ["red block", "blue block"]);
        assert_eq!(named("the red blcok, then all blocks", &names), ["red block"]);
        assert_eq!(named("", &names), [""; 0]);
    }
}
