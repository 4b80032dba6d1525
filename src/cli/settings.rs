//! Flags that set what the configuration can set; they win over file and environment.

use std::path::PathBuf;

use clap::Args;

use super::CliError;
use crate::blocking::NamedDomain;
use crate::config::{Config, Overrides};
use crate::episode::Configuration;
use crate::world::WORLDS;
use crate::world::external::COMMAND_LINE;

/// Options of every subcommand.
#[derive(Debug, Clone, Default, Args)]
pub struct Global {
    /// Folder of config.toml, prompts and themes, in place of the platform's
    #[arg(long, global = true, value_name = "DIR", env = "STEPWRIGHT_CONFIG_DIR")]
    pub config_dir: Option<PathBuf>,
    /// The model: symbolic, local:NAME, a configured one, cassette:PATH, or an id at the endpoint [env: STEPWRIGHT_MODEL]
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
    /// The command that is the external world, as you would type it; its tasks' ids begin with `cli/`
    #[arg(long, global = true, value_name = "COMMAND LINE", help_heading = "Settings")]
    command: Option<String>,
    /// Any other setting, as in `--set model.retries=0`; see `stepwright config show`
    #[arg(long = "set", global = true, value_name = "SECTION.KEY=VALUE", help_heading = "Settings")]
    set: Vec<String>,
    /// How proposals are made.
    #[arg(skip)]
    method: MethodFlags,
    /// The world and the tasks of the workbench's own `--data`.
    #[arg(skip)]
    data: Option<(&'static str, PathBuf)>,
}

/// How proposals are made: flags of what makes any.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct MethodFlags {
    /// The method: precondition-aware (Algorithm 1), precondition-prompting, few-shot, scored, blocking, progprompt, ff-replan,
    /// statler, code-as-policies and others (docs/methods.md)
    /// [env: STEPWRIGHT_METHOD]
    #[arg(long, value_name = "NAME")]
    method: Option<String>,
    /// Demonstrations in a prompt, 0 to 10
    #[arg(long, value_name = "N")]
    shots: Option<String>,
    /// Think comments before actions, in demonstrations and answers
    #[arg(long)]
    think: bool,
    /// Assertions in prompts: method (as the method has it), shown, hidden
    #[arg(long, value_name = "WHICH")]
    assertions: Option<String>,
    /// What ranks scored actions: mean (log-probability a token) or sum
    #[arg(long, value_name = "WHICH")]
    likelihood: Option<String>,
    /// How a language model selects a candidate (method blocking): written or scored
    #[arg(long, value_name = "HOW")]
    selection: Option<String>,
    /// Prompts of the method blocking: fresh each time, or one running conversation
    #[arg(long, value_name = "fresh|running")]
    conversation: Option<String>,
    /// What judges a plan's assertions (method progprompt): what is seen, or the language model
    #[arg(long, value_name = "seen|model")]
    judging: Option<String>,
    /// The calls of a program (method statler): decided about all at once, or each
    #[arg(long, value_name = "all|each")]
    primitives: Option<String>,
    /// A belief maintained beside methods that need none (household, kitchen): on or off
    #[arg(long, value_name = "on|off")]
    belief: Option<String>,
    /// A blocking domain in place of the one that ships for the world: a file's, or one `derived` from assertions (docs/domains.md)
    #[arg(long, value_name = "FILE|derived")]
    domain: Option<String>,
}

impl MethodFlags {
    /// What they change in a session that is opened again; `None` if none is given.
    pub fn change(&self) -> Option<Configuration> {
        if *self == MethodFlags::default() {
            return None;
        }
        let options = [
            ("shots", self.shots.clone()),
            ("think", self.think.then(|| "true".to_owned())),
            ("assertions", self.assertions.clone()),
            ("likelihood", self.likelihood.clone()),
            ("selection", self.selection.clone()),
            ("conversation", self.conversation.clone()),
            ("judging", self.judging.clone()),
            ("primitives", self.primitives.clone()),
            ("belief", self.belief.clone()),
        ];
        let options = options.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect();
        let method = self.method.clone().filter(|m| m != "auto").unwrap_or_default();
        Some(Configuration { model: String::new(), method, options })
    }
}

impl Global {
    /// The same with a method's flags.
    pub fn with_method(&self, method: MethodFlags) -> Self {
        Global { method, ..self.clone() }
    }

    /// The merged configuration under these flags.
    ///
    /// # Errors
    /// [`CliError::Failed`] with every problem found.
    pub fn load(&self) -> Result<Config, CliError> {
        let config = crate::config::load(&self.overrides()).map_err(|e| CliError::Failed(e.to_string()))?;
        #[cfg(feature = "local")]
        if config.model.threads > 0 {
            crate::model::local::threads::set(config.model.threads);
        }
        Ok(config)
    }

    /// The same with tasks from a file or folder; of which world they are is seen from what lies there.
    ///
    /// # Errors
    /// If no world reads what lies there, or several do.
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

    /// What the flags set.
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
        overrides.set("model.base_url", "--base-url", self.base_url.clone());
        let MethodFlags { method, shots, think, assertions, likelihood, domain, .. } = self.method.clone();
        let MethodFlags { selection, conversation, judging, primitives, belief, .. } = self.method.clone();
        overrides.set("method.method", "--method", method);
        overrides.set("method.shots", "--shots", shots);
        overrides.set("method.think", "--think", think.then_some("true"));
        overrides.set("method.assertions", "--assertions", assertions);
        overrides.set("method.likelihood", "--likelihood", likelihood);
        overrides.set("method.selection", "--selection", selection);
        overrides.set("method.conversation", "--conversation", conversation);
        overrides.set("method.judging", "--judging", judging);
        overrides.set("method.primitives", "--primitives", primitives);
        overrides.set("method.belief", "--belief", belief);
        overrides.set(
            "method.domain",
            "--domain",
            domain.as_ref().map(|name| match NamedDomain::from(name.as_str()) {
                NamedDomain::Derived => name.clone(),
                NamedDomain::File(path) => here(&path),
            }),
        );
        overrides.set("ui.theme", "--theme", self.theme.clone());
        overrides.set("ui.ascii", "--ascii", self.ascii.then_some("true"));
        overrides.set("ui.mouse", "--no-mouse", self.no_mouse.then_some("false"));
        overrides
    }
}
