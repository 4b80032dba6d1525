//! Process of a running command: lines in, lines out, and nothing of it left when it is dropped.
//!
//! On Linux the command is leashed: a supervisor ends all that came of it, also what left its process group and session, and also
//! if Stepwright itself is killed. Elsewhere the command leads its own process group, which is killed whole, and a guard (a shell
//! that waits for the end of a pipe) kills the group if Stepwright itself is killed. What the command says is read by threads that keep a bounded amount; a command that
//! floods is made to wait.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, TryRecvError, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use stepwright_confine::leash::Leash;

use super::line::LONGEST;
use crate::WorldError;
use crate::adapter::Adapter;

/// Lines of standard error that are kept.
const LAST_WORDS: usize = 20;
/// Bytes of such a line that are kept.
const LAST_WORD: u64 = 400;
/// How long a command that closed its output may take to end, and its last words to arrive.
const PARTING: Duration = Duration::from_millis(300);

/// How long a supervisor may take to end all that came of the command.
const SUPERVISED: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub enum Said {
    /// A line of standard output, without its end.
    Line(Vec<u8>),
    /// A line that is longer than anything an answer may be.
    TooLong,
    End,
    /// It does not read its standard input any more.
    Deaf,
    /// Nothing; the waiting thread is to check whether it still should wait.
    Nudge,
}

#[derive(Debug)]
pub struct Process {
    child: Child,
    /// Where there is a supervisor, the child is that.
    leash: Option<Leash>,
    guard: Option<Child>,
    requests: Sender<Vec<u8>>,
    said: Receiver<Said>,
    nudge: SyncSender<Said>,
    last_words: Arc<Mutex<VecDeque<String>>>,
    /// Closed once standard error has been read to its end.
    silent: Receiver<()>,
    exit: Option<ExitStatus>,
}

impl Process {
    /// Starts an adapter's command. `ended` is called once its output ends, from another thread.
    pub fn start(adapter: &Adapter, ended: impl FnOnce() + Send + 'static) -> Result<Self, WorldError> {
        let failed = |e: std::io::Error| WorldError::Failed(not_started(adapter, &e));
        let Some((program, args)) = adapter.command.split_first() else {
            return Err(WorldError::Failed(format!(
                "the command of `{1}` is not configured here; write [{0}.{1}] with its `command` into config.toml, or give it with \
                 --set {0}.{1}.command=…",
                adapter.section, adapter.name
            )));
        };
        let (mut leash, mut command) = match Leash::new(program, args) {
            Some((leash, command)) => (Some(leash), command),
            None => {
                let mut command = Command::new(program);
                command.args(args);
                (None, command)
            }
        };
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.env_clear().envs(super::variables::of(adapter, std::env::vars_os()));
        if let Some(folder) = &adapter.folder {
            command.current_dir(folder);
        }
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(failed)?;
        if let Some(Err(error)) = leash.as_mut().map(Leash::started) {
            // The supervisor has ended by itself.
            let _ = child.wait();
            return Err(failed(error));
        }
        let (to, said) = sync_channel(1);
        let (requests, asked) = channel();
        let (speaking, silent) = channel::<()>();
        let last_words = Arc::new(Mutex::new(VecDeque::new()));
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let guard = if leash.is_some() { None } else { guard(child.id()) };
        let process = Process {
            child,
            leash,
            guard,
            requests,
            said,
            nudge: to.clone(),
            last_words: Arc::clone(&last_words),
            silent,
            exit: None,
        };
        // From here on the process is killed if a thread cannot be started.
        let (Some(stdin), Some(stdout), Some(stderr)) = streams else {
            return Err(failed(std::io::Error::other("it has no standard streams")));
        };
        let deaf = to.clone();
        thread("external-in", move || write_all(stdin, &asked, &deaf)).map_err(failed)?;
        thread("external-out", move || {
            read_lines(stdout, &to);
            ended();
        })
        .map_err(failed)?;
        thread("external-err", move || {
            read_words(stderr, &last_words);
            drop(speaking);
        })
        .map_err(failed)?;
        Ok(process)
    }

    /// Sends a request. A command that does not read makes nobody wait here.
    pub fn ask(&self, line: Vec<u8>) {
        // The writing thread is gone only when the command is deaf, which has been said.
        let _ = self.requests.send(line);
    }

    /// Its next output; `None` when the time is over.
    pub fn listen(&self, until: Instant) -> Option<Said> {
        match self.said.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(said) => Some(said),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Said::End),
        }
    }

    /// Output that nobody asked for, if any.
    pub(super) fn overheard(&self) -> Option<Said> {
        loop {
            match self.said.try_recv() {
                Ok(Said::Nudge) => {}
                Ok(said) => return Some(said),
                Err(TryRecvError::Empty) => return None,
                Err(TryRecvError::Disconnected) => return Some(Said::End),
            }
        }
    }

    pub(super) fn nudge(&self) -> SyncSender<Said> {
        self.nudge.clone()
    }

    /// Kills the command and all that it started, and collects what is left of it; gives how it had ended by itself, if it had.
    pub fn end(&mut self, by_itself: bool) -> Option<ExitStatus> {
        if self.exit.is_some() {
            return self.exit;
        }
        let pause = Duration::from_millis(5);
        let deadline = Instant::now() + PARTING;
        while by_itself && !has_exited(&self.child) && Instant::now() < deadline {
            std::thread::sleep(pause);
        }
        let mut alone = has_exited(&self.child);
        let supervised = self.leash.take().is_some();
        if supervised {
            let deadline = Instant::now() + SUPERVISED;
            while !has_exited(&self.child) && Instant::now() < deadline {
                std::thread::sleep(pause);
            }
        }
        // The group goes before its leader is collected: until then its number cannot be another's.
        kill_group(&mut self.child);
        if let Some(mut guard) = self.guard.take() {
            // Had it ended already, there is nothing to kill.
            let _ = guard.kill();
            let _ = guard.wait();
        }
        self.exit = self.child.wait().ok();
        // A supervisor that had to end what the command left behind still ends as the command had by itself.
        alone |= supervised && self.exit.is_some_and(|status| status.code().is_some());
        let _ = self.silent.recv_timeout(PARTING);
        self.exit.filter(|_| alone)
    }

    /// The last lines of its standard error, oldest first.
    pub fn last_words(&self) -> Vec<String> {
        self.last_words.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end(false);
    }
}

fn not_started(adapter: &Adapter, error: &std::io::Error) -> String {
    let place = adapter.folder.as_ref().map(|f| format!(" in {}", f.display())).unwrap_or_default();
    let advice = match error.kind() {
        std::io::ErrorKind::NotFound => "; is the program installed, and does the folder exist?",
        std::io::ErrorKind::PermissionDenied => "; may it be executed?",
        _ => "",
    };
    format!("`{}` cannot be started{place}: {error}{advice}", adapter.command_line())
}

fn thread(name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    std::thread::Builder::new().name(name.to_owned()).spawn(work).map(|_| ())
}

/// Whether a command has ended. It is not collected yet.
#[cfg(unix)]
fn has_exited(child: &Child) -> bool {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else { return false };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    matches!(waitid(WaitId::Pid(pid), options), Ok(Some(_)))
}

#[cfg(not(unix))]
fn has_exited(_: &Child) -> bool {
    false
}

fn kill_group(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // Nobody left in it is as good.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
}

/// A shell that kills the group as soon as this process is gone, however it ended: its standard input ends then. Without a
/// shell there is no guard.
#[cfg(unix)]
fn guard(group: u32) -> Option<Child> {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "trap '' HUP INT TERM; read -r _; kill -s KILL -- \"-$1\"", "stepwright-guard"]);
    command.arg(group.to_string()).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().ok()
}

#[cfg(not(unix))]
fn guard(_: u32) -> Option<Child> {
    None
}

fn write_all(mut stdin: ChildStdin, asked: &Receiver<Vec<u8>>, deaf: &SyncSender<Said>) {
    while let Ok(line) = asked.recv() {
        if stdin.write_all(&line).and_then(|()| stdin.flush()).is_err() {
            let _ = deaf.send(Said::Deaf);
            return;
        }
    }
}

fn read_lines(stdout: impl Read, to: &SyncSender<Said>) {
    let mut reader = BufReader::new(stdout);
    loop {
        let mut line = Vec::new();
        let read = (&mut reader).take(LONGEST as u64 + 1).read_until(b'\n', &mut line);
        let whole = line.last() == Some(&b'\n');
        let said = match read {
            Ok(0) | Err(_) => Said::End,
            Ok(_) if !whole && line.len() > LONGEST => Said::TooLong,
            Ok(_) => {
                line.truncate(line.len() - usize::from(whole));
                Said::Line(line)
            }
        };
        let last = !matches!(said, Said::Line(_));
        if to.send(said).is_err() || last {
            return;
        }
    }
}

fn read_words(stderr: impl Read, words: &Mutex<VecDeque<String>>) {
    let mut reader = BufReader::new(stderr);
    loop {
        let mut line = Vec::new();
        match (&mut reader).take(LAST_WORD).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line).trim_end().to_owned();
        let mut words = words.lock().unwrap_or_else(PoisonError::into_inner);
        if words.len() == LAST_WORDS {
            words.pop_front();
        }
        words.push_back(text);
    }
}
