//! `stepwright new-task`: generates a task.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::world::WorldName;
use super::{CliError, print};
use crate::world::household::generate::{self, TaskType};

/// Generates a task.
#[derive(Debug, Args)]
pub struct NewTask {
    /// The world
    world: WorldName,
    /// Task type: place, light, clean, heat, cool, two (or ALFWorld's long names)
    #[arg(long = "type", value_name = "TYPE")]
    kind: TaskType,
    /// Seed; the same type and seed give the same task
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// File to append the task to, one JSON object a line; standard output if absent
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl NewTask {
    /// Generates and writes the task.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn run(self) -> Result<ExitCode, CliError> {
        if self.world != WorldName::Household {
            return Err(CliError::Usage("only household tasks are generated".to_owned()));
        }
        let task = generate::task(self.kind, self.seed).map_err(CliError::Failed)?;
        let line = serde_json::to_string(&task).map_err(|e| CliError::Failed(e.to_string()))? + "\n";
        match &self.out {
            None => print(&line)?,
            Some(path) => {
                append(path, &line).map_err(|e| CliError::Failed(format!("{}: {e}", path.display())))?;
                let (id, path) = (&task.id, path.display());
                print(&format!("{id}: {}\nplay it: stepwright play household --data {path} --task {id}\n", task.task))?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn append(path: &std::path::Path, line: &str) -> std::io::Result<()> {
    use std::io::Write;
    std::fs::OpenOptions::new().create(true).append(true).open(path)?.write_all(line.as_bytes())
}
