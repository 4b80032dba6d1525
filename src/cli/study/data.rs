//! What both studies read: the model, the services, the household's demonstrations, files of preconditions and of results.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::cli::CliError;
use crate::cli::world::WorldOptions;
use crate::config::Config;
use crate::driver::{self, SYMBOLIC, Source};
use crate::precondition::AdoptedSet;
use crate::study::run::ResultsFile;
use crate::world::demonstration::Demonstration;
use crate::world::household::{self, Edition, shipped};
use crate::world::{World, dialogue, read_demonstrations};

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
    options.get("edition").map(|word| word.parse().map_err(CliError::Usage)).transpose()
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

/// The assertions of a file of preconditions, by action function.
pub(super) fn assertions(set: &AdoptedSet) -> BTreeMap<String, Vec<String>> {
    set.actions.iter().map(|a| (a.action.clone(), a.assertions.clone())).collect()
}

/// The results of a study: a file that is appended to, or nothing but this run's.
pub(super) struct Results<R> {
    file: Option<(ResultsFile<R>, String)>,
    /// Those of the file, then those of this run.
    pub(super) all: Vec<R>,
}

impl<R: Serialize + DeserializeOwned + Clone> Results<R> {
    /// Opens or creates the file, if one is named.
    pub(super) fn open(path: Option<&Path>) -> Result<Self, CliError> {
        let Some(path) = path else { return Ok(Results { file: None, all: Vec::new() }) };
        let file = ResultsFile::open(path).map_err(CliError::Failed)?;
        let all = file.earlier.clone();
        Ok(Results { file: Some((file, path.display().to_string())), all })
    }

    /// The file's name.
    pub(super) fn path(&self) -> Option<&str> {
        self.file.as_ref().map(|(_, path)| path.as_str())
    }

    /// Keeps a result.
    pub(super) fn add(&mut self, result: R) -> Result<(), String> {
        if let Some((file, path)) = &mut self.file {
            file.append(&result).map_err(|e| format!("{path}: {e}"))?;
        }
        self.all.push(result);
        Ok(())
    }
}
