//! Simulator: a kitchen at a moment, and actions done in it. Knows nothing of tasks.

use std::sync::Arc;

use super::action::{Action, Verb};
use super::scene::Scene;
use super::state::{Now, Robot, State};
use super::{Find, Full, Rules, geometry, handling, motion, sight};

#[derive(Debug, Clone)]
pub struct Simulation {
    scene: Arc<Scene>,
    state: State,
    rules: Rules,
}

impl Simulation {
    pub fn new(scene: Arc<Scene>, rules: impl Into<Rules>) -> Simulation {
        let state = scene.start.clone();
        Simulation { scene, state, rules: rules.into() }
    }

    pub(super) fn at(scene: Arc<Scene>, state: State, rules: impl Into<Rules>) -> Simulation {
        Simulation { scene, state, rules: rules.into() }
    }

    pub fn scene(&self) -> &Arc<Scene> {
        &self.scene
    }

    pub(super) fn state(&self) -> &State {
        &self.state
    }

    /// Does an action given as text.
    /// Errors: the simulator's message, verbatim, if it refuses; or what is wrong with the text.
    pub fn perform(&mut self, text: &str) -> Result<(), String> {
        let action = Action::read(text)?;
        let end = self.carry_out(&action);
        self.state.robot.yaw = geometry::heading(self.state.robot.yaw);
        end
    }

    /// Whether a text is an action at all, whether or not it would succeed.
    pub(crate) fn understands(text: &str) -> bool {
        Action::read(text).is_ok()
    }

    fn carry_out(&mut self, action: &Action<'_>) -> Result<(), String> {
        let Simulation { scene, state, rules } = self;
        let mut things = Vec::new();
        for name in &action.names {
            let thing = scene.find(name).filter(|thing| state.present.contains(thing));
            if action.needs_sight() && !thing.is_some_and(|thing| sight::visible(scene, state, thing)) {
                return Err(format!("I cannot currently see a {name} to complete action {}.", action.text));
            }
            things.extend(thing);
        }
        match (action.verb, things.as_slice()) {
            (Verb::TurnLeft, _) => motion::turn(state, -90.0),
            (Verb::TurnRight, _) => motion::turn(state, 90.0),
            (Verb::TurnAround, _) => motion::turn(state, 180.0),
            (Verb::LookUp, _) => return motion::tilt(state, -1.0),
            (Verb::LookDown, _) => return motion::tilt(state, 1.0),
            (Verb::MoveForward, _) => return motion::step(scene, state, 4, true),
            (Verb::MoveBackward, _) => return motion::step(scene, state, 1, false),
            (Verb::WalkToRoom, _) => motion::walk_to_room(scene, state),
            (Verb::WalkToObject, &[thing]) => {
                motion::approach(scene, state, thing);
                motion::look_around(scene, state, thing);
            }
            (Verb::ScanRoom, &[thing]) => return look_for(scene, state, thing),
            (Verb::Find, _) => {
                let name = action.names.first().copied().unwrap_or_default();
                let thing = first_like(scene, state, name).ok_or_else(|| out_of_sight(name))?;
                // What is in the hand is there already.
                if rules.find == Find::Moving && !state.in_hand(thing) {
                    motion::approach(scene, state, thing);
                }
                // Whether it comes into sight or not: to have looked is all that was asked.
                motion::look_around(scene, state, thing);
            }
            (Verb::Grab, &[thing]) => return handling::grab(scene, state, thing),
            (Verb::Put | Verb::PutIn, &[thing, receptacle]) => {
                return handling::put(scene, state, thing, receptacle).inspect_err(|why| {
                    if rules.full == Full::Moves && handling::is_full(why) {
                        motion::walk_to_room(scene, state);
                    }
                });
            }
            (Verb::Open, &[thing]) => return handling::swing(scene, state, thing, true),
            (Verb::Close, &[thing]) => return handling::swing(scene, state, thing, false),
            (Verb::SwitchOn, &[thing]) => return handling::switch(scene, state, thing, true),
            (Verb::SwitchOff, &[thing]) => return handling::switch(scene, state, thing, false),
            (Verb::Slice, &[thing]) => return handling::slice(scene, state, thing),
            // Only what need not be in sight can be missing here: a thing to look around for.
            _ => return Err(out_of_sight(action.names.first().copied().unwrap_or_default())),
        }
        Ok(())
    }

    pub fn robot(&self) -> Robot {
        self.state.robot
    }

    pub fn held(&self) -> Option<&str> {
        self.state.held.map(|thing| self.scene.id_of(thing))
    }

    /// The ids of the things in sight, sorted by code point.
    pub fn visible(&self) -> Vec<&str> {
        sight::seen(&self.scene, &self.state).into_iter().map(|thing| self.scene.id_of(thing)).collect()
    }

    /// The things there are, in the order they appeared: their ids, what they lie in and their condition.
    pub fn things(&self) -> impl Iterator<Item = (&str, Option<&str>, Now)> {
        self.state.present.iter().map(|thing| {
            let now = self.state.now(*thing);
            (self.scene.id_of(*thing), now.parent.map(|parent| self.scene.id_of(parent)), now)
        })
    }
}

fn look_for(scene: &Scene, state: &mut State, thing: usize) -> Result<(), String> {
    if motion::look_around(scene, state, thing) { Ok(()) } else { Err(out_of_sight(scene.id_of(thing))) }
}

fn out_of_sight(name: &str) -> String {
    format!("The object {name} is not visible from my current location.")
}

/// The first thing whose id contains a name, whatever its case.
fn first_like(scene: &Scene, state: &State, name: &str) -> Option<usize> {
    let name = name.to_lowercase();
    state.present.iter().copied().find(|thing| scene.id_of(*thing).to_lowercase().contains(&name))
}
