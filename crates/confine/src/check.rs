//! Check of the confinement on this system: a process is confined and tries everything, once with all layers and once with each
//! alone.

use std::io::Read;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::trial::{Outcome, TRIALS, Task};
use crate::{Bounds, Held, Layers};

/// How long a process may take over its trials.
const PATIENCE: Duration = Duration::from_secs(30);
const BOUNDS: Bounds = Bounds { memory: 64 << 20, seconds: 1 };

/// The results of a process with some layers.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    pub name: &'static str,
    pub held: Held,
    /// The outcomes, as [`TRIALS`] names them.
    pub outcomes: Vec<Outcome>,
    /// The result of computing without an end; not tried with single layers.
    pub computing: Option<Outcome>,
}

/// The trial beside [`TRIALS`]: computing without an end.
pub const COMPUTING: &str = "compute for longer than its bound";

/// Tries all layers together and each alone. `program`, with `args` and the task as JSON behind them, is the process that tries.
/// Errors: if there is nothing to be tried against, or the process says what is no outcome.
pub fn check(program: &Path, args: &[&str]) -> std::io::Result<Vec<Column>> {
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("secret"), "a secret")?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    #[cfg(unix)]
    let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("socket"))?;
    // What is open here and not marked to be closed is what the process inherits.
    #[cfg(unix)]
    let inherited = rustix::io::dup(&listener)?;
    #[cfg(unix)]
    let descriptor = std::os::fd::AsRawFd::as_raw_fd(&inherited);
    #[cfg(not(unix))]
    let descriptor = -1;
    let task = |layers: Layers| Task {
        layers,
        bounds: BOUNDS,
        folder: folder.path().to_owned(),
        port: listener.local_addr().map(|a| a.port()).unwrap_or_default(),
        program: ["/bin/true", "/usr/bin/true"]
            .iter()
            .map(Path::new)
            .find(|p| p.exists())
            .unwrap_or(program)
            .to_owned(),
        parent: i32::try_from(std::process::id()).unwrap_or_default(),
        descriptor,
        computes: layers == Layers::ALL,
    };
    let none = Layers { limits: false, landlock: false, seccomp: false };
    let mut columns = vec![("all", Layers::ALL), ("limits", Layers { limits: true, ..none })];
    if cfg!(target_os = "linux") {
        columns.push(("landlock", Layers { landlock: true, ..none }));
        columns.push(("seccomp", Layers { seccomp: true, ..none }));
    }
    columns.into_iter().map(|(name, layers)| column(name, &task(layers), program, args)).collect()
}

fn column(name: &'static str, task: &Task, program: &Path, args: &[&str]) -> std::io::Result<Column> {
    let mut command = Command::new(program);
    command.args(args).arg(serde_json::to_string(task)?);
    command.env_clear().current_dir("/").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    let mut stdout = child.stdout.take();
    let reader = std::thread::spawn(move || {
        let mut said = String::new();
        let read = stdout.as_mut().map(|out| out.take(1 << 20).read_to_string(&mut said));
        (read.is_some_and(|r| r.is_ok()), said)
    });
    let status = ended(&mut child)?;
    let wrong = |why: String| std::io::Error::other(format!("the process that tries with {name}: {why} ({status})"));
    let (true, said) = reader.join().unwrap_or_default() else { return Err(wrong("it cannot be read".to_owned())) };
    let mut lines = said.lines();
    let held =
        serde_json::from_str(lines.next().unwrap_or_default()).map_err(|_| wrong(format!("it said {said:?}")))?;
    let outcomes: Vec<Outcome> =
        lines.map(serde_json::from_str).collect::<Result<_, _>>().map_err(|_| wrong(format!("it said {said:?}")))?;
    if outcomes.len() != TRIALS.len() {
        return Err(wrong(format!("it said {} outcomes of {}", outcomes.len(), TRIALS.len())));
    }
    let computing = task.computes.then(|| Outcome { got: status.success(), how: status.to_string() });
    Ok(Column { name, held, outcomes, computing })
}

/// Waits for the end of a process, and kills it where that does not come.
fn ended(child: &mut Child) -> std::io::Result<ExitStatus> {
    let since = Instant::now();
    while since.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill()?;
    child.wait()
}
