//! The options that say which household tasks are meant, shared by the subcommands.

use std::path::PathBuf;

use clap::Args;

use super::CliError;
use crate::world::household::{Edition, HouseholdWorld, Source};

/// Which household tasks, in which wording.
#[derive(Debug, Clone, Args)]
pub struct HouseholdOptions {
    /// A folder or file of games: an ALFWorld data folder, a game.tw-pddl, compact .jsonl; the shipped tasks if absent
    #[arg(long, value_name = "FILE_OR_DIR")]
    pub data: Option<PathBuf>,
    /// Wording of the games: `put` (releases up to 0.3, the papers') or `move`; an official file's own if absent, else put
    #[arg(long, value_name = "put|move")]
    pub edition: Option<Edition>,
}

impl HouseholdOptions {
    /// The tasks meant.
    ///
    /// # Errors
    /// If the data cannot be read.
    pub fn source(&self) -> Result<Source, CliError> {
        Ok(match &self.data {
            Some(path) => Source::open(path)?,
            None => Source::shipped()?,
        })
    }

    /// The world at a task: the one a person's abbreviation stands for, or the first.
    ///
    /// # Errors
    /// If the data cannot be read or holds no such task.
    pub fn world(&self, task: Option<&str>) -> Result<(HouseholdWorld, String), CliError> {
        let source = self.source()?;
        let task = match task {
            Some(wanted) => source.resolve(wanted)?.to_owned(),
            None => source.ids().next().map(str::to_owned).ok_or_else(|| CliError::Failed("no tasks".into()))?,
        };
        let edition = match self.edition {
            Some(edition) => edition,
            None => source.edition(&task)?.unwrap_or_default(),
        };
        Ok((HouseholdWorld::new(source, edition), task))
    }
}
