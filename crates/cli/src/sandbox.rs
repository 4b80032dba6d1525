//! `stepwright sandbox`: what the operating system holds model-written code to here. Each line is tried when it is printed.

use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use stepwright_confine::check::{COMPUTING, Column, check};
use stepwright_confine::trial::{Outcome, TRIALS, Task};

use super::{CliError, print};

/// The subcommand of the process that tries.
pub(crate) const TRIAL: &str = "sandbox-trial";

/// The check of the sandbox's bounds.
#[derive(Debug, Args)]
pub struct Sandbox {
    /// Confine a process as a worker of model-written code is, have it try what it should not get, and print what came of it
    #[arg(long, required = true)]
    check: bool,
}

impl Sandbox {
    /// Prints a table. Exit code 1 where something got through all layers.
    pub fn run(&self) -> Result<ExitCode, CliError> {
        debug_assert!(self.check, "it is required");
        let itself = Path::new("/proc/self/exe");
        let itself = if itself.exists() { itself.to_owned() } else { std::env::current_exe()? };
        let columns =
            check(&itself, &[TRIAL]).map_err(|e| CliError::Failed(format!("the sandbox cannot be tried: {e}")))?;
        print(&table(&columns))?;
        let all = columns.first().into_iter();
        let through = all.flat_map(|c| c.outcomes.iter().chain(&c.computing)).any(|outcome| outcome.got);
        Ok(ExitCode::from(u8::from(through)))
    }
}

/// Tries what a worker should not get. Hidden; the task is JSON.
#[derive(Debug, Args)]
pub struct Trial {
    task: String,
}

impl Trial {
    pub fn run(&self) -> Result<ExitCode, CliError> {
        let task: Task = serde_json::from_str(&self.task).map_err(|e| CliError::Usage(format!("{TRIAL}: {e}")))?;
        task.run();
        Ok(ExitCode::SUCCESS)
    }
}

/// A line for each trial; a column for all layers together, with the system's words, and one for each alone.
fn table(columns: &[Column]) -> String {
    let Some((all, alone)) = columns.split_first() else { return String::new() };
    let mut text = format!("What a worker of model-written code gets on this system ({})\n\n", std::env::consts::OS);
    let word = |holds: bool| if holds { "yes" } else { "no" };
    for (what, answer) in [
        ("no new privileges", word(all.held.no_new_privileges)),
        ("landlock", if all.held.landlock.is_empty() { "no" } else { &all.held.landlock }),
        ("seccomp", word(all.held.seccomp)),
    ] {
        text.push_str(&format!("{what:<36}{answer}\n"));
    }
    text.push_str(&format!("\n{:<36}{:<12}", "it tries to", "with all"));
    alone.iter().for_each(|column| text.push_str(&format!("{:<12}", column.name)));
    text.push_str("what the system says\n");
    for (at, trial) in TRIALS.iter().enumerate() {
        let mut line = format!("{trial:<36}{:<12}", cell(all.outcomes.get(at)));
        alone.iter().for_each(|column| line.push_str(&format!("{:<12}", cell(column.outcomes.get(at)))));
        line.push_str(all.outcomes.get(at).map_or("", |outcome| &outcome.how));
        text.push_str(line.trim_end());
        text.push('\n');
    }
    let mut line = format!("{COMPUTING:<36}{:<12}", cell(all.computing.as_ref()));
    alone.iter().for_each(|column| line.push_str(&format!("{:<12}", cell(column.computing.as_ref()))));
    line.push_str(all.computing.as_ref().map_or("", |outcome| &outcome.how));
    text.push_str(line.trim_end());
    text.push_str("\n\nheld: it does not get it; GETS: it does; -: not tried. A column beside the first is one layer by itself.\n");
    text
}

fn cell(outcome: Option<&Outcome>) -> &'static str {
    match outcome {
        Some(Outcome { got: true, .. }) => "GETS",
        Some(_) => "held",
        None => "-",
    }
}

#[cfg(test)]
mod tests {
    use stepwright_confine::Held;

    use super::*;

    #[test]
    fn a_trial_that_got_through_is_seen() {
        let outcome = |got| Outcome { got, how: "words".to_owned() };
        let column = |name, got: usize| Column {
            name,
            held: Held { landlock: "version 7".to_owned(), ..Held::default() },
            outcomes: (0..TRIALS.len()).map(|at| outcome(at == got)).collect(),
            computing: None,
        };
        let text = table(&[column("all", 99), column("limits", 0)]);
        let line = text.lines().find(|l| l.starts_with(TRIALS[0])).unwrap();
        assert_eq!(line.split_whitespace().collect::<Vec<_>>(), ["read", "a", "file", "held", "GETS", "words"]);
        assert!(text.contains("landlock                            version 7\n"), "{text}");
        assert!(text.lines().any(|l| l.starts_with(COMPUTING) && l.contains('-')), "{text}");
    }
}
