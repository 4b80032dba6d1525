//! Judge of answers, when a request counts as answered: the moves made are those expected, in any order, and the last answer says what is expected.
//!
//! Pure, and shared by the world and the scoring of recorded outputs. Whether something *else* would have served as well (another block
//! of the right weight) is known only where an episode lists all solutions.

use std::collections::BTreeSet;

use super::named::words;
use super::thing::{NUMBERS, tidy};

/// A move: what, and on or in what.
pub type Move = (String, String);

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Expected {
    pub moves: Vec<Move>,
    pub others: Vec<Vec<Move>>,
    /// The words; nothing need be said if empty, and what is said then does not matter.
    pub say: Vec<String>,
}

/// Whether these moves and answers are what is expected. `objects` are the names of all things, which decide what is a colour.
pub fn is_right(moves: &[Move], said: &[String], expected: &Expected, objects: &[String]) -> bool {
    let made = set(moves);
    let moved = made == set(&expected.moves) || expected.others.iter().any(|other| made == set(other));
    let answered = match (expected.say.last(), said.last()) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(expected), Some(said)) => same_answer(said, expected, objects),
    };
    moved && answered
}

fn set(moves: &[Move]) -> BTreeSet<Move> {
    moves.iter().map(|(first, second)| (tidy(first), tidy(second))).collect()
}

/// Whether an answer says what another does: yes or no, else a number, else colours in any order, else the words.
fn same_answer(said: &str, expected: &str, objects: &[String]) -> bool {
    let (said, expected) = (texts(said), texts(expected));
    let truths = |words: &[String]| -> Vec<String> {
        words.iter().filter(|w| matches!(w.as_str(), "true" | "false")).cloned().collect()
    };
    if !truths(&expected).is_empty() {
        return truths(&said) == truths(&expected);
    }
    if let Some(number) = none_of_them(&expected) {
        return none_of_them(&said).or_else(|| first_number(&said)) == Some(number);
    }
    if let Some(word) = yes_or_no(&expected) {
        return yes_or_no(&said) == Some(word);
    }
    if let Some(number) = first_number(&expected) {
        return none_of_them(&said).or_else(|| first_number(&said)) == Some(number);
    }
    let known: BTreeSet<String> = objects
        .iter()
        .filter_map(|name| tidy(name).rsplit_once(' ').map(|(colour, _)| colour.to_lowercase()))
        .flat_map(|colour| colour.split(' ').map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let colours =
        |words: &[String]| -> BTreeSet<String> { words.iter().filter(|word| known.contains(*word)).cloned().collect() };
    if !colours(&expected).is_empty() {
        return colours(&said) == colours(&expected);
    }
    said == expected
}

fn texts(answer: &str) -> Vec<String> {
    words(&answer.replace('_', " ")).into_iter().map(|word| word.0).filter(|word| word != ",").collect()
}

fn yes_or_no(words: &[String]) -> Option<&str> {
    words.iter().map(String::as_str).find(|word| matches!(*word, "yes" | "no"))
}

/// `no blocks`, `none`: the number zero, unlike a plain `no`.
fn none_of_them(words: &[String]) -> Option<u64> {
    let texts: Vec<&str> = words.iter().map(String::as_str).collect();
    let none = texts.windows(2).any(|pair| matches!(pair, ["no", "block" | "blocks" | "bowl" | "bowls"]));
    (none || texts.first() == Some(&"none")).then_some(0)
}

fn first_number(words: &[String]) -> Option<u64> {
    words.iter().find_map(|word| {
        let spelled = NUMBERS.split_whitespace().position(|known| known == word).map(|n| n as u64);
        spelled.or_else(|| word.parse().ok())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(said: &str, expected: &str) -> bool {
        let objects = ["red block", "blue block", "golden bowl"].map(str::to_owned);
        same_answer(said, expected, &objects)
    }

    #[test]
    fn answers_are_compared_by_what_they_say() {
        for (said, expected) in [
            ("no", "no (the blue block is in the golden bowl)"),
            ("Yes, it is.", "yes"),
            ("red", "red block"),
            ("blue block and red block", "red block\", \"blue block"),
            ("two blocks", "there are two blocks"),
            ("2", "two blocks are in positions higher than the red block"),
            ("zero", "no blocks"),
            ("no blocks", "no blocks"),
            ("[false,True, False]", "[False, True, False]"),
            ("Nothing.", "nothing"),
        ] {
            assert!(same(said, expected), "{said} | {expected}");
        }
        for (said, expected) in [
            ("yes", "no"),
            ("the red block is higher than the blue block", "red block"),
            ("red block", "red block\", \"blue block"),
            ("three blocks", "two blocks"),
            ("no", "no blocks"),
            ("[True, False, False]", "[False, True, False]"),
            ("", "yes"),
            ("something", "nothing"),
        ] {
            assert!(!same(said, expected), "{said} | {expected}");
        }
    }

    #[test]
    fn moves_are_a_set_and_a_needless_one_is_wrong() {
        let moves = |list: &[(&str, &str)]| -> Vec<Move> {
            list.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
        };
        let expected = Expected {
            moves: moves(&[("a block", "table"), ("b block", "table")]),
            others: vec![moves(&[("c block", "table")])],
            say: Vec::new(),
        };
        let right = |list: &[(&str, &str)]| is_right(&moves(list), &["whatever".to_owned()], &expected, &[]);
        assert!(right(&[("b block", "table"), ("a_block", "table"), ("b block", "table")]));
        assert!(right(&[("c block", "table")]));
        assert!(!right(&[("a block", "table")]));
        assert!(!right(&[("a block", "table"), ("b block", "table"), ("c block", "table")]));
        let asked = Expected { say: vec!["yes".to_owned()], ..Expected::default() };
        assert!(!is_right(&[], &[], &asked, &[]));
        assert!(is_right(&[], &["no".to_owned(), "yes".to_owned()], &asked, &[]));
    }
}
