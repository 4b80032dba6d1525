//! `stepwright play`: a world's task by hand, as a prompt to type at or as the line protocol.

mod protocol;
mod repl;

use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::household::HouseholdOptions;
use super::{CliError, print};
use crate::world::World;

/// The worlds by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WorldName {
    /// ALFWorld's household text games
    Household,
}

/// Plays a task.
#[derive(Debug, Args)]
pub struct Play {
    /// The world
    world: WorldName,
    #[command(flatten)]
    household: HouseholdOptions,
    /// The task's id, or an unambiguous part of it; the first task if absent
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// The world's seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Speak the line protocol: one JSON object for the reset, then one for each action read from standard input
    #[arg(long)]
    jsonl: bool,
    /// Add the world's hidden state to each object
    #[arg(long, requires = "jsonl")]
    state: bool,
    /// List the tasks and end
    #[arg(long, conflicts_with_all = ["jsonl", "task"])]
    list: bool,
}

impl Play {
    /// Plays until the input ends.
    ///
    /// # Errors
    /// If the task cannot be loaded, or standard input or output fails.
    pub fn run(self) -> Result<ExitCode, CliError> {
        let WorldName::Household = self.world;
        if self.list {
            let mut text = String::new();
            for task in self.household.source()?.tasks() {
                text.push_str(&format!("{}\t{}\t{}\n", task.id, task.kind, task.sentence));
            }
            print(&text)?;
            return Ok(ExitCode::SUCCESS);
        }
        let (mut world, task) = self.household.world(self.task.as_deref())?;
        let reset = world.reset(&task, self.seed)?;
        if self.jsonl {
            protocol::speak(&mut world, &reset, self.state, std::io::stdin().lock(), std::io::stdout().lock())?;
        } else {
            repl::play(&mut world, &reset)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
