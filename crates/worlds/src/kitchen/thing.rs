//! Thing of a kitchen: what no action changes of it.

use serde::Deserialize;

/// A point in plan: x and z, in metres.
pub type Point = (f64, f64);
pub type Segment = (Point, Point);

/// A thing's lasting properties. Slices are things too; they are absent until something is sliced.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Thing {
    /// The id, unique in the scene, without white space.
    pub id: String,
    /// Its type (`Mug`).
    #[serde(rename = "type")]
    pub kind: String,
    pub receptacle: bool,
    pub openable: bool,
    pub toggleable: bool,
    pub pickupable: bool,
    pub moveable: bool,
    pub sliceable: bool,
    pub cookable: bool,
    pub dirtyable: bool,
    pub fillable: bool,
    /// How many things it takes directly; no bound if `None`.
    pub capacity: Option<usize>,
    /// Things that keep anything else from being put here while they are in it.
    #[serde(skip)]
    pub obstructed_by: Vec<usize>,
    #[serde(skip)]
    pub controls: Option<usize>,
    #[serde(skip)]
    pub slices: Vec<usize>,
    /// The plan segments of its doors, hinge first.
    #[serde(skip)]
    pub doors: Vec<Segment>,
}
