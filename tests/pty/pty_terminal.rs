//! Tests that the terminal is given back as it was found, however the workbench ends, and that model text never acts on it.

use std::time::{Duration, Instant};

use crate::support::program::PROGRAM;
use crate::support::pty::{GROUND, PATIENCE, Pty};

struct Bench {
    pty: Pty,
    _home: tempfile::TempDir,
}

fn start(args: &[&str], env: &[(&str, &str)]) -> Bench {
    let home = tempfile::tempdir().unwrap();
    let pty = Pty::start(PROGRAM, args, home.path(), env, (100, 30));
    Bench { pty, _home: home }
}

fn started() -> Bench {
    let mut bench = start(&[], &[]);
    bench.pty.wait_for("Stepwright").settle();
    bench
}

#[test]
fn it_starts_and_quits() {
    let mut bench = started();
    assert!(bench.pty.screen().alternate_screen() && !bench.pty.is_restored());
    bench.pty.send("q");
    assert_eq!(bench.pty.wait(), 0);
    assert!(bench.pty.is_restored());
}

#[test]
fn signals_restore_the_terminal_and_tell_the_shell() {
    for (signal, code) in [("TERM", 143), ("HUP", 129), ("INT", 130)] {
        let mut bench = started();
        bench.pty.signal(signal);
        assert_eq!(bench.pty.wait(), code, "{signal}");
        assert!(bench.pty.is_restored(), "{signal}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn d19_every_signal_that_a_thread_can_catch_restores_the_terminal() {
    let signals = [
        ("QUIT", 3),
        ("USR1", 10),
        ("USR2", 12),
        ("ALRM", 14),
        ("XCPU", 24),
        ("XFSZ", 25),
        ("VTALRM", 26),
        ("PROF", 27),
        ("IO", 29),
        ("SYS", 31),
        ("TRAP", 5),
    ];
    for (signal, number) in signals {
        let mut bench = started();
        bench.pty.signal(signal);
        assert_eq!(bench.pty.wait(), 128 + number, "{signal}");
        assert!(bench.pty.is_restored(), "{signal}");
    }
}

/// What an allocation that fails ends with: no thread runs any more, and the signal itself ends the program.
#[cfg(target_os = "linux")]
#[test]
fn an_abort_restores_the_terminal() {
    let mut bench = started();
    bench.pty.signal("ABRT");
    assert_ne!(bench.pty.wait(), 0);
    assert!(bench.pty.is_restored());
    assert!(bench.pty.text().contains("stepwright: aborted"), "{}", bench.pty.text());
}

/// A program that drew something on a terminal which is then closed: whether the program still runs is all that can be seen of it.
#[cfg(target_os = "linux")]
fn closed(command: &[&str], home: &std::path::Path) -> Box<dyn portable_pty::Child + Send + Sync> {
    use portable_pty::{CommandBuilder, PtySize, native_pty_system};
    use std::io::Read;
    let pair = native_pty_system().openpty(PtySize { rows: 30, cols: 100, ..PtySize::default() }).unwrap();
    let mut builder = CommandBuilder::new(command[0]);
    builder.args(&command[1..]);
    for name in ["HOME", "STEPWRIGHT_CONFIG_DIR", "STEPWRIGHT_STATE_DIR"] {
        builder.env(name, home);
    }
    let child = pair.slave.spawn_command(builder).unwrap();
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().unwrap();
    // It draws; then the window is closed.
    reader.read_exact(&mut [0; 200]).unwrap();
    child
}

#[cfg(target_os = "linux")]
fn wait_until(mut over: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !over() {
        assert!(Instant::now() < end, "still running");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn d19_a_terminal_that_takes_no_output_does_not_keep_the_program() {
    use rustix::fs::{Mode, OFlags};
    use rustix::termios::{Action, tcflow};
    for (keys, signal, code) in [("", "TERM", 143), ("?", "HUP", 129)] {
        let mut bench = started();
        let terminal = rustix::fs::open(bench.pty.name(), OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        tcflow(&terminal, Action::OOff).unwrap();
        // What a key has drawn holds the thread that draws.
        bench.pty.send(keys);
        std::thread::sleep(Duration::from_millis(300));
        bench.pty.signal(signal);
        assert_eq!(bench.pty.wait(), code, "{signal}");
        assert!(bench.pty.is_cooked(), "{signal}: the keys work again");
        tcflow(&terminal, Action::OOn).unwrap();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn d19_a_closed_terminal_is_no_panic() {
    for _ in 0..3 {
        let home = tempfile::tempdir().unwrap();
        let mut child = closed(&[PROGRAM], home.path());
        let mut status = None;
        wait_until(|| {
            status = child.try_wait().unwrap();
            status.is_some()
        });
        assert_ne!(status.as_ref().unwrap().exit_code(), 101, "{status:?}");
    }
}

/// A terminal that is not the controlling one is closed without a signal, and reading it never ends.
#[cfg(target_os = "linux")]
#[test]
fn d19_a_terminal_closed_without_a_signal_ends_the_program() {
    let home = tempfile::tempdir().unwrap();
    let mark = home.path().display().to_string();
    let runs = || {
        let own = |entry: &std::fs::DirEntry| {
            let program = std::fs::read_link(entry.path().join("exe")).is_ok_and(|exe| exe.ends_with("stepwright"));
            program
                && std::fs::read(entry.path().join("environ"))
                    .is_ok_and(|e| String::from_utf8_lossy(&e).contains(&mark))
        };
        std::fs::read_dir("/proc").unwrap().flatten().any(|entry| own(&entry))
    };
    let mut child = closed(&["setsid", "--wait", PROGRAM], home.path());
    wait_until(|| !runs());
    // It ran, and no panic ended it: `setsid` hands its end on.
    assert_ne!(child.wait().unwrap().exit_code(), 101);
}

#[cfg(debug_assertions)]
#[test]
fn a_panic_restores_the_terminal_before_it_is_reported() {
    for place in ["draw", "thread"] {
        let mut bench = start(&[], &[("STEPWRIGHT_DEBUG_PANIC", place), ("RUST_BACKTRACE", "0")]);
        bench.pty.settle().send("?");
        assert_eq!(bench.pty.wait(), 101, "{place}");
        assert!(bench.pty.is_restored(), "{place}");
        assert!(bench.pty.text().contains("panicked at"), "{place}: {}", bench.pty.text());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn stopping_gives_the_terminal_back_and_continuing_takes_it_again() {
    for by_key in [true, false] {
        let mut bench = started();
        if by_key {
            bench.pty.send("\x1a")
        } else {
            bench.pty.signal("TSTP")
        }
        let end = Instant::now() + PATIENCE;
        while bench.pty.state() != 'T' {
            assert!(Instant::now() < end, "it stops; key: {by_key}");
            let _ = bench.pty.receive(Duration::from_millis(20));
        }
        bench.pty.settle();
        assert!(bench.pty.is_restored(), "key: {by_key}");
        bench.pty.signal("CONT");
        bench.pty.settle().wait_for("Stepwright");
        assert!(bench.pty.screen().alternate_screen() && !bench.pty.is_restored());
        bench.pty.send("?");
        bench.pty.wait_for("Help").send("\x1b");
        bench.pty.settle().send("q");
        assert_eq!(bench.pty.wait(), 0);
        assert!(bench.pty.is_restored());
    }
}

#[test]
fn any_size_is_drawn() {
    let mut bench = started();
    for size in [(200, 60), (39, 12), (20, 3), (1, 1), (80, 24)] {
        bench.pty.resize(size);
        bench.pty.settle();
    }
    bench.pty.wait_for("Stepwright").send("q");
    assert_eq!(bench.pty.wait(), 0);
}

#[test]
fn a_screen_too_small_to_show_anything_decides_nothing() {
    let mut bench = started();
    bench.pty.resize((30, 6));
    bench.pty.wait_for("Too small").settle().send("\r");
    bench.pty.settle().resize((100, 30));
    bench.pty.wait_for("Enter begin").settle();
    bench.pty.resize((30, 6));
    bench.pty.wait_for("Too small").settle().send("q");
    assert_eq!(bench.pty.wait(), 0);
    assert!(bench.pty.is_restored());
}

#[test]
fn a_light_terminal_gets_the_light_theme() {
    for (ground, light) in [("rgb:ffff/ffff/ffff", true), ("rgb:1000/1000/2000", false)] {
        let mut bench = start(&[], &[(GROUND, ground)]);
        bench.pty.wait_for("Stepwright");
        // The ground of the theme `light`.
        assert_eq!(String::from_utf8_lossy(&bench.pty.bytes).contains("48;5;231"), light, "{ground}");
        assert!(!bench.pty.text().contains("rgb:"), "the answer is no text: {}", bench.pty.text());
        bench.pty.send("q");
        assert_eq!(bench.pty.wait(), 0);
    }
}

#[test]
fn a_paste_without_brackets_decides_nothing() {
    let mut bench = started();
    bench.pty.send("qqaq\raq");
    bench.pty.wait_for("Pasted text is ignored here").send("q");
    assert_eq!(bench.pty.wait(), 0);
}

#[test]
fn no_color_means_none() {
    let mut bench = start(&[], &[("NO_COLOR", "1")]);
    bench.pty.wait_for("Stepwright").send("?");
    bench.pty.settle().send("\x1bq");
    bench.pty.settle();
    let text = String::from_utf8_lossy(&bench.pty.bytes);
    // Every `ESC [ numbers m`: 30 to 38, 40 to 48 and 90 up are colours; 39 and 49 give the terminal's own back.
    let mut sequences = 0;
    for rest in text.split("\x1b[").skip(1) {
        let Some((numbers, _)) =
            rest.split_once('m').filter(|(n, _)| n.chars().all(|c| c.is_ascii_digit() || c == ';'))
        else {
            continue;
        };
        sequences += 1;
        let colour = |n: u16| matches!(n, 30..=38 | 40..=48 | 90..=107);
        assert!(!numbers.split(';').filter_map(|n| n.parse().ok()).any(colour), "{numbers}");
    }
    assert!(sequences > 0, "weight is shown by other attributes");
}

#[test]
fn without_a_terminal_it_says_what_to_do() {
    let output = std::process::Command::new(PROGRAM).stdin(std::process::Stdio::null()).output().unwrap();
    assert_ne!(output.status.code(), Some(0));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("needs a terminal") && error.contains("stepwright run"), "{error}");
    assert!(output.stdout.is_empty());
}
