//! Inputs shared by several studies: the model, the services, the household's demonstrations, files of preconditions.

use std::path::Path;
use std::sync::Arc;

use crate::CliError;
use crate::world::WorldOptions;
use stepwright_driver::config::Config;
use stepwright_driver::{self as driver, SYMBOLIC, Source};
use stepwright_method::precondition::AdoptedSet;
use stepwright_world::demonstration::Demonstration;
use stepwright_world::household::{self, Edition, shipped};
use stepwright_world::{World, dialogue, read_demonstrations};

/// A failure in words.
pub(super) fn failed(error: impl ToString) -> CliError {
    CliError::Failed(error.to_string())
}

/// The model in use, by the name that results record.
pub(super) fn model(config: &Config) -> Result<(String, Source), CliError> {
    let name = Some(config.model.model.as_str()).filter(|n| !n.is_empty()).unwrap_or(SYMBOLIC);
    Ok((name.to_owned(), driver::resolver(config)(name).map_err(failed)?))
}

/// The dialogues of a file or folder; the shipped ones if `None`.
pub(super) fn dialogues(path: Option<&Path>) -> Result<Arc<dialogue::Source>, CliError> {
    Ok(Arc::new(path.map_or_else(dialogue::Source::shipped, dialogue::Source::open)?))
}

/// The games of a file or folder; the shipped ones if `None`.
pub(super) fn games(path: Option<&Path>) -> Result<Arc<household::Source>, CliError> {
    Ok(Arc::new(path.map_or_else(household::Source::shipped, household::Source::open)?))
}

/// The wording of the games that the options name.
pub(super) fn edition(options: &WorldOptions) -> Result<Option<Edition>, CliError> {
    let read = |word: &str| word.parse().map_err(|e: strum::ParseError| CliError::Usage(e.to_string()));
    options.get("edition").map(read).transpose()
}

/// The services meant: all, or those named.
pub(super) fn services(source: &dialogue::Source, named: &[String]) -> Result<Vec<String>, CliError> {
    let known: Vec<String> = source.services().map(str::to_owned).collect();
    if let Some(unknown) = named.iter().find(|name| !known.contains(name)) {
        return Err(CliError::Usage(format!("there is no service `{unknown}` here; there are {}", known.join(", "))));
    }
    Ok(if named.is_empty() { known } else { named.to_vec() })
}

/// The household's demonstrations: the person's own where the configuration names a file, else the shipped ones.
pub(super) fn household_demonstrations(
    config: &Config,
    edition: Edition,
    world: &dyn World,
) -> Result<Vec<Demonstration>, CliError> {
    Ok(match &config.data.demonstrations {
        Some(path) => read_demonstrations(path, world)?,
        None => shipped::demonstrations(edition)?,
    })
}

/// A file of preconditions.
pub(super) fn adopted(path: &Path) -> Result<AdoptedSet, CliError> {
    AdoptedSet::read(path).map_err(failed)
}
