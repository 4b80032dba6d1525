//! Tests of the kitchen as a whole: the shipped scenes, the rules where they bite, hostile files. The recordings are compared by `conform`.

use std::sync::Arc;

use serde_json::{Value, json};

use super::receptacles::Receptacles;
use super::*;
use stepwright_program::Specification;
use stepwright_world::blocking::Growth;
use stepwright_world::{Atom, World, shipped_domain};

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

/// A line of a script in the kitchen: what is seen, how the robot and things are, or an action.
fn line(kitchen: &mut Simulation, line: &str) -> String {
    match line.split_once(' ').unwrap_or((line, "")) {
        ("see", _) => format!("{:?}", kitchen.visible()),
        ("robot", _) => format!("{:?}", kitchen.robot()),
        ("show", id) => {
            let (_, parent, thing) = kitchen.things().find(|(thing, ..)| *thing == id).unwrap();
            format!("in {parent:?} at {:?} dirty {} filled {:?}", thing.at, thing.dirty, thing.filled)
        }
        _ => kitchen.perform(line).map_or_else(|why| format!("refused: {why}"), |_| String::new()),
    }
}

/// Each script: changes of the small kitchen's file (`set POINTER VALUE`), then what is done there, or why the file is refused.
#[test]
fn small_kitchens_are_as_they_were() {
    let mut out = String::new();
    for script in include_str!("tests/kitchen.script").split("\n# ") {
        let mut lines = script.lines().filter(|line| !line.is_empty()).peekable();
        out += &format!("# {}\n", lines.next().unwrap().trim_start_matches("# "));
        let mut scene = small();
        while let Some(change) = lines.next_if(|line| line.starts_with("set ")) {
            let (pointer, value) = change[4..].split_once(' ').unwrap();
            let (above, key) = pointer.rsplit_once('/').unwrap();
            let value: Value = serde_json::from_str(value).unwrap();
            match scene.pointer_mut(above).unwrap() {
                Value::Array(all) if key == all.len().to_string() => all.push(value),
                Value::Array(all) => all[key.parse::<usize>().unwrap()] = value,
                other => other[key] = value,
            }
            out += &format!("> {change}\n");
        }
        match load(&scene) {
            Err(why) => out += &format!("    no kitchen: {why}\n"),
            Ok(mut kitchen) => lines.for_each(|text| {
                out += &format!("> {text}\n");
                line(&mut kitchen, text).lines().for_each(|said| out += &format!("    {said}\n"));
            }),
        }
    }
    insta::assert_snapshot!(out);
}

#[test]
fn null_is_as_if_left_out_and_a_count_may_be_a_float_that_is_whole() {
    let read = |scene: &Value| {
        let scene = super::load::scene(&scene.to_string(), Receptacles::built_in())?;
        Ok::<_, String>((scene.things, scene.start, scene.occluders))
    };
    let mut scene = small();
    scene["occluders"] = Value::Null;
    for key in [
        "receptacle", "openable", "toggleable", "moveable", "sliceable", "cookable", "dirtyable", "fillable",
        "capacity", "open", "on", "sliced", "cooked", "dirty", "filled", "obstructed_by", "controls", "slice_type",
        "slices",
    ] {
        scene["objects"][1][key] = Value::Null;
    }
    scene["objects"][0]["capacity"] = json!(2.0);
    scene["objects"][7]["slices"] = json!(2.0);
    assert_eq!(read(&scene).unwrap(), read(&small()).unwrap());
    scene["objects"][0]["capacity"] = json!(2.5);
    assert!(read(&scene).unwrap_err().contains("2.5 is no count; a whole number from 0 is expected"));
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

/// A goal that a scene may have is no bare one in the domain that ships, in whichever form it is written.
#[test]
fn the_domain_knows_a_way_to_every_goal() {
    let domain = shipped_domain(&KIND).unwrap().unwrap();
    let goals: [(&str, &[&str]); 11] = [
        ("INSIDE Egg|1 CounterTop|1", &["putin Egg|1 CounterTop|1"]),
        ("IN Egg|1 CounterTop|1", &["put Egg|1 CounterTop|1"]),
        ("ON Egg|1 CounterTop|1", &["put Egg|1 CounterTop|1"]),
        ("ON Faucet|1", &["switchon Faucet|1"]),
        ("OPEN Fridge|1", &["open Fridge|1"]),
        ("SLICED Apple|1", &["slice Apple|1"]),
        ("COOKED Egg|1 Faucet|1", &["putin Egg|1 Faucet|1", "switchon Faucet|1"]),
        ("WASHED_SINK Mug|1 SinkBasin|1 Faucet|1", &["putin Mug|1 SinkBasin|1", "switchon Faucet|1"]),
        ("WASHED Mug|1 Faucet|1", &["putin Mug|1 Faucet|1", "switchon Faucet|1"]),
        ("HOLDS Mug|1", &["grab Mug|1"]),
        ("HOLDS character Mug|1", &["grab Mug|1"]),
    ];
    for (goal, roots) in goals {
        let mut scene = small();
        scene["tasks"] = json!({"one": {"goals": [goal], "text": "One."}});
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("small.json"), scene.to_string()).unwrap();
        let mut world = KitchenWorld::new(Source::open(folder.path()).unwrap(), Find::Fixed);
        world.reset("small/one", 0).unwrap();
        let tree = Growth::begin(Arc::clone(&domain), &world).unwrap();
        let leaves: Vec<&str> = tree.forest().leaves().into_iter().map(|leaf| leaf.text.as_str()).collect();
        assert_eq!(leaves, roots, "{goal}");
    }
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
