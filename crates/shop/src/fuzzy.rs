//! Fuzzy matching: the token set ratio of thefuzz 0.19 with Python's difflib as its matcher, which is what the original
//! engine's rewards come from. Scores are whole numbers from 0 to 100.

use std::collections::BTreeSet;
use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::python::is_word;

/// Characters of a text that are compared: matching takes the square of them and more. No option or attribute of WebShop is so long.
const LONGEST: usize = 1_000;

/// How alike two texts are as sets of words.
pub fn token_set_ratio(a: &str, b: &str) -> u32 {
    let (a, b) = (processed(a), processed(b));
    if a.is_empty() || b.is_empty() {
        return 0;
    }
    let words = |text: &'_ str| -> BTreeSet<String> { text.split_whitespace().map(str::to_owned).collect() };
    let (a, b) = (words(&a), words(&b));
    let join = |words: &mut dyn Iterator<Item = &String>| words.map(String::as_str).collect::<Vec<_>>().join(" ");
    let common = join(&mut a.intersection(&b));
    let with_common = |own: String| format!("{common} {own}").trim().to_owned();
    let first = with_common(join(&mut a.difference(&b)));
    let second = with_common(join(&mut b.difference(&a)));
    ratio(&common, &first).max(ratio(&common, &second)).max(ratio(&first, &second))
}

/// A text as the comparison sees it: characters 128 to 255 removed, words only, lower case.
fn processed(text: &str) -> String {
    let kept = text.chars().take(LONGEST).filter(|c| !('\u{80}'..='\u{FF}').contains(c));
    let words: String = kept.map(|c| if is_word(c) { c } else { ' ' }).collect();
    words.to_lowercase().trim().to_owned()
}

/// Twice the matched characters over all characters, in per cent, halves to the even number.
fn ratio(a: &str, b: &str) -> u32 {
    if a == b {
        return 100;
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let all = a.len() + b.len();
    let matched = Matcher::new(&a, &b).matched();
    let ratio = 100.0 * (2.0 * matched as f64 / all as f64);
    ratio.round_ties_even() as u32
}

/// From what length on characters that are frequent in the second sequence begin no match.
const POPULAR_FROM: usize = 200;

/// Python's `difflib.SequenceMatcher` without junk.
struct Matcher<'a, T> {
    a: &'a [T],
    b: &'a [T],
    places: FxHashMap<&'a T, Vec<usize>>,
}

impl<'a, T: Eq + Hash> Matcher<'a, T> {
    fn new(a: &'a [T], b: &'a [T]) -> Self {
        let mut places: FxHashMap<&T, Vec<usize>> = FxHashMap::default();
        for (i, item) in b.iter().enumerate() {
            places.entry(item).or_default().push(i);
        }
        if b.len() >= POPULAR_FROM {
            let most = b.len() / 100 + 1;
            places.retain(|_, at| at.len() <= most);
        }
        Matcher { a, b, places }
    }

    fn matched(&self) -> usize {
        let mut open = vec![(0, self.a.len(), 0, self.b.len())];
        let mut sum = 0;
        while let Some((a_from, a_to, b_from, b_to)) = open.pop() {
            let (i, j, size) = self.longest(a_from, a_to, b_from, b_to);
            if size == 0 {
                continue;
            }
            sum += size;
            if a_from < i && b_from < j {
                open.push((a_from, i, b_from, j));
            }
            if i + size < a_to && j + size < b_to {
                open.push((i + size, a_to, j + size, b_to));
            }
        }
        sum
    }

    /// The longest block within the bounds, the earliest of several; then what is equal around it.
    fn longest(&self, a_from: usize, a_to: usize, b_from: usize, b_to: usize) -> (usize, usize, usize) {
        let (mut best_i, mut best_j, mut best) = (a_from, b_from, 0);
        let mut lengths: FxHashMap<usize, usize> = FxHashMap::default();
        for i in a_from..a_to {
            let mut new = FxHashMap::default();
            let places = self.places.get(&self.a[i]).map_or(&[][..], Vec::as_slice);
            for &j in places.iter().skip_while(|j| **j < b_from).take_while(|j| **j < b_to) {
                let length = 1 + j.checked_sub(1).and_then(|before| lengths.get(&before)).copied().unwrap_or(0);
                new.insert(j, length);
                if length > best {
                    (best_i, best_j, best) = (i + 1 - length, j + 1 - length, length);
                }
            }
            lengths = new;
        }
        while best_i > a_from && best_j > b_from && self.a[best_i - 1] == self.b[best_j - 1] {
            (best_i, best_j, best) = (best_i - 1, best_j - 1, best + 1);
        }
        while best_i + best < a_to && best_j + best < b_to && self.a[best_i + best] == self.b[best_j + best] {
            best += 1;
        }
        (best_i, best_j, best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_any_order_and_within_others() {
        assert_eq!(token_set_ratio("tank tops", "tops tank"), 100);
        assert_eq!(token_set_ratio("blue", "('color', 'light blue')"), 100);
        assert_eq!(token_set_ratio("", "x"), 0);
        assert_eq!(token_set_ratio("é", "e"), 0);
        assert_eq!(token_set_ratio("abcd", "bcde"), 75);
    }

    #[test]
    fn long_texts_are_compared_by_their_beginnings() {
        // Of some hundred different characters, so that none is too frequent to begin a match.
        let long =
            |from: u32| -> String { (0..100_000).filter_map(|i| char::from_u32(0x4e00 + (i * from) % 307)).collect() };
        let since = std::time::Instant::now();
        assert!(token_set_ratio(&long(3), &long(5)) < 100);
        assert!(since.elapsed().as_secs() < 2, "{:?}", since.elapsed());
    }

    #[test]
    fn frequent_characters_of_long_texts_begin_no_match() {
        // Python 3.11: SequenceMatcher(None, "ab" * 60 + "c", "ba" * 110).ratio() is 0.0, as both letters are popular.
        let (a, b): (Vec<char>, Vec<char>) =
            (("ab".repeat(60) + "c").chars().collect(), "ba".repeat(110).chars().collect());
        assert_eq!(Matcher::new(&a, &b).matched(), 0);
    }
}
