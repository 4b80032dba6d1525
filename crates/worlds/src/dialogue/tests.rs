//! Importers, specification and Figure 6, on small files of the tests' own and on the recordings where they lie.

use std::path::Path;

use serde_json::{Value, json};

use super::*;
use stepwright_program::{Limits, Specification, run_module};
use stepwright_trajectory::Step;
use stepwright_world::TaskSet;
use stepwright_world::demonstration::Demonstration;

fn schema() -> Value {
    serde_json::from_str(include_str!("tests/schema.json")).unwrap()
}

fn dialogue(id: &str) -> Value {
    let mut dialogue: Value = serde_json::from_str(include_str!("tests/dialogue.json")).unwrap();
    dialogue["dialogue_id"] = json!(id);
    dialogue
}

const CALLS: [&str; 9] = [
    "user.INFORM_INTENT('FindBoat')", "system.REQUEST('pier')", "user.INFORM('pier')", "system.FindBoat()",
    "system.set_query_status(False)", "system.NOTIFY_FAILURE()", "system.OFFER('hour')", "system.INFORM_COUNT()",
    "user.SELECT()",
];

fn folder(dialogues: &[Value]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (split, dialogues) in [("train", dialogues), ("test", &[dialogue("1_00000")])] {
        let split = folder.path().join(split);
        std::fs::create_dir(&split).unwrap();
        std::fs::write(split.join("schema.json"), schema().to_string()).unwrap();
        std::fs::write(split.join("dialogues_001.json"), json!(dialogues).to_string()).unwrap();
    }
    folder
}

#[test]
fn a_folder_of_the_dataset_is_read_as_calls() {
    let mut other = dialogue("1_00001");
    other["services"] = json!(["Boats_1", "Hotels_1"]);
    let folder = folder(&[dialogue("1_00000"), other]);
    let source = Source::open(folder.path()).unwrap();
    // A dialogue's id alone is not unique across splits; dialogues of two services are left out.
    assert_eq!(source.dialogues().iter().map(|d| d.id.as_str()).collect::<Vec<_>>(), ["train/1_00000", "test/1_00000"]);
    assert_eq!(source.services().collect::<Vec<_>>(), ["Boats_1"]);
    assert_eq!(source.service("Boats_1").unwrap().slots[0].possible_values, ["north", "south"]);
    let read = source.dialogue("train/1_00000").unwrap();
    let calls: Vec<String> = read.calls().map(ToString::to_string).collect();
    assert_eq!(calls[..9], CALLS);
    assert_eq!(read.turns[1].utterance, "Which pier?");
    assert_eq!(read.sentence(), "Boats_1: FindBoat. A boat, please.");
    assert_eq!(source.tasks()[0].kind, "Boats_1");
    assert_eq!(source.resolve("test").unwrap(), "test/1_00000");
    // One split alone, and one file alone, keep the name of the split.
    for path in ["train", "train/dialogues_001.json"] {
        let part = Source::open(&folder.path().join(path)).unwrap();
        assert_eq!(part.dialogues()[0], *read);
        assert_eq!(part.service("Boats_1"), source.service("Boats_1"));
    }
}

#[test]
fn compact_lines_hold_the_same_dialogues() {
    let raw = folder(&[dialogue("1_00000")]);
    let read = Source::open(raw.path()).unwrap();
    let line = load_compact::line(&read.dialogues()[0]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("dialogues")).unwrap();
    let file = folder.path().join("dialogues/Boats_1.demos.jsonl");
    std::fs::write(&file, &line).unwrap();
    std::fs::write(folder.path().join("dialogues/other.jsonl"), "{\"not\": \"a dialogue\"}\n").unwrap();
    // Without a schema, what can be inferred from the dialogues.
    let alone = Source::open(&file).unwrap();
    assert_eq!(alone.dialogues()[0], read.dialogues()[0]);
    let gathered = alone.service("Boats_1").unwrap();
    assert_eq!(gathered.slots.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), ["pier", "hour"]);
    assert_eq!(gathered.intents.iter().map(|i| i.name.as_str()).collect::<Vec<_>>(), ["FindBoat"]);
    // With domains.json, that and the truth about its actions.
    let domains = json!({"domains": [{"service": "Boats_1", "slots": ["pier"], "intents": [{"name": "FindBoat"}],
        "actions": [{"action": "GOODBYE", "ground_truth": ["self.user.no_more"]}]}]});
    std::fs::write(folder.path().join("domains.json"), domains.to_string()).unwrap();
    for path in [folder.path(), &folder.path().join("dialogues"), &file] {
        let source = Source::open(path).unwrap();
        let truth = source.ground_truth("Boats_1").unwrap();
        assert_eq!(truth, [("GOODBYE".to_owned(), vec!["self.user.no_more".to_owned()])]);
        assert_eq!(source.dialogues(), alone.dialogues());
    }
}

/// The error for a dialogue with each change of `tests/wrong.txt`.
#[test]
fn what_is_malformed_is_named_with_its_place() {
    let mut out = String::new();
    for line in include_str!("tests/wrong.txt").lines() {
        let (pointer, value) = line.split_once(' ').unwrap();
        let mut changed = dialogue("1_00007");
        *changed.pointer_mut(pointer).unwrap() = serde_json::from_str(value).unwrap();
        let folder = folder(&[dialogue("1_00000"), changed]);
        let said = Source::open(folder.path()).unwrap_err().to_string();
        out += &format!("{line}\n    {}\n", said.replace(&folder.path().display().to_string(), ""));
    }
    insta::assert_snapshot!(out);
}

#[test]
fn malformed_lines_and_schemas_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.jsonl");
    let good = r#"{"id": "a/1", "service": "S", "calls": ["user.GOODBYE()", "system.GOODBYE()"], "turns": [1, 1]}"#;
    for (bad, word) in [
        (good.replace("[1, 1]", "[1, 2]"), "turns"),
        (good.replace("[1, 1]", "[2]"), "turn 1: system.GOODBYE()"),
        (good.replace("[1, 1]", "[1, 1], \"utterances\": [\"hi\"]"), "utterances"),
        (good.replace("user.GOODBYE()", "import os"), "no dialogue"),
    ] {
        std::fs::write(&file, format!("{good}\n{bad}\n")).unwrap();
        let error = Source::open(&file).unwrap_err().to_string();
        assert!(error.contains("a.jsonl:2") && error.contains(word), "{error}");
    }
    std::fs::write(&file, good).unwrap();
    for (intent, word) in
        [("class", "identifier"), ("OFFER", "already"), ("a b", "identifier"), ("__init__", "identifier")]
    {
        let mut schema = schema();
        schema[0]["intents"][1]["name"] = json!(intent);
        std::fs::write(folder.path().join("schema.json"), schema.to_string()).unwrap();
        let error = Source::open(&file).unwrap_err().to_string();
        assert!(error.contains("schema.json") && error.contains("Boats_1") && error.contains(word), "{error}");
    }
    std::fs::write(folder.path().join("schema.json"), "[{}]").unwrap();
    assert!(Source::open(&file).unwrap_err().to_string().contains("service_name"));
    let empty = tempfile::tempdir().unwrap();
    assert!(Source::open(empty.path()).unwrap_err().to_string().contains("no dialogues here"));
    assert!(Source::open(Path::new("/no/such/file")).is_err());
}

#[test]
fn in_a_folder_a_broken_dialogue_is_refused_with_its_line_and_other_json_is_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let good = r#"{"id": "a/1", "service": "S", "calls": ["user.GOODBYE()", "system.GOODBYE()"], "turns": [1, 1]}"#;
    write("a.jsonl", good);
    write("b.jsonl", r#"{"episode": "a", "calls": ["agent.look()"]}"#);
    write("c.jsonl", "\n");
    let open = || Source::open(folder.path());
    assert_eq!(open().unwrap().dialogues().len(), 1);
    for (bad, said) in [
        (good[..40].to_owned(), "no JSON: EOF"),
        (good.replace("[1, 1]", "2"), "invalid type: integer `2`"),
        (good.replace("\"service\": \"S\", ", ""), "missing field `service`"),
        (good.replace("user.GOODBYE()", "GOODBYE("), "no dialogue"),
    ] {
        write("c.jsonl", &format!("\n{bad}\n"));
        let error = open().unwrap_err().to_string();
        assert!(error.contains("c.jsonl:2: ") && error.contains(said), "{error}");
        assert!(Source::lies_at(folder.path()), "what is wrong is said by opening it");
    }
}

#[test]
fn two_dialogues_of_one_id_are_refused_with_both_places() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let line = r#"{"id": "a/1", "service": "S", "calls": ["user.GOODBYE()", "system.GOODBYE()"], "turns": [1, 1]}"#;
    let other = line.replace("a/1", "a/2");
    let error = |path: &Path| Source::open(path).unwrap_err().to_string();
    write("a.jsonl", &format!("{line}\n{other}\n\n{line}\n"));
    let said = error(&folder.path().join("a.jsonl"));
    assert!(said.contains("a.jsonl:4: dialogue \"a/1\" is in ") && said.contains("a.jsonl:1 too; give one"), "{said}");
    write("a.jsonl", &other);
    write("b.jsonl", &format!("{line}\n{other}\n"));
    let said = error(folder.path());
    assert!(said.contains("b.jsonl:2: dialogue \"a/2\" is in ") && said.contains("a.jsonl:1 too"), "{said}");
    // In the dataset's own layout places are counted; dialogues of several services count too.
    let mut of_two = dialogue("1_00000");
    of_two["services"] = json!(["Boats_1", "Hotels_1"]);
    let folder = self::folder(&[dialogue("1_00001"), of_two, dialogue("1_00001")]);
    let said = error(folder.path());
    assert!(
        said.contains("dialogues_001.json, number 3 of its list: dialogue \"train/1_00001\" is in ")
            && said.contains("dialogues_001.json, number 1 of its list too"),
        "{said}"
    );
}

#[test]
fn a_specification_loads_and_knows_every_call() {
    let folder = folder(&[dialogue("1_00000")]);
    let source = Source::open(folder.path()).unwrap();
    let specification = Specification::load(&source.specification("Boats_1"), "spec.py").unwrap();
    let declared = specification.declarations();
    assert_eq!(declared.actions.len(), SYSTEM_ACTS.len() + 2);
    assert_eq!(declared.observations.len(), USER_ACTS.len() + 1);
    let mut state = specification.start().unwrap();
    for call in source.dialogues()[0].calls() {
        state.call(call).unwrap();
    }
    let variables = state.variables();
    assert_eq!(variables["system"]["query_success"], json!(false));
    assert_eq!(variables["user"]["informed_slot"], json!({"pier": true}));
    assert_eq!((&variables["user"]["selected"], &variables["user"]["no_more"]), (&json!(true), &json!(true)));
}

#[test]
fn demonstrations_are_of_the_service_and_never_the_dialogue_itself() {
    let many: Vec<Value> = (0..30).map(|i| dialogue(&format!("1_{i:05}"))).collect();
    let folder = folder(&many);
    let source = Source::open(folder.path()).unwrap();
    let ids = |except: &str, seed| -> Vec<String> {
        source.demonstrations("Boats_1", except, seed).iter().map(|d| d.id.clone()).collect()
    };
    let drawn = ids("test/1_00000", 0);
    assert_eq!(drawn.len(), 10);
    assert!(drawn.iter().all(|id| id.starts_with("train/")));
    assert_eq!(drawn, ids("test/1_00000", 0));
    assert_ne!(drawn, ids("test/1_00000", 1));
    let without = ids(&drawn[3], 0);
    assert!(without.len() == 10 && !without.contains(&drawn[3]));
    assert!(source.demonstrations("Cars_1", "", 0).is_empty());
}

#[test]
fn a_demonstration_has_the_dialogues_calls() {
    let folder = folder(&[dialogue("1_00000")]);
    let source = Source::open(folder.path()).unwrap();
    let recorded = &source.dialogues()[0];
    let demonstration = Demonstration::from(recorded);
    assert!(demonstration.calls().eq(recorded.calls()));
    let steps: Vec<&str> = demonstration.steps.iter().map(|s| s.action.as_str()).collect();
    assert_eq!(steps[..5], ["", "system.REQUEST('pier')", END_TURN, "system.FindBoat()", "system.NOTIFY_FAILURE()"]);
    assert_eq!(demonstration.steps[3].calls[0].to_string(), "system.set_query_status(False)");
    assert_eq!(demonstration.steps[0].observed(), "User: A boat, please.");
    assert_eq!(demonstration.steps[2].observed(), "User: (tells pier)");
}

/// The generated class USER is the recorded one, but for its layout.
#[test]
fn class_user_is_the_recorded_one() {
    let Some(shared) = crate::recordings::recordings("sgd") else { return };
    let domains = std::fs::read_to_string(shared.join("domains.json")).unwrap();
    let domains: Value = serde_json::from_str(&domains).unwrap();
    let bare = |text: &str| -> Vec<String> {
        let lines = text.lines().map(str::trim).skip_while(|l| !l.starts_with("class USER"));
        let lines = lines.take_while(|l| !l.starts_with("class SYSTEM"));
        lines.filter(|l| !l.is_empty() && !l.starts_with('#')).map(str::to_owned).collect()
    };
    let recorded = bare(domains["user_class"].as_str().unwrap());
    let source = Source::open(&shared).unwrap();
    assert_eq!(source.services().count(), 6);
    for service in source.services() {
        assert_eq!(bare(&source.specification(service)), recorded);
    }
    let acts: Vec<(String, Option<String>)> =
        serde_json::from_value::<Vec<Value>>(domains["acts_without_service_calls"].clone())
            .unwrap()
            .into_iter()
            .map(|a| (a["action"].as_str().unwrap().to_owned(), a["arg"].as_str().map(str::to_owned)))
            .collect();
    let ours: Vec<_> = SYSTEM_ACTS.iter().map(|(n, a)| ((*n).to_owned(), a.parameter().map(str::to_owned))).collect();
    assert_eq!(ours, acts);
}

/// Figure 6 of the precondition paper is the dialogue `train/1_00011`.
#[test]
fn figure_6_renders_as_in_the_paper() {
    let Some(shared) = crate::recordings::recordings("sgd") else { return };
    let source = Source::open(&shared.join("raw/Restaurants_1.demos.json")).unwrap();
    let recorded = source.dialogue("train/1_00011").unwrap();
    let header = Demonstration::from(recorded).header;
    let step = Step { calls: recorded.calls().cloned().collect(), ..Step::default() };
    let program = stepwright_trajectory::program::write(&header.opening(), &[step], false, 0);
    let example = std::fs::read_to_string(shared.join("example_program.txt")).unwrap();
    let figure: Vec<&str> = example.lines().skip_while(|l| !l.starts_with("def demonstration")).collect();
    let figure: Vec<&str> =
        figure.into_iter().take_while(|l| !l.starts_with("demonstration()")).map(str::trim).collect();
    let ours: Vec<&str> = program.lines().map(str::trim).collect();
    let figure: Vec<&str> = figure.into_iter().filter(|l| !l.is_empty()).collect();
    assert_eq!(ours, figure);
    // And the whole program runs.
    let whole = format!("{}\n\n{program}\n\ndemonstration()\n", source.specification("Restaurants_1"));
    assert_eq!(run_module(&whole, Limits::MODULE).fault, None);
}
