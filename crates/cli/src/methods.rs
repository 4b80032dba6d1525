//! `stepwright methods`: what the methods are, what can be set of them, and where each works.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::headless::interrupted;
use super::{CliError, Global, print};
use stepwright_launch::config::Config;
use stepwright_method::{self as method, MethodInfo, ModelTraits};
use stepwright_methods::METHODS;
use stepwright_study::matrix;
use stepwright_study::runner::Opening;
use stepwright_world::options::{self, Kind, OptionSpec, Values};
use stepwright_worlds::WORLDS;

/// How long it is waited for a method in another process to say what it is.
const PATIENCE: Duration = Duration::from_secs(10);

/// Actions of an episode of the matrix, where its first task alone is played.
const STEPS: u32 = 20;

/// Lists the methods.
#[derive(Debug, Args)]
pub struct Methods {
    /// That method alone, with its options; external:NAME is one of your own
    #[arg(value_name = "NAME", conflicts_with_all = ["options", "matrix"])]
    name: Option<String>,
    /// Print what can be set of methods, as a Markdown table
    #[arg(long, conflicts_with = "matrix")]
    options: bool,
    /// Play each method in each world with the built-in agents and print the results, as a Markdown table; a world of your own
    /// is among them where one is configured
    #[arg(long)]
    matrix: bool,
    /// Play every task that ships, with as many actions as its world usually has, and print the shares won
    #[arg(long, requires = "matrix")]
    all: bool,
    /// Actions that an episode of the matrix may take: 20, or with --all the world's usual number
    #[arg(long, value_name = "N", requires = "matrix", value_parser = clap::value_parser!(u32).range(1..))]
    max_steps: Option<u32>,
}

impl Methods {
    pub fn run(self, global: &Global) -> Result<ExitCode, CliError> {
        match (self.options, self.matrix) {
            (true, _) => print(&options::markdown(METHODS.options()))?,
            (_, true) => return self.play(global),
            _ => {
                let config = global.load()?;
                print(&match &self.name {
                    Some(name) => with_options(name, &config)?,
                    None => {
                        METHODS.all().iter().map(|info| described(info) + "\n").collect::<String>() + &list_own(&config)
                    }
                })?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    fn play(&self, global: &Global) -> Result<ExitCode, CliError> {
        let config = global.load()?;
        let own = config.methods.values().filter_map(|command| command.introduce(PATIENCE).ok());
        let methods: Vec<MethodInfo> = METHODS.all().into_iter().chain(own).collect();
        let sources = stepwright_worlds::sources().with_adapters(config.external.clone());
        let mut worlds = Vec::new();
        for world in WORLDS {
            let tasks = sources.told(world.name, None).map_err(|e| CliError::Failed(e.to_string()))?;
            worlds.extend((!tasks.is_empty()).then_some((*world, tasks)));
        }
        let config = Arc::new(config);
        let runtime = tokio::runtime::Runtime::new()?;
        let cancel = interrupted(&runtime).cancel;
        let mut rows = Vec::new();
        for info in methods {
            let mut cells = Vec::new();
            for (world, tasks) in &worlds {
                let most = self.max_steps.unwrap_or(if self.all { world.steps } else { STEPS });
                let opening = Opening::new(&config, sources.clone(), most);
                match runtime.block_on(matrix::cell(&opening, world, tasks, self.all, &info, &cancel)) {
                    Some(cell) => cells.push(cell),
                    None => return Ok(ExitCode::FAILURE),
                }
            }
            rows.push((info, cells));
        }
        let worlds: Vec<_> = worlds.iter().map(|(world, _)| *world).collect();
        print(&matrix::markdown(&worlds, &rows))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// A method with its options: flags, what they may be, what they do.
fn with_options(name: &str, config: &Config) -> Result<String, CliError> {
    if let Some(own) = name.strip_prefix(method::EXTERNAL) {
        let command = config.methods.get(own);
        let command =
            command.ok_or_else(|| CliError::Usage(format!("{name}: [methods.{own}] is not configured here")))?;
        return Ok(described_own(own, command));
    }
    let known = METHODS.all();
    let Some(info) = known.iter().find(|info| info.id == name) else {
        let names: Vec<&str> = known.iter().map(|info| info.id).collect();
        return Err(CliError::Usage(format!("there is no method `{name}`: {}", options::known_names(name, &names))));
    };
    let option = |spec: &OptionSpec| option_line(&format!("--{}", spec.key), spec);
    Ok(described(info) + &info.options.iter().map(option).collect::<String>())
}

/// A person's own methods, with their options; where one cannot be used, the reason.
fn list_own(config: &Config) -> String {
    config.methods.iter().map(|(name, command)| described_own(name, command) + "\n").collect()
}

fn described_own(name: &str, command: &method::Command) -> String {
    let info = match command.introduce(PATIENCE) {
        Err(why) => return format!("{}{name}: cannot be used: {why}\n", method::EXTERNAL),
        Ok(info) => info,
    };
    let version = command.version().map(|version| format!(" {version}")).unwrap_or_default();
    let mut text =
        described(&info) + &format!("  it is: {}{version}, {}\n", info.label, command.adapter.command_line());
    for spec in info.options {
        let key = spec.key.strip_prefix(&format!("{name}.")).unwrap_or(spec.key);
        text.push_str(&option_line(&format!("--method-opt {key}=…"), spec));
    }
    text
}

fn option_line(flag: &str, spec: &OptionSpec) -> String {
    let default = if spec.default.is_empty() { "none" } else { spec.default };
    let mut text = format!("  {flag}  {} ({}; default {default})\n", spec.about, spec.kind.allowed(false));
    if let Kind::Choice(words) = spec.kind {
        let told = words.iter().filter(|(_, about)| !about.is_empty());
        told.for_each(|(word, about)| text.push_str(&format!("      {word}: {about}\n")));
    }
    text
}

fn described(info: &MethodInfo) -> String {
    let model = ModelTraits { language: true, scores: true, ..ModelTraits::default() };
    let fitting =
        WORLDS.iter().filter(|world| method::fits(info, &Values::default(), (world, WORLDS), None, &model).is_ok());
    let mut worlds: Vec<&str> = fitting.map(|world| world.name).collect();
    let mut of = String::new();
    if let Some(kind) = info.needs.task {
        let sources = stepwright_worlds::sources();
        let there = |world: &&str| sources.tasks(world, None).is_ok_and(|all| all.iter().any(|task| task.kind == kind));
        worlds.retain(there);
        of = format!(", tasks of the kind {kind}");
    }
    format!("{}: {}\n  worlds: {}{of}\n", info.id, info.description, worlds.join(", "))
}
