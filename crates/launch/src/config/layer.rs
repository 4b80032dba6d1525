//! Layers of settings: values by name with where each comes from, and what can be wrong with them.

use std::collections::BTreeMap;
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    Default,
    File { line: usize },
    Environment { name: String },
    Flag { flag: String },
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Source::Default => f.write_str("default"),
            Source::File { line } => write!(f, "config.toml line {line}"),
            Source::Environment { name } => write!(f, "${name}"),
            Source::Flag { flag } => f.write_str(flag),
        }
    }
}

/// Values by full name (`model.base_url`, `models.local.model`), with where they come from.
pub(super) type Layer = BTreeMap<String, (toml::Value, Source)>;

/// A setting as `config show` has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) section: String,
    /// Empty where the line is no setting.
    pub(super) key: String,
    pub(super) text: String,
    pub(super) source: String,
}

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
    pub(super) fn one(place: impl Into<String>, message: impl Into<String>) -> Self {
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
