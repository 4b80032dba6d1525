//! Flags that set what the configuration can set; they win over file and environment.

use std::path::PathBuf;

use clap::Args;

use super::CliError;
use crate::config::{Config, Overrides};

/// Options of every subcommand.
#[derive(Debug, Clone, Default, Args)]
pub struct Global {
    /// Folder of config.toml, prompts and themes, in place of the platform's
    #[arg(long, global = true, value_name = "DIR", env = "STEPWRIGHT_CONFIG_DIR")]
    pub config_dir: Option<PathBuf>,
    /// The model: symbolic, a configured one, cassette:PATH, or an id at the endpoint [env: STEPWRIGHT_MODEL]
    #[arg(long = "model", id = "model_setting", global = true, value_name = "NAME", help_heading = "Settings")]
    model: Option<String>,
    /// Where an OpenAI-compatible server answers [env: STEPWRIGHT_BASE_URL]
    #[arg(long, global = true, value_name = "URL", help_heading = "Settings")]
    base_url: Option<String>,
    /// The theme [env: STEPWRIGHT_THEME]
    #[arg(long, global = true, value_name = "NAME", help_heading = "Settings")]
    theme: Option<String>,
    /// Draw with ASCII characters only [env: STEPWRIGHT_ASCII]
    #[arg(long, global = true, help_heading = "Settings")]
    ascii: bool,
    /// Leave the mouse to the terminal
    #[arg(long, global = true, help_heading = "Settings")]
    no_mouse: bool,
    /// Any other setting, as in `--set model.retries=0`; see `stepwright config show`
    #[arg(long = "set", global = true, value_name = "SECTION.KEY=VALUE", help_heading = "Settings")]
    set: Vec<String>,
    /// The tasks that the workbench's own `--data` names.
    #[arg(skip)]
    data: Option<PathBuf>,
}

impl Global {
    /// The merged configuration under these flags.
    ///
    /// # Errors
    /// [`CliError::Failed`] with every problem found.
    pub fn load(&self) -> Result<Config, CliError> {
        crate::config::load(&self.overrides()).map_err(|e| CliError::Failed(e.to_string()))
    }

    /// The same with tasks from a file or folder; of which world they are is seen from what lies there.
    pub fn with_data(mut self, data: Option<PathBuf>) -> Self {
        self.data = data;
        self
    }

    /// What the flags set.
    pub fn overrides(&self) -> Overrides {
        let mut overrides = Overrides { config_dir: self.config_dir.clone(), ..Overrides::default() };
        for given in &self.set {
            let (setting, value) = given.split_once('=').unwrap_or((given, ""));
            overrides.set(setting.trim(), "--set", Some(value.trim()));
        }
        // In the file a relative path starts at the configuration directory; on the command line it starts here.
        let here = |p: &PathBuf| std::path::absolute(p).unwrap_or_else(|_| p.clone()).display().to_string();
        if let Some(data) = &self.data {
            let dialogues = crate::world::dialogue::Source::lies_at(data);
            let setting = if dialogues { "data.dialogue" } else { "data.household" };
            overrides.set(setting, "--data", Some(here(data)));
        }
        overrides.set("model.model", "--model", self.model.clone());
        overrides.set("model.base_url", "--base-url", self.base_url.clone());
        overrides.set("ui.theme", "--theme", self.theme.clone());
        overrides.set("ui.ascii", "--ascii", self.ascii.then_some("true"));
        overrides.set("ui.mouse", "--no-mouse", self.no_mouse.then_some("false"));
        overrides
    }
}
