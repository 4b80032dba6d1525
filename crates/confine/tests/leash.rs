//! A leashed program and all that it starts, also what left its group and session, end with the leash and with its owner.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use stepwright_confine::{keep_inherited_descriptors, leash};

fn main() -> ExitCode {
    keep_inherited_descriptors();
    if let Some(code) = leash::serve(std::env::args_os()) {
        return code;
    }
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.first().is_some_and(|word| word == "own") {
        // An owner that is killed: it holds a leash and waits.
        let (_leash, _child) = leashed(Path::new(&words[1]), "sleep 1000");
        std::thread::sleep(Duration::from_secs(1000));
        return ExitCode::SUCCESS;
    }
    if !cfg!(target_os = "linux") {
        println!("there is no supervisor on this system");
        return ExitCode::SUCCESS;
    }
    all_of_it_ends_with_the_leash();
    all_of_it_ends_with_its_owner();
    all_of_it_ends_where_it_kills_or_stops_its_parent();
    it_ends_as_the_program_did();
    it_ends_soon_after_a_program_that_leaves_others_running();
    what_cannot_be_started_is_said();
    streams_and_descriptors();
    many_are_started_at_once();
    ExitCode::SUCCESS
}

/// Three that left: in the background, in a session of its own, and in a session of its own with nobody above it and no variables.
const LEAVERS: &str = "sleep 1001 & echo $! >> $PIDS
    setsid sh -c 'echo $$ >> $PIDS; exec sleep 1002' &
    sh -c 'P=$PIDS; setsid env -i P=$P sh -c \"echo \\$\\$ >> \\$P; exec sleep 1003\" & exit 0' &
    while [ $(wc -l < $PIDS) -lt 3 ]; do sleep 0.02; done;";

fn leashed(folder: &Path, then: &str) -> (leash::Leash, Child) {
    let script = format!("{LEAVERS} echo ready; {then}");
    let (mut leash, mut command) = leash::Leash::new("/bin/sh", &["-c".to_owned(), script]).unwrap();
    std::fs::write(folder.join("pids"), "").unwrap();
    command.env("PIDS", folder.join("pids")).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    leash.started().unwrap();
    let mut line = [0; 6];
    std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut line).unwrap();
    assert_eq!(&line, b"ready\n");
    (leash, child)
}

fn pids(folder: &Path) -> Vec<i32> {
    std::fs::read_to_string(folder.join("pids")).unwrap().lines().map(|l| l.trim().parse().unwrap()).collect()
}

fn runs(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

fn all_gone(folder: &Path) {
    let pids = pids(folder);
    assert!(pids.len() >= 3);
    let since = Instant::now();
    while pids.iter().any(|pid| runs(*pid)) {
        assert!(since.elapsed() < Duration::from_secs(20), "some still run: {pids:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn all_of_it_ends_with_the_leash() {
    let folder = tempfile::tempdir().unwrap();
    let (leash, mut child) = leashed(folder.path(), "sleep 1000");
    assert!(pids(folder.path()).iter().all(|pid| runs(*pid)));
    drop(leash);
    let status = child.wait().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9));
    all_gone(folder.path());
    // Without a leash some of them stay: the test could fail.
    std::fs::write(folder.path().join("pids"), "").unwrap();
    let mut free = Command::new("/bin/sh");
    std::os::unix::process::CommandExt::process_group(&mut free, 0);
    let mut free = free.args(["-c", LEAVERS]).env("PIDS", folder.path().join("pids")).spawn().unwrap();
    free.wait().unwrap();
    let stayed = pids(folder.path());
    assert!(stayed.iter().any(|pid| runs(*pid)));
    for pid in stayed {
        let _ =
            rustix::process::kill_process(rustix::process::Pid::from_raw(pid).unwrap(), rustix::process::Signal::KILL);
    }
}

fn it_ends_soon_after_a_program_that_leaves_others_running() {
    let folder = tempfile::tempdir().unwrap();
    let (_leash, mut child) = leashed(folder.path(), "exit 7");
    let since = Instant::now();
    assert_eq!(child.wait().unwrap().code(), Some(7));
    assert!(since.elapsed() < Duration::from_secs(60), "nobody waits for what was left behind");
    all_gone(folder.path());
}

fn all_of_it_ends_with_its_owner() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("pids"), "").unwrap();
    let mut owner = Command::new(std::env::current_exe().unwrap()).arg("own").arg(folder.path()).spawn().unwrap();
    let since = Instant::now();
    while pids(folder.path()).len() < 3 {
        assert!(since.elapsed() < Duration::from_secs(20), "it does not start");
        std::thread::sleep(Duration::from_millis(10));
    }
    owner.kill().unwrap();
    owner.wait().unwrap();
    all_gone(folder.path());
}

fn all_of_it_ends_where_it_kills_or_stops_its_parent() {
    for attack in ["kill -KILL $PPID; sleep 1000", "kill -STOP $PPID; sleep 1000", "kill -TERM $PPID; sleep 1000"] {
        let folder = tempfile::tempdir().unwrap();
        let (leash, mut child) = leashed(folder.path(), &format!("echo $$ >> $PIDS; {attack}"));
        let since = Instant::now();
        while pids(folder.path()).len() < 4 {
            assert!(since.elapsed() < Duration::from_secs(20), "{attack}");
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(100));
        drop(leash);
        child.wait().unwrap();
        all_gone(folder.path());
    }
}

fn it_ends_as_the_program_did() {
    for (script, code, signal) in
        [("exit 7", Some(7), None), ("kill -TERM $$", None, Some(15)), ("exit 0", Some(0), None)]
    {
        let (mut leash, mut command) = leash::Leash::new("/bin/sh", &["-c".to_owned(), script.to_owned()]).unwrap();
        let mut child = command.spawn().unwrap();
        leash.started().unwrap();
        let status = child.wait().unwrap();
        let of_signal = std::os::unix::process::ExitStatusExt::signal(&status);
        assert_eq!((status.code(), of_signal), (code, signal), "{script}");
    }
    // It had ended by itself when the rest was killed.
    let folder = tempfile::tempdir().unwrap();
    let (leash, mut child) = leashed(folder.path(), "exit 5");
    std::thread::sleep(Duration::from_millis(200));
    assert!(child.try_wait().unwrap().is_none(), "what it started still runs");
    drop(leash);
    assert_eq!(child.wait().unwrap().code(), Some(5));
    all_gone(folder.path());
}

fn what_cannot_be_started_is_said() {
    let (mut leash, mut command) = leash::Leash::new("/nowhere/at all", &[]).unwrap();
    let mut child = command.spawn().unwrap();
    assert_eq!(leash.started().unwrap_err().kind(), std::io::ErrorKind::NotFound);
    assert_eq!(child.wait().unwrap().code(), Some(127));
}

/// The program's streams are the ones given, their end is its end, and it has no other descriptor.
fn streams_and_descriptors() {
    let script = "cat; ls /proc/self/fd | wc -l; exec >&-; sleep 1000".to_owned();
    let (mut leash, mut command) = leash::Leash::new("/bin/sh", &["-c".to_owned(), script]).unwrap();
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    leash.started().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"hello\n").unwrap();
    let mut said = String::new();
    std::io::Read::read_to_string(child.stdout.as_mut().unwrap(), &mut said).unwrap();
    // Three streams, and the one that `ls` lists with.
    assert_eq!(said.split_whitespace().collect::<Vec<_>>(), ["hello", "4"]);
    drop(leash);
    child.wait().unwrap();
}

/// None holds what is another's: each is known to have started while all of them run on.
fn many_are_started_at_once() {
    let (said, started) = std::sync::mpsc::channel();
    for _ in 0..4 {
        let said = said.clone();
        std::thread::spawn(move || {
            for _ in 0..25 {
                let (mut leash, mut command) = leash::Leash::new("/bin/sleep", &["1000".to_owned()]).unwrap();
                let child = command.spawn().unwrap();
                leash.started().unwrap();
                said.send((leash, child)).unwrap();
            }
        });
    }
    let all: Vec<_> = (0..100).map(|_| started.recv_timeout(Duration::from_secs(30)).expect("a start waits")).collect();
    for (leash, mut child) in all {
        drop(leash);
        child.wait().unwrap();
    }
}
