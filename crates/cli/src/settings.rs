//! Flags that set what the configuration can set; they win over file and environment.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches};

use super::world::WorldName;
use super::{CliError, note};
use crate::debug_log;
use stepwright_episode::{Configuration, Role};
use stepwright_launch::config::{Config, Overrides};
use stepwright_method::{self as method, OF_SESSIONS};
use stepwright_methods::METHODS;
use stepwright_world::options::{Kind, OptionSpec, flags, known_names};
use stepwright_worlds::WORLDS;
use stepwright_worlds::external::{self, COMMAND_LINE};

/// Options of every subcommand.
#[derive(Debug, Clone, Default, Args)]
pub struct Global {
    /// Folder of config.toml, prompts and themes, in place of the platform's [env: STEPWRIGHT_CONFIG_DIR]
    #[arg(long, global = true, value_name = "DIR")]
    pub config_dir: Option<PathBuf>,
    /// The model: symbolic, local:NAME, a configured one, PROVIDER/MODEL, cassette:PATH, or an id at the endpoint [env: STEPWRIGHT_MODEL]
    #[arg(long = "model", id = "model_setting", global = true, value_name = "NAME", help_heading = "Settings")]
    #[arg(value_parser = clap::builder::NonEmptyStringValueParser::new())]
    model: Option<String>,
    /// The model of a role, ROLE=NAME: reader, writer, proposer, selector, translator (an embedder), discoverer; may be given for several
    #[arg(long = "model-for", global = true, value_name = "ROLE=NAME", value_parser = role_and_model, help_heading = "Settings")]
    model_for: Vec<(Role, String)>,
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
    /// The command that is the external world, as you would type it; its tasks' ids begin with `cli/`
    #[arg(long, global = true, value_name = "COMMAND LINE", help_heading = "Settings")]
    command: Option<String>,
    /// Any other setting, as in `--set model.retries=0` or `--set 'model.omit=["stop"]'`; see `stepwright config show`
    #[arg(long = "set", global = true, value_name = "SECTION.KEY=VALUE", help_heading = "Settings")]
    set: Vec<String>,
    /// How proposals are made.
    #[arg(skip)]
    method: MethodFlags,
    /// The world and the tasks of the workbench's own `--data`.
    #[arg(skip)]
    data: Option<(&'static str, PathBuf)>,
}

/// How proposals are made: the method, and its options as their tables declare them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct MethodFlags {
    method: Option<String>,
    options: BTreeMap<String, String>,
    /// Options of a method in another process.
    own: BTreeMap<String, String>,
}

/// The release, and the commit of its sources where that is known.
pub(crate) const BUILD: &str = env!("STEPWRIGHT_BUILD");

const HEADING: &str = "Method";

/// The flag for options of methods that have no flag of their own.
const METHOD_OPT: &str = "method-opt";

fn key_and_value(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').filter(|(key, _)| !key.trim().is_empty());
    let (key, value) = parts.ok_or("write it as KEY=VALUE")?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

fn role_and_model(text: &str) -> Result<(Role, String), String> {
    let (role, name) = key_and_value(text).map_err(|_| "write it as ROLE=NAME")?;
    let known = Role::ALL.map(Role::name);
    let role =
        Role::named(&role).ok_or_else(|| format!("there is no role `{role}`; {}", known_names(&role, &known)))?;
    Ok((role, name))
}

/// Whether an argument is an option of methods: there are many, and each method has few.
pub fn is_of_methods(arg: &Arg) -> bool {
    arg.get_help_heading() == Some(HEADING) && method_options().any(|option| option.key == arg.get_id().as_str())
}

fn method_options() -> impl Iterator<Item = &'static OptionSpec> {
    METHODS.options().iter().chain(&OF_SESSIONS)
}

impl FromArgMatches for MethodFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let method = matches.get_one::<String>("method").cloned();
        let mut options = flags::given(matches, method_options());
        let mut own = BTreeMap::new();
        for (key, value) in matches.get_many::<(String, String)>(METHOD_OPT).into_iter().flatten().cloned() {
            let built_in = method_options().any(|option| option.key == key);
            if built_in {
                options.insert(key, value)
            } else {
                own.insert(key, value)
            };
        }
        Ok(MethodFlags { method, options, own })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for MethodFlags {
    fn augment_args(command: clap::Command) -> clap::Command {
        let help = "The method, or external:NAME of [methods.NAME]; `stepwright methods` lists them, `stepwright methods NAME` says its \
                    options, which are flags here [env: STEPWRIGHT_METHOD]";
        let method = Arg::new("method").long("method").value_name("NAME").help(help).help_heading(HEADING);
        let own = Arg::new(METHOD_OPT).long(METHOD_OPT).value_name("KEY=VALUE").help_heading(HEADING);
        let own = own.help("An option of the method by its key; those of your own methods are set so");
        let own = own.action(ArgAction::Append).value_parser(key_and_value);
        flags::add(command.arg(method).arg(own), method_options(), HEADING)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl MethodFlags {
    /// The changes to a session that is opened again; `None` if none is given.
    pub fn change(&self) -> Result<Option<Configuration>, CliError> {
        if let Some(spec) = OF_SESSIONS.iter().find(|spec| self.options.contains_key(spec.key)) {
            return Err(CliError::Usage(format!("--{} is chosen when an episode begins; leave it out", spec.key)));
        }
        let method = self.method.clone().filter(|m| m != "auto").unwrap_or_default();
        if let Some(key) = self.own.keys().next() {
            let why = format!("--{METHOD_OPT} {key}: options of a method of your own are changed in the session (M)");
            return Err(CliError::Usage(why));
        }
        let change = Configuration { model: String::new(), method, options: self.options.clone() };
        Ok(Some(change).filter(|_| *self != MethodFlags::default()))
    }

    /// Whether a method has the options that are given.
    pub fn suit(&self, method: &str, config: &Config) -> Result<(), CliError> {
        if self.options.is_empty() && self.own.is_empty() {
            return Ok(());
        }
        let found = if method.is_empty() { None } else { stepwright_launch::methods(config).resolve(method).ok() };
        let Some(found) = found else {
            let of_none = self.own.keys().next();
            let why = of_none.map(|key| format!("--{METHOD_OPT} {key}: name the method that has it (--method)"));
            return why.map_or(Ok(()), |why| Err(CliError::Usage(why)));
        };
        found.ready().map_err(CliError::Failed)?;
        let info = found.info();
        let has = |key: &str| info.options.iter().chain(&OF_SESSIONS).any(|option| option.key == key);
        let of_command = method.strip_prefix(method::EXTERNAL).and_then(|name| config.methods.get(name));
        let other = match of_command {
            Some(command) => {
                command.recorded(&self.own).map_err(|e| CliError::Usage(e.to_string()))?;
                None
            }
            None => self.own.keys().next(),
        };
        // What is set by `--method-opt` is named by its key: it need have no flag.
        let other = other.map(|key| format!("`{key}` (--{METHOD_OPT})"));
        let flag = || self.options.keys().find(|key| !has(key)).map(|key| format!("--{key}"));
        let Some(other) = other.or_else(flag) else { return Ok(()) };
        let own: Vec<String> =
            info.options.iter().chain(&OF_SESSIONS).map(|option| format!("--{}", option.key)).collect();
        Err(CliError::Usage(format!("{method} has no option {other}; its options are {}", own.join(", "))))
    }
}

impl Global {
    /// The same with a method's flags.
    pub(crate) fn with_method(&self, method: MethodFlags) -> Self {
        Global { method, ..self.clone() }
    }

    /// The name of the model, where the command line names one.
    pub(crate) fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// A change of a session that is opened again, with the models that are named: its own, and those of roles.
    pub(crate) fn with_models(&self, change: Option<Configuration>) -> Option<Configuration> {
        // A session keeps its embedder.
        let roles = self.model_for.iter().filter(|(role, _)| *role != Role::Translator);
        let roles: Vec<_> = roles.map(|(role, name)| (role.key(), name.clone())).collect();
        if roles.is_empty() && self.model.is_none() {
            return change;
        }
        let mut change = change.unwrap_or_default();
        change.model = self.model.clone().unwrap_or(change.model);
        change.options.extend(roles);
        Some(change)
    }

    /// Whether a method asks as all that the command line names models for; what no method asks is left to others.
    pub(crate) fn roles_suit(&self, method: &str, asked: &BTreeMap<String, String>) -> Result<(), CliError> {
        let beside = [Role::Translator, Role::Discoverer];
        let idle = self.model_for.iter().find(|(role, _)| !beside.contains(role) && !asked.contains_key(&role.key()));
        idle.map_or(Ok(()), |(role, _)| Err(CliError::Usage(format!("--model-for: {method} asks no {}", role.name()))))
    }

    /// Whether the world is the one whose command is given.
    pub(crate) fn command_suits(&self, world: WorldName) -> Result<(), CliError> {
        let (own, named) = (external::KIND.name, world.name());
        if self.command.is_none() || named == own {
            return Ok(());
        }
        Err(CliError::Usage(format!(
            "--command is of the world {own}, not of {named}: name that world, or leave it out"
        )))
    }

    /// The merged configuration under these flags.
    pub fn load(&self) -> Result<Config, CliError> {
        let mut config = stepwright_launch::config::load(&self.overrides(), &METHODS)
            .map_err(|e| CliError::Failed(e.to_string()))?;
        config.method.own = self.method.own.clone();
        self.method.suit(&config.method.method, &config)?;
        let logs = config.paths.logs();
        debug_log::report_crashes(&logs);
        let log = debug_log::begin(&logs, &config.log.level, config.log.prompts);
        if let Some(path) = log.map_err(|e| CliError::Failed(format!("the debug log cannot be written: {e}")))? {
            note(&format!("stepwright: the debug log is {}", path.display()));
        }
        stepwright_sandbox::require(config.sandbox.require);
        #[cfg(feature = "local")]
        if config.model.threads > 0 {
            stepwright_model::local::threads::set(config.model.threads);
        }
        Ok(config)
    }

    /// The same with tasks from a file or folder; of which world they are is seen from what lies there.
    pub fn with_data(mut self, data: Option<PathBuf>) -> Result<Self, CliError> {
        let Some(path) = data else { return Ok(self) };
        let readers: Vec<_> = WORLDS.iter().filter_map(|kind| Some((kind.name, kind.data?))).collect();
        let found: Vec<&str> = readers.iter().filter(|(_, d)| (d.lies_at)(&path)).map(|(name, _)| *name).collect();
        match found.as_slice() {
            [world] => self.data = Some((world, path)),
            [] => {
                let known: Vec<String> = readers.iter().map(|(name, d)| format!("{name}: {}", d.about)).collect();
                let (path, known) = (path.display(), known.join("; "));
                return Err(CliError::Usage(format!("{path}: no world's tasks are there. Tasks are, of {known}")));
            }
            several => {
                let (path, several) = (path.display(), several.join(", "));
                return Err(CliError::Usage(format!(
                    "{path}: tasks of several worlds are there ({several}); name a file or folder of one of them"
                )));
            }
        }
        Ok(self)
    }

    /// The settings given as flags.
    pub fn overrides(&self) -> Overrides {
        let mut overrides = Overrides { config_dir: self.config_dir.clone(), ..Overrides::default() };
        for given in &self.set {
            let (setting, value) = given.split_once('=').unwrap_or((given, ""));
            overrides.set(setting.trim(), "--set", Some(value.trim()));
        }
        // In the file a relative path starts at the configuration directory; on the command line it starts here.
        let here = |p: &PathBuf| std::path::absolute(p).unwrap_or_else(|_| p.clone()).display().to_string();
        if let Some((world, data)) = &self.data {
            overrides.set(&format!("data.{world}"), "--data", Some(here(data)));
        }
        if let Some(command) = &self.command {
            let setting = format!("external.{}.command", COMMAND_LINE);
            overrides.set(&setting, "--command", Some(command.as_str()));
        }
        overrides.set("model.model", "--model", self.model.clone());
        for (role, name) in &self.model_for {
            overrides.set(&format!("model.{}.model", role.name()), "--model-for", Some(name.as_str()));
        }
        overrides.set("model.base_url", "--base-url", self.base_url.clone());
        overrides.set("method.method", "--method", self.method.method.clone());
        for (key, value) in &self.method.options {
            let spec = METHODS.options().iter().chain(&OF_SESSIONS).find(|spec| spec.key == key);
            let path = match spec.map(|spec| spec.kind) {
                Some(Kind::PathOr(word)) => value != word,
                kind => kind == Some(Kind::Path),
            };
            let value = if path { here(&PathBuf::from(value)) } else { value.clone() };
            overrides.set(&format!("method.{key}"), &format!("--{key}"), Some(value));
        }
        overrides.set("ui.theme", "--theme", self.theme.clone());
        overrides.set("ui.ascii", "--ascii", self.ascii.then_some("true"));
        overrides.set("ui.mouse", "--no-mouse", self.no_mouse.then_some("false"));
        overrides
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_opened_again_with_the_models_that_are_named() {
        let changed = |model: Option<&str>, roles: &[(Role, &str)], change: Option<Configuration>| {
            let model_for = roles.iter().map(|(role, name)| (*role, (*name).to_owned())).collect();
            Global { model: model.map(str::to_owned), model_for, ..Global::default() }.with_models(change)
        };
        assert_eq!(changed(None, &[], None), None);
        assert_eq!(changed(None, &[(Role::Translator, "minilm")], None), None, "it keeps its embedder");
        let other = Configuration { model: "other".to_owned(), ..Configuration::default() };
        assert_eq!(changed(Some("other"), &[], None), Some(other.clone()));
        let method = Configuration { method: "few-shot".to_owned(), ..Configuration::default() };
        let options = [(Role::Writer.key(), "small".to_owned())].into();
        let both = Configuration { options, ..method.clone() };
        assert_eq!(changed(None, &[(Role::Writer, "small")], Some(method.clone())), Some(both));
        assert_eq!(
            changed(Some("other"), &[], Some(method.clone())),
            Some(Configuration { model: other.model, ..method })
        );
    }
}
