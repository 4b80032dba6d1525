//! Furnishing of a room: how many of each receptacle, where they stand, which objects lie where.

use std::collections::BTreeSet;

use rand::Rng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;

use super::rooms::{Room, Rooms};
use crate::household::compatibility;
use crate::household::definition::{ObjectDefinition, ReceptacleDefinition};

/// Of ten receptacles about this many share a place with their neighbour, as in ALFWorld's rooms.
const SHARED_IN_TEN: u32 = 2;

#[derive(Debug)]
pub(crate) struct Furnished {
    /// Where the agent starts: a place without a receptacle.
    pub start: String,
    pub receptacles: Vec<ReceptacleDefinition>,
    pub objects: Vec<ObjectDefinition>,
}

impl Furnished {
    pub(crate) fn kinds_of_objects(&self) -> BTreeSet<&str> {
        self.objects.iter().filter_map(|o| o.kind.as_deref()).collect()
    }

    pub(crate) fn kinds_of_receptacles(&self) -> BTreeSet<&str> {
        self.receptacles.iter().filter_map(|r| r.kind.as_deref()).collect()
    }
}

pub fn accepts(receptacle: &str, object: &str) -> bool {
    compatibility::embedded().get(receptacle).is_some_and(|objects| objects.contains(object))
}

pub(crate) fn furnish(rooms: &Rooms, room: &Room, rng: &mut ChaCha8Rng) -> Furnished {
    let mut receptacles = Vec::new();
    for (kind, least, most, openable) in &room.furniture {
        for number in (1..=rng.random_range(*least..=*most)).rev() {
            receptacles.push(ReceptacleDefinition {
                name: format!("{kind} {number}"),
                kind: Some(kind.clone()),
                loc: String::new(),
                openable: *openable,
                opened: false,
            });
        }
    }
    let start = place(&mut receptacles, rng);
    let mut objects = Vec::new();
    for (kind, least, most, able, places) in &room.things {
        let properties = rooms.abilities.get(able).map_or(&[][..], Vec::as_slice);
        for number in (1..=rng.random_range(*least..=*most)).rev() {
            let usual: Vec<&ReceptacleDefinition> = receptacles
                .iter()
                .filter(|r| r.kind.as_deref().is_some_and(|k| places.iter().any(|p| p == k)))
                // A lamp stands where the table puts it; everything else only where ALFWorld would let it be put.
                .filter(|r| {
                    properties.first() != Some(&super::Property::Pickupable)
                        || r.kind.as_deref().is_some_and(|k| accepts(k, kind))
                })
                .collect();
            let Some(at) = usual.choose(rng) else { continue };
            objects.push(ObjectDefinition {
                name: format!("{kind} {number}"),
                kind: Some(kind.clone()),
                inside_of: vec![at.name.clone()],
                at: vec![at.loc.clone()],
                props: properties.to_vec(),
                inside: Vec::new(),
            });
        }
    }
    number_down(&mut objects);
    Furnished { start, receptacles, objects }
}

/// Gives every receptacle a location, some of them shared with the one before; returns the agent's own.
fn place(receptacles: &mut [ReceptacleDefinition], rng: &mut ChaCha8Rng) -> String {
    let mut numbers: Vec<usize> = (1..=receptacles.len() + 1).collect();
    numbers.shuffle(rng);
    let mut previous: Option<String> = None;
    for receptacle in receptacles {
        let shared = rng.random_ratio(SHARED_IN_TEN, 10);
        let own = numbers.pop().map(|n| format!("loc {n}")).unwrap_or_default();
        let location = previous.filter(|_| shared).unwrap_or(own);
        receptacle.loc.clone_from(&location);
        previous = Some(location);
    }
    numbers.pop().map(|n| format!("loc {n}")).unwrap_or_default()
}

/// An object that found no place leaves a gap; numbers run from n down to 1 again within each kind.
fn number_down(objects: &mut [ObjectDefinition]) {
    let kinds: Vec<String> = objects.iter().map(|o| o.kind.clone().unwrap_or_default()).collect();
    for (i, object) in objects.iter_mut().enumerate() {
        let kind = kinds.get(i).map(String::as_str).unwrap_or_default();
        let after = kinds.iter().skip(i).filter(|k| *k == kind).count();
        object.name = format!("{kind} {after}");
    }
}
