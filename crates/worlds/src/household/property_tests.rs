//! Properties of the rules on every kind of walk, and hostile files: errors that name their place, never a panic.

use proptest::prelude::*;

use super::generate::{self, TASK_TYPES};
use super::*;
use stepwright_world::World;

/// A fresh world at a generated task.
fn world(kind: usize, seed: u64, edition: Edition) -> HouseholdWorld {
    let definition = generate::task(TASK_TYPES[kind % TASK_TYPES.len()], seed).unwrap();
    let source = Source::from_lines(&serde_json::to_string(&definition).unwrap(), "test").unwrap();
    let mut world = HouseholdWorld::new(source, edition);
    world.reset(&definition.id, 0).unwrap();
    world
}

fn edition() -> impl Strategy<Value = Edition> {
    prop_oneof![Just(Edition::Put), Just(Edition::Move)]
}

/// Walks by choosing among the admissible commands; returns the commands.
fn walk(world: &mut HouseholdWorld, choices: &[usize]) -> Vec<String> {
    let mut commands = Vec::new();
    for choice in choices {
        let admissible = world.admissible().unwrap();
        // Odd choices stay where they are when they can: otherwise nearly every step would go somewhere.
        let near: Vec<&String> = admissible.iter().filter(|c| !c.starts_with("go to")).collect();
        let command =
            if choice % 2 == 1 { near[choice / 2 % near.len()] } else { &admissible[choice / 2 % admissible.len()] };
        world.act(command).unwrap();
        commands.push(command.clone());
    }
    commands
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_snapshot_restores_what_a_replay_rebuilds(
        kind in 0usize..6, seed in 0u64..40, edition in edition(),
        before in prop::collection::vec(0usize..1000, 0..25), after in prop::collection::vec(0usize..1000, 0..25),
    ) {
        let mut world_a = world(kind, seed, edition);
        let commands = walk(&mut world_a, &before);
        let snapshot = world_a.snapshot();
        let (truth, admissible) = (world_a.truth(), world_a.admissible());
        walk(&mut world_a, &after);
        world_a.restore(&snapshot).unwrap();
        prop_assert_eq!(&world_a.truth(), &truth);
        prop_assert_eq!(&world_a.admissible(), &admissible);
        let mut world_b = world(kind, seed, edition);
        for command in commands {
            world_b.act(&command).unwrap();
        }
        prop_assert_eq!(world_b.truth(), truth);
        prop_assert_eq!(world_b.facts(), world_a.facts());
        prop_assert_eq!(world_b.act("look").unwrap(), world_a.act("look").unwrap());
    }

    #[test]
    fn facts_that_are_kept_are_those_of_the_belief(
        kind in 0usize..6, seed in 0u64..40, edition in edition(), choices in prop::collection::vec(0usize..1000, 0..30),
    ) {
        let mut here = world(kind, seed, edition);
        for choice in choices {
            let before = here.facts();
            walk(&mut here, &[choice]);
            here.act("go to nowhere").unwrap();
            let kept = here.facts();
            prop_assert!(kept.is_some() && before.is_some());
            prop_assert_eq!(kept, here.episode().map(|episode| episode.facts_again()));
        }
    }

    #[test]
    fn lists_are_sorted_and_exactly_what_is_accepted(
        kind in 0usize..6, seed in 0u64..40, edition in edition(), choices in prop::collection::vec(0usize..1000, 0..30),
    ) {
        let mut here = world(kind, seed, edition);
        walk(&mut here, &choices);
        let admissible = here.admissible().unwrap();
        prop_assert!(admissible.windows(2).all(|w| w[0] < w[1]));
        let truth = here.truth();
        // Everything that any state of this game or the other wording could offer, and near misses.
        let mut texts: Vec<String> = admissible.clone();
        texts.extend(admissible.iter().flat_map(|c| [c.to_uppercase(), format!("{c}."), c.replacen(' ', "  ", 1)]));
        texts.extend(world(kind, seed, edition).admissible().unwrap());
        texts.extend(["", "think: where is it", "help", "put x 1 in/on y 1", "move x 1 to y 1"].map(String::from));
        for text in texts {
            let outcome = here.preview(&format!(" {text}\t")).unwrap();
            let refused = outcome.observation == "Nothing happens.";
            prop_assert_eq!(refused, !admissible.contains(&text), "{}", text);
            prop_assert_eq!(refused, outcome.error.is_some());
            prop_assert!(!refused || outcome.calls().next().is_none());
            prop_assert_eq!(outcome.won, outcome.done);
        }
        prop_assert_eq!(here.truth(), truth);
    }

    #[test]
    fn texts_and_calls_are_inverse_on_every_admissible_command(
        kind in 0usize..6, seed in 0u64..40, edition in edition(), choices in prop::collection::vec(0usize..1000, 0..30),
    ) {
        let mut here = world(kind, seed, edition);
        walk(&mut here, &choices);
        for text in here.admissible().unwrap() {
            let call = here.call_of(&text);
            prop_assert_eq!(&here.preview(&text).unwrap().action_call, &call, "{}", &text);
            if let Some(call) = call {
                prop_assert_eq!(here.text_of(&call), Some(text));
            }
        }
    }

    #[test]
    fn a_damaged_game_is_an_error_or_plays(kind in 0usize..6, at in 0usize..10_000, byte in 0u8..128, cut in any::<bool>()) {
        let definition = generate::task(TASK_TYPES[kind], 3).unwrap();
        let mut json = serde_json::to_string(&definition).unwrap().into_bytes();
        let at = at % json.len();
        if cut { json.truncate(at) } else { json[at] = byte }
        let json = String::from_utf8_lossy(&json).into_owned();
        match Source::from_lines(&json, "damaged.jsonl") {
            Err(e) => prop_assert!(e.to_string().starts_with("damaged.jsonl:"), "{}", e),
            Ok(source) => {
                let Some(id) = source.ids().next().map(str::to_owned) else { return Ok(()) };
                let mut world = HouseholdWorld::new(source, Edition::Put);
                match world.reset(&id, 0) {
                    Err(e) => prop_assert!(e.to_string().starts_with("damaged.jsonl:"), "{}", e),
                    Ok(_) => { walk(&mut world, &[1, 3, 5, 2, 4, 7]); }
                }
            }
        }
    }

    #[test]
    fn a_damaged_problem_is_an_error_or_a_game(at in 0usize..10_000, insert in "[()?a-z \n]{0,6}", cut in any::<bool>()) {
        let mut problem = PROBLEM.to_owned();
        let at = at % problem.len();
        problem.insert_str(at, &insert);
        if cut { problem.truncate(at) }
        // Any answer will do; only a panic or a hang would fail.
        let read = definition_of_problem(&problem, "valid_seen/a-b-c-d-1/trial", "put a mug in shelf.");
        if let Ok(definition) = read {
            let _ = game::Game::build(&definition);
        }
    }
}

const PROBLEM: &str = include_str!("property_tests/problem.pddl");

#[test]
fn a_problem_is_named_numbered_and_played_as_the_rules_say() {
    let definition = definition_of_problem(PROBLEM, "valid_seen/a-b-c-d-1/trial", "put a mug in shelf.").unwrap();
    let source = Source::from_lines(&serde_json::to_string(&definition).unwrap(), "test").unwrap();
    let mut world = HouseholdWorld::new(source, Edition::Put);
    let reset = world.reset(&definition.id, 0).unwrap();
    assert!(reset.observation.contains("you see a shelf 1, and a sinkbasin 1."), "{}", reset.observation);
    // Four locations: the first in sorted order has the highest number.
    let outcome = world.act("go to sinkbasin 1").unwrap();
    assert_eq!(outcome.observation, "You arrive at loc 2. On the sinkbasin 1, you see a mug 2.");
    world.act("take mug 2 from sinkbasin 1").unwrap();
    assert_eq!(world.act("examine mug 2").unwrap().observation, "This is a normal mug 2. In it, you see a mug 1.");
    assert_eq!(world.act("look").unwrap().observation, "You are facing the sinkbasin 1. Next to it, you see nothing.");
    assert_eq!(world.act("put mug 2 in/on sinkbasin 1").unwrap().error.as_deref(), Some("Nothing happens."));
    world.act("go to shelf 1").unwrap();
    assert!(world.act("put mug 2 in/on shelf 1").unwrap().won);
    assert!(!world.act("take mug 2 from shelf 1").unwrap().won);
}

/// As in the compact layout, in which it has no type and no place.
#[test]
fn what_is_told_of_by_a_property_alone_is_an_object() {
    let more = "(:init (pickupable Egg_bar_1) (isOn Lamp_bar_1) (toggleable Shelf_bar_1)";
    let problem = PROBLEM.replacen("(:init", more, 1);
    let definition = definition_of_problem(&problem, "valid_seen/a-b-c-d-1/trial", "put a mug in shelf.").unwrap();
    let names: Vec<&str> = definition.objects.iter().map(|object| object.name.as_str()).collect();
    assert_eq!(names, ["egg 1", "mug 2", "mug 1"]);
    let egg = serde_json::to_value(&definition.objects[0]).unwrap();
    let expected = serde_json::json!({"name": "egg 1", "type": null, "in": [], "at": [], "props": ["pickupable"]});
    assert_eq!(egg, expected);
}

#[test]
fn files_and_folders_of_games_are_found_and_faults_named() {
    let folder = tempfile::tempdir().unwrap();
    let empty = Source::open(folder.path()).unwrap_err().to_string();
    assert!(empty.contains("no games here"), "{empty}");
    let trial = folder.path().join("valid_seen/pick_and_place_simple-Mug-None-Shelf-1/trial_1");
    std::fs::create_dir_all(&trial).unwrap();
    let grammar = "\"rhs\": \"Your task is to: put a mug in shelf.\" template :: \"move {o} to {r}\"";
    let official =
        serde_json::json!({"pddl_domain": "", "grammar": grammar, "pddl_problem": PROBLEM, "solvable": true});
    std::fs::write(trial.join("game.tw-pddl"), official.to_string()).unwrap();
    let source = Source::open(folder.path()).unwrap();
    let id = "valid_seen/pick_and_place_simple-Mug-None-Shelf-1/trial_1";
    assert_eq!(source.ids().collect::<Vec<_>>(), [id]);
    assert_eq!(source.tasks()[0].sentence, "put a mug in shelf.");
    assert_eq!(source.edition(id).unwrap(), Some(Edition::Move));
    assert_eq!(source.resolve("trial_1").unwrap(), id);
    assert_eq!(source.definition(id).unwrap().task_type, "pick_and_place_simple");

    std::fs::write(trial.join("game.tw-pddl"), "{\"grammar\": \"\"}").unwrap();
    let error = HouseholdWorld::new(source, Edition::Put).reset(id, 0).unwrap_err().to_string();
    assert!(error.contains("game.tw-pddl"), "{error}");

    let games = folder.path().join("games.jsonl");
    std::fs::write(&games, "{\"id\": \"a\", \"task\": \"b\"}\n{\"id\": 1}\n").unwrap();
    let error = Source::open(folder.path()).unwrap_err().to_string();
    assert!(error.contains("games.jsonl:2"), "{error}");
    std::fs::write(&games, format!("{{\"id\": {}", "[".repeat(100_000))).unwrap();
    assert!(Source::open(&games).is_err());
    assert!(Source::open(&folder.path().join("none.jsonl")).unwrap_err().to_string().contains("none.jsonl"));
}
