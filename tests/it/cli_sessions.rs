//! Sessions from outside: compared, listed, renamed, deleted, opened at a step.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn stepwright(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepwright"));
    command.env("STEPWRIGHT_CONFIG_DIR", folder.join("config")).env("XDG_STATE_HOME", folder).env("HOME", folder);
    command.env("COLUMNS", "100").args(args).output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const BY_HAND: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/sessions/by-hand.jsonl");
const SOLVED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/sessions/solved.jsonl");

#[test]
fn branches_of_a_session_and_sessions_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let branches = stepwright(folder.path(), &["compare", BY_HAND]);
    assert_eq!(branches.status.code(), Some(1), "they differ: {}", err(&branches));
    let text = out(&branches);
    assert!(text.contains(" by-hand.jsonl#") && !text.contains("sessions/by-hand"), "the name, not the path: {text}");
    assert!(text.contains("First difference: step") && text.contains(" => "), "{text}");
    assert!(text.lines().all(|line| unicode_width::UnicodeWidthStr::width(line) <= 100), "{text}");

    let same = stepwright(folder.path(), &["compare", SOLVED, SOLVED]);
    assert_eq!(same.status.code(), Some(0), "{}", err(&same));
    assert!(out(&same).contains("No difference."));

    let page = folder.path().join("page.html");
    let both = ["compare", SOLVED, BY_HAND, "--json", "-", "--html", page.to_str().unwrap()];
    let both = stepwright(folder.path(), &both);
    let data: Value = serde_json::from_slice(&both.stdout).unwrap();
    assert_eq!(data["columns"].as_array().unwrap().len(), 2);
    assert_eq!(data["first_difference"], 0, "two tasks differ from the beginning");
    assert!(std::fs::read_to_string(page).unwrap().contains("first difference"));

    let one = stepwright(folder.path(), &["compare", SOLVED]);
    assert_eq!(one.status.code(), Some(2));
    assert!(err(&one).contains("there is one branch"), "{}", err(&one));
    let absent = stepwright(folder.path(), &["compare", &format!("{SOLVED}#9999"), BY_HAND]);
    assert!(err(&absent).contains("there is no node 9999"), "{}", err(&absent));
}

#[test]
fn sessions_are_listed_renamed_and_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let shown = stepwright(folder.path(), &["config", "show"]);
    let empty = stepwright(folder.path(), &["sessions"]);
    let place = err(&empty);
    let sessions = place.trim().rsplit_once(" in ").unwrap_or_else(|| panic!("{place} {}", out(&shown))).1;
    assert!(sessions.starts_with(folder.path().to_str().unwrap()), "{sessions}");
    std::fs::create_dir_all(sessions).unwrap();
    std::fs::copy(SOLVED, Path::new(sessions).join("solved.jsonl")).unwrap();
    std::fs::copy(BY_HAND, Path::new(sessions).join("by-hand.jsonl")).unwrap();
    std::fs::write(Path::new(sessions).join("torn.jsonl"), "no session\x1b[31m").unwrap();

    let listed = out(&stepwright(folder.path(), &["sessions"]));
    assert!(listed.contains("goal reached after") && listed.contains("branches"), "{listed}");
    assert!(listed.contains("cannot be read: ") && !listed.contains('\x1b'), "{listed}");
    let won = out(&stepwright(folder.path(), &["sessions", "--won", "--json", "tomato"]));
    let won: Vec<Value> = won.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!((won.len(), &won[0]["branches"], &won[0]["won"]), (1, &1.into(), &true.into()));

    let renamed = stepwright(folder.path(), &["sessions", "rename", "solved", "by-hand"]);
    assert_eq!(renamed.status.code(), Some(2), "the name is taken");
    let renamed = stepwright(folder.path(), &["sessions", "rename", "solved", "heated"]);
    assert!(renamed.status.success() && Path::new(sessions).join("heated.jsonl").is_file(), "{}", err(&renamed));
    let outside = stepwright(folder.path(), &["sessions", "rename", "heated", "../out"]);
    assert!(err(&outside).contains("without a folder"), "{}", err(&outside));

    let asked = stepwright(folder.path(), &["sessions", "delete", "heated"]);
    assert!(err(&asked).contains("--yes") && Path::new(sessions).join("heated.jsonl").is_file());
    let deleted = stepwright(folder.path(), &["sessions", "delete", "heated", "--yes"]);
    assert!(deleted.status.success() && !Path::new(sessions).join("heated.jsonl").exists());

    let nothing = stepwright(folder.path(), &["sessions", "nowhere-to-be-found"]);
    assert!(nothing.stdout.is_empty() && err(&nothing).starts_with("no session that fits in "), "{}", err(&nothing));
    // A name in the folder of sessions is enough everywhere.
    let shown = stepwright(folder.path(), &["show", "by-hand"]);
    assert_eq!(out(&shown), out(&stepwright(folder.path(), &["show", BY_HAND])), "{}", err(&shown));
    let exported = stepwright(folder.path(), &["export", "by-hand.jsonl", "--jsonl", "-"]);
    assert!(out(&exported).starts_with("{\"stepwright\":\"session\""), "{}", err(&exported));
    let compared = stepwright(folder.path(), &["compare", "by-hand#3", "by-hand#8"]);
    assert!(compared.status.code() == Some(1) && out(&compared).contains("by-hand#8"), "{}", err(&compared));
    // And the newest needs none.
    std::fs::remove_file(Path::new(sessions).join("torn.jsonl")).unwrap();
    let last = stepwright(folder.path(), &["show", "--last"]);
    assert_eq!(out(&last), out(&shown), "{}", err(&last));
    let last = stepwright(folder.path(), &["export", "--last", "--jsonl", "-"]);
    assert_eq!(out(&last), out(&exported), "{}", err(&last));
    let last = stepwright(folder.path(), &["compare", "--last"]);
    assert!(last.status.code() == Some(1) && out(&last).contains("First difference"), "{}", err(&last));
    let folder_named = stepwright(folder.path(), &["show", sessions]);
    assert!(err(&folder_named).contains("is a folder; name a session in it"), "{}", err(&folder_named));

    let step = stepwright(folder.path(), &["open", "by-hand", "--step", "999"]);
    assert!(err(&step).contains("there is no step 999"), "{}", err(&step));
    let absent = stepwright(folder.path(), &["open", "nowhere"]);
    assert!(err(&absent).contains("no such file"), "{}", err(&absent));
}

#[test]
fn a_session_is_read_from_a_pipe_and_a_place_that_is_not_there_is_said() {
    let folder = tempfile::Builder::new().prefix("sessions").tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepwright"));
    command.env("XDG_STATE_HOME", folder.path()).env("HOME", folder.path()).stdin(std::fs::File::open(SOLVED).unwrap());
    let piped = command.args(["show", "-"]).output().unwrap();
    assert!(out(&piped).starts_with("heat some tomato and put it in fridge."), "{}", err(&piped));
    let nowhere = folder.path().join("none/page.html");
    let lost = stepwright(folder.path(), &["export", SOLVED, "--html", nowhere.to_str().unwrap()]);
    assert!(
        lost.status.code() == Some(2) && err(&lost).contains("there is no folder ") && !err(&lost).contains(".tmp"),
        "{}",
        err(&lost)
    );
    // A shell may leave the variable empty.
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepwright"));
    let wide = command.env("HOME", folder.path()).env("COLUMNS", "").args(["compare", BY_HAND]).output().unwrap();
    assert_eq!(wide.status.code(), Some(1), "{}", err(&wide));
}

#[test]
fn a_cast_shows_the_workbench_and_marks_every_decision() {
    let folder = tempfile::tempdir().unwrap();
    let before = std::fs::read(BY_HAND).unwrap();
    let cast = stepwright(folder.path(), &["export", BY_HAND, "--cast", "-"]);
    assert!(cast.status.success(), "{}", err(&cast));
    let text = out(&cast);
    let mut lines = text.lines().map(|l| serde_json::from_str::<Value>(l).unwrap());
    let head = lines.next().unwrap();
    let size = |key: &str| head["term"][key].as_u64().unwrap() as usize;
    let mut terminal = avt::Terminal::new(size("cols"), size("rows")).unwrap();
    let (mut markers, mut states) = (Vec::new(), 0);
    for event in lines {
        match event[1].as_str().unwrap() {
            "o" => terminal.feed(event[2].as_str().unwrap()),
            _ => markers.push(event[2].as_str().unwrap().to_owned()),
        }
        let screen = terminal.screen().text().join("\n");
        // The world was stepped too: the panes of state and tree are not empty.
        states += usize::from(screen.contains("visible_objects") && screen.contains("Blocking"));
    }
    assert!(markers.len() == 8 && markers[0].starts_with("1: "), "{markers:?}");
    assert!(states > markers.len(), "{states}");
    let screen = terminal.screen().text().join("\n");
    for pane in ["Program", "Proposals", "Preconditions", "State", "Blocking"] {
        assert!(screen.contains(pane), "{pane}: {screen}");
    }
    assert_eq!(std::fs::read(BY_HAND).unwrap(), before);
    let shown = out(&stepwright(folder.path(), &["show", BY_HAND]));
    assert!(shown.contains("    state: {") && shown.contains("blocking tree:"), "{shown}");
    // A row of the tree has the word of the mark that the workbench shows: a candidate its verdict, a goal that was met holds.
    let kitchen = concat!(env!("CARGO_MANIFEST_DIR"), "/sessions/kitchen.jsonl");
    let shown = out(&stepwright(folder.path(), &["show", kitchen]));
    let (start, later) = shown.split_once("\n[1] ").unwrap();
    assert!(
        start.contains("        blocked: switchon CoffeeMachine|1\n") && !start.contains("holds: switchon"),
        "{start}"
    );
    assert!(later.contains("      holds: ON CoffeeMachine|1\n"), "{later}");
    assert!(!later.contains("unknown: ON CoffeeMachine|1\n"), "{later}");
}
