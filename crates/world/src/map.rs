//! Pictures of a place, for display: a floor plan (floor, walls, the agent and its heading, the things), stacks seen from the side, a
//! page that one reads, or rooms with what is in them.
//!
//! A world fills them, a floor plan with points in its own units; how they are drawn, and how large, is left to the workbench. They
//! may show what the agent has not seen, as long as they say so.

/// A point of the plan: to the right, and up.
pub type Point = (f64, f64);

/// A picture of a place.
#[derive(Debug, Clone, PartialEq)]
pub enum Map {
    /// Seen from above.
    FloorPlan(FloorPlan),
    /// Seen from the side.
    Stacks(Stacks),
    /// Read.
    Page(Page),
    /// Room by room, where the world knows rooms and no measures.
    Rooms(Rooms),
}

/// Rooms and what is in them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rooms {
    /// Captions beside it, a line each.
    pub captions: Vec<String>,
    /// The rooms.
    pub rooms: Vec<Room>,
}

/// A room.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Room {
    /// Its name.
    pub name: String,
    /// Whether the agent is in it.
    pub here: bool,
    /// Its exits.
    pub exits: Vec<Exit>,
    /// What is worth saying of what is in it, a line each (`fridge_1 (open)`), the most important first.
    pub things: Vec<String>,
}

/// An exit from one room to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exit {
    /// The other room's name.
    pub to: String,
    /// Whether one can walk through.
    pub open: bool,
}

/// A floor plan.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FloorPlan {
    /// Captions beside it, a line each (`holds nothing`).
    pub captions: Vec<String>,
    /// The points one can stand on.
    pub floor: Vec<Spot>,
    /// The distance of neighbouring floor points.
    pub step: f64,
    /// Lines that cannot be seen through.
    pub lines: Vec<Line>,
    /// The agent, if it has a place.
    pub agent: Option<Agent>,
    /// Things.
    pub marks: Vec<Mark>,
}

/// A point of the floor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spot {
    /// Where.
    pub at: Point,
    /// Whether it lies in what the agent sees now.
    pub in_view: bool,
}

/// A line that cannot be seen through.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// One end.
    pub from: Point,
    /// The other.
    pub to: Point,
    /// Whether it is an open door, and not a wall.
    pub door: bool,
}

/// The agent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agent {
    /// Its place.
    pub at: Point,
    /// Degrees clockwise from up.
    pub heading: f64,
}

/// How much the agent knows of a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sight {
    /// Never seen.
    Unseen,
    /// Seen before, not now.
    Remembered,
    /// Seen now.
    Seen,
}

/// A thing on the plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Where.
    pub at: Point,
    /// The letter it is drawn as, upper case.
    pub letter: char,
    /// Its name.
    pub name: String,
    /// Its kind; things of a kind share a line of the legend.
    pub kind: String,
    /// Its condition, in words; empty where there is nothing to say.
    pub note: String,
    /// What the agent knows of it.
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
    /// What [`Condition::Good`] means here (`clean`).
    pub good: String,
    /// What [`Condition::Bad`] means here (`dirty`).
    pub bad: String,
}

/// What stacks stand in or on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Holder {
    /// The container's name; the ground itself if `None`.
    pub name: Option<String>,
    /// The stacks, each lowest piece first.
    pub stacks: Vec<Vec<Piece>>,
}

/// One thing of a stack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// What is written on it.
    pub label: String,
    /// How it is.
    pub condition: Condition,
    /// Whether it hides what is below it.
    pub hides: bool,
}

/// A page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// Captions above it, a line each.
    pub captions: Vec<String>,
    /// Its title.
    pub title: String,
    /// What it says.
    pub facts: Vec<Fact>,
    /// What can be chosen on it.
    pub rows: Vec<Row>,
}

/// Something that a page says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// What it is about (`price`); may be empty.
    pub label: String,
    /// What is said.
    pub text: String,
    /// How that is.
    pub condition: Condition,
}

/// A row of choices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// What is chosen (`size`).
    pub label: String,
    /// The values; whether each is chosen, and whether it is what the task asks for by that name.
    pub values: Vec<(String, bool, bool)>,
}

/// How a thing is, where the world has such a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// Neither, or not known.
    Plain,
    /// As it should be.
    Good,
    /// As it should not be.
    Bad,
}
