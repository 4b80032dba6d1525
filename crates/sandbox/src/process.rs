//! Process of one worker, the program's side: it leads its own process group, with nothing in its environment, and is killed with
//! its group when it is late, says what it should not, or is not needed any more.

use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use serde::Serialize;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;

use super::Bounds;
use super::Step;
use super::fault::{Bound, FaultKind};
use super::wire::{LONGEST_ORDER, LONGEST_REPLY, line};

/// Bytes of what it wrote to its standard error that are kept.
const LAST_WORDS: u64 = 2_000;
/// How long a worker that closed its output may take to end.
const PARTING: Duration = Duration::from_millis(500);

pub(super) struct Process {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    last_words: JoinHandle<Vec<u8>>,
}

impl Process {
    /// Starts a worker, which confines itself to `bounds` before it reads anything.
    pub(super) fn start(program: &Path, bounds: Bounds) -> Result<Self, FaultKind> {
        let failed = |why: &dyn std::fmt::Display| {
            FaultKind::Worker(format!("`{}` cannot be started as a worker: {why}", program.display()))
        };
        let mut command = Command::new(program);
        command.arg(super::WORKER).arg(bounds.memory.to_string()).arg(bounds.seconds.to_string());
        command.env_clear().current_dir("/").kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn().map_err(|e| failed(&e))?;
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(mut stderr)) = streams else { return Err(failed(&"it has no streams")) };
        let last_words = tokio::spawn(async move {
            let mut words = Vec::new();
            let _ = (&mut stderr).take(LAST_WORDS).read_to_end(&mut words).await;
            // What comes after is read as well, or it would wait for ever.
            let _ = tokio::io::copy(&mut stderr, &mut tokio::io::sink()).await;
            words
        });
        Ok(Process { child, stdin, stdout: BufReader::new(stdout), last_words })
    }

    pub(super) fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    pub(super) async fn ask(&mut self, message: &impl Serialize) -> Result<Step, FaultKind> {
        let Some(request) = line(message, LONGEST_ORDER) else { return Err(FaultKind::Limit(Bound::Message)) };
        // If it does not listen any more, its output has ended as well.
        if self.stdin.write_all(&request).await.is_err() || self.stdin.flush().await.is_err() {
            return Err(self.ended().await);
        }
        let mut said = Vec::new();
        let read = (&mut self.stdout).take(LONGEST_REPLY as u64 + 1).read_until(b'\n', &mut said).await;
        if said.len() > LONGEST_REPLY {
            return Err(FaultKind::Worker("it said more than an answer can be".to_owned()));
        }
        if read.is_err() || said.last() != Some(&b'\n') {
            return Err(self.ended().await);
        }
        serde_json::from_slice(&said).map_err(|_| {
            FaultKind::Worker(format!("it said what is no answer: {:.100}", String::from_utf8_lossy(&said).trim_end()))
        })
    }

    async fn ended(&mut self) -> FaultKind {
        let status = tokio::time::timeout(PARTING, self.child.wait()).await;
        self.kill();
        let words = tokio::time::timeout(PARTING, &mut self.last_words).await;
        let words = words.ok().and_then(Result::ok).unwrap_or_default();
        let words = String::from_utf8_lossy(&words);
        match status {
            Ok(Ok(status)) => why_ended(status, words.trim()),
            _ => FaultKind::Worker("it closed its output".to_owned()),
        }
    }

    /// Kills it and all of its group. It is collected in the background.
    fn kill(&mut self) {
        #[cfg(unix)]
        if let Some(group) =
            self.child.id().and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw)
        {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.start_kill();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The meaning of a worker's end: the operating system ends it where the engine did not stop in time.
fn why_ended(status: ExitStatus, last_words: &str) -> FaultKind {
    if last_words.contains("memory allocation of") {
        return FaultKind::Limit(Bound::Memory);
    }
    if last_words.contains("has overflowed its stack") {
        return FaultKind::Limit(Bound::Depth);
    }
    #[cfg(unix)]
    if std::os::unix::process::ExitStatusExt::signal(&status) == Some(rustix::process::Signal::XCPU.as_raw()) {
        return FaultKind::Limit(Bound::Time);
    }
    let last = last_words.lines().last().unwrap_or_default();
    let separator = if last.is_empty() { "" } else { ": " };
    FaultKind::Worker(format!("it ended ({status}){separator}{last:.300}"))
}
