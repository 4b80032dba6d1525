use super::*;
use stepwright_world::World;

#[test]
fn the_task_is_one_request_answered_by_calls_of_actions() {
    let mut world = HouseholdWorld::new(Source::shipped().unwrap(), Edition::Put);
    let task = world.tasks()[0].id.clone();
    assert!(world.requests().is_none() && world.reset(&task, 0).is_ok());
    let go = world.admissible().unwrap().into_iter().find(|text| text.starts_with("go to")).unwrap();
    let call = world.call_of(&go).unwrap();
    let bare = call.to_string().split_once('.').unwrap().1.to_owned();
    let program = |world: &HouseholdWorld, text: &str| world.requests().unwrap().program(text);
    let one = program(&world, &bare).unwrap();
    assert_eq!((one.call.clone(), world.preview_of(&one)), (Some(call.to_string()), world.preview(&go)));
    assert_eq!(world.read(&bare, None), Some(Ok(one)), "a person may type it");
    let functions: Vec<String> = world.requests().unwrap().functions().into_iter().map(|f| f.name).collect();
    assert!(functions.contains(&call.function) && functions.contains(&"done".to_owned()), "{functions:?}");
    // What is no program stays what it was.
    for text in ["go(", "fly('away')", "goto('moon 1')\nlook", "done() now", "look"] {
        assert_eq!((program(&world, text), world.read(text, None)), (None, None), "{text}");
    }
    let before = world.snapshot();
    let whole = format!("{bare}\nupdate_wm('I am there')\ntake('nothing 1', 'nowhere 1')\n\ndone()");
    // Nobody said of these that they are programs: they are texts that the world does not know, as in the original.
    for text in [whole.as_str(), bare.as_str(), "done()", "noop()", "update_wm('x')", "close('fridge 1')"] {
        let outcome = world.act(text).unwrap();
        assert_eq!(outcome.error.as_deref(), Some("Nothing happens."), "{text}");
        assert!(!outcome.done && outcome.observation == "Nothing happens." && world.call_of(text).is_none(), "{text}");
    }
    let outcome = world.take(&program(&world, &whole).unwrap()).unwrap();
    assert!(outcome.done && !outcome.won && outcome.error.is_none(), "{outcome:?}");
    assert_eq!(outcome.observation_calls.first(), Some(&call));
    assert!(outcome.observation.ends_with("Nothing happens."), "{}", outcome.observation);
    assert!(world.requests().unwrap().open().is_none() && world.request().is_none());
    world.restore(&before).unwrap();
    assert!(world.requests().unwrap().open().is_some());
}

#[test]
fn two_games_of_one_id_are_refused_with_their_lines() {
    let shipped = Source::shipped().unwrap();
    let ids: Vec<String> = shipped.ids().take(2).map(str::to_owned).collect();
    let line = |id: &str| serde_json::to_string(&shipped.definition(id).unwrap()).unwrap();
    let (one, two) = (line(&ids[0]), line(&ids[1]));
    let error = Source::from_lines(&format!("{one}\n{two}\n\n{one}\n"), "mine.jsonl").unwrap_err().to_string();
    assert!(
        error.contains("mine.jsonl:4") && error.contains("is in line 1 too; give one of them another id"),
        "{error}"
    );
    assert_eq!(Source::from_lines(&format!("{one}\n{two}\n"), "mine.jsonl").unwrap().len(), 2);
}

#[test]
fn in_a_folder_a_broken_game_is_refused_with_its_line_and_other_json_is_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let shipped = Source::shipped().unwrap();
    let mut ids = shipped.ids();
    let mut game = || serde_json::to_value(shipped.definition(ids.next().unwrap()).unwrap()).unwrap();
    write("a.jsonl", &game().to_string());
    write("plans.jsonl", r#"{"id": "plan", "task": "put a mug in desk.", "goal": "put", "plan": []}"#);
    write("list.jsonl", "[1, 2]\n");
    write("empty.jsonl", "\n");
    let open = || Source::open(folder.path());
    assert_eq!(open().unwrap().len(), 1);
    let mut other = game();
    let whole = other.to_string();
    write("mine.jsonl", &format!("\n{}\n{whole}\n", &whole[..whole.len() / 2]));
    let error = open().unwrap_err().to_string();
    assert!(error.contains("mine.jsonl:2: no JSON: EOF") && error.contains("take the file out"), "{error}");
    assert!(Source::lies_at(folder.path()), "what is wrong is said by opening it");
    // One wrong field: the game is listed, and refused when it is played.
    other["receptacles"] = 3.into();
    let id = other["id"].as_str().unwrap().to_owned();
    write("mine.jsonl", &other.to_string());
    assert!(Source::lies_at(&folder.path().join("mine.jsonl")));
    let error = open().unwrap().definition(&id).unwrap_err().to_string();
    assert!(error.contains("mine.jsonl:1: invalid type: integer `3`"), "{error}");
    other.as_object_mut().unwrap().remove("task");
    write("mine.jsonl", &other.to_string());
    let error = open().unwrap_err().to_string();
    assert!(error.contains("mine.jsonl:1: missing field `task`"), "{error}");
}
