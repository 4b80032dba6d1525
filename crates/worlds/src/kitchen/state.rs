//! State: what changes in a kitchen: the robot, and each thing's place and condition. Small and quick to copy; it holds no rules.

use serde::{Deserialize, Serialize};

use stepwright_world::files::or_default;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Liquid {
    Coffee,
    Water,
    Wine,
}

#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
pub struct Robot {
    pub x: f64,
    pub z: f64,
    /// Degrees, 0 along +z, 90 along +x.
    pub yaw: f64,
    pub horizon: f64,
}

/// A thing's place and condition. What does not apply to it stays as it is by default.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct Now {
    /// Where it is (if it is not in the hand), x, y, z.
    #[serde(skip)]
    pub at: (f64, f64, f64),
    #[serde(skip)]
    pub parent: Option<usize>,
    #[serde(deserialize_with = "or_default")]
    pub open: bool,
    #[serde(deserialize_with = "or_default")]
    pub on: bool,
    #[serde(deserialize_with = "or_default")]
    pub sliced: bool,
    #[serde(deserialize_with = "or_default")]
    pub cooked: bool,
    #[serde(deserialize_with = "or_default")]
    pub dirty: bool,
    pub filled: Option<Liquid>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    pub robot: Robot,
    pub held: Option<usize>,
    pub room_walks: usize,
    /// The things there are, in the order they appeared: those of the file, then slices.
    pub present: Vec<usize>,
    /// By index of the scene's things, slices to come included.
    pub now: Vec<Now>,
}

impl State {
    pub fn now(&self, thing: usize) -> Now {
        self.now.get(thing).copied().unwrap_or_default()
    }

    pub fn change(&mut self, thing: usize, change: impl FnOnce(&mut Now)) {
        if let Some(now) = self.now.get_mut(thing) {
            change(now);
        }
    }

    /// The things around a thing, from inside outwards. Ends on any state, however it came about.
    pub fn around(&self, thing: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.now(thing).parent, |outer| self.now(*outer).parent).take(self.now.len())
    }

    /// Whether a thing is the held one or lies in it, at any depth.
    pub fn in_hand(&self, thing: usize) -> bool {
        self.held.is_some_and(|held| held == thing || self.around(thing).any(|outer| outer == held))
    }

    /// The things directly in a thing, in the order they appeared.
    pub fn contents(&self, receptacle: usize) -> impl Iterator<Item = usize> + '_ {
        self.present.iter().copied().filter(move |thing| self.now(*thing).parent == Some(receptacle))
    }
}
