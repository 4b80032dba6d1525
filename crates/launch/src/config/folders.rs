//! Folders the program uses, by the platform's conventions or as the user says.

use std::path::{Path, PathBuf};

use directories::ProjectDirs;

use stepwright_library::Shelf;
use stepwright_worlds::WORLDS;

use super::layer::{ConfigError, Environment};

/// Where things are kept. None of the folders need exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// `config.toml`, the user's `prompts/` and `themes/`.
    pub config: PathBuf,
    /// Data the program was given or fetched.
    pub data: PathBuf,
    pub state: PathBuf,
    /// The folder of files that can be made again.
    pub cache: PathBuf,
}

impl Paths {
    /// `--config-dir` or `STEPWRIGHT_CONFIG_DIR` names the configuration directory, `STEPWRIGHT_STATE_DIR` the one for state
    /// (data and cache then live below it); else the platform decides.
    pub(super) fn find(config_dir: Option<&Path>, environment: Environment<'_>) -> Result<Self, ConfigError> {
        let named = |name: &str| environment(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let config = config_dir.map(Path::to_path_buf).or_else(|| named("STEPWRIGHT_CONFIG_DIR"));
        let state = named("STEPWRIGHT_STATE_DIR");
        let (config, state, platform) = match (config, state, ProjectDirs::from("", "", "stepwright")) {
            (config, state, Some(platform)) => (config, state, platform),
            (Some(config), Some(state), None) => {
                return Ok(Paths { config, data: state.join("data"), cache: state.join("cache"), state });
            }
            _ => {
                return Err(ConfigError::one(
                    "configuration directory",
                    "this account has no home directory; set STEPWRIGHT_CONFIG_DIR and STEPWRIGHT_STATE_DIR",
                ));
            }
        };
        let config = config.unwrap_or_else(|| platform.config_dir().to_path_buf());
        Ok(match state {
            Some(state) => Paths { config, data: state.join("data"), cache: state.join("cache"), state },
            None => Paths {
                config,
                data: platform.data_dir().to_path_buf(),
                cache: platform.cache_dir().to_path_buf(),
                // Only Linux has a folder for state.
                state: platform.state_dir().map_or_else(|| platform.data_dir().join("state"), Path::to_path_buf),
            },
        })
    }

    pub fn config_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    pub fn sessions(&self) -> PathBuf {
        self.state.join("sessions")
    }

    /// The file of the places at which sessions were last looked at.
    pub fn places_file(&self) -> PathBuf {
        self.state.join("places.toml")
    }

    /// The library: these sessions, and the files and folders that a person added.
    pub fn shelf(&self) -> Shelf {
        let (list, cache) = (self.state.join("library.txt"), self.cache.join("library"));
        Shelf { sessions: self.sessions(), list, cache, worlds: WORLDS.into() }
    }

    pub fn logs(&self) -> PathBuf {
        self.state.join("logs")
    }
}
