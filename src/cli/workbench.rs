//! Opens the workbench: reads configuration, keys and themes, and hands them over.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;

use super::launch::Launch;
use super::settings::MethodFlags;
use super::{CliError, Global};
use crate::config::Config;
use crate::episode::Configuration;
use crate::tui::color::Depth;
use crate::tui::keymap::{Keymap, UserKeys};
use crate::tui::run::{Options, run};
use crate::tui::theme::Theme;
use crate::tui::theme_file::{self, Wanted};

/// Open a recorded session where it was left.
#[derive(Debug, Args)]
pub struct Open {
    /// The session's log (a .jsonl file)
    file: PathBuf,
    #[command(flatten)]
    method: MethodFlags,
}

impl Open {
    /// Opens the workbench on the session.
    ///
    /// # Errors
    /// As [`open`].
    pub fn run(self, global: &Global) -> Result<ExitCode, CliError> {
        let change = self.method.change()?;
        open(global, Some((self.file, change)))
    }
}

/// Opens the workbench, on a session (with what is to change in it) or the start screen.
///
/// # Errors
/// When the configuration is wrong or there is no terminal.
pub fn open(global: &Global, session: Option<(PathBuf, Option<Configuration>)>) -> Result<ExitCode, CliError> {
    let config = global.load()?;
    let (session, change) = session.unzip();
    // Said before the terminal is taken: a file that is not there is a slip of the fingers.
    if let Some(path) = session.as_ref().filter(|p| !p.is_file()) {
        return Err(CliError::Failed(format!("{}: no such file", path.display())));
    }
    let Look { keymap, themes, remarks } = look(&config)?;
    let options = Options {
        panes: crate::tui::panes::all(),
        keymap,
        themes,
        mouse: config.ui.mouse,
        open: session,
        problem: remarks.into_iter().next(),
    };
    let launcher = Launch::new(config, options.open.clone().zip(change.flatten()))?;
    run(Arc::new(launcher), options).map_err(|e| CliError::Failed(e.to_string()))
}

/// Keys and themes as configured, and what a person should know of them.
pub(super) struct Look {
    keymap: Keymap,
    themes: Vec<Theme>,
    /// What is odd but can be worked with, one remark a line.
    pub(super) remarks: Vec<String>,
}

/// Reads keys and themes.
///
/// # Errors
/// When a key, an action or the theme named does not exist.
pub(super) fn look(config: &Config) -> Result<Look, CliError> {
    let (keymap, mut remarks) = keymap(config)?;
    let folder = config.paths.config.join("themes");
    let depth = if config.ui.no_color { Depth::None } else { Depth::of_environment() };
    // The default leaves the choice to the terminal.
    let name = Some(config.ui.theme.as_str()).filter(|n| *n != "auto");
    let wanted = Wanted { folder: Some(&folder), name, ascii: config.ui.ascii, depth };
    let (themes, problems) = theme_file::load(wanted).map_err(CliError::Failed)?;
    remarks.extend(problems);
    Ok(Look { keymap, themes, remarks })
}

fn keymap(config: &Config) -> Result<(Keymap, Vec<String>), CliError> {
    let file = config.paths.config_file().display().to_string();
    let user: Vec<UserKeys> = config
        .keys
        .iter()
        .map(|(action, setting)| UserKeys {
            action: action.clone(),
            keys: setting.keys.clone(),
            place: setting.line.map_or_else(|| file.clone(), |line| format!("{file}:{line}")),
        })
        .collect();
    Keymap::with_user(&user).map_err(CliError::Failed)
}
