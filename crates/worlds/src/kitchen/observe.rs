//! Observation: what the robot sees, in words.

use super::notes;
use super::scene::Scene;
use super::sight;
use super::state::State;

/// The view: where the robot stands and looks, what it holds, what it sees near and far.
pub fn view(scene: &Scene, state: &State) -> String {
    let robot = state.robot;
    let looking = notes::tilt(robot.horizon);
    let hand =
        state.held.map_or("Your hand is empty.".to_owned(), |held| format!("You hold {}.", named(scene, state, held)));
    let (mut near, mut far) = (Vec::new(), Vec::new());
    for thing in sight::seen(scene, state).into_iter().filter(|thing| state.held != Some(*thing)) {
        if sight::close(scene, state, thing) { &mut near } else { &mut far }.push(named(scene, state, thing));
    }
    let mut text =
        format!("You stand at {}, {}, facing {} degrees and looking {looking}. {hand}", robot.x, robot.z, robot.yaw);
    for (where_, names) in [("In reach", &near), ("Out of reach", &far)] {
        if !names.is_empty() {
            text.push_str(&format!("\n{where_}: {}.", names.join(", ")));
        }
    }
    if near.is_empty() && far.is_empty() {
        text.push_str("\nYou see nothing.");
    }
    text
}

/// A thing's id with its notes: `Mug|1 (dirty, in Sink|1)`.
fn named(scene: &Scene, state: &State, thing: usize) -> String {
    let (what, now) = (scene.thing(thing), state.now(thing));
    let mut notes = notes::states(scene, state, thing);
    // A thing on a worktop is the usual case; one in a device, a cupboard or a vessel is noted.
    if let Some(parent) = now.parent {
        let around = scene.thing(parent);
        let telling = around.openable || around.toggleable || around.pickupable || around.capacity == Some(1);
        if telling && sight::visible(scene, state, parent) {
            notes.push(format!("in {}", around.id));
        }
    }
    if notes.is_empty() { what.id.clone() } else { format!("{} ({})", what.id, notes.join(", ")) }
}
