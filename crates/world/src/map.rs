//! Pictures of a place, for display: a floor plan (floor, walls, the agent and its heading, the things), stacks seen from the side, a
//! page that one reads, rooms with what is in them, or places by kind.
//!
//! A world fills them, a floor plan with points in its own units; how they are drawn, and how large, is left to the workbench. They
//! may show what the agent has not seen, as long as they say so.

/// A point of the plan: to the right, and up.
pub type Point = (f64, f64);

/// A picture of the present state for the State pane; each world has the kind that suits it.
#[derive(Debug, Clone, PartialEq)]
pub enum Map {
    FloorPlan(FloorPlan),
    Stacks(Stacks),
    Page(Page),
    /// Room by room, where the world knows rooms and no measures.
    Rooms(Rooms),
    /// Places of one room, where the world knows neither rooms nor measures.
    Places(Places),
}

/// The places of a room, as far as the agent knows them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Places {
    /// Where the agent is, and what it holds.
    pub title: String,
    /// The places by kind; a place is always in the same one.
    pub kinds: Vec<PlaceKind>,
    /// What was found in the places looked into, the agent's own first.
    pub found: Vec<Fact>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlaceKind {
    pub name: String,
    pub places: Vec<Place>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// What tells it from others of its kind.
    pub number: String,
    pub known: Known,
}

/// What the agent knows of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// It is there.
    Here,
    LookedInto,
    Closed,
    NotVisited,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rooms {
    /// Captions beside it, a line each.
    pub captions: Vec<String>,
    pub rooms: Vec<Room>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Room {
    pub name: String,
    pub here: bool,
    pub exits: Vec<Exit>,
    /// The notes on the things in it, a line each (`fridge_1 (open)`), the most important first.
    pub things: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exit {
    pub to: String,
    pub open: bool,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct FloorPlan {
    /// Captions beside it, a line each (`holds nothing`).
    pub captions: Vec<String>,
    pub floor: Vec<Spot>,
    /// The distance of neighbouring floor points.
    pub step: f64,
    pub lines: Vec<Line>,
    pub agent: Option<Agent>,
    pub marks: Vec<Mark>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spot {
    pub at: Point,
    /// Whether it lies in what the agent sees now.
    pub in_view: bool,
}

/// A line that cannot be seen through.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    pub from: Point,
    pub to: Point,
    /// Whether it is an open door, and not a wall.
    pub door: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agent {
    pub at: Point,
    /// Degrees clockwise from up.
    pub heading: f64,
}

/// How much the agent knows of a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sight {
    Unseen,
    /// Seen before, not now.
    Remembered,
    Seen,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    pub at: Point,
    /// The letter it is drawn as, upper case.
    pub letter: char,
    pub name: String,
    /// Its kind; things of a kind share a line of the legend.
    pub kind: String,
    /// Its condition, in words; empty where there is nothing to say.
    pub note: String,
    pub sight: Sight,
    /// Whether the task is about it: it is drawn over others and has a separate line.
    pub wanted: bool,
}

/// Things that stand on each other, seen from the side.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stacks {
    /// Captions beside it, a line each.
    pub captions: Vec<String>,
    /// Holders side by side, from the left.
    pub holders: Vec<Holder>,
    /// The meaning of [`Condition::Good`] here (`clean`).
    pub good: String,
    /// The meaning of [`Condition::Bad`] here (`dirty`).
    pub bad: String,
}

/// A place for stacks to stand in or on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Holder {
    /// The container's name; the ground itself if `None`.
    pub name: Option<String>,
    pub stacks: Vec<Vec<Piece>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    pub label: String,
    pub condition: Condition,
    pub hides: bool,
    /// Whether it is another way in truth.
    pub apart: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// Captions above it, a line each.
    pub captions: Vec<String>,
    pub title: String,
    pub facts: Vec<Fact>,
    pub rows: Vec<Row>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// Its subject (`price`); may be empty.
    pub label: String,
    pub text: String,
    pub condition: Condition,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The subject of the choice (`size`).
    pub label: String,
    /// The values; whether each is chosen, and whether it is what the task asks for by that name.
    pub values: Vec<(String, bool, bool)>,
}

/// How a thing is, where the world has such a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// Neither, or not known.
    Plain,
    Good,
    /// As it should not be.
    Bad,
}
