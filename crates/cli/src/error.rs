//! The door to standard output and standard error: what is printed, noted or reported passes here, with everything that could act on a
//! terminal or deceive a reader spelled out. A closed pipe ends quietly.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use stepwright_study::runner::CLOSED;
use stepwright_text::sanitize;
use stepwright_world::WorldError;

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
    #[error("standard input or output: {0}")]
    Stream(#[from] io::Error),
}

impl CliError {
    /// An error of a run. One that only says that nobody reads the results any more ends as a closed pipe does.
    pub fn of_run(why: String) -> Self {
        if why == CLOSED { CliError::Stream(io::ErrorKind::BrokenPipe.into()) } else { CliError::Failed(why) }
    }

    /// Prints the error and gives the exit code. A reader that closed the pipe has what it wanted: no message, code 0.
    pub fn report(&self) -> ExitCode {
        if let CliError::Stream(error) = self
            && error.kind() == io::ErrorKind::BrokenPipe
        {
            return ExitCode::SUCCESS;
        }
        note(&brief(format!("stepwright: {self}")));
        ExitCode::from(2)
    }
}

/// Most bytes of an error: what is wrong may be a value of some megabytes, and what is to be done stands behind it.
const LONGEST: usize = 8 << 10;

fn brief(text: String) -> String {
    if text.len() <= LONGEST {
        return text;
    }
    let (head, tail) = (text.floor_char_boundary(LONGEST / 2), text.ceil_char_boundary(text.len() - LONGEST / 4));
    let (begins, ends) = (text.get(..head).unwrap_or_default(), text.get(tail..).unwrap_or_default());
    format!("{begins} … {} bytes … {ends}", tail - head)
}

pub fn note(text: &str) {
    // With standard error closed nobody can read it.
    let _ = writeln!(io::stderr(), "{}", sanitize::printed(text.trim_end_matches('\n')));
}

/// How long last words wait for a terminal that takes nothing (`Ctrl-S` holds it).
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Says something at the end, as [`note`] does; a terminal that is held does not keep the program from ending.
pub fn last_words(text: &str) {
    let text = text.to_owned();
    within(LAST_WORDS, move || note(&text));
}

/// Does work that may be held up for ever; whether it was done within that time.
fn within(patience: Duration, work: impl FnOnce() + Send + 'static) -> bool {
    let (done, end) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        work();
        let _ = done.send(());
    });
    end.recv_timeout(patience).is_ok()
}

pub fn print(text: &str) -> Result<(), CliError> {
    write_out(&sanitize::printed(text))
}

pub fn print_json(text: &str) -> Result<(), CliError> {
    write_out(&sanitize::json(text))
}

/// Prints what another program reads (a page, a script, a planning problem), to the byte; a terminal gets it as a text for people.
pub fn print_file(text: &str) -> Result<(), CliError> {
    if io::stdout().is_terminal() { print(text) } else { write_out(text) }
}

fn write_out(text: &str) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_terminal_does_not_keep_the_program() {
        let (hold, held) = std::sync::mpsc::channel::<()>();
        let short = Duration::from_millis(10);
        assert!(!within(short, move || {
            let _ = held.recv();
        }));
        drop(hold);
        assert!(within(Duration::from_secs(60), || ()));
    }
}
