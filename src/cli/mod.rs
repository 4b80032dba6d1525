//! The command line: one file a subcommand. Parses, calls the library, prints; the work itself is done elsewhere.
//!
//! Exit codes: 0 done; 1 done, and the answer is no (differences, unsolved); 2 not done (wrong words, unreadable files).

mod docs;
mod error;
mod export;
mod household;
mod new_task;
mod play;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory, Parser, Subcommand};

pub use error::{CliError, print};

/// A terminal workbench to step language-model agents through episodes, one decision at a time.
///
/// Without a subcommand the workbench opens.
#[derive(Debug, Parser)]
#[command(name = "stepwright", version, max_term_width = 100)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Option<Command>,
}

/// Options of every subcommand.
#[derive(Debug, Clone, Args)]
pub struct Global {
    /// Folder of config.toml, prompts and themes, in place of the platform's
    #[arg(long, global = true, value_name = "DIR", env = "STEPWRIGHT_CONFIG_DIR")]
    pub config_dir: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Play a world's task by hand: a prompt to type at, or the line protocol with --jsonl
    Play(play::Play),
    /// Generate a task, solvable by construction and checked to be
    NewTask(new_task::NewTask),
    /// Write a session as an HTML page, an asciicast, or JSONL
    Export(export::Export),
    /// Print a session as plain text
    Show(export::Show),
    /// Print a shell completion script
    Completions(docs::Completions),
    /// Print the man page
    Man(docs::Man),
}

/// Parses the command line and does what it says.
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    let done = match cli.command {
        Some(Command::Play(play)) => play.run(),
        Some(Command::NewTask(new_task)) => new_task.run(),
        Some(Command::Export(export)) => export.run(),
        Some(Command::Show(show)) => show.run(),
        Some(Command::Completions(completions)) => completions.run(Cli::command()),
        Some(Command::Man(man)) => man.run(Cli::command()),
        None => Cli::command().print_help().map(|()| ExitCode::SUCCESS).map_err(CliError::from),
    };
    done.unwrap_or_else(|error| error.report())
}
