//! Trials in a confined process: it tries what it should not get, and says of each what came of it.

use std::fs::File;
use std::net::{TcpStream, UdpSocket};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::{Bounds, Held, Layers, begin};

/// The goals within reach, and the confinement of the process that tries them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    pub layers: Layers,
    pub bounds: Bounds,
    /// A folder that can be written, with a file `secret` and a listening socket `socket` in it.
    pub folder: PathBuf,
    /// A TCP port of this machine where somebody listens.
    pub port: u16,
    pub program: PathBuf,
    pub parent: i32,
    pub descriptor: i32,
    /// Whether, when all is said, it computes until it is stopped.
    pub computes: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    pub got: bool,
    pub how: String,
}

/// The trials, in the order of the outcomes.
pub const TRIALS: &[&str] = &[
    "read a file",
    "list a folder",
    "write a file",
    "connect to a port of this machine",
    "send a datagram",
    "connect to a socket in a folder",
    "start a program",
    "start a thread",
    "signal another process",
    "use a descriptor it inherited",
    "open another descriptor",
    "see a variable of the environment",
    "take a gigabyte more than its bound",
    "make memory that can be executed",
    "raise a limit",
];

/// How long a process that is not stopped computes.
const PATIENCE: Duration = Duration::from_secs(20);

impl Task {
    /// Confines this process, tries everything, and prints which layers hold and then each outcome, a line of JSON each.
    pub fn run(&self) {
        let held: Held = begin(self.bounds, self.layers).seal();
        say(&held);
        self.outcomes().iter().for_each(say);
        let since = Instant::now();
        while self.computes && since.elapsed() < PATIENCE {}
    }

    fn outcomes(&self) -> [Outcome; 15] {
        [
            of(File::open(self.folder.join("secret"))),
            of(std::fs::read_dir(&self.folder)),
            of(File::create(self.folder.join("made"))),
            of(TcpStream::connect_timeout(&([127, 0, 0, 1], self.port).into(), Duration::from_secs(2))),
            of(UdpSocket::bind("127.0.0.1:0").and_then(|s| s.send_to(b"x", ("127.0.0.1", self.port)))),
            self.socket(),
            of(Command::new(&self.program).stdout(Stdio::inherit()).spawn().and_then(|mut child| child.wait())),
            of(std::thread::Builder::new().spawn(|| ())),
            self.signal(),
            self.inherited(),
            duplicate(),
            match std::env::vars_os().next() {
                Some((name, _)) => got(&name.to_string_lossy()),
                None => held("there is none"),
            },
            of(Vec::<u8>::new()
                .try_reserve_exact(usize::try_from(self.bounds.memory).unwrap_or(usize::MAX / 2) + (1 << 30))),
            executable(),
            raised(),
        ]
    }

    #[cfg(unix)]
    fn socket(&self) -> Outcome {
        of(std::os::unix::net::UnixStream::connect(self.folder.join("socket")))
    }

    #[cfg(unix)]
    fn signal(&self) -> Outcome {
        match rustix::process::Pid::from_raw(self.parent) {
            Some(parent) => of(rustix::process::test_kill_process(parent)),
            None => held("there is none"),
        }
    }

    #[cfg(unix)]
    fn inherited(&self) -> Outcome {
        if crate::descriptors::is_open(self.descriptor) { got("it is open") } else { held("it is closed") }
    }

    #[cfg(not(unix))]
    fn socket(&self) -> Outcome {
        held("there is none on this system")
    }

    #[cfg(not(unix))]
    fn signal(&self) -> Outcome {
        held("there is none on this system")
    }

    #[cfg(not(unix))]
    fn inherited(&self) -> Outcome {
        held("there is none on this system")
    }
}

#[cfg(unix)]
fn duplicate() -> Outcome {
    of(rustix::io::dup(std::io::stdin()))
}

#[cfg(unix)]
fn executable() -> Outcome {
    if crate::descriptors::gets_executable_memory() { got("it was given") } else { held(&last()) }
}

#[cfg(unix)]
fn raised() -> Outcome {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let now = getrlimit(Resource::Nofile);
    let most = Rlimit { current: Some(1 << 16), maximum: Some(now.maximum.unwrap_or_default().max(1 << 16)) };
    of(setrlimit(Resource::Nofile, most))
}

#[cfg(not(unix))]
fn duplicate() -> Outcome {
    got("there are no limits on this system")
}

#[cfg(not(unix))]
fn executable() -> Outcome {
    got("there are no limits on this system")
}

#[cfg(not(unix))]
fn raised() -> Outcome {
    got("there are no limits on this system")
}

fn last() -> String {
    plain(&std::io::Error::last_os_error())
}

fn say(what: &impl Serialize) {
    if let Ok(line) = serde_json::to_string(what) {
        println!("{line}");
    }
}

fn of<T, E: std::fmt::Display>(result: Result<T, E>) -> Outcome {
    match result {
        Ok(_) => got("done"),
        Err(error) => held(&plain(&error)),
    }
}

/// The system's words without the number.
fn plain(error: &impl std::fmt::Display) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

fn got(how: &str) -> Outcome {
    Outcome { got: true, how: how.to_owned() }
}

fn held(how: &str) -> Outcome {
    Outcome { got: false, how: how.to_owned() }
}
