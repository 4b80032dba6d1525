//! Comparison of the program with the recordings of the original systems, by the code of `conform`.

use clap::Parser;
use conform::{Command, Report};

use crate::support::recordings::recordings;
use stepwright::world::World;
use stepwright::worlds::household::{Edition, HouseholdWorld, Source};

/// What came of a topic whose recordings are there; all of it agrees.
fn agreed(topic: &str) -> Option<Report> {
    let folder = recordings(topic)?;
    let report = conform::run(folder.parent().unwrap(), Some(topic)).unwrap();
    eprintln!("{report}");
    assert_eq!(report.exit_code(), 0, "{report}");
    Some(report)
}

/// A test a topic, so that they run beside each other.
macro_rules! every_recording_agrees {
    ($($topic:ident)*) => { $(
        #[test]
        fn $topic() {
            super::agreed(stringify!($topic));
        }
    )* };
}

mod every_recording_agrees {
    every_recording_agrees! { alfworld bcr statler webshop o3d virtualhome sgd logs }
}

#[test]
fn constructs_print_what_cpython_prints_and_hostile_programs_end() {
    let Some(report) = agreed("python") else { return };
    let constructs = report.rows.iter().find(|row| row.what == "constructs.jsonl").unwrap();
    assert!(constructs.compared >= 40, "{report}");
}

#[test]
fn whole_requests_are_those_of_the_originals() {
    conform::requests::use_worker(std::path::Path::new(env!("CARGO_BIN_EXE_stepwright")));
    let Some(report) = agreed("requests") else { return };
    // What a won episode's program does on is in none of the recordings at hand (docs/explanation/decisions.md, 87).
    let is_idle = |row: &&conform::Row| row.what.starts_with("exception ") && row.what != "exception after the goal";
    let idle: Vec<_> = report.rows.iter().filter(is_idle).collect();
    assert!(idle.is_empty(), "exceptions that excuse nothing: {idle:?}");
}

#[test]
fn a_folder_without_recordings_is_absent_and_not_passed() {
    let folder = tempfile::tempdir().unwrap();
    let report = conform::run(folder.path(), Some("alfworld")).unwrap();
    assert_eq!(report.exit_code(), 2);
    assert!(report.rows.iter().all(|row| row.compared == 0 && row.note.is_some()), "{report}");
    let said = |folder: &std::path::Path, topic: Option<&str>| conform::run(folder, topic).unwrap_err().to_string();
    let none = said(&folder.path().join("none"), None);
    assert!(
        none.ends_with("none: no such folder; name the one that holds the recordings, a folder for each topic"),
        "{none}"
    );
    let unknown = said(folder.path(), Some("astrology"));
    assert!(unknown.starts_with("no topic `astrology`; topics are: alfworld, python, "), "{unknown}");
}

/// A shipped task played here is a recording; a changed word in it is a difference, shown in full.
#[test]
fn a_changed_word_is_found_and_shown() {
    let source = Source::shipped().unwrap();
    let id = source.tasks()[0].id.clone();
    let game = serde_json::to_string(&source.definition(&id).unwrap()).unwrap();
    let mut world = HouseholdWorld::new(source, Edition::Put);
    let reset = world.reset(&id, 0).unwrap();
    let offered = world.admissible().unwrap();
    let command = offered[0].clone();
    let step = world.act(&command).unwrap();
    let mut episode = serde_json::json!({
        "id": "own", "game": id, "edition": "put",
        "reset": {"observation": reset.observation, "admissible": offered, "won": false},
        "steps": [{
            "command": command, "observation": step.observation, "admissible": world.admissible(),
            "done": false, "won": false
        }],
    });
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("traces")).unwrap();
    std::fs::write(folder.path().join("games_mine.jsonl"), game).unwrap();
    let write = |episode: &serde_json::Value| {
        std::fs::write(folder.path().join("traces/mine.jsonl"), format!("{episode}\n")).unwrap();
    };
    write(&episode);
    let report = conform::run(folder.path(), Some("alfworld")).unwrap();
    assert_eq!(report.exit_code(), 0, "{report}");

    episode["steps"][0]["observation"] = serde_json::json!("Something else.");
    write(&episode);
    let report = conform::run(folder.path(), Some("alfworld")).unwrap();
    assert_eq!(report.exit_code(), 1);
    let first = report.rows.iter().find_map(|row| row.first.as_ref()).unwrap();
    assert!(first.at.contains("mine.jsonl:1") && first.at.contains("step 1"), "{}", first.at);
    assert_eq!(first.expected, "\"Something else.\"");
    assert_eq!(first.got, format!("{:?}", step.observation));

    std::fs::write(folder.path().join("traces/mine.jsonl"), "{\"id\": 3}\n").unwrap();
    assert_eq!(conform::run(folder.path(), None).unwrap().exit_code(), 1);
}

#[test]
fn what_is_not_compared_is_said_and_empty_recordings_are_not_passed() {
    let folder = tempfile::tempdir().unwrap();
    let python = folder.path().join("python");
    std::fs::create_dir_all(&python).unwrap();
    let program = r#"{"name": "one", "source": "print(1)", "stdout": "1\n"}"#;
    std::fs::write(python.join("constructs_seed7.jsonl"), program).unwrap();
    std::fs::write(python.join("constructs_empty.jsonl"), "").unwrap();
    std::fs::write(python.join("programs.jsonl"), program).unwrap();
    std::fs::write(python.join("README.md"), "for people").unwrap();
    std::fs::create_dir_all(folder.path().join("chess")).unwrap();
    let all = conform::run(folder.path(), None).unwrap();
    assert!(all.rows.iter().any(|row| row.what == "chess/" && row.compared == 0), "{all}");
    let report = conform::run(folder.path(), Some("python")).unwrap();
    let said = |name: &str| report.rows.iter().find(|row| row.what == name).unwrap();
    assert_eq!((said("constructs_seed7.jsonl").compared, said("constructs_seed7.jsonl").differences), (1, 0));
    assert!(said("constructs_empty.jsonl").note.as_ref().is_some_and(|note| note.contains("nothing to compare")));
    assert!(said("programs.jsonl").note.as_ref().is_some_and(|note| note.contains("not compared")));
    assert!(report.rows.iter().all(|row| row.what != "README.md"));
    // A record that lacks what it is compared by is a difference.
    std::fs::write(python.join("constructs_seed7.jsonl"), r#"{"name": "one", "source": "pass"}"#).unwrap();
    assert_eq!(conform::run(folder.path(), Some("python")).unwrap().exit_code(), 1);
}

#[test]
fn the_command_prints_the_report_and_its_exit_code_tells_equal_different_and_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().display().to_string();
    let command = |args: &[&str]| Command::try_parse_from([&["conform", &dir], args].concat()).unwrap().run().unwrap();
    assert_eq!(command(&["--topic", "alfworld"]).1, 2);
    let source = Source::shipped().unwrap();
    let mut game = serde_json::to_value(source.definition(&source.tasks()[0].id).unwrap()).unwrap();
    let file = folder.path().join("games.jsonl");
    std::fs::write(&file, game.to_string()).unwrap();
    assert_eq!(command(&[]).1, 0);
    game["plan"][0] = "fly to the moon".into();
    std::fs::write(&file, game.to_string()).unwrap();
    let (text, code) = command(&["--topic", "alfworld", "--all"]);
    assert!(code == 1 && text.contains("expected the plan wins") && text.contains("fly to the moon"), "{text}");
    let (json, code) = command(&["--json"]);
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((code, &report["differences"]), (1, &1.into()));
}
