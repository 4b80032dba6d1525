//! Steps in words: which thing words mean, all steps there are, and why one is refused.

use std::collections::BTreeSet;
use std::sync::Arc;

use stepwright_graph::prompts::{information, information_of_contradiction};
use stepwright_graph::script::Param;
use stepwright_graph::{Action, At, ErrorType, Line, Property, Reason, correct, language};

use super::names::parts;
use super::source::Home;
use super::world::{Episode, Refused};
use stepwright_world::{Correction, Refusal, Wording};

/// The step that words ask for now. In a household that is not prepared a name means the thing that is nearest: held, close, in the
/// room, elsewhere.
pub(crate) fn line_of_words(episode: &Episode, words: &str) -> Option<Line> {
    let (action, names) = language::matching(words)?;
    let params = names.iter().map(|name| {
        // `cup 2` may be meant as it is.
        let exact = parts(name).filter(|param| episode.find(param).is_some());
        exact.unwrap_or_else(|| nearest(episode, name))
    });
    Some(Line { action, params: params.collect() })
}

fn nearest(episode: &Episode, name: &str) -> Param {
    let tables = &episode.task().home.tables;
    let general = tables.general.in_general(name);
    if episode.mode().prepares() {
        // The authors' programs make a name general twice: as a sentence is read, and as the script is checked.
        return Param { name: tables.general.in_general(&general), number: 1 };
    }
    let graph = episode.graph();
    let here = graph.room_of(graph.character());
    let rank = |at: &At| {
        let held = graph.held().any(|held| held == *at);
        let near = !held && graph.is_close(*at);
        (!held, !near, graph.room_of(*at) != here, *at)
    };
    let spelled: Arc<str> = name.into();
    let called = [Arc::clone(&spelled), tables.names.in_scene(&spelled), tables.names.in_scene(&general), general];
    let found = called.iter().find_map(|class| graph.of_class(class).min_by_key(rank));
    let named = found.and_then(|at| parts(episode.things().name(at)));
    named.unwrap_or(Param { name: spelled, number: 1 })
}

/// Every step in words that can be asked for: the list that came with the household, or what its classes allow.
pub fn steps(home: &Home) -> Arc<[String]> {
    Arc::clone(home.tables.steps.get_or_init(|| {
        let table = &home.tables.properties;
        let mut steps = BTreeSet::new();
        let mut say = |action: Action, names: &[&str]| {
            let params = names.iter().map(|name| Param { name: (*name).into(), number: 1 }).collect();
            steps.insert(language::words(&Line { action, params }).to_lowercase());
        };
        let has = |class: &str, property| table.of(class).is_some_and(|of| of.has(property));
        let classes: Vec<&str> = table.classes().collect();
        let movable: Vec<&str> = classes.iter().copied().filter(|class| has(class, Property::Grabbable)).collect();
        let places: Vec<&str> = classes
            .iter()
            .copied()
            .filter(|class| has(class, Property::Surfaces) || has(class, Property::Containers))
            .collect();
        for action in Action::ALL.iter().copied().filter(|action| *action != Action::Release) {
            match action.arity() {
                0 => say(action, &[]),
                1 => classes.iter().filter(|c| allows(action, &|p| has(c, p))).for_each(|class| say(action, &[class])),
                _ => {
                    for thing in &movable {
                        let goes = |place: &&&str| match action {
                            Action::Pour => has(place, Property::Recipient) && has(thing, Property::Pourable),
                            Action::PutIn => has(place, Property::Containers),
                            _ => has(place, Property::Surfaces),
                        };
                        let into = if action == Action::Pour { &classes } else { &places };
                        into.iter().filter(goes).for_each(|place| say(action, &[thing, place]));
                    }
                }
            }
        }
        steps.into_iter().collect()
    }))
}

/// Whether an action can be done to a class at all, by its properties.
fn allows(action: Action, has: &dyn Fn(Property) -> bool) -> bool {
    match action {
        Action::Greet => has(Property::Person),
        Action::Sit => has(Property::Sittable),
        Action::Lie => has(Property::Lieable),
        Action::Grab | Action::PutObjBack | Action::Drop => has(Property::Grabbable),
        Action::Open | Action::Close => has(Property::CanOpen),
        Action::SwitchOn | Action::SwitchOff | Action::Type => has(Property::HasSwitch),
        Action::PlugIn | Action::PlugOut => has(Property::HasPlug),
        Action::Drink => has(Property::Drinkable) || has(Property::Recipient),
        Action::Watch => has(Property::Lookable),
        Action::PutOn | Action::PutOff | Action::Squeeze => has(Property::Clothes),
        Action::Read => has(Property::Readable),
        Action::Pull | Action::Move => has(Property::Movable),
        Action::Cut => has(Property::Cuttable),
        Action::Eat => has(Property::Eatable),
        _ => true,
    }
}

pub fn refusal(line: Option<&Line>, refused: &Refused, wording: Wording) -> Refusal {
    let (kind, cause) = match (refused, line) {
        (Refused::Impossible { reason, first }, Some(line)) => {
            let untyped = || match reason {
                Reason::Unsupported(_) => ErrorType::InvalidAction,
                _ => ErrorType::OtherPrecondition,
            };
            // The authors' programs print the first of several reasons.
            let printed = first.as_deref().filter(|_| wording != Wording::Paper).unwrap_or(reason);
            (reason.error_type().unwrap_or_else(untyped), information(printed, line, wording))
        }
        (Refused::Contradiction(fail), _) => {
            (ErrorType::OtherPrecondition, Some(information_of_contradiction(fail, wording)))
        }
        _ => (ErrorType::OtherPrecondition, None),
    };
    let reason = refused.to_string();
    Refusal {
        number: kind.id(),
        kind: kind.name().to_owned(),
        step: line.map(language::words).unwrap_or_default(),
        cause: cause.unwrap_or_else(|| reason.clone()),
        reason,
    }
}

/// What may help where nothing but the refused step is known: to go to what it is about.
pub fn guess(line: &Line) -> Correction {
    match line.params.last() {
        Some(param) if !matches!(line.action, Action::Walk | Action::Run | Action::Find) => {
            Correction::First(language::words(&Line { action: Action::Walk, params: vec![param.clone()] }))
        }
        _ => Correction::Drop,
    }
}

/// The remedy for a refused step, in words.
pub fn correction(episode: &Episode, line: &Line, reason: &Reason) -> Correction {
    match correct::correction(episode.graph(), line, reason) {
        correct::Correction::First(line) => Correction::First(language::words(&line)),
        correct::Correction::Drop => Correction::Drop,
    }
}
