//! `stepwright gate`: any agent that asks a model over HTTP, stepped by hand or under a policy.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use clap::Args;
use clap::builder::RangedU64ValueParser;
use tokio::runtime::Runtime;

use super::headless::{INTERRUPTED, interrupted, leave};
use super::launch::Reopened;
use super::{CliError, Global, note, workbench};
use stepwright_driver::{Persistence, system_clock};
use stepwright_episode::{Mark, Policy, Session};
use stepwright_launch::config::Config;
use stepwright_launch::{NewSession, keep_new, prepare_new};
use stepwright_model::demo::DEMO;
use stepwright_model::upstream::UPSTREAM;
use stepwright_study::in_force::{InForce, Preconditions};
use stepwright_study::runner::{episode, hearing};
use stepwright_tui::manner::Manner;
use stepwright_world::AgentCommand;
use stepwright_worlds::agent::KIND;

/// Most answers of a headless run.
const MOST: u32 = 10_000;

/// Steps an agent behind a model proxy on loopback. It gates decisions and is no sandbox.
#[derive(Debug, Args)]
pub struct Gate {
    /// Answers to ask for at each step, side by side
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=16))]
    samples: Option<u32>,
    /// Answers asked for at most where none passes its checks; 5 if absent
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    attempts: Option<u32>,
    /// Whether the model is told what you changed in its answers
    #[arg(long, value_name = "on|off", value_parser = ["on", "off"])]
    tell: Option<String>,
    /// Give the agent a copy of this folder at each start, so that going back finds it as it was
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// Leave the copies where they are when the session ends
    #[arg(long, requires = "workspace")]
    keep_workspaces: bool,
    /// A variable more for the agent; {url} stands for the proxy's address, {root} for the same without /v1
    #[arg(long, value_name = "NAME={url}", value_parser = variable)]
    env: Vec<(String, String)>,
    /// Where the agent's model answers, in place of what its own OPENAI_BASE_URL or ANTHROPIC_BASE_URL say
    #[arg(long, value_name = "URL")]
    upstream: Option<String>,
    /// A command, run in the workspace once the agent has ended, whose exit code says whether the goal is reached
    #[arg(long, value_name = "COMMAND")]
    success: Option<String>,
    /// Let this conversation of the agent pass while no check fails, by its number; may be given several times
    #[arg(long, value_name = "CONVERSATION", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    auto: Vec<usize>,
    /// Without a terminal: what passes its checks is approved; what fails ends the run with exit code 3. Standard error says how it
    /// ended; exit code 1 if --success fails or, where none is named, the agent ends otherwise than with 0
    #[arg(long, conflicts_with_all = ["auto", "open"])]
    headless: bool,
    /// Preconditions in force from the beginning of a headless run: a file *.preconditions.py
    #[arg(long, value_name = "FILE", requires = "headless")]
    preconditions: Option<Preconditions>,
    /// Wait at this address for an agent that is started elsewhere, or have the one of COMMAND ask there
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "127.0.0.1:0")]
    listen: Option<SocketAddr>,
    /// Open a session of this agent again; nothing is started until a step is taken
    #[arg(long, value_name = "FILE")]
    open: Option<PathBuf>,
    /// Step the agent of the demonstration, a desk of orders; nothing is needed for it
    #[arg(long, conflicts_with_all = ["agent", "listen"])]
    demo: bool,
    /// The agent's command
    #[arg(last = true, value_name = "COMMAND", required_unless_present_any = ["listen", "demo"])]
    agent: Vec<String>,
}

pub(crate) fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write it as NAME={url}".to_owned()),
    }
}

impl Gate {
    /// Opens the workbench on the agent, or runs it headless; exit code 3 if a check, or a limit, ended that, 130 if Ctrl-C did.
    pub fn run(self, global: &Global) -> Result<ExitCode, CliError> {
        let mut config = global.load()?;
        config.gate.policy.conversations = self.auto.clone();
        let number = |n: Option<u32>| n.map(|n| n.to_string());
        let given =
            [("samples", number(self.samples)), ("attempts", number(self.attempts)), ("tell", self.tell.clone())];
        config.method.given.extend(given.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
        let here = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let words = match self.demo {
            true => vec![std::env::current_exe()?.display().to_string(), super::demo::AGENT.to_owned()],
            false => self.agent.clone(),
        };
        let command = AgentCommand {
            words,
            variables: self.env.clone(),
            upstream: self.upstream.clone(),
            workspace: self.workspace.as_ref().map(here),
            keep_workspaces: self.keep_workspaces,
            success: self.success.clone(),
            listen: self.listen,
            echo: self.headless,
            ..AgentCommand::default()
        };
        if self.listen.is_some() {
            let variables = command.listen_now().map_err(CliError::Failed)?;
            variables.iter().for_each(|(name, value)| note(&format!("{name}={value}")));
            if !self.headless {
                note("Start the agent with these variables; Enter opens the workbench.");
                std::io::stdin().read_line(&mut String::new())?;
            }
        }
        let failed = Arc::clone(&command.failed);
        stand_behind(&mut config, global, command);
        if self.demo && global.model().is_none() {
            DEMO.clone_into(&mut config.model.model);
        }
        if !self.headless {
            let reopened =
                self.open.map(|file| Reopened { file, change: None, node: None, episode: None, mirror: None });
            return workbench::open_with(config, reopened, None, (Manner::default(), Vec::new()));
        }
        self.headless(config, &failed)
    }

    fn headless(&self, config: Config, failed: &AtomicBool) -> Result<ExitCode, CliError> {
        let sources =
            stepwright_worlds::sources().with_adapters(config.external.clone()).with_agent(config.agent.clone());
        let model = config.model.model.clone();
        let in_force = self.preconditions.clone().map(|which| Arc::new(InForce::new(which)));
        let (begun, kept) = (in_force.clone(), Arc::new(OnceLock::new()));
        let file = Arc::clone(&kept);
        let new = NewSession { world: KIND.name.to_owned(), model, ..NewSession::default() };
        let setup = move || {
            let mut setup = prepare_new(&new, &config, &sources, system_clock()).map_err(|e| e.to_string())?;
            let token_budget = config.gate.policy.token_budget;
            setup.policy = Some(Policy { token_budget, ..Policy::checked(MOST) });
            setup.headless = true;
            in_force.as_ref().map_or(Ok(()), |in_force| in_force.begin(&mut setup))?;
            keep_new(&mut setup, &config).map_err(|e| e.to_string())?;
            if let Persistence::Log(log) = &setup.keep {
                // Nobody else sets it.
                let _ = file.set(log.path().to_owned());
            }
            Ok(setup)
        };
        let runtime = Runtime::new()?;
        let interrupted = interrupted(&runtime);
        let say = |text: &str| note(&format!("stepwright: {text}"));
        let Some(episode) = runtime.block_on(hearing(say, episode(setup, &interrupted.cancel))) else {
            leave(runtime);
            say(&stopped(kept.get()));
            return Ok(ExitCode::from(interrupted.code().unwrap_or(INTERRUPTED)));
        };
        begun.and_then(|in_force| in_force.idle()).iter().for_each(|idle| note(&format!("stepwright: {idle}")));
        let ended = match (&episode.session, &episode.error) {
            (Ok(session), None) if session.is_done() => {
                // Its output has passed through.
                let end = session.current().and_then(|node| node.outcome.observation.lines().next());
                note(&format!("stepwright: {}", end.unwrap_or(&episode.ended)));
                return Ok(ended_well(session, failed.load(Ordering::Relaxed)));
            }
            (Ok(session), None) => format!("{}{}", episode.ended, failing(session)),
            // It could not begin, or its model's server failed: no check has anything to do with it.
            (_, Some(why)) | (Err(why), None) => return Err(CliError::Failed(why.clone())),
        };
        note(&format!("stepwright: {ended}"));
        Ok(ExitCode::from(3))
    }
}

/// Puts an agent behind the gate. A model and a method that are configured are for agents of this program; it has its own.
pub(crate) fn stand_behind(config: &mut Config, global: &Global, command: AgentCommand) {
    if global.model().is_none() {
        UPSTREAM.clone_into(&mut config.model.model);
    }
    config.method.method.clear();
    config.agent = Some(Arc::new(command));
}

/// That a run was stopped from outside, and where its session is: one in which nothing was decided is not kept.
fn stopped(file: Option<&PathBuf>) -> String {
    match file.filter(|file| file.is_file()) {
        Some(file) => format!("stopped; what was done is kept in {}", file.display()),
        None => "stopped before anything was decided; no session is kept".to_owned(),
    }
}

/// 1 where the goal is not reached; where nothing says whether it is, if the agent `failed`.
fn ended_well(session: &Session, failed: bool) -> ExitCode {
    let asks_for_success = session.header.options.contains_key("success");
    let won = session.current().is_some_and(|node| node.outcome.won);
    ExitCode::from(u8::from(if asks_for_success { !won } else { failed }))
}

/// The checks that failed of what was recommended.
fn failing(session: &Session) -> String {
    let Some(turn) = session.current().map(|node| &node.turn) else { return String::new() };
    let id = turn.recommended.as_ref().and_then(|(id, _)| *id);
    let verdict = id.and_then(|id| turn.verdict(id)).filter(|verdict| verdict.mark() == Mark::Fails);
    let failing = verdict.into_iter().flat_map(|verdict| verdict.failing());
    failing.map(|check| format!("\n  {} {}", check.condition, check.detail.as_deref().unwrap_or_default())).collect()
}
