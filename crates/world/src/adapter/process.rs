//! Process of a running command: lines in, lines out, and nothing of it left when it is dropped.
//!
//! It is a [`Group`]: all that came of it ends with it. What the command says is read by threads that keep a bounded amount; a command that
//! floods is made to wait.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{ChildStdin, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, TryRecvError, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use stepwright_confine::group::Group;

use super::Adapter;
use crate::WorldError;

/// The longest line that is read, in bytes: states can be large, but a line without end must not fill the memory.
pub const LONGEST: usize = 8 << 20;

/// Lines of standard error that are kept.
const LAST_WORDS: usize = 20;
/// Bytes of such a line that are kept.
const LAST_WORD: u64 = 400;
/// How long a command that closed its output may take to end, and its last words to arrive.
const PARTING: Duration = Duration::from_millis(300);

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
    group: Group,
    requests: Sender<Vec<u8>>,
    said: Receiver<Said>,
    nudge: SyncSender<Said>,
    last_words: Arc<Mutex<VecDeque<String>>>,
    /// Closed once standard error has been read to its end.
    silent: Receiver<()>,
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
        let mut group = Group::start(program, args, |command| {
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            command.env_clear().envs(super::variables::of(adapter, std::env::vars_os()));
            if let Some(folder) = &adapter.folder {
                command.current_dir(folder);
            }
        })
        .map_err(failed)?;
        let (to, said) = sync_channel(1);
        let (requests, asked) = channel();
        let (speaking, silent) = channel::<()>();
        let last_words = Arc::new(Mutex::new(VecDeque::new()));
        let child = group.child();
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let process = Process { group, requests, said, nudge: to.clone(), last_words: Arc::clone(&last_words), silent };
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
    pub fn overheard(&self) -> Option<Said> {
        loop {
            match self.said.try_recv() {
                Ok(Said::Nudge) => {}
                Ok(said) => return Some(said),
                Err(TryRecvError::Empty) => return None,
                Err(TryRecvError::Disconnected) => return Some(Said::End),
            }
        }
    }

    pub fn nudge(&self) -> SyncSender<Said> {
        self.nudge.clone()
    }

    /// Kills the command and all that it started, and collects what is left of it; gives how it had ended by itself, if it had.
    pub fn end(&mut self, by_itself: bool) -> Option<ExitStatus> {
        let exit = self.group.end(if by_itself { PARTING } else { Duration::ZERO });
        let _ = self.silent.recv_timeout(PARTING);
        exit
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

/// The beginning of a text that another process wrote.
pub fn excerpt(text: &str) -> String {
    let text = text.trim_end();
    let short: String = text.chars().take(160).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}
