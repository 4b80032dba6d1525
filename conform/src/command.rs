//! The command line of the comparison.

use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use serde_json::json;
use stepwright_text::sanitize;

/// Compares the program with recordings of the original systems; exit code 1 on any difference, 2 where there is nothing to compare.
#[derive(Debug, Parser)]
#[command(name = "conform", version, max_term_width = 100)]
pub struct Command {
    /// Folder of the recordings: one folder a topic, or a topic's own folder
    dir: PathBuf,
    /// Compare this topic alone (alfworld)
    #[arg(long, value_name = "NAME")]
    topic: Option<String>,
    /// List every difference, not just the first of each recording
    #[arg(long)]
    all: bool,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

impl Command {
    /// The report as it is printed, with the exit code.
    pub fn run(&self) -> Result<(String, u8), super::ConformError> {
        let report = super::run(&self.dir, self.topic.as_deref())?;
        let printed = if self.json {
            let mut value = json!({
                "compared": report.compared(), "differences": report.differences(), "rows": report.rows,
            });
            for (row, other) in
                report.rows.iter().zip(value["rows"].as_array_mut().into_iter().flatten()).filter(|_| self.all)
            {
                other["others"] = json!(row.others);
            }
            sanitize::json(&format!("{value:#}\n")).into_owned()
        } else if self.all {
            sanitize::printed(&format!("{report:#}")).into_owned()
        } else {
            sanitize::printed(&report.to_string()).into_owned()
        };
        Ok((printed, report.exit_code()))
    }

    /// Compares and prints the report.
    pub fn print(&self) -> ExitCode {
        let say = |what: &dyn std::fmt::Display| {
            // With standard error closed nobody can read it.
            let _ = writeln!(io::stderr(), "conform: {}", sanitize::printed(&what.to_string()));
            ExitCode::from(2)
        };
        let (text, code) = match self.run() {
            Ok(done) => done,
            Err(error) => return say(&error),
        };
        let mut out = io::stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            // A reader that left early does not turn differences into success.
            Err(error) if error.kind() != ErrorKind::BrokenPipe => say(&error),
            _ if code == 2 => say(&format!("{}: nothing to compare", self.dir.display())),
            _ => ExitCode::from(code),
        }
    }
}
