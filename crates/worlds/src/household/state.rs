//! State: what changes during an episode. Small and flat, so that a snapshot is a few copies of memory.

use super::bits::BitGrid;

/// Conditions of objects; each is a row of [`State::flags`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flag {
    Clean,
    Hot,
    Cool,
    Toggled,
    Sliced,
}

impl Flag {
    /// Brings an object into the condition. Hot and cool end each other.
    pub fn set(self, flags: &mut BitGrid, object: usize) {
        flags.set(self as usize, object, true);
        match self {
            Flag::Hot => flags.set(Flag::Cool as usize, object, false),
            Flag::Cool => flags.set(Flag::Hot as usize, object, false),
            Flag::Clean | Flag::Toggled | Flag::Sliced => {}
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    pub location: usize,
    pub held: Option<usize>,
    /// One row: the opened receptacles.
    pub opened: BitGrid,
    /// One row a [`Flag`]: the objects in that condition.
    pub flags: BitGrid,
    /// Per receptacle, the objects in it. A relation, not a function: an object can be in several.
    pub contents: BitGrid,
    /// Per receptacle, the objects taken from it and not put back (only the text of `look` uses it).
    pub left: BitGrid,
    /// Per location, the objects at it.
    pub at: BitGrid,
}

impl State {
    /// Nothing anywhere, the player at `location`.
    pub fn new(location: usize, receptacles: usize, objects: usize, locations: usize) -> Self {
        State {
            location,
            held: None,
            opened: BitGrid::new(1, receptacles),
            flags: BitGrid::new(Flag::Sliced as usize + 1, objects),
            contents: BitGrid::new(receptacles, objects),
            left: BitGrid::new(receptacles, objects),
            at: BitGrid::new(locations, objects),
        }
    }

    pub fn is(&self, object: usize, flag: Flag) -> bool {
        self.flags.get(flag as usize, object)
    }

    pub fn is_open(&self, receptacle: usize) -> bool {
        self.opened.get(0, receptacle)
    }
}
