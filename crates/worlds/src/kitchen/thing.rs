//! Thing of a kitchen: what no action changes of it.

use serde::de::Error;
use serde::{Deserialize, Deserializer};

use stepwright_world::files::or_default;

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
    #[serde(deserialize_with = "or_default")]
    pub receptacle: bool,
    #[serde(deserialize_with = "or_default")]
    pub openable: bool,
    #[serde(deserialize_with = "or_default")]
    pub toggleable: bool,
    #[serde(deserialize_with = "or_default")]
    pub pickupable: bool,
    #[serde(deserialize_with = "or_default")]
    pub moveable: bool,
    #[serde(deserialize_with = "or_default")]
    pub sliceable: bool,
    #[serde(deserialize_with = "or_default")]
    pub cookable: bool,
    #[serde(deserialize_with = "or_default")]
    pub dirtyable: bool,
    #[serde(deserialize_with = "or_default")]
    pub fillable: bool,
    /// How many things it takes directly; no bound if `None`.
    #[serde(deserialize_with = "count")]
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

/// Reads a count; other programs may write a whole number as `3.0`.
pub(super) fn count<'de, D: Deserializer<'de>>(from: D) -> Result<Option<usize>, D::Error> {
    match Option::<f64>::deserialize(from)? {
        None => Ok(None),
        Some(n) if n.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&n) => Ok(Some(n as usize)),
        Some(n) => Err(D::Error::custom(format!("{n} is no count; a whole number from 0 is expected"))),
    }
}
