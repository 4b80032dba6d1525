//! `stepwright new-task`: generates a task.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::world::WorldName;
use super::{CliError, print};
use crate::world::household::generate::{self, TaskType};
use crate::world::{dialogue, table};

/// Generates a task.
#[derive(Debug, Args)]
pub struct NewTask {
    /// The world
    world: WorldName,
    /// Household: place, light, clean, heat, cool, two (or ALFWorld's long names). Dialogue: a shipped service.
    /// Table: pick_and_place, disinfection, weight, cover
    #[arg(long = "type", value_name = "TYPE")]
    kind: String,
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
        let (id, about, line) = match self.world {
            WorldName::Household => self.household()?,
            WorldName::Dialogue => self.dialogue()?,
            WorldName::Kitchen => {
                let how = "kitchens are not generated; write a scene file (docs/kitchen.md) and give it with --data";
                return Err(CliError::Usage(how.to_owned()));
            }
            WorldName::Table => self.table()?,
            WorldName::External => {
                return Err(CliError::Usage("tasks of the external world come from its adapter".to_owned()));
            }
        };
        let line = line + "\n";
        match &self.out {
            None => print(&line)?,
            Some(path) => {
                append(path, &line).map_err(|e| CliError::Failed(format!("{}: {e}", path.display())))?;
                let (world, path) = (self.world.name(), path.display());
                print(&format!("{id}: {about}\nplay it: stepwright play {world} --data {path} --task {id}\n"))?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    /// A household task: id, sentence, line.
    fn household(&self) -> Result<(String, String, String), CliError> {
        let kind: TaskType = self.kind.parse().map_err(CliError::Usage)?;
        let task = generate::task(kind, self.seed).map_err(CliError::Failed)?;
        let line = serde_json::to_string(&task).map_err(|e| CliError::Failed(e.to_string()))?;
        Ok((task.id, task.task, line))
    }

    /// An episode at the table: id, sentence, line.
    fn table(&self) -> Result<(String, String, String), CliError> {
        let generated =
            [table::Domain::PickAndPlace, table::Domain::Disinfection, table::Domain::Weight, table::Domain::Cover];
        let domain = table::Domain::of(&self.kind).filter(|domain| generated.contains(domain)).ok_or_else(|| {
            let known = generated.map(table::Domain::name).join(", ");
            CliError::Usage(format!("episodes of `{}` are not generated; there are {known}", self.kind))
        })?;
        let id = format!("generated/{}-{}", domain.name(), self.seed);
        let made = table::generate::episode(domain, &id, self.seed).map_err(CliError::Failed)?;
        let requests = made.get("n_steps").and_then(serde_json::Value::as_u64).unwrap_or_default();
        Ok((id, format!("{requests} requests"), made.to_string()))
    }

    /// A dialogue: id, sentence, line.
    fn dialogue(&self) -> Result<(String, String, String), CliError> {
        let source = dialogue::Source::shipped()?;
        let service = source.service(&self.kind).ok_or_else(|| {
            let known: Vec<&str> = source.services().collect();
            CliError::Usage(format!("there is no shipped service `{}`; there are {}", self.kind, known.join(", ")))
        })?;
        let id = format!("generated/{}-{}", self.kind, self.seed);
        let made = dialogue::generate::dialogue(service, &id, self.seed).map_err(CliError::Failed)?;
        Ok((id, made.sentence(), dialogue::compact_line(&made).map_err(CliError::Failed)?))
    }
}

fn append(path: &std::path::Path, line: &str) -> std::io::Result<()> {
    use std::io::Write;
    std::fs::OpenOptions::new().create(true).append(true).open(path)?.write_all(line.as_bytes())
}
