//! Facts that a sentence states: what is clean or dirty, what somebody did, what a thing weighs.

use indexmap::IndexSet;

use super::Unreadable;
use super::act::Act;
use super::parse::Parser;
use super::phrase::{Condition, Noun, Phrase};
use super::put::{cut, no_place};
use super::resolve::Context;
use super::scene::kind;
use super::weight_fact;
use super::words::{Token, mentions};
use crate::table::TABLE;

const IS: &str = "is are was were looks look stays stay remains remain";
const BECOMES: &str = "becomes become became gets get got turns turn turned";
const CLEAN: &str = "clean cleaned disinfected washed wiped sanitized sterile spotless";
const DIRTY: &str = "dirty polluted contaminated stained soiled dirtied filthy muddy unclean";
/// What makes a thing dirty that it happens to.
const POLLUTE: &str = "\
    polluted pollutes contaminated contaminates stained soiled dirtied smeared touched touches spilled spilt \
    spills sneezed coughed splashed messed infected";
/// What makes a thing clean that it happens to.
const CLEANSE: &str = "cleaned disinfected washed wiped sanitized rinsed";
/// What brings a thing down on the table.
const FALL: &str = "dropped drops fell falls fallen knocked slipped tumbled toppled threw thrown";
/// What is done by somebody else.
const DONE: &str = "put placed moved stacked took transferred returned lay laid";
/// Signs of dirt where something falls.
const DIRT: &str = "dirty muddy mud dirt dust dusty polluted contaminated filthy soil soiled";
/// Words that may precede the state.
const FILLERS: &str = "now also all both again still very already completely accidentally just considered";
const INTO: &str = "in into inside on onto upon to over atop at";

/// Reads what a clause states.
///
/// # Errors
/// Which part of it is not understood.
pub fn read(tokens: &[Token], context: &Context) -> Result<Vec<Act>, Unreadable> {
    let state = match state(tokens, context) {
        Some(Ok(act)) => return Ok(vec![act]),
        failed => failed,
    };
    if weight_fact::is_one(tokens) {
        return weight_fact::read(tokens, context);
    }
    let failed = match state.or_else(|| placed(tokens, context)) {
        Some(Ok(act)) => return Ok(vec![act]),
        failed => failed,
    };
    event(tokens, context).unwrap_or_else(|| failed.unwrap_or_else(|| Err(Unreadable::at(tokens))).map(|act| vec![act]))
}

/// "the red block and the blue block are (not) clean", "it becomes dirty".
fn state(tokens: &[Token], context: &Context) -> Option<Result<Act, Unreadable>> {
    let verb = tokens.iter().rposition(|token| token.among(IS) || token.among(BECOMES))?;
    let mut becomes = tokens.get(verb).is_some_and(|token| token.among(BECOMES));
    let mut said = Parser::new(tokens.get(verb + 1..)?);
    let mut not = false;
    loop {
        if said.take("not") {
            not = !not;
        } else if said.take("become got gotten turned been getting") {
            becomes = true;
        } else if !said.skip(FILLERS) {
            break;
        }
    }
    let clean = if said.take(CLEAN) {
        true
    } else if said.take(DIRTY) {
        false
    } else {
        return None;
    };
    said.skip("now again too as well already afterwards");
    if !said.is_done() {
        return None;
    }
    let mut subject = Parser::new(tokens.get(..verb)?);
    subject.skip("and then now so note that thus therefore which has have");
    let rest: Vec<Token> = subject.rest().iter().filter(|token| !token.among("both has have")).cloned().collect();
    let what = if rest.is_empty() { Ok(context.it.clone()) } else { context.things(&Parser::whole_phrase(&rest)?) };
    let clean = clean != not;
    Some(what.map(|what| if becomes { Act::Becomes(what, clean) } else { Act::Is(what, clean) }))
}

/// "the red block is placed on the table", "somebody moved the red block into the tin bowl".
fn placed(tokens: &[Token], context: &Context) -> Option<Result<Act, Unreadable>> {
    let verb = tokens.iter().position(|token| token.among(DONE))?;
    let (before, after) = (tokens.get(..verb)?, tokens.get(verb + 1..)?);
    if let Some(at) = before.iter().rposition(|token| token.among("is are was were been be")) {
        // The subject is what is placed.
        let mut whole: Vec<Token> =
            before.get(..at)?.iter().filter(|token| !token.among("has have")).cloned().collect();
        whole.extend(after.iter().cloned());
        return Some(cut(&whole, INTO, context).and_then(one_target));
    }
    let somebody = !before.is_empty()
        && !mentions(before, "you to")
        && before.iter().all(|token| token.word().is_some())
        && after.len() > 1;
    somebody.then(|| cut(after, INTO, context).and_then(one_target))
}

fn one_target((what, targets): (Vec<String>, Vec<String>)) -> Result<Act, Unreadable> {
    targets.first().map(|target| Act::Moved(what, target.clone())).ok_or_else(no_place)
}

/// "somebody accidentally polluted the red block", "the red block fell on a dirty spot of the table".
fn event(tokens: &[Token], context: &Context) -> Option<Result<Vec<Act>, Unreadable>> {
    let any = |words| mentions(tokens, words);
    let (falls, pollutes, cleans) = (any(FALL), any(POLLUTE), any(CLEANSE));
    if !falls && !pollutes && !cleans {
        return None;
    }
    let last_fall = tokens.iter().rposition(|token| token.among(FALL)).unwrap_or(tokens.len());
    let (mut what, mut target) = (IndexSet::new(), TABLE.to_owned());
    let mut at = 0;
    while at < tokens.len() {
        let mut parser = Parser::new(tokens.get(at..)?);
        let found = parser.phrase().filter(names_blocks);
        let Some(phrase) = found else {
            at += 1;
            continue;
        };
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        at = tokens.len() - parser.rest().len();
        let source = before.is_some_and(|token| token.among("off from of"));
        let destination =
            falls && at > last_fall + 1 && before.is_some_and(|token| token.among(INTO)) && !what.is_empty();
        if source {
            continue;
        }
        let (phrase, place) = if falls { without_place(phrase) } else { (phrase, None) };
        if let Some(place) = place {
            match context.things(&place) {
                Ok(places) => target = places.first().cloned().unwrap_or(target),
                Err(error) => return Some(Err(error)),
            }
        }
        match context.things(&phrase) {
            Ok(things) if destination => target = things.first().cloned().unwrap_or(target),
            Ok(things) => what.extend(things.into_iter().filter(|thing| !kind(thing).contains())),
            Err(error) => return Some(Err(error)),
        }
    }
    if what.is_empty() {
        return Some(Err(Unreadable::new("", "it does not say which block this happened to")));
    }
    let what: Vec<String> = what.into_iter().collect();
    let mut acts = Vec::new();
    if falls {
        acts.push(Act::Moved(what.clone(), target));
    }
    if pollutes || falls && any(DIRT) {
        acts.push(Act::Becomes(what, false));
    } else if cleans && !falls {
        acts.push(Act::Becomes(what, true));
    }
    Some(Ok(acts))
}

/// "dropped [the green block] on [the tin bowl]": the named thing's new place, and not where it was.
fn without_place(mut phrase: Phrase) -> (Phrase, Option<Phrase>) {
    let last = phrase.parts.last_mut().filter(|part| matches!(part.noun, Noun::Named(_)));
    let place = last.and_then(|part| match part.conditions.as_slice() {
        [Condition::At(place)] => {
            let place = place.clone();
            part.conditions.clear();
            Some(place)
        }
        _ => None,
    });
    (phrase, place)
}

/// Whether a phrase is about objects, and not about the table or "it".
fn names_blocks(phrase: &Phrase) -> bool {
    phrase.parts.iter().all(|part| matches!(part.noun, Noun::Named(_) | Noun::Block | Noun::Bowl | Noun::Cover))
}
