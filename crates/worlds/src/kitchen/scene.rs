//! Scene: everything about a kitchen that no action changes. `load` makes it; it holds no rules.

use super::goal::Goal;
use super::receptacles::Receptacles;
use super::state::{Robot, State};
pub use super::thing::{Point, Segment, Thing};

/// Sizes and reaches of the robot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Body {
    pub camera_y: f64,
    /// Height distances are measured from.
    pub body_y: f64,
    pub close_distance: f64,
    pub visibility_distance: f64,
    /// Half the angle of view, in degrees, to the side as well as up and down.
    pub half_fov_deg: f64,
    pub stand_off: f64,
    /// The distance between neighbouring grid points.
    pub grid_step: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// Its name in the scene (`coffee`).
    pub name: String,
    pub text: String,
    pub goals: Vec<Goal>,
}

#[derive(Debug, Clone)]
pub struct Scene {
    /// Its id (`kitchen-a`).
    pub id: String,
    /// The room's name, as `walk_to_room` says it.
    pub room: String,
    pub failure_points: Vec<String>,
    pub body: Body,
    pub grid: Vec<Point>,
    /// Where `walk_to_room` leads: x, z, yaw; used in order, then again from the first.
    pub room_poses: Vec<(f64, f64, f64)>,
    pub occluders: Vec<Segment>,
    pub accepts: Receptacles,
    pub tasks: Vec<Task>,
    pub start: State,
    pub(super) things: Vec<Thing>,
    pub(super) nothing: Thing,
}

impl Scene {
    /// A thing by its index. Indices come from this scene only; any other reads as a thing without properties.
    pub fn thing(&self, index: usize) -> &Thing {
        self.things.get(index).unwrap_or(&self.nothing)
    }

    pub(crate) fn id_of(&self, index: usize) -> &str {
        &self.thing(index).id
    }

    /// The index of an id, slices that may come into being included.
    pub fn find(&self, id: &str) -> Option<usize> {
        self.things.iter().position(|t| t.id == id)
    }

    /// How many things there can ever be.
    pub fn len(&self) -> usize {
        self.things.len()
    }

    pub fn is_empty(&self) -> bool {
        self.things.is_empty()
    }

    pub fn task(&self, name: &str) -> Option<&Task> {
        self.tasks.iter().find(|t| t.name == name)
    }

    /// The beginning of a task: a mug that is to be washed is dirty.
    pub(crate) fn start_of(&self, task: &Task) -> State {
        let mut state = self.start.clone();
        for goal in &task.goals {
            if let Some(thing) = goal.to_be_washed() {
                state.change(thing, |now| now.dirty = true);
            }
        }
        state
    }

    pub fn robot(&self) -> Robot {
        self.start.robot
    }
}
