//! Reasons: why the simulator refuses a step, in its own words, and the type of error each is in the paper's ten and in the authors'
//! own naming.

use std::fmt;
use std::sync::Arc;

use crate::vocabulary::{Flag, Property, State};

/// A node as messages show it: `<cup> (12)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Its class, or the name a script gives it.
    pub class: Arc<str>,
    pub id: i64,
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}> ({})", self.class, self.id)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Room(pub Option<Shown>);

impl fmt::Display for Room {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(room) => room.fmt(f),
            None => f.write_str("None"),
        }
    }
}

/// Why a step cannot be done; displayed as the simulator says it, without the step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The character sits, or lies where walking is meant.
    Sitting(Shown),
    /// No doors lead from the character's room to the thing's.
    NoPath(Room, Room),
    /// Doors on the path are closed: the doors, nearest to the goal first.
    DoorsClosed(Vec<Shown>, Room, Room),
    NotClose(Shown, Shown),
    Unsuited(Shown, Lack),
    NothingEatable(Shown),
    Full(Shown),
    NotSitting(Shown),
    /// The character neither lies nor sits.
    NotResting(Shown),
    Enclosed(Shown),
    NoFreeHand(Shown),
    NotInState(Shown, State),
    StillOn(Shown),
    Unplugged(Shown),
    NotWorn(Shown, Shown),
    Lying(Shown),
    NotHolding(Shown, Shown),
    NoKnife(Shown),
    NotGrabbed(Shown),
    NothingHeld(Shown),
    NotFacing(Shown, Shown),
    NotFacingSitting(Shown, Shown),
    /// A thing is in another room: the character's room and the thing's.
    OtherRoom(Room, Room),
    /// No node has the number, as the script names it.
    NotFound(Shown),
    /// An action that is read but that nothing performs.
    Unsupported(&'static str),
}

/// The ability that a thing lacks, where the reason is its kind and not its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lack {
    Grabbable,
    Sittable,
    Lieable,
    Clothes,
    Readable,
    Recipient,
    Movable,
    Eatable,
    Cuttable,
    Person,
    /// It is neither drinkable nor a recipient.
    Drinkable,
    /// It is neither pourable nor drinkable.
    Pourable,
    Opened,
    Opening,
    Switch,
    TypingSwitch,
    Plug,
    Lookable,
}

impl Lack {
    /// The simulator's words after the thing, and the property whose absence it is, where it is one alone.
    fn said(self) -> (&'static str, Option<Property>) {
        match self {
            Lack::Grabbable => ("is not grabbable", Some(Property::Grabbable)),
            Lack::Sittable => ("is not sittable", Some(Property::Sittable)),
            Lack::Lieable => ("is not lieable", Some(Property::Lieable)),
            Lack::Clothes => ("is not clothes", Some(Property::Clothes)),
            Lack::Readable => ("is not readable", Some(Property::Readable)),
            Lack::Recipient => ("is not recipient", Some(Property::Recipient)),
            Lack::Movable => ("is not movable", Some(Property::Movable)),
            Lack::Eatable => ("is not eatable", Some(Property::Eatable)),
            Lack::Cuttable => ("is not cuttable", Some(Property::Cuttable)),
            Lack::Person => ("is not person", Some(Property::Person)),
            Lack::Drinkable => ("is not drinkable or not recipient", None),
            Lack::Pourable => ("is not pourable or drinkable", None),
            Lack::Opened => ("is not open or is not openable", None),
            Lack::Opening => ("can not be opened", Some(Property::CanOpen)),
            Lack::Switch => ("does not have a switch", Some(Property::HasSwitch)),
            Lack::TypingSwitch => ("does not have switch", Some(Property::HasSwitch)),
            Lack::Plug => ("does not have a plug", Some(Property::HasPlug)),
            Lack::Lookable => ("not lookable", Some(Property::Lookable)),
        }
    }

    /// The property whose absence it is, where it is one alone.
    pub fn property(self) -> Option<Property> {
        self.said().1
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Sitting(who) => write!(f, "{who} is sitting"),
            Reason::NoPath(from, to) => write!(f, "No path between between {from} and {to}"),
            Reason::DoorsClosed(doors, from, to) => {
                let doors = doors.iter().map(Shown::to_string).collect::<Vec<_>>().join(", ");
                write!(f, "Door(s) {doors} between {from} and {to} is (are) closed")
            }
            Reason::NotClose(who, thing) => write!(f, "{who} is not close to {thing}"),
            Reason::Unsuited(thing, lack) => write!(f, "{thing} {}", lack.said().0),
            Reason::NothingEatable(thing) => write!(f, "none of object on {thing} is eatable"),
            Reason::Full(thing) => write!(f, "Too many things on {thing}"),
            Reason::NotSitting(who) => write!(f, "{who} is not sitting"),
            Reason::NotResting(who) => write!(f, "{who} is not lying or sitting"),
            Reason::Enclosed(thing) => write!(f, "{thing} is inside other closed thing"),
            Reason::NoFreeHand(who) => write!(f, "{who} does not have a free hand"),
            Reason::NotInState(thing, state) => write!(f, "{thing} is not {}", state.name().to_lowercase()),
            Reason::StillOn(thing) => write!(f, "{thing} is still on"),
            Reason::Unplugged(thing) => write!(f, "{thing} is unplugged"),
            Reason::NotWorn(thing, who) => write!(f, "{thing} is not on {who}"),
            Reason::Lying(who) => write!(f, "{who} is lying"),
            Reason::NotHolding(who, thing) => write!(f, "{who} is not holding {thing}"),
            Reason::NoKnife(who) => write!(f, "{who} is not holding a knife"),
            Reason::NotGrabbed(thing) => write!(f, "{thing} not grabbed"),
            Reason::NothingHeld(who) => write!(f, "{who} does not hold anything in hands"),
            Reason::NotFacing(who, thing) => write!(f, "{who} does not face {thing}"),
            Reason::NotFacingSitting(who, thing) => write!(f, "{who} is not facing {thing} while sitting"),
            Reason::OtherRoom(here, there) => write!(f, "char room {here} is not node room {there}"),
            Reason::NotFound(named) => write!(f, "{named} cannot be found"),
            Reason::Unsupported(action) => write!(f, "Execution of Action.{action} is not supported"),
        }
    }
}

/// The ten types of error of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ErrorType {
    /// A thing has the state already that the action would give it.
    UnflippedBooleanState = 1,
    FieldOfView,
    EmptyProgram,
    AbsentFromRoom,
    MissingObject,
    EnclosedObject,
    /// The thing is not of a kind that the action can be done to.
    InvalidAction,
    OverOccupiedAgent,
    AgentProximity,
    OtherPrecondition,
}

impl ErrorType {
    /// All ten, in the paper's order, with the name in files and the one in the paper.
    const NAMED: [(ErrorType, &'static str, &'static str); 10] = [
        (ErrorType::UnflippedBooleanState, "unflipped_boolean_state", "Unflipped Boolean state"),
        (ErrorType::FieldOfView, "field_of_view", "Field of view"),
        (ErrorType::EmptyProgram, "empty_program", "Empty program"),
        (ErrorType::AbsentFromRoom, "absent_from_room", "Absent from room"),
        (ErrorType::MissingObject, "missing_object", "Missing object"),
        (ErrorType::EnclosedObject, "enclosed_object", "Enclosed object"),
        (ErrorType::InvalidAction, "invalid_action", "Invalid action"),
        (ErrorType::OverOccupiedAgent, "over_occupied_agent", "Over-occupied agent"),
        (ErrorType::AgentProximity, "agent_proximity", "Agent proximity"),
        (ErrorType::OtherPrecondition, "other_precondition", "Other precondition"),
    ];

    pub const COUNT: usize = ErrorType::NAMED.len();

    /// All ten, in the paper's order.
    pub fn all() -> [ErrorType; ErrorType::COUNT] {
        ErrorType::NAMED.map(|(kind, ..)| kind)
    }

    /// Its number, from 1.
    pub fn id(self) -> u8 {
        self as u8
    }

    pub fn name(self) -> &'static str {
        self.named().1
    }

    /// Its name in the paper (`Agent proximity`).
    pub fn label(self) -> &'static str {
        self.named().2
    }

    fn named(self) -> (ErrorType, &'static str, &'static str) {
        ErrorType::NAMED.into_iter().find(|(kind, ..)| *kind == self).unwrap_or((self, "", ""))
    }
}

impl Reason {
    /// Whether the reference ends by an exception where this is said here: nothing performs the action, or it asks a room that there is
    /// not for its number.
    pub fn breaks_off(&self) -> bool {
        match self {
            Reason::Unsupported(_) => true,
            Reason::NoPath(here, there) | Reason::OtherRoom(here, there) => here.0.is_none() || there.0.is_none(),
            _ => false,
        }
    }

    /// The nodes that it shows.
    fn shows(&self) -> Vec<&Shown> {
        match self {
            Reason::Sitting(one)
            | Reason::Unsuited(one, _)
            | Reason::NothingEatable(one)
            | Reason::Full(one)
            | Reason::NotSitting(one)
            | Reason::NotResting(one)
            | Reason::Enclosed(one)
            | Reason::NoFreeHand(one)
            | Reason::NotInState(one, _)
            | Reason::StillOn(one)
            | Reason::Unplugged(one)
            | Reason::Lying(one)
            | Reason::NoKnife(one)
            | Reason::NotGrabbed(one)
            | Reason::NothingHeld(one)
            | Reason::NotFound(one) => vec![one],
            Reason::NotClose(one, other)
            | Reason::NotWorn(one, other)
            | Reason::NotHolding(one, other)
            | Reason::NotFacing(one, other)
            | Reason::NotFacingSitting(one, other) => vec![one, other],
            Reason::NoPath(here, there) | Reason::OtherRoom(here, there) => here.0.iter().chain(&there.0).collect(),
            Reason::DoorsClosed(doors, here, there) => doors.iter().chain(&here.0).chain(&there.0).collect(),
            Reason::Unsupported(_) => Vec::new(),
        }
    }

    /// Its type in the paper; `None` where the simulator itself breaks off, and where a number is negative, which none of the paper's
    /// patterns fits.
    pub fn error_type(&self) -> Option<ErrorType> {
        if self.breaks_off() || self.shows().iter().any(|shown| shown.id < 0) {
            return None;
        }
        Some(match self {
            Reason::NotInState(..)
            | Reason::StillOn(_)
            | Reason::Unplugged(_)
            | Reason::NotWorn(..)
            | Reason::Lying(_) => ErrorType::UnflippedBooleanState,
            Reason::NotFacing(..) | Reason::NotFacingSitting(..) => ErrorType::FieldOfView,
            Reason::OtherRoom(..) => ErrorType::AbsentFromRoom,
            Reason::NotHolding(..) | Reason::NoKnife(_) | Reason::NotGrabbed(_) | Reason::NothingHeld(_) => {
                ErrorType::MissingObject
            }
            Reason::Enclosed(_) => ErrorType::EnclosedObject,
            Reason::Unsuited(..) | Reason::NothingEatable(_) => ErrorType::InvalidAction,
            Reason::NoFreeHand(_) => ErrorType::OverOccupiedAgent,
            Reason::NotClose(..) => ErrorType::AgentProximity,
            Reason::Sitting(_)
            | Reason::NotSitting(_)
            | Reason::NotResting(_)
            | Reason::Full(_)
            | Reason::NotFound(_)
            | Reason::NoPath(..)
            | Reason::DoorsClosed(..) => ErrorType::OtherPrecondition,
            Reason::Unsupported(_) => return None,
        })
    }

    /// Its name in the authors' code, finer than the paper's types.
    pub fn authors_type(&self) -> Option<&'static str> {
        Some(match self {
            Reason::Sitting(_) => "already_sitting",
            Reason::NotSitting(_) | Reason::NotResting(_) => "missing_step",
            Reason::Full(_) => "max_occupancy",
            Reason::NotFound(_) => "not_find",
            Reason::NoPath(..) => "no_path",
            Reason::DoorsClosed(..) => "door_closed",
            Reason::NothingHeld(_) => "not_holding_any",
            other => match other.error_type()? {
                ErrorType::UnflippedBooleanState => "unflipped_boolean_state",
                ErrorType::FieldOfView => "not_facing",
                ErrorType::AbsentFromRoom => "invalid_room",
                ErrorType::MissingObject => "not_holding",
                ErrorType::EnclosedObject => "internally_contained",
                ErrorType::InvalidAction => "invalid_action",
                ErrorType::OverOccupiedAgent => "hands_full",
                ErrorType::AgentProximity => "proximity",
                ErrorType::EmptyProgram | ErrorType::OtherPrecondition => return None,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_papers_patterns_do_not_fit_has_no_type() {
        let shown = |id| Shown { class: "cup".into(), id };
        let room = |id: Option<i64>| Room(id.map(shown));
        assert_eq!(Reason::NotFound(shown(5)).error_type(), Some(ErrorType::OtherPrecondition));
        assert_eq!(Reason::NotFound(shown(-5)).error_type(), None);
        assert_eq!(Reason::NotClose(shown(1), shown(-5)).error_type(), None);
        let no_path = |there| Reason::NoPath(room(Some(1)), room(there));
        assert_eq!(no_path(Some(2)).error_type(), Some(ErrorType::OtherPrecondition));
        assert_eq!((no_path(None).error_type(), no_path(None).authors_type()), (None, Some("no_path")));
        assert!(no_path(None).breaks_off() && !no_path(Some(2)).breaks_off());
        assert!(Reason::OtherRoom(room(None), room(Some(2))).breaks_off());
    }
}
