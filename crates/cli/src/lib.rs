//! Command line: one file a subcommand. Parses, calls the library, prints; the work itself is done elsewhere.
//!
//! Exit codes: 0 done; 1 done, and the answer is no (differences, unsolved); 2 not done (wrong words, unreadable files).

mod belief;
mod candidate_store;
mod candidates;
mod check_logs;
mod compare;
mod config;
pub mod debug_log;
mod demo;
mod distill;
mod docs;
mod duel;
mod error;
mod export;
mod gate;
mod headless;
mod impact;
mod launch;
mod library;
mod methods;
mod mirror;
mod models;
mod new_task;
mod pddl;
mod places;
mod play;
mod preconditions;
mod rate;
mod recording;
mod report;
mod run;
mod sandbox;
pub mod schema;
mod sessions;
mod settings;
mod study;
mod target;
mod workbench;
mod world;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};

use stepwright_text::sanitize;

pub use error::{CliError, note, print, print_file, print_json};
pub use launch::Launch;
pub(crate) use settings::BUILD;
pub use settings::{Global, is_of_methods};

/// A terminal workbench to step language-model agents through episodes, one decision at a time.
///
/// Without a subcommand the workbench opens.
#[derive(Debug, Parser)]
#[command(name = "stepwright", version, max_term_width = 100)]
struct Cli {
    #[command(flatten)]
    global: Global,
    /// Tasks to choose from beside the shipped ones
    #[arg(long, value_name = "FILE_OR_DIR", help = world::tasks_help())]
    data: Option<std::path::PathBuf>,
    /// Begin an episode of this world at once, in place of the start screen
    #[arg(long, value_name = "NAME")]
    world: Option<world::WorldName>,
    /// With --world: the task to begin with, by its id or an unambiguous part of it; the first if absent
    #[arg(long, value_name = "ID", requires = "world")]
    task: Option<String>,
    /// Hide the world's dry run, its truth, recorded answers and what is recommended until a decision is taken
    #[arg(long)]
    blind: bool,
    #[command(flatten)]
    method: settings::MethodFlags,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Open a recorded session in the workbench, where it was left
    Open(workbench::Open),
    /// Ask several at each step what they would do, side by side in the workbench
    Duel(duel::Duel),
    /// Show a recorded session one decision at a time over the whole screen, read-only
    Present(workbench::Present),
    /// Step any agent, unmodified: its model's answers wait for your decision
    Gate(gate::Gate),
    /// Play a world's task by hand: a prompt to type at, or the line protocol with --jsonl
    Play(play::Play),
    /// Generate a task, solvable by construction and checked to be
    NewTask(new_task::NewTask),
    /// Print a task as a planning problem (PDDL), or a plan for it
    Pddl(pddl::Pddl),
    /// Distil skills, primitives and tips from logs of episodes into a file
    Distill(distill::Distill),
    /// Run episodes headless, one result a line
    Run(run::Run),
    /// Measure what the papers' tables measure, with their figures beside ours
    #[command(subcommand)]
    Study(study::StudyCommand),
    /// Judge plans of a results file, blind, or print what the judgements come to
    Rate(rate::Rate),
    /// Put results files together: the tables of all of them, what is missing, and files for plots and further work
    Report(report::Report),
    /// Write a session as an HTML page, an asciicast, or JSONL
    Export(export::Export),
    /// List the sessions kept on this machine; rename and delete them
    Sessions(sessions::Sessions),
    /// Add logs to the library, beside the sessions of this machine; list and remove them
    #[command(subcommand)]
    Library(library::LibraryCommand),
    /// Print a session as plain text
    Show(export::Show),
    /// Put branches of a session, or several sessions, side by side, aligned by step; exit code 1 if they differ
    Compare(compare::Compare),
    /// List the methods and the worlds they work in; of a named one say what can be set
    Methods(methods::Methods),
    /// Show the settings and where they come from, or write a file to start from
    #[command(subcommand)]
    Config(config::ConfigCommand),
    /// List the configured models, or find out what an endpoint offers
    #[command(subcommand)]
    Models(models::ModelsCommand),
    /// Check and compare files of adopted preconditions
    #[command(subcommand)]
    Preconditions(preconditions::PreconditionsCommand),
    /// Have a model propose the form of states in which a belief is kept in a world without one; check a form
    #[command(subcommand)]
    Belief(belief::BeliefCommand),
    /// Print a JSON schema of what is written and read: sessions, results, the line protocol, the configuration
    Schema(schema::SchemaCommand),
    /// Try what the operating system holds model-written code to here
    Sandbox(sandbox::Sandbox),
    /// Print a shell completion script
    Completions(docs::Completions),
    /// Print the man page
    Man(docs::Man),
    /// Render a template from standard input; started by the program itself
    #[command(name = stepwright_model::prompt::apart::WORKER, hide = true)]
    TemplateWorker,
    /// The agent of the demonstration; started by the program itself
    #[command(name = demo::AGENT, hide = true)]
    DemoAgent,
    /// Try what no worker should get; started by the program itself
    #[command(name = sandbox::TRIAL, hide = true)]
    SandboxTrial(sandbox::Trial),
}

/// Settings of every command that only some go by, each with those: others have them not in their help.
const GOES_BY: [(&[&str], &[&str]); 5] = [
    (&["no_mouse"], &["open", "present", "duel", "gate", "rate", "config"]),
    (&["theme", "ascii"], &["open", "present", "duel", "gate", "rate", "export", "config"]),
    (&["command"], &["open", "duel", "gate", "play", "run", "methods", "preconditions candidates", "config"]),
    (
        &["model_setting", "model_for", "base_url"],
        &[
            "open", "duel", "gate", "run", "study", "distill", "methods", "models", "preconditions candidates",
            "belief form", "config",
        ],
    ),
    // Those that read the configuration.
    (
        &["config_dir", "set"],
        &[
            "open", "present", "duel", "gate", "play", "pddl", "distill", "run", "study", "rate", "export", "sessions",
            "library", "show", "compare", "preconditions", "belief", "config", "methods", "models",
        ],
    ),
];

/// Settings that decide what a command does: one that it does not go by is refused, as it would mislead.
const DECIDING: [&str; 2] = ["command", "set"];

/// The command line as it is declared: what completions, man pages and the documents' own test are made from.
pub fn command() -> clap::Command {
    built(Cli::command())
}

fn built(mut command: clap::Command) -> clap::Command {
    command.build();
    command.mut_subcommands(|sub| {
        let name = sub.get_name().to_owned();
        listing(sub, &name)
    })
}

/// The same as it prints its help: options of methods are told by `stepwright methods NAME`.
fn in_brief(command: clap::Command) -> clap::Command {
    let hide = |arg: clap::Arg| {
        if is_of_methods(&arg) { arg.hide(true).hide_possible_values(true) } else { arg }
    };
    command.mut_args(hide).mut_subcommands(in_brief)
}

/// A command, by its words, with the settings in its help that it goes by; and those below it.
fn listing(command: clap::Command, words: &str) -> clap::Command {
    let is_listed = |id: &str| {
        let by = |(ids, _): &&(&[&str], &[&str])| ids.contains(&id);
        GOES_BY.iter().find(by).is_none_or(|(_, names)| {
            names
                .iter()
                .any(|name| words == *name || words.strip_prefix(name).is_some_and(|rest| rest.starts_with(' ')))
        })
    };
    let command = command.mut_args(|arg| if is_listed(arg.get_id().as_str()) { arg } else { arg.hide(true) });
    command.mut_subcommands(|sub| {
        let words = format!("{words} {}", sub.get_name());
        listing(sub, &words)
    })
}

/// What was typed.
/// Errors: words that make no sense, and flags that a command would pass over.
fn parsed(mut command: clap::Command, typed: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let matches = command.try_get_matches_from_mut(typed)?;
    match misplaced(&command, &matches) {
        Some(why) => Err(command.error(ErrorKind::ArgumentConflict, why)),
        None => Cli::from_arg_matches(&matches),
    }
}

/// What is wrong with a flag that a command would pass over: one of the workbench that was typed before it, or a setting that it does not
/// go by.
fn misplaced(command: &clap::Command, matches: &ArgMatches) -> Option<String> {
    let is_typed = |arg: &clap::Arg, matches: &ArgMatches| {
        matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine)
    };
    let (mut words, mut inner, mut below) = (Vec::new(), command, matches);
    while let Some((name, matches)) = below.subcommand() {
        (inner, below) = (inner.find_subcommand(name)?, matches);
        words.push(name);
    }
    if words.is_empty() {
        return None;
    }
    let words = words.join(" ");
    let is_idle = |arg: &&clap::Arg| DECIDING.contains(&arg.get_id().as_str()) && arg.is_hide_set();
    if let Some(flag) = inner.get_arguments().filter(is_idle).find(|arg| is_typed(arg, below)) {
        return Some(format!("`{words}` does not go by --{}: leave it out", flag.get_long()?));
    }
    let is_before = |arg: &&clap::Arg| !arg.is_global_set() && is_typed(arg, matches);
    let flag = command.get_arguments().find(is_before)?.get_long()?;
    let takes_it = inner.get_arguments().any(|arg| arg.get_long() == Some(flag));
    Some(match takes_it {
        true => format!("--{flag} stands before `{words}`, which does not see it there: put it behind `{words}`"),
        false => format!("--{flag} is of the workbench alone; `{words}` does not take it: leave it out"),
    })
}

pub fn run() -> ExitCode {
    stepwright_confine::keep_inherited_descriptors();
    stepwright_confine::keep_memory();
    if let Some(code) = stepwright_confine::leash::serve(std::env::args_os()) {
        return code;
    }
    let cli = match parsed(built(in_brief(Cli::command())), std::env::args_os()) {
        Ok(cli) => cli,
        // Words of the command line are quoted in what is wrong with them.
        Err(error) if error.use_stderr() && sanitize::printed(&error.to_string()) != error.to_string() => {
            note(&error.to_string());
            return ExitCode::from(2);
        }
        Err(error) => error.exit(),
    };
    stepwright_model::prompt::apart::use_this_program();
    let done = match cli.command {
        Some(Command::Open(open)) => open.run(&cli.global),
        Some(Command::Duel(duel)) => duel.run(&cli.global),
        Some(Command::Present(present)) => present.run(&cli.global),
        Some(Command::Gate(gate)) => gate.run(&cli.global),
        Some(Command::Play(play)) => play.run(&cli.global),
        Some(Command::NewTask(new_task)) => new_task.run(),
        Some(Command::Pddl(pddl)) => pddl.run(&cli.global),
        Some(Command::Distill(distill)) => distill.run(&cli.global),
        Some(Command::Run(run)) => run.execute(&cli.global),
        Some(Command::Study(command)) => command.run(&cli.global),
        Some(Command::Rate(rate)) => rate.run(&cli.global),
        Some(Command::Report(report)) => report.run(),
        Some(Command::Export(export)) => export.run(&cli.global),
        Some(Command::Sessions(sessions)) => sessions.run(&cli.global),
        Some(Command::Library(command)) => command.run(&cli.global),
        Some(Command::Show(show)) => show.run(&cli.global),
        Some(Command::Compare(compare)) => compare.run(&cli.global),
        Some(Command::Preconditions(command)) => command.run(&cli.global),
        Some(Command::Belief(command)) => command.run(&cli.global),
        Some(Command::Completions(completions)) => completions.run(command()),
        Some(Command::Man(man)) => man.run(built(Cli::command().disable_help_subcommand(true))),
        Some(Command::Config(command)) => command.run(&cli.global),
        Some(Command::Schema(schema)) => schema.run(),
        Some(Command::Sandbox(sandbox)) => sandbox.run(),
        Some(Command::TemplateWorker) => {
            Ok(if stepwright_model::prompt::apart::work() { ExitCode::SUCCESS } else { ExitCode::from(2) })
        }
        Some(Command::DemoAgent) => demo::run(),
        Some(Command::SandboxTrial(trial)) => trial.run(),
        Some(Command::Methods(methods)) => methods.run(&cli.global),
        Some(Command::Models(command)) => command.run(&cli.global),
        None => {
            cli.global.with_data(cli.data).map(|global| global.with_method(cli.method)).and_then(|global| {
                match cli.world {
                    Some(world) => workbench::begin(&global, world, cli.task, cli.blind),
                    None => workbench::open(&global, cli.blind),
                }
            })
        }
    };
    done.unwrap_or_else(|error| error.report())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn what_a_command_would_pass_over_is_refused_before_it() {
        let said = |line: &str| {
            let typed = line.split_whitespace().map(OsString::from);
            parsed(built(in_brief(Cli::command())), typed).err().map(|error| error.to_string()).unwrap_or_default()
        };
        for (line, told) in [
            ("stepwright --method nosuch run --tasks first=1", "put it behind `run`"),
            ("stepwright --world kitchen play household --list", "--world is of the workbench alone; `play`"),
            ("stepwright --shots 0 run", "--shots stands before `run`"),
            ("stepwright --data nowhere run", "put it behind `run`"),
            ("stepwright --blind library list", "`library list` does not take it"),
            ("stepwright schema session --set nosuch.key=1", "`schema` does not go by --set: leave it out"),
            ("stepwright --command adapter study decisions", "`study decisions` does not go by --command"),
            ("stepwright --theme dark --set model.retries=0 run --method few-shot", ""),
            ("stepwright --command adapter run --world external", ""),
            ("stepwright --world kitchen --method few-shot", ""),
        ] {
            let said = said(line);
            assert!(if told.is_empty() { said.is_empty() } else { said.contains(told) }, "{line}: {said}");
        }
    }
}
