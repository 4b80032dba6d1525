//! External world by keys, in a pseudo-terminal: it dies and comes back, hangs and is stopped, and its session is read again
//! without it.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::support::pty::{PATIENCE, Pty};

const PROGRAM: &str = env!("CARGO_BIN_EXE_stepwright");
const SIZE: (u16, u16) = (120, 40);

/// Types an action and takes it.
fn act(pty: &mut Pty, text: &str) {
    pty.settle().send("m");
    pty.wait_for("Enter").settle().send(text);
    pty.settle().send("\r");
}

#[test]
fn a_world_that_dies_is_seen_to_and_the_episode_goes_on() {
    let home = tempfile::tempdir().unwrap();
    let asked = home.path().join("asked");
    let command = format!("/bin/sh {}/tests/support/stand_in.sh {}", env!("CARGO_MANIFEST_DIR"), asked.display());
    let mut pty = Pty::start(PROGRAM, &["--command", &command], home.path(), &[], SIZE);
    // The commanded world is first.
    pty.wait_for("/ searches").wait_for("▶ symbolic").settle().send("\r");
    // The built-in proposer knows nothing of it; what the world lists is named.
    pty.wait_for("step 0 · count to nine.").wait_for("The world lists 2 admissible actions: add, die.");
    act(&mut pty, "add");
    pty.wait_for("step 1 ·");
    act(&mut pty, "die");
    pty.wait_for("The world's process ended").wait_for("ended before step 2 was answered (exit status: 3)");
    pty.wait_for("Traceback: the simulator fell over").wait_for("R restarts it and replays the step so far");
    pty.settle().send("R");
    pty.wait_for("1 step replayed, as recorded").settle();
    assert!(!pty.text().contains("has ended"), "{}", pty.text());
    act(&mut pty, "add");
    pty.wait_for("step 2 ·");
    // One that hangs: the keys work meanwhile, and Esc ends it.
    // It is none of the admissible actions, so it is asked about once.
    act(&mut pty, "hang");
    pty.wait_for("Enter again takes it").send("\r");
    pty.wait_for("the world is working: step 3: `hang`; Esc stops it").settle().send("?");
    pty.wait_for("Decisions and time").settle().send("\x1b");
    pty.settle().send("\x1b");
    pty.wait_for("step 3 was stopped before").settle();
    act(&mut pty, "add");
    pty.wait_for("step 3 ·").settle().send("u");
    pty.wait_for("step 2 ·").settle().send("q");
    assert_eq!(pty.wait(), 0);
    assert!(pty.is_restored());
    let processes = || std::fs::read_to_string(home.path().join("asked.pids")).unwrap().lines().count();
    // Three and the child of the one that hung.
    assert_eq!(processes(), 4);

    // Read again, without the command: everything is there, and a step says what is missing.
    let folder = home.path().join("state/stepwright/sessions");
    let file = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let file: &Path = &file;
    let mut pty = Pty::start(PROGRAM, &["open", &file.display().to_string()], home.path(), &[], SIZE);
    // It is opened where it was last looked at.
    pty.wait_for("step 2 · count to nine.");
    act(&mut pty, "add");
    pty.wait_for("is not configured here").settle().send("q");
    assert_eq!(pty.wait(), 0);
    // With it: nothing is started until a step is taken.
    let open = ["open", &file.display().to_string(), "--command", &command];
    let mut pty = Pty::start(PROGRAM, &open, home.path(), &[], SIZE);
    pty.wait_for("step 2 ·").settle();
    assert_eq!(processes(), 4);
    act(&mut pty, "add");
    pty.wait_for("step 3 ·").settle().send("q");
    assert_eq!(pty.wait(), 0);
    assert_eq!(processes(), 5);
}

#[test]
fn a_command_that_never_answers_is_given_up() {
    let home = tempfile::tempdir().unwrap();
    let pids = home.path().join("pids");
    let command = format!("/bin/sh -c 'echo $$ >{}; exec sleep 1000'", pids.display());
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
