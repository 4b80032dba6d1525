//! Sight: where things are, what the robot sees and what it reaches. `handling` and `motion` act on it.

use super::geometry::{self, TOLERANCE};
use super::scene::{Point, Scene};
use super::state::State;

/// How far below the camera a held thing is.
const HELD_BELOW: f64 = 0.3;

/// Where a thing is now: x, y, z. What is in the hand goes with the robot.
pub fn place(scene: &Scene, state: &State, thing: usize) -> (f64, f64, f64) {
    if state.in_hand(thing) {
        (state.robot.x, scene.body.camera_y - HELD_BELOW, state.robot.z)
    } else {
        state.now(thing).at
    }
}

pub(crate) fn plan_place(scene: &Scene, state: &State, thing: usize) -> Point {
    let (x, _, z) = place(scene, state, thing);
    (x, z)
}

pub fn close(scene: &Scene, state: &State, thing: usize) -> bool {
    let (x, y, z) = place(scene, state, thing);
    let (dx, dy, dz) = (x - state.robot.x, y - scene.body.body_y, z - state.robot.z);
    (dx * dx + dy * dy + dz * dz).sqrt() <= scene.body.close_distance + TOLERANCE
}

/// Whether the robot sees a thing: it is there and whole, not shut in, within the view, and nothing is between.
pub fn visible(scene: &Scene, state: &State, thing: usize) -> bool {
    if state.now(thing).sliced || !state.present.contains(&thing) {
        return false;
    }
    state.in_hand(thing)
        || (!shut_in(scene, state, thing) && in_view(scene, state, thing) && !hidden(scene, state, thing))
}

/// The things the robot sees, by id.
pub fn seen(scene: &Scene, state: &State) -> Vec<usize> {
    let mut seen: Vec<usize> = state.present.iter().copied().filter(|thing| visible(scene, state, *thing)).collect();
    seen.sort_by(|a, b| scene.id_of(*a).cmp(scene.id_of(*b)));
    seen
}

/// Whether the segment from the robot to a point crosses a door of `thing`.
pub(crate) fn door_between(scene: &Scene, state: &State, thing: usize, to: Point) -> bool {
    let sight = ((state.robot.x, state.robot.z), to);
    state.now(thing).open && scene.thing(thing).doors.iter().any(|door| geometry::cross(sight, *door))
}

fn shut_in(scene: &Scene, state: &State, thing: usize) -> bool {
    state.around(thing).any(|outer| scene.thing(outer).openable && !state.now(outer).open)
}

fn in_view(scene: &Scene, state: &State, thing: usize) -> bool {
    let (x, y, z) = state.now(thing).at;
    let (body, robot) = (&scene.body, &state.robot);
    let here = (robot.x, robot.z);
    let far = geometry::distance(here, (x, z));
    let down = (body.camera_y - y).atan2(far).to_degrees();
    far <= body.visibility_distance + TOLERANCE
        && geometry::apart(geometry::bearing(here, (x, z)), robot.yaw) <= body.half_fov_deg + TOLERANCE
        && (down - robot.horizon).abs() <= body.half_fov_deg + TOLERANCE
}

fn hidden(scene: &Scene, state: &State, thing: usize) -> bool {
    let (x, _, z) = state.now(thing).at;
    let sight = ((state.robot.x, state.robot.z), (x, z));
    scene.occluders.iter().any(|occluder| geometry::cross(sight, *occluder))
        || state.present.iter().any(|other| *other != thing && door_between(scene, state, *other, (x, z)))
}
