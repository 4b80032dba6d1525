//! Furniture of the generated rooms, from `worlds/household/rooms.toml`: receptacles and how many, objects with their abilities
//! and where they usually lie.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::household::Property;

/// A kind of receptacle in a room: type, least and most of them, whether it opens.
pub type Furniture = (String, usize, usize, bool);

/// A kind of object in a room: type, least and most of them, abilities beyond lying there, usual places.
pub type Thing = (String, usize, usize, String, Vec<String>);

#[derive(Debug, Deserialize)]
pub struct Room {
    /// First floor plan number of its kind; ALFWorld numbers kitchens 1 to 30, living rooms from 201, and so on.
    pub scene: i64,
    pub furniture: Vec<Furniture>,
    pub things: Vec<Thing>,
}

#[derive(Debug, Deserialize)]
pub struct Rooms {
    pub abilities: BTreeMap<String, Vec<Property>>,
    pub rooms: BTreeMap<String, Room>,
}

pub fn shipped() -> Result<&'static Rooms, String> {
    static ROOMS: LazyLock<Result<Rooms, String>> = LazyLock::new(|| {
        toml::from_str(include_str!("../../../worlds/household/rooms.toml")).map_err(|e| format!("rooms.toml: {e}"))
    });
    ROOMS.as_ref().map_err(Clone::clone)
}
