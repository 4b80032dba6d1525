//! Configuration: what can be set, where values come from, and the merged result.
//!
//! Values are merged in this order, later ones winning: defaults, `config.toml` in the configuration directory, environment
//! variables, flags. `settings` lists all that can be set; a key that is not in the list is an error that names its line and
//! the nearest key. [`load`] gives the merged [`Config`]; [`select`] turns a model's name into the model. Keys of providers
//! are never in the file: a setting names the environment variable that holds one.

mod embedder;
mod endpoint;
mod external;
mod file;
mod folders;
mod merge;
mod select;
mod settings;
mod show;
#[cfg(test)]
mod tests;
mod typed;

use std::collections::BTreeMap;
use std::path::PathBuf;

pub use embedder::BUILT_IN;
pub use folders::Paths;
pub use select::{Selected, select};
pub use show::{Source, template};
pub use stepwright_model::Price;
pub use typed::{Config, Data, Gate, KeySetting, Log, ModelConfig, Ui};

/// A wrong setting: where it is, what is wrong, what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub place: String,
    pub line: Option<usize>,
    pub message: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}, line {line}: {}", self.place, self.message),
            None => write!(f, "{}: {}", self.place, self.message),
        }
    }
}

/// Everything that is wrong with the configuration, one problem a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    pub problems: Vec<Problem>,
}

impl std::fmt::Display for ConfigError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let lines: Vec<String> = self.problems.iter().map(Problem::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for ConfigError {}

impl ConfigError {
    fn one(place: impl Into<String>, message: impl Into<String>) -> Self {
        ConfigError { problems: vec![Problem { place: place.into(), line: None, message: message.into() }] }
    }
}

/// The settings of the command line.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    pub config_dir: Option<PathBuf>,
    pub flags: Vec<Flag>,
}

#[derive(Debug, Clone)]
pub struct Flag {
    pub setting: String,
    pub value: String,
    /// The flag as typed, for messages (`--model`).
    pub flag: String,
}

impl Overrides {
    pub fn set(&mut self, setting: &str, flag: &str, value: Option<impl Into<String>>) {
        if let Some(value) = value {
            self.flags.push(Flag { setting: setting.into(), value: value.into(), flag: flag.into() });
        }
    }
}

pub type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Merges defaults, file, environment and flags.
pub fn load(overrides: &Overrides) -> Result<Config, ConfigError> {
    load_with(overrides, &|name| std::env::var(name).ok())
}

/// As [`load`], with an environment of one's own.
pub fn load_with(overrides: &Overrides, environment: Environment<'_>) -> Result<Config, ConfigError> {
    let paths = Paths::find(overrides.config_dir.as_deref(), environment)?;
    let text = file::read(&paths.config_file())?;
    let mut problems = Vec::new();
    let merged = merge::merge(&paths, text.as_deref(), overrides, environment, &mut problems);
    let config = typed::build(paths, merged, environment, &mut problems);
    if problems.is_empty() { Ok(config) } else { Err(ConfigError { problems }) }
}

/// The folders alone, without reading the configuration file.
/// Errors: [`ConfigError`] when the account has no home directory and nothing else names the folders.
pub fn paths(overrides: &Overrides) -> Result<Paths, ConfigError> {
    Paths::find(overrides.config_dir.as_deref(), &|name| std::env::var(name).ok())
}

/// Values by full name (`model.base_url`, `models.local.model`), with where they come from.
type Layer = BTreeMap<String, (toml::Value, Source)>;
