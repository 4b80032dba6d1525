//! Queries of generators on a table.

use super::super::{Kind, TABLE, Table};

/// The names of a kind, in the order they are listed.
pub fn of_kind(table: &Table, kind: Kind) -> Vec<String> {
    table.things().iter().filter(|thing| thing.kind == kind).map(|thing| thing.name.clone()).collect()
}

pub fn inside(table: &Table, below: &str) -> Vec<String> {
    table.things().iter().map(|thing| &thing.name).filter(|name| table.place_of(name) == Some(below)).cloned().collect()
}

pub fn on(table: &Table, block: &str) -> Option<String> {
    inside(table, block).pop()
}

pub fn below(table: &Table, block: &str) -> Option<String> {
    let place = table.place_of(block)?;
    (Kind::of(place) == Some(Kind::Block)).then(|| place.to_owned())
}

pub fn container(table: &Table, block: &str) -> Option<String> {
    let place = table.place_of(block)?;
    match Kind::of(place) {
        Some(Kind::Block) => container(table, place),
        Some(kind) if kind.contains() && place != TABLE => Some(place.to_owned()),
        _ => None,
    }
}

/// All blocks in a container, whole stacks.
pub fn contents(table: &Table, bowl: &str) -> Vec<String> {
    let blocks = of_kind(table, Kind::Block);
    blocks.into_iter().filter(|block| container(table, block).as_deref() == Some(bowl)).collect()
}
