//! The floor plan. Draws the kitchen from above: furniture, the things of the task, and when each was seen.

use super::geometry::{self, TOLERANCE};
use super::goal::Goal;
use super::notes;
use super::program::Observation;
use super::scene::{Point, Scene};
use super::sight;
use super::state::State;
use stepwright_world::map::{Agent, FloorPlan, Line, Mark, Sight, Spot};

/// Letters that differ from the type's first, so that what is in most kitchens can be distinguished.
const LETTERS: [(&str, char); 11] = [
    ("Bread", 'L'),
    ("BreadSliced", 'L'),
    ("Cabinet", 'B'),
    ("CounterTop", 'O'),
    ("DiningTable", 'Y'),
    ("SideTable", 'Y'),
    ("Faucet", 'U'),
    ("Microwave", 'W'),
    ("SoapBottle", 'Z'),
    ("StoveBurner", 'V'),
    ("StoveKnob", 'V'),
];

/// The plan at a moment; `goals` are those still to be met.
pub(crate) fn floor_plan(scene: &Scene, state: &State, observed: &Observation, goals: &[Goal]) -> FloorPlan {
    let robot = state.robot;
    let seen = sight::seen(scene, state);
    let wanted: Vec<usize> =
        goals.iter().flat_map(|goal| &goal.literal.args).filter_map(|name| scene.find(name)).collect();
    let mut marks = Vec::new();
    for &thing in &state.present {
        let (what, now) = (scene.thing(thing), state.now(thing));
        let asked = wanted.contains(&thing);
        let furniture = now.parent.is_none() || what.openable || what.toggleable;
        if now.sliced || state.in_hand(thing) || !(furniture || asked) {
            continue;
        }
        let known = match (seen.contains(&thing), observed.ever_seen(thing)) {
            (true, _) => Sight::Seen,
            (false, true) => Sight::Remembered,
            (false, false) => Sight::Unseen,
        };
        marks.push(Mark {
            at: (now.at.0, now.at.2),
            letter: letter(&what.kind),
            name: what.id.clone(),
            kind: what.kind.clone(),
            note: note(scene, state, thing),
            sight: known,
            wanted: asked,
        });
    }
    let door = |thing: &usize| {
        let open = state.now(*thing).open;
        scene.thing(*thing).doors.iter().filter(move |_| open).map(|(from, to)| Line {
            from: *from,
            to: *to,
            door: true,
        })
    };
    let walls = scene.occluders.iter().map(|(from, to)| Line { from: *from, to: *to, door: false });
    let lines: Vec<Line> = walls.chain(state.present.iter().flat_map(door)).collect();
    let in_view = |at: Point| in_view(scene, state, &lines, at);
    let floor = scene.grid.iter().map(|at| Spot { at: *at, in_view: in_view(*at) }).collect();
    let goal = match goals {
        [] => "all goals are met".to_owned(),
        [goal] => format!("goal {}", goal.literal),
        [next, ..] => format!("next of {} goals: {}", goals.len(), next.literal),
    };
    let hand = state.held.map_or("holds nothing".to_owned(), |held| format!("holds {}", scene.id_of(held)));
    let looks = format!("looks {}", notes::tilt(robot.horizon));
    FloorPlan {
        captions: vec![goal, format!("{hand}, {looks}")],
        floor,
        step: scene.body.grid_step,
        lines,
        agent: Some(Agent { at: (robot.x, robot.z), heading: robot.yaw }),
        marks,
    }
}

/// Whether a point of the floor lies in the angle and range of view, with nothing between.
fn in_view(scene: &Scene, state: &State, lines: &[Line], at: Point) -> bool {
    let here = (state.robot.x, state.robot.z);
    let far = geometry::distance(here, at);
    far <= scene.body.visibility_distance
        && (far < TOLERANCE
            || geometry::apart(geometry::bearing(here, at), state.robot.yaw) <= scene.body.half_fov_deg + TOLERANCE)
        && !lines.iter().any(|line| geometry::cross((here, at), (line.from, line.to)))
}

fn letter(kind: &str) -> char {
    let special = LETTERS.iter().find(|(known, _)| *known == kind).map(|(_, letter)| *letter);
    special.or_else(|| kind.chars().next()).map_or('?', |c| c.to_ascii_uppercase())
}

fn note(scene: &Scene, state: &State, thing: usize) -> String {
    let (what, now) = (scene.thing(thing), state.now(thing));
    let mut notes = notes::states(scene, state, thing);
    if let Some(parent) = now.parent.filter(|_| what.pickupable) {
        notes.push(format!("in {}", scene.id_of(parent)));
    }
    notes.join(", ")
}
