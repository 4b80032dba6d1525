//! Tests of the kitchen as a whole: the shipped scenes, the rules where they bite, hostile files. The recordings are compared by `conform`.

use serde_json::{Value, json};

use super::receptacles::Receptacles;
use super::*;
use crate::{Atom, World};
use stepwright_program::Specification;

fn world() -> KitchenWorld {
    KitchenWorld::new(Source::shipped().unwrap(), Find::Moving)
}

/// A small kitchen: a fridge with a door, a counter with things on it, a sink, a toaster; the robot at (0, 2) looking along -z.
fn small() -> Value {
    serde_json::from_str(include_str!("tests/small.json")).unwrap()
}

fn load(scene: &Value) -> Result<Simulation, String> {
    super::load::scene(&scene.to_string(), Receptacles::built_in()).map(|s| Simulation::new(s.into(), Find::Moving))
}

fn ready(change: impl FnOnce(&mut Value)) -> Simulation {
    let mut scene = small();
    change(&mut scene);
    load(&scene).unwrap()
}

fn refused(simulation: &mut Simulation, action: &str) -> String {
    simulation.perform(action).unwrap_err()
}

fn all(simulation: &mut Simulation, actions: &[&str]) {
    for action in actions {
        simulation.perform(action).unwrap_or_else(|e| panic!("{action}: {e}"));
    }
}

#[test]
fn what_is_shut_in_is_unseen_until_it_is_opened() {
    let mut kitchen = ready(|_| {});
    assert!(!kitchen.visible().contains(&"Egg|1"));
    assert_eq!(refused(&mut kitchen, "grab Egg|1"), "I cannot currently see a Egg|1 to complete action grab Egg|1.");
    all(&mut kitchen, &["open Fridge|1"]);
    // From here the open door is in between; the fridge itself is seen past its own door.
    assert!(!kitchen.visible().contains(&"Egg|1") && kitchen.visible().contains(&"Fridge|1"));
    assert_eq!(refused(&mut kitchen, "open Fridge|1"), "Fridge|1 is already open");
}

#[test]
fn a_door_keeps_things_out_and_needs_room_to_swing() {
    let mut kitchen = ready(|_| {});
    all(&mut kitchen, &["grab Apple|1", "open Fridge|1"]);
    assert_eq!(refused(&mut kitchen, "put Apple|1 Fridge|1"), "No valid positions to place object found");
    let mut tight = ready(|scene| scene["doors"][0]["end"] = json!([0.0, 1.3]));
    assert_eq!(refused(&mut tight, "open Fridge|1"), "Object failed to open/close successfully.");
    let mut just = ready(|scene| scene["doors"][0]["end"] = json!([0.0, 1.15]));
    all(&mut just, &["open Fridge|1"]);
}

#[test]
fn full_and_obstructed_places_refuse() {
    let mut full = ready(|scene| {
        scene["objects"][0]["capacity"] = json!(1);
        scene["doors"] = json!([]);
    });
    all(&mut full, &["open Fridge|1", "grab Apple|1"]);
    assert_eq!(refused(&mut full, "putin Apple|1 Fridge|1"), "No valid positions to place object found");
    let mut obstructed = ready(|scene| {
        scene["objects"][0]["obstructed_by"] = json!(["Egg|1"]);
        scene["doors"] = json!([]);
    });
    all(&mut obstructed, &["open Fridge|1", "grab Apple|1"]);
    let message = "another object's collision is blocking held object from being placed";
    assert_eq!(refused(&mut obstructed, "put Apple|1 Fridge|1"), message);
    all(
        &mut obstructed,
        &["put Apple|1 CounterTop|1", "grab Egg|1", "put Egg|1 CounterTop|1", "grab Apple|1", "put Apple|1 Fridge|1"],
    );
}

#[test]
fn what_lies_in_the_held_thing_goes_with_it_and_nothing_lies_in_itself() {
    let mut kitchen = ready(|scene| {
        scene["objects"][7]["parent"] = json!("Plate|1");
        scene["objects"].as_array_mut().unwrap().push(json!({
            "id": "Stool|1", "type": "Stool", "x": 0.0, "y": 1.0, "z": 0.0, "parent": "Plate|1", "receptacle": true, "capacity": 5
        }));
    });
    all(&mut kitchen, &["grab Plate|1", "turnaround"]);
    assert_eq!(kitchen.visible(), ["Apple|1", "Plate|1", "Stool|1"]);
    assert_eq!(refused(&mut kitchen, "put Plate|1 Stool|1"), "No valid positions to place object found");
    all(&mut kitchen, &["slice Apple|1", "turnleft", "turnleft", "put Plate|1 SinkBasin|1"]);
    let (_, parent, now) = kitchen.things().find(|(id, ..)| *id == "Apple|1|AppleSliced_1").unwrap();
    assert_eq!((parent, now.at), (Some("Plate|1"), (-0.2, 0.9, 0.1)));
}

#[test]
fn running_water_cleans_and_fills() {
    let mut kitchen = ready(|scene| scene["objects"][6]["dirty"] = json!(true));
    all(&mut kitchen, &["switchon Faucet|1", "grab Mug|1"]);
    let mug = |kitchen: &Simulation| kitchen.things().find(|(id, ..)| *id == "Mug|1").unwrap().2;
    assert!(mug(&kitchen).dirty);
    all(&mut kitchen, &["put Mug|1 SinkBasin|1"]);
    assert_eq!((mug(&kitchen).dirty, mug(&kitchen).filled), (false, Some(Liquid::Water)));
}

#[test]
fn moves_stay_on_the_grid() {
    let mut kitchen = ready(|_| {});
    let blocked = "The way is blocked, the agent did not move.";
    assert_eq!(refused(&mut kitchen, "moveforward"), blocked);
    all(&mut kitchen, &["movebackward"]);
    assert_eq!((kitchen.robot().z, refused(&mut kitchen, "movebackward").as_str()), (1.75, blocked));
    all(&mut kitchen, &["walk_to_room kitchen", "walk_to_room x", "walk_to_room kitchen"]);
    assert_eq!((kitchen.robot().z, kitchen.robot().yaw), (1.5, 180.0));
}

#[test]
fn looking_beyond_the_range_of_the_camera_is_refused() {
    let mut kitchen = ready(|_| {});
    let look = |kitchen: &mut Simulation, way: &str| (0..12).take_while(|_| kitchen.perform(way).is_ok()).count();
    assert_eq!((look(&mut kitchen, "lookdown"), kitchen.robot().horizon), (6, 60.0));
    assert_eq!(refused(&mut kitchen, "lookdown"), "can't look down beyond the bottom of the camera range");
    assert_eq!((look(&mut kitchen, "lookup"), kitchen.robot().horizon), (9, -30.0));
    assert_eq!(refused(&mut kitchen, "lookup"), "can't look up beyond the top of the camera range");
    assert_eq!(kitchen.robot().horizon, -30.0);
}

#[test]
fn to_find_what_is_in_the_hand_is_to_turn_once_on_the_spot() {
    let mut kitchen = ready(|_| {});
    all(&mut kitchen, &["grab Mug|1", "turnaround"]);
    let before = kitchen.robot();
    all(&mut kitchen, &["find mug"]);
    let after = kitchen.robot();
    assert_eq!((after.x, after.z, after.yaw), (before.x, before.z, before.yaw + 30.0));
    // What is elsewhere is walked to.
    all(&mut kitchen, &["find apple"]);
    assert_ne!(kitchen.robot().z, before.z);
}

#[test]
fn looking_for_what_cannot_be_seen_comes_back_to_the_same_heading() {
    let mut kitchen = ready(|_| {});
    assert_eq!(refused(&mut kitchen, "scanroom Egg|1"), "The object Egg|1 is not visible from my current location.");
    assert_eq!(refused(&mut kitchen, "find unicorn"), "The object unicorn is not visible from my current location.");
    assert_eq!(kitchen.robot().yaw, 180.0);
    assert_eq!(refused(&mut kitchen, "walk_to_object Egg|1").split(' ').next(), Some("I"));
    all(&mut kitchen, &["find egg", "find apple"]);
    assert!(kitchen.visible().contains(&"Apple|1"));
}

#[test]
fn hostile_files_are_refused_with_the_place_and_a_remedy() {
    type Change = fn(&mut Value);
    let cases: [(Change, &str); 12] = [
        (|s| s["objects"][0]["parent"] = json!("Nowhere"), "objects[0] (Fridge|1): parent `Nowhere` is no object"),
        (
            |s| {
                s["objects"][0]["parent"] = json!("Plate|1");
                s["objects"][5]["parent"] = json!("Fridge|1");
            },
            "circle",
        ),
        (|s| s["objects"][1]["id"] = json!("Fridge|1"), "already a `Fridge|1`"),
        (|s| s["objects"][1]["id"] = json!("an egg"), "one word"),
        (|s| s["objects"][1]["x"] = json!(1e300), "out of range"),
        (|s| s["objects"][7]["slices"] = json!(1_000_000), "at most 64"),
        (|s| s["objects"][1]["filled"] = json!("mercury"), "unknown variant `mercury`"),
        (|s| s["doors"][0]["object"] = json!("Gate"), "doors[0]: object `Gate`"),
        (|s| s["occluders"] = json!([[1, 2, 3]]), "occluders[0] is no segment"),
        (|s| s["room_poses"] = json!([]), "room_poses is empty"),
        (|s| s["tasks"]["mug"]["goals"] = json!(["FLY Mug|1"]), "tasks.mug.goals"),
        (|s| s["grid"] = json!("none"), "line"),
    ];
    for (change, expected) in cases {
        let mut scene = small();
        change(&mut scene);
        let message = load(&scene).unwrap_err();
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn segments_are_read_in_any_of_their_forms() {
    for form in [json!([[-1, 1], [1, 1]]), json!([-1, 1, 1, 1]), json!({"from": [-1, 1], "to": [1, 1], "id": "wall"})] {
        let kitchen = ready(|scene| scene["occluders"] = json!([form]));
        assert_eq!(kitchen.visible(), [""; 0], "{form}");
    }
}

#[test]
fn goals_are_met_in_order_and_for_good() {
    let mut scene = small();
    scene["tasks"] = json!({"two": {"goals": ["HOLDS character Mug|1", "ON Faucet|1"], "text": "Two."}});
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("small.json"), scene.to_string()).unwrap();
    assert!(Source::lies_at(folder.path()) && !Source::lies_at(&folder.path().join("none")));
    let mut world = KitchenWorld::new(Source::open(folder.path()).unwrap(), Find::Fixed);
    world.reset("small/two", 0).unwrap();
    world.act("switchon Faucet|1").unwrap();
    assert_eq!(world.goals().unwrap().len(), 2, "only the first is tested");
    let snapshot = world.snapshot();
    assert!(!world.act("grab Mug|1").unwrap().won);
    assert!(world.act("put Mug|1 CounterTop|1").unwrap().won, "the second holds already; the first stays met");
    world.restore(&snapshot).unwrap();
    assert_eq!(world.goals().unwrap().len(), 2);
    assert!(world.reset("small/three", 0).is_err());
}

#[test]
fn the_facts_are_those_of_what_is_seen() {
    let mut world = world();
    world.reset("galley/mug", 0).unwrap();
    let facts = world.facts().unwrap();
    assert!(facts.atoms.contains(&Atom::new("HANDS_EMPTY", [""; 0])));
    let text = world.truth()["visible"].as_array().unwrap().len();
    assert_eq!(facts.things.len(), text);
    assert!(facts.things.is_sorted());
    let things = facts.atoms.iter().filter(|atom| atom.predicate != "ROOM");
    assert!(things.flat_map(|atom| &atom.args).all(|thing| facts.sees(thing)));
}

#[test]
fn every_shipped_task_can_be_done() {
    let source = Source::shipped().unwrap();
    assert_eq!(source.ids().count(), 16);
    let mut world = KitchenWorld::new(source, Find::Fixed);
    for task in world.tasks() {
        let (scene, goals) = Source::shipped().unwrap().task(&task.id).unwrap();
        let actions = expert::solve(&scene, &goals).unwrap();
        let mut outcome = world.reset(&task.id, 0).unwrap();
        for action in &actions {
            assert!(!outcome.done, "{}: done before `{action}` of {actions:?}", task.id);
            outcome = world.act(action).unwrap();
            assert_eq!(outcome.error, None, "{}: `{action}`", task.id);
        }
        assert!(outcome.won && actions.len() >= 3, "{}: {actions:?}", task.id);
    }
}

/// Every action offered reads back as the call it is; what the simulator accepts, the specification accepts as well, knowing only
/// what the observations showed.
#[test]
fn what_happens_can_be_written_as_a_program() {
    let mut world = world();
    let specification = Specification::load(&world.specification(), "spec.py").unwrap();
    let task = world.tasks()[0].id.clone();
    let outcome = world.reset(&task, 0).unwrap();
    let mut program = specification.start().unwrap();
    for call in outcome.calls() {
        program.call(call).unwrap();
    }
    let (mut next, mut accepted) = (7_usize, 0);
    for step in 0..300 {
        let offered = world.admissible().unwrap();
        assert!(offered.is_sorted());
        for action in &offered {
            assert_eq!(world.text_of(&world.call_of(action).unwrap()).as_ref(), Some(action));
        }
        next = (next * 31 + step) % 997;
        let action = &offered[next % offered.len()];
        let expected = world.preview(action).unwrap();
        let outcome = world.act(action).unwrap();
        assert_eq!(outcome, expected);
        accepted += usize::from(outcome.action_call.is_some());
        for call in outcome.calls() {
            program.call(call).unwrap_or_else(|e| panic!("{call}: {e}"));
        }
    }
    assert!(accepted > 150, "{accepted}");
}
