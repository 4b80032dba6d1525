//! `stepwright duel`: several asked at each step what they would do, side by side in the workbench.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::launch::Reopened;
use super::settings::MethodFlags;
use super::world::WorldName;
use super::{CliError, Global, workbench};
use stepwright_launch::config::Config;
use stepwright_launch::{CONTENDER, contender};
use stepwright_protocol::Contender;
use stepwright_tui::manner::Manner;
use stepwright_worlds::WORLDS;

/// Ask several models, methods, prompts or sets of assertions at each step what they would do, side by side in the workbench.
#[derive(Debug, Args)]
pub struct Duel {
    /// The session's log, or its name in the folder of sessions; an episode that begins if absent
    file: Option<PathBuf>,
    /// The session written to last
    #[arg(long, conflicts_with = "file")]
    last: bool,
    #[arg(long, value_name = "SIDE", required = true, num_args = 1, help = help())]
    with: Vec<String>,
    /// The world of an episode that begins
    #[arg(long, default_value = WORLDS[0].name, conflicts_with_all = ["file", "last"])]
    world: WorldName,
    /// The task to begin with, by its id or an unambiguous part of it; the first if absent
    #[arg(long, value_name = "ID", conflicts_with_all = ["file", "last"])]
    task: Option<String>,
    #[command(flatten)]
    method: MethodFlags,
}

fn help() -> String {
    format!("Who is asked beside what is in use, up to three times: {CONTENDER}")
}

/// The sides: the setting in use, and those that are written.
pub(super) fn sides(with: &[String], config: &Config) -> Result<Vec<Contender>, CliError> {
    let methods = stepwright_launch::methods(config);
    let others = with.iter().map(|text| contender(text, &methods).map_err(CliError::Usage));
    std::iter::once(Ok(Contender::default())).chain(others).collect()
}

impl Duel {
    /// Opens the workbench on the duel.
    pub fn run(self, global: &Global) -> Result<ExitCode, CliError> {
        let folder = global.load()?.paths.sessions();
        let file = match (&self.file, self.last) {
            (Some(file), _) => Some(super::sessions::found(&folder, file)?),
            (None, true) => Some(super::sessions::newest(&folder)?),
            (None, false) => {
                global.command_suits(self.world)?;
                None
            }
        };
        let reopened = file.map(|file| {
            let change = self.method.change()?;
            Ok::<_, CliError>(Reopened { file, change, node: None, episode: None, mirror: None })
        });
        let reopened = reopened.transpose()?;
        let config = if reopened.is_some() { global.load()? } else { global.with_method(self.method).load()? };
        let sides = sides(&self.with, &config)?;
        let begin = reopened.is_none().then(|| workbench::choice(&config, self.world, self.task));
        workbench::open_with(config, reopened, begin, (Manner::default(), sides))
    }
}
