//! Handling by the robot's hand: grab, put, open, close, switch, slice, and what follows from it by itself.
//!
//! Each function checks in the simulator's order and answers with the simulator's words; that the things named are visible has
//! been checked before.

use super::geometry::{TOLERANCE, distance, round};
use super::scene::Scene;
use super::sight::{close, door_between};
use super::state::{Liquid, State};

/// How near the end of a door the robot may stand while it swings.
const DOOR_CLEARANCE: f64 = 0.35;
/// How far above a receptacle's point what is put there lies.
const ABOVE: f64 = 0.1;

const COFFEE_MACHINE: &str = "CoffeeMachine";
const TOASTER: &str = "Toaster";
const MICROWAVE: &str = "Microwave";
const BREAD_SLICE: &str = "BreadSliced";

const NO_PLACE: &str = "No valid positions to place object found";
const COLLISION: &str = "another object's collision is blocking held object from being placed";

/// Whether a placement was refused for want of room.
pub fn is_full(why: &str) -> bool {
    [NO_PLACE, COLLISION].contains(&why)
}

/// An action's end: done, or why not.
pub type Done = Result<(), String>;

fn unless(holds: bool, message: impl FnOnce() -> String) -> Done {
    if holds { Ok(()) } else { Err(message()) }
}

pub fn grab(scene: &Scene, state: &mut State, thing: usize) -> Done {
    let id = scene.id_of(thing);
    unless(state.held.is_none(), || "Agent hand has something in it already! Can't pick up anything else".to_owned())?;
    unless(close(scene, state, thing), || format!("Not close enough to {id} to pick it up."))?;
    unless(scene.thing(thing).pickupable, || format!("{id} must have the property CanPickup to be picked up."))?;
    state.held = Some(thing);
    state.change(thing, |now| now.parent = None);
    Ok(())
}

pub fn put(scene: &Scene, state: &mut State, thing: usize, receptacle: usize) -> Done {
    let (id, into_id) = (scene.id_of(thing), scene.id_of(receptacle));
    let into = scene.thing(receptacle);
    let no_place = || NO_PLACE.to_owned();
    unless(state.held.is_some(), || "Can't place an object if Agent isn't holding anything".to_owned())?;
    unless(state.held == Some(thing), || format!("Agent is not holding {id}."))?;
    unless(close(scene, state, receptacle), || format!("Not close enough to {into_id} to place object."))?;
    unless(into.receptacle, || "No valid Receptacle found".to_owned())?;
    unless(!into.openable || state.now(receptacle).open, || {
        "Target openable Receptacle is CLOSED, can't place if target is not open!".to_owned()
    })?;
    unless(scene.accepts.fits(&scene.thing(thing).kind, &into.kind), || {
        format!("{id} is not a valid Object Type to be placed in {into_id}")
    })?;
    unless(into.capacity.is_none_or(|room| state.contents(receptacle).count() < room), no_place)?;
    unless(!state.contents(receptacle).any(|inside| into.obstructed_by.contains(&inside)), || COLLISION.to_owned())?;
    let (x, y, z) = state.now(receptacle).at;
    unless(!door_between(scene, state, receptacle, (x, z)), no_place)?;
    // Nothing can lie in itself or in what lies in it.
    unless(!state.in_hand(receptacle), no_place)?;
    let place = (x, round(y + ABOVE, 4), z);
    for carried in state.present.clone() {
        if state.in_hand(carried) {
            state.change(carried, |now| now.at = place);
        }
    }
    state.held = None;
    state.change(thing, |now| now.parent = Some(receptacle));
    settle(scene, state, receptacle);
    Ok(())
}

pub(crate) fn swing(scene: &Scene, state: &mut State, thing: usize, open: bool) -> Done {
    let id = scene.id_of(thing);
    let (verb, done) = if open { ("open", "open") } else { ("close", "closed") };
    unless(close(scene, state, thing), || format!("Not close enough to {id} to {verb} it."))?;
    unless(scene.thing(thing).openable, || format!("{id} is not an Openable object"))?;
    unless(state.now(thing).open != open, || format!("{id} is already {done}"))?;
    unless(!(open && state.now(thing).on), || "Target must be OFF to open!".to_owned())?;
    let here = (state.robot.x, state.robot.z);
    let free = scene.thing(thing).doors.iter().all(|(_, end)| distance(here, *end) >= DOOR_CLEARANCE - TOLERANCE);
    unless(free, || "Object failed to open/close successfully.".to_owned())?;
    state.change(thing, |now| now.open = open);
    Ok(())
}

pub fn switch(scene: &Scene, state: &mut State, thing: usize, on: bool) -> Done {
    let id = scene.id_of(thing);
    unless(close(scene, state, thing), || format!("Not close enough to {id} to switch it."))?;
    unless(scene.thing(thing).toggleable, || format!("{id} is not a toggleable object"))?;
    unless(state.now(thing).on != on, || format!("{id} is already {}", if on { "on" } else { "off" }))?;
    unless(!(on && state.now(thing).open), || "Target must be closed to Toggle On!".to_owned())?;
    state.change(thing, |now| now.on = on);
    if on {
        settle(scene, state, thing);
        if let Some(basin) = scene.thing(thing).controls {
            settle(scene, state, basin);
        }
    }
    Ok(())
}

pub fn slice(scene: &Scene, state: &mut State, thing: usize) -> Done {
    let id = scene.id_of(thing);
    unless(close(scene, state, thing), || format!("Not close enough to {id} to slice it."))?;
    unless(scene.thing(thing).sliceable, || format!("{id} is not a sliceable object"))?;
    unless(state.held != Some(thing), || format!("{id} is held and cannot be sliced"))?;
    let whole = state.now(thing);
    state.change(thing, |now| {
        now.sliced = true;
        now.parent = None;
    });
    for &slice in &scene.thing(thing).slices {
        state.change(slice, |now| {
            now.at = whole.at;
            now.parent = whole.parent;
        });
        state.present.push(slice);
    }
    Ok(())
}

/// The effect of a running device on the things that lie in it.
fn settle(scene: &Scene, state: &mut State, receptacle: usize) {
    let kind = scene.thing(receptacle).kind.as_str();
    let running = state.now(receptacle).on;
    let under_water =
        state.present.iter().any(|other| scene.thing(*other).controls == Some(receptacle) && state.now(*other).on);
    let inside: Vec<usize> = state.contents(receptacle).collect();
    for thing in inside {
        let what = scene.thing(thing);
        let cooks = kind == TOASTER && what.kind == BREAD_SLICE || kind == MICROWAVE && what.cookable;
        state.change(thing, |now| {
            if running && kind == COFFEE_MACHINE && what.fillable && now.filled.is_none() {
                now.filled = Some(Liquid::Coffee);
            }
            now.cooked |= running && cooks;
            if under_water {
                now.dirty &= !what.dirtyable;
                if what.fillable {
                    now.filled = Some(Liquid::Water);
                }
            }
        });
    }
}
