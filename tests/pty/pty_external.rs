//! External world by keys, in a pseudo-terminal: it dies and comes back, hangs and is stopped, and its session is read again
//! without it.

use std::time::{Duration, Instant};

use crate::scripts::play;
use crate::support::program::PROGRAM;
use crate::support::pty::{PATIENCE, Pty};

const SIZE: (u16, u16) = (120, 40);

#[test]
fn a_world_that_dies_is_seen_to_and_the_episode_goes_on() {
    let home = tempfile::tempdir().unwrap();
    play(include_str!("scripts/external.script"), home.path(), &[]);
    let processes = || std::fs::read_to_string(home.path().join("asked.pids")).unwrap().lines().count();
    // Three and the child of the one that hung.
    assert_eq!(processes(), 4);

    // With it, nothing is started until a step is taken.
    play(include_str!("scripts/external_alone.script"), home.path(), &[]);
    play(include_str!("scripts/external_again.script"), home.path(), &[]);
    assert_eq!(processes(), 4);
    play(include_str!("scripts/external_goes_on.script"), home.path(), &[]);
    assert_eq!(processes(), 5);
}

/// E10 of the ecosystem's review: a world of one's own begins by its name, or a part of it, and says what it calls itself.
#[test]
fn a_world_of_ones_own_begins_by_name() {
    let home = tempfile::tempdir().unwrap();
    let adapter = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("python/stepwright/examples/counter.py");
    let world =
        |name: &str| format!("[external.{name}]\ncommand = [\"python3\", {:?}]\n", adapter.display().to_string());
    let config = home.path().join("config/stepwright/config.toml");
    std::fs::create_dir_all(config.parent().unwrap()).unwrap();
    std::fs::write(&config, format!("{}{}tasks = [\"seven\", \"eight\"]\n", world("swe"), world("taxi"))).unwrap();
    for (task, called) in [("swe", "swe"), ("taxi/eig", "taxi/eight")] {
        let mut pty = Pty::start(PROGRAM, &["--world", "external", "--task", task], home.path(), &[], SIZE);
        pty.wait_for("Counter 1 · step 0 · reach exactly ten.").settle().send("\r");
        pty.wait_for("step 1 ·").settle().send("q");
        assert_eq!(pty.wait(), 0);
        let sessions = home.path().join("state/stepwright/sessions");
        let texts: Vec<String> = std::fs::read_dir(sessions)
            .unwrap()
            .flatten()
            .map(|file| std::fs::read_to_string(file.path()).unwrap())
            .collect();
        assert!(
            texts.iter().any(|text| text.contains(&format!(r#""task":"{called}""#))
                && text.contains(r#""world_version":"Counter 1""#)),
            "{texts:?}"
        );
    }
    // The start screen lists both, once their world is the marked one.
    let mut pty = Pty::start(PROGRAM, &[], home.path(), &[], SIZE);
    pty.wait_for("/ searches").settle().send("\t\t");
    pty.settle().send("/");
    pty.wait_for("Search").send("external\r");
    pty.wait_for("seven (taxi)").wait_for("that swe begins with").settle().send("q");
    assert_eq!(pty.wait(), 0);
}

#[test]
fn an_action_is_typed_beside_a_request_where_the_world_lists_actions() {
    let home = tempfile::tempdir().unwrap();
    play(include_str!("scripts/external_request.script"), home.path(), &[]);
}

/// What a world's process calls its tasks stands on the start screen once somebody looks at the world, and the marked one is begun.
#[test]
fn the_tasks_that_a_world_tells_are_on_the_start_screen() {
    let home = tempfile::tempdir().unwrap();
    let counter = concat!(env!("CARGO_MANIFEST_DIR"), "/python/stepwright/examples/counter.py");
    let told = r#""version": "1", "tasks": [{"id": "ten", "sentence": "Reach ten."}, {"id": "slow", "sentence": "Count slowly."}]"#;
    let source = std::fs::read_to_string(counter).unwrap().replace(r#""version": "1""#, told);
    let adapter = home.path().join("tasks.py");
    std::fs::write(&adapter, source).unwrap();
    let mut pty =
        Pty::start(PROGRAM, &["--command", &format!("python3 {}", adapter.display())], home.path(), &[], SIZE);
    pty.wait_for("/ searches").settle().send("\t");
    pty.wait_for("Reach ten.").wait_for("Count slowly.").settle().send("\x1b[Z");
    pty.settle().send("\x1b[B");
    pty.wait_for("▶ Count slowly.").settle().send("\r");
    pty.wait_for("step 0 ·").settle().send("\r");
    pty.wait_for("step 1 ·").settle().send("q");
    assert_eq!(pty.wait(), 0);
    let file = std::fs::read_dir(home.path().join("state/stepwright/sessions")).unwrap().next().unwrap().unwrap();
    let text = std::fs::read_to_string(file.path()).unwrap();
    assert!(text.contains(r#""task":"cli/slow""#), "{text}");
}

#[test]
fn a_command_that_never_answers_is_given_up() {
    let home = tempfile::tempdir().unwrap();
    let pids = home.path().join("pids");
    // It says first what its controlling terminal is: none.
    let tty = home.path().join("tty");
    let command = format!(
        "/bin/sh -c 'cut -d\" \" -f7 /proc/self/stat >{}; echo $$ >{}; exec sleep 1000'",
        tty.display(),
        pids.display()
    );
    let mut pty = Pty::start(PROGRAM, &["--command", &command], home.path(), &[], SIZE);
    pty.wait_for("/ searches").wait_for("▶ symbolic").settle().send("\r");
    pty.wait_for("beginning cli in external; Esc stops it");
    let end = Instant::now() + PATIENCE;
    let pid = loop {
        match std::fs::read_to_string(&pids) {
            Ok(text) if text.ends_with('\n') => break text.trim().to_owned(),
            _ => assert!(Instant::now() < end, "it was not started"),
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    if cfg!(target_os = "linux") {
        assert_eq!(std::fs::read_to_string(tty).unwrap().trim(), "0", "it could write to the person's terminal");
    }
    pty.send("\x1b");
    pty.wait_for("The beginning is cancelled").settle().send("q");
    assert_eq!(pty.wait(), 0);
    // What was still being waited for ends with the program.
    let is_there = || {
        let zombie = std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|s| s.contains(") Z"));
        let alive = std::process::Command::new("/bin/sh").args(["-c", &format!("kill -0 {pid} 2>/dev/null")]).status();
        alive.unwrap().success() && !zombie
    };
    while is_there() {
        assert!(Instant::now() < end, "process {pid} is still there");
        std::thread::sleep(Duration::from_millis(10));
    }
}
