//! Motion of the robot, and where it looks. Every function leaves the heading as computed; `simulation` brings it into range.

use super::geometry::{self, TOLERANCE};
use super::scene::Scene;
use super::sight;
use super::state::State;

/// How far from a grid point the robot may aim and still end on it.
const GRID_REACH: f64 = 0.2;
/// One turn of a look around, in degrees.
const TURN: f64 = 30.0;
/// Turns of a look around.
const TURNS: usize = 12;
/// One tilt of the camera, in degrees.
const TILT: f64 = 10.0;
/// The highest and the lowest look.
const TILTS: (f64, f64) = (-30.0, 60.0);

pub fn turn(state: &mut State, degrees: f64) {
    state.robot.yaw += degrees;
}

/// Tilts the camera by one step down (or up, with a negative number of steps); refused beyond its range.
pub(crate) fn tilt(state: &mut State, steps: f64) -> Result<(), String> {
    let horizon = state.robot.horizon + steps * TILT;
    if horizon < TILTS.0 {
        return Err("can't look up beyond the top of the camera range".to_owned());
    }
    if horizon > TILTS.1 {
        return Err("can't look down beyond the bottom of the camera range".to_owned());
    }
    state.robot.horizon = horizon;
    Ok(())
}

/// Moves along the heading (or against it) by steps of the grid, over grid points only; stays if one is lacking.
pub fn step(scene: &Scene, state: &mut State, steps: u32, forward: bool) -> Result<(), String> {
    let (sin, cos) = state.robot.yaw.to_radians().sin_cos();
    let mut end = None;
    for taken in 1..=steps {
        let far = f64::from(taken) * scene.body.grid_step * if forward { 1.0 } else { -1.0 };
        let aim = (state.robot.x + far * sin, state.robot.z + far * cos);
        end = geometry::nearest(&scene.grid, aim, 0.0).filter(|(_, off)| *off <= GRID_REACH + TOLERANCE);
        if end.is_none() {
            break;
        }
    }
    let ((x, z), _) = end.ok_or("The way is blocked, the agent did not move.")?;
    (state.robot.x, state.robot.z) = (x, z);
    Ok(())
}

pub fn walk_to_room(scene: &Scene, state: &mut State) {
    let next = state.room_walks.checked_rem(scene.room_poses.len()).and_then(|i| scene.room_poses.get(i));
    if let Some((x, z, yaw)) = next {
        (state.robot.x, state.robot.z, state.robot.yaw) = (*x, *z, *yaw);
    }
    state.room_walks += 1;
}

/// Walks up to a thing and faces it.
pub fn approach(scene: &Scene, state: &mut State, thing: usize) {
    let target = sight::plan_place(scene, state, thing);
    if let Some(((x, z), _)) = geometry::nearest(&scene.grid, target, scene.body.stand_off) {
        (state.robot.x, state.robot.z) = (x, z);
    }
    state.robot.yaw = geometry::bearing((state.robot.x, state.robot.z), target);
}

/// Turns step by step, at least once, until a thing is in sight; whether it came into sight.
pub(crate) fn look_around(scene: &Scene, state: &mut State, thing: usize) -> bool {
    (0..TURNS).any(|_| {
        turn(state, TURN);
        sight::visible(scene, state, thing)
    })
}
