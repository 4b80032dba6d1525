//! Memory of the agent's observations: where it is, what stands where, what it has looked into, what it did to things.
//!
//! Only what an observation's text says is taken in; nothing else of the hidden state. One thing is inferred: a place that cannot
//! be gone to is where the agent is already, since every other place always can.

use super::Edition;
use super::bits::{BitGrid, replaced};
use super::game::Game;
use super::rules::Command;
use super::state::{Flag, State};

/// A receptacle's door, as far as it was observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Door {
    /// The receptacle was not looked at yet.
    #[default]
    Unknown,
    None,
    Open,
    Shut,
}

/// A place as the agent distinguishes them; no index of the game's.
type Place = usize;

/// The agent's memory of an episode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// Per receptacle, the place it is known to stand at.
    places: Vec<Option<Place>>,
    here: Option<Place>,
    doors: Vec<Door>,
    /// One row: the receptacles whose contents were seen.
    looked: BitGrid,
    /// Per receptacle, the objects in it as seen or done.
    contents: BitGrid,
    /// One row: the objects seen.
    seen: BitGrid,
    /// One row a [`Flag`]: what was done to objects.
    flags: BitGrid,
    held: Option<usize>,
}

impl Memory {
    /// After the reset text, which names the receptacles only.
    pub fn new(game: &Game) -> Self {
        let (rs, os) = (game.receptacles.len(), game.objects.len());
        Memory {
            places: vec![None; rs],
            here: None,
            doors: vec![Door::Unknown; rs],
            looked: BitGrid::new(1, rs),
            contents: BitGrid::new(rs, os),
            seen: BitGrid::new(1, os),
            flags: BitGrid::new(Flag::Sliced as usize + 1, os),
            held: None,
        }
    }

    /// Takes in what an accepted command showed; `state` is the state after it. Whether anything was new.
    pub fn observe(&mut self, game: &Game, state: &State, command: Command, edition: Edition) -> bool {
        match command {
            Command::GoTo { receptacle } => {
                // One wording names the location, the other only the receptacle.
                let place = match edition {
                    Edition::Put => state.location,
                    Edition::Move => self.place(receptacle).unwrap_or_else(|| self.new_place()),
                };
                let moved = replaced(&mut self.here, Some(place));
                let placed = self.note_place(receptacle, place);
                moved | placed | self.view(game, state, receptacle)
            }
            Command::Open { receptacle } | Command::ExamineReceptacle { receptacle } => {
                self.view(game, state, receptacle)
            }
            Command::Close { receptacle } => self.set_door(receptacle, Door::Shut),
            Command::Take { object, receptacle } => {
                let taken = self.contents.set(receptacle, object, false);
                replaced(&mut self.held, Some(object)) | taken
            }
            Command::Put { object, receptacle } => {
                let put = self.contents.set(receptacle, object, true);
                replaced(&mut self.held, None) | put
            }
            Command::Treat { how, object, .. } => how.flag().set(&mut self.flags, object),
            Command::Use { object } => Flag::Toggled.set(&mut self.flags, object),
            Command::Slice { object, .. } => Flag::Sliced.set(&mut self.flags, object),
            Command::Look => {
                // It names what stands here.
                let Some(here) = self.here else { return false };
                let standing = game.standing_at(state.location);
                standing.iter().fold(false, |new, receptacle| self.note_place(*receptacle, here) | new)
            }
            Command::Inventory | Command::Help | Command::ExamineObject { .. } => false,
        }
    }

    /// Takes in that a command was refused. Whether anything was new.
    pub fn refused(&mut self, game: &Game, command: &str) -> bool {
        let Some(name) = command.trim().strip_prefix("go to ") else { return false };
        let Some(receptacle) = game.receptacles.iter().position(|r| r.name == name) else { return false };
        let Some(here) = self.here else { return false };
        match self.place(receptacle) {
            // Two names of one place turn out to be one.
            Some(other) => {
                let same = self.places.iter_mut().filter(|place| **place == Some(other));
                same.fold(false, |new, place| replaced(place, Some(here)) | new)
            }
            None => self.note_place(receptacle, here),
        }
    }

    /// Whether a receptacle is known to stand where the agent is.
    pub(crate) fn is_here(&self, receptacle: usize) -> bool {
        self.here.is_some() && self.place(receptacle) == self.here
    }

    pub fn door(&self, receptacle: usize) -> Door {
        self.doors.get(receptacle).copied().unwrap_or_default()
    }

    pub(crate) fn has_looked(&self, receptacle: usize) -> bool {
        self.looked.get(0, receptacle)
    }

    /// The objects in a receptacle, as far as known.
    pub fn contents(&self, receptacle: usize) -> impl Iterator<Item = usize> + '_ {
        self.contents.ones(receptacle)
    }

    pub fn seen(&self) -> impl Iterator<Item = usize> + '_ {
        self.seen.ones(0)
    }

    /// Whether the agent brought an object into a condition.
    pub fn is(&self, object: usize, flag: Flag) -> bool {
        self.flags.get(flag as usize, object)
    }

    pub fn held(&self) -> Option<usize> {
        self.held
    }

    /// Takes in a view of a receptacle: its door, and its contents where they show. Whether anything was new.
    fn view(&mut self, game: &Game, state: &State, receptacle: usize) -> bool {
        let openable = game.receptacles.get(receptacle).is_some_and(|r| r.openable);
        let door = match (openable, state.is_open(receptacle)) {
            (false, _) => Door::None,
            (true, true) => Door::Open,
            (true, false) => Door::Shut,
        };
        let door_new = self.set_door(receptacle, door);
        if door == Door::Shut {
            return door_new;
        }
        let inside = state.contents.row(receptacle);
        let looked = self.looked.set(0, receptacle, true);
        let contents = self.contents.set_row(receptacle, inside);
        self.seen.unite_row(0, inside) | contents | looked | door_new
    }

    fn place(&self, receptacle: usize) -> Option<Place> {
        self.places.get(receptacle).copied().flatten()
    }

    fn new_place(&self) -> Place {
        self.places.iter().flatten().max().map_or(0, |last| last + 1)
    }

    fn note_place(&mut self, receptacle: usize, place: Place) -> bool {
        self.places.get_mut(receptacle).is_some_and(|slot| replaced(slot, Some(place)))
    }

    fn set_door(&mut self, receptacle: usize, door: Door) -> bool {
        self.doors.get_mut(receptacle).is_some_and(|slot| replaced(slot, door))
    }
}
