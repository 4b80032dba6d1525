//! Loader of scene files, with checks: all that a [`Scene`] holds afterwards is sound. Errors say where and what would be right.

use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::Value;

use super::goal::Goal;
use super::receptacles::Receptacles;
use super::scene::{Body, Point, Scene, Segment, Task, Thing};
use super::state::{Now, Robot, State};
use super::thing::count;
use stepwright_world::files::{at_most, or_default};

/// The most objects, slices to come included.
const MOST_THINGS: usize = 4_000;
/// The most slices one thing becomes.
const MOST_SLICES: usize = 64;
const MOST_GRID: usize = 50_000;
/// The most doors, occluders, poses or tasks.
const MOST_OTHERS: usize = 1_000;
/// The longest id, in bytes.
const LONGEST_ID: usize = 200;
/// The farthest coordinate, in metres; the largest angle, in degrees.
const FARTHEST: f64 = 10_000.0;
/// The slice that cannot be picked up.
const CRACKED_EGG: &str = "EggCracked";

#[derive(Deserialize)]
struct SceneFile {
    id: String,
    room: Option<String>,
    camera_y: f64,
    body_y: f64,
    close_distance: Option<f64>,
    visibility_distance: Option<f64>,
    half_fov_deg: Option<f64>,
    stand_off: Option<f64>,
    grid_step: Option<f64>,
    robot: Robot,
    room_poses: Vec<[f64; 3]>,
    #[serde(default, deserialize_with = "or_default")]
    doors: Vec<DoorEntry>,
    #[serde(default, deserialize_with = "or_default")]
    occluders: Vec<Value>,
    #[serde(default, deserialize_with = "or_default")]
    failure_points: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    tasks: IndexMap<String, TaskEntry>,
    objects: Vec<ObjectEntry>,
    grid: Vec<[f64; 2]>,
}

#[derive(Deserialize)]
struct DoorEntry {
    object: String,
    hinge: [f64; 2],
    end: [f64; 2],
}

#[derive(Deserialize)]
struct TaskEntry {
    goals: Vec<String>,
    text: String,
}

/// An object; what it names by ids is looked up once all are known.
#[derive(Deserialize)]
struct ObjectEntry {
    #[serde(flatten)]
    thing: Thing,
    #[serde(flatten)]
    now: Now,
    x: f64,
    y: f64,
    z: f64,
    parent: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    obstructed_by: Vec<String>,
    controls: Option<String>,
    slice_type: Option<String>,
    #[serde(default, deserialize_with = "count")]
    slices: Option<usize>,
}

pub fn scene(text: &str, accepts: Receptacles) -> Result<Scene, String> {
    let file: SceneFile = serde_json::from_str(text).map_err(|e| format!("no scene: {e}"))?;
    at_most("objects", file.objects.len(), MOST_THINGS)?;
    at_most("grid", file.grid.len(), MOST_GRID)?;
    for (what, count) in [
        ("doors", file.doors.len()),
        ("occluders", file.occluders.len()),
        ("room_poses", file.room_poses.len()),
        ("tasks", file.tasks.len()),
    ] {
        at_most(what, count, MOST_OTHERS)?;
    }
    name("id", &file.id)?;
    let room = file.room.clone().unwrap_or_else(|| "kitchen".to_owned());
    name("room", &room)?;
    let robot = file.robot;
    within("robot", &[robot.x, robot.z, robot.yaw, robot.horizon])?;
    let body = body(&file)?;
    let grid = file.grid.iter().enumerate().map(|(i, p)| point(&format!("grid[{i}]"), *p)).collect::<Result<_, _>>()?;
    let mut poses = Vec::new();
    for (i, [x, z, yaw]) in file.room_poses.iter().copied().enumerate() {
        within(&format!("room_poses[{i}]"), &[x, z, yaw])?;
        poses.push((x, z, yaw));
    }
    if poses.is_empty() {
        return Err("room_poses is empty; `walk_to_room` needs at least one [x, z, yaw]".to_owned());
    }
    let mut occluders = Vec::new();
    for (i, entry) in file.occluders.iter().enumerate() {
        occluders.push(occluder(&format!("occluders[{i}]"), entry)?);
    }
    let (things, start) = Builder::new(&file)?.build(&file, robot)?;
    let tasks = tasks(file.tasks, &things)?;
    Ok(Scene {
        id: file.id,
        room,
        failure_points: file.failure_points,
        body,
        grid,
        room_poses: poses,
        occluders,
        accepts,
        tasks,
        start,
        things,
        nothing: Thing::default(),
    })
}

/// Things with their ids looked up: those of the file, then every slice that may come.
struct Builder {
    index: FxHashMap<String, usize>,
}

impl Builder {
    fn new(file: &SceneFile) -> Result<Builder, String> {
        let mut index = FxHashMap::default();
        let mut add = |id: String, place: &str| {
            name(place, &id)?;
            let next = index.len();
            if next == MOST_THINGS {
                return Err(format!("{place}: more than {MOST_THINGS} objects and slices; leave some out"));
            }
            match index.insert(id.clone(), next) {
                None => Ok(()),
                Some(_) => {
                    Err(format!("{place}: there is already a `{id}`; every object and slice needs an id of its own"))
                }
            }
        };
        for (i, object) in file.objects.iter().enumerate() {
            add(object.thing.id.clone(), &format!("objects[{i}].id"))?;
        }
        for (i, object) in file.objects.iter().enumerate() {
            for id in slice_ids(object).map_err(|e| format!("objects[{i}] ({}): {e}", object.thing.id))? {
                add(id, &format!("objects[{i}], a slice"))?;
            }
        }
        Ok(Builder { index })
    }

    fn find(&self, id: &str, what: &str) -> Result<usize, String> {
        self.index
            .get(id)
            .copied()
            .ok_or_else(|| format!("{what} `{id}` is no object of the scene; name one by its id"))
    }

    fn build(&self, file: &SceneFile, robot: Robot) -> Result<(Vec<Thing>, State), String> {
        let mut things = Vec::new();
        let mut now = Vec::new();
        let mut slices = Vec::new();
        for (i, object) in file.objects.iter().enumerate() {
            let located = |e: String| format!("objects[{i}] ({}): {e}", object.thing.id);
            within("position", &[object.x, object.y, object.z]).map_err(located)?;
            things.push(self.thing(object, &mut slices).map_err(located)?);
            now.push(self.condition(object).map_err(located)?);
        }
        let present = (0..things.len()).collect();
        things.append(&mut slices);
        now.resize(things.len(), Now::default());
        for (i, entry) in file.doors.iter().enumerate() {
            let place = format!("doors[{i}]");
            let owner = self.find(&entry.object, &format!("{place}: object"))?;
            let door = (point(&format!("{place}.hinge"), entry.hinge)?, point(&format!("{place}.end"), entry.end)?);
            if let Some(thing) = things.get_mut(owner) {
                thing.doors.push(door);
            }
        }
        let state = State { robot, held: None, room_walks: 0, present, now };
        for (i, object) in file.objects.iter().enumerate() {
            // A chain that continues for as many steps as there are things has come round.
            if state.around(i).count() >= state.now.len() {
                return Err(format!(
                    "objects[{i}] ({}): its parents go round in a circle; one of them must be null",
                    object.thing.id
                ));
            }
        }
        Ok((things, state))
    }

    fn thing(&self, object: &ObjectEntry, slices: &mut Vec<Thing>) -> Result<Thing, String> {
        name("type", &object.thing.kind)?;
        let mut own = Vec::new();
        for id in slice_ids(object)? {
            own.push(self.find(&id, "slice")?);
            let kind = object.slice_type.clone().unwrap_or_default();
            let pickupable = kind != CRACKED_EGG;
            slices.push(Thing { id, kind, cookable: true, pickupable, ..Thing::default() });
        }
        let obstructed_by =
            object.obstructed_by.iter().map(|id| self.find(id, "obstructed_by:")).collect::<Result<_, _>>()?;
        let controls = object.controls.as_deref().map(|id| self.find(id, "controls:")).transpose()?;
        Ok(Thing { obstructed_by, controls, slices: own, ..object.thing.clone() })
    }

    fn condition(&self, object: &ObjectEntry) -> Result<Now, String> {
        let parent = object.parent.as_deref().map(|id| self.find(id, "parent")).transpose()?;
        Ok(Now { at: (object.x, object.y, object.z), parent, ..object.now })
    }
}

fn slice_ids(object: &ObjectEntry) -> Result<Vec<String>, String> {
    if !object.thing.sliceable || object.now.sliced {
        return Ok(Vec::new());
    }
    let kind = object.slice_type.as_deref().ok_or("it is sliceable but has no slice_type, such as \"AppleSliced\"")?;
    let slices = object.slices.unwrap_or_default();
    at_most("slices", slices, MOST_SLICES)?;
    Ok((0..slices).map(|i| format!("{}|{kind}_{i}", object.thing.id)).collect())
}

fn tasks(entries: IndexMap<String, TaskEntry>, things: &[Thing]) -> Result<Vec<Task>, String> {
    let mut tasks = Vec::new();
    for (task, entry) in entries {
        name("tasks", &task)?;
        if entry.goals.is_empty() || entry.goals.len() > MOST_OTHERS {
            return Err(format!("tasks.{task}.goals must hold from 1 to {MOST_OTHERS} goal literals"));
        }
        let read = |text: &String| Goal::read(text, things).map_err(|e| format!("tasks.{task}.goals: {e}"));
        let goals = entry.goals.iter().map(read).collect::<Result<_, _>>()?;
        tasks.push(Task { name: task, text: entry.text, goals });
    }
    Ok(tasks)
}

fn body(file: &SceneFile) -> Result<Body, String> {
    let body = Body {
        camera_y: file.camera_y,
        body_y: file.body_y,
        close_distance: file.close_distance.unwrap_or(1.75),
        visibility_distance: file.visibility_distance.unwrap_or(10.0),
        half_fov_deg: file.half_fov_deg.unwrap_or(45.0),
        stand_off: file.stand_off.unwrap_or(1.2),
        grid_step: file.grid_step.unwrap_or(0.25),
    };
    within("camera_y, body_y", &[body.camera_y, body.body_y])?;
    let sizes = [
        ("close_distance", body.close_distance),
        ("visibility_distance", body.visibility_distance),
        ("half_fov_deg", body.half_fov_deg),
        ("stand_off", body.stand_off),
        ("grid_step", body.grid_step),
    ];
    for (what, size) in sizes {
        if !(0.0..=FARTHEST).contains(&size) {
            return Err(format!("{what} is {size}; it must be from 0 to {FARTHEST}"));
        }
    }
    Ok(body)
}

/// A segment, written as two points, as four numbers, or as an object of two points under names of any kind.
fn occluder(place: &str, entry: &Value) -> Result<Segment, String> {
    let points: Vec<[f64; 2]> = match entry {
        Value::Object(map) => map.values().filter_map(|v| serde_json::from_value(v.clone()).ok()).collect(),
        other => serde_json::from_value::<Vec<[f64; 2]>>(other.clone())
            .or_else(|_| serde_json::from_value::<[f64; 4]>(other.clone()).map(|[a, b, c, d]| vec![[a, b], [c, d]]))
            .unwrap_or_default(),
    };
    match points.as_slice() {
        [from, to] => Ok((point(place, *from)?, point(place, *to)?)),
        _ => Err(format!("{place} is no segment; write it as [[x, z], [x, z]]")),
    }
}

fn point(place: &str, [x, z]: [f64; 2]) -> Result<Point, String> {
    within(place, &[x, z])?;
    Ok((x, z))
}

fn within(place: &str, values: &[f64]) -> Result<(), String> {
    match values.iter().find(|v| !(-FARTHEST..=FARTHEST).contains(*v)) {
        None => Ok(()),
        Some(value) => {
            Err(format!("{place}: {value} is out of range; numbers from -{FARTHEST} to {FARTHEST} are possible"))
        }
    }
}

/// Checks a name that actions and literals are to hold as one word.
fn name(place: &str, name: &str) -> Result<(), String> {
    let sound = !name.is_empty()
        && name.len() <= LONGEST_ID
        && !name.chars().any(|c| c.is_whitespace() || c.is_control())
        && name != super::action::CHARACTER;
    if sound {
        return Ok(());
    }
    Err(format!(
        "{place}: {name:?} is no name; one word without white space is expected, at most {LONGEST_ID} bytes and not `{}`",
        super::action::CHARACTER
    ))
}
