//! Preparation: finds the things a program names in a scene, adds those that are missing, and makes true what the program presumes.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::conditions::{Condition, Key, Presumed, ROOMS, ScriptFail, infer};
use crate::graph::{At, CHARACTER, Graph, GraphError, Node};
use crate::names::{Names, PropertyTable};
use crate::rules::is_seat;
use crate::script::{Line, Script};
use crate::vocabulary::{Property, Relation, State, States};

/// The category of things that are added and of no class the scene has.
const PLACEABLE: &str = "placable_objects";
/// The ids that things have which are added.
const ADDED: std::ops::Range<i64> = 1000..2000;

/// A program made ready to run in a scene.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The scene with what was missing and what is presumed.
    pub graph: Graph,
    /// The program with the scene's names and ids.
    pub script: Script,
    /// Each thing of the program by its name in the scene and its number, with its id; the character first.
    pub ids: Vec<(Key, i64)>,
    /// The class of the room for things without a known place.
    pub default_room: Arc<str>,
    /// The program's presumptions, in its own names.
    pub conditions: Vec<Condition>,
}

/// Why a program cannot be made ready.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PrepareError {
    #[error(transparent)]
    Contradiction(#[from] ScriptFail),
    /// A condition names something that no line of the program names, once rooms are replaced; displayed as the reference says it.
    #[error("KeyError: ('{}', {})", .0.name, .0.number)]
    NotNamed(Key),
    /// The scene has no room that could stand for the one named.
    #[error("No equivalent room in graph for room: {0}")]
    NoRoom(Arc<str>),
    /// The class of a thing that would be added has no known properties.
    #[error("no properties are known of `{name}`, which the scene has not{}", near(.nearest))]
    UnknownClass {
        name: Arc<str>,
        /// The known classes that come nearest.
        nearest: Vec<String>,
    },
    #[error(transparent)]
    Graph(#[from] GraphError),
}

fn near(nearest: &[String]) -> String {
    if nearest.is_empty() { String::new() } else { format!("; did you mean {}?", nearest.join(" or ")) }
}

#[derive(Debug, Clone, Copy)]
pub struct Tables<'a> {
    /// The scene's words for names of programs.
    pub names: &'a Names,
    pub properties: &'a PropertyTable,
}

/// Makes a program ready: infers what it presumes, finds or adds its things, and makes the conditions true.
/// Errors: if the program contradicts itself or names what cannot be placed; the scene is not touched.
pub fn prepare(scene: &Graph, program: &[Line], tables: Tables<'_>) -> Result<Prepared, PrepareError> {
    let conditions = infer(program, tables.properties)?;
    prepare_for(scene, program, conditions, tables)
}

pub(crate) fn prepare_for(
    scene: &Graph,
    program: &[Line],
    conditions: Vec<Condition>,
    tables: Tables<'_>,
) -> Result<Prepared, PrepareError> {
    let mut script: Script = program.to_vec();
    for param in script.iter_mut().flat_map(|line| &mut line.params) {
        param.name = room_in(scene, tables.names.in_scene(&param.name))?;
    }
    let in_scene = |key: &Key| Key { name: tables.names.in_scene(&key.name), number: key.number };
    let mut locations: IndexMap<Key, Arc<str>> = IndexMap::new();
    for condition in conditions.iter().filter(|condition| condition.presumed == Presumed::Location) {
        if let Some(room) = &condition.other {
            locations.insert(in_scene(&condition.thing), room_in(scene, in_scene(room).name)?);
        }
    }
    let default_room = default_room(scene, &script);
    let mut graph = scene.clone();
    let ids = things(&mut graph, &script, &locations, &default_room, tables.properties)?;
    for condition in &conditions {
        make_true(&mut graph, condition, |key| {
            let key = in_scene(key);
            ids.get(&key).copied().ok_or(PrepareError::NotNamed(key))
        })?;
    }
    for param in script.iter_mut().flat_map(|line| &mut line.params) {
        if let Some(at) = ids.get(param) {
            param.number = graph.node(*at).id;
        }
    }
    let ids = ids.into_iter().map(|(key, at)| (key, graph.node(at).id)).collect();
    Ok(Prepared { graph, script, ids, default_room, conditions })
}

fn is_room(name: &str) -> bool {
    ROOMS.contains(&name)
}

/// The room of the scene that a room's name stands for; any other name as it is.
fn room_in(scene: &Graph, name: Arc<str>) -> Result<Arc<str>, PrepareError> {
    let mut now = Arc::clone(&name);
    for _ in ROOMS {
        if !is_room(&now) || scene.rooms().any(|room| scene.node(room).class == now) {
            return Ok(now);
        }
        now = match &*now {
            "kitchen" => "dining_room",
            "dining_room" => "kitchen",
            "entrance_hall" | "home_office" => "living_room",
            "living_room" => "home_office",
            "kids_bedroom" => "bedroom",
            _ => break,
        }
        .into();
    }
    Err(PrepareError::NoRoom(name))
}

/// The class of the room for things without a known place: the first that is not the first one the program names; if it names none, the
/// one with most things of the program's classes.
fn default_room(scene: &Graph, script: &[Line]) -> Arc<str> {
    let named = script.iter().flat_map(|line| &line.params).map(|param| &param.name).find(|name| is_room(name));
    let rooms: Vec<At> = scene.rooms().collect();
    let class = |room: &At| Arc::clone(&scene.node(*room).class);
    if let Some(named) = named {
        let first = rooms.iter().position(|room| scene.node(*room).class == *named);
        let other = rooms.iter().enumerate().find(|(at, _)| Some(*at) != first);
        return other.map_or_else(|| Arc::clone(named), |(_, room)| class(room));
    }
    let mut counts = vec![0_usize; rooms.len()];
    let keys: indexmap::IndexSet<&Key> = script.iter().flat_map(|line| &line.params).collect();
    for key in keys.into_iter().filter(|key| &*key.name != CHARACTER) {
        for thing in scene.of_class(&key.name) {
            for (room, count) in rooms.iter().zip(&mut counts) {
                *count += usize::from(scene.holds(thing, Relation::Inside, *room));
            }
        }
    }
    let most = counts.iter().max();
    let at = counts.iter().position(|count| Some(count) == most).unwrap_or(0);
    rooms.get(at).map_or_else(|| "".into(), class)
}

/// Finds each thing of a program in the scene, or adds it.
fn things(
    graph: &mut Graph,
    script: &[Line],
    locations: &IndexMap<Key, Arc<str>>,
    default_room: &Arc<str>,
    properties: &PropertyTable,
) -> Result<IndexMap<Key, At>, PrepareError> {
    let mut ids: IndexMap<Key, At> = IndexMap::new();
    let mut taken: Vec<At> = Vec::new();
    ids.insert(Key { name: CHARACTER.into(), number: 1 }, graph.character());
    for key in script.iter().flat_map(|line| &line.params) {
        if ids.contains_key(key) {
            continue;
        }
        let room = locations.get(key).unwrap_or(default_room);
        let room = graph.first_of(room).ok_or_else(|| PrepareError::NoRoom(Arc::clone(room)))?;
        let known = if is_room(&key.name) {
            graph.first_of(&key.name)
        } else {
            let free = |at: &At| !taken.contains(at) && graph.holds(*at, Relation::Inside, room);
            let found = graph.of_class(&key.name).find(free);
            taken.extend(found);
            found
        };
        let at = match known {
            Some(at) => at,
            None => {
                let added = add(graph, &key.name, room, properties)?;
                taken.push(added);
                added
            }
        };
        ids.insert(key.clone(), at);
    }
    Ok(ids)
}

fn add(graph: &mut Graph, class: &Arc<str>, room: At, known: &PropertyTable) -> Result<At, PrepareError> {
    let properties = known.of(class).ok_or_else(|| PrepareError::UnknownClass {
        name: Arc::clone(class),
        nearest: crate::nearness::nearest(class, known.classes(), 2).into_iter().map(str::to_owned).collect(),
    })?;
    let same = graph.first_of(class).map(|same| graph.node(same));
    let category = same.map_or_else(|| PLACEABLE.into(), |same| Arc::clone(&same.category));
    let class = same.map_or_else(|| Arc::clone(class), |same| Arc::clone(&same.class));
    let id = free_id(graph);
    let node = Node { id, class, category, properties };
    let states = with_defaults(States::default(), &node);
    let at = graph.add(node, states)?;
    graph.link(at, Relation::Inside, room);
    Ok(at)
}

/// The id of the next thing that is added: after the ids of others that were, and none that is taken.
fn free_id(graph: &Graph) -> i64 {
    let ids = || graph.places().map(|at| graph.node(at).id);
    let after = ids().filter(|id| ADDED.contains(id)).max().map_or(ADDED.start, |last| last + 1);
    // A scene may number its own things from there on.
    (after..).find(|id| graph.find(*id).is_none()).unwrap_or(after)
}

/// The states of a thing at the beginning, as the reference sets them, beside those it has.
pub(crate) fn with_defaults(states: States, node: &Node) -> States {
    let mut states = states;
    let mut default = |state: State, opposite: State| {
        if !states.has(opposite) {
            states = states.with(state);
        }
    };
    let is_door = &*node.category == "Doors" || &*node.class == "door" && node.has(Property::CanOpen);
    if is_door {
        default(State::Open, State::Closed);
    } else if node.has(Property::CanOpen) {
        default(State::Closed, State::Open);
    }
    if node.has(Property::HasPlug) {
        default(State::PluggedIn, State::PluggedOut);
    }
    if node.class.contains("light") || node.class.contains("lamp") {
        default(State::On, State::Off);
    }
    default(State::Clean, State::Dirty);
    states
}

fn make_true(
    graph: &mut Graph,
    condition: &Condition,
    find: impl Fn(&Key) -> Result<At, PrepareError>,
) -> Result<(), PrepareError> {
    if matches!(condition.presumed, Presumed::Location | Presumed::Facing) {
        return Ok(());
    }
    let thing = find(&condition.thing)?;
    let other = condition.other.as_ref().map(find).transpose()?;
    let mut set = |state| graph.set_states(thing, graph.states(thing).set(state));
    match (condition.presumed, other) {
        (Presumed::Plugged, _) => set(State::PluggedIn),
        (Presumed::Unplugged, _) => set(State::PluggedOut),
        (Presumed::IsOn, _) => set(State::On),
        (Presumed::IsOff, _) => set(State::Off),
        (Presumed::Closed, _) => set(State::Closed),
        (Presumed::Sitting, _) => graph.set_states(thing, graph.states(thing).with(State::Sitting)),
        (Presumed::AtReach, Some(other)) => graph.bring_close(thing, other),
        (Presumed::In, Some(other)) => graph.link(thing, Relation::On, other),
        (Presumed::Inside, Some(other)) => graph.link(thing, Relation::Inside, other),
        (Presumed::Free, _) => free(graph, thing),
        _ => {}
    }
    Ok(())
}

/// Takes everything off a seat and puts it on the floor.
fn free(graph: &mut Graph, seat: At) {
    if !is_seat(&graph.node(seat).class) {
        return;
    }
    let on_it: Vec<At> = graph.sources(seat, Relation::On).collect();
    let floor = graph.first_of("floor");
    for other in on_it {
        graph.separate(other, seat);
        if let Some(floor) = floor {
            graph.link(other, Relation::On, floor);
            graph.bring_close(other, floor);
        }
    }
}
