//! Supervisor of a leashed program: starts it, collects whatever ends below it, and kills all of it when its leash is dropped.

use std::ffi::OsString;
use std::fs::File;
use std::io::{PipeReader, PipeWriter, Read, Write, pipe};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, wait};

/// The first argument of what stands between a supervisor and its program.
pub(crate) const SHIELD: &str = "shield-command";

/// Rounds in which what is below is stopped before it is killed, so that it starts nothing in between.
const ROUNDS: usize = 20;

/// How long what a program started may go on when the program itself has ended.
const LEFT_BEHIND: Duration = Duration::from_millis(500);

/// The owner's ends of the pipes.
#[derive(Debug)]
pub(crate) struct Held {
    _control: PipeWriter,
    /// Says why the program could not be started; closed once it is.
    status: PipeReader,
    /// The supervisor's ends, until it has its own.
    given: Option<(OwnedFd, OwnedFd)>,
}

impl Held {
    pub(crate) fn new(
        (supervisor, word): (&Path, &str),
        program: &str,
        args: &[String],
    ) -> std::io::Result<(Self, Command)> {
        let (control, owner) = pipe()?;
        let (status, said) = pipe()?;
        // A duplicate is inherited, unlike the original.
        let given = (rustix::io::dup(&control)?, rustix::io::dup(&said)?);
        let mut command = Command::new(supervisor);
        command.arg(word).arg(given.0.as_raw_fd().to_string()).arg(given.1.as_raw_fd().to_string());
        command.arg(program).args(args);
        Ok((Held { _control: owner, status, given: Some(given) }, command))
    }

    pub(crate) fn started(&mut self) -> std::io::Result<()> {
        drop(self.given.take());
        let mut number = [0; 4];
        match self.status.read_exact(&mut number) {
            Ok(()) => Err(std::io::Error::from_raw_os_error(i32::from_ne_bytes(number))),
            // Closed without a word: it runs.
            Err(_) => Ok(()),
        }
    }
}

/// Starts the program that the words name, behind the numbers of the two pipes, and stays until nothing of it is left. What the program leaves
/// running when it ends (a server, a browser) is ended soon after it: that the program has ended is known by the end of this process.
pub(crate) fn supervise(mut words: impl Iterator<Item = OsString>) -> ExitCode {
    let mut number = || words.next()?.to_str()?.parse::<i32>().ok().and_then(crate::descriptors::take);
    let (Some(control), Some(mut status)) = (number(), number()) else { return ExitCode::from(2) };
    // What was started at the same moment has its pipes here too, and its owner waits until nobody holds them.
    crate::descriptors::close_but(&[control.as_raw_fd(), status.as_raw_fd()]);
    let Some(program) = words.next() else { return ExitCode::from(2) };
    let _ = set_child_subreaper(Some(getpid()));
    // A session of its own has no terminal: what runs in it can neither write to the person's nor be stopped from it.
    let _ = rustix::process::setsid();
    // A duplicate is inherited. Those who wait for the program's end are told by this process: the streams are inherited too.
    let spawned = rustix::io::dup(&status).map_err(std::io::Error::from).and_then(|given| {
        let mut command = Command::new("/proc/self/exe");
        command.arg(SHIELD).arg(given.as_raw_fd().to_string()).arg(program).args(words);
        command.spawn()
    });
    let child = match spawned {
        Ok(child) => child,
        Err(error) => return not_started(&mut status, &error),
    };
    drop(status);
    release_streams();
    let dropped = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&dropped);
    let end = move || {
        wait_for_the_end(control);
        told.store(true, Ordering::SeqCst);
        loop {
            kill_all_below();
            std::thread::sleep(Duration::from_millis(2));
        }
    };
    // Without the thread nothing would end with the owner.
    if std::thread::Builder::new().stack_size(256 << 10).spawn(end).is_err() {
        kill_all_below();
    }
    let pid = i32::try_from(child.id()).unwrap_or_default();
    let mut own: Option<ExitStatus> = None;
    let mut since: Option<Instant> = None;
    loop {
        // What is left is looked after in between.
        let options = if since.is_some() { WaitOptions::NOHANG } else { WaitOptions::empty() };
        match wait(options) {
            Ok(Some((ended, status))) if ended.as_raw_nonzero().get() == pid => {
                // What the program was killed for is not how it ended by itself.
                own = (!dropped.load(Ordering::SeqCst)).then(|| ExitStatus::from_raw(status.as_raw()));
                since = Some(Instant::now());
                // The program may have killed what it took for its supervisor: it shall not find this one.
                if own.is_some_and(|own| own.signal() == Some(Signal::KILL.as_raw())) {
                    kill_all_below();
                }
            }
            Ok(None) => {
                if since.is_some_and(|since| since.elapsed() > LEFT_BEHIND) {
                    kill_all_below();
                }
                std::thread::sleep(Duration::from_millis(5));
            }
            Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
            // Nothing is left below.
            Err(_) => return same(own),
        }
    }
}

/// Starts the program that the words name, behind the number of a pipe for the error, and ends as it does.
pub(crate) fn shield(mut words: impl Iterator<Item = OsString>) -> ExitCode {
    let status = words.next().and_then(|word| word.to_str()?.parse::<i32>().ok()).and_then(crate::descriptors::take);
    let (Some(mut status), Some(program)) = (status, words.next()) else { return ExitCode::from(2) };
    match Command::new(program).args(words).process_group(0).spawn() {
        Ok(mut child) => {
            drop(status);
            release_streams();
            same(child.wait().ok())
        }
        Err(error) => not_started(&mut status, &error),
    }
}

fn not_started(status: &mut File, error: &std::io::Error) -> ExitCode {
    let number = error.raw_os_error().unwrap_or(rustix::io::Errno::IO.raw_os_error());
    let _ = status.write_all(&number.to_ne_bytes());
    ExitCode::from(127)
}

/// Ends as the program did: with its code, or by its signal; killed if it was killed for its owner.
fn same(status: Option<ExitStatus>) -> ExitCode {
    if let Some(code) = status.and_then(|s| s.code()) {
        return ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX));
    }
    let signal = status.and_then(|s| s.signal()).and_then(Signal::from_named_raw).unwrap_or(Signal::KILL);
    let _ = kill_process(getpid(), signal);
    ExitCode::from(u8::try_from(128 + signal.as_raw()).unwrap_or(u8::MAX))
}

/// Gives up the streams, so that their end is the program's.
fn release_streams() {
    if let Ok(nothing) = File::options().read(true).write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdin(&nothing);
        let _ = rustix::stdio::dup2_stdout(&nothing);
        let _ = rustix::stdio::dup2_stderr(&nothing);
    }
}

fn wait_for_the_end(mut control: File) {
    let mut byte = [0; 1];
    while match control.read(&mut byte) {
        Ok(n) => n > 0,
        Err(error) => error.kind() == std::io::ErrorKind::Interrupted,
    } {}
}

/// Stops all processes below this one until no new one appears, then kills them.
fn kill_all_below() {
    let mut known = Vec::new();
    for _ in 0..ROUNDS {
        let now = below();
        let new: Vec<Pid> = now.iter().copied().filter(|pid| !known.contains(pid)).collect();
        if new.is_empty() {
            break;
        }
        for pid in new {
            let _ = kill_process(pid, Signal::STOP);
            known.push(pid);
        }
    }
    for pid in below() {
        let _ = kill_process(pid, Signal::KILL);
    }
}

/// The processes below this one that have not ended.
fn below() -> Vec<Pid> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes: Vec<(i32, i32)> = entries
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
            // The name is in brackets and may hold anything.
            let mut rest = stat.rsplit_once(") ")?.1.split(' ');
            let state = rest.next()?;
            (state != "Z" && state != "X").then_some((pid, rest.next()?.parse().ok()?))
        })
        .collect();
    let mut found = vec![getpid().as_raw_nonzero().get()];
    let mut at = 0;
    while let Some(&parent) = found.get(at) {
        let children = processes.iter().filter(|(pid, of)| *of == parent && !found.contains(pid)).map(|(pid, _)| *pid);
        let children: Vec<i32> = children.collect();
        found.extend(children);
        at += 1;
    }
    found.into_iter().skip(1).filter_map(Pid::from_raw).collect()
}
