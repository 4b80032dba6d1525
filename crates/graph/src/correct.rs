//! Corrections: the step that answers a refusal by its cause, from the simulator's own rules and what is around the person. Walk to what
//! is far, open what encloses, free a hand, take what is missing; drop what is done already or cannot be done to such a thing.

use crate::action::Action;
use crate::graph::{At, Graph};
use crate::reason::{Lack, Reason, Shown};
use crate::script::{Line, Param};
use crate::vocabulary::{Property, Relation};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Correction {
    First(Line),
    /// Leave the step out: it is done already, or cannot be done.
    Drop,
}

/// The remedy for a step that is refused for this reason. The step names things by their ids.
pub fn correction(graph: &Graph, line: &Line, reason: &Reason) -> Correction {
    let about = |shown: &Shown| graph.find(shown.id);
    let on = |action: Action, at: Option<At>| at.map_or(Correction::Drop, |at| first(graph, action, at));
    match reason {
        Reason::Sitting(_) if line.action == Action::Sit => Correction::Drop,
        Reason::Sitting(_) => Correction::First(Line { action: Action::StandUp, params: Vec::new() }),
        Reason::NotClose(_, thing) => on(Action::Walk, about(thing)),
        Reason::OtherRoom(..) => on(Action::Walk, target(graph, line)),
        // The nearest door stands last.
        Reason::DoorsClosed(doors, ..) => {
            let door = doors.last().and_then(about);
            let is_close = door.is_some_and(|door| graph.is_close(door));
            on(if is_close { Action::Open } else { Action::Walk }, door)
        }
        Reason::Enclosed(thing) => {
            let container = about(thing).and_then(|thing| graph.closed_container(thing));
            let is_close = container.is_some_and(|container| graph.is_close(container));
            on(if is_close { Action::Open } else { Action::Walk }, container)
        }
        Reason::NoFreeHand(_) => {
            let needed = |held: &At| line.params.iter().any(|param| param.number == graph.node(*held).id);
            let spare = graph.held().find(|held| !needed(held)).or_else(|| graph.held().next());
            on(Action::Drop, spare)
        }
        Reason::NotHolding(_, thing) | Reason::NotGrabbed(thing) => take(graph, about(thing)),
        Reason::NoKnife(_) => take(graph, graph.of_class("knife").min_by_key(|at| !graph.is_close(*at))),
        Reason::StillOn(thing) => on(Action::SwitchOff, about(thing)),
        Reason::Unplugged(thing) => on(Action::PlugIn, about(thing)),
        Reason::NotFacing(_, thing) | Reason::NotFacingSitting(_, thing) => on(Action::TurnTo, about(thing)),
        Reason::Unsuited(thing, Lack::Opened) => {
            let container = about(thing);
            let is_close = container.is_some_and(|container| graph.is_close(container));
            on(if is_close { Action::Open } else { Action::Walk }, container)
        }
        Reason::NotResting(_) if line.action == Action::Sleep => lie(graph),
        Reason::NothingHeld(_)
        | Reason::NotResting(_)
        | Reason::NotSitting(_)
        | Reason::NotInState(..)
        | Reason::NotWorn(..)
        | Reason::Lying(_)
        | Reason::Unsuited(..)
        | Reason::NothingEatable(_)
        | Reason::Full(_)
        | Reason::NoPath(..)
        | Reason::NotFound(_)
        | Reason::Unsupported(_) => Correction::Drop,
    }
}

fn first(graph: &Graph, action: Action, at: At) -> Correction {
    let node = graph.node(at);
    Correction::First(Line { action, params: vec![Param { name: node.class.clone(), number: node.id }] })
}

/// The thing a step is done to, or the place it is done at.
fn target(graph: &Graph, line: &Line) -> Option<At> {
    line.params.last().and_then(|param| graph.find(param.number))
}

/// Takes a thing, or first walks to it; what cannot be taken is left.
fn take(graph: &Graph, thing: Option<At>) -> Correction {
    let Some(thing) = thing.filter(|thing| graph.node(*thing).has(Property::Grabbable)) else {
        return Correction::Drop;
    };
    let action = if graph.is_close(thing) { Action::Grab } else { Action::Walk };
    first(graph, action, thing)
}

/// Lies down on what is close, in the room, or elsewhere; or first walks there.
fn lie(graph: &Graph) -> Correction {
    let here = graph.room_of(graph.character());
    let beds = graph.places().filter(|at| &*graph.node(*at).class == "bed" || &*graph.node(*at).class == "couch");
    let rank = |at: &At| (!graph.is_close(*at), graph.room_of(*at) != here, &*graph.node(*at).class != "bed", *at);
    let free = beds.filter(|at| graph.sources(*at, Relation::On).count() < 2);
    let Some(bed) = free.min_by_key(rank) else { return Correction::Drop };
    first(graph, if graph.is_close(bed) { Action::Lie } else { Action::Walk }, bed)
}
