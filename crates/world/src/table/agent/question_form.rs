//! Parts of questions: what sort of thing is asked for, what is said of it, and the words of answers.

use super::Unreadable;
use super::parse::Parser;
use super::phrase::{Condition, Count, Noun, Part, Phrase};
use super::resolve::Context;
use super::words::Token;
use crate::table::thing::counted;

/// Words that say nothing about what is asked.
const ASIDES: [&str; 6] = ["in total", "in all", "altogether", "if any", "if there is any", "if there are any"];

/// A question without words that say nothing about what is asked.
pub fn without_asides(tokens: &[Token]) -> Vec<Token> {
    let mut kept: Vec<Token> = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let rest = tokens.get(at..).unwrap_or_default();
        let mut parser = Parser::new(rest);
        if ASIDES.iter().any(|words| parser.take_all(words)) {
            at += rest.len() - parser.rest().len();
        } else {
            kept.push(token.clone());
            at += 1;
        }
    }
    while kept.last().is_some_and(|token| *token == Token::Comma || token.among("now currently right")) {
        kept.pop();
    }
    if let [before @ .., verb, there] = kept.as_slice()
        && there.among("there")
        && verb.among("are is")
        && before.len() > 2
    {
        kept.truncate(kept.len() - 2);
    }
    kept
}

/// The sort of thing a question asks for ("blocks", "of the dirty blocks"), and what comes after it.
pub fn sort<'a>(mut parser: Parser<'a>) -> Result<(Part, Parser<'a>), Unreadable> {
    parser.take("of");
    let start = parser;
    let part = parser.part().ok_or_else(|| Unreadable::at(start.rest()))?;
    Ok((part, parser))
}

/// The things of a sort that meet a condition.
pub fn those(part: &Part, condition: &Condition, context: &Context) -> Result<Vec<String>, Unreadable> {
    let of_sort = match context.matching(part) {
        Err(error) if error.nothing => return Ok(Vec::new()),
        found => found?,
    };
    let mut found = Vec::new();
    for name in of_sort {
        match context.holds(condition, &name) {
            Ok(true) => found.push(name),
            Ok(false) => {}
            Err(error) if error.nothing => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

/// "does the golden bowl contain": what is asked for is in it.
pub fn holder(mut parser: Parser) -> Option<Condition> {
    if !parser.take("does do did") {
        return None;
    }
    let (last, before) = parser.rest().split_last()?;
    last.among("contain hold have carry").then(|| Parser::whole_phrase(before)).flatten().map(Condition::At)
}

/// Cuts "the white block | in a higher position than the black block". A name needs no description, so the shortest one is the
/// subject; a description is as long as makes sense.
pub fn subject(tokens: &[Token], context: &Context) -> Result<(Phrase, Condition), Unreadable> {
    let mut cuts: Vec<(bool, usize, Phrase, Condition)> = Vec::new();
    for at in 1..tokens.len() {
        let (Some(left), Some(right)) = (tokens.get(..at), tokens.get(at..)) else { continue };
        let Some(subject) = Parser::whole_phrase(left) else { continue };
        let mut said = Parser::new(right);
        let condition = said.conditions().filter(|_| said.is_done()).or_else(|| {
            said = Parser::new(right);
            said.identity().filter(|_| said.is_done())
        });
        if let Some(condition) = condition {
            cuts.push((!subject.is_named(), at, subject, condition));
        }
    }
    cuts.sort_by_key(|(described, at, ..)| (*described, if *described { tokens.len() - at } else { *at }));
    let mut problem = None;
    for (_, _, subject, condition) in cuts {
        match context.things(&subject) {
            Ok(_) => return Ok((subject, condition)),
            Err(error) => drop(problem.get_or_insert(error)),
        }
    }
    Err(problem.unwrap_or_else(|| Unreadable::at(tokens)))
}

/// Whether a condition holds for what a phrase means: for any of them, for none, or for all.
pub fn is_so(subject: &Phrase, condition: &Condition, context: &Context) -> Result<bool, Unreadable> {
    let things = context.things(subject)?;
    if let Condition::Together(stack) = condition {
        let place = |name: &String| {
            if *stack { context.scene.stack(name).first().cloned() } else { context.scene.container(name) }
        };
        let first = things.first().and_then(place);
        return Ok(first.is_some() && things.iter().all(|name| place(name) == first));
    }
    let mut held = 0;
    for name in &things {
        match context.holds(condition, name) {
            Ok(holds) => held += usize::from(holds),
            Err(error) if error.nothing => {}
            Err(error) => return Err(error),
        }
    }
    let count = match subject.parts.as_slice() {
        [part] => part.count,
        _ => Count::All,
    };
    Ok(match count {
        Count::Any => held > 0,
        Count::No => held == 0,
        Count::The | Count::All => held == things.len() && held > 0,
    })
}

/// "yes" or "no".
pub fn yes(so: bool) -> String {
    if so { "yes" } else { "no" }.to_owned()
}

/// Names one after another.
pub fn names(all: &[String]) -> String {
    if all.is_empty() { "nothing".to_owned() } else { all.join(", ") }
}

/// "three blocks".
pub fn count_words(count: usize, noun: &Noun) -> String {
    let noun = match noun {
        Noun::Bowl => "bowl",
        Noun::Cover => "cover",
        Noun::Object => "object",
        Noun::Block | Noun::Named(_) | Noun::Table | Noun::It => "block",
    };
    counted(count, noun)
}
