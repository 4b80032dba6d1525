//! Errors of the command line, and printing that survives a closed pipe.

use std::io::{self, Write};
use std::process::ExitCode;

use crate::world::WorldError;

/// Why a subcommand ended early.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// Words that make no sense together: what is wrong, what to do.
    #[error("{0}")]
    Usage(String),
    /// Something could not be done: what, where, what to do.
    #[error("{0}")]
    Failed(String),
    /// A world or its data.
    #[error(transparent)]
    World(#[from] WorldError),
    /// Standard input or output failed.
    #[error("standard input or output: {0}")]
    Stream(#[from] io::Error),
}

impl CliError {
    /// Prints the error and gives the exit code. A reader that closed the pipe has what it wanted: no message, code 0.
    pub fn report(&self) -> ExitCode {
        if let CliError::Stream(error) = self
            && error.kind() == io::ErrorKind::BrokenPipe
        {
            return ExitCode::SUCCESS;
        }
        note(&format!("stepwright: {self}"));
        ExitCode::from(2)
    }
}

/// Says something beside what is printed.
pub fn note(text: &str) {
    // With standard error closed nobody can read it.
    let _ = writeln!(io::stderr(), "{}", text.trim_end_matches('\n'));
}

/// Prints a text to standard output.
///
/// # Errors
/// If standard output is closed or fails.
pub fn print(text: &str) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}
