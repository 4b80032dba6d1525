//! The options that say which tasks of which world are meant, shared by the subcommands.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::CliError;
use crate::driver;
use crate::world::household::Edition;
use crate::world::kitchen::Find;

/// The worlds by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WorldName {
    /// ALFWorld's household text games
    Household,
    /// Recorded dialogues with a service, after the Schema-Guided Dialogue dataset
    Dialogue,
    /// A kitchen seen through a robot's eyes
    Kitchen,
    /// A table with blocks and bowls, and a person who asks one thing after another
    Table,
    /// A world of your own, behind a command that speaks the line protocol (--command, or [external.NAME] in config.toml)
    External,
}

impl WorldName {
    /// The name as the driver knows it.
    pub fn name(self) -> &'static str {
        match self {
            WorldName::Household => driver::HOUSEHOLD,
            WorldName::Dialogue => driver::DIALOGUE,
            WorldName::Kitchen => driver::KITCHEN,
            WorldName::Table => driver::TABLE,
            WorldName::External => driver::EXTERNAL,
        }
    }
}

/// Which tasks of a world, in which form.
#[derive(Debug, Clone, Args)]
pub struct WorldOptions {
    /// Where the tasks are; the shipped ones if absent. Household: an ALFWorld data folder, a game.tw-pddl, compact .jsonl.
    /// Dialogue: a copy of the Schema-Guided Dialogue dataset (or one split, or one file), or a folder or file of .jsonl.
    /// Kitchen: a scene file, or a folder of them. Table: a file or folder of episodes
    #[arg(long, value_name = "FILE_OR_DIR")]
    pub data: Option<PathBuf>,
    /// Household: wording of the games, `put` (releases up to 0.3, the papers') or `move`; an official file's own if absent,
    /// else put
    #[arg(long, value_name = "put|move")]
    pub edition: Option<Edition>,
    /// Kitchen: whether `find` walks to what it looks for (moving) or looks around where the robot stands (fixed); moving if
    /// absent
    #[arg(long, value_name = "moving|fixed")]
    pub find: Option<Find>,
}

impl WorldOptions {
    /// The options as a session has them.
    ///
    /// # Errors
    /// If one is given that the world does not have.
    pub fn of(&self, world: WorldName) -> Result<BTreeMap<String, String>, CliError> {
        let edition = self.edition.map(|e| ("edition".to_owned(), e.to_string()));
        if world != WorldName::Household && edition.is_some() {
            return Err(CliError::Usage("--edition is of the household world alone; leave it out".to_owned()));
        }
        let find = self.find.map(|f| ("find".to_owned(), f.to_string()));
        if world != WorldName::Kitchen && find.is_some() {
            return Err(CliError::Usage("--find is of the kitchen world alone; leave it out".to_owned()));
        }
        Ok(edition.into_iter().chain(find).collect())
    }
}
