//! `stepwright new-task`: generates a task.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::world::WorldName;
use super::{CliError, print, print_json};
use stepwright_world::{GeneratedTask, WORLDS, WorldKind};

/// Generates a task.
#[derive(Debug, Args)]
pub(crate) struct NewTask {
    /// The world
    world: WorldName,
    /// The type of task
    #[arg(long = "type", value_name = "TYPE", help = types())]
    kind: String,
    /// Seed; the same type and seed give the same task
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// File to append the task to, one JSON object a line; standard output if absent or `-`
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl NewTask {
    pub fn run(self) -> Result<ExitCode, CliError> {
        let made = self.world.kind().generate(&self.kind, self.seed).map_err(CliError::Usage)?;
        let GeneratedTask { id, about, line } = made;
        let line = line + "\n";
        match self.out.as_ref().filter(|path| path.as_os_str() != "-") {
            None => print_json(&line)?,
            Some(path) => {
                append(path, &line).map_err(|e| CliError::Failed(format!("{}: {e}", path.display())))?;
                let (world, path) = (self.world.name(), path.display());
                print(&format!("{id}: {about}\nplay it: stepwright play {world} --data {path} --task {id}\n"))?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn types() -> String {
    let of = |kind: &&WorldKind| Some(format!("{}: {}", kind.name, kind.generate?.types));
    WORLDS.iter().filter_map(of).collect::<Vec<_>>().join(". ")
}

fn append(path: &std::path::Path, line: &str) -> std::io::Result<()> {
    use std::io::Write;
    std::fs::OpenOptions::new().create(true).append(true).open(path)?.write_all(line.as_bytes())
}
