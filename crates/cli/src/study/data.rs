//! Inputs shared by several studies: which episodes, the model, the services, the household's demonstrations, files of preconditions.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use crate::world::WorldOptions;
use crate::{BUILD, CliError, Global, target};
use stepwright_driver::Source;
use stepwright_episode::Role;
use stepwright_launch::config::{Config, Flag};
use stepwright_launch::resolver;
use stepwright_method::SYMBOLIC;
use stepwright_method::publications::SETTINGS;
use stepwright_precondition::AdoptedSet;
use stepwright_study::curve::Format;
use stepwright_study::runner::{Opening, Provenance, Seeds, Selector};
use stepwright_world::demonstration::Demonstration;
use stepwright_world::{TaskInfo, World, read_demonstrations};
use stepwright_worlds::dialogue;
use stepwright_worlds::household::{self, Edition, shipped};

/// Which episodes a study runs.
#[derive(Debug, Args)]
pub(super) struct Episodes {
    /// Tasks in place of the shipped ones: a file or a folder
    #[arg(long, value_name = "FILE_OR_DIR")]
    pub(super) data: Option<PathBuf>,
    /// Which tasks: `all`, ids, patterns with *, type=, split=, first=, separated by commas
    #[arg(long, value_name = "SELECTOR", default_value = "all")]
    pub(super) tasks: Selector,
    /// Seeds; each task is run with each: 3, 0..9 (ten of them), 0,7
    #[arg(long, visible_alias = "seed", value_name = "SEEDS", default_value = "0")]
    pub(super) seeds: Seeds,
    /// Actions an episode may take; the study's usual number if absent
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_steps: Option<u32>,
}

/// The parts that the episodes of a study are run with.
pub(super) struct Ready {
    pub(super) config: Arc<Config>,
    pub(super) model: String,
    pub(super) provenance: Provenance,
    pub(super) opening: Opening,
}

impl Episodes {
    /// Reads the configuration; where no data is named, what it has of the study's own world takes its place.
    pub(super) fn ready(&mut self, global: &Global, own: &str, usual_steps: u32) -> Result<Ready, CliError> {
        let config = global.load()?;
        let (model, _) = model(&config)?;
        self.data = config.data.or_named(own, self.data.take());
        let provenance = Provenance::of(BUILD, &config, &model).and_then(|all| all.with_roles(&config));
        let provenance = provenance.and_then(|all| all.with_data(self.data.as_deref()));
        let provenance = provenance.map(|all| all.with_method_options(config.built_in, &config.method.given));
        let config = Arc::new(config);
        let opening = Opening::new(&config, stepwright_worlds::sources(), self.max_steps.unwrap_or(usual_steps));
        Ok(Ready { model, provenance: provenance.map_err(failed)?, opening, config })
    }

    /// Refuses settings that a person named for a study whose conditions have their own, so that they would do nothing.
    pub(super) fn without_settings(study: &str, config: &Config) -> Result<(), CliError> {
        let Some(named) = config.method.given.get(SETTINGS.key) else { return Ok(()) };
        Err(CliError::Usage(format!(
            "method.settings = {named} would do nothing: each condition of `study {study}` has the settings of its publication; leave it out \
             (for other settings: `stepwright run`)"
        )))
    }

    pub(super) fn of(&self, world: &str) -> Result<Vec<TaskInfo>, CliError> {
        let tasks = stepwright_worlds::sources().tasks(world, self.data.as_deref()).map_err(failed)?;
        self.tasks.select(&tasks).map_err(CliError::Usage)
    }
}

/// Refuses options of methods that the command line sets and that a study does not go by, as they would do nothing; a file sets them for other
/// runs too. `instead`: what to do, by the key; none of what the study goes by.
pub(super) fn without_options(
    study: &str,
    global: &Global,
    instead: impl Fn(&str) -> Option<String>,
) -> Result<(), CliError> {
    let idle = |flag: &Flag| {
        let instead = instead(flag.setting.strip_prefix("method.")?)?;
        Some(format!("{} = {} would do nothing in `study {study}`: {instead}", flag.setting, flag.value))
    };
    global.overrides().flags.iter().find_map(idle).map_or(Ok(()), |why| Err(CliError::Usage(why)))
}

/// What to do about an option of methods in a study that runs none.
pub(super) fn runs_none(_key: &str) -> Option<String> {
    Some("it runs no method; leave it out".to_owned())
}

/// The form of a file of curves, by its end; the file is looked at before anything is played.
pub(super) fn curve_to(file: &Path) -> Result<Format, CliError> {
    target::look_at(file, &[], None)?;
    Format::of(file).map_err(CliError::Usage)
}

pub(super) fn failed(error: impl ToString) -> CliError {
    CliError::Failed(error.to_string())
}

/// The model in use, by the name that results record.
pub(super) fn model(config: &Config) -> Result<(String, Source), CliError> {
    let name = Some(config.model.model.as_str()).filter(|n| !n.is_empty()).unwrap_or(SYMBOLIC);
    Ok((name.to_owned(), resolver(config)(name).map_err(failed)?))
}

/// The model that what is learned is asked of, by the name that results record.
pub(super) fn discoverer(config: &Config) -> Result<(String, Source), CliError> {
    let Some(name) = config.roles.get(&Role::Discoverer) else { return model(config) };
    Ok((name.clone(), resolver(config)(name).map_err(failed)?))
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

pub(super) fn adopted(path: &Path) -> Result<AdoptedSet, CliError> {
    AdoptedSet::read_sound(path).map_err(failed)
}
