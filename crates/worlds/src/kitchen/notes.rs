//! Notes on a thing and on the robot's look, in words: for what is seen, and beside the map.

use super::scene::Scene;
use super::state::State;

/// The states of a thing: `closed`, `dirty`, `with water`.
pub fn states(scene: &Scene, state: &State, thing: usize) -> Vec<String> {
    let (what, now) = (scene.thing(thing), state.now(thing));
    let flags = [
        (what.openable && now.open, "open"),
        (what.openable && !now.open, "closed"),
        (now.on, "on"),
        (now.dirty, "dirty"),
        (now.cooked, "cooked"),
    ];
    let mut notes: Vec<String> = flags.iter().filter(|(holds, _)| *holds).map(|(_, word)| (*word).to_owned()).collect();
    notes.extend(now.filled.map(|liquid| format!("with {liquid}")));
    notes
}

/// Where the camera looks: `level`, `30 degrees down`.
pub(crate) fn tilt(horizon: f64) -> String {
    match horizon {
        0.0 => "level".to_owned(),
        down if down > 0.0 => format!("{down} degrees down"),
        up => format!("{} degrees up", -up),
    }
}
