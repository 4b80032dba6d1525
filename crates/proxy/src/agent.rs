//! Agent's process: an unmodified command with its variables, in its folder; what it writes is kept within bounds.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use stepwright_confine::group::Group;

/// Lines that are kept, and bytes of one.
const LINES: usize = 2_000;
const LINE: u64 = 4_000;
/// How long the last lines may take to arrive once a command has ended.
const PARTING: Duration = Duration::from_secs(2);

/// What starts an agent.
#[derive(Debug, Clone, Default)]
pub struct Launch {
    pub words: Vec<String>,
    /// Where it works; where this program does if absent.
    pub folder: Option<PathBuf>,
    /// What it has beside this program's own environment.
    pub variables: Vec<(String, String)>,
}

/// Where a line came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    Out,
    Err,
}

#[derive(Debug, Default)]
struct Kept {
    lines: VecDeque<(Stream, String)>,
    /// Lines that came before those kept.
    dropped: usize,
}

/// A running agent; dropped, it ends with all that it started.
#[derive(Debug)]
pub struct Agent {
    group: Group,
    kept: Arc<Mutex<Kept>>,
    readers: Vec<std::thread::JoinHandle<()>>,
}

impl Agent {
    /// Starts the command. Each line that it writes goes to `watch`, from other threads. It reads nothing: its input is empty.
    pub fn start(launch: &Launch, watch: impl Fn(Stream, &str) + Send + Sync + 'static) -> std::io::Result<Self> {
        let Some((program, args)) = launch.words.split_first() else {
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, "there is no command"));
        };
        let mut group = Group::start(program, args, |command| {
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
            command.envs(launch.variables.iter().map(|(name, value)| (name, value)));
            if let Some(folder) = &launch.folder {
                command.current_dir(folder);
            }
        })?;
        let (kept, watch) = (Arc::<Mutex<Kept>>::default(), Arc::new(watch));
        let child = group.child();
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let mut agent = Agent { group, kept, readers: Vec::new() };
        // From here on the group is ended if a thread cannot be started.
        if let Some(out) = out {
            agent.read(Stream::Out, out, watch.clone())?;
        }
        if let Some(err) = err {
            agent.read(Stream::Err, err, watch)?;
        }
        Ok(agent)
    }

    fn read(
        &mut self,
        of: Stream,
        from: impl Read + Send + 'static,
        watch: Arc<impl Fn(Stream, &str) + Send + Sync + 'static>,
    ) -> std::io::Result<()> {
        let kept = Arc::clone(&self.kept);
        let reading = move || {
            let mut reader = BufReader::new(from);
            loop {
                let mut line = Vec::new();
                // What is longer comes in several lines.
                if !matches!((&mut reader).take(LINE).read_until(b'\n', &mut line), Ok(read) if read > 0) {
                    return;
                }
                let text = String::from_utf8_lossy(&line);
                let text = text.trim_end_matches(['\n', '\r']);
                watch(of, text);
                let mut kept = lock(&kept);
                if kept.lines.len() == LINES {
                    kept.lines.pop_front();
                    kept.dropped += 1;
                }
                kept.lines.push_back((of, text.to_owned()));
            }
        };
        self.readers.push(std::thread::Builder::new().name("agent-out".into()).spawn(reading)?);
        Ok(())
    }

    /// Whether it has ended.
    pub fn has_ended(&self) -> bool {
        self.group.has_ended()
    }

    /// Ends it and all that it started; gives how it had ended by itself, if it had.
    pub fn end(&mut self) -> Option<ExitStatus> {
        let exit = self.group.end(Duration::ZERO);
        let deadline = std::time::Instant::now() + PARTING;
        while self.readers.iter().any(|reader| !reader.is_finished()) && std::time::Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(2));
        }
        exit
    }

    /// Its last lines, oldest first, and how many came before them.
    pub fn output(&self) -> (Vec<(Stream, String)>, usize) {
        let kept = lock(&self.kept);
        (kept.lines.iter().cloned().collect(), kept.dropped)
    }
}

fn lock(kept: &Mutex<Kept>) -> MutexGuard<'_, Kept> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn start(script: &str) -> Agent {
        let words = ["sh", "-c", script].map(str::to_owned).into();
        let variables = vec![("OWN".to_owned(), "value".to_owned())];
        Agent::start(&Launch { words, folder: Some("/".into()), variables }, |_, _| {}).unwrap()
    }

    fn until(mut is: impl FnMut() -> bool) {
        let deadline = Instant::now() + Duration::from_secs(20);
        while !is() {
            assert!(Instant::now() < deadline);
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn what_it_writes_is_kept_within_bounds_and_how_it_ended_is_known() {
        let mut agent = start("echo $OWN in $PWD; echo no >&2; seq 1 5000; cat; exit 3");
        until(|| agent.has_ended());
        assert_eq!(agent.end().and_then(|status| status.code()), Some(3));
        let (lines, dropped) = agent.output();
        assert_eq!((lines.len(), dropped), (LINES, 3002));
        assert_eq!(lines.iter().rfind(|(of, _)| *of == Stream::Out), Some(&(Stream::Out, "5000".to_owned())));
        assert!(
            Agent::start(&Launch { words: vec!["/no/such/program".into()], ..Launch::default() }, |_, _| {}).is_err()
        );
    }

    #[test]
    fn it_ends_with_what_it_started() {
        let mut agent = start("echo $$; sleep 1000 & echo $!; wait");
        until(|| agent.output().0.len() == 2);
        assert!(!agent.has_ended());
        assert_eq!(agent.end(), None);
        for (_, pid) in agent.output().0 {
            let pid = rustix::process::Pid::from_raw(pid.parse().unwrap()).unwrap();
            until(|| rustix::process::test_kill_process(pid).is_err());
        }
    }
}
