//! World options: which tasks of which world are meant, shared by the subcommands and made from the registry of worlds.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser, ValueParserFactory};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use super::CliError;
use stepwright_world::WorldKind;
use stepwright_world::options::{OptionSpec, flags};
use stepwright_worlds::WORLDS;

/// A world, chosen by its name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct WorldName(&'static WorldKind);

impl WorldName {
    /// The world of a name; none if there is no such world.
    pub fn of(name: &str) -> Option<Self> {
        stepwright_worlds::named(name).ok().map(WorldName)
    }

    pub fn name(self) -> &'static str {
        self.0.name
    }

    pub fn kind(self) -> &'static WorldKind {
        self.0
    }
}

impl std::str::FromStr for WorldName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        stepwright_worlds::named(name).map(WorldName).map_err(|e| e.to_string())
    }
}

impl ValueParserFactory for WorldName {
    type Parser = clap::builder::ValueParser;

    fn value_parser() -> Self::Parser {
        let names = WORLDS.iter().map(|kind| PossibleValue::new(kind.name).help(kind.about));
        PossibleValuesParser::new(names).try_map(|name| name.parse::<WorldName>()).into()
    }
}

/// The help of the workbench's `--data`.
pub(crate) fn tasks_help() -> String {
    format!("Tasks to choose from beside the shipped ones. {}", data_help())
}

/// The files of tasks that each world reads.
fn data_help() -> String {
    let of = |kind: &&WorldKind| Some(format!("{}: {}", kind.name, kind.data?.about));
    WORLDS.iter().filter_map(of).collect::<Vec<_>>().join(". ")
}

/// Which tasks of a world, in which form.
#[derive(Debug, Clone, Default)]
pub(crate) struct WorldOptions {
    /// Where the tasks are; the shipped ones if `None`.
    pub data: Option<PathBuf>,
    given: BTreeMap<String, String>,
}

impl Args for WorldOptions {
    fn augment_args(command: Command) -> Command {
        let data = Arg::new("data")
            .long("data")
            .value_name("FILE_OR_DIR")
            .value_parser(clap::value_parser!(PathBuf))
            .help(format!("Where the tasks are; the shipped ones if absent. {}", data_help()));
        flags::add(command.arg(data), options(), "Options of the world")
    }

    fn augment_args_for_update(command: Command) -> Command {
        WorldOptions::augment_args(command)
    }
}

impl FromArgMatches for WorldOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(WorldOptions { data: matches.get_one("data").cloned(), given: flags::given(matches, options()) })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = WorldOptions::from_arg_matches(matches)?;
        Ok(())
    }
}

fn options() -> impl Iterator<Item = &'static OptionSpec> {
    WORLDS.iter().flat_map(|kind| kind.options)
}

impl WorldOptions {
    pub fn get(&self, key: &str) -> Option<&str> {
        self.given.get(key).map(String::as_str)
    }

    /// The options as a session has them.
    pub fn of(&self, world: WorldName) -> Result<BTreeMap<String, String>, CliError> {
        let WorldKind { name, about, data, options, .. } = world.kind();
        if let Some(key) = self.given.keys().find(|key| options.iter().all(|option| option.key != key.as_str())) {
            let having = WORLDS.iter().filter(|kind| kind.options.iter().any(|option| option.key == key));
            let having = having.map(|kind| kind.name).collect::<Vec<_>>().join(", ");
            return Err(CliError::Usage(format!("--{key} is an option of {having}, not of {name}; leave it out")));
        }
        if data.is_none() && self.data.is_some() {
            return Err(CliError::Usage(format!("{name} reads no data ({about}); leave --data out")));
        }
        Ok(self.given.clone())
    }
}
