//! `stepwright run`: episodes headless, one result a line.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};

use super::headless::HeadlessFlags;
use super::settings::MethodFlags;
use super::world::{WorldName, WorldOptions};
use super::{BUILD, CliError, Global, note};
use stepwright_launch::NewSession;
use stepwright_launch::config::Config;
use stepwright_method as method;
use stepwright_study::in_force::{InForce, Preconditions};
use stepwright_study::run;
use stepwright_study::runner::{Opening, Provenance, Seeds, Selector, SessionFolder};
use stepwright_world::{Ability, AgentCommand, TaskInfo};
use stepwright_worlds::WORLDS;

/// Runs episodes headless.
#[derive(Debug, Args)]
pub struct Run {
    /// The world
    #[arg(long, default_value = WORLDS[0].name)]
    world: WorldName,
    /// Which tasks: `all`, ids, patterns with *, type=, split=, first=, separated by commas
    /// (of the world agent also a file of tasks)
    #[arg(long, value_name = "SELECTOR", default_value = "all")]
    tasks: String,
    #[command(flatten)]
    method: MethodFlags,
    #[command(flatten)]
    options: WorldOptions,
    #[command(flatten)]
    headless: HeadlessFlags,
    /// Actions an episode may take; the world's usual number if absent
    #[arg(long, value_name = "N", help = limits(), value_parser = clap::value_parser!(u32).range(1..))]
    max_steps: Option<u32>,
    /// The preconditions in force from the beginning: ground-truth (the data's or the specification's), inferred (by the
    /// built-in enumerator from the demonstrations), none, a file *.preconditions.py, or results of `study preconditions` (.jsonl);
    /// the specification's own if absent
    #[arg(long, value_name = "ground-truth|inferred|none|FILE", value_parser = OsStringValueParser::new().try_map(|which| Preconditions::named(&which)))]
    preconditions: Option<Preconditions>,
    /// Seeds of the world; each task is run with each: 3, 0..9 (ten of them), 0,7
    #[arg(long, visible_alias = "seed", value_name = "SEEDS", default_value = "0")]
    seeds: Seeds,
    /// Have others asked at each step as well; what is in use decides, and a table says who disagreed where. A model, a method,
    /// assertions and so on, as of `duel --with`
    #[arg(long, value_name = "SIDE")]
    with: Vec<String>,
    /// A row a task in the table
    #[arg(long)]
    detail: bool,
    /// Folder to keep each episode's session in
    #[arg(long, value_name = "DIR")]
    sessions: Option<PathBuf>,
    /// A variable more for the agent; {url} stands for the proxy's address, {root} for the same without /v1
    #[arg(long, value_name = "NAME={url}", value_parser = super::gate::variable)]
    env: Vec<(String, String)>,
    /// The agent's command, in the world of agents
    #[arg(last = true, value_name = "COMMAND")]
    agent: Vec<String>,
}

impl Run {
    /// Runs the tasks that have no result yet; exit code 1 if an episode could not be run to its end.
    pub fn execute(self, global: &Global) -> Result<ExitCode, CliError> {
        let failed = |e: String| CliError::Failed(e);
        global.command_suits(self.world)?;
        let mut options = self.options.of(self.world)?;
        let mut config = global.with_method(self.method.clone()).load()?;
        let behind_gate = self.world.kind().has(Ability::Answers);
        if behind_gate == self.agent.is_empty() {
            let why = "the world of agents, and it alone, takes a command: run --world agent -- COMMAND";
            return Err(CliError::Usage(why.to_owned()));
        }
        if !behind_gate && !self.env.is_empty() {
            let why = "the world of agents, and it alone, takes --env: leave it out";
            return Err(CliError::Usage(why.to_owned()));
        }
        if behind_gate {
            let method = std::mem::take(&mut config.method.method);
            let command =
                AgentCommand { words: self.agent.clone(), variables: self.env.clone(), ..AgentCommand::default() };
            options.insert("command".to_owned(), command.command_line());
            super::gate::stand_behind(&mut config, global, command);
            config.method.method = method;
        }
        let sources =
            stepwright_worlds::sources().with_adapters(config.external.clone()).with_agent(config.agent.clone());
        // A file of tasks is meant as a whole.
        let named = Some(PathBuf::from(&self.tasks)).filter(|_| behind_gate);
        let is_absent = |path: &&PathBuf| path.extension().is_some_and(|ending| ending == "jsonl") && !path.exists();
        if let Some(path) = named.as_ref().filter(is_absent) {
            return Err(CliError::Usage(format!("--tasks {}: there is no such file", path.display())));
        }
        let file = named.filter(|path| path.is_file());
        let selector = if file.is_some() { "all" } else { self.tasks.as_str() };
        let selector: Selector = selector.parse().map_err(CliError::Usage)?;
        let data = config.data.or_named(self.world.name(), self.options.data.clone().or(file));
        let data = data.as_deref();
        let tasks = sources.told(self.world.name(), data).map_err(|e| failed(e.to_string()))?;
        let tasks = selector.select(&tasks).map_err(CliError::Usage)?;
        let commands = self.commands(&config, &tasks);
        let model = config.model.model.clone();
        let provenance = Provenance::of(BUILD, &config, &model)
            .and_then(|all| all.with_roles(&config)?.with_agent(&config)?.with_data(data));
        let provenance = provenance.map_err(failed)?;
        let provenance = provenance.with_commands(&config, commands.iter().map(String::as_str));
        let sides = match self.with.is_empty() {
            true => Vec::new(),
            false if behind_gate => {
                return Err(CliError::Usage("an agent's answers are decided by no duel here".into()));
            }
            false => super::duel::sides(&self.with, &config)?,
        };
        let config = Arc::new(config);
        let in_force = self.preconditions.map(|which| Arc::new(InForce::new(which)));
        let opening = Opening {
            in_force: in_force.clone(),
            sessions: self.sessions.as_deref().map(SessionFolder::create).transpose().map_err(failed)?,
            sides,
            ..Opening::new(&config, sources, self.max_steps.unwrap_or(self.world.kind().steps))
        };
        let new = NewSession {
            world: self.world.name().to_owned(),
            data: data.map(std::path::Path::to_owned),
            options,
            ..NewSession::default()
        };
        let study = run::Run::new(opening, new, tasks, &self.seeds).map_err(failed)?;
        self.method.suit(study.method(), &config)?;
        global.roles_suit(study.method(), study.options())?;
        study.settings().iter().for_each(|settings| note(settings));
        let code = self.headless.run(study, provenance, &config, &model, self.detail)?;
        in_force.and_then(|in_force| in_force.idle()).iter().for_each(|idle| note(idle));
        Ok(code)
    }

    /// The configured commands that take part: of an external world those whose tasks are chosen, and an external method's.
    fn commands(&self, config: &Config, tasks: &[TaskInfo]) -> Vec<String> {
        let mut names: Vec<String> = tasks.iter().map(|task| task.kind.clone()).collect();
        names.retain(|name| config.external.contains_key(name));
        names.extend(config.method.method.strip_prefix(method::EXTERNAL).map(|_| config.method.method.clone()));
        names.sort();
        names.dedup();
        names
    }
}

fn limits() -> String {
    let usual: Vec<String> = WORLDS.iter().map(|kind| format!("{} in {}", kind.steps, kind.name)).collect();
    format!(
        "Actions an episode may take; if absent {}. A selection that is blocked (method blocking) executes nothing and is \
         none; the domain limits those",
        usual.join(", ")
    )
}
