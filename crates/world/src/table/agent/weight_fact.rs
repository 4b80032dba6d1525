//! Weights that a sentence states: "the red block is twice the weight of the blue block".

use num_traits::Signed;

use super::Unreadable;
use super::act::Act;
use super::parse::Parser;
use super::phrase::{Noun, Phrase};
use super::resolve::Context;
use super::scene::kind;
use super::words::{Token, mentions};
use crate::weights::{Ratio, ratio};

/// Whether a clause is about weights.
pub fn is_one(tokens: &[Token]) -> bool {
    mentions(tokens, "weight weights weigh weighs weighed heavy light heavier lighter mass masses")
}

/// Reads a clause about weights.
///
/// # Errors
/// If it does not name two blocks, or no ratio that is known.
pub fn read(tokens: &[Token], context: &Context) -> Result<Vec<Act>, Unreadable> {
    let mut blocks: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(rest) = tokens.get(at..).filter(|rest| !rest.is_empty()) {
        let mut parser = Parser::new(rest);
        match parser.phrase().filter(means_blocks) {
            Some(phrase) => {
                let things = context.things(&phrase)?;
                if let Some(bowl) = things.iter().find(|thing| kind(thing).contains()) {
                    return Err(Unreadable::new(bowl, "weights are stated of blocks"));
                }
                blocks.extend(things);
                at = tokens.len() - parser.rest().len();
            }
            None => at += 1,
        }
    }
    let factor = factor(tokens)?;
    match blocks.as_slice() {
        [one, other] if one != other => Ok(vec![Act::Weighs(one.clone(), factor, other.clone())]),
        [first, rest @ ..] if rest.len() > 1 && factor == Ratio::from_integer(1) => {
            Ok(rest.iter().map(|other| Act::Weighs(other.clone(), factor, first.clone())).collect())
        }
        _ => Err(Unreadable::new("", "it does not say which two blocks' weights it compares")),
    }
}

fn means_blocks(phrase: &Phrase) -> bool {
    phrase.parts.iter().all(|part| match &part.noun {
        Noun::Named(_) | Noun::It => true,
        Noun::Block => !part.conditions.is_empty(),
        Noun::Bowl | Noun::Cover | Noun::Object | Noun::Table => false,
    })
}

/// The ratio that the words state; one to one where they state none.
pub fn factor(tokens: &[Token]) -> Result<Ratio, Unreadable> {
    let has = |words| mentions(tokens, words);
    let lighter = has("lighter light");
    let one = Ratio::from_integer(1);
    match (0..tokens.len()).find_map(|at| factor_at(tokens.get(at..)?)) {
        Some(factor) if lighter && factor > one => Ok(factor.recip()),
        Some(factor) => Ok(factor),
        None if lighter || has("heavier more less different") => Err(Unreadable::new(
            "",
            "a weight is stated as a multiple or a part of another; how many times is not said",
        )),
        None => Ok(one),
    }
}

/// The ratio that words begin with: "three times", "one third", "half", "2/3". A number alone counts something else.
fn factor_at(tokens: &[Token]) -> Option<Ratio> {
    let is_ratio = |word: &str| !["the", "a", "an", "as", "exactly", "same", "equal"].contains(&word);
    let words: Vec<&str> = tokens.iter().map_while(Token::word).take(4).collect();
    let begins = is_ratio(words.first()?);
    (1..=words.len()).rev().filter(|_| begins).find_map(|length| {
        let said = words.get(..length)?;
        let digits = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
        let number = length == 1 && !digits(said.first()?) && ratio(&format!("{} thirds", said.first()?)).is_some();
        let ends = is_ratio(said.last()?);
        ratio(&said.join(" ")).filter(|ratio| ends && !number && ratio.is_positive())
    })
}
