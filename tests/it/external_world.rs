//! Tests of the external world from outside: the program on both sides of the protocol, the adapters that come with it, and what is left
//! when the program is killed.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::support::program::{PROGRAM, program};
use crate::support::recordings::{absent, recordings};
use stepwright::world::{Outcome, World};
use stepwright::worlds::external::{Adapter, ExternalWorld};
use stepwright::worlds::household::{self, Edition, HouseholdWorld};

const HERE: &str = env!("CARGO_MANIFEST_DIR");

fn adapter(name: &str, command: &[&str]) -> Adapter {
    Adapter {
        start_timeout: Duration::from_secs(120),
        step_timeout: Duration::from_secs(60),
        ..Adapter::new(name, command.iter().map(|w| (*w).to_owned()).collect())
    }
}

fn path(below: &str) -> String {
    Path::new(HERE).join(below).display().to_string()
}

/// A Python with a package; noted as absent where there is none.
fn python(package: &str) -> Option<String> {
    let python = std::env::var("STEPWRIGHT_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let there = Command::new(&python).args(["-c", &format!("import {package}")]).output();
    if there.is_ok_and(|o| o.status.success()) {
        return Some(python);
    }
    absent(&format!(
        "a Python with the package `{package}`, which `{python}` is not (name one with STEPWRIGHT_PYTHON)"
    ));
    None
}

/// A world, and the actions that solve a shipped task.
fn plan(task: &str) -> (HouseholdWorld, Vec<String>) {
    let source = household::Source::shipped().unwrap();
    let texts = source.definition(task).unwrap().plan;
    (HouseholdWorld::new(source, Edition::Move), texts)
}

#[test]
fn the_program_drives_itself_and_nothing_differs() {
    let task = "shipped/place-pencil-5";
    let (mut direct, texts) = plan(task);
    let command = [PROGRAM, "play", "household", "--jsonl", "--serve", "--state", "--facts", "--edition", "move"];
    let phrases =
        ["agent.goto: go to {}", "agent.open: open {}", "agent.close: close {}", "agent.take: take {} from {}"];
    let own = Adapter {
        specification: Some(path("worlds/household/spec.py").into()),
        phrases: phrases.iter().map(|p| p.parse().unwrap()).collect(),
        ..adapter("house", &command)
    };
    let mut world = ExternalWorld::new(Arc::new(own), None).unwrap();
    let id = format!("house/{task}");
    let same = |direct: &Outcome, other: &Outcome| {
        assert_eq!(direct.calls().collect::<Vec<_>>(), other.calls().collect::<Vec<_>>());
        let plain = |o: &Outcome| Outcome { action_call: None, observation_calls: vec![], ..o.clone() };
        assert_eq!(plain(direct), plain(other));
    };
    same(&direct.reset(task, 0).unwrap(), &world.reset(&id, 0).unwrap());
    assert!(texts.len() >= 3, "{texts:?}");
    let mut points = Vec::new();
    for text in ["look", "fly"].into_iter().chain(texts.iter().map(String::as_str)) {
        let here = direct.act(text).unwrap();
        same(&here, &world.act(text).unwrap());
        assert_eq!(direct.truth(), world.truth());
        assert_eq!(direct.admissible(), world.admissible());
        assert_eq!((direct.facts(), direct.goals()), (world.facts(), world.goals()));
        points.push((world.snapshot(), text.to_owned(), here));
    }
    let won = points.last().unwrap().2.won;
    assert!(won, "the plan of the task solves it");
    assert_eq!(world.call_of("go to desk 1").unwrap().to_string(), "agent.goto('desk 1')");
    // Back to the third node and on again: the same answers.
    world.restore(&points[2].0).unwrap();
    for (_, text, outcome) in &points[3..] {
        same(outcome, &world.act(text).unwrap());
    }
}

/// The stand-in's command as a person would type it.
fn stand_in(folder: &Path) -> String {
    format!("/bin/sh {}/tests/support/stand_in.sh {}", HERE, folder.join("asked").display())
}

#[test]
fn the_smallest_adapter_is_a_whole_one() {
    let Some(python) = python("json") else { return };
    let script = path("python/stepwright/examples/counter.py");
    let mut world = ExternalWorld::new(Arc::new(adapter("counter", &[&python, &script])), None).unwrap();
    world.reset("counter", 0).unwrap();
    assert_eq!(world.admissible().unwrap(), ["add 1", "add 2", "add 3"]);
    assert_eq!(world.tasks()[0].sentence, "reach exactly ten.");
    for _ in 0..3 {
        world.act("add 3").unwrap();
    }
    let point = world.snapshot();
    assert!(world.act("add 3").unwrap().error.is_some());
    let end = world.act("add 1").unwrap();
    assert!(end.won && end.done && end.reward == 1.0);
    world.restore(&point).unwrap();
    assert_eq!(world.truth()["total"], 9);
    assert!(world.act("add 1").unwrap().won);
}

#[test]
fn the_real_alfworld_plays_as_ours_does() {
    let (Some(python), Some(games)) = (python("alfworld"), recordings("alfworld/official_format")) else { return };
    for edition in ["put", "move"] {
        plays_as_ours(&python, &games.join(edition));
    }
}

fn plays_as_ours(python: &str, games: &Path) {
    let source = Arc::new(household::Source::open(games).unwrap());
    let games = games.display().to_string();
    let adapter = adapter("alfworld", &[python, "-m", "stepwright.alfworld", &games, "--state", "--calls"]);
    let package = ("PYTHONPATH".to_owned(), path("python"));
    let adapter =
        Adapter { specification: Some(path("worlds/household/spec.py").into()), env: vec![package], ..adapter };
    let mut real = ExternalWorld::new(Arc::new(adapter), None).unwrap();
    assert!(!source.is_empty());
    for (number, id) in source.ids().map(str::to_owned).collect::<Vec<_>>().iter().enumerate() {
        let game = source.definition(id).unwrap();
        let edition = source.edition(id).unwrap().unwrap_or_default();
        let mut ours = HouseholdWorld::new(Arc::clone(&source), edition);
        let theirs = real.reset(&format!("alfworld/{number}"), 0).unwrap();
        let mine = ours.reset(id, 0).unwrap();
        assert!(theirs.observation.ends_with(&format!("Your task is to: {}", game.task)), "{id}: {theirs:?}");
        assert_eq!(real.tasks().last().unwrap().sentence, game.task);
        assert_eq!(real.admissible(), ours.admissible(), "{id}");
        let calls = |o: &Outcome| o.calls().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(calls(&theirs), calls(&mine), "{id}");
        assert!(!real.truth()["facts"].as_array().unwrap().is_empty());
        // A walk over everything that is offered, seldom twice the same; both answer the same.
        let mut done = std::collections::BTreeSet::new();
        for step in 0..25 {
            let offered = ours.admissible().unwrap();
            let new = |from: usize| (from..offered.len()).find(|i| done.insert(offered[*i].clone()));
            let at = [0, offered.len() / 2, offered.len() / 3][step % 3];
            let at = std::iter::once(at).chain([0]).find_map(new).unwrap_or(step % offered.len());
            let text = if step == 7 { "fly" } else { offered[at].as_str() };
            let (theirs, mine) = (real.act(text).unwrap(), ours.act(text).unwrap());
            assert_eq!(theirs.observation.trim(), mine.observation.trim(), "{id}, step {step}: {text}");
            assert_eq!(real.admissible(), ours.admissible(), "{id}, step {step}: {text}");
            assert_eq!(calls(&theirs), calls(&mine), "{id}, step {step}: {text}");
            assert_eq!((theirs.won, theirs.error.is_some()), (mine.won, mine.error.is_some()), "{id}: {text}");
        }
    }
}

#[test]
fn nothing_is_left_when_the_program_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().display().to_string();
    let mut child = Command::new(PROGRAM)
        .args(["play", "external", "--jsonl", "--command", &stand_in(folder.path()), "--config-dir", &config])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    // It hangs, with a child of its own, while the program is killed without a chance to do anything.
    input.write_all(b"hang\n").unwrap();
    let pids = || {
        let text = std::fs::read_to_string(folder.path().join("asked.pids")).unwrap_or_default();
        text.lines().map(|l| l.parse::<i32>().unwrap()).collect::<Vec<_>>()
    };
    let end = Instant::now() + Duration::from_secs(20);
    while pids().len() < 2 {
        assert!(Instant::now() < end, "{:?}", pids());
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    for pid in pids() {
        let is_there = || {
            let alive = Command::new("/bin/sh").args(["-c", &format!("kill -0 {pid}")]).stderr(Stdio::null()).status();
            // One that nobody has collected yet is dead all the same.
            let zombie = std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|s| s.contains(") Z"));
            alive.unwrap().success() && !zombie
        };
        while is_there() {
            assert!(Instant::now() < end, "process {pid} is still there");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// A child in the background and one that left the session and lost its parent; none outlives the program, whether the command
/// dies by itself or the program is killed.
#[cfg(target_os = "linux")]
#[test]
fn what_a_command_left_behind_ends_too() {
    let hello = r#"{"step":0,"observation":"a room"}"#;
    for then in ["exit 3", "cat >/dev/null"] {
        let folder = tempfile::tempdir().unwrap();
        let pids = folder.path().join("pids");
        let script = format!(
            "sleep 1001 & echo $! >> {0}\nsh -c 'setsid sh -c \"echo \\$\\$ >> {0}; exec sleep 1002\" &'\n\
             while [ $(wc -l < {0}) -lt 2 ]; do sleep 0.02; done\nread -r a; echo '{hello}'; read -r b; {then}\n",
            pids.display()
        );
        let file = folder.path().join("adapter.sh");
        std::fs::write(&file, script).unwrap();
        let mut command = program(folder.path());
        command.args(["play", "external", "--jsonl", "--command", &format!("sh {}", file.display())]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut said = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut said).unwrap();
        assert!(said.contains("a room"), "{said}");
        let mut stdin = child.stdin.take().unwrap();
        let _ = stdin.write_all(b"go\n");
        if then == "exit 3" {
            drop(stdin);
        } else {
            child.kill().unwrap();
        }
        child.wait().unwrap();
        let left = std::fs::read_to_string(&pids).unwrap();
        assert_eq!(left.lines().count(), 2);
        let runs =
            |pid: &str| std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
        let since = Instant::now();
        while left.lines().any(runs) {
            assert!(since.elapsed() < Duration::from_secs(20), "{then}: some of {left:?} still run");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
