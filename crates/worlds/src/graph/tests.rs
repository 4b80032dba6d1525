use super::*;
use std::sync::Arc;
use stepwright_program::Specification;
use stepwright_trajectory::Step;
use stepwright_world::planner::AgentContext;
use stepwright_world::program::CheckedProgram;
use stepwright_world::{Correction, Outcome, TaskSet as _, Wording, World};

fn shipped(mode: Mode) -> (Arc<Source>, GraphWorld) {
    let source = Arc::new(Source::shipped().unwrap());
    let world = GraphWorld::over(Arc::clone(&source), mode);
    (source, world)
}

#[test]
fn enough_apartments_and_tasks_ship_and_every_program_wins_its_task() {
    let (source, mut world) = shipped(Mode::Script);
    let homes: std::collections::BTreeSet<i64> = source.entries().iter().map(|e| e.task.home.number).collect();
    assert!(homes.len() >= 3 && source.len() >= 24, "{homes:?} {}", source.len());
    for listed in source.entries() {
        let task = &listed.task;
        let mut outcome = world.reset(&task.id, 0).unwrap();
        for line in &task.program {
            assert!(!outcome.won, "{} is won before {line}", task.id);
            outcome = world.act(&line.to_string()).unwrap();
            assert_eq!(outcome.error, None, "{}: {line}", task.id);
        }
        assert!(outcome.won, "{}: {:?}", task.id, world.goals());
    }
}

#[test]
fn every_step_of_a_program_is_listed_as_admissible_and_reads_back() {
    let (source, mut world) = shipped(Mode::Script);
    for listed in source.entries() {
        world.reset(&listed.task.id, 0).unwrap();
        for line in &listed.task.program {
            let text = line.to_string();
            let listed = world.admissible().unwrap();
            let names = [stepwright_graph::Action::Walk, stepwright_graph::Action::Find];
            assert!(names.contains(&line.action) || listed.contains(&text), "{text} is not among {listed:?}");
            let call = world.call_of(&text).unwrap();
            assert_eq!(world.text_of(&call).as_deref(), Some(text.as_str()));
            world.act(&text).unwrap();
        }
    }
}

#[test]
fn whatever_is_admissible_is_done_and_whatever_is_refused_changes_nothing() {
    let (source, mut world) = shipped(Mode::Script);
    for listed in source.entries().iter().step_by(5) {
        world.reset(&listed.task.id, 0).unwrap();
        let before = world.truth();
        for text in world.admissible().unwrap() {
            let outcome = world.preview(&text).unwrap();
            assert_eq!(outcome.error, None, "{text}");
        }
        for text in ["[GRAB] <unicorn> (1)", "[FLY] <cup> (1)", "[GRAB] <cup> (1", "dance", ""] {
            let outcome = world.act(text).unwrap();
            assert!(outcome.error.is_some(), "{text}");
            assert_eq!(world.truth(), before);
        }
    }
}

fn history_of(outcome: &Outcome, action: Option<&str>) -> Step {
    Step { call: action.and_then(super::program::call_of), ..outcome.clone().into_step("") }
}

#[test]
fn the_agent_wins_every_shipped_task() {
    let (source, mut world) = shipped(Mode::Script);
    let mut lost = Vec::new();
    for listed in source.entries() {
        let id = &listed.task.id;
        let demonstrations = source.demonstrations(id, &stepwright_world::options::Values::default(), 0).unwrap();
        let agent = agent::learn(&demonstrations);
        assert!(agent.knows());
        let reset = world.reset(id, 0).unwrap();
        let mut history = vec![history_of(&reset, None)];
        let specification = Specification::load(&world.specification(), "spec.py").unwrap();
        let mut program = CheckedProgram::start(&specification).unwrap();
        program.apply(&reset.observation_calls);
        let mut won = false;
        for _ in 0..KIND.steps {
            let (facts, goals) = (world.facts().unwrap(), world.goals().unwrap());
            let context = AgentContext {
                sentence: &listed.task.sentence,
                program: &program,
                history: &history,
                rejected: &[],
                observed: Some((&facts, &goals)),
                reference: None,
            };
            let Some(best) = agent.propose(&context, 1).into_iter().next() else { break };
            let text = world.text_of(&best.call).unwrap();
            let outcome = world.act(&text).unwrap();
            program.apply(&outcome.observation_calls);
            history.push(history_of(&outcome, Some(&text)));
            if outcome.won {
                won = true;
                break;
            }
        }
        if !won {
            let steps: Vec<String> = history
                .iter()
                .map(|o| format!("{:?} {}", o.call.as_ref().map(ToString::to_string), o.refused))
                .collect();
            lost.push(format!("{id}: {:?}\n  {}", world.goals(), steps.join("\n  ")));
        }
    }
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}

#[test]
fn demonstrations_are_of_other_tasks_and_every_action_is_a_call() {
    let (source, _) = shipped(Mode::Script);
    for id in source.ids() {
        let shown = source.demonstrations(id, &stepwright_world::options::Values::default(), 0).unwrap();
        assert!(shown.len() >= 3 && shown.iter().all(|demonstration| !demonstration.id.ends_with(id)));
        assert!(shown.iter().flat_map(|d| d.steps.iter().skip(1)).all(|step| step.call.is_some()));
    }
}

#[test]
fn what_lies_in_something_closed_is_not_told() {
    let (_, mut world) = shipped(Mode::Script);
    world.reset("flat/dirty_plate", 0).unwrap();
    let closed = world.act("[WALK] <plate> (2)").unwrap().observation;
    assert!(closed.contains("cupboard_1 (closed)") && !closed.contains("plate_2"), "{closed}");
    let open = world.act("[OPEN] <cupboard> (1)").unwrap().observation;
    assert!(open.contains("cupboard_1 (open)") && open.contains("plate_2 (dirty)"), "{open}");
}

#[test]
fn each_mode_prepares_and_remembers_what_it_did() {
    for (name, mode, script) in [
        ("prepared", Mode::Prepared, include_str!("tests/prepared.script")),
        ("plain", Mode::Script, include_str!("tests/plain.script")),
        ("step", Mode::Step, include_str!("tests/step.script")),
        ("prepared_step", Mode::PreparedStep, include_str!("tests/prepared_step.script")),
    ] {
        insta::assert_snapshot!(name, crate::scripts::play(&mut shipped(mode).1, script));
    }
}

#[test]
fn a_refusal_says_its_type_and_cause() {
    let (_, mut world) = shipped(Mode::Script);
    world.reset("flat/milk_on_table", 0).unwrap();
    let language = world.language().unwrap();
    let refusal = language.refusal("[GRAB] <cup> (1)", Wording::Paper).unwrap();
    assert_eq!((refusal.number, refusal.kind.as_str()), (9, "agent_proximity"));
    assert_eq!((refusal.step.as_str(), refusal.cause.as_str()), ("Grab cup", "I am not near the cup"));
    assert!(language.refusal("[WALK] <kitchen> (1)", Wording::Paper).is_none());
    // By its cause, and by the step alone.
    let remedies = [true, false].map(|by_cause| language.correction("[GRAB] <milk> (1)", by_cause));
    let walk = |to: &str| Some(Correction::First(format!("Walk to {to}")));
    assert_eq!(remedies, [walk("milk"), walk("milk")]);
    assert_eq!(language.correction("[STANDUP]", false), Some(Correction::Drop));
    assert!(language.steps().len() > 500 && language.examples().len() >= 20);
    assert_eq!(language.text_of_words("Step 2: Walk to fridge").as_deref(), Some("[WALK] <fridge> (1)"));
    assert_eq!(language.words_of("[WALK] <fridge> (1)").as_deref(), Some("Walk to fridge"));
    assert_eq!(language.text_of_words("Walk to refrigerator").as_deref(), Some("[WALK] <fridge> (1)"));
}

#[test]
fn of_two_reasons_the_authors_programs_print_the_first_and_the_paper_the_last() {
    let folder = tempfile::tempdir().unwrap();
    let scene = r#"{"scene": 1, "nodes": [{"id": 1, "class_name": "kitchen", "category": "Rooms"},
        {"id": 2, "class_name": "bedroom", "category": "Rooms"},
        {"id": 3, "class_name": "character", "category": "Characters"},
        {"id": 4, "class_name": "door", "category": "Doors", "properties": ["CAN_OPEN"], "states": ["CLOSED"]},
        {"id": 5, "class_name": "drawing", "category": "Decor"}],
        "edges": [[3, "INSIDE", 1], [4, "INSIDE", 1], [4, "BETWEEN", 1], [4, "BETWEEN", 2], [5, "INSIDE", 2]]}"#;
    std::fs::write(folder.path().join("scene1.json"), scene).unwrap();
    for mode in [Mode::Script, Mode::Step] {
        let mut world = GraphWorld::over(Source::open(folder.path()).unwrap(), mode);
        world.reset("scene1", 0).unwrap();
        let refusal = |wording| world.language().unwrap().refusal("[FIND] <drawing> (1)", wording).unwrap();
        for (wording, cause) in [
            (Wording::Paper, "I am not near the drawing"),
            (Wording::Code2022, "The door to bedroom is closed"),
            (Wording::Code2024, "The door to bedroom is closed"),
        ] {
            let refusal = refusal(wording);
            assert_eq!((refusal.kind.as_str(), refusal.cause.as_str()), ("agent_proximity", cause));
        }
        // A number that no pattern of the paper fits is no action that is not allowed.
        let negative = world.language().unwrap().refusal("[FIND] <drawing> (-5)", Wording::Paper).unwrap();
        assert_eq!(negative.kind, "other_precondition");
    }
}

#[test]
fn the_plan_says_where_the_person_is_and_what_is_open_on_and_held() {
    let (_, mut world) = shipped(Mode::Script);
    world.reset("flat/milk_on_table", 0).unwrap();
    for text in ["walk to fridge", "open fridge", "grab milk"] {
        world.act(text).unwrap();
    }
    let Some(stepwright_world::Map::Rooms(rooms)) = world.picture() else { panic!("no plan") };
    let kitchen = rooms.rooms.iter().find(|room| room.here).unwrap();
    assert_eq!(kitchen.name, "kitchen_1");
    let said = |text: &str| kitchen.things.iter().any(|line| line.contains(text));
    assert!(
        said("* fridge_1 (open)") && said("milk_1 (in the right hand)") && said("light_1 (on)"),
        "{:?}",
        kitchen.things
    );
    assert!(rooms.captions.iter().any(|line| line == "holds milk_1"), "{:?}", rooms.captions);
}

#[test]
fn what_is_wrong_in_files_is_named_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let scene = include_str!("../../worlds/graph/scene_attic.json");
    let check = |name: &str, text: &str, expected: &str| {
        std::fs::write(folder.path().join(name), text).unwrap();
        let error = Source::open(folder.path()).unwrap_err().to_string();
        assert!(error.contains(expected), "{name}: {error}");
    };
    let nodes = scene.lines().count();
    check("scene_attic.json", &scene[..scene.len() / 2], "ends too early");
    check("scene_attic.json", "[]", "invalid type: a list, expected an object");
    check("scene_attic.json", &scene.replace("[5,\"CLOSE\"", "[5,\"NEAR\""), "unknown relation `NEAR`");
    let dangling = scene.replacen("\"edges\":[\n", "\"edges\":[\n[5,\"CLOSE\",7777],\n", 1);
    let line = dangling.lines().position(|l| l.contains("7777")).unwrap() + 1;
    check("scene_attic.json", &dangling, &format!("scene_attic.json:{line}: an edge leads to the node 7777"));
    check(
        "scene_attic.json",
        &scene.replacen("\"OFF\"", "\"ASLEEP\"", 1),
        "unknown state `ASLEEP`; expected one of CLEAN",
    );
    std::fs::write(folder.path().join("scene_attic.json"), scene).unwrap();
    check(
        "tasks.toml",
        "[[task]]\nid = \"a\"\nscene = 9\ntitle = \"\"\nsentence = \"\"\ngoals = []\n",
        "there is no scene 9",
    );
    check(
        "tasks.toml",
        "[[task]]\nid = \"a\"\nscene = 3\ntitle = \"\"\nsentence = \"\"\ngoals = [\"SHINES cup_1\"]\n",
        "no goal begins with `SHINES`",
    );
    let program =
        "[[task]]\nid = \"a\"\nscene = 3\ntitle = \"\"\nsentence = \"\"\ngoals = []\nprogram = [\"[GRAB] <cup> (1\"]\n";
    check("tasks.toml", program, "both brackets closed");
    check("tasks.toml", "[[task]]\nid = 3\n", "tasks.toml:2");
    std::fs::remove_file(folder.path().join("tasks.toml")).unwrap();
    assert!(nodes > 10 && Source::lies_at(folder.path()));
    assert_eq!(Source::open(folder.path()).unwrap().len(), 1);
}

/// A folder with a shipped scene and programs of a person's own in the data set's layout.
fn with_programs(programs: &[(&str, &str)]) -> (tempfile::TempDir, Arc<Source>) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("scene_flat.json"), include_str!("../../worlds/graph/scene_flat.json")).unwrap();
    let set = folder.path().join("withoutconds/mine");
    std::fs::create_dir_all(&set).unwrap();
    for (name, text) in programs {
        std::fs::write(set.join(format!("{name}.txt")), text).unwrap();
    }
    let source = Arc::new(Source::open(folder.path()).unwrap());
    (folder, source)
}

const WATCH: &str =
    "Watch TV\nOn, and look.\n\n\n[WALK] <home_office> (1)\n[WALK] <television> (1)\n[SWITCHON] <television> (1)\n";
const OPEN: &str =
    "Open fridge\nLet the cold out.\n\n\n[WALK] <kitchen> (1)\n[WALK] <fridge> (1)\n[OPEN] <fridge> (1)\n";
const WALK: &str = "Go for a walk\nTo the kitchen.\n\n\n[WALK] <kitchen> (1)\n";
const WRONG: &str = "Open fridge\nBadly written.\n\n\n[WALK] <kitchen> (1)\n[FLY] <fridge> (1)\n";

#[test]
fn a_task_of_programs_is_held_to_the_states_they_leave() {
    let (_folder, source) = with_programs(&[("file1", WATCH), ("file2", OPEN), ("file3", WALK), ("file0", WRONG)]);
    let ids: Vec<&str> = source.ids().collect();
    assert_eq!(ids, ["scene1/go_for_a_walk", "scene1/open_fridge", "scene1/watch_tv"]);
    let mut world = GraphWorld::over(Arc::clone(&source), Mode::Prepared);
    for (id, goals, steps) in [
        ("scene1/open_fridge", vec!["OPEN fridge_1"], ["walk to fridge", "open fridge"]),
        ("scene1/watch_tv", vec!["ON television_1"], ["walk to television", "switch on television"]),
        // A walk leaves no state: only a person can say whether it was done.
        ("scene1/go_for_a_walk", vec![], ["walk to kitchen", "walk to fridge"]),
    ] {
        world.reset(id, 0).unwrap();
        let stated: Vec<String> = world.goals().unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(stated, goals, "{id}");
        let won: Vec<bool> = steps.iter().map(|step| world.act(step).unwrap().won).collect();
        assert_eq!(won, [false, !goals.is_empty()], "{id}");
    }
    // The line that cannot be read is reported where the task is listed.
    let listed = source.tasks().into_iter().find(|task| task.id == "scene1/open_fridge").unwrap();
    assert!(listed.source.contains("left out of mine/file0: line 6, `[FLY] <fridge> (1)`"), "{}", listed.source);
}

#[test]
fn programs_of_other_tasks_are_demonstrations_and_examples() {
    let (_folder, source) = with_programs(&[("file1", WATCH), ("file2", OPEN), ("file3", WALK)]);
    let shown = source.demonstrations("scene1/open_fridge", &stepwright_world::options::Values::default(), 0).unwrap();
    let ids: Vec<&str> = shown.iter().map(|demonstration| demonstration.id.as_str()).collect();
    assert_eq!(ids, ["demonstration/scene1/go_for_a_walk", "demonstration/scene1/watch_tv"]);
    assert_eq!(shown[1].actions().map(ToString::to_string).collect::<Vec<_>>()[2], "person.switchon('television_1')");
    let mut world = GraphWorld::over(source, Mode::Prepared);
    world.reset("scene1/open_fridge", 0).unwrap();
    let examples = world.language().unwrap().examples();
    let titles: Vec<&str> = examples.iter().map(|plan| plan.task.as_str()).collect();
    assert_eq!(titles, ["Go for a walk", "Watch TV"]);
    assert_eq!(examples[1].steps[2], "Switch on television");
}

#[test]
fn programs_for_test_are_never_shown_and_give_no_goal() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("scene_flat.json"), include_str!("../../worlds/graph/scene_flat.json")).unwrap();
    let entry = |id: &str, title: &str, split: &str, program: [&str; 2]| {
        serde_json::json!({ "id": id, "title": title, "split": split, "program": program }).to_string()
    };
    let open = ["[WALK] <fridge> (1)", "[OPEN] <fridge> (1)"];
    let lines = [
        entry("a", "Open fridge", "test", open),
        // Listed for demonstration as well: the title is for test all the same.
        entry("b", "Open fridge", "train", open),
        entry("c", "Television", "train", ["[WALK] <television> (1)", "[SWITCHON] <television> (1)"]),
    ];
    std::fs::write(folder.path().join("programs.jsonl"), lines.join("\n")).unwrap();
    let source = Arc::new(Source::open(folder.path()).unwrap());
    let mut world = GraphWorld::over(Arc::clone(&source), Mode::Prepared);
    world.reset("scene1/open_fridge", 0).unwrap();
    assert!(world.goals().unwrap().is_empty());
    let shown =
        |task: &str| source.demonstrations(task, &stepwright_world::options::Values::default(), 0).unwrap().len();
    assert_eq!((shown("scene1/television"), shown("scene1/open_fridge")), (0, 1));
    world.reset("scene1/television", 0).unwrap();
    assert!(world.language().unwrap().examples().is_empty());
}

#[test]
fn a_goal_of_what_the_household_lacks_is_refused_unless_preparing_may_add_it() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("scene_attic.json", include_str!("../../worlds/graph/scene_attic.json"));
    let source = |goal: &str| {
        let task =
            format!("id = \"a\"\nscene = 3\ntitle = \"\"\nsentence = \"\"\ngoals = [\"CLOSED bin_1\", \"{goal}\"]");
        write("tasks.toml", &format!("[[task]]\n{task}\n"));
        Source::open(folder.path())
    };
    for (goal, said) in [
        ("ON sun_1", "task `a`: `ON sun_1`: `sun_1` is no thing of scene 3; name one of its things (nearest: "),
        ("DID_GRAB unicorn_1", "`unicorn_1` is no thing of scene 3"),
        ("INSIDE letter_1 sun_1", "`sun_1` is no thing of scene 3"),
        ("AT stove_1", "`stove_1` is no room"),
    ] {
        let error = source(goal).unwrap_err().to_string();
        assert!(error.contains("tasks.toml: task `a`: ") && error.contains(said), "{error}");
    }
    let refused = |goal: &str, run: &str| {
        let options = std::collections::BTreeMap::from([("run".to_owned(), run.to_owned())]);
        let options = stepwright_world::options::Values::read(KIND.options, &options).unwrap();
        Arc::new(source(goal).unwrap()).open("a", &options).err().map(|error| error.to_string())
    };
    let error = refused("ON computer_5", "script").unwrap();
    let said = "tasks.toml: task `a`: `ON computer_5`: `computer_5` is no thing of scene 3";
    assert!(error.contains(said) && error.ends_with("; with `--run prepared` it may be added"), "{error}");
    assert_eq!(refused("ON computer_5", "prepared"), None);
    // What was done counts as the step named it.
    assert_eq!(refused("DID_SWITCHON pc_1", "script"), None);
}

#[test]
fn a_person_in_no_room_is_told_so() {
    let folder = tempfile::tempdir().unwrap();
    let scene = r#"{"scene": 1, "nodes": [{"id": 1, "class_name": "kitchen", "category": "Rooms"},
        {"id": 2, "class_name": "character", "category": "Characters"}], "edges": []}"#;
    std::fs::write(folder.path().join("scene1.json"), scene).unwrap();
    let mut world = GraphWorld::over(Source::open(folder.path()).unwrap(), Mode::Script);
    let observed = world.reset("scene1", 0).unwrap().observation;
    assert!(observed.contains("You are in no room, standing, and hold nothing."), "{observed}");
    let error = Source::open(&folder.path().join("none")).unwrap_err().to_string();
    assert!(error.ends_with("none: there is no such file or folder"), "{error}");
}
