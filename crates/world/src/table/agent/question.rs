//! Questions: yes or no, which, how many, what colour, where.

use indexmap::IndexSet;

use super::Unreadable;
use super::parse::Parser;
use super::phrase::{Condition, Count, Noun, Part, Phrase};
use super::put::{self, OPENINGS};
use super::question_form::{self as form, count_words, names, yes};
use super::resolve::{Context, unknown_weight};
use super::scene::{Support, kind};
use super::weights::Weights;
use super::words::Token;
use super::{act::Act, weight_fact};
use crate::table::{Kind, TABLE};

const ASKS: &str = "what which how where is are was were does do did has have name list count tell";
const BE: &str = "is are was were be";

/// Whether a sentence is a question.
pub fn is_one(tokens: &[Token]) -> bool {
    if put::is_request(tokens) {
        return false;
    }
    let mut parser = Parser::new(tokens);
    parser.skip(OPENINGS);
    parser.skip("in on inside me say");
    parser.is_at(ASKS)
}

/// The answer to a question.
///
/// # Errors
/// Which part of it is not understood.
pub fn answer(tokens: &[Token], context: &Context) -> Result<String, Unreadable> {
    let tokens = form::without_asides(tokens);
    let mut parser = Parser::new(&tokens);
    parser.skip(OPENINGS);
    parser.take_all("tell me");
    if parser.take("in on inside") {
        // "in which bowl is the red block"
        parser.take("which what");
        return which_holds(parser, context);
    }
    if parser.take("name list") {
        return Ok(names(&all(parser.rest(), context)?));
    }
    if parser.take("count") || parser.take_all("how many") {
        return how_many(parser, context);
    }
    if parser.take("where") {
        parser.take(BE);
        return place(parser.rest(), context);
    }
    if parser.take("what which") {
        return what(parser, context);
    }
    if parser.take(BE) || parser.take("does do did has have") {
        return truth(parser, context);
    }
    Err(Unreadable::at(&tokens))
}

/// All things a text describes, however many the words make it seem.
fn all(tokens: &[Token], context: &Context) -> Result<Vec<String>, Unreadable> {
    let phrase = Parser::whole_phrase(tokens).ok_or_else(|| Unreadable::at(tokens))?;
    matching(&phrase, context)
}

fn matching(phrase: &Phrase, context: &Context) -> Result<Vec<String>, Unreadable> {
    let mut found = IndexSet::new();
    for part in &phrase.parts {
        found.extend(none_is_empty(context.matching(part))?);
    }
    Ok(found.into_iter().collect())
}

/// Where nothing fits a description, the question is still understood.
fn none_is_empty(found: Result<Vec<String>, Unreadable>) -> Result<Vec<String>, Unreadable> {
    found.or_else(|error| if error.nothing { Ok(Vec::new()) } else { Err(error) })
}

/// "what is …", "which block is …", "what colour is …".
fn what(mut parser: Parser, context: &Context) -> Result<String, Unreadable> {
    const COLOUR: &str = "color colour colors colours";
    let start = parser;
    parser.take(BE);
    parser.take("the");
    parser.take("total");
    if parser.take(COLOUR) {
        parser.take("of");
        parser.take(BE);
        parser.take("do does");
        let rest: Vec<Token> = parser.rest().iter().filter(|token| !token.among("have has")).cloned().collect();
        let things = all(&rest, context)?;
        let colours: Vec<String> = things
            .iter()
            .map(|name| name.rsplit_once(' ').map_or(name.as_str(), |(colour, _)| colour).to_owned())
            .collect();
        return Ok(names(&colours));
    }
    if parser.take("number count") {
        parser.take("of");
        return how_many(parser, context);
    }
    parser = start;
    parser.take_all("of the");
    if parser.take(BE) {
        return what_is(parser, context);
    }
    which(parser, context)
}

/// "what is under the red block", "what is the red block on", "which is the highest block".
fn what_is(mut parser: Parser, context: &Context) -> Result<String, Unreadable> {
    let start = parser;
    if let Some(condition) = parser.conditions().filter(|_| parser.is_done()) {
        let anything = Part { count: Count::All, noun: Noun::Object, conditions: vec![condition.nearest()] };
        let found = matching(&Phrase::one(anything.clone()), context)?;
        if found.is_empty() && matches!(anything.conditions.first(), Some(Condition::Below(..))) {
            // No object is under it, then it lies on the table; a cover there hides nothing.
            let lies = context.named.iter().any(|name| kind(name) == Kind::Block);
            return Ok(if lies { TABLE.to_owned() } else { names(&found) });
        }
        return Ok(names(&found));
    }
    let rest = start.rest();
    if let Some((last, before)) = rest.split_last()
        && let Some(phrase) = Parser::whole_phrase(before)
    {
        let things = none_is_empty(context.things(&phrase))?;
        if last.among("on in above inside") {
            let under: Vec<String> = things.iter().map(|name| under(context, name)).collect();
            return Ok(names(&under));
        }
        if last.among("under below beneath underneath") {
            let above: Vec<String> =
                things.iter().flat_map(|name| context.scene.directly_on(name).cloned().collect::<Vec<_>>()).collect();
            return Ok(names(&above));
        }
    }
    Ok(names(&all(rest, context)?))
}

/// What directly carries a thing.
fn under(context: &Context, name: &str) -> String {
    match context.scene.support(name) {
        Support::On(below) | Support::In(below) => below,
        Support::Table => TABLE.to_owned(),
    }
}

/// "which blocks are higher than the red block", "which bowl is the red block in".
fn which(parser: Parser, context: &Context) -> Result<String, Unreadable> {
    let (part, mut rest) = form::sort(parser)?;
    let is = rest.take(BE) || rest.take("does do");
    let start = rest;
    if rest.is_done() {
        return Ok(names(&none_is_empty(context.matching(&part))?));
    }
    if let Some(condition) = rest.conditions().or_else(|| rest.identity()).filter(|_| rest.is_done()) {
        let condition = if part.count == Count::All { condition } else { condition.nearest() };
        return Ok(names(&form::those(&part, &condition, context)?));
    }
    let (Some((last, before)), true) = (start.rest().split_last(), is) else {
        return Err(Unreadable::at(start.rest()));
    };
    let phrase = Parser::whole_phrase(before).ok_or_else(|| Unreadable::at(start.rest()))?;
    let condition = match last.word().unwrap_or_default() {
        "in" | "inside" => Condition::Holds(phrase),
        "on" | "above" => Condition::Below(true, phrase),
        "under" | "below" | "beneath" => Condition::Above(true, phrase),
        "contain" | "hold" | "have" => Condition::At(phrase),
        _ => return Err(Unreadable::at(start.rest())),
    };
    Ok(names(&form::those(&part, &condition, context)?))
}

fn which_holds(parser: Parser, context: &Context) -> Result<String, Unreadable> {
    let (part, mut rest) = form::sort(parser)?;
    rest.take(BE);
    let phrase = Parser::whole_phrase(rest.rest()).ok_or_else(|| Unreadable::at(rest.rest()))?;
    let condition = if part.noun == Noun::Bowl { Condition::Holds(phrase) } else { Condition::Below(true, phrase) };
    Ok(names(&form::those(&part, &condition, context)?))
}

/// "how many blocks are …", "how many dirty blocks are there", "how many blocks does the tin bowl contain".
fn how_many(parser: Parser, context: &Context) -> Result<String, Unreadable> {
    let (part, mut rest) = form::sort(parser)?;
    rest.take(BE);
    rest.take("there");
    let start = rest;
    let found = if rest.is_done() {
        none_is_empty(context.matching(&part))?
    } else {
        let condition = form::holder(rest).or_else(|| rest.conditions().filter(|_| rest.is_done()));
        form::those(&part, &condition.ok_or_else(|| Unreadable::at(start.rest()))?, context)?
    };
    Ok(count_words(found.len(), &part.noun))
}

/// "where is the red block".
fn place(tokens: &[Token], context: &Context) -> Result<String, Unreadable> {
    let things = all(tokens, context)?;
    let places: Vec<String> = things
        .iter()
        .map(|name| match context.scene.support(name) {
            Support::Table => "on the table".to_owned(),
            Support::On(below) => format!("on the {below}"),
            Support::In(container) => format!("in the {container}"),
        })
        .collect();
    Ok(names(&places))
}

/// Questions that are answered with yes or no.
fn truth(mut parser: Parser, context: &Context) -> Result<String, Unreadable> {
    parser.take_all("it true that");
    if parser.take("there") {
        let (part, mut rest) = form::sort(parser)?;
        let found = match rest.conditions() {
            Some(condition) => form::those(&part, &condition, context)?,
            None => none_is_empty(context.matching(&part))?,
        };
        let so = yes(found.is_empty() == (part.count == Count::No));
        return rest.is_done().then_some(so).ok_or_else(|| Unreadable::at(rest.rest()));
    }
    let rest = parser.rest();
    match form::subject(rest, context) {
        Ok((subject, condition)) => Ok(yes(form::is_so(&subject, &condition, context)?)),
        Err(error) if error.nothing => Ok(yes(false)),
        Err(_) if weight_fact::is_one(rest) => {
            let weights = Weights::of(context.belief, context.scene)?;
            let mut all = true;
            for act in weight_fact::read(rest, context)? {
                if let Act::Weighs(one, factor, other) = act {
                    all &= weights.is_times(&one, &factor, &other).ok_or_else(|| unknown_weight(&one, &other))?;
                }
            }
            Ok(yes(all))
        }
        Err(error) => Err(error),
    }
}
