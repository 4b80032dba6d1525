//! Requests to put something somewhere.

use super::Unreadable;
use super::act::Act;
use super::parse::Parser;
use super::phrase::{Count, Noun, Phrase};
use super::resolve::Context;
use super::scene::kind;
use super::words::{Token, mentions};
use crate::table::{Kind, TABLE};

/// Verbs that put a thing somewhere.
const PUT: &str = "put place move stack set lay drop transfer bring return add pick grab take lift";
/// Verbs that take a thing away.
const REMOVE: &str = "remove unstack";
/// Verbs that make a thing clean.
const CLEAN: &str = "clean disinfect wash sanitize sterilize";
/// What may come before the target.
const INTO: &str = "in into inside on onto upon to over atop within";
/// Words of politeness and sequence before a verb.
pub const OPENINGS: &str = "\
    please now then next finally and first also okay ok so can could would will you afterwards let us i want \
    need like should to";

/// Whether a clause asks for something to be put somewhere.
pub fn is_request(tokens: &[Token]) -> bool {
    let mut parser = Parser::new(tokens);
    parser.skip(OPENINGS);
    let verb = [PUT, REMOVE, CLEAN, "empty cover uncover hide"].iter().any(|verbs| parser.is_at(verbs));
    // "clean is the red block" is no request; "clean the red block" is.
    verb && parser.rest().len() > 1
}

/// Reads a request to put something somewhere. What is hidden under a cover is uncovered first.
///
/// # Errors
/// Which part of it is not understood.
pub fn read(tokens: &[Token], context: &Context) -> Result<Vec<Act>, Unreadable> {
    requested(tokens, context).map(|(what, target)| uncovered(what, target, context))
}

/// The moves, after those that take covers off what is moved and off its new place.
fn uncovered(what: Vec<String>, target: String, context: &Context) -> Vec<Act> {
    let scene = context.scene;
    let top = scene.above(&target).pop();
    let in_the_way = what.iter().flat_map(|block| scene.directly_on(block)).chain(&top);
    let is_cover = |name: &&String| kind(name) == Kind::Cover && !what.contains(name);
    let mut covers: Vec<String> = in_the_way.filter(is_cover).cloned().collect();
    covers.dedup();
    let off = (!covers.is_empty()).then(|| Act::Put(covers, TABLE.to_owned()));
    off.into_iter().chain([Act::Put(what, target)]).collect()
}

/// What is asked to be put, and where.
fn requested(tokens: &[Token], context: &Context) -> Result<(Vec<String>, String), Unreadable> {
    let mut parser = Parser::new(tokens);
    parser.skip(OPENINGS);
    let table = TABLE.to_owned();
    if parser.take("empty") {
        let bowls = things(parser.rest(), context)?;
        return Ok((bowls.iter().flat_map(|bowl| context.scene.contents(bowl)).collect(), table));
    }
    if parser.take(CLEAN) {
        let disinfector = context.scene.all(Kind::Disinfector).next().cloned();
        let disinfector = disinfector.ok_or_else(|| Unreadable::new("clean", "the belief has no disinfector"))?;
        return Ok((things(parser.rest(), context)?, disinfector));
    }
    if parser.take("uncover") {
        let hidden = things(parser.rest(), context)?;
        let covers = hidden.iter().flat_map(|block| context.scene.directly_on(block).cloned().collect::<Vec<_>>());
        return Ok((covers.collect(), table));
    }
    for (verb, done, by) in
        [("cover", "covered", "with by using"), ("hide", "hidden", "under below beneath underneath with in")]
    {
        if parser.take(verb) {
            let (hidden, cover) = cut(parser.rest(), by, context)?;
            let [one] = hidden.as_slice() else {
                return Err(Unreadable::new(verb, format!("one thing is {done} at a time")));
            };
            return Ok((cover, one.clone()));
        }
    }
    let removed = parser.take(REMOVE);
    let taken = parser.take("pick grab take lift");
    if !removed && !taken {
        parser.take(PUT);
    }
    parser.skip("up off away back");
    let rest = without_second_verb(parser.rest());
    match cut(&rest, INTO, context) {
        // "an empty bowl": any; the first one.
        Ok((what, targets)) => targets.first().map(|target| to(what, target)).ok_or_else(no_place),
        Err(_) if removed || taken && mentions(&rest, "off from") => Ok((things(&rest, context)?, table)),
        Err(error) => Err(error),
    }
}

/// Reads on after a request, where the verb is not said again: "the blue block in the glass bowl".
///
/// # Errors
/// Which part of it is not understood.
pub fn read_on(tokens: &[Token], context: &Context) -> Result<Vec<Act>, Unreadable> {
    let (what, target) = cut(tokens, INTO, context)?;
    let moves = target.first().map(|target| to(what, target));
    Ok(moves.map(|(what, target)| uncovered(what, target, context)).unwrap_or_default())
}

fn to(mut what: Vec<String>, target: &str) -> (Vec<String>, String) {
    if what.len() > 1 {
        what.retain(|name| name != target);
    }
    (what, target.to_owned())
}

/// "[pick up the red block] and put it [on the table]": the second verb says nothing new.
fn without_second_verb(tokens: &[Token]) -> Vec<Token> {
    let is_second = |at: usize| {
        let word = |offset: usize, words: &str| tokens.get(at + offset).is_some_and(|token| token.among(words));
        word(0, "and then") && word(1, PUT) && word(2, "it them")
    };
    let fillers = |token: &&Token| !token.among("back down");
    match (0..tokens.len()).find(|at| is_second(*at)) {
        Some(at) => tokens.iter().take(at).chain(tokens.iter().skip(at + 3)).filter(fillers).cloned().collect(),
        None => tokens.iter().filter(fillers).cloned().collect(),
    }
}

/// All things a text names, and nothing else.
fn things(tokens: &[Token], context: &Context) -> Result<Vec<String>, Unreadable> {
    let phrase = Parser::whole_phrase(tokens).ok_or_else(|| Unreadable::at(tokens))?;
    movable(&phrase, context)
}

/// Blocks that are to be moved; "a block" is the first that fits.
fn movable(phrase: &Phrase, context: &Context) -> Result<Vec<String>, Unreadable> {
    let mut found = context.things(phrase)?;
    if let [part] = phrase.parts.as_slice()
        && part.count == Count::Any
    {
        found.truncate(1);
    }
    Ok(found)
}

/// Cuts a text where one of these words is between two phrases that mean something, at the last such place: "the block in the golden
/// bowl | on | the green block". The text before it, and the things it may mean after it.
pub fn cut(tokens: &[Token], at: &str, context: &Context) -> Result<(Vec<String>, Vec<String>), Unreadable> {
    let mut problem: Option<Unreadable> = None;
    for (index, token) in tokens.iter().enumerate().rev() {
        if !token.among(at) {
            continue;
        }
        let (left, right) = (tokens.get(..index).unwrap_or_default(), tokens.get(index + 1..).unwrap_or_default());
        let mut after = Parser::new(right);
        if after.take("the") || after.take("top") {
            after.take("top");
            if !after.take("of") {
                after = Parser::new(right);
            }
        }
        let (Some(what), Some(target)) = (Parser::whole_phrase(left), Parser::whole_phrase(after.rest())) else {
            continue;
        };
        let place = if token.among("in into inside") && is_it(&target) { context.place.clone() } else { None };
        let targets = || place.map_or_else(|| context.things(&target), |place| Ok(vec![place]));
        match movable(&what, context).and_then(|what| Ok((what, targets()?))) {
            Ok((_, places)) if places.is_empty() => {
                problem.get_or_insert_with(no_place);
            }
            Ok(found) => return Ok(found),
            Err(error) => {
                problem.get_or_insert(error);
            }
        }
    }
    Err(problem.unwrap_or_else(|| Unreadable::at(tokens)))
}

/// The error where nothing is the place that is described.
pub fn no_place() -> Unreadable {
    Unreadable::none("there is no such place in the belief".to_owned())
}

fn is_it(phrase: &Phrase) -> bool {
    phrase.parts.iter().all(|part| part.noun == Noun::It && part.conditions.is_empty())
}
