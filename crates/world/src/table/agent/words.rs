//! Text into tokens: words, the names of objects, commas and stops.
//!
//! Misspelt words are mended here ([`super::spelling`]) and names are found; the grammar gives the words their meaning.

use super::Unreadable;
use super::scene::{Scene, kind, tidy};
use super::spelling::nearest;
use super::vocabulary;
use crate::table::Kind;

/// A piece of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    /// A word, in small letters.
    Word(String),
    /// The name of an object, or of one that the belief does not know but that is named like one.
    Object(String),
    /// A comma.
    Comma,
    /// The end of a sentence.
    Stop,
}

impl Token {
    /// The word, if it is one.
    pub fn word(&self) -> Option<&str> {
        match self {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Whether it is one of these words, written with spaces between them.
    pub fn among(&self, words: &str) -> bool {
        self.word().is_some_and(|word| words.split(' ').any(|one| one == word))
    }
}

/// Whether any of the tokens is one of these words.
pub fn mentions(tokens: &[Token], words: &str) -> bool {
    tokens.iter().any(|token| token.among(words))
}

/// Cuts a text into tokens.
pub fn tokens(text: &str, scene: &Scene) -> Result<Vec<Token>, Unreadable> {
    if text.len() > 4000 {
        return Err(Unreadable::new("", "it is longer than 4000 bytes"));
    }
    Ok(named(mended(raw(text), scene), scene))
}

/// Words, commas and stops as they are written. Text in brackets is an aside.
fn raw(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut word = String::new();
    let mut aside = false;
    let text = text.to_lowercase();
    let mut rest = text.chars().peekable();
    while let Some(at) = rest.next() {
        match at {
            '(' | '[' => aside = true,
            ')' | ']' => aside = false,
            _ if aside => {}
            // A point or a slash between digits belongs to the number, an apostrophe to its word.
            '.' | '/'
                if word.ends_with(|c: char| c.is_ascii_digit()) && rest.peek().is_some_and(char::is_ascii_digit) =>
            {
                word.push(at);
            }
            '\'' | '’' | '‘' if rest.peek().is_some_and(|next| next.is_alphabetic()) && !word.is_empty() => {
                word.push('\'')
            }
            _ if at.is_alphanumeric() => word.push(at),
            _ => {
                finish(&mut tokens, &mut word);
                match at {
                    ',' => tokens.push(Token::Comma),
                    '&' => tokens.push(Token::Word("and".to_owned())),
                    '.' | '?' | '!' | ';' | ':' | '\n' => tokens.push(Token::Stop),
                    _ => {}
                }
            }
        }
    }
    finish(&mut tokens, &mut word);
    tokens
}

fn finish(tokens: &mut Vec<Token>, word: &mut String) {
    let word = std::mem::take(word);
    let (base, ending) = word.split_once('\'').unwrap_or((&word, ""));
    let words = match ending {
        "s" if ["there", "what", "it", "that", "where", "which"].contains(&base) => [base, "is"],
        "t" => [base.strip_suffix('n').unwrap_or(base), "not"],
        "re" => [base, "are"],
        _ => [base, ""],
    };
    tokens.extend(words.into_iter().filter(|word| !word.is_empty()).map(|word| Token::Word(word.to_owned())));
}

/// Mends words that neither the grammar, the belief nor everyday language knows.
fn mended(tokens: Vec<Token>, scene: &Scene) -> Vec<Token> {
    let names = scene.objects.iter().map(|name| name.to_lowercase()).collect::<Vec<_>>().join(" ");
    let names: Vec<&str> = names.split(' ').collect();
    let mend = |word: String| {
        let known = || vocabulary::grammar().chain(names.iter().copied());
        if vocabulary::is_known(&word) || names.contains(&word.as_str()) {
            return word;
        }
        nearest(&word, known()).map_or(word, str::to_owned)
    };
    let each = tokens.into_iter().map(|token| match token {
        Token::Word(word) => Token::Word(mend(word)),
        other => other,
    });
    each.collect()
}

/// Finds the names of objects.
fn named(tokens: Vec<Token>, scene: &Scene) -> Vec<Token> {
    let mut known: Vec<(Vec<String>, &String)> = scene
        .objects
        .iter()
        .map(|name| (tidy(name).to_lowercase().split(' ').map(str::to_owned).collect(), name))
        .collect();
    known.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let rest = tokens.get(at..).unwrap_or_default();
        let name = known.iter().find(|(words, _)| begins_with(rest, words));
        let name = name.map(|(words, name)| ((*name).clone(), words.len()));
        let name = name.or_else(|| colour_of_a_list(rest, scene).map(|name| (name, 1))).or_else(|| unknown_name(rest));
        let (token, length) = name.map_or_else(|| (token.clone(), 1), |(name, length)| (Token::Object(name), length));
        found.push(token);
        at += length;
    }
    found
}

/// Whether the tokens begin with the words of a name; its last word may be in the plural ("the green blocks").
fn begins_with(tokens: &[Token], words: &[String]) -> bool {
    let last = words.len().saturating_sub(1);
    !words.is_empty()
        && words.iter().enumerate().all(|(i, word)| {
            let said = tokens.get(i).and_then(Token::word);
            said == Some(word) || i == last && i > 0 && said.is_some_and(|said| said.strip_suffix('s') == Some(word))
        })
}

/// "red" in "the red and the blue blocks", or in "the red, blue and green blocks".
fn colour_of_a_list(tokens: &[Token], scene: &Scene) -> Option<String> {
    let colour = tokens.first()?.word()?;
    if vocabulary::is_grammar(colour) {
        return None;
    }
    let mut rest = tokens.iter().skip(1).skip_while(|token| {
        matches!(token, Token::Comma)
            || token.word().is_some_and(|word| ["and", "the", "or"].contains(&word) || vocabulary::may_name(word))
    });
    let joined = tokens.get(1).is_some_and(|token| *token == Token::Comma || token.among("and or"));
    let noun = rest.next()?.word().filter(|_| joined)?;
    let noun = noun.strip_suffix('s').unwrap_or(noun);
    scene.objects.iter().find(|name| name.to_lowercase() == format!("{colour} {noun}")).cloned()
}

/// A name the belief does not know: words that mean nothing else before a noun ("lilac block").
fn unknown_name(tokens: &[Token]) -> Option<(String, usize)> {
    let colours: Vec<&str> =
        tokens.iter().map_while(Token::word).take_while(|word| vocabulary::may_name(word)).take(3).collect();
    let noun = tokens.get(colours.len())?.word()?;
    let noun = noun.strip_suffix('s').unwrap_or(noun);
    let name = format!("{} {noun}", colours.join(" "));
    (!colours.is_empty() && Kind::of(noun).is_some() && kind(noun) != Kind::Disinfector)
        .then_some((name, colours.len() + 1))
}
