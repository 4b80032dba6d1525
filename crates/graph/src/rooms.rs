//! Rooms and the doors between them: which room a thing is in, and whether one can walk from one room to another.

use std::collections::VecDeque;

use crate::graph::{At, DOORS, Graph};
use crate::reason::Room;
use crate::vocabulary::{Relation, State};

impl Graph {
    /// The room of a thing: itself if it is one, else the one it is directly inside, of the lowest id if there are several.
    pub fn room_of(&self, at: At) -> Option<At> {
        if self.node(at).is_room() {
            return Some(at);
        }
        let rooms = self.targets(at, Relation::Inside).filter(|other| self.node(*other).is_room());
        rooms.min_by_key(|room| self.node(*room).id)
    }

    pub(crate) fn shown_room_of(&self, at: At) -> Room {
        Room(self.room_of(at).map(|room| self.node(room).shown()))
    }

    /// Whether a node is a door or a doorjamb: what rooms are connected by.
    pub fn is_door_like(&self, at: At) -> bool {
        DOORS.contains(&&*self.node(at).class)
    }
}

struct Door {
    at: At,
    rooms: [At; 2],
}

/// The doors that connect rooms, those of the class `door` first, each class by id.
fn doors(graph: &Graph) -> Vec<Door> {
    let door = |at: &At| {
        // The two rooms of the lowest ids.
        let mut rooms: [Option<At>; 2] = [None, None];
        for room in graph.targets(*at, Relation::Between) {
            let before = |known: Option<At>| known.is_none_or(|known| graph.node(room).id < graph.node(known).id);
            if before(rooms[0]) {
                rooms = [Some(room), rooms[0]];
            } else if before(rooms[1]) {
                rooms[1] = Some(room);
            }
        }
        Some(Door { at: *at, rooms: [rooms[0]?, rooms[1]?] })
    };
    graph.doors().iter().filter_map(door).collect()
}

/// The path from one room to another, breadth first through the doors that are allowed: each door on it, from the goal back.
fn way(doors: &[Door], from: At, to: At, allowed: impl Fn(At) -> bool) -> Option<Vec<At>> {
    let mut came: Vec<(At, At, At)> = Vec::new(); // a room, the room before it, the door between them
    let mut next = VecDeque::from([from]);
    while let Some(room) = next.pop_front() {
        if room == to {
            let mut way = Vec::new();
            let mut now = room;
            while let Some((_, before, door)) = came.iter().find(|(reached, ..)| *reached == now && now != from) {
                way.push(*door);
                now = *before;
            }
            return Some(way);
        }
        for door in doors.iter().filter(|door| allowed(door.at)) {
            let other = match door.rooms {
                [a, b] if a == room => b,
                [a, b] if b == room => a,
                _ => continue,
            };
            if other != from && !came.iter().any(|(reached, ..)| *reached == other) {
                came.push((other, room, door.at));
                next.push_back(other);
            }
        }
    }
    None
}

/// The closed doors that bar the path from one room to another, the nearest to the goal first; none if it can be walked; `None` if no
/// doors connect the two at all.
pub(crate) fn closed_doors(graph: &Graph, from: At, to: At) -> Option<Vec<At>> {
    if from == to {
        return Some(Vec::new());
    }
    let doors = doors(graph);
    let open = |door| !graph.is(door, State::Closed);
    if way(&doors, from, to, open).is_some() {
        return Some(Vec::new());
    }
    let mut barring = way(&doors, from, to, |_| true)?;
    barring.retain(|door| !open(*door));
    Some(barring)
}
