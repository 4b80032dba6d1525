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
mod layer;
mod merge;
mod schema;
mod select;
mod settings;
mod show;
#[cfg(test)]
mod tests;
mod typed;
mod values;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ffi::OsString;

pub use embedder::BUILT_IN;
pub use endpoint::ModelConfig;
pub use folders::Paths;
pub use layer::{ConfigError, Environment, Flag, Overrides, Problem, Source};
pub use schema::schema;
pub use select::{Selected, WITHOUT_LOCAL, select};
use settings::Settings;
pub use show::template;
use stepwright_method::Methods;
pub use stepwright_model::Price;
pub use typed::{Config, Data, Gate, KeySetting, Log, Ui};

/// Merges defaults, file, environment and flags; the options of these methods are settings.
pub fn load(overrides: &Overrides, methods: &'static Methods) -> Result<Config, ConfigError> {
    in_environment(&of_process, |variables| load_with(overrides, methods, variables))
}

/// As [`load`], with an environment of one's own.
pub fn load_with(
    overrides: &Overrides,
    methods: &'static Methods,
    environment: Environment<'_>,
) -> Result<Config, ConfigError> {
    let settings = Settings::new(methods);
    let paths = Paths::find(overrides.config_dir.as_deref(), environment)?;
    let text = file::read(&paths.config_file())?;
    let mut problems = Vec::new();
    let merged = merge::merge(&settings, &paths, text.as_deref(), overrides, environment, &mut problems);
    let mut config = typed::build(paths, methods, &merged, environment, &mut problems);
    config.shown = show::all(&settings, &merged, &config);
    if problems.is_empty() { Ok(config) } else { Err(ConfigError { problems }) }
}

/// The folders alone, without reading the configuration file.
/// Errors: [`ConfigError`] when the account has no home directory and nothing else names the folders.
pub fn paths(overrides: &Overrides) -> Result<Paths, ConfigError> {
    in_environment(&of_process, |variables| Paths::find(overrides.config_dir.as_deref(), variables))
}

fn of_process(variable: &str) -> Option<OsString> {
    std::env::var_os(variable)
}

/// The variables of a person's folder, which may be called anything.
const HOMES: [&str; 2] = ["HOME", "USERPROFILE"];

/// Reads with the variables of an environment.
/// Errors: those of reading, or a variable that was looked for is no UTF-8 text: it would count as absent.
fn in_environment<T>(
    variable: &dyn Fn(&str) -> Option<OsString>,
    read: impl FnOnce(Environment<'_>) -> Result<T, ConfigError>,
) -> Result<T, ConfigError> {
    let unread = RefCell::new(BTreeSet::new());
    let found = read(&|name| match variable(name)?.into_string() {
        Ok(text) => Some(text),
        Err(_) => {
            unread.borrow_mut().insert(name.to_owned());
            None
        }
    });
    let unread = unread.into_inner().into_iter().filter(|name| !HOMES.contains(&name.as_str()));
    let message = || "is no UTF-8 text; set it again, or unset it".to_owned();
    let problems: Vec<Problem> = unread.map(|name| Problem { place: name, line: None, message: message() }).collect();
    if problems.is_empty() { found } else { Err(ConfigError { problems }) }
}
