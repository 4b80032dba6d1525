//! Program form of the table: how a trajectory opens, and the calls at its beginning and with each request.

use super::episode::Episode;
use super::rules::Table;
use super::scene::Scene;
use stepwright_program::{Call, Literal};
use stepwright_world::ProgramHeader;

pub fn header(episode: Option<&Episode>) -> ProgramHeader {
    let word = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    let id = episode.map_or("", |episode| episode.id.as_str());
    ProgramHeader {
        function: format!("answer_{id}").chars().map(word).collect(),
        comment: episode.map(Episode::sentence).unwrap_or_default(),
        setup: vec!["table = Table()".to_owned(), "person = Person()".to_owned(), "robot = Robot(table)".to_owned()],
    }
}

pub fn beginning(scene: &Scene) -> Vec<Call> {
    match scene {
        Scene::Table(table) => of_table(table),
        Scene::Cups(cups) => vec![Call::new("table", "set_cups", cups.iter().map(|ball| Literal::Bool(*ball)))],
    }
}

fn of_table(table: &Table) -> Vec<Call> {
    let names = table.things().iter().map(|thing| thing.name.as_str());
    let mut calls = vec![Call::new("table", "set_objects", names)];
    let places = table.things().iter().filter_map(|thing| Some((thing, table.place_of(&thing.name)?)));
    let lying = places.filter(|(_, place)| *place != super::TABLE);
    calls.extend(lying.map(|(thing, place)| Call::new("table", "set_place", [thing.name.as_str(), place])));
    calls
}

pub fn request(query: &str) -> Call {
    Call::new("person", "ask", [query])
}
